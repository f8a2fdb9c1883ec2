package sse

import (
	"bufio"
	"net"
	"net/http"
	"time"
)

// Stream is what a web framework gives us to stream on. Serve calls it from one goroutine.
type Stream interface {
	// Write writes bytes of the body. The headers are out, or go out with the first Flush.
	Write(p []byte) (int, error)

	// Flush brings everything written so far to the client.
	Flush() error

	// SetWriteDeadline bounds the writes that follow. An error that is errors.ErrUnsupported says that the framework
	// has none: Serve goes on without, and says so once.
	SetWriteDeadline(deadline time.Time) error
}

// Taker is a Stream whose connection can be taken over from the framework: after Takeover the framework is done with
// it, and Serve may return at once while the stream goes on. So an adapter does nothing with the request after Serve
// has returned. Optional; Serve writes through the Stream for now.
type Taker interface {
	Takeover() (net.Conn, *bufio.Reader, error)
}

// NewStream makes a Stream of a net/http response, however many middlewares have wrapped it, if they can be unwrapped
// as http.ResponseController does it. ok is false when nothing below can flush: then a stream would hang.
func NewStream(w http.ResponseWriter) (stream Stream, ok bool) {
	return httpStream{w, http.NewResponseController(w)}, canFlush(w)
}

type httpStream struct {
	http.ResponseWriter
	*http.ResponseController
}

// canFlush looks for what ResponseController.Flush would find, without flushing. A wrapper that has a Flush of its own
// (Gin's always has) is believed only as far as what it wraps can flush too.
func canFlush(w http.ResponseWriter) bool {
	for {
		wrapper, wraps := w.(interface{ Unwrap() http.ResponseWriter })
		if !wraps {
			break
		}
		w = wrapper.Unwrap()
	}
	switch w.(type) {
	case interface{ FlushError() error }, http.Flusher:
		return true
	}
	return false
}
