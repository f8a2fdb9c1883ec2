package rowcastgorm

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/rowcast/rowcast/core"
)

// creation is what is known of an INSERT before it runs.
type creation struct {
	conflict  clause.OnConflict
	upsert    bool              // there is such a clause
	given     [][]any           // the keys that the rows came with
	complete  bool              // every row came with one
	rows      int               // how many rows are to be inserted
	there     map[string]*image // which of the given keys have a row already
	returning bool              // the database says which keys it made
}

// prepareCreate looks at the rows before GORM fills in keys. Rows that may exist already are read.
func (p *plan) prepareCreate(db *gorm.DB) {
	statement, c := db.Statement, &p.created
	if insert, ok := statement.Clauses["INSERT"].Expression.(clause.Insert); statement.SQL.Len() > 0 || ok && insert.Modifier != "" {
		p.lost = rowcast.ResyncHistoryLost // INSERT IGNORE, OR REPLACE, or a statement of somebody else's
		return
	}
	conflict, there := statement.Clauses["ON CONFLICT"]
	if c.upsert = there && conflict.Expression != nil; c.upsert {
		var ok bool
		if c.conflict, ok = conflict.Expression.(clause.OnConflict); !ok {
			p.lost = rowcast.ResyncHistoryLost
			return
		}
	}
	c.returning = slices.Contains(statement.BuildClauses, "RETURNING")
	c.rows = rowCount(statement.ReflectValue)
	c.given, c.complete = p.model.keysOf(statement.Context, statement.ReflectValue)
	if c.rows > p.capture.config.BulkLimit {
		p.lost = rowcast.ResyncOverflow
		return
	}
	if !p.keysCanBeKnown() {
		p.lost = rowcast.ResyncHistoryLost
		return
	}
	if c.upsert && len(c.given) > 0 {
		p.readGiven(db)
	}
}

// keysCanBeKnown reports whether the keys that GORM fills in will be right.
func (p *plan) keysCanBeKnown() bool {
	c := &p.created
	switch {
	case c.complete:
		return true
	case !c.upsert:
		// Without RETURNING GORM counts keys up from one, which is right only if the database made all of them.
		return c.returning || len(c.given) == 0
	case c.rows == 1:
		// The number of affected rows says whether it was inserted; of a row that it was merged with instead, the
		// database may tell no key, or another one.
		return c.conflict.DoNothing || p.conflictsByKey()
	}
	// Of several rows of which some are skipped, GORM gives the keys to the wrong ones.
	return !c.conflict.DoNothing && c.returning && p.conflictsByKey()
}

// conflictsByKey reports whether only a row with the same key makes the statement an update: a row without a key is
// then a new one. MySQL looks at every unique column, whatever the statement names.
func (p *plan) conflictsByKey() bool {
	conflict := p.created.conflict
	if p.of.Name() == "mysql" || conflict.OnConstraint != "" || len(conflict.TargetWhere.Exprs) > 0 {
		return false
	}
	if len(conflict.Columns) == 0 {
		return conflict.UpdateAll // GORM fills in the key
	}
	var names []string
	for _, column := range conflict.Columns {
		names = append(names, column.Name)
	}
	slices.Sort(names)
	return slices.Equal(names, slices.Sorted(slices.Values(p.model.schema.PrimaryFieldDBNames)))
}

// readGiven reads the rows that have the given keys already.
func (p *plan) readGiven(db *gorm.DB) {
	if err := p.tx.takeWriteLock(db, p.model); err != nil {
		_ = db.AddError(err)
		return
	}
	there, err := p.model.readKeys(db, p.created.given, true)
	if err != nil {
		p.failed(db, err)
		return
	}
	p.created.there = there
}

// afterCreate reads the rows that were inserted, or merged into others.
func (p *plan) afterCreate(db *gorm.DB) []transition {
	c := &p.created
	all, _ := p.model.keysOf(db.Statement.Context, db.Statement.ReflectValue)
	keys := p.model.distinct(all)
	if skips := c.upsert && c.conflict.DoNothing; !skips && !c.complete && len(keys.ids) != c.rows || !c.upsert && db.RowsAffected != int64(c.rows) {
		p.giveUp("the keys of the created rows are not known", fmt.Errorf("%d rows, %d keys, %d affected", c.rows, len(keys.ids), db.RowsAffected))
		return nil
	}
	rows, err := p.model.readKeys(db, keys.values, false)
	if err != nil {
		p.giveUp("the created rows could not be read", err)
		return nil
	}
	transitions := make([]transition, len(keys.ids))
	for i, id := range keys.ids {
		if rows[id] == nil && !c.conflict.DoNothing {
			// It became another row, by a conflict on another column than the key or by a trigger.
			p.giveUp("a created row was not found by its key", fmt.Errorf("key %v", keys.values[i]))
			return nil
		}
		transitions[i] = transition{before: c.there[id], after: rows[id], whole: c.conflict.UpdateAll}
	}
	return transitions
}

// rowCount is how many rows a value to be inserted stands for.
func rowCount(v reflect.Value) int {
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Array {
		return v.Len()
	}
	return 1
}

// keysOf are the keys in a value: a struct of the model, a map, or several. complete says that each has one. A key
// counts as missing while a part is zero that the database makes, and if it has no other part.
func (m *model) keysOf(ctx context.Context, v reflect.Value) (keys [][]any, complete bool) {
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		key, ok := m.keyOf(ctx, v)
		if ok {
			keys = append(keys, key)
		}
		return keys, ok
	}
	complete = true
	for i := range v.Len() {
		key, ok := m.keyOf(ctx, v.Index(i))
		if ok {
			keys = append(keys, key)
		}
		complete = complete && ok
	}
	return keys, complete
}

func (m *model) keyOf(ctx context.Context, v reflect.Value) (key []any, ok bool) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() == reflect.Map {
		return m.keyOfMap(v)
	}
	if !v.IsValid() || v.Type() != m.schema.ModelType {
		return nil, false
	}
	key = make([]any, len(m.key))
	for n, ordinal := range m.key {
		field := m.fields[ordinal]
		var zero bool
		key[n], zero = field.ValueOf(ctx, v)
		if zero && (field.HasDefaultValue || len(m.key) == 1) {
			return nil, false
		}
	}
	return key, true
}

func (m *model) keyOfMap(v reflect.Value) (key []any, ok bool) {
	values, ok := v.Interface().(map[string]any)
	if !ok {
		return nil, false
	}
	key = make([]any, len(m.key))
	for n, ordinal := range m.key {
		field := m.fields[ordinal]
		value, given := values[field.DBName]
		if !given {
			value, given = values[field.Name]
		}
		if _, computed := value.(clause.Expression); !given || value == nil || computed {
			return nil, false
		}
		key[n] = value
	}
	return key, true
}

// keySet is the keys of some rows, with their canonical ids in the same order.
type keySet struct {
	values [][]any
	ids    []string
}

// distinct is the keys with their ids, each once. What is no key is left out.
func (m *model) distinct(keys [][]any) keySet {
	var set keySet
	for _, key := range keys {
		if id, err := m.entity.ID(m.keyValues(key)); err == nil && !slices.Contains(set.ids, id) {
			set.values, set.ids = append(set.values, key), append(set.ids, id)
		}
	}
	return set
}

// keyValues is a key by the names of its fields.
func (m *model) keyValues(key []any) rowcast.Values {
	values := make(rowcast.Values, len(m.key))
	for n, ordinal := range m.key {
		values[m.entity.Fields[ordinal].Name] = key[n]
	}
	return values
}
