package rowcast

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rowcast/rowcast/core/filter"
)

// Canonical ids: one text for one row, whoever writes it. 64-bit ids survive JavaScript because they are text.

// keyKinds are the kinds whose text form is unambiguous enough to name a row.
var keyKinds = []filter.Kind{filter.String, filter.Enum, filter.Int, filter.Uint, filter.UUID, filter.Time}

func isKeyKind(kind filter.Kind) bool { return slices.Contains(keyKinds, kind) }

// splitID splits an id into as many decoded parts as the key has. The id of a single key is taken as it stands.
func splitID(id string, parts int) ([]string, error) {
	if id == "" {
		return nil, fmt.Errorf("the id is empty")
	}
	if !utf8.ValidString(id) || strings.Contains(id, "\x00") {
		return nil, fmt.Errorf("the id %q is not valid text", id)
	}
	if parts == 1 {
		return []string{id}, nil
	}
	split := strings.Split(id, ",")
	if len(split) != parts {
		return nil, fmt.Errorf("the id %q has %s, the key has %d", id, count(len(split), "part"), parts)
	}
	for i, part := range split {
		decoded, err := decodePart(part)
		if err != nil {
			return nil, err
		}
		split[i] = decoded
	}
	return split, nil
}

// decodePart undoes encodePart, and refuses what encodePart would not write, so that a row has one id only.
func decodePart(part string) (string, error) {
	decoded := strings.NewReplacer("%2C", ",", "%2c", ",", "%25", "%").Replace(part)
	if escapes := strings.Count(part, "%"); escapes != (len(part)-len(decoded))/2 {
		return "", fmt.Errorf("in a part of a composite id only «,» and «%%» are percent-encoded, as %%2C and %%25: %q", part)
	}
	return decoded, nil
}

func encodePart(part string) string {
	return strings.NewReplacer("%", "%25", ",", "%2C").Replace(part)
}

// parseKeyPart reads one part of an id as the value of its field.
func parseKeyPart(field Field, part string) (filter.Value, error) {
	value, err := fieldValue(&field, part)
	if err != nil || value.IsNull() {
		return filter.Value{}, fmt.Errorf("%q is no %s, as the key field %q wants", part, describe(field), field.Name)
	}
	return value, nil
}

// formatID joins the key's values to the canonical id.
func formatID(key []string, valueOf func(name string) (filter.Value, error)) (string, error) {
	if len(key) == 1 {
		return keyText(key[0], valueOf)
	}
	parts := make([]string, len(key))
	for i, name := range key {
		text, err := keyText(name, valueOf)
		if err != nil {
			return "", err
		}
		parts[i] = encodePart(text)
	}
	return strings.Join(parts, ","), nil
}

func keyText(name string, valueOf func(name string) (filter.Value, error)) (string, error) {
	value, err := valueOf(name)
	if err != nil {
		return "", err
	}
	if value.IsNull() || value.IsMissing() {
		return "", fmt.Errorf("the row's key field %q has no value", name)
	}
	return value.Text(), nil
}

// fieldValue types a value by its field, and checks what the kind alone does not say.
func fieldValue(field *Field, v any) (filter.Value, error) {
	value, err := filter.ValueOf(field.Kind, v)
	if err != nil {
		return filter.Value{}, err
	}
	if !fits(value, field.Bits) {
		return filter.Value{}, fmt.Errorf("the number does not fit into %s", describe(*field))
	}
	return value, nil
}

// fits reports whether an integer is within the field's width.
func fits(value filter.Value, bits int) bool {
	if bits == 0 || bits == 64 {
		return true
	}
	switch n := value.Any().(type) {
	case int64:
		return n>>(bits-1) == 0 || n>>(bits-1) == -1
	case uint64:
		return n>>bits == 0
	}
	return true
}

func describe(field Field) string {
	if field.Bits != 0 {
		return fmt.Sprintf("%v of %d bits", field.Kind, field.Bits)
	}
	return field.Kind.String()
}
