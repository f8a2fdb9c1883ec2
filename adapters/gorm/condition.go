package rowcastgorm

import (
	"reflect"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"

	"github.com/rowcast/rowcast/core"
)

// The rows that a statement is about to write are those that its own conditions choose. GORM puts the last of them
// together while it runs the statement, so they are put together here in the same order, since «a OR b AND c» depends
// on it.

// mirror gives a read the conditions of the statement.
type mirror struct {
	of   *gorm.Statement
	keys []clause.Expression // what GORM adds for the model's key
	soft []gorm.SoftDeleteQueryClause
}

func newMirror(statement *gorm.Statement, v verb) mirror {
	m := mirror{of: statement}
	if v == deleting {
		m.keys = deleteKeys(statement)
		for _, c := range statement.Schema.DeleteClauses {
			if soft, ok := c.(gorm.SoftDeleteDeleteClause); ok {
				m.soft = append(m.soft, gorm.SoftDeleteQueryClause(soft))
			}
		}
		return m
	}
	m.keys = updateKeys(statement)
	for _, c := range statement.Schema.UpdateClauses {
		if soft, ok := c.(gorm.SoftDeleteUpdateClause); ok {
			m.soft = append(m.soft, gorm.SoftDeleteQueryClause(soft))
		}
	}
	return m
}

// apply adds the conditions to a read, in the order in which GORM adds them: an update's soft delete comes before its
// key, a delete's comes after it.
func (m mirror) apply(read *gorm.Statement, v verb) {
	read.Unscoped = m.of.Unscoped
	if where, ok := m.of.Clauses["WHERE"]; ok {
		if exprs, ok := where.Expression.(clause.Where); ok {
			where.Expression = clause.Where{Exprs: slices.Clone(exprs.Exprs)} // building it reorders it in place
		}
		read.Clauses["WHERE"] = where
	}
	if enabled, ok := m.of.Clauses["soft_delete_enabled"]; ok {
		read.Clauses["soft_delete_enabled"] = enabled
	}
	if v == deleting {
		m.applyKeys(read)
	}
	for _, soft := range m.soft {
		read.AddClause(soft)
	}
	if v == updating {
		m.applyKeys(read)
	}
}

// applyOrder adds the order and the limit of the statement, where the dialect's UPDATE and DELETE have them, and a limit
// of our own. It returns the clauses to build.
func (m mirror) applyOrder(read *gorm.Statement, most int) (names []string) {
	if order, ok := m.of.Clauses["ORDER BY"]; ok && slices.Contains(m.of.BuildClauses, "ORDER BY") {
		read.Clauses["ORDER BY"] = order
		names = append(names, "ORDER BY")
	}
	limit := clause.Limit{Limit: &most}
	if own, ok := m.of.Clauses["LIMIT"].Expression.(clause.Limit); ok && slices.Contains(m.of.BuildClauses, "LIMIT") {
		limit.Offset = own.Offset
		if own.Limit != nil && *own.Limit < most {
			limit.Limit = own.Limit
		}
	}
	read.AddClause(limit)
	return append(names, "LIMIT")
}

func (m mirror) applyKeys(read *gorm.Statement) {
	for _, key := range m.keys {
		read.AddClause(clause.Where{Exprs: []clause.Expression{key}})
	}
}

// isGlobal reports whether the statement has no condition of its own: GORM refuses it then, unless it is told not to.
func isGlobal(read *gorm.Statement) bool {
	where, ok := read.Clauses["WHERE"]
	if !ok {
		return true
	}
	exprs, _ := where.Expression.(clause.Where)
	_, soft := read.Clauses["soft_delete_enabled"]
	return soft && len(exprs.Exprs) <= 1
}

// updateKeys are the conditions that an UPDATE gets from its model or, without one, from the values.
func updateKeys(statement *gorm.Statement) (keys []clause.Expression) {
	values := reflect.ValueOf(statement.Dest)
	for values.Kind() == reflect.Pointer {
		values = values.Elem()
	}
	itself := values.CanAddr() && statement.Dest == statement.Model
	fields := statement.Schema.PrimaryFields
	switch model := statement.ReflectValue; {
	case itself && values.Kind() != reflect.Struct:
		return nil
	case itself || model.Kind() == reflect.Struct:
		row := model
		if itself {
			row = values
		}
		for _, field := range fields {
			if value, zero := field.ValueOf(statement.Context, row); !zero {
				keys = append(keys, clause.Eq{Column: field.DBName, Value: value})
			}
		}
	case (model.Kind() == reflect.Slice || model.Kind() == reflect.Array) && model.Len() > 0:
		// GORM looks at the last row only.
		zero := true
		for _, field := range fields {
			if _, zero = field.ValueOf(statement.Context, model.Index(model.Len()-1)); !zero {
				break
			}
		}
		if !zero {
			_, found := schema.GetIdentityFieldValuesMap(statement.Context, model, fields)
			column, values := schema.ToQueryValues("", statement.Schema.PrimaryFieldDBNames, found)
			keys = append(keys, clause.IN{Column: column, Values: values})
		}
	}
	return keys
}

// deleteKeys are the conditions that a DELETE gets from its values, and from its model if that is another one.
func deleteKeys(statement *gorm.Statement) (keys []clause.Expression) {
	fields := statement.Schema.PrimaryFields
	add := func(from reflect.Value) {
		_, found := schema.GetIdentityFieldValuesMap(statement.Context, from, fields)
		column, values := schema.ToQueryValues(statement.Table, statement.Schema.PrimaryFieldDBNames, found)
		if len(values) > 0 {
			keys = append(keys, clause.IN{Column: column, Values: values})
		}
	}
	add(statement.ReflectValue)
	if statement.ReflectValue.CanAddr() && statement.Dest != statement.Model && statement.Model != nil {
		add(reflect.ValueOf(statement.Model))
	}
	return keys
}

// repeatable are the clauses of an UPDATE or DELETE that a read can repeat, or need not.
var repeatable = []string{"UPDATE", "SET", "DELETE", "FROM", "WHERE", "ORDER BY", "LIMIT", "RETURNING"}

// isPlain reports whether the statement's rows are those of one table and one condition.
func isPlain(statement *gorm.Statement) bool {
	if statement.SQL.Len() > 0 {
		return false // somebody has written the statement already
	}
	for _, name := range statement.BuildClauses {
		if c, ok := statement.Clauses[name]; ok && c.Expression != nil && !slices.Contains(repeatable, name) {
			return false
		}
	}
	from, ok := statement.Clauses["FROM"].Expression.(clause.From)
	return !ok || len(from.Tables) == 0 && len(from.Joins) == 0
}

// readTargets reads the rows that the statement is about to write, one more than are told at most.
func (p *plan) readTargets(db *gorm.DB, m mirror) {
	if err := p.tx.takeWriteLock(db, p.model); err != nil {
		_ = db.AddError(err)
		return
	}
	limit := p.capture.config.BulkLimit
	images, err := p.model.read(db, func(read *gorm.Statement) []string {
		m.apply(read, p.verb)
		names := append([]string{"WHERE"}, m.applyOrder(read, limit+1)...)
		return append(names, addLock(read)...)
	})
	switch {
	case err != nil:
		p.failed(db, err)
	case len(images) > limit:
		p.lost = rowcast.ResyncOverflow
	default:
		p.before = images
	}
}
