package matrix

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// server is the one PostgreSQL that all tests of a binary share.
type server struct {
	dsn string // of a role that may create databases
	end func() error
}

// shared is started by the first test that asks and ended by Main.
var shared struct {
	once   sync.Once
	server *server
	err    error
	absent bool // err says why there is none, and is no fault of a server that was promised
}

// databases numbers the databases of this process; run tells them from those of another one on the same server.
var (
	databases atomic.Int64
	run       = strings.ToLower(rand.Text()[:8])
)

// Postgres returns the DSN, a URL unless ROWCAST_POSTGRES_DSN is of the other form, of an empty database that is the
// test's own, and drops it when the test ends. The package's TestMain must call Main. Tests may call it in parallel.
func Postgres(t testing.TB) string {
	t.Helper()
	shared.once.Do(start)
	switch {
	case shared.absent:
		Missing(t, "postgres", shared.err.Error())
	case shared.err != nil:
		t.Fatal(shared.err)
	}
	admin := shared.server.dsn
	// Random text and digits only, so that it needs no quoting.
	name := fmt.Sprintf("rowcast_%s_%d", run, databases.Add(1))
	// Nobody can be connected to template0, and so no other process can make this fail by being in the template.
	if err := execute(admin, "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		t.Fatalf("making a database for %s: %v", t.Name(), err)
	}
	t.Cleanup(func() {
		// FORCE: what the test left connected is not worth a second failure.
		if err := execute(admin, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("dropping the database of %s: %v", t.Name(), err)
		}
	})
	dsn, err := withDatabase(admin, name)
	if err != nil {
		t.Fatal(err)
	}
	return dsn
}

// Main is the body of a TestMain: it runs the tests and ends the server that they started, if any.
func Main(m *testing.M) {
	code := m.Run()
	if shared.server != nil {
		if err := shared.server.end(); err != nil {
			fmt.Fprintln(os.Stderr, "ending the PostgreSQL server:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

func start() {
	switch from := find(os.Getenv, dockerAnswers); {
	case from.none != "":
		shared.err, shared.absent = fmt.Errorf("%s", from.none), true
	case from.dsn != "":
		// Ten seconds: it may have been started a moment ago by the same script.
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := ready(ctx, func(context.Context) (string, error) { return from.dsn, nil }, 0); err != nil {
			shared.err = fmt.Errorf("ROWCAST_POSTGRES_DSN: %w", err)
			return
		}
		shared.server = &server{dsn: from.dsn, end: func() error { return nil }}
	default:
		// An engine without a registry is a machine without PostgreSQL.
		shared.server, shared.err = startContainer(from.image)
		shared.absent = shared.err != nil
	}
}

// ready waits until the server answers queries and goes on doing so: it asks until it gets an answer, and after pause
// asks the same server process again. A log line or an open port would not do: the image's script starts the server
// twice, and Docker's proxy accepts connections before there is anything behind it.
func ready(ctx context.Context, dsn func(context.Context) (string, error), pause time.Duration) error {
	var before, now time.Time
	var last error
	for {
		now, last = startTime(ctx, dsn, last)
		if last == nil && (pause == 0 || now.Equal(before)) {
			return nil
		}
		before = now
		select {
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL does not answer a query: %w", last)
		case <-time.After(max(pause, 100*time.Millisecond)):
		}
	}
}

// startTime tells when the server process that answers was started. An attempt that only ran out of time leaves the
// error before it, which says more.
func startTime(ctx context.Context, dsn func(context.Context) (string, error), before error) (at time.Time, err error) {
	defer func() {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) && before != nil {
			err = before
		}
	}()
	attempt, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	address, err := dsn(attempt)
	if err != nil {
		return at, err
	}
	conn, err := pgx.Connect(attempt, address)
	if err != nil {
		return at, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	err = conn.QueryRow(attempt, "SELECT pg_postmaster_start_time()").Scan(&at)
	return at, err
}

func execute(dsn, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}

// withDatabase returns dsn, which is a URL or a list of keywords and values, with another database.
func withDatabase(dsn, name string) (string, error) {
	if !strings.HasPrefix(dsn, "postgres://") && !strings.HasPrefix(dsn, "postgresql://") {
		return dsn + " dbname=" + name, nil // the last one counts
	}
	address, err := url.Parse(dsn)
	if err != nil {
		return "", fmt.Errorf("the DSN is no URL: %w", err)
	}
	query := address.Query()
	query.Del("dbname") // it would count more than the path
	address.RawQuery = query.Encode()
	address.Path, address.RawPath = "/"+name, ""
	return address.String(), nil
}
