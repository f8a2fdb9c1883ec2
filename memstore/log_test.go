package memstore_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/memstore"
)

func entries(n int) []rowcast.Entry {
	out := make([]rowcast.Entry, n)
	for i := range out {
		out[i] = rowcast.Entry{Resync: &rowcast.Resync{Entity: "Book", Reason: rowcast.ResyncOverflow}}
	}
	return out
}

func add(t *testing.T, log *memstore.Log, n int) rowcast.Position {
	t.Helper()
	position, err := log.Append(t.Context(), entries(n)...)
	if err != nil {
		t.Fatal(err)
	}
	return position
}

func TestLogNumbersWithoutGaps(t *testing.T) {
	log := memstore.NewLog(memstore.LogConfig{})
	head, err := log.Head(t.Context())
	if err != nil || head.Seq != 0 || head.Epoch == "" {
		t.Fatalf("a new log's head is %v, %v", head, err)
	}
	if got := add(t, log, 3); got != (rowcast.Position{Epoch: head.Epoch, Seq: 3}) {
		t.Errorf("Append gave %v", got)
	}
	add(t, log, 2)
	read, err := log.Read(t.Context(), rowcast.Position{Epoch: head.Epoch, Seq: 1}, 3)
	if err != nil || len(read) != 3 {
		t.Fatalf("Read gave %d entries, %v", len(read), err)
	}
	for i, entry := range read {
		if entry.Position.Seq != uint64(i+2) || entry.Resync == nil {
			t.Errorf("entry %d is %+v", i, entry)
		}
	}
	if read, err := log.Read(t.Context(), rowcast.Position{Epoch: head.Epoch, Seq: 5}, 3); err != nil || len(read) != 0 {
		t.Errorf("at the head: %v, %v", read, err)
	}
}

func TestLogRefusesWhatIsNoEntry(t *testing.T) {
	log := memstore.NewLog(memstore.LogConfig{})
	if _, err := log.Append(t.Context(), append(entries(1), rowcast.Entry{})...); err == nil {
		t.Error("an empty entry was appended")
	}
	if head, _ := log.Head(t.Context()); head.Seq != 0 {
		t.Errorf("half of an Append is in the log: %v", head)
	}
}

func TestLogLosesPositions(t *testing.T) {
	log := memstore.NewLog(memstore.LogConfig{MaxEntries: 10})
	head := add(t, log, 25)
	for name, lost := range map[string]rowcast.Position{
		"trimmed": {Epoch: head.Epoch, Seq: 14}, "another epoch": {Epoch: "other", Seq: 20}, "past the head": {Epoch: head.Epoch, Seq: 26}, "zero": {},
	} {
		if _, err := log.Read(t.Context(), lost, 5); !errors.Is(err, rowcast.ErrPositionLost) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if read, err := log.Read(t.Context(), rowcast.Position{Epoch: head.Epoch, Seq: 15}, 50); err != nil || len(read) != 10 {
		t.Errorf("the oldest position that is kept: %d entries, %v", len(read), err)
	}
}

func TestLogTrimsByBytesAndAge(t *testing.T) {
	size := entries(1)[0].Size()
	log := memstore.NewLog(memstore.LogConfig{MaxBytes: 4 * size})
	head := add(t, log, 9)
	if _, err := log.Read(t.Context(), rowcast.Position{Epoch: head.Epoch, Seq: 4}, 9); !errors.Is(err, rowcast.ErrPositionLost) {
		t.Errorf("by bytes: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		log := memstore.NewLog(memstore.LogConfig{MaxAge: time.Minute})
		add(t, log, 2)
		time.Sleep(59 * time.Second) // the bubble's clock
		head := add(t, log, 1)
		begin := rowcast.Position{Epoch: head.Epoch}
		if read, err := log.Read(t.Context(), begin, 9); err != nil || len(read) != 3 {
			t.Errorf("within the age: %d, %v", len(read), err)
		}
		time.Sleep(2 * time.Second)
		if _, err := log.Read(t.Context(), begin, 9); !errors.Is(err, rowcast.ErrPositionLost) {
			t.Errorf("past the age: %v", err)
		}
	})
}

func TestLogWakesWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := memstore.NewLog(memstore.LogConfig{})
		head, _ := log.Head(t.Context())
		var woken sync.WaitGroup
		for range 3 {
			woken.Go(func() {
				if err := log.Wait(t.Context(), head); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		add(t, log, 1)
		woken.Wait()
		if err := log.Wait(t.Context(), head); err != nil {
			t.Errorf("something is there already: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := log.Wait(ctx, rowcast.Position{Epoch: head.Epoch, Seq: 1}); !errors.Is(err, context.Canceled) {
			t.Errorf("with an ended context: %v", err)
		}
	})
}

func TestLogIsSafeForConcurrentUse(t *testing.T) {
	log := memstore.NewLog(memstore.LogConfig{})
	head, _ := log.Head(t.Context())
	var writing sync.WaitGroup
	for range 4 {
		writing.Go(func() {
			for range 250 {
				add(t, log, 1)
			}
		})
	}
	for after := head; after.Seq < 1000; {
		if err := log.Wait(t.Context(), after); err != nil {
			t.Fatal(err)
		}
		read, err := log.Read(t.Context(), after, 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range read {
			if entry.Position.Seq != after.Seq+1 {
				t.Fatalf("after %v came %v", after, entry.Position)
			}
			after = entry.Position
		}
	}
	writing.Wait()
}
