package conformance

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/rowcast/rowcast/core"
)

func storeEventCases() []storeCase {
	return []storeCase{
		{"events", "Every write publishes one event, named after its operation", testStoreEvents},
		{"failed writes", "A write that fails publishes nothing", testStoreFailedEvents},
		{"concurrent writes", "The events of a row have the order of its writes, whoever made them", testStoreConcurrent},
	}
}

// watch subscribes from Go and gives each change as text: «patched 1 title».
func (h *storeHarness) watch(channels ...string) func() (text string, c change) {
	h.t.Helper()
	s, err := h.engine.Subscribe(h.t.Context(), rowcast.SubscribeRequest{Channels: channels})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(s.Close)
	var waiting []*rowcast.Frame
	next := func() *rowcast.Frame {
		h.t.Helper()
		for more := true; len(waiting) == 0; {
			if !more {
				h.t.Fatal("the subscription ended")
			}
			<-s.Ready()
			waiting, more = s.Take(nil)
		}
		frame := waiting[0]
		waiting = waiting[1:]
		return frame
	}
	next() // subscribed
	return func() (string, change) {
		h.t.Helper()
		frame := next()
		var c change
		if err := json.Unmarshal(frame.Data, &c); err != nil {
			h.t.Fatal(err)
		}
		return fmt.Sprintf("%s %s %v %s", c.Event, c.ID, c.Item["title"], strings.Join(c.Changed, ",")), c
	}
}

func testStoreEvents(t *testing.T, h *storeHarness) {
	next := h.watch("Card", "Line")
	steps := []struct {
		entity, operation, id string
		values                rowcast.Values
		want                  string
	}{
		{"Card", rowcast.CreateOne, "", rowcast.Values{"id": 1, "title": "a", "secret": "s"}, "created 1 a "},
		{"Card", rowcast.PatchOne, "1", rowcast.Values{"title": "b", "secret": "t"}, "patched 1 b title"},
		{"Card", rowcast.PatchOne, "1", rowcast.Values{"title": "b"}, "patched 1 b title"},
		{"Card", rowcast.UpdateOne, "1", rowcast.Values{"points": 3, "title": "c"}, "updated 1 c title,points"},
		{"Card", rowcast.DeleteOne, "1", nil, "deleted 1 <nil> "},
		{"Card", rowcast.RestoreOne, "1", nil, "restored 1 c "},
		{"Card", rowcast.DeleteOne, "1", nil, "deleted 1 <nil> "},
		{"Card", rowcast.PurgeOne, "1", nil, "deleted 1 <nil> "},
		{"Line", rowcast.CreateOne, "", rowcast.Values{"order": 1, "sku": "a,b", "title": "l"}, "created 1,a%2Cb l "},
		{"Line", rowcast.DeleteOne, "1,a%2Cb", nil, "deleted 1,a%2Cb <nil> "},
	}
	for _, step := range steps {
		h.do(step.entity, step.operation, step.id, step.values)
		if got, _ := next(); got != step.want {
			t.Errorf("%s %v gave %q, want %q", step.operation, step.values, got, step.want)
		}
	}
}

func testStoreFailedEvents(t *testing.T, h *storeHarness) {
	next := h.watch("Card")
	h.do("Card", rowcast.CreateOne, "", rowcast.Values{"id": 1, "title": "a"})
	next()
	h.fails(rowcast.ErrConflict, "Card", rowcast.CreateOne, "", rowcast.Values{"id": 1, "title": "b"})
	h.fails(rowcast.ErrNotFound, "Card", rowcast.PatchOne, "2", rowcast.Values{"title": "b"})
	h.refuses("points", "Card", rowcast.PatchOne, "1", rowcast.Values{"points": "many"})
	h.do("Card", rowcast.PatchOne, "1", rowcast.Values{"title": "canary"})
	if got, _ := next(); got != "patched 1 canary title" {
		t.Errorf("the failed writes gave %q", got)
	}
}

func testStoreConcurrent(t *testing.T, h *storeHarness) {
	const writers, writes, rows = 8, 25, 3
	next := h.watch("Card")
	for id := range rows {
		h.do("Card", rowcast.CreateOne, "", rowcast.Values{"id": id + 1, "title": "start"})
		next()
	}
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range writes {
				id := itoa((w+i)%rows + 1)
				if _, err := h.try("Card", rowcast.PatchOne, id, rowcast.Values{"title": fmt.Sprintf("%d/%d", w, i)}); err != nil {
					t.Errorf("writer %d: %v", w, err)
				}
			}
		})
	}
	last := make(map[string]any)
	for range writers * writes {
		_, c := next()
		last[c.ID] = c.Item["title"]
	}
	writing.Wait()
	for id := range rows {
		id := itoa(id + 1)
		if row := h.do("Card", rowcast.ReadOne, id, nil); row["title"] != last[id] {
			t.Errorf("row %s holds %q, its last event said %q", id, row["title"], last[id])
		}
	}
}
