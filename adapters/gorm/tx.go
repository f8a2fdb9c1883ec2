package rowcastgorm

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/rowcast/rowcast/core"
)

// transaction is one that the plugin follows: it keeps what is captured until it is known whether that has happened.
type transaction struct {
	gorm.Tx
	capture *Capture
	pool    gorm.GetDBConnector
	ctx     context.Context // the database rolls back when it ends

	mu         sync.Mutex
	batch      *rowcast.Batch // nil until something is captured, and after the end
	entities   map[string]bool
	savepoints []savepoint
	expired    bool        // the context ended before anybody ended the transaction
	unwatch    func() bool // stops waiting for the end of the context
	writing    atomic.Bool // it holds SQLite's write lock
}

var (
	_ gorm.Tx             = (*transaction)(nil)
	_ gorm.GetDBConnector = (*transaction)(nil)
)

func newTransaction(ctx context.Context, capture *Capture, pool gorm.GetDBConnector, tx gorm.Tx) *transaction {
	return &transaction{Tx: tx, capture: capture, pool: pool, ctx: ctx}
}

// GetDBConn is what db.DB() asks for.
func (t *transaction) GetDBConn() (*sql.DB, error) { return t.pool.GetDBConn() }

// ExecContext watches for savepoints on the way.
func (t *transaction) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	result, err := t.Tx.ExecContext(ctx, query, args...)
	if err == nil {
		t.ran(query)
	}
	return result, err
}

// QueryContext watches for savepoints on the way.
func (t *transaction) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	rows, err := t.Tx.QueryContext(ctx, query, args...)
	if err == nil {
		t.ran(query)
	}
	return rows, err
}

// add captures a change while its row is locked. What cannot be captured becomes a resync.
func (t *transaction) add(ctx context.Context, change rowcast.Change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.open(change.Entity) {
		return
	}
	if err := t.batch.Capture(ctx, change); err != nil {
		t.capture.config.Logger.Error("rowcastgorm: a change could not be captured", "entity", change.Entity, "error", err)
		t.capture.resync(t.batch, change.Entity, rowcast.ResyncHistoryLost)
	}
}

// resync captures that rows of the entity changed which cannot be told.
func (t *transaction) resync(entity string, reason rowcast.ResyncReason) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open(entity) {
		t.capture.resync(t.batch, entity, reason)
	}
}

func (c *Capture) resync(batch *rowcast.Batch, entity string, reason rowcast.ResyncReason) {
	if err := batch.Resync(entity, reason); err != nil {
		c.config.Logger.Error("rowcastgorm: a resync could not be captured", "entity", entity, "error", err)
	}
}

// open makes the batch ready to take something, unless the context has ended, and with it the transaction.
func (t *transaction) open(entity string) bool {
	if t.expired {
		return false
	}
	if t.batch == nil {
		t.batch = t.capture.engine.Begin()
		t.entities = make(map[string]bool)
		if t.ctx.Done() != nil {
			t.unwatch = context.AfterFunc(t.ctx, t.expire)
		}
	}
	t.entities[entity] = true
	return true
}

// expire throws away what was captured when the context ends, which makes the database roll back: later writers of the
// same rows must not wait for a transaction that nobody will end.
func (t *transaction) expire() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.batch != nil {
		t.expired = true
		t.batch.Discard()
		t.batch = nil
	}
}

// ending is what is left of a transaction when it ends.
type ending struct {
	batch    *rowcast.Batch // nil: nothing was captured, or it is taken already
	entities map[string]bool
	expired  bool
}

// close takes the batch: the transaction is about to end.
func (t *transaction) close() ending {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.unwatch != nil {
		t.unwatch()
	}
	end := ending{t.batch, t.entities, t.expired}
	t.batch, t.entities, t.savepoints, t.expired = nil, nil, nil, false
	return end
}

// Commit commits, and then publishes what was captured.
func (t *transaction) Commit() error {
	ended := t.ctx.Err() // looked up first: an error that comes later may be the context's, or the database's own
	end := t.close()
	err := t.Tx.Commit()
	if end.batch != nil && err == nil {
		_ = end.batch.Commit(t.ctx) // the engine has reported it, and the write has happened
		return nil
	}
	if end.batch != nil {
		end.batch.Discard()
	}
	if (end.batch != nil || end.expired) && !rolledBack(err, ended) {
		t.unknown(end.entities, err)
	}
	return err
}

// unknown tells the subscribers of everything that the transaction wrote to refetch: nobody knows whether the commit
// took place, or it took place although the context's end had made us give up.
func (t *transaction) unknown(entities map[string]bool, err error) {
	batch := t.capture.engine.Begin()
	for entity := range entities {
		t.capture.config.Logger.Warn("rowcastgorm: a commit has an unknown outcome: a resync was published", "entity", entity, "error", err)
		t.capture.resync(batch, entity, rowcast.ResyncHistoryLost)
	}
	_ = batch.Commit(t.ctx)
}

// Rollback rolls back, and throws away what was captured.
func (t *transaction) Rollback() error {
	end := t.close()
	err := t.Tx.Rollback()
	if end.batch != nil {
		end.batch.Discard()
	}
	return err
}

// rolledBack reports whether a failed commit is known to have changed nothing. ended is the context's error from
// before the commit.
func rolledBack(err, ended error) bool {
	if err == nil {
		return false
	}
	if errors.Is(err, sql.ErrTxDone) || ended != nil && errors.Is(err, ended) {
		return true
	}
	// An answer of PostgreSQL's (by lib/pq or pgx) says that it rolled back, unless the connection or the server was
	// going away (classes 08 and 57) or it says itself that it does not know (40003).
	var answer interface{ SQLState() string }
	if errors.As(err, &answer) {
		state := answer.SQLState()
		return len(state) == 5 && state[:2] != "08" && state[:2] != "57" && state != "40003"
	}
	// COMMIT after a failed statement is answered by ROLLBACK; pgx and lib/pq say it in these words only.
	text := err.Error()
	return strings.Contains(text, "commit unexpectedly resulted in rollback") ||
		strings.Contains(text, "Could not complete operation in a failed transaction")
}

// takeWriteLock makes what is read next the truth until the transaction ends, where rows cannot be locked.
func (t *transaction) takeWriteLock(db *gorm.DB, m *model) error {
	if t.writing.Load() {
		return nil
	}
	err := m.lockSQLite(db)
	t.writing.Store(err == nil)
	return err
}

// lockSQLite takes SQLite's write lock by a statement that touches nothing. A transaction that reads first and writes
// later fails at once when another one writes in between, whatever the busy timeout is.
func (m *model) lockSQLite(db *gorm.DB) error {
	if db.Name() != "sqlite" {
		return nil
	}
	statement := &gorm.Statement{DB: db, Table: m.table, TableExpr: m.expr}
	_, err := db.Statement.ConnPool.ExecContext(db.Statement.Context, "DELETE FROM "+statement.Quote(clause.Table{Name: clause.CurrentTable})+" WHERE 0")
	return err
}
