package rowcast_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/memstore"
)

func TestCustomOperations(t *testing.T) {
	patch := func(ctx context.Context, c rowcast.Call) (rowcast.Values, error) {
		return c.Store.Patch(ctx, c.ID, rowcast.Values{"pages": 7})
	}
	entity := bookEntity()
	entity.Operations = map[string]rowcast.Operation{
		"silent": {Kind: rowcast.Write, Cardinality: rowcast.One, Handler: patch},
		"finish": {Kind: rowcast.Write, Cardinality: rowcast.One, Event: rowcast.Updated, Handler: patch},
		"elsewhere": {Kind: rowcast.Write, Cardinality: rowcast.One, Event: rowcast.Created, Handler: func(context.Context, rowcast.Call) (rowcast.Values, error) {
			return rowcast.Values{"id": 99, "title": "written by no store"}, nil
		}},
		"twice": {Kind: rowcast.Write, Cardinality: rowcast.One, Event: rowcast.Patched, Handler: func(ctx context.Context, c rowcast.Call) (rowcast.Values, error) {
			if _, err := patch(ctx, c); err != nil {
				return nil, err
			}
			return c.Store.Patch(ctx, c.ID, rowcast.Values{"title": "second write"})
		}},
		"fails": {Kind: rowcast.Write, Cardinality: rowcast.One, Event: rowcast.Patched, Handler: func(ctx context.Context, c rowcast.Call) (rowcast.Values, error) {
			if _, err := c.Store.Patch(ctx, c.ID, rowcast.Values{"title": "written all the same"}); err != nil {
				return nil, err
			}
			return nil, errors.New("after the write")
		}},
		"all": {Kind: rowcast.Write, Cardinality: rowcast.Many, ManyHandler: func(ctx context.Context, c rowcast.Call) ([]rowcast.Values, error) {
			return c.Store.List(ctx, c.Filter)
		}},
	}
	engine := started(t, rowcast.Config{}, entity)
	all := subscribe(t, engine, rowcast.SubscribeRequest{Channels: []string{"Book"}})
	execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "a"}})
	execute(t, engine, "silent", rowcast.Input{ID: "1"})
	execute(t, engine, "finish", rowcast.Input{ID: "1", Values: rowcast.Values{"title": "named in the payload"}})
	execute(t, engine, "elsewhere", rowcast.Input{})
	execute(t, engine, "twice", rowcast.Input{ID: "1", Values: rowcast.Values{"title": ""}})
	if _, err := engine.Execute(context.Background(), "Book", "fails", rowcast.Input{ID: "1"}); err == nil {
		t.Error("the handler's error is lost")
	}
	if rows, err := engine.ExecuteMany(context.Background(), "Book", "all", rowcast.Input{}); err != nil || len(rows) != 1 {
		t.Errorf("all gave %v, %v", rows, err)
	}
	want := []string{
		`created 1 {"id":1,"pages":null,"title":"a"}`,
		`updated 1 {"id":1,"pages":7,"title":"a"} [title]`,
		`created 99 {"id":99,"pages":null,"title":"written by no store"}`,
		`patched 1 {"id":1,"pages":7,"title":"a"} [title]`,
		`patched 1 {"id":1,"pages":7,"title":"second write"} [title]`,
		`patched 1 {"id":1,"pages":7,"title":"written all the same"} [title]`,
	}
	for _, want := range want {
		if got := all.change().String(); got != want {
			t.Errorf("got\n%s, want\n%s", got, want)
		}
	}
}

func TestUnknownEntitiesAndOperations(t *testing.T) {
	engine := started(t, rowcast.Config{}, bookEntity())
	ctx := context.Background()
	if _, err := engine.Execute(ctx, "Nope", rowcast.ReadOne, rowcast.Input{}); !errors.Is(err, rowcast.ErrUnknownEntity) {
		t.Errorf("unknown entity: %v", err)
	}
	for _, name := range []string{"nope", rowcast.ReadMany} {
		_, err := engine.Execute(ctx, "Book", name, rowcast.Input{})
		var refusal *rowcast.Error
		if !errors.As(err, &refusal) || refusal.Code != "UNKNOWN_OPERATION" {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := engine.Execute(ctx, "Book", rowcast.PatchOne, rowcast.Input{ID: "1", Settings: rowcast.Settings{SubscribableFields: rowcast.Only("nope")}})
	if got := paths(t, err); len(got) != 1 || got[0] != "input.realtime.subscribableFields" {
		t.Errorf("settings of a call: %q", got)
	}
}

func TestPublishRefusesWhatIsNoChange(t *testing.T) {
	engine := started(t, rowcast.Config{}, bookEntity())
	row := rowcast.Values{"id": 1, "title": "a"}
	cases := map[string]rowcast.Change{
		"unknown entity":     {Entity: "Nope", Event: rowcast.Created, After: row},
		"no event":           {Entity: "Book", After: row},
		"no such event":      {Entity: "Book", Event: "craeted", After: row},
		"no row":             {Entity: "Book", Event: rowcast.Created, ID: "1"},
		"no key":             {Entity: "Book", Event: rowcast.Created, After: rowcast.Values{"title": "a"}},
		"a key that is null": {Entity: "Book", Event: rowcast.Created, After: rowcast.Values{"id": nil}},
		"unknown written":    {Entity: "Book", Event: rowcast.Patched, After: row, Written: []string{"nope"}},
		"deleted, no id":     {Entity: "Book", Event: rowcast.Deleted},
	}
	for name, change := range cases {
		if engine.Publish(context.Background(), change) == nil {
			t.Errorf("%s was published", name)
		}
	}
	if n := engine.Stats().Published; n != 0 {
		t.Errorf("%d were published", n)
	}
}

func TestBatchRewinds(t *testing.T) {
	engine := started(t, rowcast.Config{}, bookEntity())
	all := subscribe(t, engine, rowcast.SubscribeRequest{Channels: []string{"Book"}})
	ctx := context.Background()
	capture := func(b *rowcast.Batch, id int, title string) {
		t.Helper()
		if err := b.Capture(ctx, rowcast.Change{Entity: "Book", Event: rowcast.Created, After: rowcast.Values{"id": id, "title": title}}); err != nil {
			t.Fatal(err)
		}
	}
	batch := engine.Begin()
	capture(batch, 1, "kept")
	mark := batch.Len()
	capture(batch, 2, "undone")
	capture(batch, 1, "undone")
	batch.RewindTo(mark)
	capture(batch, 2, "after the savepoint")
	if err := batch.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	discarded := engine.Begin()
	capture(discarded, 3, "rolled back")
	discarded.Discard()
	if err := discarded.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	capture(batch, 4, "canary")
	if err := batch.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"kept", "after the savepoint", "canary"} {
		if got := all.change().Item["title"]; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestBatchesKeepTheOrderOfTheRow(t *testing.T) {
	engine := started(t, rowcast.Config{}, bookEntity())
	all := subscribe(t, engine, rowcast.SubscribeRequest{Channels: []string{"Book"}})
	ctx := context.Background()
	begin := func(title string, ids ...int) *rowcast.Batch {
		batch := engine.Begin()
		for _, id := range ids {
			if err := batch.Capture(ctx, rowcast.Change{Entity: "Book", Event: rowcast.Created, After: rowcast.Values{"id": id, "title": title}}); err != nil {
				t.Fatal(err)
			}
		}
		return batch
	}
	first, rolledBack, second := begin("first", 1, 2), begin("rolled back", 1), begin("second", 1)
	done := make(chan error)
	go func() { done <- second.Commit(ctx) }() // committed in the database first, captured last
	begin("another row", 3).Commit(ctx)
	rolledBack.Discard()
	if err := first.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"another row", "first", "first", "second"} {
		if got := all.change().Item["title"]; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestLostTransactionBecomesResync(t *testing.T) {
	synctest.Test(t, lostTransactionBecomesResync)
}

func lostTransactionBecomesResync(t *testing.T) {
	reports := make(chan error, 1)
	engine := started(t, rowcast.Config{Defaults: rowcast.Settings{OnPublishError: func(_ rowcast.Record, err error) { reports <- err }}}, bookEntity())
	all := subscribe(t, engine, rowcast.SubscribeRequest{Channels: []string{"Book"}})
	ctx := context.Background()
	change := rowcast.Change{Entity: "Book", Event: rowcast.Created, After: rowcast.Values{"id": 1, "title": "a"}}
	lost := engine.Begin()
	if err := lost.Capture(ctx, change); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if err := engine.Publish(ctx, change); err != nil {
		t.Fatal(err)
	}
	if waited := time.Since(begin); waited != time.Second {
		t.Errorf("it waited %v, not a second", waited)
	}
	if got := all.take(); got.Event != rowcast.FrameResync {
		t.Errorf("got %s", got.Data)
	}
	if err := <-reports; !errors.Is(err, rowcast.ErrOutOfOrder) {
		t.Errorf("reported was %v", err)
	}
}

func TestEmits(t *testing.T) {
	off := bookEntity()
	off.Name, off.Store, off.Settings.Realtime = "Off", memstore.NewStore(), rowcast.Off
	var engine *rowcast.Engine
	inside := false
	off.Operations = map[string]rowcast.Operation{
		"loud": {Kind: rowcast.Write, Cardinality: rowcast.One, Event: rowcast.Patched, Settings: rowcast.Settings{Realtime: rowcast.On},
			Handler: func(ctx context.Context, c rowcast.Call) (rowcast.Values, error) {
				inside = engine.Emits(ctx, "Off")
				return rowcast.Values{"id": 1, "title": "t"}, nil
			}},
	}
	engine = started(t, rowcast.Config{}, bookEntity(), off)
	ctx := context.Background()
	for name, want := range map[string]bool{"Book": true, "Off": false, "Nope": false} {
		if got := engine.Emits(ctx, name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if _, err := engine.Execute(ctx, "Off", "loud", rowcast.Input{}); err != nil || !inside {
		t.Errorf("inside an operation that turns it on: %v, %v", inside, err)
	}
}

func TestPanicAfterAWriteIsTold(t *testing.T) {
	entity := bookEntity()
	entity.Operations = map[string]rowcast.Operation{
		"explode": {Kind: rowcast.Write, Cardinality: rowcast.One, Event: rowcast.Patched, Handler: func(ctx context.Context, c rowcast.Call) (rowcast.Values, error) {
			if _, err := c.Store.Patch(ctx, c.ID, rowcast.Values{"title": "written"}); err != nil {
				return nil, err
			}
			panic("after the write")
		}},
	}
	engine := started(t, rowcast.Config{}, entity)
	all := subscribe(t, engine, rowcast.SubscribeRequest{Channels: []string{"Book"}})
	execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "a"}})
	all.change()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_, _ = engine.Execute(context.Background(), "Book", "explode", rowcast.Input{ID: "1"})
	}()
	if got := all.change().Item["title"]; got != "written" {
		t.Errorf("got %v", got)
	}
}

func TestOvertakenWriterTellsNothingOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := started(t, rowcast.Config{}, bookEntity())
		all := subscribe(t, engine, rowcast.SubscribeRequest{Channels: []string{"Book"}})
		ctx := context.Background()
		capture := func(title string) *rowcast.Batch {
			batch := engine.Begin()
			if err := batch.Capture(ctx, rowcast.Change{Entity: "Book", Event: rowcast.Created, After: rowcast.Values{"id": 1, "title": title}}); err != nil {
				t.Fatal(err)
			}
			return batch
		}
		old, newer := capture("old"), capture("newer")
		for _, batch := range []*rowcast.Batch{newer, old} {
			if err := batch.Commit(ctx); err != nil {
				t.Fatal(err)
			}
			if got := all.take(); got.Event != rowcast.FrameResync {
				t.Errorf("got %s", got.Data)
			}
		}
		begin := time.Now()
		if err := capture("afterwards").Commit(ctx); err != nil {
			t.Fatal(err)
		}
		if got := all.change().Item["title"]; got != "afterwards" || time.Since(begin) != 0 {
			t.Errorf("got %v after %v", got, time.Since(begin))
		}
	})
}

// lateStore reports a write when its operation is over.
type lateStore struct {
	rowcast.Store
	late chan func()
}

func (s *lateStore) Patch(ctx context.Context, id string, values rowcast.Values) (rowcast.Values, error) {
	row := rowcast.Values{"id": 1, "title": "late"}
	s.late <- func() { rowcast.Wrote(ctx, nil, row) }
	return row, nil
}

func TestLateReportHoldsNobodyUp(t *testing.T) {
	reports := make(chan error, 1)
	entity := bookEntity()
	store := &lateStore{memstore.NewStore(), make(chan func(), 1)}
	entity.Store = store
	entity.Settings.OnPublishError = func(_ rowcast.Record, err error) { reports <- err }
	engine := started(t, rowcast.Config{}, entity)
	all := subscribe(t, engine, rowcast.SubscribeRequest{Channels: []string{"Book"}})
	execute(t, engine, rowcast.PatchOne, rowcast.Input{ID: "1", Values: rowcast.Values{"title": "late"}})
	all.change() // from the returned row
	(<-store.late)()
	if err := <-reports; err == nil {
		t.Error("nothing was reported")
	}
	if err := engine.Publish(context.Background(), rowcast.Change{Entity: "Book", Event: rowcast.Created, After: rowcast.Values{"id": 1, "title": "next"}}); err != nil {
		t.Fatal(err)
	}
	if got := all.change().Item["title"]; got != "next" {
		t.Errorf("got %v", got)
	}
}
