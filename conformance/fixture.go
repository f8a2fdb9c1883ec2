package conformance

import (
	"context"
	"log/slog"
	"testing"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
	"github.com/rowcast/rowcast/memstore"
)

// The entities that the suites work with. They cover what differs between entities: kinds of keys, hidden fields,
// nullable fields, soft delete.

func cardEntity() rowcast.Entity {
	return rowcast.Entity{
		Name: "Card",
		Fields: []rowcast.Field{
			{Name: "id", Kind: filter.Uint},
			{Name: "title", Kind: filter.String},
			{Name: "points", Kind: filter.Int, Bits: 32},
			{Name: "note", Kind: filter.String, Nullable: true},
			{Name: "due", Kind: filter.Time, Nullable: true},
			{Name: "secret", Kind: filter.String, Hidden: true},
			{Name: "deletedAt", Kind: filter.Time, Nullable: true, Hidden: true},
		},
		Key: []string{"id"}, SoftDelete: "deletedAt", Filterable: rowcast.Except("due"),
	}
}

// noteEntity has a key that may be any text.
func noteEntity() rowcast.Entity {
	return rowcast.Entity{
		Name:   "Note",
		Fields: []rowcast.Field{{Name: "slug", Kind: filter.String}, {Name: "title", Kind: filter.String}},
		Key:    []string{"slug"},
	}
}

// lineEntity has a composite key.
func lineEntity() rowcast.Entity {
	return rowcast.Entity{
		Name: "Line",
		Fields: []rowcast.Field{
			{Name: "order", Kind: filter.Int}, {Name: "sku", Kind: filter.String}, {Name: "title", Kind: filter.String},
		},
		Key: []string{"order", "sku"},
	}
}

// newEngine has all the entities, realtime, with nothing started.
func newEngine(t *testing.T, config rowcast.Config, change ...func(*rowcast.Entity)) *rowcast.Engine {
	t.Helper()
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	config.Defaults.Realtime = rowcast.On
	engine, err := rowcast.New(memstore.NewLog(memstore.LogConfig{}), config)
	if err != nil {
		t.Fatal(err)
	}
	for _, entity := range []rowcast.Entity{cardEntity(), noteEntity(), lineEntity()} {
		for _, f := range change {
			f(&entity)
		}
		if err := engine.Register(entity); err != nil {
			t.Fatal(err)
		}
	}
	return engine
}

// shutdown ends the engine, and with it every open stream.
func shutdown(t *testing.T, engine *rowcast.Engine) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := engine.Shutdown(ctx); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
}

func publish(t *testing.T, engine *rowcast.Engine, change rowcast.Change) {
	t.Helper()
	if err := engine.Publish(context.Background(), change); err != nil {
		t.Fatalf("Publish: %v", err)
	}
}

// card is a row of Card; the title tells the cards of a case apart.
func card(id int, title string) rowcast.Values {
	return rowcast.Values{"id": id, "title": title, "points": 3, "note": nil, "due": nil, "secret": "top-secret"}
}

func create(t *testing.T, engine *rowcast.Engine, id int, title string) {
	t.Helper()
	publish(t, engine, rowcast.Change{Entity: "Card", Event: rowcast.Created, After: card(id, title)})
}

func patch(t *testing.T, engine *rowcast.Engine, id int, title string) {
	t.Helper()
	publish(t, engine, rowcast.Change{Entity: "Card", Event: rowcast.Patched, Before: card(id, "before"), After: card(id, title), Written: []string{"title", "secret"}})
}
