package rowcast_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
	"github.com/rowcast/rowcast/memstore"
)

var quiet = slog.New(slog.DiscardHandler)

func itoa(n int) string { return strconv.Itoa(n) }

// bookEntity is what most tests are about.
func bookEntity() rowcast.Entity {
	return rowcast.Entity{
		Name: "Book",
		Fields: []rowcast.Field{
			{Name: "id", Kind: filter.Int},
			{Name: "title", Kind: filter.String},
			{Name: "pages", Kind: filter.Int, Nullable: true},
			{Name: "secret", Kind: filter.String, Hidden: true},
			{Name: "deletedAt", Kind: filter.Time, Nullable: true, Hidden: true},
		},
		Key: []string{"id"}, SoftDelete: "deletedAt",
		Settings: rowcast.Settings{Realtime: rowcast.On},
		Store:    memstore.NewStore(),
	}
}

func newEngine(t testing.TB, config rowcast.Config, entities ...rowcast.Entity) *rowcast.Engine {
	t.Helper()
	return newEngineOn(t, newLog(), config, entities...)
}

func newEngineOn(t testing.TB, log rowcast.Log, config rowcast.Config, entities ...rowcast.Entity) *rowcast.Engine {
	t.Helper()
	if config.Logger == nil {
		config.Logger = quiet
	}
	engine, err := rowcast.New(log, config)
	if err != nil {
		t.Fatal(err)
	}
	for _, entity := range entities {
		if err := engine.Register(entity); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := engine.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return engine
}

func started(t testing.TB, config rowcast.Config, entities ...rowcast.Entity) *rowcast.Engine {
	t.Helper()
	return startedOn(t, newLog(), config, entities...)
}

func startedOn(t testing.TB, log rowcast.Log, config rowcast.Config, entities ...rowcast.Entity) *rowcast.Engine {
	t.Helper()
	engine := newEngineOn(t, log, config, entities...)
	if err := engine.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	return engine
}

// frames reads a subscription frame by frame.
type frames struct {
	t    testing.TB
	next func() (*rowcast.Frame, error, bool)
}

func subscribe(t testing.TB, engine *rowcast.Engine, request rowcast.SubscribeRequest) *frames {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s, err := engine.Subscribe(ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	f := &frames{t: t}
	pending := []*rowcast.Frame{}
	f.next = func() (*rowcast.Frame, error, bool) {
		for len(pending) == 0 {
			<-s.Ready()
			var more bool
			pending, more = s.Take(pending)
			if len(pending) == 0 && !more {
				return nil, nil, false
			}
		}
		frame := pending[0]
		pending = pending[1:]
		return frame, nil, true
	}
	t.Cleanup(func() { cancel(); s.Close() })
	if first := f.take(); first.Event != rowcast.FrameSubscribed {
		t.Fatalf("the first frame is %q", first.Event)
	}
	return f
}

func (f *frames) take() *rowcast.Frame {
	f.t.Helper()
	frame, err, ok := f.next()
	if !ok || err != nil {
		f.t.Fatalf("the subscription ended: %v", err)
	}
	return frame
}

// payload is a change's frame as a client reads it.
type payload struct {
	Event   string         `json:"event"`
	Entity  string         `json:"entity"`
	ID      string         `json:"id"`
	Channel string         `json:"channel"`
	Item    map[string]any `json:"item"`
	Changed []string       `json:"changed"`
	Cause   string         `json:"cause"`
}

func (f *frames) change() payload {
	f.t.Helper()
	frame := f.take()
	var p payload
	if err := json.Unmarshal(frame.Data, &p); err != nil || p.Event != frame.Event {
		f.t.Fatalf("frame %q holds %s: %v", frame.Event, frame.Data, err)
	}
	return p
}

func execute(t testing.TB, engine *rowcast.Engine, operation string, input rowcast.Input) rowcast.Values {
	t.Helper()
	row, err := engine.Execute(context.Background(), "Book", operation, input)
	if err != nil {
		t.Fatalf("%s: %v", operation, err)
	}
	return row
}

func TestStandardOperationsPublish(t *testing.T) {
	engine := started(t, rowcast.Config{}, bookEntity())
	all := subscribe(t, engine, rowcast.SubscribeRequest{Channels: []string{"Book"}})
	steps := []struct {
		operation string
		input     rowcast.Input
		want      string
	}{
		{rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "Dune", "secret": "s"}}, `created 1 {"id":1,"pages":null,"title":"Dune"}`},
		{rowcast.PatchOne, rowcast.Input{ID: "1", Values: rowcast.Values{"pages": 600, "secret": "t"}}, `patched 1 {"id":1,"pages":600,"title":"Dune"} [pages]`},
		{rowcast.UpdateOne, rowcast.Input{ID: "001", Values: rowcast.Values{"title": "Dune II"}}, `updated 1 {"id":1,"pages":null,"title":"Dune II"} [title pages]`},
		{rowcast.DeleteOne, rowcast.Input{ID: "1"}, `deleted 1 null deleted`},
		{rowcast.RestoreOne, rowcast.Input{ID: "1"}, `restored 1 {"id":1,"pages":null,"title":"Dune II"}`},
		{rowcast.PurgeOne, rowcast.Input{ID: "1"}, `deleted 1 null deleted`},
	}
	for _, step := range steps {
		execute(t, engine, step.operation, step.input)
		if got := all.change().String(); got != step.want {
			t.Errorf("%s gave\n%s, want\n%s", step.operation, got, step.want)
		}
	}
}

func (p payload) String() string {
	item, _ := json.Marshal(p.Item)
	text := p.Event + " " + p.ID + " " + string(item)
	if p.Changed != nil {
		text += " [" + strings.Join(p.Changed, " ") + "]"
	}
	if p.Cause != "" {
		text += " " + p.Cause
	}
	return text
}

func TestFailedWritePublishesNothing(t *testing.T) {
	engine := started(t, rowcast.Config{}, bookEntity())
	all := subscribe(t, engine, rowcast.SubscribeRequest{Channels: []string{"Book"}})
	_, err := engine.Execute(context.Background(), "Book", rowcast.PatchOne, rowcast.Input{ID: "9", Values: rowcast.Values{"title": "x"}})
	if !errors.Is(err, rowcast.ErrNotFound) {
		t.Fatalf("got %v", err)
	}
	execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "canary"}})
	if got := all.change(); got.Event != "created" {
		t.Fatalf("got %v before the canary", got)
	}
}
