package sse

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"github.com/rowcast/rowcast/core"
)

// Server serves an engine's streams. It is what a handler of any framework is made of, and a handler of net/http by
// itself. Safe for concurrent use.
type Server struct {
	engine  *rowcast.Engine
	options Options

	deadlineWarning sync.Once
}

// NewServer starts the engine if nobody did; its error is the start's.
func NewServer(engine *rowcast.Engine, options Options) (*Server, error) {
	if err := engine.Start(context.Background()); err != nil {
		return nil, err
	}
	return &Server{engine: engine, options: options.withDefaults()}, nil
}

// ServeHTTP answers one request of net/http, or of a framework that is built on it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	stream, opened := s.begin(w, r)
	if opened != nil {
		// Why the stream ended concerns nobody here: a client that has gone, or a bye.
		_ = Serve(r.Context(), stream, opened)
	}
}

// begin answers a refusal, or sends the headers of a stream. It is apart from ServeHTTP so that what it needs of the
// stack is not held for as long as the stream lasts.
func (s *Server) begin(w http.ResponseWriter, r *http.Request) (Stream, *Opened) {
	stream, ok := NewStream(w)
	if !ok {
		s.options.Logger.Error("rowcast: a middleware's response writer cannot flush: exclude the stream's route from it", "path", r.URL.Path)
		writeResponse(w, internalProblem("a middleware of the server makes streaming impossible"))
		return nil, nil
	}
	opened, refusal := s.Open(r.Context(), Request{
		Method:      r.Method,
		Query:       r.URL.RawQuery,
		Accept:      strings.Join(r.Header.Values("Accept"), ","),
		LastEventID: r.Header.Get("Last-Event-ID"),
	})
	if refusal != nil {
		writeResponse(w, refusal)
		return nil, nil
	}
	copyHeader(w.Header(), Header())
	w.WriteHeader(http.StatusOK)
	return stream, opened
}

// warnOfDeadlines says once what a stream without deadlines means.
func (s *Server) warnOfDeadlines() {
	s.deadlineWarning.Do(func() {
		s.options.Logger.Warn("rowcast: a middleware hides the connection's write deadline: a client that does not read can hold its stream until the system gives up")
	})
}

func writeResponse(w http.ResponseWriter, response *Response) {
	copyHeader(w.Header(), response.Header)
	w.WriteHeader(response.Status)
	// A client that is gone does not get its refusal; there is nobody left to tell.
	_, _ = w.Write(response.Body)
}

func copyHeader(dst, src http.Header) {
	for name, values := range src {
		dst[name] = values
	}
}
