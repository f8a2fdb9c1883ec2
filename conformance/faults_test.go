package conformance_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rowcast/rowcast/conformance"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/sse"
)

// fault is one way to break the net/http handler.
type fault struct {
	name   string
	caught string // the case that must fail

	request    func(*http.Request)                    // what it makes of a request
	header     func(http.Header)                      // what it makes of the headers
	status     func(int) int                          // what it makes of the status
	write      func(w *brokenWriter, p []byte) []byte // what it makes of a write
	flush      func(w *brokenWriter) bool             // whether it flushes
	noDeadline bool                                   // SetWriteDeadline does nothing
	after      func(*rowcast.Engine)                  // what it does when a stream has ended
}

func faults() []fault {
	return []fault{
		{name: "no flush", caught: "first frame", flush: func(*brokenWriter) bool { return false }},
		{name: "no id", caught: "a change", write: without(`(?m)^id: .*\n`)},
		{name: "heartbeat without id", caught: "heartbeat", write: replace(":\nid: ", ":\nx: ")},
		{name: "no heartbeat at all", caught: "heartbeat moves the id", write: only(func(p []byte) bool { return p[0] != ':' })},
		{name: "lost final newline", caught: "a change", write: func(_ *brokenWriter, p []byte) []byte { return bytes.TrimSuffix(p, []byte("\n")) }},
		{name: "CRLF line ends", caught: "a change", write: replace("\n", "\r\n")},
		{name: "ignores the write deadline", caught: "server write time-out", noDeadline: true},
		{name: "swallows the first event", caught: "item and collection", write: skipFirst("event: created")},
		{name: "swallows the first frame", caught: "first frame", write: skipFirst("event: subscribed")},
		{name: "tells everything twice", caught: "order", write: func(_ *brokenWriter, p []byte) []byte { return append(bytes.Clone(p), p...) }},
		{name: "holds one frame back", caught: "item and collection", write: holdBack},
		{name: "leaks a stream", caught: "client gone", after: leak},
		{name: "wrong content type", caught: "headers", header: func(h http.Header) { set(h, "Content-Type", "text/plain") }},
		{name: "lets proxies buffer", caught: "headers", header: func(h http.Header) { h.Del("X-Accel-Buffering") }},
		{name: "lets caches keep it", caught: "headers", header: func(h http.Header) { h.Del("Cache-Control") }},
		{name: "delivers to the wrong channel", caught: "item and collection", request: query("channel=Card.2", "channel=Card")},
		{name: "takes only one channel", caught: "first frame", request: query("&channels=Note,Card", "")},
		{name: "ignores fields", caught: "fields", request: query("fields", "x")},
		{name: "ignores filters", caught: "filter", request: query("filter", "x")},
		{name: "ignores Accept", caught: "refusals", request: func(r *http.Request) { r.Header.Del("Accept") }},
		{name: "ignores Last-Event-ID", caught: "last event id", request: func(r *http.Request) { r.Header.Del("Last-Event-ID") }},
		{name: "takes POST for GET", caught: "method", request: func(r *http.Request) { r.Method = http.MethodGet }},
		{name: "no Allow", caught: "method", header: func(h http.Header) { h.Del("Allow") }},
		{name: "refuses with 200", caught: "refusals", status: func(int) int { return 200 }},
		{name: "refusals may be cached", caught: "refusals", header: func(h http.Header) {
			if strings.Contains(h.Get("Content-Type"), "problem") {
				h.Del("Cache-Control")
			}
		}},
		{name: "cuts long frames", caught: "slow client", write: func(_ *brokenWriter, p []byte) []byte { return p[:min(len(p), 4096)] }},
		{name: "swallows bye", caught: "shutdown", write: only(func(p []byte) bool { return !bytes.Contains(p, []byte("event: bye")) })},
		{name: "the same retry for all", caught: "shutdown", write: func(_ *brokenWriter, p []byte) []byte {
			return regexp.MustCompile(`(?m)^retry: \d+`).ReplaceAll(p, []byte("retry: 3000"))
		}},
		{name: "ignores echo", caught: "echo", request: query("echo=false", "")},
		{name: "turns away with 503", caught: "after shutdown", status: func(int) int { return 503 }},
	}
}

func without(pattern string) func(*brokenWriter, []byte) []byte {
	expression := regexp.MustCompile(pattern)
	return func(_ *brokenWriter, p []byte) []byte { return expression.ReplaceAll(p, nil) }
}

func replace(old, new string) func(*brokenWriter, []byte) []byte {
	return func(_ *brokenWriter, p []byte) []byte { return bytes.ReplaceAll(p, []byte(old), []byte(new)) }
}

func only(keep func([]byte) bool) func(*brokenWriter, []byte) []byte {
	return func(_ *brokenWriter, p []byte) []byte {
		if !keep(p) {
			return nil
		}
		return p
	}
}

func skipFirst(marker string) func(*brokenWriter, []byte) []byte {
	return func(w *brokenWriter, p []byte) []byte {
		if !w.skipped && bytes.Contains(p, []byte(marker)) {
			w.skipped = true
			return nil
		}
		return p
	}
}

func holdBack(w *brokenWriter, p []byte) []byte {
	held := w.held
	w.held = bytes.Clone(p)
	return held
}

// leak opens a stream that nobody will close.
func leak(engine *rowcast.Engine) {
	_, _ = engine.Subscribe(context.Background(), rowcast.SubscribeRequest{Channels: []string{"Card"}})
}

func query(old, new string) func(*http.Request) {
	return func(r *http.Request) { r.URL.RawQuery = strings.ReplaceAll(r.URL.RawQuery, old, new) }
}

func set(h http.Header, name, value string) {
	if h.Get(name) == "text/event-stream" {
		h.Set(name, value)
	}
}

// brokenWriter stands between the handler and the server.
type brokenWriter struct {
	http.ResponseWriter
	fault   fault
	skipped bool
	held    []byte
}

func (w *brokenWriter) WriteHeader(status int) {
	if w.fault.header != nil {
		w.fault.header(w.Header())
	}
	if w.fault.status != nil {
		status = w.fault.status(status)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *brokenWriter) Write(p []byte) (int, error) {
	out := p
	if w.fault.write != nil && strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
		out = w.fault.write(w, p)
	}
	if _, err := w.ResponseWriter.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (w *brokenWriter) FlushError() error {
	if w.fault.flush != nil && !w.fault.flush(w) {
		return nil
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

func (w *brokenWriter) SetWriteDeadline(deadline time.Time) error {
	if w.fault.noDeadline {
		return nil
	}
	return http.NewResponseController(w.ResponseWriter).SetWriteDeadline(deadline)
}

// serveWith is the ordinary handler behind the fault.
func serveWith(f fault) func(*testing.T, *rowcast.Engine, conformance.ServeOptions) string {
	return func(t *testing.T, engine *rowcast.Engine, options conformance.ServeOptions) string {
		handler, err := sse.Handler(engine, sse.Config{Stream: options.Stream})
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewUnstartedServer(sse.Middleware(engine)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/write" {
				options.Write(r.Context())
				w.WriteHeader(http.StatusNoContent)
				return
			}
			if f.request != nil {
				f.request(r)
			}
			handler.ServeHTTP(&brokenWriter{ResponseWriter: w, fault: f}, r)
			if f.after != nil {
				f.after(engine)
			}
		})))
		server.Config.WriteTimeout = options.ServerWriteTimeout
		server.Config.ReadTimeout, server.Config.IdleTimeout = options.ServerReadTimeout, options.ServerReadTimeout
		server.Start()
		t.Cleanup(server.Close)
		return server.URL
	}
}
