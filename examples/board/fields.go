package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// field is one JSON member of a card: its column, and how a value is read and set. What a client sends is read by this
// table rather than by encoding/json, which takes null and wrong case where the API must refuse them.
type field struct {
	name, column string
	readOnly     bool // the server sets it; a bulk statement may name it
	nullable     bool
	parse        func(json.RawMessage) (any, error)
	set          func(*Card, any) // nil where readOnly
}

var fields = []field{
	{name: "id", column: "id", readOnly: true, parse: parseID},
	{name: "title", column: "title", parse: parseTitle, set: func(c *Card, v any) { c.Title = v.(string) }},
	{name: "status", column: "status", parse: parseStatus, set: func(c *Card, v any) { c.Status = v.(string) }},
	{name: "owner", column: "owner", parse: parseText, set: func(c *Card, v any) { c.Owner = v.(string) }},
	{name: "points", column: "points", parse: parseInt, set: func(c *Card, v any) { c.Points = v.(int) }},
	{name: "note", column: "note", nullable: true, parse: parseText, set: func(c *Card, v any) { c.Note = pointer[string](v) }},
	{name: "due", column: "due", nullable: true, parse: parseTime, set: func(c *Card, v any) { c.Due = pointer[time.Time](v) }},
	{name: "createdAt", column: "created_at", readOnly: true, parse: parseTime},
	{name: "updatedAt", column: "updated_at", readOnly: true, parse: parseTime},
}

func pointer[T any](value any) *T {
	if value == nil {
		return nil
	}
	v := value.(T)
	return &v
}

// values are the members that a client sent, by field name.
type values map[string]any

// columns are the values as a GORM condition or assignment takes them.
func (v values) columns() map[string]any {
	columns := make(map[string]any, len(v))
	for _, field := range fields {
		if value, ok := v[field.name]; ok {
			columns[field.column] = value
		}
	}
	return columns
}

// replace sets every field that a client may write, absent ones to their default.
func (v values) replace(card *Card) {
	card.Title, card.Status, card.Owner, card.Points, card.Note, card.Due = "", statuses[0], "", 0, nil, nil
	for _, field := range fields {
		if value, ok := v[field.name]; ok && !field.readOnly {
			field.set(card, value)
		}
	}
}

// parseObject reads a body that is one JSON object, without looking at its members.
func parseObject(body []byte) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	var wrongType *json.UnmarshalTypeError
	err := json.Unmarshal(body, &members)
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return nil, badRequest("BAD_JSON", "", "the body is empty: a JSON object is expected")
	case errors.As(err, &wrongType) || err == nil && members == nil:
		return nil, badRequest("BAD_JSON", "", "the body is no JSON object")
	case err != nil:
		return nil, badRequest("BAD_JSON", "", "the body is not JSON: %v", err)
	case !utf8.Valid(body):
		return nil, badRequest("BAD_JSON", "", "the body is not UTF-8")
	}
	return members, nil
}

// parseValues reads the members of a card. Fields for which refused says why are refused; path precedes the names in
// error texts.
func parseValues(path string, members map[string]json.RawMessage, refused func(field) string) (values, error) {
	read := make(values, len(members))
	for _, name := range sortedNames(members) {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		if i < 0 {
			return nil, badRequest("UNKNOWN_FIELD", path+name, "a card has no such field; it has %s", fieldNames())
		}
		if reason := refused(fields[i]); reason != "" {
			return nil, badRequest("READ_ONLY_FIELD", path+name, "%s", reason)
		}
		value, err := fields[i].value(members[name])
		if err != nil {
			return nil, badRequest("INVALID_VALUE", path+name, "%s", err)
		}
		read[name] = value
	}
	return read, nil
}

// parseNew reads a card that is to be created.
func parseNew(members map[string]json.RawMessage) (values, error) {
	sent, err := parseValues("", members, refuseReadOnly)
	if err != nil {
		return nil, err
	}
	return sent, sent.requireTitle()
}

// parseReplacement reads a card that is to replace another. A client may send it as it got it: with the id of the
// path, and the times that the server sets anyway.
func parseReplacement(members map[string]json.RawMessage, id uint64) (values, error) {
	sent, err := parseValues("", members, refuseNothing)
	if err != nil {
		return nil, err
	}
	if other, ok := sent["id"]; ok && other != id {
		return nil, badRequest("INVALID_VALUE", "id", "it is not the id of the path, %d", id)
	}
	return sent, sent.requireTitle()
}

// parsePart reads the where or the set of a bulk change, which may name every field.
func parsePart(name string, text json.RawMessage) (values, error) {
	if text == nil {
		return nil, badRequest("MISSING_FIELD", name, "a bulk change has where and set")
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || len(members) == 0 {
		return nil, badRequest("INVALID_VALUE", name, "it must be an object with at least one field")
	}
	return parseValues(name+".", members, refuseNothing)
}

func refuseNothing(field) string { return "" }

func refuseReadOnly(f field) string {
	if f.readOnly {
		return "the server sets it"
	}
	return ""
}

func (v values) requireTitle() error {
	if v["title"] == nil {
		return badRequest("MISSING_FIELD", "title", "a card needs a title")
	}
	return nil
}

func (f field) value(text json.RawMessage) (any, error) {
	if string(text) != "null" {
		return f.parse(text)
	}
	if !f.nullable {
		return nil, errors.New("it cannot be null")
	}
	return nil, nil
}

func sortedNames(members map[string]json.RawMessage) []string {
	var names []string
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func fieldNames() string {
	var names []string
	for _, field := range fields {
		names = append(names, field.name)
	}
	return strings.Join(names, ", ")
}

func parseText(text json.RawMessage) (any, error) {
	var value string
	if json.Unmarshal(text, &value) != nil {
		return nil, errors.New("it must be a string")
	}
	if strings.ContainsRune(value, 0) {
		return nil, errors.New("it must not hold a NUL, which PostgreSQL cannot store")
	}
	return value, nil
}

func parseTitle(text json.RawMessage) (any, error) {
	value, err := parseText(text)
	if err == nil && strings.TrimSpace(value.(string)) == "" {
		return nil, errors.New("it must not be blank")
	}
	return value, err
}

func parseStatus(text json.RawMessage) (any, error) {
	value, err := parseText(text)
	if err != nil || !slices.Contains(statuses, value.(string)) {
		return nil, fmt.Errorf("it must be one of %s", strings.Join(statuses, ", "))
	}
	return value, nil
}

func parseInt(text json.RawMessage) (any, error) {
	value, err := strconv.Atoi(string(text))
	if err != nil {
		return nil, errors.New("it must be a whole number of at most 64 bits, such as 3")
	}
	return value, nil
}

// parseID takes what every database can store as an id: none keeps the upper half of the unsigned numbers.
func parseID(text json.RawMessage) (any, error) {
	value, err := strconv.ParseUint(string(text), 10, 63)
	if err != nil || value == 0 {
		return nil, errors.New("it must be a positive whole number")
	}
	return value, nil
}

func parseTime(text json.RawMessage) (any, error) {
	var value string
	if json.Unmarshal(text, &value) != nil {
		return nil, errors.New("it must be a time as text, such as 2026-11-30T16:00:00Z")
	}
	parsed, err := time.Parse(time.RFC3339, value)
	if err != nil {
		return nil, fmt.Errorf("%.40q is not an RFC 3339 time, such as 2026-11-30T16:00:00Z", value)
	}
	parsed = parsed.UTC().Truncate(time.Microsecond)
	if parsed.Year() < 1 || parsed.Year() > 9999 { // in UTC it must still be RFC 3339
		return nil, errors.New("its year must be between 1 and 9999")
	}
	return parsed, nil
}
