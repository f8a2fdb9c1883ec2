package conformance

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/sse"
)

// streamCases are about the stream itself: headers, first frame, ids, heartbeats.
func streamCases() []transportCase {
	return []transportCase{
		{"headers", "200, Content-Type: text/event-stream, Cache-Control: no-cache, no-transform, X-Accel-Buffering: no", testHeaders},
		{"first frame", "Headers and the first frame are flushed at once, before any event exists", testFirstFrame},
		{"partly denied", "If some channels are refused the stream opens and subscribed lists them in denied", testPartlyDenied},
		{"head", "HEAD answers the headers a GET would get and opens nothing", testHead},
		{"accept", "Accept: absent, */*, text/* and text/event-stream pass", testAccept},
		{"last event id", "What was missed cannot be replayed: resync, with the position from which it is live", testLastEventID},
		{"heartbeat", "A heartbeat is a comment line and, when the queue is empty, the current id", testHeartbeat},
		{"heartbeat moves the id", "A heartbeat moves the resume point of a client that gets nothing", testHeartbeatMoves},
		{"ids", "An id on a frame means that everything at or before it has been written: ids never decrease", testIDs},
	}
}

func testHeaders(t *testing.T, h *transportHarness) {
	h.plain(t)
	s := open(t, h.url+"?channel=Card", nil)
	want := map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform",
		"X-Accel-Buffering": "no", "Content-Length": "", "Content-Encoding": "",
	}
	for name, value := range want {
		if got := s.response.Header.Get(name); got != value {
			t.Errorf("%s is %q, want %q", name, got, value)
		}
	}
}

func testFirstFrame(t *testing.T, h *transportHarness) {
	h.plain(t)
	first := open(t, h.url+"?channel=Card&channel=Card.007&channels=Note,Card", nil).next()
	var data struct {
		Connection string
		Channels   []string
		Denied     []any
	}
	first.decode(t, &data)
	if len(data.Connection) < 22 || strings.Join(data.Channels, " ") != "Card Card.7 Note" || data.Denied == nil || len(data.Denied) != 0 {
		t.Errorf("subscribed says %s", first.data)
	}
	want := "retry: 3000\nid: " + h.engine.Stats().Position + "\nevent: subscribed\ndata: " + first.data + "\n\n"
	if first.raw != want {
		t.Errorf("the first frame is\n%swant\n%s", first.raw, want)
	}
}

func testPartlyDenied(t *testing.T, h *transportHarness) {
	h.plain(t)
	first := open(t, h.url+"?channel=Nope.1&channel=Card", nil).next()
	if !strings.HasSuffix(first.data, `"channels":["Card"],"denied":[{"channel":"Nope.1","reason":"unknown-channel"}]}`) {
		t.Errorf("subscribed says %s", first.data)
	}
}

func testHead(t *testing.T, h *transportHarness) {
	h.plain(t)
	// On one connection, the second request is answered only if the first has been done with.
	one := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}, Timeout: patience}
	defer one.CloseIdleConnections()
	for _, query := range []string{"channel=Card", "channel=Nope", ""} {
		status := map[string]int{"channel=Card": 200, "channel=Nope": 403, "": 400}[query]
		answer, err := one.Head(h.url + "?" + query)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != status {
			t.Errorf("HEAD ?%s: %s, want %d", query, answer.Status, status)
		}
		if status == 200 && answer.Header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("HEAD ?%s: Content-Type %q", query, answer.Header.Get("Content-Type"))
		}
	}
	if n := h.engine.Stats().Connections; n != 0 {
		t.Errorf("HEAD opened %d connections", n)
	}
}

func testAccept(t *testing.T, h *transportHarness) {
	h.plain(t)
	for _, accept := range []string{"", "*/*", "text/*", "text/event-stream", "text/html, text/event-stream;q=0.5", "application/json, */*;q=0.1"} {
		open(t, h.url+"?channel=Card", http.Header{"Accept": {accept}}).next()
	}
}

func testLastEventID(t *testing.T, h *transportHarness) {
	h.plain(t)
	for range 3 {
		create(t, h.engine, 1, "before")
	}
	head := awaitPosition(t, h.engine, 3)
	epoch, _, _ := strings.Cut(head, ".")
	cases := map[string]string{
		head: "history-lost", epoch + ".1": "history-lost", epoch + ".999": "unknown-position",
		"other.1": "unknown-position", "nonsense": "unknown-position", "1": "unknown-position",
	}
	for id, reason := range cases {
		for _, s := range []*stream{
			open(t, h.url+"?channel=Card", http.Header{"Last-Event-Id": {id}}),
			open(t, h.url+"?channel=Card&lastEventId="+escape(id), nil),
		} {
			if first := s.next(); (first.id == id) != (reason == "history-lost") || first.hasID != (first.id == id) {
				t.Errorf("after %q came\n%sand ids must not decrease", id, first.raw)
			}
			got := s.next()
			if got.event != "resync" || got.data != `{"reason":"`+reason+`","channels":["Card"]}` || got.id != head {
				t.Errorf("after %q came\n%swant resync, %s, with the id %s", id, got.raw, reason, head)
			}
		}
	}
}

// awaitPosition waits until the hub has read this many entries, and returns where it is.
func awaitPosition(t *testing.T, engine *rowcast.Engine, entries int) string {
	t.Helper()
	suffix := "." + itoa(entries)
	eventually(t, "the hub reads the log", func() bool { return strings.HasSuffix(engine.Stats().Position, suffix) })
	return engine.Stats().Position
}

// often is a heartbeat that a test can wait for.
var often = ServeOptions{Stream: sse.Options{Heartbeat: 20 * time.Millisecond}}

func testHeartbeat(t *testing.T, h *transportHarness) {
	h.start(t, rowcast.Config{}, often)
	s := subscribe(t, h.url, "channel=Card")
	if got, want := s.next().raw, ":\nid: "+h.engine.Stats().Position+"\n\n"; got != want {
		t.Errorf("the heartbeat is %q, want %q", got, want)
	}
}

func testHeartbeatMoves(t *testing.T, h *transportHarness) {
	h.start(t, rowcast.Config{}, often)
	s := subscribe(t, h.url, "channel=Note")
	create(t, h.engine, 1, "not for this client")
	for f := s.next(); !strings.HasSuffix(f.id, ".1"); f = s.next() {
		if f.event != "" {
			t.Fatalf("the client got\n%s", f.raw)
		}
	}
}

func testIDs(t *testing.T, h *transportHarness) {
	h.start(t, rowcast.Config{}, often)
	s := subscribe(t, h.url, "channel=Card")
	for i := range 50 {
		create(t, h.engine, 1, "card")
		if i%2 == 0 {
			publish(t, h.engine, rowcast.Change{Entity: "Note", Event: rowcast.Created, After: rowcast.Values{"slug": "a", "title": "b"}})
		}
	}
	last, cards := uint64(0), 0
	for cards < 50 {
		f := s.next()
		position, err := rowcast.ParsePosition(f.id)
		if err != nil || position.Seq < last || f.event != "" && position.Seq == last {
			t.Fatalf("after %d came %q: %v", last, f.id, err)
		}
		last = position.Seq
		if f.event != "" {
			cards++
		}
	}
}
