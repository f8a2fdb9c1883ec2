package rowcast_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/memstore"
)

func newLog() *memstore.Log { return memstore.NewLog(memstore.LogConfig{}) }

// troubledLog fails in its own ways before it works.
type troubledLog struct {
	*memstore.Log
	reads atomic.Int32
}

func (l *troubledLog) Read(ctx context.Context, after rowcast.Position, limit int) ([]rowcast.Entry, error) {
	switch l.reads.Add(1) {
	case 1:
		return nil, errors.New("no connection")
	case 2:
		panic("a bug in a log")
	}
	return l.Log.Read(ctx, after, limit)
}

func TestHubSurvivesItsLog(t *testing.T) {
	engine := startedOn(t, &troubledLog{Log: newLog()}, rowcast.Config{}, bookEntity())
	all := subscribe(t, engine, rowcast.SubscribeRequest{Channels: []string{"Book"}})
	execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "a"}})
	if got := all.change(); got.Event != "created" {
		t.Errorf("got %v", got)
	}
}

// forgetfulLog loses the place of whoever reads it, once.
type forgetfulLog struct {
	*memstore.Log
	lose chan struct{}
}

func (l *forgetfulLog) Read(ctx context.Context, after rowcast.Position, limit int) ([]rowcast.Entry, error) {
	entries, err := l.Log.Read(ctx, after, limit)
	if len(entries) > 0 {
		select {
		case <-l.lose:
			return nil, rowcast.ErrPositionLost
		default:
		}
	}
	return entries, err
}

func TestHubThatFallsBehindTellsEverybody(t *testing.T) {
	log := &forgetfulLog{newLog(), make(chan struct{}, 1)}
	engine := startedOn(t, log, rowcast.Config{}, bookEntity())
	all := subscribe(t, engine, rowcast.SubscribeRequest{Channels: []string{"Book", "Book.7"}})
	log.lose <- struct{}{}
	execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "lost"}})
	got := all.take()
	if got.Event != rowcast.FrameResync || string(got.Data) != `{"reason":"history-lost","channels":["Book","Book.7"]}` || got.ID.Seq != 1 {
		t.Fatalf("got %s %s", got.ID, got.Data)
	}
	execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "after"}})
	if got := all.change(); got.Item["title"] != "after" {
		t.Errorf("got %v", got)
	}
}

func TestSlowSubscriberKeepsWhatItHas(t *testing.T) {
	engine := started(t, rowcast.Config{Limits: rowcast.Limits{QueueFrames: 3}}, bookEntity())
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	slow, err := engine.Subscribe(ctx, rowcast.SubscribeRequest{Channels: []string{"Book"}})
	if err != nil {
		t.Fatal(err)
	}
	good := subscribe(t, engine, rowcast.SubscribeRequest{Channels: []string{"Book"}})
	for i := range 5 {
		execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": itoa(i)}})
		good.change()
	}
	var events []string
	for frame, err := range slow.Frames() {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, frame.Event+frame.ID.String()[max(0, len(frame.ID.String())-2):])
	}
	want := []string{"subscribed.0", "created.1", "created.2", "bye.0"}
	if len(events) != len(want) {
		t.Fatalf("got %q, want %q", events, want)
	}
	for i := range want {
		if events[i] != want[i] {
			t.Errorf("got %q, want %q", events, want)
		}
	}
	if s := engine.Stats(); s.SlowDisconnects != 1 || s.Connections != 1 {
		t.Errorf("got %+v", s)
	}
}

func TestFramesEndWithTheContext(t *testing.T) {
	engine := started(t, rowcast.Config{}, bookEntity())
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, err := engine.Subscribe(ctx, rowcast.SubscribeRequest{Channels: []string{"Book"}})
	if err != nil {
		t.Fatal(err)
	}
	var last error
	for _, err := range s.Frames() {
		last = err
		cancel()
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("it ended with %v", last)
	}
}

func TestHeartbeatIsHonest(t *testing.T) {
	engine := started(t, rowcast.Config{}, bookEntity())
	s, err := engine.Subscribe(t.Context(), rowcast.SubscribeRequest{Channels: []string{"Book"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if beat := s.Heartbeat(); !beat.ID.IsZero() {
		t.Errorf("frames are waiting, and the heartbeat says %s", beat.ID)
	}
	<-s.Ready()
	s.Take(nil)
	if beat := s.Heartbeat(); beat.ID.IsZero() {
		t.Error("nothing is waiting, and the heartbeat has no id")
	}
	s.Close()
	if beat := s.Heartbeat(); !beat.ID.IsZero() {
		t.Errorf("the subscription is closed, and the heartbeat says %s", beat.ID)
	}
}

func TestSubscribeWithAnEndedContext(t *testing.T) {
	engine := started(t, rowcast.Config{}, bookEntity())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 100 {
		s, err := engine.Subscribe(ctx, rowcast.SubscribeRequest{Channels: []string{"Book"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range s.Frames() {
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
	}
	if n := engine.Stats().Connections; n != 0 {
		t.Errorf("%d connections are left", n)
	}
}
