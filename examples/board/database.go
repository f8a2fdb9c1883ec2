package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/glebarez/sqlite"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// database is an open database with the board's table in it.
type database struct {
	*gorm.DB
	description string
	close       func() error
}

// connection is what openDatabase gets from each kind of database.
type connection struct {
	dialector   gorm.Dialector
	description string
	close       func() error
}

// openDatabase opens what -db names, and creates the table if it is not there.
func openDatabase(ctx context.Context, name string) (*database, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	connection, err := connect(ctx, name)
	if err != nil {
		return nil, err
	}
	db, err := gorm.Open(connection.dialector, &gorm.Config{
		Logger:         logger.Discard, // every error is returned, and answered or printed once
		NowFunc:        now,
		TranslateError: true,
	})
	if err == nil {
		err = db.WithContext(ctx).AutoMigrate(&Card{})
	}
	if err != nil {
		return nil, errors.Join(err, connection.close())
	}
	return &database{db, connection.description, connection.close}, nil
}

func connect(ctx context.Context, name string) (*connection, error) {
	scheme, _, isURL := strings.Cut(name, "://")
	switch {
	case !isURL:
		return openSQLite(ctx, name)
	case scheme == "postgres" || scheme == "postgresql":
		return openPostgres(ctx, name)
	}
	return nil, fmt.Errorf("-db %s://… is not supported: use a path, or postgres://…", scheme)
}

func openPostgres(ctx context.Context, name string) (*connection, error) {
	pool, err := sql.Open("pgx", name)
	if err != nil {
		return nil, err
	}
	if err := pool.PingContext(ctx); err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	return &connection{postgres.New(postgres.Config{Conn: pool}), "PostgreSQL", pool.Close}, nil
}

// openSQLite opens a file, or for the empty name a private database in memory. SQLite has one writer at a time, so one
// connection does the work, and its transactions take the lock at once: one that reads first and writes then would
// otherwise fail when another process writes in between.
func openSQLite(ctx context.Context, name string) (*connection, error) {
	if name == "" {
		return openMemory(ctx)
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	// The driver says «out of memory» of every file that it cannot open; the system says why.
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	file.Close()
	location := url.URL{Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")}
	pool, err := sql.Open(sqlite.DriverName, "file://"+location.EscapedPath()+"?_txlock=immediate&_pragma=journal_mode(WAL)")
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	if err := pool.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), pool.Close())
	}
	return &connection{sqlite.Dialector{Conn: pool}, "SQLite in " + name, pool.Close}, nil
}

// openMemory opens a database that lives as long as a connection to it. database/sql throws a connection away when a
// request is cancelled inside a transaction, so a second one is held that does nothing else.
func openMemory(ctx context.Context) (*connection, error) {
	pool, err := sql.Open(sqlite.DriverName, "file:"+rand.Text()+"?mode=memory&cache=shared&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(2)
	keeper, err := pool.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	closeBoth := func() error { return errors.Join(keeper.Close(), pool.Close()) }
	return &connection{sqlite.Dialector{Conn: pool}, "SQLite in memory", closeBoth}, nil
}
