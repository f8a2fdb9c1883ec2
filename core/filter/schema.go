package filter

import (
	"slices"
	"strings"
)

// Schema is the fields of an entity by ordinal: rows hold their values in this order. Bind keeps it; do not change it then.
type Schema []Field

// Field is what a filter must know of one column.
type Field struct {
	Name     string // as filters write it; a name with a dot, and the names and, or, not cannot be filtered by
	Kind     Kind
	Nullable bool
	Bits     int      // width of an Int or Uint: 8, 16, 32 or 64; 0 means 64
	Members  []string // the members of an Enum
	Access   Access
}

// Access says whether a filter may name a field.
type Access uint8

// The accesses. The zero value is the closed one: what nobody opened cannot be probed.
const (
	Hidden     Access = iota // answered exactly like a field that does not exist, and never suggested
	NotAllowed               // known to exist, but no filter may name it: relations, computed and unlisted fields
	Allowed
)

// Open is the schema with these fields allowed as well, whatever they were: row policies may name fields that clients may not.
// Names that are no fields are passed over.
func (s Schema) Open(names ...string) Schema {
	opened := slices.Clone(s)
	for i := range opened {
		if slices.Contains(names, opened[i].Name) {
			opened[i].Access = Allowed
		}
	}
	return opened
}

// resolve gives the ordinal of the field that the path names, or the code and detail of why not. Hidden fields take the
// very same way as missing ones, and a path with dots is refused before its first part is looked at.
func (s Schema) resolve(name string) (ordinal int, code, detail string) {
	if strings.Contains(name, ".") {
		return 0, CodeFieldNotAllowed, quote(name) + " is a path into another row; a filter takes the row's own fields only"
	}
	for i := range s {
		if s[i].Name != name || s[i].Access == Hidden {
			continue
		}
		if s[i].Access != Allowed || !s[i].Kind.Valid() {
			return 0, CodeFieldNotAllowed, quote(name) + " may not be filtered by; " + s.allowedText()
		}
		return i, "", ""
	}
	detail = "there is no field " + quote(name)
	if near := nearest(name, s.allowed()); near != "" {
		return 0, CodeUnknownField, detail + "; did you mean " + quote(near) + "?"
	}
	return 0, CodeUnknownField, detail + "; " + s.allowedText()
}

func (s Schema) allowed() []string {
	var names []string
	for i := range s {
		if s[i].Access == Allowed && s[i].Kind.Valid() {
			names = append(names, s[i].Name)
		}
	}
	return names
}

func (s Schema) allowedText() string {
	names := s.allowed()
	if len(names) == 0 {
		return "no field may be"
	}
	return "the fields are " + list(names)
}
