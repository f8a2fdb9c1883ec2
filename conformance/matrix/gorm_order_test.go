package matrix_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gorm.io/gorm"

	"github.com/rowcast/rowcast/core"
)

// TestGORMOrder lets many writers write a few rows in transactions of every kind. Whoever applies the events in the
// order in which they come must end up with the table.
func TestGORMOrder(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		const writers, transactions, rows = 16, 30, 20
		f := newFeed(t, s, options{})
		for id := 1; id <= rows; id++ {
			check(t, f.db.Create(&Label{ID: uint(id), Title: strconv.Itoa(id)}).Error)
		}
		f.watch()
		replay := newReplay(t, f)
		var writing sync.WaitGroup
		for w := range writers {
			writing.Go(func() {
				random := rand.New(rand.NewPCG(uint64(w), 42))
				for i := range transactions {
					// Deadlocks and taken keys are part of it: the database then rolls back.
					_ = writeAtRandom(f.db, random, rows, fmt.Sprintf("%d-%d", w, i))
				}
			})
		}
		writing.Wait()
		got := replay.until(f)
		want := make(map[string]string)
		var labels []Label
		check(t, f.db.Find(&labels).Error)
		for _, l := range labels {
			want[strconv.Itoa(int(l.ID))] = fmt.Sprintf("%s %d", l.Title, l.Uses)
		}
		for id := 1; id <= rows; id++ {
			if id := strconv.Itoa(id); got[id] != want[id] {
				t.Errorf("row %s is %q, its events end with %q", id, want[id], got[id])
			}
		}
		if len(got) != len(want) {
			t.Errorf("the events leave %d rows, the table has %d", len(got), len(want))
		}
		if reported := f.logs.all(); len(reported) > 0 {
			t.Errorf("reported %q", reported)
		}
	})
}

// writeAtRandom is one transaction: some updates, some of them taken back. Rows come in ascending order, so that the
// writers do not spend their time in deadlocks.
func writeAtRandom(db *gorm.DB, random *rand.Rand, rows int, title string) error {
	id := 1 + random.IntN(rows)
	if random.IntN(4) == 0 {
		return updateOnce(db, random, id, title)
	}
	return db.Transaction(func(tx *gorm.DB) error {
		for ; id <= rows; id += 1 + random.IntN(rows) {
			err := tx.Transaction(func(tx *gorm.DB) error {
				if err := updateOnce(tx, random, id, title); err != nil {
					return err
				}
				if random.IntN(4) == 0 {
					return errBoom
				}
				return nil
			})
			if err != nil && !errors.Is(err, errBoom) {
				return err
			}
		}
		if random.IntN(5) == 0 {
			return errBoom
		}
		return nil
	})
}

func updateOnce(db *gorm.DB, random *rand.Rand, id int, title string) error {
	switch random.IntN(4) {
	case 0:
		return db.Save(&Label{ID: uint(id), Title: title + "-" + strconv.Itoa(random.IntN(1e9))}).Error
	case 1:
		return db.Model(&Label{}).Where("id = ?", id).Update("uses", gorm.Expr("uses + 1")).Error
	}
	return db.Model(&Label{ID: uint(id)}).Update("uses", gorm.Expr("uses + 10")).Error
}

// replay applies the events of a subscription, as a client does.
type replay struct {
	t    *testing.T
	rows map[string]string
	done chan struct{}
}

func newReplay(t *testing.T, f *feed) *replay {
	t.Helper()
	r := &replay{t: t, rows: make(map[string]string), done: make(chan struct{})}
	var labels []Label
	check(t, f.db.Find(&labels).Error)
	for _, l := range labels {
		r.rows[strconv.Itoa(int(l.ID))] = fmt.Sprintf("%s %d", l.Title, l.Uses)
	}
	subscription, err := f.engine.Subscribe(context.Background(), rowcast.SubscribeRequest{Channels: []string{"Label", "Canary"}})
	check(t, err)
	go func() {
		defer close(r.done)
		defer subscription.Close()
		for frame := range subscription.Frames() {
			if !r.apply(frame) {
				return
			}
		}
	}()
	return r
}

// apply reports false after the canary.
func (r *replay) apply(frame *rowcast.Frame) bool {
	var change struct {
		Event, Channel, ID string
		Item               struct {
			Title string
			Uses  int
		}
	}
	switch frame.Event {
	case "", rowcast.FrameSubscribed:
		return true
	case rowcast.FrameResync, rowcast.FrameBye:
		r.t.Errorf("came %s %s", frame.Event, frame.Data)
		return true
	}
	if err := json.Unmarshal(frame.Data, &change); err != nil {
		r.t.Error(err)
		return false
	}
	if strings.HasPrefix(change.Channel, "Canary.") {
		return false
	}
	_, there := r.rows[change.ID]
	if there == (change.Event == string(rowcast.Created)) {
		r.t.Errorf("%s came while the row was there: %v", frame.Data, there)
	}
	if change.Event == string(rowcast.Deleted) {
		delete(r.rows, change.ID)
	} else {
		r.rows[change.ID] = fmt.Sprintf("%s %d", change.Item.Title, change.Item.Uses)
	}
	return true
}

// until is the rows after everything that has been written so far.
func (r *replay) until(f *feed) map[string]string {
	f.told()
	<-r.done
	return r.rows
}
