package rowcast

import (
	"fmt"
	"strings"
)

// Channel is what a client subscribes to: all rows of an entity, or one of them.
type Channel struct {
	Entity string
	ID     string // "" for the collection channel
}

// ParseChannel splits «Entity» or «Entity.id» at the first dot: ids may hold dots and commas, entity names may not.
// It does not know which entities exist.
func ParseChannel(text string) (Channel, error) {
	entity, id, isItem := strings.Cut(text, ".")
	switch {
	case text == "":
		return Channel{}, fmt.Errorf("the channel is empty: use «Entity» or «Entity.id»")
	case !validName(entity):
		return Channel{}, fmt.Errorf("%q does not begin with an entity's name: use «Entity» or «Entity.id»", text)
	case isItem && id == "":
		return Channel{}, fmt.Errorf("%q has an empty id: leave the dot out for all of %s", text, entity)
	}
	return Channel{Entity: entity, ID: id}, nil
}

// String is the channel as clients write it.
func (c Channel) String() string {
	if c.ID == "" {
		return c.Entity
	}
	return c.Entity + "." + c.ID
}

// validName reports whether an entity may be called so: it must survive in a channel and in a comma list.
func validName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r == '.' || r == ',' || r == 0x7F || r == 0xFFFD || r == 0x85 || r == 0xA0 || r == 0x2028 || r == 0x2029
	})
}
