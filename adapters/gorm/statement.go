package rowcastgorm

import (
	"errors"

	"gorm.io/gorm"

	"github.com/rowcast/rowcast/core"
)

// verb is what a statement does to rows.
type verb uint8

const (
	creating verb = iota
	updating
	deleting
)

// plan is one statement on a registered model, from right before it to right after it.
type plan struct {
	capture *Capture
	model   *model
	verb    verb
	of      *gorm.Statement // settings are inherited by nested statements, plans are not
	tx      *transaction    // nil: the statement runs in one that is not followed
	outer   gorm.ConnPool   // what the statement ran on before a transaction of ours was begun; nil: none was

	before   []*image // the rows that the statement is about to write, as far as they were read
	created  creation // what is known of an INSERT before it runs
	keyed    *image   // the row that the statement addresses by its key, which was not read
	assigned assignment
	lost     rowcast.ResyncReason // why the rows cannot be told; "": they can
}

const planKey = "rowcast:plan"

// before stands right before the statement.
func (c *Capture) before(v verb) func(*gorm.DB) {
	return func(db *gorm.DB) {
		m := c.watched(db)
		if m == nil {
			return
		}
		p := &plan{capture: c, model: m, verb: v, of: db.Statement}
		if !p.enter(db) {
			return
		}
		db.Statement.Settings.Store(planKey, p)
		if p.tx == nil {
			return
		}
		switch v {
		case creating:
			p.prepareCreate(db)
		case updating:
			p.prepareUpdate(db)
		case deleting:
			p.prepareDelete(db)
		}
	}
}

// watched is the registered model that the statement writes, or nil if the statement is none of ours.
func (c *Capture) watched(db *gorm.DB) *model {
	if db.Error != nil || db.DryRun || db.Statement.Schema == nil {
		return nil
	}
	m := c.modelOf(db.Statement.Schema.ModelType)
	if m == nil || db.Statement.Table != m.table || skipped(db) || !c.engine.Emits(db.Statement.Context, m.entity.Name) {
		return nil
	}
	return m
}

// enter finds the transaction that the statement runs in, or begins one of ours. It reports false if the statement
// must not run.
func (p *plan) enter(db *gorm.DB) bool {
	p.capture.followPool(db)
	tx, where := footingOf(db.Statement.ConnPool)
	switch where {
	case inTransaction:
		p.tx = tx
		return true
	case inAutocommit:
		return p.begin(db)
	}
	if p.capture.config.RefuseUntracked {
		_ = db.AddError(untracked(p.model.entity.Name, db.Statement.ConnPool))
		return false
	}
	return true
}

// begin begins a transaction around the statement and nothing else: hooks and associations stay as independent of the
// statement as they are without the plugin.
func (p *plan) begin(db *gorm.DB) bool {
	begun := db.Begin()
	if begun.Error != nil {
		_ = db.AddError(begun.Error)
		return false
	}
	p.outer = db.Statement.ConnPool
	db.Statement.ConnPool = begun.Statement.ConnPool
	p.tx, _ = footingOf(db.Statement.ConnPool)
	return true
}

// after stands right after the statement.
func (c *Capture) after(db *gorm.DB) {
	stored, ok := db.Statement.Settings.Load(planKey)
	if !ok {
		return
	}
	p := stored.(*plan)
	if p.of != db.Statement || p.capture != c {
		return
	}
	db.Statement.Settings.Delete(planKey)
	if db.Error == nil && db.RowsAffected != 0 {
		p.tell(db)
	}
	p.leave(db)
}

// tell captures what the statement did.
func (p *plan) tell(db *gorm.DB) {
	if p.tx == nil {
		p.capture.reportUntracked(p.model.entity.Name, db.Statement.ConnPool)
		return
	}
	var transitions []transition
	if p.lost == "" {
		transitions = p.transitions(db)
	}
	if p.lost != "" {
		p.tx.resync(p.model.entity.Name, p.lost)
		return
	}
	for _, t := range transitions {
		for _, change := range t.changes(db.Statement.Context, p.model) {
			p.tx.add(db.Statement.Context, change)
		}
	}
}

// transitions are what the statement did to each row. If that cannot be told for certain, p.lost is set.
func (p *plan) transitions(db *gorm.DB) []transition {
	if db.RowsAffected > int64(p.capture.config.BulkLimit) {
		p.lost = rowcast.ResyncOverflow
		return nil
	}
	switch {
	case p.verb == creating:
		return p.afterCreate(db)
	case p.keyed != nil:
		return p.afterKeyed(db)
	}
	return p.afterWrite(db)
}

// leave ends a transaction of ours.
func (p *plan) leave(db *gorm.DB) {
	if p.outer == nil {
		return
	}
	own, ok := db.Statement.ConnPool.(gorm.TxCommitter)
	db.Statement.ConnPool = p.outer
	switch {
	case !ok:
	case db.Error != nil:
		_ = own.Rollback()
	default:
		if err := own.Commit(); err != nil {
			_ = db.AddError(err)
		}
	}
}

// failed deals with a read that failed. An error of the database's is the statement's too: it would meet the same one,
// or a transaction that is aborted. Rows that do not fit the model are no reason to refuse the write.
func (p *plan) failed(db *gorm.DB, err error) {
	if !errors.Is(err, errUnreadable) {
		_ = db.AddError(err)
		return
	}
	p.giveUp("the rows before the statement could not be read", err)
}

// giveUp makes the statement end in a resync.
func (p *plan) giveUp(why string, err error) {
	p.lost = rowcast.ResyncHistoryLost
	p.capture.config.Logger.Warn("rowcastgorm: "+why+": a resync is published instead of events", "entity", p.model.entity.Name, "error", err)
}
