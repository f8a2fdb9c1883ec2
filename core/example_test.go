package rowcast_test

import (
	"context"
	"fmt"
	"time"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
	"github.com/rowcast/rowcast/memstore"
)

// An application whose own code writes through the engine, with an operation of its own.
func Example() {
	ctx := context.Background()
	engine, err := rowcast.New(memstore.NewLog(memstore.LogConfig{}), rowcast.Config{
		Defaults: rowcast.Settings{Realtime: rowcast.On},
	})
	if err != nil {
		panic(err)
	}
	err = engine.Register(rowcast.Entity{
		Name:       "Order",
		Fields:     []rowcast.Field{{Name: "id", Kind: filter.Int}, {Name: "total", Kind: filter.Int}, {Name: "paidAt", Kind: filter.Time, Nullable: true}},
		Key:        []string{"id"},
		Filterable: rowcast.AllFields,
		Store:      memstore.NewStore(),
		Operations: map[string]rowcast.Operation{
			"markPaidOne": {Kind: rowcast.Write, Cardinality: rowcast.One, Event: rowcast.Patched,
				Handler: func(ctx context.Context, call rowcast.Call) (rowcast.Values, error) {
					paid := time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)
					return call.Store.Patch(ctx, call.ID, rowcast.Values{"paidAt": paid})
				}},
		},
	})
	if err != nil {
		panic(err)
	}
	if err := engine.Start(ctx); err != nil {
		panic(err)
	}
	defer engine.Shutdown(ctx)

	subscription, err := engine.Subscribe(ctx, rowcast.SubscribeRequest{
		Channels: []string{"Order"},
		Filter:   filter.Gte("total", 100),
		Fields:   map[string][]string{"Order": {"id", "paidAt"}},
	})
	if err != nil {
		panic(err)
	}
	for _, total := range []int{50, 200} {
		if _, err := engine.Execute(ctx, "Order", rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"total": total}}); err != nil {
			panic(err)
		}
	}
	if _, err := engine.Execute(ctx, "Order", "markPaidOne", rowcast.Input{ID: "2"}); err != nil {
		panic(err)
	}
	for frame, err := range subscription.Frames() {
		if err != nil {
			panic(err)
		}
		fmt.Println(frame.Event)
		if frame.Event == string(rowcast.Patched) {
			break
		}
	}
	// Output:
	// subscribed
	// created
	// patched
}
