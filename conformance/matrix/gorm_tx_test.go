package matrix_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"

	"gorm.io/gorm"
	"gorm.io/plugin/dbresolver"

	rowcastgorm "github.com/rowcast/rowcast/adapters/gorm"
)

var errBoom = errors.New("boom")

// txCase is one shape of a transaction. label writes a Label of that title, which is told as «created Label.n title».
type txCase struct {
	name string
	do   func(t *testing.T, f *feed)
	want []string // titles
}

func label(t *testing.T, db *gorm.DB, title string) {
	t.Helper()
	check(t, db.Create(&Label{Title: title}).Error)
}

// swallowed runs something that panics.
func swallowed(run func()) {
	defer func() { _ = recover() }()
	run()
}

func txCases() []txCase {
	return []txCase{
		{"default transaction", func(t *testing.T, f *feed) { label(t, f.db, "a") }, []string{"a"}},
		{"committed", func(t *testing.T, f *feed) {
			check(t, f.db.Transaction(func(tx *gorm.DB) error {
				label(t, tx, "a")
				label(t, tx, "b")
				if len(f.waiting) > 0 {
					t.Error("something was told before the commit")
				}
				return nil
			}))
		}, []string{"a", "b"}},
		{"rolled back by an error", func(t *testing.T, f *feed) {
			_ = f.db.Transaction(func(tx *gorm.DB) error { label(t, tx, "a"); return errBoom })
		}, nil},
		{"rolled back by a panic", func(t *testing.T, f *feed) {
			swallowed(func() { _ = f.db.Transaction(func(tx *gorm.DB) error { label(t, tx, "a"); panic("p") }) })
		}, nil},
		{"nested, committed", func(t *testing.T, f *feed) {
			check(t, f.db.Transaction(func(tx *gorm.DB) error {
				label(t, tx, "o1")
				check(t, tx.Transaction(func(tx *gorm.DB) error { label(t, tx, "i1"); return nil }))
				label(t, tx, "o2")
				return nil
			}))
		}, []string{"o1", "i1", "o2"}},
		{"nested, committed inside and rolled back outside", func(t *testing.T, f *feed) {
			_ = f.db.Transaction(func(tx *gorm.DB) error {
				check(t, tx.Transaction(func(tx *gorm.DB) error { label(t, tx, "i1"); return nil }))
				return errBoom
			})
		}, nil},
		{"nested, an inner error swallowed", func(t *testing.T, f *feed) {
			check(t, f.db.Transaction(func(tx *gorm.DB) error {
				label(t, tx, "o1")
				_ = tx.Transaction(func(tx *gorm.DB) error { label(t, tx, "i1"); return errBoom })
				label(t, tx, "o2")
				return nil
			}))
		}, []string{"o1", "o2"}},
		{"nested three deep, the middle fails", func(t *testing.T, f *feed) {
			check(t, f.db.Transaction(func(tx *gorm.DB) error {
				label(t, tx, "o1")
				_ = tx.Transaction(func(tx *gorm.DB) error {
					label(t, tx, "i1")
					check(t, tx.Transaction(func(tx *gorm.DB) error { label(t, tx, "ii1"); return nil }))
					return errBoom
				})
				check(t, tx.Transaction(func(tx *gorm.DB) error { label(t, tx, "i2"); return nil }))
				return nil
			}))
		}, []string{"o1", "i2"}},
		{"nested, an inner panic swallowed", func(t *testing.T, f *feed) {
			check(t, f.db.Transaction(func(tx *gorm.DB) error {
				label(t, tx, "o1")
				swallowed(func() { _ = tx.Transaction(func(tx *gorm.DB) error { label(t, tx, "i1"); panic("p") }) })
				return nil
			}))
		}, []string{"o1"}},
		{"nested, without savepoints", func(t *testing.T, f *feed) {
			check(t, f.db.Session(&gorm.Session{DisableNestedTransaction: true}).Transaction(func(tx *gorm.DB) error {
				label(t, tx, "o1")
				_ = tx.Transaction(func(tx *gorm.DB) error { label(t, tx, "i1"); return errBoom })
				return nil
			}))
		}, []string{"o1", "i1"}},
		{"by hand, committed", func(t *testing.T, f *feed) {
			tx := f.db.Begin()
			label(t, tx, "a")
			check(t, tx.Commit().Error)
		}, []string{"a"}},
		{"by hand, rolled back", func(t *testing.T, f *feed) {
			tx := f.db.Begin()
			label(t, tx, "a")
			check(t, tx.Rollback().Error)
		}, nil},
		{"by hand, committed twice", func(t *testing.T, f *feed) {
			tx := f.db.Begin()
			label(t, tx, "a")
			check(t, tx.Commit().Error)
			if tx.Commit().Error == nil {
				t.Error("the second commit succeeded")
			}
		}, []string{"a"}},
		{"savepoints by hand", func(t *testing.T, f *feed) {
			tx := f.db.Begin()
			label(t, tx, "a")
			check(t, tx.SavePoint("s1").Error)
			label(t, tx, "b")
			check(t, tx.RollbackTo("s1").Error)
			label(t, tx, "c")
			check(t, tx.RollbackTo("s1").Error)
			label(t, tx, "d")
			check(t, tx.Commit().Error)
		}, []string{"a", "d"}},
		{"savepoints in SQL", func(t *testing.T, f *feed) {
			tx := f.db.Begin()
			label(t, tx, "a")
			check(t, tx.Exec(`SAVEPOINT "Sp1"`).Error)
			label(t, tx, "b")
			check(t, tx.Exec("/* back */ ROLLBACK TO\n SAVEPOINT \"Sp1\"").Error)
			label(t, tx, "c")
			check(t, tx.Exec("savepoint sp2").Error)
			label(t, tx, "d")
			check(t, tx.Exec("RELEASE SAVEPOINT SP2;").Error)
			check(t, tx.Commit().Error)
		}, []string{"a", "c", "d"}},
		{"savepoints of one name", func(t *testing.T, f *feed) {
			tx := f.db.Begin()
			check(t, tx.Exec("SAVEPOINT s").Error)
			label(t, tx, "a")
			check(t, tx.Exec("SAVEPOINT s").Error)
			label(t, tx, "b")
			check(t, tx.Exec("RELEASE s").Error)
			label(t, tx, "c")
			check(t, tx.Exec("ROLLBACK TO s").Error)
			label(t, tx, "d")
			check(t, tx.Commit().Error)
		}, []string{"d"}},
		{"context cancelled before the commit", func(t *testing.T, f *feed) {
			ctx, cancel := context.WithCancel(context.Background())
			err := f.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error { label(t, tx, "a"); cancel(); return nil })
			if !errors.Is(err, context.Canceled) && !errors.Is(err, sql.ErrTxDone) {
				t.Errorf("the commit gave %v", err)
			}
		}, nil},
		{"context cancelled after the commit", func(t *testing.T, f *feed) {
			ctx, cancel := context.WithCancel(context.Background())
			check(t, f.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error { label(t, tx, "a"); return nil }))
			cancel()
		}, []string{"a"}},
		{"session without default transaction", func(t *testing.T, f *feed) {
			label(t, f.db.Session(&gorm.Session{SkipDefaultTransaction: true}), "a")
		}, []string{"a"}},
		{"session with prepared statements", func(t *testing.T, f *feed) {
			label(t, f.db.Session(&gorm.Session{PrepareStmt: true}), "a")
		}, []string{"a"}},
		{"session with prepared statements, nested", func(t *testing.T, f *feed) {
			check(t, f.db.Session(&gorm.Session{PrepareStmt: true}).Transaction(func(tx *gorm.DB) error {
				label(t, tx, "o1")
				_ = tx.Transaction(func(tx *gorm.DB) error { label(t, tx, "i1"); return errBoom })
				return nil
			}))
		}, []string{"o1"}},
		{"prepared statements inside a transaction", func(t *testing.T, f *feed) {
			check(t, f.db.Transaction(func(tx *gorm.DB) error {
				prepared := tx.Session(&gorm.Session{PrepareStmt: true})
				label(t, prepared, "a")
				_ = prepared.Transaction(func(tx *gorm.DB) error { label(t, tx, "b"); return errBoom })
				return nil
			}))
		}, []string{"a"}},
		{"a failed statement, not repeated", func(t *testing.T, f *feed) {
			check(t, f.db.Transaction(func(tx *gorm.DB) error {
				label(t, tx, "a")
				_ = tx.Transaction(func(tx *gorm.DB) error {
					label(t, tx, "b")
					return tx.Create(&Label{Title: "a"}).Error
				})
				return nil
			}))
		}, []string{"a"}},
		{"an update in a transaction that is rolled back to a savepoint", func(t *testing.T, f *feed) {
			check(t, f.db.Transaction(func(tx *gorm.DB) error {
				label(t, tx, "a")
				_ = tx.Transaction(func(tx *gorm.DB) error {
					check(t, tx.Model(&Label{}).Where("title = ?", "a").Update("title", "b").Error)
					check(t, tx.Where("title = ?", "b").Delete(&Label{}).Error)
					return errBoom
				})
				return nil
			}))
		}, []string{"a"}},
		{"a connection", func(t *testing.T, f *feed) {
			check(t, f.db.Connection(func(tx *gorm.DB) error { label(t, tx, "a"); return nil }))
		}, []string{"a"}},
		{"from the outer database inside a transaction", func(t *testing.T, f *feed) {
			if f.server.name == "sqlite" {
				label(t, f.db, "outside") // it would wait for the lock of the other one
				return
			}
			_ = f.db.Transaction(func(tx *gorm.DB) error { label(t, tx, "a"); label(t, f.db, "outside"); return errBoom })
		}, []string{"outside"}},
	}
}

// resolver is dbresolver over the same database, so that whatever it picks is the truth.
func resolver(s server, dsn string, sources bool) gorm.Plugin {
	config := dbresolver.Config{Replicas: []gorm.Dialector{s.open(dsn)}}
	if sources {
		config.Sources = []gorm.Dialector{s.open(dsn)}
	}
	return dbresolver.Register(config)
}

func TestGORMTransactions(t *testing.T) {
	type shape struct {
		name string
		options
	}
	shapes := []shape{
		{"default", options{}},
		{"no default transaction", options{gorm: gorm.Config{SkipDefaultTransaction: true}}},
		{"prepared", options{gorm: gorm.Config{PrepareStmt: true}}},
		{"prepared, no default transaction", options{gorm: gorm.Config{PrepareStmt: true, SkipDefaultTransaction: true}}},
		{"dbresolver first", options{plugins: func(dsn string, s server) (before, after []gorm.Plugin) {
			return []gorm.Plugin{resolver(s, dsn, false)}, nil
		}}},
		{"dbresolver last", options{plugins: func(dsn string, s server) (before, after []gorm.Plugin) {
			return nil, []gorm.Plugin{resolver(s, dsn, false)}
		}}},
		{"dbresolver last, with sources", options{plugins: func(dsn string, s server) (before, after []gorm.Plugin) {
			return nil, []gorm.Plugin{resolver(s, dsn, true)}
		}}},
		{"dbresolver first, prepared", options{gorm: gorm.Config{PrepareStmt: true}, plugins: func(dsn string, s server) (before, after []gorm.Plugin) {
			return []gorm.Plugin{resolver(s, dsn, false)}, nil
		}}},
		{"dbresolver last, prepared", options{gorm: gorm.Config{PrepareStmt: true}, plugins: func(dsn string, s server) (before, after []gorm.Plugin) {
			return nil, []gorm.Plugin{resolver(s, dsn, true)}
		}}},
	}
	onEach(t, func(t *testing.T, s server) {
		for _, shape := range shapes {
			t.Run(shape.name, func(t *testing.T) {
				f := newFeed(t, s, shape.options)
				f.watch()
				for _, c := range txCases() {
					t.Run(c.name, func(t *testing.T) {
						check(t, f.db.Session(&gorm.Session{AllowGlobalUpdate: true}).Exec("DELETE FROM labels").Error)
						f.t = t
						want := c.want
						if c.name == "a connection" && shape.gorm.SkipDefaultTransaction {
							want = nil // who knows whether the connection is in a transaction; see TestGORMUntracked
						}
						c.do(t, f)
						if got := titles(f.told()); strings.Join(got, " ") != strings.Join(want, " ") {
							t.Errorf("told %q, want %q; reported %q", got, want, f.logs.all())
						}
						var there []string
						check(t, f.db.Model(&Label{}).Order("id").Pluck("title", &there).Error)
						if strings.Join(there, " ") != strings.Join(c.want, " ") {
							t.Errorf("the table holds %q, want %q: the case is wrong", there, c.want)
						}
					})
				}
			})
		}
	})
}

// titles are the titles of created labels; anything else stays as it is.
func titles(told []string) []string {
	for i, text := range told {
		if rest, ok := strings.CutPrefix(text, "created Label."); ok {
			_, told[i], _ = strings.Cut(rest, " ")
		}
	}
	return told
}

// untrackedCases are writes whose commit nobody can see: nothing is ever told, even if they are committed.
var untrackedCases = map[string]func(t *testing.T, f *feed) error{
	"a foreign transaction": func(t *testing.T, f *feed) error {
		sqlDB, err := f.db.DB()
		check(t, err)
		foreign, err := sqlDB.Begin()
		check(t, err)
		defer func() { check(t, foreign.Commit()) }()
		db := f.db.Session(&gorm.Session{NewDB: true, Context: context.Background()})
		db.Statement.ConnPool = foreign
		return db.Create(&Label{Title: "a"}).Error
	},
	"a transaction on a connection": func(t *testing.T, f *feed) error {
		return f.db.Connection(func(tx *gorm.DB) error {
			return tx.Transaction(func(tx *gorm.DB) error { return tx.Create(&Label{Title: "a"}).Error })
		})
	},
	"a connection without default transactions": func(t *testing.T, f *feed) error {
		return f.db.Connection(func(tx *gorm.DB) error {
			tx = tx.Session(&gorm.Session{SkipDefaultTransaction: true})
			check(t, tx.Exec("BEGIN").Error)
			err := tx.Create(&Label{Title: "a"}).Error
			check(t, tx.Exec("ROLLBACK").Error)
			return err
		})
	},
}

func TestGORMUntracked(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		for name, do := range untrackedCases {
			t.Run(name, func(t *testing.T) {
				f := newFeed(t, s, options{})
				f.watch()
				for range 2 {
					check(t, f.db.Exec("DELETE FROM labels").Error)
					check(t, do(t, f))
				}
				f.expect()
				if logs := f.logs.all(); len(logs) != 1 || !strings.Contains(logs[0], "gorm_tx_test.go") {
					t.Errorf("reported %q, want one line that names this file", logs)
				}
			})
			t.Run(name+", refused", func(t *testing.T) {
				f := newFeed(t, s, options{config: rowcastgorm.Config{RefuseUntracked: true}})
				f.watch()
				if err := do(t, f); !errors.Is(err, rowcastgorm.ErrUntracked) {
					t.Errorf("the write gave %v", err)
				}
				f.expect()
				var n int64
				if check(t, f.db.Model(&Label{}).Count(&n).Error); n != 0 {
					t.Errorf("%d rows were written", n)
				}
			})
		}
	})
}

// TestGORMCommitFails shows that a commit which turns into a rollback tells nothing.
func TestGORMCommitFails(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		if s.name != "postgres" {
			t.Skip("SQLite checks deferred constraints on a connection that database/sql then breaks off")
		}
		f := newFeed(t, s, options{})
		check(t, f.db.Exec("ALTER TABLE labels ADD COLUMN parent bigint REFERENCES labels(id) DEFERRABLE INITIALLY DEFERRED").Error)
		f.watch()
		err := f.db.Transaction(func(tx *gorm.DB) error {
			label(t, tx, "a")
			return tx.Exec("UPDATE labels SET parent = 999").Error
		})
		if err == nil {
			t.Fatal("the commit succeeded")
		}
		f.expect()
		err = f.db.Transaction(func(tx *gorm.DB) error {
			label(t, tx, "b")
			_ = tx.Exec("SELECT nope").Error
			return nil
		})
		if err == nil {
			t.Fatal("the commit succeeded after a failed statement")
		}
		f.expect()
	})
}

// TestGORMAbandoned shows that a transaction which nobody ends, but its context does, holds up no later writer.
func TestGORMAbandoned(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		f := newFeed(t, s, options{})
		label(t, f.db, "a")
		f.watch()
		ctx, cancel := context.WithCancel(context.Background())
		tx := f.db.WithContext(ctx).Begin()
		check(t, tx.Model(&Label{ID: 1}).Update("uses", 1).Error)
		cancel()
		check(t, f.db.Model(&Label{ID: 1}).Update("uses", 2).Error)
		f.expect("patched Label.1 a: uses")
	})
}

// lossy is a pool of somebody else's that loses the answer to every commit.
type lossy struct{ *sql.DB }

func (l lossy) BeginTx(ctx context.Context, options *sql.TxOptions) (gorm.ConnPool, error) {
	tx, err := l.DB.BeginTx(ctx, options)
	return lossyTx{tx}, err
}

func (l lossy) GetDBConn() (*sql.DB, error) { return l.DB, nil }

type lossyTx struct{ *sql.Tx }

func (l lossyTx) Commit() error {
	return errors.Join(l.Tx.Commit(), errors.New("connection reset by peer"))
}

// TestGORMCommitUnknown shows that a commit of which nobody knows whether it took place makes clients refetch.
func TestGORMCommitUnknown(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		f := newFeed(t, s, options{})
		f.watch()
		sqlDB, err := f.db.DB()
		check(t, err)
		db := f.db.Session(&gorm.Session{Context: context.Background()})
		db.Statement.ConnPool = lossy{sqlDB}
		err = db.Model(&Label{}).Create(&Label{Title: "a"}).Error
		if err == nil || !strings.Contains(err.Error(), "connection reset by peer") {
			t.Errorf("the write gave %v", err)
		}
		f.expect("resync Label history-lost")
	})
}
