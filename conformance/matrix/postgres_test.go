package matrix_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/rowcast/rowcast/conformance/matrix"
)

func TestEachTestHasADatabaseOfItsOwn(t *testing.T) {
	first, second := matrix.Postgres(t), matrix.Postgres(t)
	if first == second {
		t.Fatalf("two calls returned the same database %s", first)
	}
	if count := query(t, first, "CREATE TABLE card (id int); INSERT INTO card VALUES (1); SELECT count(*)::text FROM card"); count != "1" {
		t.Errorf("%s cards in the first database, want 1", count)
	}
	if table := query(t, second, "SELECT coalesce(to_regclass('card')::text, 'none')"); table != "none" {
		t.Errorf("the second database has the table %s of the first", table)
	}
}

func TestTheDatabaseIsGoneAfterTheTest(t *testing.T) {
	var name string
	t.Run("one", func(t *testing.T) {
		dsn := matrix.Postgres(t)
		name = query(t, dsn, "SELECT current_database()")
		// A connection that a test forgot must not keep its database alive.
		if _, err := pgx.Connect(context.Background(), dsn); err != nil {
			t.Fatal(err)
		}
	})
	if name == "" {
		t.Skip("no PostgreSQL: the subtest says why")
	}
	if n := query(t, matrix.Postgres(t), "SELECT count(*)::text FROM pg_database WHERE datname = '"+name+"'"); n != "0" {
		t.Errorf("database %s is still there", name)
	}
}

func TestTheDatabaseSpeaksUTF8(t *testing.T) {
	if encoding := query(t, matrix.Postgres(t), "SHOW server_encoding"); encoding != "UTF8" {
		t.Errorf("encoding %s", encoding)
	}
}

// query runs statements and returns the one text value of the last.
func query(t *testing.T, dsn, statements string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	results, err := conn.PgConn().Exec(t.Context(), statements).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return string(results[len(results)-1].Rows[0][0])
}
