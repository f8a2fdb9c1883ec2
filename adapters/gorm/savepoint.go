package rowcastgorm

import (
	"strings"

	"gorm.io/gorm"

	"github.com/rowcast/rowcast/core"
)

// savepoint is where a transaction can go back to.
type savepoint struct {
	name string // in lower case unless it was quoted
	mark int    // how much had been captured
}

// ran follows the statements that take a part of a transaction back, or all of it.
func (t *transaction) ran(query string) {
	verb, at := parseControl(query)
	if verb == noControl {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch verb {
	case setSavepoint:
		if t.batch != nil {
			at.mark = t.batch.Len()
		}
		t.savepoints = append(t.savepoints, at)
	case releaseSavepoint:
		if i := t.find(at); i >= 0 {
			t.savepoints = t.savepoints[:i]
		}
	case rollbackTo:
		t.rewind(at)
	case rollbackAll:
		t.savepoints = nil
		if t.batch != nil {
			t.batch.Discard()
		}
	}
}

// rewind goes back to a savepoint. One that was never seen makes everything before it doubtful.
func (t *transaction) rewind(at savepoint) {
	i := t.find(at)
	if i >= 0 {
		t.savepoints = t.savepoints[:i+1] // it stays, and can be gone back to again
	}
	if t.batch == nil {
		return
	}
	if i >= 0 {
		t.batch.RewindTo(t.savepoints[i].mark)
		return
	}
	t.batch.Discard()
	for entity := range t.entities {
		t.capture.resync(t.batch, entity, rowcast.ResyncHistoryLost)
	}
}

// find is the place of the latest savepoint of that name, or -1. In some databases case does not matter inside quotes.
func (t *transaction) find(at savepoint) int {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for i := len(t.savepoints) - 1; i >= 0; i-- {
			if same(t.savepoints[i].name, at.name) {
				return i
			}
		}
	}
	return -1
}

// followSavepoint sees the statements that go through prepared statements, past the transaction's own methods.
func followSavepoint(db *gorm.DB) {
	if db.Error != nil || db.DryRun {
		return
	}
	if _, prepared := db.Statement.ConnPool.(*gorm.PreparedStmtTX); !prepared {
		return
	}
	if tx, footing := footingOf(db.Statement.ConnPool); footing == inTransaction {
		tx.ran(db.Statement.SQL.String())
	}
}

// control is what a statement does to the course of a transaction.
type control uint8

const (
	noControl control = iota
	setSavepoint
	releaseSavepoint
	rollbackTo
	rollbackAll
)

// parseControl reads SAVEPOINT x, RELEASE [SAVEPOINT] x, ROLLBACK [WORK|TRANSACTION] [TO [SAVEPOINT] x], and ABORT.
func parseControl(query string) (control, savepoint) {
	query = skipSpace(query)
	if query == "" || !strings.ContainsRune("sSrRaA", rune(query[0])) {
		return noControl, savepoint{}
	}
	word, rest := nextWord(query)
	switch strings.ToUpper(word) {
	case "SAVEPOINT":
		return setSavepoint, savepointName(rest)
	case "RELEASE":
		return releaseSavepoint, savepointName(skipWords(rest, "SAVEPOINT"))
	case "ABORT":
		return rollbackAll, savepoint{}
	case "ROLLBACK":
		rest = skipWords(rest, "WORK", "TRANSACTION")
		if to, name := nextWord(rest); strings.EqualFold(to, "TO") {
			return rollbackTo, savepointName(skipWords(name, "SAVEPOINT"))
		}
		if prepared, _ := nextWord(rest); strings.EqualFold(prepared, "PREPARED") {
			return noControl, savepoint{} // of another transaction
		}
		return rollbackAll, savepoint{}
	}
	return noControl, savepoint{}
}

// skipWords leaves out any of the words at the beginning.
func skipWords(query string, words ...string) string {
	for _, word := range words {
		if first, rest := nextWord(query); strings.EqualFold(first, word) {
			query = rest
		}
	}
	return query
}

// nextWord splits off the letters at the beginning.
func nextWord(query string) (word, rest string) {
	query = skipSpace(query)
	end := strings.IndexFunc(query, func(r rune) bool { return (r|0x20) < 'a' || (r|0x20) > 'z' })
	if end < 0 {
		return query, ""
	}
	return query[:end], query[end:]
}

// skipSpace leaves out white space and comments at the beginning.
func skipSpace(query string) string {
	for {
		query = strings.TrimLeft(query, " \t\r\n\f")
		switch {
		case strings.HasPrefix(query, "--"):
			_, query, _ = strings.Cut(query, "\n")
		case strings.HasPrefix(query, "/*"):
			_, query, _ = strings.Cut(query, "*/")
		default:
			return query
		}
	}
}

// savepointName reads an identifier, with or without quotes.
func savepointName(query string) savepoint {
	query = skipSpace(query)
	if query != "" && strings.ContainsRune("\"`[", rune(query[0])) {
		closing := query[:1]
		if closing == "[" {
			closing = "]"
		}
		name, _, _ := strings.Cut(query[1:], closing)
		return savepoint{name: name}
	}
	if end := strings.IndexAny(query, " \t\r\n\f;-/"); end >= 0 {
		query = query[:end]
	}
	return savepoint{name: strings.ToLower(query)}
}
