package rowcast

import (
	"context"
	"crypto/rand"
	"iter"

	"github.com/rowcast/rowcast/core/internal/queue"
)

// Subscription is one connection: its channels, and a bounded queue of frames for its one reader. Whoever opened it
// must Close it, after the last frame has been written.
type Subscription struct {
	id      string
	hub     *hub
	ctx     context.Context
	stop    func() bool
	targets []*target
	queue   *queue.Queue[*Frame]
	last    Position // the entry that was queued last; the hub's, under its lock
}

func newSubscription(ctx context.Context, h *hub, p *prepared) *Subscription {
	s := &Subscription{
		id: rand.Text(), hub: h, ctx: ctx, targets: p.targets,
		queue: queue.New[*Frame](h.limits.QueueFrames, h.limits.QueueBytes),
	}
	for _, t := range s.targets {
		t.subscription = s
	}
	return s
}

// ID is the connection's id: random, and told to nobody but the client.
func (s *Subscription) ID() string { return s.id }

// Ready is signalled when Take has something to give, or will give nothing more. Only the one reader receives from it.
func (s *Subscription) Ready() <-chan struct{} { return s.queue.Ready() }

// Take appends all waiting frames to dst. more is false when they are the last: the stream ends after them.
func (s *Subscription) Take(dst []*Frame) (frames []*Frame, more bool) { return s.queue.Take(dst) }

// Heartbeat is a frame without an event. It carries the current position if everything up to it has been taken, so
// that the client's resume point moves with a log that has nothing for it. The reader must have written what it took.
func (s *Subscription) Heartbeat() *Frame { return s.hub.heartbeat(s) }

// Frames yields the frames one by one, waiting for each. It ends after a bye or Close, or with ctx's error, and closes
// the subscription.
func (s *Subscription) Frames() iter.Seq2[*Frame, error] {
	return func(yield func(*Frame, error) bool) {
		defer s.Close()
		var frames []*Frame
		for more := true; more; {
			<-s.Ready()
			frames, more = s.Take(frames[:0])
			for _, frame := range frames {
				if !yield(frame, nil) {
					return
				}
			}
		}
		if err := s.ctx.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// Close leaves all channels. Nothing is queued afterwards. It may be called more than once, from anywhere.
func (s *Subscription) Close() {
	s.end()
	s.stop() // lets go of ctx, which may live on
}

func (s *Subscription) end() {
	s.queue.Close()
	s.hub.remove(s)
}

// channelNames lists the channels of one entity, or of all if entity is "".
func (s *Subscription) channelNames(entity string) []string {
	names := []string{}
	for _, t := range s.targets {
		if entity == "" || t.channel.Entity == entity {
			names = append(names, t.channel.String())
		}
	}
	return names
}
