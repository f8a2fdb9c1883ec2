package rowcast_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/memstore"
)

// hook is a transport made of a function.
type hook struct {
	name    string
	publish func(context.Context, rowcast.Record) error
}

func (h *hook) Name() string { return h.name }
func (h *hook) Publish(ctx context.Context, record rowcast.Record) error {
	return h.publish(ctx, record)
}

func TestTransportsGetEveryRecordInOrder(t *testing.T) {
	records := make(chan rowcast.Record, 100)
	live := &hook{name: "audit", publish: func(_ context.Context, r rowcast.Record) error { records <- r; return nil }}
	engine := started(t, rowcast.Config{Transports: []rowcast.Transport{live}}, bookEntity())
	for range 50 {
		execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "a", "secret": "s"}})
	}
	seen := make(map[string]bool)
	for i := range 50 {
		r := <-records
		if want := i + 1; r.Channel() != "Book."+r.Key || r.Key != itoa(want) || string(r.Item()) != `{"id":`+itoa(want)+`,"title":"a","pages":null}` {
			t.Fatalf("record %d is %+v with %s", i, r.Key, r.Item())
		}
		if seen[r.ID] || r.OccurredAt.IsZero() || r.Event != rowcast.Created {
			t.Fatalf("record %d is %+v", i, r)
		}
		seen[r.ID] = true
	}
}

func TestBadTransportsAreReportedAndDelayNobody(t *testing.T) {
	release := make(chan struct{})
	reports := make(chan error, 100)
	engine := started(t, rowcast.Config{
		Limits: rowcast.Limits{TransportQueue: 1},
		Transports: []rowcast.Transport{
			&hook{"fails", func(context.Context, rowcast.Record) error { return errors.New("no network") }},
			&hook{"panics", func(context.Context, rowcast.Record) error { panic("a bug") }},
			&hook{"blocks", func(context.Context, rowcast.Record) error { <-release; return nil }},
		},
		Defaults: rowcast.Settings{OnPublishError: func(r rowcast.Record, err error) {
			select {
			case reports <- err:
			default: // the test has seen enough
			}
			panic("and so does the hook")
		}},
	}, bookEntity())
	texts := map[string]bool{"fails": false, "panics": false, "blocks": false}
	for missing := 3; missing > 0; {
		execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "a"}})
		for len(reports) > 0 {
			err := <-reports
			for name, seen := range texts {
				if !seen && strings.Contains(err.Error(), `"`+name+`"`) && (name != "blocks" || errors.Is(err, rowcast.ErrTransportQueue)) {
					texts[name] = true
					missing--
				}
			}
		}
	}
	if engine.Stats().TransportErrors == 0 {
		t.Error("nothing was counted")
	}
	close(release)
}

func TestShutdownGivesUpOnATransport(t *testing.T) {
	ended := make(chan struct{})
	stuck := &hook{name: "stuck", publish: func(ctx context.Context, _ rowcast.Record) error { <-ctx.Done(); close(ended); return nil }}
	engine := started(t, rowcast.Config{Transports: []rowcast.Transport{stuck}}, bookEntity())
	execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "a"}})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := engine.Shutdown(ctx); err == nil || !strings.Contains(err.Error(), "transport") {
		t.Errorf("Shutdown: %v", err)
	}
	<-ended // its ctx ended, so that it could
}

func TestWritesAfterShutdownReachTheLog(t *testing.T) {
	engine := started(t, rowcast.Config{}, bookEntity())
	if err := engine.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "a"}})
	if n := engine.Stats().Published; n != 1 {
		t.Errorf("%d were published", n)
	}
	if err := engine.Start(context.Background()); !errors.Is(err, rowcast.ErrShutdown) {
		t.Errorf("Start after Shutdown: %v", err)
	}
}

// failingLog takes nothing.
type failingLog struct{ rowcast.Log }

func (failingLog) Append(context.Context, ...rowcast.Entry) (rowcast.Position, error) {
	return rowcast.Position{}, errors.New("disk full")
}

func TestLogThatFailsNeverFailsTheWrite(t *testing.T) {
	reports := make(chan rowcast.Record, 1)
	engine := startedOn(t, failingLog{newLog()}, rowcast.Config{Defaults: rowcast.Settings{
		OnPublishError: func(r rowcast.Record, err error) { reports <- r },
	}}, bookEntity())
	execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "a"}})
	if r := <-reports; r.Entity != "Book" || r.Key != "1" {
		t.Errorf("reported was %+v", r)
	}
}

func TestTransportsGetNoMoreThanSubscribersMay(t *testing.T) {
	records := make(chan rowcast.Record, 1)
	entity := bookEntity()
	entity.Settings.SubscribableFields = rowcast.Except("pages")
	entity.Operations = map[string]rowcast.Operation{
		rowcast.CreateOne: {Settings: rowcast.Settings{SubscribableFields: rowcast.AllFields}},
	}
	live := &hook{name: "audit", publish: func(_ context.Context, r rowcast.Record) error { records <- r; return nil }}
	engine := started(t, rowcast.Config{Transports: []rowcast.Transport{live}}, entity)
	execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "a", "pages": 7}})
	if r := <-records; string(r.Item()) != `{"id":1,"title":"a"}` {
		t.Errorf("got %s", r.Item())
	}
}

func TestRecordOverTheLimitIsAResync(t *testing.T) {
	reports := make(chan error, 1)
	engine := started(t, rowcast.Config{
		Limits:   rowcast.Limits{RecordBytes: 10_000},
		Defaults: rowcast.Settings{OnPublishError: func(_ rowcast.Record, err error) { reports <- err }},
	}, bookEntity())
	all := subscribe(t, engine, rowcast.SubscribeRequest{Channels: []string{"Book"}})
	execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": strings.Repeat("x", 10_000)}})
	if got := all.take(); got.Event != rowcast.FrameResync || string(got.Data) != `{"reason":"overflow","channels":["Book"]}` {
		t.Errorf("got %s %s", got.Event, got.Data)
	}
	if err := <-reports; !errors.Is(err, rowcast.ErrRecordTooLarge) {
		t.Errorf("reported was %v", err)
	}
}

// panickingLog has a bug in every method but Read and Wait.
type panickingLog struct {
	*memstore.Log
	heads atomic.Int32
}

func (l *panickingLog) Append(context.Context, ...rowcast.Entry) (rowcast.Position, error) {
	panic("a bug in Append")
}

func (l *panickingLog) Head(ctx context.Context) (rowcast.Position, error) {
	if l.heads.Add(1) > 1 {
		panic("a bug in Head")
	}
	return l.Log.Head(ctx)
}

// panickingHandler has one too.
type panickingHandler struct{ slog.Handler }

func (panickingHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (panickingHandler) Handle(context.Context, slog.Record) error { panic("a bug in a log handler") }

func TestPanicsOfTheUsersReachNobody(t *testing.T) {
	logger := slog.New(panickingHandler{slog.DiscardHandler})
	engine := startedOn(t, &panickingLog{Log: newLog()}, rowcast.Config{Logger: logger}, bookEntity())
	if row := execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "a"}}); row["title"] != "a" {
		t.Errorf("got %v", row)
	}
	if n := engine.Stats().PublishErrors; n != 1 {
		t.Errorf("%d failures were counted", n)
	}
}

// hangingLog does not answer.
type hangingLog struct {
	*memstore.Log
	asked chan struct{}
}

func (l *hangingLog) Head(ctx context.Context) (rowcast.Position, error) {
	close(l.asked)
	<-ctx.Done()
	return rowcast.Position{}, ctx.Err()
}

func TestShutdownWaitsForNoStart(t *testing.T) {
	log := &hangingLog{newLog(), make(chan struct{})}
	engine := newEngineOn(t, log, rowcast.Config{}, bookEntity())
	ctx, cancel := context.WithCancel(context.Background())
	started := make(chan error)
	go func() { started <- engine.Start(ctx) }()
	<-log.asked
	if err := engine.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-started; !errors.Is(err, context.Canceled) {
		t.Errorf("Start: %v", err)
	}
}
