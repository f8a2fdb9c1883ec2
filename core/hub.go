package rowcast

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/rowcast/rowcast/core/internal/index"
)

// hub follows the log and puts each entry into the queues of the subscriptions that match. It never waits for one.
type hub struct {
	log      Log
	logger   *slog.Logger
	counters *counters
	limits   Limits

	mu            sync.Mutex
	cursor        Position // everything up to here has been dispatched
	index         index.Index[*target]
	subscriptions map[*Subscription]bool
	targets       int
	slow          []*Subscription // ended by the entry that is being dispatched
	closing       bool
	empty         chan struct{} // closed when closing and the last subscription has gone
}

// readBatch is how many entries the hub takes from the log at once.
const readBatch = 256

// follow dispatches until ctx ends.
func (h *hub) follow(ctx context.Context) {
	failures := 0
	for ctx.Err() == nil {
		err := h.step(ctx)
		switch {
		case err == nil:
			failures = 0
		case errors.Is(err, ErrPositionLost):
			failures++
			h.startOver(ctx, err)
			pause(ctx, failures)
		case ctx.Err() == nil:
			failures++
			h.logger.Error("rowcast: following the log failed", "error", err)
			pause(ctx, failures)
		}
	}
}

// step dispatches what is there, or waits for more. A log that panics fails like one that returns an error.
func (h *hub) step(ctx context.Context) error {
	return contained("the log", func() error { return h.read(ctx) })
}

func (h *hub) read(ctx context.Context) error {
	after := h.position()
	entries, err := h.log.Read(ctx, after, readBatch)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return h.log.Wait(ctx, after)
	}
	h.dispatch(entries)
	return nil
}

// pause backs off, from 50 ms up to a few seconds.
func pause(ctx context.Context, failures int) {
	timer := time.NewTimer(50 * time.Millisecond << min(failures, 6))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// startOver goes on at the head after the hub fell behind the log's retention: everybody refetches.
func (h *hub) startOver(ctx context.Context, cause error) {
	h.logger.Error("rowcast: the hub lost its place in the log; all clients are told to refetch", "error", cause)
	var head Position
	err := contained("the log", func() (err error) { head, err = h.log.Head(ctx); return err })
	if err != nil {
		h.logger.Error("rowcast: the log's head cannot be read", "error", err)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cursor = head
	for s := range h.subscriptions {
		h.push(s, resyncFrame(head, ResyncHistoryLost, s.channelNames("")))
	}
}

// begin says from where the hub follows the log.
func (h *hub) begin(head Position) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cursor = head
}

func (h *hub) position() Position {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.cursor
}

func (h *hub) dispatch(entries []Entry) {
	for _, entry := range entries {
		for _, slow := range h.dispatchEntry(entry) {
			h.logger.Warn("rowcast: a client does not keep up and is disconnected", "connection", slow.id)
		}
	}
}

// dispatchEntry returns who did not keep up: what is said of them is said without the lock.
func (h *hub) dispatchEntry(entry Entry) (slow []*Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case entry.Record != nil:
		h.dispatchRecord(entry.Position, entry.Record)
	case entry.Resync != nil:
		h.dispatchResync(entry.Position, entry.Resync)
	}
	h.cursor = entry.Position
	slow, h.slow = h.slow, nil
	return slow
}

// frameKey names the frames that one record can become: one for each choice of fields, one for each cause.
type frameKey struct {
	fields viewFields
	cause  Cause
}

func (h *hub) dispatchRecord(at Position, record *Record) {
	frames := make(map[frameKey]*Frame, 1)
	h.index.Row(record.Entity, record.Key, func(t *target) {
		if t.subscription.last == at {
			return // another of its channels has matched already
		}
		v := h.decide(t, record)
		if v.event == "" {
			return
		}
		key := frameKey{fields: t.fields}
		if v.event == Deleted {
			key = frameKey{cause: v.cause}
		}
		frame := frames[key]
		if frame == nil {
			frame = changeFrame(at, record, v, t.fields)
			frames[key] = frame
		}
		t.subscription.last = at
		if h.push(t.subscription, frame) {
			h.counters.delivered.Add(1)
		}
	})
}

// decide keeps one target's panic away from all others.
func (h *hub) decide(t *target, record *Record) (v verdict) {
	err := contained("deciding about a subscription", func() error { v = t.decide(record); return nil })
	if err != nil {
		h.logger.Error("rowcast: a subscription got nothing of a record", "channel", t.channel.String(), "error", err)
		return verdict{}
	}
	return v
}

func (h *hub) dispatchResync(at Position, resync *Resync) {
	h.index.Entity(resync.Entity, func(t *target) {
		s := t.subscription
		if s.last == at {
			return
		}
		s.last = at
		h.push(s, resyncFrame(at, resync.Reason, s.channelNames(resync.Entity)))
	})
}

// push queues a frame, or ends a connection that does not keep up. What was queued before is still sent: the client
// resumes from there. The caller holds the lock.
func (h *hub) push(s *Subscription, frame *Frame) bool {
	if s.queue.Push(frame, frame.size()) {
		return true
	}
	if s.queue.Close(byeFrame(ByeSlow, h.limits.Retry)) {
		h.counters.slowDisconnects.Add(1)
		h.slow = append(h.slow, s)
	}
	return false
}

// register makes the subscription live: its first frames and the position from which it is live are one step.
func (h *hub) register(s *Subscription, p *prepared) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if reason := h.refusal(); reason != "" {
		s.queue.Close(byeFrame(reason, h.limits.Retry))
		return
	}
	first, reason := h.cursor, ResyncReason("")
	if p.after != "" {
		first, reason = h.resumeAt(p.after)
	}
	h.push(s, subscribedFrame(s, p.denied, first, h.limits.Retry))
	if reason != "" {
		h.push(s, resyncFrame(h.cursor, reason, s.channelNames("")))
	}
	s.last = h.cursor
	for _, t := range s.targets {
		h.index.Add(t.channel.Entity, t.channel.ID, t)
	}
	h.targets += len(s.targets)
	h.subscriptions[s] = true
}

// refusal says why nobody can be let in now, or "".
func (h *hub) refusal() ByeReason {
	switch {
	case h.closing:
		return ByeShutdown
	case h.limits.Connections > 0 && len(h.subscriptions) >= h.limits.Connections:
		return ByeOverloaded
	}
	return ""
}

// resumeAt is the position that the first frame may carry for a client that comes back, and why it must refetch. A
// position that is none of this log's is not repeated: ids never decrease on a connection.
func (h *hub) resumeAt(after string) (Position, ResyncReason) {
	position, err := ParsePosition(after)
	if err != nil || position.Epoch != h.cursor.Epoch || position.Seq > h.cursor.Seq {
		return Position{}, ResyncUnknownPosition
	}
	return position, ResyncHistoryLost
}

// remove forgets a subscription.
func (h *hub) remove(s *Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.subscriptions[s] {
		return
	}
	delete(h.subscriptions, s)
	h.targets -= len(s.targets)
	for _, t := range s.targets {
		h.index.Remove(t.channel.Entity, t.channel.ID, t)
	}
	if h.closing && len(h.subscriptions) == 0 {
		close(h.empty)
	}
}

// heartbeat reads the cursor and the emptiness of the queue together, so that the id it gives is true.
func (h *hub) heartbeat(s *Subscription) *Frame {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.subscriptions[s] && s.queue.IsEmpty() {
		return &Frame{ID: h.cursor}
	}
	return &Frame{}
}

// close says bye to everybody and waits until they have gone, or ctx ends.
func (h *hub) close(ctx context.Context) error {
	h.mu.Lock()
	if !h.closing {
		h.closing = true
		for s := range h.subscriptions {
			s.queue.Close(byeFrame(ByeShutdown, h.limits.Retry))
		}
		if len(h.subscriptions) == 0 {
			close(h.empty)
		}
	}
	h.mu.Unlock()
	select {
	case <-h.empty:
		return nil
	case <-ctx.Done():
	}
	select {
	case <-h.empty: // ctx has ended, and so have they
		return nil
	default:
		return fmt.Errorf("rowcast: streams are still open: %w", ctx.Err())
	}
}
