package rowcastgorm

import (
	"context"
	"database/sql"

	"gorm.io/gorm"
)

// GORM has no hook after the outermost commit. So the plugin wraps the connection pool: whatever begins a transaction
// through GORM gets one that knows when it commits, rolls back, or goes back to a savepoint.

// database is a wrapped *sql.DB. Everything but BeginTx is the database's own.
type database struct {
	*sql.DB
	capture *Capture
}

// pool is any other wrapped pool, such as a pinned connection or a wrapper of another plugin's.
type pool struct {
	gorm.ConnPool
	capture *Capture
}

var (
	_ gorm.ConnPool         = (*database)(nil)
	_ gorm.ConnPoolBeginner = (*database)(nil)
	_ gorm.GetDBConnector   = (*database)(nil)
	_ gorm.ConnPoolBeginner = (*pool)(nil)
	_ gorm.GetDBConnector   = (*pool)(nil)
)

// BeginTx begins a transaction that is followed.
func (d *database) BeginTx(ctx context.Context, options *sql.TxOptions) (gorm.ConnPool, error) {
	return d.capture.begin(ctx, d, d.DB, options)
}

// GetDBConn is what db.DB() asks for.
func (d *database) GetDBConn() (*sql.DB, error) { return d.DB, nil }

// BeginTx begins a transaction that is followed.
func (p *pool) BeginTx(ctx context.Context, options *sql.TxOptions) (gorm.ConnPool, error) {
	return p.capture.begin(ctx, p, p.ConnPool, options)
}

// GetDBConn is what db.DB() asks for.
func (p *pool) GetDBConn() (*sql.DB, error) {
	if connector, ok := p.ConnPool.(gorm.GetDBConnector); ok {
		return connector.GetDBConn()
	}
	return nil, gorm.ErrInvalidDB
}

// Ping is what GORM asks of a pool when it opens one.
func (p *pool) Ping() error {
	if pinger, ok := p.ConnPool.(interface{ Ping() error }); ok {
		return pinger.Ping()
	}
	return nil
}

// begin begins a transaction on the inner pool. On an error the pool is an untyped nil, since GORM compares with that.
func (c *Capture) begin(ctx context.Context, outer gorm.GetDBConnector, inner gorm.ConnPool, options *sql.TxOptions) (gorm.ConnPool, error) {
	var begun gorm.ConnPool
	var err error
	switch beginner := inner.(type) {
	case gorm.TxBeginner:
		var tx *sql.Tx
		if tx, err = beginner.BeginTx(ctx, options); err == nil {
			begun = tx
		}
	case gorm.ConnPoolBeginner:
		begun, err = beginner.BeginTx(ctx, options)
	default:
		err = gorm.ErrInvalidTransaction
	}
	if err != nil {
		return nil, err
	}
	if tx, ok := begun.(gorm.Tx); ok {
		return newTransaction(ctx, c, outer, tx), nil
	}
	return begun, nil // it has no StmtContext, so it cannot be wrapped without taking that away or making it up
}

// wrap wraps a pool unless it is a transaction, or wrapped.
func (c *Capture) wrap(p gorm.ConnPool) gorm.ConnPool {
	switch p := p.(type) {
	case nil, *database, *pool, gorm.TxCommitter:
		return p
	case *gorm.PreparedStmtDB:
		if isWrapped(p.ConnPool) {
			return p
		}
		// Somebody else's, and in use: it is not changed, but shares its statements with ours.
		return &gorm.PreparedStmtDB{Stmts: p.Stmts, Mux: p.Mux, ConnPool: c.wrap(p.ConnPool)}
	case *sql.DB:
		return &database{p, c}
	}
	return &pool{p, c}
}

func isWrapped(p gorm.ConnPool) bool {
	switch p := p.(type) {
	case *gorm.PreparedStmtDB:
		return isWrapped(p.ConnPool)
	case nil, *database, *pool:
		return true
	}
	return false
}

// wrapPoolOf wraps the pool of a database that the plugin is being added to.
func (c *Capture) wrapPoolOf(db *gorm.DB) {
	if prepared, ok := db.ConnPool.(*gorm.PreparedStmtDB); ok {
		prepared.ConnPool = c.wrap(prepared.ConnPool) // in place: GORM's sessions share this one
		return
	}
	db.ConnPool = c.wrap(db.ConnPool)
	if db.Statement == nil {
		return
	}
	if _, running := db.Statement.ConnPool.(gorm.TxCommitter); !running {
		db.Statement.ConnPool = db.ConnPool
	}
}

// followPool wraps a pool that another plugin, or db.Connection, put into the statement, before GORM begins a
// transaction on it.
func (c *Capture) followPool(db *gorm.DB) {
	db.Statement.ConnPool = c.wrap(db.Statement.ConnPool)
}

// footing is where a statement runs.
type footing uint8

const (
	inTransaction footing = iota // one that is followed
	inAutocommit                 // none: one of ours can be begun
	onConnection                 // a pinned connection: who knows whether it is in a transaction
	inForeign                    // a transaction that is not followed
)

// footingOf finds the transaction that a statement on this pool runs in.
func footingOf(p gorm.ConnPool) (*transaction, footing) {
	switch p := p.(type) {
	case *transaction:
		return p, inTransaction
	case *gorm.PreparedStmtTX:
		return footingOf(p.Tx)
	case gorm.TxCommitter:
		return nil, inForeign
	case *gorm.PreparedStmtDB:
		return footingOf(p.ConnPool)
	case *pool:
		return footingOf(p.ConnPool)
	case *sql.Conn:
		return nil, onConnection
	}
	return nil, inAutocommit
}
