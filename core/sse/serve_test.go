package sse_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
	"github.com/rowcast/rowcast/core/sse"
	"github.com/rowcast/rowcast/memstore"
)

var quiet = slog.New(slog.DiscardHandler)

func newEngine(t *testing.T) *rowcast.Engine {
	t.Helper()
	engine, err := rowcast.New(memstore.NewLog(memstore.LogConfig{}), rowcast.Config{Logger: quiet, Defaults: rowcast.Settings{Realtime: rowcast.On}})
	if err != nil {
		t.Fatal(err)
	}
	err = engine.Register(rowcast.Entity{Name: "Book", Fields: []rowcast.Field{{Name: "id", Kind: filter.Int}}, Key: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return engine
}

// scripted is a stream under the test's control.
type scripted struct {
	write    func(p []byte) (int, error)
	deadline func(time.Time) error
	flushes  int
}

func (s *scripted) Write(p []byte) (int, error) { return s.write(p) }
func (s *scripted) Flush() error                { s.flushes++; return nil }
func (s *scripted) SetWriteDeadline(t time.Time) error {
	if s.deadline == nil {
		return nil
	}
	return s.deadline(t)
}

func open(t *testing.T, ctx context.Context, engine *rowcast.Engine, options sse.Options) *sse.Opened {
	t.Helper()
	options.Logger = quiet
	server, err := sse.NewServer(engine, options)
	if err != nil {
		t.Fatal(err)
	}
	opened, refusal := server.Open(ctx, sse.Request{Method: "GET", Query: "channel=Book"})
	if refusal != nil {
		t.Fatalf("refused: %s", refusal.Body)
	}
	return opened
}

func TestServeBeatsInSilenceAndMovesTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := newEngine(t)
		ctx, cancel := context.WithCancel(t.Context())
		begin := time.Now()
		var at []time.Duration
		var ahead time.Duration
		stream := &scripted{
			write:    func(p []byte) (int, error) { at = append(at, time.Since(begin)); return len(p), nil },
			deadline: func(d time.Time) error { ahead = time.Until(d); return nil },
		}
		time.AfterFunc(50*time.Second, cancel)
		if err := sse.Serve(ctx, stream, open(t, ctx, engine, sse.Options{})); !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
		want := []time.Duration{0, 15 * time.Second, 30 * time.Second, 45 * time.Second}
		if len(at) != len(want) || at[1] != want[1] || at[3] != want[3] || ahead != 10*time.Second || stream.flushes != len(at) {
			t.Errorf("writes at %v with deadlines %v ahead, %d flushes", at, ahead, stream.flushes)
		}
		if err := engine.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestServeEndsWithTheStream(t *testing.T) {
	broken := errors.New("broken pipe")
	cases := map[string]*scripted{
		"a write that fails":     {write: func([]byte) (int, error) { return 0, broken }},
		"a write that panics":    {write: func([]byte) (int, error) { panic("a middleware") }},
		"a deadline that fails":  {write: func(p []byte) (int, error) { return len(p), nil }, deadline: func(time.Time) error { return broken }},
		"a deadline that panics": {write: func(p []byte) (int, error) { return len(p), nil }, deadline: func(time.Time) error { panic("a middleware") }},
	}
	for name, stream := range cases {
		engine := newEngine(t)
		err := sse.Serve(t.Context(), stream, open(t, t.Context(), engine, sse.Options{}))
		if err == nil || !strings.Contains(err.Error(), "panic") && !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
		if n := engine.Stats().Connections; n != 0 {
			t.Errorf("%s: %d connections are left", name, n)
		}
		if err := engine.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestServeGoesOnWithoutDeadlines(t *testing.T) {
	engine := newEngine(t)
	written := make(chan string, 10)
	stream := &scripted{
		write:    func(p []byte) (int, error) { written <- string(p); return len(p), nil },
		deadline: func(time.Time) error { return http.ErrNotSupported },
	}
	served := make(chan error)
	opened := open(t, t.Context(), engine, sse.Options{})
	go func() { served <- sse.Serve(t.Context(), stream, opened) }()
	if first := <-written; !strings.Contains(first, "event: subscribed") {
		t.Errorf("first came %q", first)
	}
	if err := engine.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if last := <-written; !strings.Contains(last, "event: bye") {
		t.Errorf("last came %q", last)
	}
	if err := <-served; err != nil {
		t.Errorf("after a bye Serve gives %v", err)
	}
}

// unflushable is what http.TimeoutHandler makes of a writer.
type unflushable struct{ http.ResponseWriter }

// wrapped hides nothing: it unwraps, as a well-made middleware does.
type wrapped struct{ http.ResponseWriter }

func (w wrapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func TestHandlerRefusesWriterThatCannotFlush(t *testing.T) {
	engine := newEngine(t)
	defer engine.Shutdown(context.Background())
	handler, err := sse.Handler(engine, sse.Config{Stream: sse.Options{Logger: quiet}})
	if err != nil {
		t.Fatal(err)
	}
	for name, wrap := range map[string]func(http.ResponseWriter) http.ResponseWriter{
		"hidden":        func(w http.ResponseWriter) http.ResponseWriter { return unflushable{w} },
		"hidden deeper": func(w http.ResponseWriter) http.ResponseWriter { return wrapped{unflushable{w}} },
	} {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(wrap(answer), httptest.NewRequest("GET", "/?channel=Book", nil))
		if answer.Code != 500 || answer.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s", name, answer.Code, answer.Body)
		}
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(wrapped{answer}, httptest.NewRequest("HEAD", "/?channel=Book", nil))
	if answer.Code != 200 {
		t.Errorf("a writer that unwraps: %d %s", answer.Code, answer.Body)
	}
	timeout := httptest.NewServer(http.TimeoutHandler(handler, time.Minute, ""))
	defer timeout.Close()
	response, err := http.Get(timeout.URL + "?channel=Book")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != 500 {
		t.Errorf("under http.TimeoutHandler: %s", response.Status)
	}
}
