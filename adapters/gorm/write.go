package rowcastgorm

import (
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/rowcast/rowcast/core"
)

// prepareUpdate reads the rows that an UPDATE is about to write, if they must be known.
func (p *plan) prepareUpdate(db *gorm.DB) {
	p.assigned = assignmentOf(db.Statement)
	p.prepareWrite(db, func() bool {
		m := p.model
		if p.assigned.touches(m.schema.PrimaryFieldDBNames) || m.soft >= 0 && p.assigned.touches([]string{m.fields[m.soft].DBName}) {
			return true
		}
		return m.images == BeforeImagesAlways || m.images == BeforeImagesAuto && m.entity.Filterable != nil
	})
}

// prepareDelete reads the rows that a DELETE is about to write, if they must be known.
func (p *plan) prepareDelete(db *gorm.DB) {
	p.prepareWrite(db, func() bool {
		return p.model.images != BeforeImagesNever || p.model.soft >= 0 // a soft delete assigns the soft-delete column
	})
}

func (p *plan) prepareWrite(db *gorm.DB, wanted func() bool) {
	if !isPlain(db.Statement) {
		p.lost = rowcast.ResyncHistoryLost
		return
	}
	m := newMirror(db.Statement, p.verb)
	probe := &gorm.Statement{DB: db, Clauses: map[string]clause.Clause{}}
	m.apply(probe, p.verb)
	if isGlobal(probe) && !db.AllowGlobalUpdate {
		return // GORM refuses the statement
	}
	if p.keyed = p.addressed(db); p.keyed != nil && !db.Statement.Unscoped && !wanted() {
		return
	}
	p.keyed = nil
	p.readTargets(db, m)
}

// addressed is the row that the statement names by its whole key and by nothing else, or nil.
func (p *plan) addressed(db *gorm.DB) *image {
	if where, ok := db.Statement.Clauses["WHERE"]; ok && where.Expression != nil {
		return nil
	}
	keys, complete := p.model.keysOf(db.Statement.Context, db.Statement.ReflectValue)
	if len(keys) != 1 || !complete {
		return nil
	}
	set := p.model.distinct(keys)
	if len(set.ids) != 1 {
		return nil
	}
	return &image{id: set.ids[0], key: set.values[0]}
}

// afterKeyed reads the one row that was written, whose image before is not known.
func (p *plan) afterKeyed(db *gorm.DB) []transition {
	if db.RowsAffected != 1 {
		p.giveUp("a statement for one key wrote other rows too", fmt.Errorf("%d rows affected", db.RowsAffected))
		return nil
	}
	if p.verb == deleting {
		p.tx.add(db.Statement.Context, rowcast.Change{Entity: p.model.entity.Name, Event: rowcast.Deleted, ID: p.keyed.id})
		return nil
	}
	rows, err := p.model.readKeys(db, [][]any{p.keyed.key}, false)
	if err != nil || rows[p.keyed.id] == nil {
		p.giveUp("the row after the statement could not be read", err)
		return nil
	}
	return []transition{{unseen: true, after: rows[p.keyed.id], whole: p.assigned.whole, assigned: p.assigned.public(p.model)}}
}

// afterWrite pairs the rows from before an UPDATE or DELETE with what has become of them.
func (p *plan) afterWrite(db *gorm.DB) []transition {
	if db.RowsAffected > int64(len(p.before)) {
		// A row was committed by somebody else after the rows were read and before the statement came to it, or a
		// condition is true at one moment only.
		p.giveUp("a statement wrote rows that were not read before it", fmt.Errorf("%d rows affected, %d read", db.RowsAffected, len(p.before)))
		return nil
	}
	keys, ok := p.keysAfter()
	if !ok {
		p.giveUp("a statement computes keys in the database", nil)
		return nil
	}
	rows := map[string]*image{}
	if p.verb != deleting || p.softly(db) || db.RowsAffected < int64(len(p.before)) {
		var err error
		if rows, err = p.model.readKeys(db, keys.values, false); err != nil {
			p.giveUp("the rows after the statement could not be read", err)
			return nil
		}
	}
	transitions := make([]transition, len(p.before))
	for i, before := range p.before {
		transitions[i] = transition{before: before, after: rows[keys.ids[i]], whole: p.assigned.whole}
	}
	return transitions
}

// softly reports whether the DELETE is an UPDATE in truth.
func (p *plan) softly(db *gorm.DB) bool { return p.model.soft >= 0 && !db.Statement.Unscoped }

// keysAfter are the keys that the rows from before have now, or false if that cannot be known.
func (p *plan) keysAfter() (keySet, bool) {
	var keys keySet
	for _, before := range p.before {
		key, id := before.key, before.id
		if p.verb == updating && p.assigned.touches(p.model.schema.PrimaryFieldDBNames) {
			var ok bool
			if key, id, ok = p.assigned.rekey(p.model, before); !ok {
				return keys, false
			}
		}
		keys.values, keys.ids = append(keys.values, key), append(keys.ids, id)
	}
	return keys, true
}
