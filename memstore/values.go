package memstore

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
)

// clone copies a row deeply: only bytes and JSON are not immutable by themselves.
func clone(row rowcast.Values) rowcast.Values {
	if row == nil {
		return nil
	}
	c := make(rowcast.Values, len(row))
	for name, v := range row {
		switch b := v.(type) {
		case []byte:
			v = bytes.Clone(b)
		case json.RawMessage:
			v = json.RawMessage(bytes.Clone(b))
		}
		c[name] = v
	}
	return c
}

// untouchable are the fields that only the store itself writes once the row is there.
func (s *Store) untouchable() []string {
	names := slices.Clone(s.entity.Key)
	if s.entity.SoftDelete != "" {
		names = append(names, s.entity.SoftDelete)
	}
	return names
}

// refuseUntouchable lets a caller write back what it has read, and nothing else.
func (s *Store) refuseUntouchable(before, written rowcast.Values) error {
	var issues []rowcast.Issue
	for _, name := range s.untouchable() {
		if v, ok := written[name]; ok && v != before[name] {
			issues = append(issues, rowcast.Issue{Field: name, Code: rowcast.CodeInvalidValues, Detail: "this field cannot be changed"})
		}
	}
	if len(issues) > 0 {
		return rowcast.InvalidValues(issues...)
	}
	return nil
}

// complete fills in what was left out, and refuses NULL where the field has none.
func (s *Store) complete(row rowcast.Values) error {
	var issues []rowcast.Issue
	for _, field := range s.entity.Fields {
		v, given := row[field.Name]
		switch {
		case !given && !field.Nullable && !slices.Contains(s.entity.Key, field.Name):
			row[field.Name] = zero(field)
		case !given && field.Nullable:
			row[field.Name] = nil
		case given && v == nil && !field.Nullable:
			issues = append(issues, rowcast.Issue{Field: field.Name, Code: rowcast.CodeInvalidValues, Detail: "null is not allowed here"})
		case given && field.Kind == filter.Enum && v != nil && !slices.Contains(field.Members, v.(string)):
			issues = append(issues, rowcast.Issue{Field: field.Name, Code: rowcast.CodeInvalidValues,
				Detail: fmt.Sprintf("%.64q is none of %v", v, field.Members)})
		}
	}
	if len(issues) > 0 {
		return rowcast.InvalidValues(issues...)
	}
	return nil
}

// zero is what a column that is not nullable holds when nothing was given.
func zero(field rowcast.Field) any {
	switch field.Kind {
	case filter.Enum:
		return field.Members[0]
	case filter.Int:
		return int64(0)
	case filter.Uint:
		return uint64(0)
	case filter.Float:
		return float64(0)
	case filter.Decimal:
		return "0"
	case filter.Bool:
		return false
	case filter.Time:
		return time.Time{}
	case filter.UUID:
		return "00000000-0000-0000-0000-000000000000"
	case filter.Bytes:
		return []byte{}
	case filter.JSON:
		return json.RawMessage("{}")
	}
	return ""
}

// generateKey makes a key that was left out, where the kind allows one to be made up.
func (s *Store) generateKey(row rowcast.Values) error {
	name := s.entity.Key[0]
	if _, given := row[name]; given || len(s.entity.Key) > 1 {
		s.noteKey(row[name])
		return nil
	}
	switch s.keyKind() {
	case filter.Int:
		s.lastID++
		row[name] = int64(s.lastID)
	case filter.Uint:
		s.lastID++
		row[name] = s.lastID
	case filter.UUID:
		row[name] = newUUID()
	default:
		return invalidKey(s.entity, fmt.Errorf("the key field %q has no value, and a %v cannot be generated", name, s.keyKind()))
	}
	return nil
}

// noteKey keeps generated keys above the given ones.
func (s *Store) noteKey(v any) {
	switch n := v.(type) {
	case int64:
		s.lastID = max(s.lastID, uint64(max(n, 0)))
	case uint64:
		s.lastID = max(s.lastID, n)
	}
}

func (s *Store) keyKind() filter.Kind {
	i := slices.IndexFunc(s.entity.Fields, func(f rowcast.Field) bool { return f.Name == s.entity.Key[0] })
	return s.entity.Fields[i].Kind
}

// newUUID is a random UUID, version 4 (RFC 9562).
func newUUID() string {
	var u [16]byte
	_, _ = rand.Read(u[:]) // never fails, by its documentation
	u[6] = u[6]&0x0F | 0x40
	u[8] = u[8]&0x3F | 0x80
	text := hex.EncodeToString(u[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

func invalidKey(entity rowcast.Entity, err error) error {
	return rowcast.InvalidValues(rowcast.Issue{Field: entity.Key[0], Code: rowcast.CodeInvalidValues, Detail: err.Error()})
}

// sortByKey orders rows as their key fields order, not as their ids read.
func sortByKey(entity rowcast.Entity, rows []rowcast.Values) {
	slices.SortFunc(rows, func(a, b rowcast.Values) int {
		for _, name := range entity.Key {
			if c := compareKey(a[name], b[name]); c != 0 {
				return c
			}
		}
		return 0
	})
}

func compareKey(a, b any) int {
	switch x := a.(type) {
	case int64:
		return cmp.Compare(x, b.(int64))
	case uint64:
		return cmp.Compare(x, b.(uint64))
	case time.Time:
		return x.Compare(b.(time.Time))
	}
	return cmp.Compare(a.(string), b.(string))
}
