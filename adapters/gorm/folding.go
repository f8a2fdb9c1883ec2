package rowcastgorm

import (
	"slices"
	"strings"
	"sync"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// folder finds the collation under which a database folds the letters of every script one to one, as the evaluator
// does.
type folder struct {
	db      *gorm.DB // the statement's
	capture *Capture // remembers; nil: nobody does
	dialect string
}

// folding is the collations of each kind of database that were found.
type folding struct {
	mu    sync.Mutex
	found map[string]string
}

// collation is "" where there is none, or where the database cannot be asked: the column's own must do then.
func (f folder) collation() string {
	if f.capture == nil {
		name, _ := f.ask()
		return name
	}
	if name, ok := f.capture.folding.get(f.dialect); ok {
		return name
	}
	name, err := f.ask()
	switch {
	case err != nil:
		f.capture.config.Logger.Warn("rowcastgorm: which collations there are could not be read; ilike uses the column's own", "error", err)
	case !f.db.DryRun:
		f.capture.folding.set(f.dialect, name)
	}
	return name
}

// get and set hold no lock while the database is asked: whoever waited for it might have the last connection.
func (f *folding) get(dialect string) (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name, ok := f.found[dialect]
	return name, ok
}

func (f *folding) set(dialect, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.found == nil {
		f.found = make(map[string]string)
	}
	f.found[dialect] = name
}

// foldQuestion asks which of some collations a database has.
type foldQuestion struct {
	query string
	names []string // the best first
}

// foldQuestions are asked of each kind of database. PostgreSQL's last choice folds İ to two code points. MySQL's know
// the letters of Unicode 14 (MariaDB), 9 and 5.2.
var foldQuestions = map[string]foldQuestion{
	"postgres": {
		"SELECT collname FROM pg_catalog.pg_collation WHERE collencoding IN (-1, (SELECT encoding FROM pg_catalog.pg_database WHERE datname = current_database())) AND collname IN ?",
		[]string{"pg_c_utf8", "C.utf8", "C.UTF-8", "und-x-icu"},
	},
	"mysql": {
		"SELECT collation_name FROM information_schema.collation_character_set_applicability WHERE character_set_name = 'utf8mb4' AND collation_name IN ?",
		[]string{"uca1400_as_cs", "utf8mb4_0900_as_cs", "utf8mb4_unicode_520_ci"},
	},
}

func (f folder) ask() (string, error) {
	question := foldQuestions[f.dialect]
	var have []string
	if f.db.DryRun {
		have = question.names[min(1, len(question.names)):]
	} else if len(question.names) > 0 {
		// A session of the statement's own: in a transaction, on its connection.
		session := f.db.Session(&gorm.Session{NewDB: true, SkipHooks: true, Logger: logger.Discard})
		if err := session.Raw(question.query, question.names).Scan(&have).Error; err != nil {
			return "", err
		}
	}
	for _, name := range question.names {
		if slices.Contains(have, name) {
			if f.dialect == "mysql" && !strings.HasPrefix(name, "utf8mb4_") {
				name = "utf8mb4_" + name // as MariaDB lists those that go with several character sets
			}
			return name, nil
		}
	}
	return "", nil
}
