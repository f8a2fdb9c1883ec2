package conformance

import (
	"bufio"
	"context"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/sse"
)

// lifeCases are about clients and servers that go, stall, or are too many.
func lifeCases() []transportCase {
	return []transportCase{
		{"client gone", "A peer that closes is seen at once: its subscription goes with it", testClientGone},
		{"client vanished in a burst", "A client that goes in the middle of a burst disturbs nobody", testClientGoneInBurst},
		{"slow client", "One slow client never delays another; it gets bye slow and resumes from its id", testSlowClient},
		{"server write time-out", "The write deadline is moved before each write, so the server's own does not cut a stream", testServerWriteTimeout},
		{"server read and idle time-outs", "The server's time-outs for requests do not cut a stream", testServerReadTimeout},
		{"HTTP/1.0", "HTTP/1.0 requests get the same stream, delimited by close, not chunked", testHTTP10},
		{"shutdown", "Shutdown says bye with a jittered retry, each client another, and returns when all are gone", testShutdown},
		{"after shutdown", "While shutting down the answer is 200, a jittered retry and one bye", testAfterShutdown},
		{"overloaded", "Over a connection limit the answer is 200, a jittered retry and one bye", testOverloaded},
		{"a transport that blocks", "A transport that fails, panics or blocks never delays the stream", testBadTransports},
	}
}

func testClientGone(t *testing.T, h *transportHarness) {
	h.plain(t)
	gone, stays := subscribe(t, h.url, "channel=Card"), subscribe(t, h.url, "channel=Card")
	gone.close()
	eventually(t, "the connection is forgotten", func() bool { return h.engine.Stats().Connections == 1 })
	if n := h.engine.Stats().Subscriptions; n != 1 {
		t.Errorf("%d subscriptions are left", n)
	}
	create(t, h.engine, 1, "still here")
	if got := stays.title(); got != "still here" {
		t.Errorf("got %q", got)
	}
}

func testClientGoneInBurst(t *testing.T, h *transportHarness) {
	h.plain(t)
	gone, stays := subscribe(t, h.url, "channel=Card"), subscribe(t, h.url, "channel=Card")
	for i := range 200 {
		create(t, h.engine, 1, itoa(i))
		if i == 100 {
			gone.close()
		}
	}
	for i := range 200 {
		if got := stays.title(); got != itoa(i) {
			t.Fatalf("change %d came as %q", i, got)
		}
	}
	eventually(t, "the connection is forgotten", func() bool { return h.engine.Stats().Connections == 1 })
}

// silent opens a stream and never reads it.
func silent(t *testing.T, streamURL, query string) {
	t.Helper()
	raw(t, streamURL, query, "HTTP/1.1")
}

// raw sends a request on a connection of its own, without a client in between.
func raw(t *testing.T, streamURL, query, protocol string) net.Conn {
	t.Helper()
	u, err := url.Parse(streamURL)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := conn.Write([]byte("GET /" + strings.TrimPrefix(u.Path, "/") + "?" + query + " " + protocol + "\r\nHost: " + u.Host + "\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	return conn
}

func testSlowClient(t *testing.T, h *transportHarness) {
	limits := rowcast.Limits{QueueFrames: 64, QueueBytes: 1 << 20}
	h.start(t, rowcast.Config{Limits: limits}, ServeOptions{Stream: sse.Options{WriteTimeout: 200 * time.Millisecond}})
	good := subscribe(t, h.url, "channel=Card")
	silent(t, h.url, "channel=Card")
	eventually(t, "the silent client is connected", func() bool { return h.engine.Stats().Connections == 2 })
	filler := strings.Repeat("x", 32<<10)
	sent := 0
	// Which bound is met first, the queue's or the write's, is the machine's business.
	for ; h.engine.Stats().Connections == 2; sent++ {
		if sent > 10_000 {
			t.Fatal("a client that never reads took everything")
		}
		create(t, h.engine, 1, itoa(sent)+" "+filler)
		if got := good.title(); !strings.HasPrefix(got, itoa(sent)+" ") {
			t.Fatalf("change %d came to the good client as %.20q", sent, got)
		}
	}
}

// serverLimit is a time-out of the server's; heartbeats come several times within it.
const serverLimit = 100 * time.Millisecond

func testServerWriteTimeout(t *testing.T, h *transportHarness) {
	outlives(t, h, ServeOptions{ServerWriteTimeout: serverLimit})
}

func testServerReadTimeout(t *testing.T, h *transportHarness) {
	outlives(t, h, ServeOptions{ServerReadTimeout: serverLimit})
}

// outlives watches a stream for several of the server's limits.
func outlives(t *testing.T, h *transportHarness, options ServeOptions) {
	t.Helper()
	options.Stream.Heartbeat = serverLimit / 4
	h.start(t, rowcast.Config{}, options)
	s := subscribe(t, h.url, "channel=Card")
	for begin := time.Now(); time.Since(begin) < 3*serverLimit; {
		s.next() // heartbeats
	}
	create(t, h.engine, 1, "alive")
	if got := s.title(); got != "alive" {
		t.Errorf("got %q", got)
	}
}

func testHTTP10(t *testing.T, h *transportHarness) {
	h.plain(t)
	conn := raw(t, h.url, "channel=Card", "HTTP/1.0")
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	var head strings.Builder
	for line := ""; line != "\r\n"; {
		var err error
		if line, err = reader.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		head.WriteString(line)
	}
	if !strings.Contains(head.String(), " 200 ") || strings.Contains(strings.ToLower(head.String()), "transfer-encoding") {
		t.Errorf("the answer begins with\n%s", head.String())
	}
	s := &stream{t: t, reader: reader}
	if first := s.next(); !strings.HasPrefix(first.raw, "retry: ") || first.event != "subscribed" {
		t.Errorf("the first frame is\n%q", first.raw)
	}
	create(t, h.engine, 1, "plain")
	if got := s.title(); got != "plain" {
		t.Errorf("got %q", got)
	}
	shutdown(t, h.engine)
	if frames := s.ends(); len(frames) != 1 || frames[0].event != "bye" {
		t.Errorf("it ended with %+v", frames)
	}
}

func testShutdown(t *testing.T, h *transportHarness) {
	h.plain(t)
	streams := make([]*stream, 100)
	for i := range streams {
		streams[i] = subscribe(t, h.url, "channel=Card")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := h.engine.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	retries := make(map[string]bool)
	for _, s := range streams {
		frames := s.ends()
		if len(frames) == 0 {
			t.Fatal("the stream ended without a bye")
		}
		last := frames[len(frames)-1]
		if last.event != "bye" || last.data != `{"reason":"shutdown","reconnect":true}` || last.hasID || last.retry == "" {
			t.Fatalf("the last frame is\n%s", last.raw)
		}
		retries[last.retry] = true
	}
	if len(retries) < 50 { // of 3,000 milliseconds, each client its own
		t.Errorf("all clients were told to come back after the same time: %v", retries)
	}
	if n := h.engine.Stats().Connections; n != 0 {
		t.Errorf("%d connections are left", n)
	}
}

// turnedAway reads a stream that holds nothing but a bye.
func turnedAway(t *testing.T, streamURL, reason string) {
	t.Helper()
	s := open(t, streamURL+"?channel=Card", nil)
	frames := s.ends()
	if len(frames) != 1 || frames[0].event != "bye" || frames[0].retry == "" || frames[0].data != `{"reason":"`+reason+`","reconnect":true}` {
		t.Errorf("got %+v, want one bye, %s", frames, reason)
	}
	if got := s.response.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type is %q", got)
	}
}

func testAfterShutdown(t *testing.T, h *transportHarness) {
	h.plain(t)
	shutdown(t, h.engine)
	turnedAway(t, h.url, "shutdown")
}

func testOverloaded(t *testing.T, h *transportHarness) {
	h.start(t, rowcast.Config{Limits: rowcast.Limits{Connections: 2}}, ServeOptions{})
	subscribe(t, h.url, "channel=Card")
	second := subscribe(t, h.url, "channel=Card")
	turnedAway(t, h.url, "overloaded")
	second.close()
	eventually(t, "there is room again", func() bool { return h.engine.Stats().Connections == 1 })
	subscribe(t, h.url, "channel=Card")
}

// badTransport fails in its own way.
type badTransport struct {
	name    string
	publish func(context.Context) error
}

func (b badTransport) Name() string                                        { return b.name }
func (b badTransport) Publish(ctx context.Context, _ rowcast.Record) error { return b.publish(ctx) }

func testBadTransports(t *testing.T, h *transportHarness) {
	release := make(chan struct{})
	h.start(t, rowcast.Config{
		Limits: rowcast.Limits{TransportQueue: 1},
		Transports: []rowcast.Transport{
			badTransport{"fails", func(context.Context) error { return context.Canceled }},
			badTransport{"panics", func(context.Context) error { panic("a transport") }},
			badTransport{"blocks", func(context.Context) error { <-release; return nil }},
		},
	}, ServeOptions{})
	defer close(release)
	s := subscribe(t, h.url, "channel=Card")
	for i := range 20 {
		create(t, h.engine, 1, itoa(i))
		if got := s.title(); got != itoa(i) {
			t.Fatalf("change %d came as %q", i, got)
		}
	}
	if h.engine.Stats().TransportErrors == 0 {
		t.Error("nothing was counted")
	}
}
