package conformance

import (
	"strings"
	"testing"
	"time"

	"github.com/rowcast/rowcast/core"
)

// changeCases are about what a client gets of a change.
func changeCases() []transportCase {
	return []transportCase{
		{"a change", "The frame of a change: id, event, and the members of its data in order", testChangeBytes},
		{"five events", "The SSE event name is the event id; changed only on updated and patched, cause only on deleted", testFiveEvents},
		{"item and collection", "One change reaches the item channel and the collection channel", testItemAndCollection},
		{"one frame for several channels", "Several channels that match one record give one frame", testOneFrame},
		{"fields", "fields narrows item and changed", testFields},
		{"subscribable fields", "subscribableFields always bounds the item, whether or not fields was given", testSubscribableFields},
		{"filter", "Only changes of rows for which the filter is true; a row that leaves it is deleted, cause filter, id only", testFilter},
		{"strange ids", "Ids may hold dots, commas, percent signs, spaces, any letter, line breaks", testStrangeIDs},
		{"composite ids", "A composite id joins its parts with commas, each percent-encoded where it holds , or %", testCompositeIDs},
		{"strange text", "Text in frames is JSON on one line, valid UTF-8 whatever the row holds", testStrangeText},
		{"degraded values", "A value that JSON cannot hold is null and reported, and never loses the event", testDegraded},
		{"a view that panics", "A view that panics shows its field as null and disturbs nobody", testViewPanics},
		{"resync", "resync says that rows changed which are not told one by one", testResync},
		{"order", "Every client gets the changes in the order of the log, each exactly once", testOrder},
	}
}

func testChangeBytes(t *testing.T, h *transportHarness) {
	h.plain(t)
	s := subscribe(t, h.url, "channel=Card")
	row := card(7, "Dune")
	row["due"] = time.Date(2026, 12, 1, 9, 0, 0, 123456789, time.FixedZone("", 3600))
	publish(t, h.engine, rowcast.Change{
		Entity: "Card", Event: rowcast.Patched, After: row, Written: []string{"secret", "title", "due"},
		OccurredAt: time.Date(2026, 11, 30, 22, 30, 40, 120000999, time.UTC),
	})
	got := s.next()
	want := "id: " + got.id + "\nevent: patched\n" +
		`data: {"event":"patched","entity":"Card","id":"7","channel":"Card.7","occurredAt":"2026-11-30T22:30:40.120000Z",` +
		`"item":{"id":7,"title":"Dune","points":3,"note":null,"due":"2026-12-01T08:00:00.123456Z"},"changed":["title","due"]}` + "\n\n"
	if got.raw != want || got.id != h.engine.Stats().Position {
		t.Errorf("got\n%swant\n%s", got.raw, want)
	}
}

func testFiveEvents(t *testing.T, h *transportHarness) {
	h.plain(t)
	s := subscribe(t, h.url, "channel=Card")
	for _, event := range rowcast.EventIDs() {
		change := rowcast.Change{Entity: "Card", Event: event, Before: card(1, "a"), After: card(1, "b"), Written: []string{"title"}}
		if event == rowcast.Deleted {
			change.After = nil
		}
		publish(t, h.engine, change)
		f := s.message()
		got := f.change(t)
		tellsChanged := event == rowcast.Updated || event == rowcast.Patched
		if got.Event != string(event) || strings.Contains(f.data, `"changed"`) != tellsChanged {
			t.Errorf("%s came as %s", event, f.data)
		}
		if deleted := event == rowcast.Deleted; (got.Item == nil) != deleted || (got.Cause == "deleted") != deleted || strings.Contains(f.data, `"cause"`) != deleted {
			t.Errorf("%s came as %s", event, f.data)
		}
	}
}

func testItemAndCollection(t *testing.T, h *transportHarness) {
	h.plain(t)
	all, one, other := subscribe(t, h.url, "channel=Card"), subscribe(t, h.url, "channel=Card.1"), subscribe(t, h.url, "channel=Card.2")
	create(t, h.engine, 1, "first")
	create(t, h.engine, 2, "second")
	first := all.message()
	if second := all.title(); second != "second" {
		t.Errorf("the collection got %q second", second)
	}
	if got := one.message(); got.raw != first.raw {
		t.Errorf("the item channel got\n%sthe collection\n%s", got.raw, first.raw)
	}
	if got := other.title(); got != "second" {
		t.Errorf("the other row's channel got %q", got)
	}
}

func testOneFrame(t *testing.T, h *transportHarness) {
	h.plain(t)
	s := subscribe(t, h.url, "channel=Card&channel=Card.1&channel=Note")
	create(t, h.engine, 1, "once")
	create(t, h.engine, 2, "canary")
	if a, b := s.title(), s.title(); a != "once" || b != "canary" {
		t.Errorf("got %q, then %q", a, b)
	}
}

func testFields(t *testing.T, h *transportHarness) {
	h.plain(t)
	narrow := subscribe(t, h.url, "channel=Card&fields=title,id")
	several := subscribe(t, h.url, "channel=Card&channel=Note&fields[Card]=points")
	patch(t, h.engine, 1, "t")
	if got := narrow.message().data; !strings.HasSuffix(got, `"item":{"id":1,"title":"t"},"changed":["title"]}`) {
		t.Errorf("got %s", got)
	}
	if got := several.message().data; !strings.HasSuffix(got, `"item":{"points":3},"changed":[]}`) {
		t.Errorf("got %s", got)
	}
}

func testSubscribableFields(t *testing.T, h *transportHarness) {
	h.start(t, rowcast.Config{}, ServeOptions{}, func(e *rowcast.Entity) {
		if e.Name == "Card" {
			e.Settings.SubscribableFields = rowcast.Except("note", "title")
		}
	})
	s := subscribe(t, h.url, "channel=Card")
	patch(t, h.engine, 1, "t")
	if got := s.message().data; !strings.HasSuffix(got, `"item":{"id":1,"points":3,"due":null},"changed":[]}`) {
		t.Errorf("got %s", got)
	}
	if p, _ := refused(t, "GET", h.url+"?channel=Card&fields=title", nil); p.Status != 400 {
		t.Errorf("a field outside got %d", p.Status)
	}
}

func testFilter(t *testing.T, h *transportHarness) {
	h.plain(t)
	streams := []*stream{
		subscribe(t, h.url, "channel=Card&filter[title][in]=a,b&filter[points][gte]=3"),
		subscribe(t, h.url, "channel=Card.1&filter="+escape(`{"title":{"in":["a","b"]},"points":{"gte":3}}`)),
	}
	change := func(event rowcast.EventID, before, after string) {
		c := rowcast.Change{Entity: "Card", Event: event, ID: "1", Written: []string{"title"}}
		if before != "" {
			c.Before = card(1, before)
		}
		if after != "" {
			c.After = card(1, after)
		}
		publish(t, h.engine, c)
	}
	change(rowcast.Created, "", "c")
	change(rowcast.Patched, "c", "a") // enters
	change(rowcast.Patched, "a", "b")
	change(rowcast.Patched, "b", "c") // leaves
	change(rowcast.Patched, "c", "d")
	change(rowcast.Deleted, "d", "")
	change(rowcast.Created, "", "a")
	change(rowcast.Deleted, "a", "")
	for _, s := range streams {
		for _, want := range []string{"patched a", "patched b", "deleted filter", "created a", "deleted deleted"} {
			f := s.message()
			c := f.change(t)
			got := c.Event + " " + c.Cause
			if c.Item != nil {
				got = c.Event + " " + c.Item["title"].(string)
			}
			if got != want || c.Event == "deleted" && !strings.Contains(f.data, `"item":null`) {
				t.Errorf("got %s, want %s", f.data, want)
			}
		}
	}
}

// strangeTexts are what people put into ids.
var strangeTexts = []string{"a.b.c", "a,b", "100%", "%2C", "a b", "grüße-日本", "line\nbreak\r\n", `"quoted"\`, "data: x", "\u2028", "-", "+", "/?#&="}

func testStrangeIDs(t *testing.T, h *transportHarness) {
	h.plain(t)
	for _, id := range strangeTexts {
		one, all := subscribe(t, h.url, "channel=Note."+escape(id)), subscribe(t, h.url, "channel=Note")
		publish(t, h.engine, rowcast.Change{Entity: "Note", Event: rowcast.Created, After: rowcast.Values{"slug": id, "title": "t"}})
		for _, s := range []*stream{one, all} {
			if got := s.message().change(t); got.ID != id || got.Channel != "Note."+id {
				t.Errorf("%q came as %q on %q", id, got.ID, got.Channel)
			}
		}
	}
}

func testCompositeIDs(t *testing.T, h *transportHarness) {
	h.plain(t)
	for _, sku := range strangeTexts {
		id := "7," + strings.NewReplacer("%", "%25", ",", "%2C").Replace(sku)
		s := subscribe(t, h.url, "channel=Line."+escape(id))
		publish(t, h.engine, rowcast.Change{Entity: "Line", Event: rowcast.Created, After: rowcast.Values{"order": 7, "sku": sku, "title": "t"}})
		if got := s.message().change(t); got.ID != id {
			t.Errorf("the key (7, %q) came as %q, want %q", sku, got.ID, id)
		}
	}
}

func testStrangeText(t *testing.T, h *transportHarness) {
	h.plain(t)
	s := subscribe(t, h.url, "channel=Card")
	for _, title := range append([]string{"\x00\x1f\x7f", "id: 1\n\nevent: bye\n\n", "</script>", "\U0001F600"}, strangeTexts...) {
		create(t, h.engine, 1, title)
		if got := s.title(); got != title {
			t.Errorf("%q came as %q", title, got)
		}
	}
	create(t, h.engine, 1, "a\xffb")
	if got := s.title(); got != "a\uFFFDb" {
		t.Errorf("text that is not UTF-8 came as %q", got)
	}
}

func testDegraded(t *testing.T, h *transportHarness) {
	reports := make(chan error, 1)
	h.start(t, rowcast.Config{Defaults: rowcast.Settings{OnPublishError: func(_ rowcast.Record, err error) { reports <- err }}}, ServeOptions{})
	s := subscribe(t, h.url, "channel=Card")
	row := card(1, "year 10000")
	row["due"] = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	publish(t, h.engine, rowcast.Change{Entity: "Card", Event: rowcast.Created, After: row})
	if got := s.message().change(t); got.Item["title"] != "year 10000" || got.Item["due"] != nil {
		t.Errorf("got %v", got.Item)
	}
	if err := <-reports; !strings.Contains(err.Error(), "Card.due") {
		t.Errorf("reported was %v", err)
	}
}

func testViewPanics(t *testing.T, h *transportHarness) {
	h.start(t, rowcast.Config{}, ServeOptions{}, func(e *rowcast.Entity) {
		if e.Name == "Note" {
			e.View.Render = map[string]func(any) any{"title": func(any) any { panic("a view") }}
		}
	})
	s := subscribe(t, h.url, "channel=Note&channel=Card")
	publish(t, h.engine, rowcast.Change{Entity: "Note", Event: rowcast.Created, After: rowcast.Values{"slug": "a", "title": "b"}})
	create(t, h.engine, 1, "canary")
	if got := s.message().data; !strings.HasSuffix(got, `"item":{"slug":"a","title":null}}`) {
		t.Errorf("got %s", got)
	}
	if got := s.title(); got != "canary" {
		t.Errorf("then came %q", got)
	}
}

func testResync(t *testing.T, h *transportHarness) {
	h.plain(t)
	both, other := subscribe(t, h.url, "channel=Card&channel=Card.1&channel=Note"), subscribe(t, h.url, "channel=Note")
	batch := h.engine.Begin()
	if err := batch.Resync("Card", rowcast.ResyncOverflow); err != nil {
		t.Fatal(err)
	}
	if err := batch.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	publish(t, h.engine, rowcast.Change{Entity: "Note", Event: rowcast.Created, After: rowcast.Values{"slug": "a", "title": "canary"}})
	got := both.message()
	if got.event != "resync" || got.data != `{"reason":"overflow","channels":["Card","Card.1"]}` || !got.hasID {
		t.Errorf("got\n%s", got.raw)
	}
	for _, s := range []*stream{both, other} {
		if got := s.title(); got != "canary" {
			t.Errorf("then came %q", got)
		}
	}
}

func testOrder(t *testing.T, h *transportHarness) {
	h.plain(t)
	streams := []*stream{subscribe(t, h.url, "channel=Card"), subscribe(t, h.url, "channel=Card&fields=title")}
	const changes = 300
	go func() {
		for i := range changes {
			create(t, h.engine, i%5, itoa(i))
		}
	}()
	for _, s := range streams {
		for i := range changes {
			if got := s.title(); got != itoa(i) {
				t.Fatalf("change %d came as %q", i, got)
			}
		}
	}
}
