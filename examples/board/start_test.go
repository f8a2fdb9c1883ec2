package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gorm.io/gorm"
)

// What cannot work is said in one line that names what was given.
func TestStartErrors(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	notDatabase := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(notDatabase, []byte(strings.Repeat("not a database. ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"-addr", taken.Addr().String()}, 1, "address already in use"},
		{[]string{"-addr", "8080"}, 1, "missing port"},
		{[]string{"-db", filepath.Join(t.TempDir(), "missing", "board.db")}, 1, "board.db: no such file or directory"},
		{[]string{"-db", notDatabase}, 1, "not a database"},
		{[]string{"-db", "mysql://root@localhost/board"}, 1, "postgres://"},
		{[]string{"-db", "postgres://nobody@" + taken.Addr().String() + "/none?connect_timeout=1"}, 1, "cannot open the database"},
		{[]string{"-framework", "martini"}, 2, `-framework "martini" is not available: use echo, fiber, gin, nethttp`},
		{[]string{"-port", "80"}, 2, "-port"},
		{[]string{"extra"}, 2, `"extra"`},
	} {
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), append([]string{"-addr", "127.0.0.1:0"}, c.args...), &stdout, &stderr)
		said := stderr.String()
		if code != c.code || !strings.Contains(said, c.says) || strings.Count(said, "\n") != 1 || stdout.Len() > 0 {
			t.Errorf("%v: code %d, %q, want code %d and one line with %q", c.args, code, said, c.code, c.says)
		}
	}
}

func TestHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), []string{"-h"}, &stdout, &stderr)
	if code != 0 || stderr.Len() > 0 || !strings.Contains(stdout.String(), "-framework") {
		t.Errorf("code %d, %q, %q", code, stdout.String(), stderr.String())
	}
}

// SIGTERM ends the process cleanly although a stream is open: its client is told.
func TestSignalEndsOpenStreams(t *testing.T) {
	program := exec.Command(os.Args[0], "-addr", "127.0.0.1:0")
	program.Env = append(os.Environ(), asProgram+"=1")
	output, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	program.Stderr = &stderr
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Process.Kill() }) // if the test ends early
	b := &board{url: pageURL(t, output)}
	next := b.subscribe(t)
	if err := program.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if last := next(); last.Event != "bye" || !strings.Contains(last.Data, `"shutdown"`) {
		t.Errorf("the last frame is %s %s", last.Event, last.Data)
	}
	if err := program.Wait(); err != nil || stderr.Len() > 0 {
		t.Errorf("ended with %v and said: %s", err, stderr.String())
	}
}

// A connection on which nothing was asked does not hold up the end: browsers open such ahead of need.
func TestUnusedConnectionDoesNotDelayTheEnd(t *testing.T) {
	b := start(t) // fails if the end is not clean
	unused, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer unused.Close()
	b.must(t, 200, "GET", "/api/stats", "") // comes after it, so the server has it by now
	b.stop()
}

// A file keeps its cards, whatever characters are in its name, and gets the first ones only once.
func TestFileKeepsCards(t *testing.T) {
	path := filepath.Join(t.TempDir(), "my board #1?%20.db")
	b := start(t, "-db", path)
	card := b.add(t, `{"title":"kept"}`)
	if code := b.stop(); code != 0 {
		t.Fatalf("code %d", code)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	b = start(t, "-db", path)
	want(t, b.must(t, 200, "GET", card, ""), map[string]any{"title": "kept"})
	if items := b.must(t, 200, "GET", "/api/cards", "")["items"].([]any); len(items) != 7 {
		t.Errorf("%d cards, want 7", len(items))
	}
}

func TestMemoryIsPrivate(t *testing.T) {
	one, other := start(t), start(t)
	card := one.add(t, `{"title":"mine"}`)
	other.must(t, 404, "GET", card, "")
}

// A request that is cancelled inside a transaction costs a connection; the database in memory outlives it.
func TestMemoryOutlivesConnections(t *testing.T) {
	db, err := openDatabase(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	if err := seed(t.Context(), db.DB); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		cancel()
		return tx.Create(&Card{Title: "never"}).Error
	})
	if err == nil {
		t.Error("the cancelled transaction committed")
	}
	var count int64
	if err := db.Model(&Card{}).Count(&count).Error; err != nil || count != 6 {
		t.Errorf("%d cards, %v; want the first 6", count, err)
	}
}

func TestPage(t *testing.T) {
	b := start(t)
	for path, contentType := range map[string]string{
		"/": "text/html", "/style.css": "text/css", "/app.js": "text/javascript", "/stream.js": "text/javascript",
	} {
		response, err := http.Get(b.url + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != 200 || len(body) == 0 ||
			!strings.HasPrefix(response.Header.Get("Content-Type"), contentType) {
			t.Errorf("%s: %s, %d bytes, %v, %v", path, response.Status, len(body), response.Header, err)
		}
		if !strings.Contains(response.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s has no policy that keeps other hosts out", path)
		}
	}
}

func TestAnnounce(t *testing.T) {
	for addr, url := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080/realtime", "[::]:80": "http://localhost:80/realtime", "[::1]:81": "http://[::1]:81/realtime",
	} {
		var stdout bytes.Buffer
		at, err := net.ResolveTCPAddr("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		announce(&stdout, "gin", "SQLite in memory", at)
		if !strings.Contains(stdout.String(), "curl -N '"+url+"?channel=Card'") {
			t.Errorf("%s: %s", addr, stdout.String())
		}
	}
}
