package rowcastgorm

import (
	"maps"
	"reflect"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// assignment is what an UPDATE assigns, as far as it can be known before GORM builds it: building changes the model.
type assignment struct {
	columns map[string]any // by database name; the value, or what computes it
	whole   bool           // every column is written
}

// assignmentOf follows GORM's rules of what an update writes.
func assignmentOf(statement *gorm.Statement) assignment {
	a := assignment{columns: make(map[string]any), whole: slices.Contains(statement.Selects, "*")}
	if set, ok := statement.Clauses["SET"].Expression.(clause.Set); ok {
		for _, one := range set {
			a.columns[one.Column.Name] = one.Value
		}
		return a
	}
	chosen, restricted := statement.SelectAndOmitColumns(false, true)
	written := func(field *schema.Field, always bool) bool {
		choice, named := chosen[field.DBName]
		return named && choice || !named && (!restricted || always)
	}
	values := reflect.ValueOf(statement.Dest)
	for values.Kind() == reflect.Pointer {
		values = values.Elem()
	}
	switch values.Kind() {
	case reflect.Map:
		a.addMap(statement, values, written)
	case reflect.Struct:
		a.addStruct(statement, values, chosen, written)
	}
	return a
}

func (a assignment) addMap(statement *gorm.Statement, values reflect.Value, written func(*schema.Field, bool) bool) {
	given, ok := values.Interface().(map[string]any)
	if !ok {
		return
	}
	for name, value := range given {
		if field := statement.Schema.LookUpField(name); field != nil && field.DBName != "" && written(field, false) {
			a.columns[field.DBName] = value
		}
	}
	a.addUpdateTimes(statement, written)
}

func (a assignment) addStruct(statement *gorm.Statement, values reflect.Value, chosen map[string]bool, written func(*schema.Field, bool) bool) {
	itself := values.CanAddr() && statement.Dest == statement.Model
	fields := statement.Schema
	if !itself {
		other := &gorm.Statement{DB: statement.DB}
		if err := other.Parse(statement.Dest); err == nil {
			fields = other.Schema
		}
	}
	for _, name := range statement.Schema.DBNames {
		field := fields.LookUpField(name)
		if field == nil || field.PrimaryKey && itself || !field.Updatable || !written(field, false) {
			continue
		}
		value, zero := field.ValueOf(statement.Context, values)
		if _, named := chosen[field.DBName]; named || !zero {
			a.columns[field.DBName] = value
		}
	}
	a.addUpdateTimes(statement, written)
}

// addUpdateTimes adds the columns that GORM sets to the current time.
func (a assignment) addUpdateTimes(statement *gorm.Statement, written func(*schema.Field, bool) bool) {
	if statement.SkipHooks {
		return
	}
	for _, field := range statement.Schema.FieldsByDBName {
		if _, given := a.columns[field.DBName]; !given && field.AutoUpdateTime > 0 && field.Updatable && written(field, true) {
			a.columns[field.DBName] = nil
		}
	}
}

// touches reports whether one of the columns is assigned.
func (a assignment) touches(columns []string) bool {
	return slices.ContainsFunc(columns, func(name string) bool {
		_, ok := a.columns[name]
		return ok
	})
}

// public are the names of the assigned fields.
func (a assignment) public(m *model) []string {
	var names []string
	for _, column := range slices.Sorted(maps.Keys(a.columns)) {
		if i := m.ordinalOf(column); i >= 0 {
			names = append(names, m.entity.Fields[i].Name)
		}
	}
	return names
}

// rekey is the key that the row has after the assignment, or false if the database computes it.
func (a assignment) rekey(m *model, before *image) (key []any, id string, ok bool) {
	key = slices.Clone(before.key)
	for n, ordinal := range m.key {
		value, assigned := a.columns[m.fields[ordinal].DBName]
		if !assigned {
			continue
		}
		switch value.(type) {
		case clause.Expression, gorm.Valuer, *gorm.DB, []*gorm.DB:
			return nil, "", false
		}
		key[n] = value
	}
	id, err := m.entity.ID(m.keyValues(key))
	return key, id, err == nil
}
