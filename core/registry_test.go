package rowcast_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
	"github.com/rowcast/rowcast/memstore"
)

// paths are the paths of all ConfigErrors that were joined.
func paths(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("not joined: %v", err)
	}
	var paths []string
	for _, err := range joined.Unwrap() {
		var problem *rowcast.ConfigError
		if !errors.As(err, &problem) || problem.Detail == "" {
			t.Fatalf("no ConfigError: %v", err)
		}
		paths = append(paths, problem.Path)
	}
	return paths
}

func TestRegistrationReportsEveryProblem(t *testing.T) {
	handler := func(context.Context, rowcast.Call) (rowcast.Values, error) { return nil, nil }
	many := func(context.Context, rowcast.Call) ([]rowcast.Values, error) { return nil, nil }
	cases := []struct {
		name   string
		change func(*rowcast.Entity)
		want   []string
	}{
		{"nothing wrong", func(e *rowcast.Entity) {}, nil},
		{"a dot in the name", func(e *rowcast.Entity) { e.Name = "Bo.ok" }, []string{"entities.Bo.ok"}},
		{"no name", func(e *rowcast.Entity) { e.Name = "" }, []string{"entities."}},
		{"a comma in the name", func(e *rowcast.Entity) { e.Name = "a,b" }, []string{"entities.a,b"}},
		{"unknown event", func(e *rowcast.Entity) {
			e.Settings.Events = map[rowcast.EventID]bool{"craeted": true, rowcast.Created: false}
		}, []string{"entities.Book.realtime.events.craeted"}},
		{"unknown field in an allowlist", func(e *rowcast.Entity) { e.Settings.SubscribableFields = rowcast.Only("title", "tilte") },
			[]string{"entities.Book.realtime.subscribableFields"}},
		{"hidden field in an allowlist", func(e *rowcast.Entity) { e.Settings.SubscribableFields = rowcast.Only("secret") },
			[]string{"entities.Book.realtime.subscribableFields"}},
		{"empty allowlist", func(e *rowcast.Entity) { e.Settings.SubscribableFields = rowcast.Only() },
			[]string{"entities.Book.realtime.subscribableFields"}},
		{"hidden field filterable", func(e *rowcast.Entity) { e.Filterable = rowcast.Only("secret") }, []string{"entities.Book.filterable"}},
		{"no fields", func(e *rowcast.Entity) { e.Fields, e.Key, e.SoftDelete = nil, nil, "" },
			[]string{"entities.Book.fields", "entities.Book.key", "entities.Book.view.fields"}},
		{"a field twice, one without kind, one without name", func(e *rowcast.Entity) {
			e.Fields = append(e.Fields, rowcast.Field{Name: "title", Kind: filter.String}, rowcast.Field{Name: "x"}, rowcast.Field{Kind: filter.Int})
		}, []string{"entities.Book.fields.title", "entities.Book.fields.x.kind", "entities.Book.fields[7]", "entities.Book.view.fields"}},
		{"widths and members", func(e *rowcast.Entity) {
			e.Fields = append(e.Fields, rowcast.Field{Name: "a", Kind: filter.Int, Bits: 7}, rowcast.Field{Name: "b", Kind: filter.Bool, Bits: 8},
				rowcast.Field{Name: "c", Kind: filter.Enum}, rowcast.Field{Name: "d", Kind: filter.Int, Members: []string{"x"}})
		}, []string{"entities.Book.fields.a.bits", "entities.Book.fields.b.bits", "entities.Book.fields.c.members", "entities.Book.fields.d.members"}},
		{"keys", func(e *rowcast.Entity) { e.Key = []string{"id", "id", "nope", "pages"} },
			[]string{"entities.Book.key", "entities.Book.key", "entities.Book.key"}},
		{"soft delete", func(e *rowcast.Entity) { e.SoftDelete = "title" }, []string{"entities.Book.softDelete"}},
		{"unknown soft delete", func(e *rowcast.Entity) { e.SoftDelete = "nope" }, []string{"entities.Book.softDelete"}},
		{"view", func(e *rowcast.Entity) {
			e.View = rowcast.View{Fields: []string{"id", "secret", "id"}, Render: map[string]func(any) any{"title": rowcast.Text, "id": nil}}
		}, []string{"entities.Book.view.fields", "entities.Book.view.fields", "entities.Book.view.render.id", "entities.Book.view.render.title"}},
		{"operations", func(e *rowcast.Entity) {
			e.Operations = map[string]rowcast.Operation{
				"a": {}, "b.c": {Kind: rowcast.Write, Cardinality: rowcast.One, Handler: handler},
				"read":  {Kind: rowcast.Read, Cardinality: rowcast.One, Event: rowcast.Updated, Handler: handler},
				"many":  {Kind: rowcast.Write, Cardinality: rowcast.Many, Event: rowcast.Updated, ManyHandler: many},
				"typo":  {Kind: rowcast.Write, Cardinality: rowcast.One, Event: "paid", Handler: handler},
				"wrong": {Kind: rowcast.Write, Cardinality: rowcast.One, ManyHandler: many},
				"wild":  {Kind: rowcast.Write, Cardinality: rowcast.Many, Handler: handler},
				"fine":  {Kind: rowcast.Write, Cardinality: rowcast.One, Event: rowcast.Updated, Handler: handler},
			}
		}, []string{
			"entities.Book.operations.a.kind", "entities.Book.operations.a.cardinality", "entities.Book.operations.b.c",
			"entities.Book.operations.many.event", "entities.Book.operations.read.event", "entities.Book.operations.typo.event",
			"entities.Book.operations.wild.manyHandler", "entities.Book.operations.wrong.handler",
		}},
		{"standard operations", func(e *rowcast.Entity) {
			e.Operations = map[string]rowcast.Operation{
				rowcast.CreateOne: {Event: rowcast.Updated},
				rowcast.PatchOne:  {Settings: rowcast.Settings{Events: map[rowcast.EventID]bool{"x": false}}},
			}
		}, []string{"entities.Book.operations.createOne", "entities.Book.operations.patchOne.realtime.events.x"}},
		{"standard operations without a store", func(e *rowcast.Entity) {
			e.Store, e.Operations = nil, map[string]rowcast.Operation{rowcast.PatchOne: {Settings: rowcast.Settings{Realtime: rowcast.Off}}}
		}, []string{"entities.Book.operations.patchOne"}},
		{"no switch", func(e *rowcast.Entity) { e.Settings.Realtime = 9 }, []string{"entities.Book.realtime"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			entity := bookEntity()
			c.change(&entity)
			engine := newEngine(t, rowcast.Config{})
			err := engine.Register(entity)
			got, want := paths(t, err), slices.Sorted(slices.Values(c.want))
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("got\n%q, want\n%q\n%v", got, want, err)
			}
			if started := engine.Start(t.Context()); (started == nil) != (c.want == nil) {
				t.Errorf("Start: %v", started)
			}
		})
	}
}

func TestRegisteringTwiceAndTooLate(t *testing.T) {
	engine := newEngine(t, rowcast.Config{}, bookEntity())
	if got := paths(t, engine.Register(bookEntity())); !slices.Equal(got, []string{"entities.Book"}) {
		t.Errorf("twice: %q", got)
	}
	engine = newEngine(t, rowcast.Config{}, bookEntity())
	execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "first publish"}})
	late := bookEntity()
	late.Name = "Late"
	if err := engine.Register(late); !errors.Is(err, rowcast.ErrSealed) || !strings.Contains(err.Error(), "Late") {
		t.Errorf("after the first publish: %v", err)
	}
}

func TestStoreOfAnotherEntityIsRefused(t *testing.T) {
	entity := bookEntity()
	engine := newEngine(t, rowcast.Config{}, entity)
	other := bookEntity()
	other.Name, other.Store = "Other", entity.Store
	if got := paths(t, engine.Register(other)); !slices.Equal(got, []string{"entities.Other.store"}) {
		t.Errorf("got %q", got)
	}
}

// nameless and nilable are transports that a configuration may hold by mistake.
type nameless struct{}

func (nameless) Name() string                                  { return "" }
func (nameless) Publish(context.Context, rowcast.Record) error { return nil }

type nilable struct{ name string }

func (n *nilable) Name() string                                  { return n.name }
func (n *nilable) Publish(context.Context, rowcast.Record) error { return nil }

func TestConfigurationReportsEveryProblem(t *testing.T) {
	_, err := rowcast.New(nil, rowcast.Config{
		Transports: []rowcast.Transport{nil, (*nilable)(nil), nameless{}, &nilable{"a"}, &nilable{"a"}},
		Defaults:   rowcast.Settings{Events: map[rowcast.EventID]bool{"gone": false}},
		Limits:     rowcast.Limits{Channels: -1, Retry: -1},
	})
	want := []string{
		"log", "defaults.realtime.events.gone", "limits.channels", "limits.retry",
		"transports[0]", "transports[1]", "transports[2]", "transports[4]",
	}
	if got := paths(t, err); !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

func TestStartWithoutEntities(t *testing.T) {
	engine, err := rowcast.New(memstore.NewLog(memstore.LogConfig{}), rowcast.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if engine.Start(t.Context()) == nil {
		t.Error("an engine without entities started")
	}
	if _, err := engine.Subscribe(t.Context(), rowcast.SubscribeRequest{Channels: []string{"Book"}}); !errors.Is(err, rowcast.ErrNotStarted) {
		t.Errorf("Subscribe before Start: %v", err)
	}
}
