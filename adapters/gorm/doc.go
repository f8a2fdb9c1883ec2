// Package rowcastgorm feeds a rowcast engine from GORM: every committed write on a registered model becomes events, one
// per row that changed, with the values that the database keeps. It also holds a rowcast.Store over GORM,
// and Where, which narrows a query by a filter.
//
//	capture := rowcastgorm.New(engine, rowcastgorm.Config{})
//	err := capture.Register(db, &Card{}, rowcastgorm.Entity{})
//	err = db.Use(capture)
//
// # How
//
// The struct in memory is not the row: expressions, defaults and triggers differ. So the plugin reads the rows that a
// statement is about to write (with the statement's own conditions, and with a row lock where the database has one),
// lets the statement run untouched, reads the rows again by key, and tells what changed between the two images. All of
// that runs in the statement's own transaction, or in one of the plugin's own where GORM is told to use none. Events
// leave when the outermost transaction has committed, in the order of the row locks; a rollback, also to a savepoint,
// takes back what it undid.
//
// # What is captured
//
//	Create, CreateInBatches, FirstOrCreate, maps      created
//	Save                                              created, updated or restored
//	Update, Updates, UpdateColumn(s), expressions     patched; updated with Select("*")
//	Delete by key, by Where, soft or not              deleted
//	Unscoped().Update("deleted_at", nil)              restored
//	Unscoped().Delete of a soft-deleted row           deleted, once more
//	a change of the key                               deleted (old key), created (new key)
//	association autosave of registered models         as above
//	a statement that changes nothing, DryRun, ToSQL   nothing
//	more rows than Config.BulkLimit                   one resync of the collection
//	rows that cannot be told for certain              one resync of the collection, never a wrong id
//
// SkipHooks and UpdateColumn do not switch the plugin off; Skip does.
//
// # What is not
//
// Exec and Raw, foreign-key cascades, and what triggers do to other tables: no ORM sees them. Statements on another
// table than the model's (db.Table), or without a model. Transactions that were begun past GORM and past this plugin,
// such as a *sql.Tx that was put into a session, or db.Connection: their commit cannot be seen. Such a write is
// reported once for each place in the code and tells nothing, or fails with ErrUntracked if Config says so.
//
// A transaction that is ended in SQL (COMMIT by Exec) is told when GORM ends it. An upsert of a row that somebody else
// inserts at the same moment is told as created although it was merged.
//
// Register this plugin before dbresolver: a transaction that is begun on a pool which dbresolver picked earlier is one
// of those that cannot be followed.
package rowcastgorm
