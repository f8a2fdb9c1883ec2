package conformance

import (
	"context"
	"net/http"
	"testing"

	"github.com/rowcast/rowcast/core"
)

// writeCases are about requests that write, behind the middleware.
func writeCases() []transportCase {
	return []transportCase{
		{"position", "The response carries Rowcast-Position when the request's writes have reached the log", testPosition},
		{"echo", "A subscription with echo=false does not get what is written on behalf of its own connection", testEcho},
	}
}

// writes serves an engine whose write route creates a card called after the position in the row.
func (h *transportHarness) writes(t *testing.T, titles ...string) {
	t.Helper()
	next := 0
	h.start(t, rowcast.Config{}, ServeOptions{Write: func(ctx context.Context) {
		if next == len(titles) {
			return // a request that writes nothing
		}
		title := titles[next]
		next++
		if err := h.engine.Publish(ctx, rowcast.Change{Entity: "Card", Event: rowcast.Created, After: card(1, title)}); err != nil {
			t.Error(err)
		}
	}})
}

// post sends a write on behalf of a connection, and returns the position that the response names.
func (h *transportHarness) post(t *testing.T, connection string) string {
	t.Helper()
	header := http.Header{}
	if connection != "" {
		header.Set(rowcast.HeaderConnection, connection)
	}
	answer := request(t, t.Context(), http.MethodPost, h.url+"/write", header)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusNoContent {
		t.Fatalf("POST: %s", answer.Status)
	}
	return answer.Header.Get(rowcast.HeaderPosition)
}

func testPosition(t *testing.T, h *transportHarness) {
	h.writes(t, "a", "b")
	s := subscribe(t, h.url, "channel=Card")
	for _, title := range []string{"a", "b"} {
		position := h.post(t, "")
		f := s.message()
		if position == "" || position != f.id || f.change(t).Item["title"] != title {
			t.Errorf("the response says %q, the event is\n%s", position, f.raw)
		}
	}
	if position := h.post(t, ""); position != "" {
		t.Errorf("a request that wrote nothing says %q", position)
	}
}

func testEcho(t *testing.T, h *transportHarness) {
	h.writes(t, "own", "another's", "nobody's")
	quiet, loud := open(t, h.url+"?channel=Card&echo=false", nil), open(t, h.url+"?channel=Card&echo=true", nil)
	var data struct{ Connection string }
	loud.next()
	quiet.next().decode(t, &data)
	h.post(t, data.Connection)
	h.post(t, "someone-else")
	h.post(t, "")
	for s, titles := range map[*stream][]string{quiet: {"another's", "nobody's"}, loud: {"own", "another's", "nobody's"}} {
		for _, want := range titles {
			if got := s.title(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
}
