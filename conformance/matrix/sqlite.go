package matrix

import (
	"path/filepath"
	"testing"
)

// SQLite returns the DSN, for a driver of modernc.org/sqlite's kind, of an empty database file that is the test's own.
// A file, not memory: several connections see the same rows, as they do in an application.
func SQLite(t testing.TB) string {
	t.Helper()
	return "file:" + filepath.ToSlash(filepath.Join(t.TempDir(), "rowcast.db")) + "?_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)"
}
