package rowcast_test

import (
	"context"
	"testing"

	"github.com/rowcast/rowcast/core"
)

// setting is one level of the chain; nil leaves the level out.
type setting = rowcast.Settings

func muted(ids ...rowcast.EventID) map[rowcast.EventID]bool {
	events := make(map[rowcast.EventID]bool)
	for _, id := range ids {
		events[id] = false
	}
	return events
}

func TestSettingsChain(t *testing.T) {
	on, off := setting{Realtime: rowcast.On}, setting{Realtime: rowcast.Off}
	cases := []struct {
		name                              string
		defaults, entity, operation, call setting
		published                         bool // a patch
	}{
		{"off unless some level turns it on", setting{}, setting{}, setting{}, setting{}, false},
		{"the engine turns it on", on, setting{}, setting{}, setting{}, true},
		{"the entity turns it on", setting{}, on, setting{}, setting{}, true},
		{"the operation turns it on", setting{}, setting{}, on, setting{}, true},
		{"the call turns it on", setting{}, setting{}, setting{}, on, true},
		{"off at the entity", on, off, setting{}, setting{}, false},
		{"off at the operation", on, on, off, setting{}, false},
		{"off at the call", on, on, on, off, false},
		{"later wins", off, off, on, setting{}, true},
		{"any value turns it on", setting{}, setting{Events: muted(rowcast.Created)}, setting{}, setting{}, true},
		{"an empty value too", setting{}, setting{Events: muted()}, setting{}, setting{}, true},
		{"off at a level turns its whole subtree off", on, setting{Realtime: rowcast.Off, Events: muted(rowcast.Created)}, setting{}, setting{}, false},
		{"events are opt-out", on, setting{Events: muted(rowcast.Created, rowcast.Deleted)}, setting{}, setting{}, true},
		{"a muted event", on, setting{Events: muted(rowcast.Patched)}, setting{}, setting{}, false},
		{"muted by the engine", setting{Events: muted(rowcast.Patched)}, on, setting{}, setting{}, false},
		{"unmuted later, key by key", setting{Events: muted(rowcast.Patched)}, setting{}, setting{}, setting{Events: map[rowcast.EventID]bool{rowcast.Patched: true}}, true},
		{"muted for one call", on, setting{}, setting{}, setting{Events: muted(rowcast.Patched)}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			entity := bookEntity()
			entity.Settings = c.entity
			entity.Operations = map[string]rowcast.Operation{rowcast.PatchOne: {Settings: c.operation}}
			engine := started(t, rowcast.Config{Defaults: c.defaults}, entity)
			execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "a"}})
			before := engine.Stats().Published
			execute(t, engine, rowcast.PatchOne, rowcast.Input{ID: "1", Values: rowcast.Values{"title": "b"}, Settings: c.call})
			if got := engine.Stats().Published > before; got != c.published {
				t.Errorf("published is %v, want %v", got, c.published)
			}
		})
	}
}

func TestSettingsAreImmutable(t *testing.T) {
	defaults, events := muted(rowcast.Deleted), muted()
	names := []string{"title"}
	entity := bookEntity()
	entity.Settings = setting{Events: events, SubscribableFields: rowcast.Only(names...)}
	entity.Operations = map[string]rowcast.Operation{}
	engine := started(t, rowcast.Config{Defaults: setting{Events: defaults}}, entity)
	events[rowcast.Created], defaults[rowcast.Created], names[0] = false, false, "pages"
	entity.Fields[1].Hidden = true
	entity.Key[0] = "title"
	all := subscribe(t, engine, rowcast.SubscribeRequest{Channels: []string{"Book"}})
	execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "a"}})
	if got := all.change().String(); got != `created 1 {"title":"a"}` {
		t.Errorf("got %s", got)
	}
}

func TestSubscribableFieldsNarrowPerOperation(t *testing.T) {
	entity := bookEntity()
	entity.Settings.SubscribableFields = rowcast.Except("pages")
	entity.Operations = map[string]rowcast.Operation{
		rowcast.CreateOne: {Settings: setting{SubscribableFields: rowcast.Only("id")}},
		rowcast.PatchOne:  {Settings: setting{SubscribableFields: rowcast.AllFields}},
	}
	engine := started(t, rowcast.Config{}, entity)
	all := subscribe(t, engine, rowcast.SubscribeRequest{Channels: []string{"Book"}})
	execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "a"}})
	execute(t, engine, rowcast.PatchOne, rowcast.Input{ID: "1", Values: rowcast.Values{"pages": 3, "title": "b"}})
	for _, want := range []string{`created 1 {"id":1}`, `patched 1 {"id":1,"title":"b"} [title]`} {
		if got := all.change().String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestEntityThatIsOffIsNoChannel(t *testing.T) {
	entity := bookEntity()
	entity.Settings = setting{Realtime: rowcast.Off}
	engine := started(t, rowcast.Config{}, entity)
	_, err := engine.Subscribe(context.Background(), rowcast.SubscribeRequest{Channels: []string{"Book"}})
	refusal, ok := err.(*rowcast.Error)
	if !ok || refusal.Status != 403 || refusal.Denied[0].Reason != rowcast.DeniedUnknownChannel {
		t.Errorf("got %v", err)
	}
}
