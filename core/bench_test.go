package rowcast_test

import (
	"context"
	"testing"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
)

// benchRow has the shape of an ordinary row: ten fields.
func benchEntity(realtime rowcast.Switch) rowcast.Entity {
	return rowcast.Entity{
		Name: "Order",
		Fields: []rowcast.Field{
			{Name: "id", Kind: filter.Int}, {Name: "customer", Kind: filter.String}, {Name: "status", Kind: filter.String},
			{Name: "total", Kind: filter.Float}, {Name: "paid", Kind: filter.Bool}, {Name: "note", Kind: filter.String, Nullable: true},
			{Name: "items", Kind: filter.Int}, {Name: "city", Kind: filter.String}, {Name: "zip", Kind: filter.String}, {Name: "country", Kind: filter.String},
		},
		Key: []string{"id"}, Settings: rowcast.Settings{Realtime: realtime},
	}
}

var benchChange = rowcast.Change{
	Entity: "Order", Event: rowcast.Patched, ID: "7", Written: []string{"status"},
	After: rowcast.Values{
		"id": int64(7), "customer": "Ada Lovelace", "status": "shipped", "total": 12.5, "paid": true, "note": nil,
		"items": int64(3), "city": "London", "zip": "SW1Y 4LE", "country": "GB",
	},
}

func benchPublish(b *testing.B, engine *rowcast.Engine) {
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if err := engine.Publish(ctx, benchChange); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPublishOff is a write on an entity that is not realtime: what everybody pays who does not use rowcast there.
func BenchmarkPublishOff(b *testing.B) {
	benchPublish(b, started(b, rowcast.Config{}, benchEntity(rowcast.Off)))
}

// BenchmarkPublishNoSubscriber includes applying the view and rendering ten fields.
func BenchmarkPublishNoSubscriber(b *testing.B) {
	benchPublish(b, started(b, rowcast.Config{}, benchEntity(rowcast.On)))
}

// BenchmarkFanout1000 is one publish that a thousand subscribers take, without any network.
func BenchmarkFanout1000(b *testing.B) {
	engine := started(b, rowcast.Config{}, benchEntity(rowcast.On))
	const subscribers = 1000
	taken := make(chan struct{}, subscribers)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for range subscribers {
		s, err := engine.Subscribe(ctx, rowcast.SubscribeRequest{Channels: []string{"Order"}})
		if err != nil {
			b.Fatal(err)
		}
		<-s.Ready()
		s.Take(nil)
		go func() {
			defer s.Close()
			var frames []*rowcast.Frame
			for more := true; more; {
				<-s.Ready()
				frames, more = s.Take(frames[:0])
				for range frames {
					taken <- struct{}{}
				}
			}
		}()
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := engine.Publish(context.Background(), benchChange); err != nil {
			b.Fatal(err)
		}
		for range subscribers {
			<-taken
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*subscribers), "ns/delivery")
}

func TestPublishOffAllocatesNothing(t *testing.T) {
	engine := started(t, rowcast.Config{}, benchEntity(rowcast.Off))
	ctx := context.Background()
	if n := testing.AllocsPerRun(100, func() { _ = engine.Publish(ctx, benchChange) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
