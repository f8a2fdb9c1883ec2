package rowcast

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/rowcast/rowcast/core/filter"
)

// The events of frames that tell of the stream itself. A change's frame is called by its EventID.
const (
	FrameSubscribed = "subscribed" // the first frame
	FrameResync     = "resync"     // what was missed cannot be told: refetch
	FrameBye        = "bye"        // the last frame
)

// ByeReason says why the server ends a stream.
type ByeReason string

// The reasons of a bye.
const (
	ByeShutdown   ByeReason = "shutdown"
	ByeOverloaded ByeReason = "overloaded"
	ByeSlow       ByeReason = "slow"
)

// Frame is one message to a client. It is immutable, and shared by all connections that get the same bytes.
type Frame struct {
	// ID, on a frame, means that everything at or before this position that concerns the connection has been sent.
	// Zero: the frame says nothing about it.
	ID    Position
	Event string        // "" on a heartbeat
	Data  []byte        // JSON on one line; nil on a heartbeat
	Retry time.Duration // how long a client waits before it reconnects; zero: as before

	once    sync.Once
	encoded []byte
}

// Encoded returns what encode makes of the frame, and keeps it, so that a frame is encoded once however many
// connections it goes to. Every caller must pass the same function.
func (f *Frame) Encoded(encode func(*Frame) []byte) []byte {
	f.once.Do(func() { f.encoded = encode(f) })
	return f.encoded
}

// size is what the frame takes in a queue.
func (f *Frame) size() int { return len(f.Data) + 64 }

func subscribedFrame(s *Subscription, denied []Denial, id Position, retry time.Duration) *Frame {
	if denied == nil {
		denied = []Denial{}
	}
	return &Frame{ID: id, Event: FrameSubscribed, Retry: retry, Data: mustJSON(struct {
		Connection string   `json:"connection"`
		Channels   []string `json:"channels"`
		Denied     []Denial `json:"denied"`
	}{s.id, s.channelNames(""), denied})}
}

func resyncFrame(id Position, reason ResyncReason, channels []string) *Frame {
	return &Frame{ID: id, Event: FrameResync, Data: mustJSON(struct {
		Reason   ResyncReason `json:"reason"`
		Channels []string     `json:"channels"`
	}{reason, channels})}
}

// byeFrame asks the client to come back, each at another moment, so that they do not all come at once.
func byeFrame(reason ByeReason, retry time.Duration) *Frame {
	jittered := retry + rand.N(retry)
	return &Frame{Event: FrameBye, Retry: jittered, Data: mustJSON(struct {
		Reason    ByeReason `json:"reason"`
		Reconnect bool      `json:"reconnect"`
	}{reason, true})}
}

func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("rowcast: a frame of text does not marshal: %v", err)) // strings and booleans always do
	}
	return data
}

// changeFrame tells of a record, as the verdict has it.
func changeFrame(id Position, record *Record, v verdict, fields viewFields) *Frame {
	data := make([]byte, 0, 256+len(record.item.text))
	data = append(data, `{"event":"`...)
	data = append(data, v.event...)
	data = append(data, `","entity":`...)
	data = filter.AppendJSONString(data, record.Entity)
	data = append(data, `,"id":`...)
	data = filter.AppendJSONString(data, record.Key)
	data = append(data, `,"channel":`...)
	data = filter.AppendJSONString(data, record.Channel())
	data = append(data, `,"occurredAt":"`...)
	data = record.OccurredAt.AppendFormat(data, "2006-01-02T15:04:05.000000Z07:00")
	data = append(data, `","item":`...)
	if v.event == Deleted {
		data = append(data, `null,"cause":"`...)
		data = append(data, v.cause...)
		data = append(data, `"}`...)
	} else {
		data = record.item.appendJSON(data, fields)
		if v.event.tellsChanged() {
			data = append(data, `,"changed":`...)
			data = record.appendChanged(data, fields)
		}
		data = append(data, '}')
	}
	return &Frame{ID: id, Event: string(v.event), Data: data}
}

func (r *Record) appendChanged(dst []byte, fields viewFields) []byte {
	dst = append(dst, '[')
	comma := false
	for _, name := range r.Changed {
		n, known := r.entity.public[name]
		if !known || !fields.has(n) {
			continue
		}
		if comma {
			dst = append(dst, ',')
		}
		comma = true
		dst = filter.AppendJSONString(dst, name)
	}
	return append(dst, ']')
}
