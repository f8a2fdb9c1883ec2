package rowcast

import (
	"sync"
	"time"
)

// Two transactions may commit A then B and come to publish B then A, which would leave every client stale for good. So
// each capture draws a turn for its row while the database still holds the row's lock, and publishes when it is first.

// row names a row across entities.
type row struct{ entity, id string }

// turn is one writer's place in a row's line.
type turn struct {
	row        row
	prev, next *turn
	first      chan struct{} // closed when the turn is first; nil if it was first at once
	left       bool          // it is out of the line
	overtaken  bool          // by somebody who has waited in vain
}

// order keeps one line per row that somebody is writing right now.
type order struct {
	mu   sync.Mutex
	last map[row]*turn
}

// draw takes the next turn of the row.
func (o *order) draw(at row) *turn {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := &turn{row: at, prev: o.last[at]}
	if t.prev != nil {
		t.prev.next = t
		t.first = make(chan struct{})
	}
	if o.last == nil {
		o.last = make(map[row]*turn)
	}
	o.last[at] = t
	return t
}

// finish leaves the line, published or not.
func (o *order) finish(t *turn) {
	if t == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if t.left {
		return
	}
	t.left = true
	if t.prev != nil {
		t.prev.next = t.next
	}
	switch {
	case t.next != nil:
		t.next.prev = t.prev
		if t.prev == nil {
			close(t.next.first)
		}
	case t.prev != nil:
		o.last[t.row] = t.prev
	default:
		delete(o.last, t.row)
	}
	t.prev, t.next = nil, nil
}

// await returns when the turn is first. It is false at the deadline, and for a turn that somebody has waited for in
// vain: then every earlier turn is out of the line, so that one writer that never ends does not hold up all others.
func (o *order) await(t *turn, deadline time.Time) bool {
	if !t.wait(deadline) {
		o.overtake(t)
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return !t.overtaken
}

func (o *order) overtake(t *turn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for earlier := t.prev; earlier != nil; earlier = earlier.prev {
		earlier.overtaken, earlier.left = true, true
	}
	t.prev = nil
}

// wait returns when the turn is first, or false at the deadline.
func (t *turn) wait(deadline time.Time) bool {
	if t.first == nil {
		return true
	}
	select {
	case <-t.first:
		return true
	default:
	}
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case <-t.first:
		return true
	case <-timer.C:
		return false
	}
}
