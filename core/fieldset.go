package rowcast

import (
	"slices"
	"strings"
)

// FieldSet is a choice of an entity's public fields. It is immutable.
type FieldSet struct {
	names  []string
	except bool
}

// AllFields is every public field.
var AllFields = Except()

// Only is exactly the named fields.
func Only(names ...string) *FieldSet { return &FieldSet{names: slices.Clone(names)} }

// Except is every public field but the named ones.
func Except(names ...string) *FieldSet { return &FieldSet{names: slices.Clone(names), except: true} }

// Has reports whether the set holds the field. A nil set holds none.
func (s *FieldSet) Has(name string) bool {
	return s != nil && slices.Contains(s.names, name) != s.except
}

// check reports the names that are no public field, and a set that leaves nothing.
func (s *FieldSet) check(path string, fields map[string]int, found *problems) {
	if s == nil {
		return
	}
	for _, name := range s.names {
		if _, ok := fields[name]; !ok {
			found.add(path, "%q is no public field; the public fields are %s", name, list(sortedKeys(fields)))
		}
	}
	if !s.except && len(s.names) == 0 {
		found.add(path, "the set is empty: leave it out, or turn realtime Off")
	}
}

// list joins names for an error text.
func list[S ~string](names []S) string {
	text := make([]string, len(names))
	for i, name := range names {
		text[i] = string(name)
	}
	return strings.Join(text, ", ")
}

// sortedKeys makes what is said about a map deterministic.
func sortedKeys[K ~string, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
