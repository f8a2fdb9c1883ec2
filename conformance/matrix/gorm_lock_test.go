package matrix_test

import (
	"strings"
	"testing"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// impatient is another process on the feed's database, which waits for no lock.
func (f *feed) impatient() *gorm.DB {
	f.t.Helper()
	db, err := gorm.Open(f.server.open(strings.Replace(f.dsn, "busy_timeout(5000)", "busy_timeout(0)", 1)), &gorm.Config{Logger: logger.Discard})
	check(f.t, err)
	f.t.Cleanup(func() { closeDB(f.t, db) })
	return db
}

// try makes a write that fails where it would have to wait.
func try(db *gorm.DB, write func(tx *gorm.DB) error) error {
	return db.Transaction(func(tx *gorm.DB) error {
		if db.Name() == "postgres" {
			if err := tx.Exec("SET LOCAL lock_timeout = '50ms'").Error; err != nil {
				return err
			}
		}
		return write(tx)
	})
}

// TestGORMLocks shows that nobody can change a row between the moment at which the plugin reads it and the statement,
// and that on PostgreSQL foreign keys to it can still be checked.
func TestGORMLocks(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		f := newFeed(t, s, options{})
		if s.name == "sqlite" {
			check(t, f.db.Exec("PRAGMA journal_mode = WAL").Error) // with it a reader does not keep others from committing
		}
		check(t, f.db.Create(&Deck{Title: "a"}).Error)
		f.watch()
		other := f.impatient()
		tried := 0
		between := func(db *gorm.DB) {
			if db.Statement.Table != "decks" {
				return
			}
			tried++
			err := try(other, func(tx *gorm.DB) error { return tx.Model(&Deck{ID: 1}).Update("title", "other").Error })
			if err == nil {
				t.Error("the row that was read was changed before the statement ran")
			}
			if s.name == "postgres" {
				deck := uint(1)
				if err := try(other, func(tx *gorm.DB) error { return tx.Create(&Slot{DeckID: &deck}).Error }); err != nil {
					t.Errorf("a row that refers to it cannot be inserted: %v", err)
				}
			}
		}
		check(t, f.db.Callback().Update().Before("gorm:update").Register("test:between", between))
		check(t, f.db.Callback().Delete().Before("gorm:delete").Register("test:between", between))
		check(t, f.db.Model(&Deck{ID: 1}).Update("title", "b").Error)
		check(t, f.db.Where("title = ?", "b").Model(&Deck{}).Update("title", "c").Error)
		f.expect("patched Deck.1 b: title", "patched Deck.1 c: title")
		if tried != 2 {
			t.Errorf("the other one tried %d times", tried)
		}
	})
}
