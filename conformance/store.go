package conformance

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
	"github.com/rowcast/rowcast/memstore"
)

// Store is the store under test.
type Store struct {
	// Register registers the entity with the engine, with a new and empty store of its own. The entity is one of
	// StoreEntities: a store that is made from models declares models of these shapes.
	Register func(t *testing.T, engine *rowcast.Engine, entity rowcast.Entity)
}

// StoreEntities are what TestStore keeps in a store: one with a generated integer key and soft delete, one with a
// composite key that is really deleted.
func StoreEntities() []rowcast.Entity {
	card, line := cardEntity(), lineEntity()
	card.Settings.Realtime, line.Settings.Realtime = rowcast.On, rowcast.On
	card.Fields = append(card.Fields, rowcast.Field{Name: "weight", Kind: filter.Float})
	return []rowcast.Entity{card, line}
}

type storeCase struct {
	name string
	rule string
	run  func(t *testing.T, h *storeHarness)
}

// storeHarness works on the store as its users do: through the engine's operations.
type storeHarness struct {
	t      *testing.T
	engine *rowcast.Engine
}

// TestStore proves a store: its operations, its errors, that it shares nothing with its callers, and that every write
// becomes one event, in the order of the writes.
func TestStore(t *testing.T, store Store) {
	for _, c := range append(storeRowCases(), storeEventCases()...) {
		t.Run(c.name, func(t *testing.T) {
			t.Cleanup(func() {
				if t.Failed() {
					t.Log("the rule: " + c.rule)
				}
			})
			engine, err := rowcast.New(memstore.NewLog(memstore.LogConfig{}), rowcast.Config{Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			for _, entity := range StoreEntities() {
				store.Register(t, engine, entity)
			}
			if err := engine.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { shutdown(t, engine) })
			c.run(t, &storeHarness{t, engine})
		})
	}
}

func (h *storeHarness) try(entity, operation, id string, values rowcast.Values) (rowcast.Values, error) {
	return h.engine.Execute(context.Background(), entity, operation, rowcast.Input{ID: id, Values: values})
}

func (h *storeHarness) do(entity, operation, id string, values rowcast.Values) rowcast.Values {
	h.t.Helper()
	row, err := h.try(entity, operation, id, values)
	if err != nil {
		h.t.Fatalf("%s %s.%s: %v", operation, entity, id, err)
	}
	return row
}

func (h *storeHarness) list(entity string) []rowcast.Values {
	h.t.Helper()
	rows, err := h.engine.ExecuteMany(context.Background(), entity, rowcast.ReadMany, rowcast.Input{})
	if err != nil {
		h.t.Fatalf("%s %s: %v", rowcast.ReadMany, entity, err)
	}
	return rows
}

// fails expects one of the errors that the Store port names.
func (h *storeHarness) fails(want error, entity, operation, id string, values rowcast.Values) {
	h.t.Helper()
	if _, err := h.try(entity, operation, id, values); !errors.Is(err, want) {
		h.t.Errorf("%s %s.%s %v: %v, want %v", operation, entity, id, values, err, want)
	}
}

// refuses expects an *Error about this field.
func (h *storeHarness) refuses(field, entity, operation, id string, values rowcast.Values) {
	h.t.Helper()
	_, err := h.try(entity, operation, id, values)
	var refusal *rowcast.Error
	if !errors.As(err, &refusal) || refusal.Code != rowcast.CodeInvalidValues || len(refusal.Issues) != 1 || refusal.Issues[0].Field != field {
		h.t.Errorf("%s %s.%s %v: %v, want one issue with %s", operation, entity, id, values, err, field)
	}
}

// holds compares single fields of a row.
func (h *storeHarness) holds(row, want rowcast.Values) {
	h.t.Helper()
	for name, v := range want {
		if row[name] != v {
			h.t.Errorf("%s is %#v, want %#v", name, row[name], v)
		}
	}
}
