package rowcastgorm

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
)

// check normalizes the values of a write, and refuses those that the field cannot have.
func (s *Store) check(values rowcast.Values) (rowcast.Values, error) {
	given, err := s.model.entity.Normalize(values)
	if err != nil {
		return nil, err
	}
	var issues []rowcast.Issue
	for _, field := range s.model.entity.Fields {
		v, ok := given[field.Name]
		switch {
		case !ok:
		case v == nil && !field.Nullable:
			issues = append(issues, issue(field.Name, "null is not allowed here"))
		case v != nil && field.Kind == filter.Enum && !slices.Contains(field.Members, v.(string)):
			issues = append(issues, issue(field.Name, fmt.Sprintf("%.64q is none of %v", v, field.Members)))
		}
	}
	if len(issues) > 0 {
		return nil, rowcast.InvalidValues(issues...)
	}
	return given, nil
}

// checkKey refuses a key that was left out and that nobody makes up.
func (s *Store) checkKey(given rowcast.Values) error {
	if schema := s.model.schema; schema.BeforeCreate || schema.BeforeSave {
		return nil // a hook may set it
	}
	for _, ordinal := range s.model.key {
		name := s.model.entity.Fields[ordinal].Name
		if _, ok := given[name]; !ok && !s.model.fields[ordinal].HasDefaultValue {
			return s.issue(name, "this part of the key has no value, and none is generated")
		}
	}
	return nil
}

// checkUntouchable lets a caller write back the key and the soft-delete mark that it has read, and no others.
func (s *Store) checkUntouchable(before *image, written rowcast.Values) error {
	var issues []rowcast.Issue
	for n, field := range s.model.entity.Fields {
		if v, ok := written[field.Name]; ok && s.untouchable(n) && v != before.typed[n].Any() {
			issues = append(issues, issue(field.Name, "this field cannot be changed"))
		}
	}
	if len(issues) > 0 {
		return rowcast.InvalidValues(issues...)
	}
	return nil
}

// untouchable reports whether only the store itself writes the field once the row is there.
func (s *Store) untouchable(ordinal int) bool {
	return ordinal == s.model.soft || slices.Contains(s.model.key, ordinal)
}

// complete adds what was left out of a whole row: NULL, or the zero value. What GORM fills in by itself stays out.
func (s *Store) complete(given rowcast.Values) rowcast.Values {
	row := make(rowcast.Values, len(s.model.fields))
	for n, field := range s.model.entity.Fields {
		v, ok := given[field.Name]
		column := s.model.fields[n]
		switch {
		case ok:
			row[field.Name] = v
		case s.untouchable(n) || column.AutoCreateTime > 0 || column.AutoUpdateTime > 0:
		case field.Kind == filter.Enum && !field.Nullable && !column.HasDefaultValue:
			row[field.Name] = field.Members[0]
		default:
			row[field.Name] = leftOut{}
		}
	}
	return row
}

// leftOut stands for the zero value of the field's Go type, which is NULL where that can be.
type leftOut struct{}

// fill sets the fields of a model's struct.
func (s *Store) fill(ctx context.Context, row reflect.Value, values rowcast.Values) error {
	for n, field := range s.model.entity.Fields {
		v, ok := values[field.Name]
		if !ok {
			continue
		}
		if err := s.set(ctx, row, n, v); err != nil {
			return s.issue(field.Name, "the model cannot hold it: "+err.Error())
		}
	}
	return nil
}

func (s *Store) set(ctx context.Context, row reflect.Value, n int, v any) error {
	column := s.model.fields[n]
	target := column.ReflectValueOf(ctx, row)
	switch v := v.(type) {
	case nil, leftOut:
		target.SetZero()
		return nil
	case json.RawMessage:
		target.SetZero() // a map would be merged
		return json.Unmarshal(v, target.Addr().Interface())
	}
	return column.Set(ctx, row, v)
}

// columns are the columns of the values that an update writes.
func (s *Store) columns(written rowcast.Values) []string {
	var names []string
	for n, field := range s.model.entity.Fields {
		if _, ok := written[field.Name]; ok && !s.untouchable(n) {
			names = append(names, s.model.fields[n].DBName)
		}
	}
	return names
}

// zerosWithDefault are the given values that GORM takes for not given, since they are zero and the column has a default.
func (s *Store) zerosWithDefault(given rowcast.Values) map[string]any {
	zeros := make(map[string]any)
	for n, field := range s.model.entity.Fields {
		v, ok := given[field.Name]
		column := s.model.fields[n]
		if !ok || !column.HasDefaultValue || s.untouchable(n) {
			continue
		}
		if v == nil {
			zeros[column.DBName] = nil
			continue
		}
		row := reflect.New(s.model.schema.ModelType)
		if err := s.set(context.Background(), row, n, v); err != nil {
			continue // fill has reported it
		}
		if value, zero := column.ValueOf(context.Background(), row); zero {
			zeros[column.DBName] = value
		}
	}
	return zeros
}

func issue(field, detail string) rowcast.Issue {
	return rowcast.Issue{Field: field, Code: rowcast.CodeInvalidValues, Detail: detail}
}

func (s *Store) issue(field, detail string) error { return rowcast.InvalidValues(issue(field, detail)) }
