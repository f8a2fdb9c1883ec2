package sse

import (
	"strconv"
	"time"

	"github.com/rowcast/rowcast/core"
)

// Encode writes a frame as the WHATWG HTML standard has it. Its fields cannot break out of their lines: the id is a
// position, the event one of ours, the data JSON on one line.
func Encode(frame *rowcast.Frame) []byte {
	b := make([]byte, 0, len(frame.Data)+96)
	if frame.Event == "" {
		return appendHeartbeat(b, frame)
	}
	if frame.Retry > 0 {
		b = append(b, "retry: "...)
		b = strconv.AppendInt(b, int64(frame.Retry/time.Millisecond), 10)
		b = append(b, '\n')
	}
	b = appendID(b, frame)
	b = append(b, "event: "...)
	b = append(b, frame.Event...)
	b = append(b, "\ndata: "...)
	b = append(b, frame.Data...)
	return append(b, "\n\n"...)
}

// appendHeartbeat writes a comment, and the id when there is one: a client takes the id without dispatching anything.
func appendHeartbeat(b []byte, frame *rowcast.Frame) []byte {
	b = append(b, ":\n"...)
	b = appendID(b, frame)
	return append(b, '\n')
}

func appendID(b []byte, frame *rowcast.Frame) []byte {
	if frame.ID.IsZero() {
		return b
	}
	b = append(b, "id: "...)
	b = append(b, frame.ID.Epoch...)
	b = append(b, '.')
	b = strconv.AppendUint(b, frame.ID.Seq, 10)
	return append(b, '\n')
}
