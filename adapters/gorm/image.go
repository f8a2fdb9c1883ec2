package rowcastgorm

import (
	"errors"
	"fmt"
	"reflect"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
)

// image is a row as the database had it at one moment.
type image struct {
	id      string
	key     []any          // as the database is asked for it
	values  rowcast.Values // Go values by public name
	typed   []filter.Value // by ordinal
	deleted bool           // softly
	row     reflect.Value  // the model's struct
}

// errUnreadable means that rows came which do not fit the model; the database is fine.
var errUnreadable = errors.New("the row does not fit the model")

// keyBatch is how many keys one read asks for: databases bound the parameters and the depth of a condition.
const keyBatch = 200

// newImage takes a row apart.
func (m *model) newImage(db *gorm.DB, row reflect.Value) (*image, error) {
	i := &image{
		values: make(rowcast.Values, len(m.fields)), typed: make([]filter.Value, len(m.fields)),
		key: make([]any, len(m.key)), row: row,
	}
	for n, column := range m.fields {
		field := &m.entity.Fields[n]
		raw := column.rawOf(row)
		i.values[field.Name] = raw
		// What does not fit its kind stays missing here; the engine meets it again, and reports it.
		i.typed[n], _ = filter.ValueOf(field.Kind, raw)
	}
	for n, ordinal := range m.key {
		i.key[n], _ = m.fields[ordinal].ValueOf(db.Statement.Context, row)
	}
	i.deleted = m.soft >= 0 && !i.typed[m.soft].IsNull()
	var err error
	i.id, err = m.entity.ID(i.values)
	return i, err
}

// read reads rows as they are: past soft delete, hooks, and whatever callbacks there are, so that no cache or replica
// answers. condition completes a SELECT on the model's table.
func (m *model) read(db *gorm.DB, condition func(*gorm.Statement) []string) ([]*image, error) {
	session := db.Session(&gorm.Session{NewDB: true, Initialized: true})
	statement := session.Statement
	rows := reflect.New(reflect.SliceOf(m.schema.ModelType))
	statement.Schema, statement.Table, statement.TableExpr = m.schema, m.table, m.expr
	statement.Model, statement.Dest, statement.ReflectValue = rows.Interface(), rows.Interface(), rows.Elem()
	statement.AddClause(clause.Select{})
	statement.AddClause(clause.From{})
	statement.Build(append([]string{"SELECT", "FROM"}, condition(statement)...)...)
	if session.Error != nil {
		return nil, session.Error
	}
	cursor, err := statement.ConnPool.QueryContext(statement.Context, statement.SQL.String(), statement.Vars...)
	if err != nil {
		return nil, err
	}
	gorm.Scan(cursor, session, 0)
	if err := errors.Join(cursor.Err(), cursor.Close()); err != nil {
		return nil, err
	}
	if session.Error != nil {
		return nil, fmt.Errorf("%w: %w", errUnreadable, session.Error)
	}
	images := make([]*image, rows.Elem().Len())
	for i := range images {
		if images[i], err = m.newImage(session, rows.Elem().Index(i)); err != nil {
			return nil, fmt.Errorf("%w: %w", errUnreadable, err)
		}
	}
	return images, nil
}

// readKeys reads the rows with these keys, by their ids. A key that has no row is left out.
func (m *model) readKeys(db *gorm.DB, keys [][]any, lock bool) (map[string]*image, error) {
	found := make(map[string]*image, len(keys))
	for len(keys) > 0 {
		batch := keys[:min(len(keys), keyBatch)]
		keys = keys[len(batch):]
		images, err := m.read(db, func(statement *gorm.Statement) []string {
			statement.AddClause(clause.Where{Exprs: []clause.Expression{m.hasKey(batch)}})
			if lock {
				return append([]string{"WHERE"}, addLock(statement)...)
			}
			return []string{"WHERE"}
		})
		if err != nil {
			return nil, err
		}
		for _, i := range images {
			found[i.id] = i
		}
	}
	return found, nil
}

// hasKey is the condition that a row has one of these keys. SQLite has no list of row values, so a composite key is
// compared part by part.
func (m *model) hasKey(keys [][]any) clause.Expression {
	column := func(n int) clause.Column {
		return clause.Column{Table: clause.CurrentTable, Name: m.fields[m.key[n]].DBName}
	}
	if len(m.key) == 1 {
		in := clause.IN{Column: column(0)}
		for _, key := range keys {
			in.Values = append(in.Values, key[0])
		}
		return in
	}
	any := make([]clause.Expression, len(keys))
	for i, key := range keys {
		all := make([]clause.Expression, len(key))
		for n, part := range key {
			all[n] = clause.Eq{Column: column(n), Value: part}
		}
		any[i] = clause.And(all...)
	}
	return clause.And(clause.Or(any...))
}

// addLock locks what is read until the transaction ends, as a write of other columns than the key would: foreign keys
// that point to the row may still be checked. It returns the clause to build. SQLite has no row locks; see takeWriteLock.
func addLock(statement *gorm.Statement) []string {
	switch statement.Name() {
	case "postgres":
		statement.AddClause(clause.Locking{Strength: "NO KEY UPDATE"})
	case "mysql":
		statement.AddClause(clause.Locking{Strength: clause.LockingStrengthUpdate})
	default:
		return nil
	}
	return []string{"FOR"}
}

// differs lists the fields whose values differ between the images.
func (m *model) differs(before, after *image) []string {
	var names []string
	for n := range m.fields {
		if before.typed[n] != after.typed[n] {
			names = append(names, m.entity.Fields[n].Name)
		}
	}
	return names
}
