package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rowcast/rowcast/core/sse"
)

// asProgram makes the test binary be the board, for tests that need a process of its own.
const asProgram = "ROWCAST_TEST_AS_BOARD"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// board is one that runs in this process.
type board struct {
	url  string
	stop func() int // ends it as Ctrl-C does, and returns the exit code
}

// start runs a board until the test ends, and fails the test if it does not end cleanly and quietly.
func start(t *testing.T, args ...string) *board {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	output, stdout := io.Pipe()
	var stderr bytes.Buffer
	ended := make(chan struct{})
	var code int
	go func() {
		defer close(ended)
		code = run(ctx, append([]string{"-addr", "127.0.0.1:0"}, args...), stdout, &stderr)
		stdout.Close()
	}()
	b := &board{stop: func() int { cancel(); <-ended; return code }}
	t.Cleanup(func() {
		if code := b.stop(); code != 0 || stderr.Len() > 0 {
			t.Errorf("the board ended with code %d and said: %s", code, stderr.String())
		}
	})
	b.url = pageURL(t, output)
	return b
}

// pageURL reads what a board says on start, and keeps reading so that it never waits for its reader.
func pageURL(t *testing.T, output io.Reader) string {
	t.Helper()
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if address, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "page "); ok {
			go io.Copy(io.Discard, output)
			return strings.TrimSuffix(strings.TrimSpace(address), "/")
		}
	}
	t.Fatal("the board did not say where its page is")
	return ""
}

// call sends a request and returns the status and the body.
func (b *board) call(t *testing.T, method, path, body string) (int, string) {
	t.Helper()
	request := httptest.NewRequest(method, b.url+path, strings.NewReader(body))
	request.RequestURI = ""
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, strings.TrimSpace(string(text))
}

// must sends a request that has to succeed, and decodes its body.
func (b *board) must(t *testing.T, wantStatus int, method, path, body string) map[string]any {
	t.Helper()
	status, text := b.call(t, method, path, body)
	if status != wantStatus {
		t.Fatalf("%s %s %s: status %d, want %d: %s", method, path, body, status, wantStatus, text)
	}
	var decoded map[string]any
	if text != "" {
		if err := json.Unmarshal([]byte(text), &decoded); err != nil {
			t.Fatalf("%s %s: %v in %s", method, path, err, text)
		}
	}
	return decoded
}

// add creates a card and returns its path.
func (b *board) add(t *testing.T, body string) string {
	t.Helper()
	return fmt.Sprintf("/api/cards/%.0f", b.must(t, http.StatusCreated, http.MethodPost, "/api/cards", body)["id"])
}

// subscribe opens a stream, waits until it is live, and returns a function that reads the next event.
func (b *board) subscribe(t *testing.T) (next func() sse.Message) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second) // bounds a test that waits for nothing
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url+"/realtime?channel=Card", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); response.Body.Close() })
	events := sse.NewDecoder(response.Body)
	next = func() sse.Message {
		t.Helper()
		message, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		return message
	}
	if first := next(); first.Event != "subscribed" {
		t.Fatalf("the first frame is %q", first.Event)
	}
	return next
}
