package rowcast

import "github.com/rowcast/rowcast/core/filter"

// Values is one row at the doors of the engine, by public field name. The engine accepts every Go type that
// filter.ValueOf accepts for the field's kind; what it hands out is what filter.Value.Any gives.
type Values map[string]any

// Entity is one kind of row that the engine knows: what users register, once, before anything is published.
type Entity struct {
	Name       string   // also the name of its collection channel; no dots, commas, white space or control characters
	Fields     []Field  // in the order in which an item lists them
	Key        []string // the field, or the fields in order, that identify a row
	SoftDelete string   // the nullable Time field that marks a row as deleted; "" if rows are really deleted
	View       View

	// Filterable is the fields that subscribers and lists may filter by; nil: none. Hidden fields are never among them.
	Filterable *FieldSet

	Settings   Settings
	Store      Store                // nil for an entity whose rows are written elsewhere, such as through a GORM plugin
	Operations map[string]Operation // custom operations, and settings for the standard ones
}

// Field is one column of an entity.
type Field struct {
	Name     string // the public name, as JSON shows it
	Kind     filter.Kind
	Nullable bool
	Hidden   bool     // never leaves the process: not in an item, not in changed, not in an error text
	Bits     int      // width of an Int or Uint: 8, 16, 32 or 64; 0 means 64
	Members  []string // the members of an Enum
}

// View is what of a row may be shown, and how.
type View struct {
	// Fields are the public fields that an item holds, in this order; nil means all fields that are not Hidden.
	Fields []string

	// Render replaces how single fields are shown. It gets the value as the captor or store handed it over, and returns
	// what encoding/json is to make of it. Filters see the column's value, never the rendered one. A Render that
	// panics, or returns what JSON cannot hold, shows the field as null and is reported. It runs while the row is locked:
	// it must not read or write through the store, the engine or the database.
	Render map[string]func(any) any
}

// ParseID reads a row's id as it stands in a channel, and returns the key's values. Composite ids join their parts
// with commas, with «,» and «%» percent-encoded inside a part.
func (e Entity) ParseID(id string) (Values, error) {
	parts, err := splitID(id, len(e.Key))
	if err != nil {
		return nil, err
	}
	key := make(Values, len(parts))
	for i, part := range parts {
		field := e.field(e.Key[i])
		value, err := parseKeyPart(field, part)
		if err != nil {
			return nil, err
		}
		key[field.Name] = value.Any()
	}
	return key, nil
}

// ID is the canonical id of the row that holds these values: what channels and events call it. It is an error if a
// part of the key is missing, NULL, or not of its field's kind.
func (e Entity) ID(row Values) (string, error) {
	return formatID(e.Key, func(name string) (filter.Value, error) {
		field := e.field(name)
		return fieldValue(&field, row[name])
	})
}

func (e Entity) field(name string) Field {
	for _, field := range e.Fields {
		if field.Name == name {
			return field
		}
	}
	return Field{}
}

// Normalize turns the values of a write into what filter.Value.Any gives for each field's kind, and reports every name
// that is no field and every value that does not fit. Stores use it before they keep a row. Its error is an *Error.
func (e Entity) Normalize(values Values) (Values, error) {
	var issues []Issue
	out := make(Values, len(values))
	for _, name := range sortedKeys(values) {
		field := e.field(name)
		if field.Name == "" {
			issues = append(issues, Issue{Field: name, Code: CodeUnknownField, Detail: "no field of " + e.Name})
			continue
		}
		value, err := fieldValue(&field, values[name])
		if err != nil {
			issues = append(issues, Issue{Field: name, Code: CodeInvalidValues, Detail: err.Error()})
			continue
		}
		out[name] = value.Any()
	}
	if len(issues) > 0 {
		return nil, InvalidValues(issues...)
	}
	return out, nil
}
