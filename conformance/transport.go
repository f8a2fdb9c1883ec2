package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/sse"
)

// Transport is the adapter under test.
type Transport struct {
	// Serve mounts the engine's stream in a real server on a port of its own, and returns the stream's URL without a
	// query. It ends the server in t.Cleanup.
	Serve func(t *testing.T, engine *rowcast.Engine, options ServeOptions) (streamURL string)
}

// ServeOptions are what a case wants of the server.
type ServeOptions struct {
	Stream sse.Options

	// Write, if not nil, is to be served for POST below the stream's URL, at «{stream}/write», behind the adapter's
	// Middleware: call it with the context that the middleware gives to handlers, and answer 204.
	Write func(ctx context.Context)

	// ServerWriteTimeout is to be the server's own limit for one response, as http.Server has it. Zero: none.
	ServerWriteTimeout time.Duration

	// ServerReadTimeout is to be the server's own limits for reading one request and for an idle connection. Zero: none.
	ServerReadTimeout time.Duration
}

// transportCase is one behaviour.
type transportCase struct {
	name string
	rule string // the sentence of the wire format that it checks
	run  func(t *testing.T, h *transportHarness)
}

// transportHarness is what a case works with. Cases that need another engine build their own.
type transportHarness struct {
	transport Transport
	engine    *rowcast.Engine
	url       string
}

func transportCases() []transportCase {
	var cases []transportCase
	for _, group := range [][]transportCase{streamCases(), refusalCases(), changeCases(), lifeCases(), writeCases()} {
		cases = append(cases, group...)
	}
	return cases
}

// TestTransport proves an adapter: that what it serves is the wire format, and that no client, no view and no end of
// the server disturbs another client.
func TestTransport(t *testing.T, transport Transport) {
	for _, c := range transportCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Cleanup(func() {
				noGoroutinesLeft(t)
				if t.Failed() {
					t.Log("the rule: " + c.rule)
				}
			})
			c.run(t, &transportHarness{transport: transport})
		})
	}
}

// start serves an engine.
func (h *transportHarness) start(t *testing.T, config rowcast.Config, options ServeOptions, change ...func(*rowcast.Entity)) {
	t.Helper()
	h.engine = newEngine(t, config, change...)
	h.url = h.transport.Serve(t, h.engine, options)
	// Registered after Serve's own cleanup, so it runs before: an open stream would hold up the server's end.
	t.Cleanup(func() { shutdown(t, h.engine) })
}

// plain serves an engine with nothing special.
func (h *transportHarness) plain(t *testing.T) {
	t.Helper()
	h.start(t, rowcast.Config{}, ServeOptions{})
}
