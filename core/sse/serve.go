package sse

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rowcast/rowcast/core"
)

// Serve writes frames to the stream until the subscription says bye, ctx ends, or a write fails. The headers must be
// written already; the first thing Serve does is to bring them out together with the first frame. It closes the
// subscription in any case, contains its own panics and the stream's, and returns why the stream ended: nil after a
// bye, ctx's error, or the write's.
func Serve(ctx context.Context, stream Stream, opened *Opened) (err error) {
	w := &writer{stream: stream, server: opened.server}
	defer opened.Close()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("sse: the stream panicked: %v", p)
			opened.server.options.Logger.Error("rowcast: a stream panicked", "panic", p)
		}
	}()
	return w.run(ctx, opened.subscription)
}

type writer struct {
	stream    Stream
	server    *Server
	frames    []*rowcast.Frame
	buffer    []byte
	unbounded bool // the stream has no deadlines
}

func (w *writer) run(ctx context.Context, subscription *rowcast.Subscription) error {
	heartbeat := time.NewTimer(w.server.options.Heartbeat)
	defer heartbeat.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-subscription.Ready():
			more, err := w.drain(subscription)
			if err != nil || !more {
				return err
			}
		case <-heartbeat.C:
			if err := w.write(Encode(subscription.Heartbeat())); err != nil {
				return err
			}
		}
		heartbeat.Reset(w.server.options.Heartbeat)
	}
}

// keepBuffer is how large a buffer an idle connection may hold on to.
const keepBuffer = 4 << 10

// drain writes everything that waits, in one write.
func (w *writer) drain(subscription *rowcast.Subscription) (more bool, err error) {
	w.frames, more = subscription.Take(w.frames[:0])
	if len(w.frames) == 0 {
		return more, nil
	}
	if len(w.frames) == 1 {
		err = w.write(w.frames[0].Encoded(Encode))
	} else {
		w.buffer = w.buffer[:0]
		for _, frame := range w.frames {
			w.buffer = append(w.buffer, frame.Encoded(Encode)...)
		}
		err = w.write(w.buffer)
	}
	clear(w.frames)
	if cap(w.buffer) > keepBuffer || cap(w.frames) > 64 {
		w.buffer, w.frames = nil, nil
	}
	return more, err
}

// write brings bytes to the client within the deadline. The deadline is moved before each write, so that the server's
// own write time-out does not cut a stream that is alive.
func (w *writer) write(p []byte) error {
	if err := w.stream.SetWriteDeadline(time.Now().Add(w.server.options.WriteTimeout)); err != nil && !w.unbounded {
		if !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
		w.unbounded = true
		w.server.warnOfDeadlines()
	}
	if _, err := w.stream.Write(p); err != nil {
		return err
	}
	return w.stream.Flush()
}
