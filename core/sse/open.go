package sse

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/rowcast/rowcast/core"
)

// Options are the same for every framework. The zero value works.
type Options struct {
	Heartbeat    time.Duration // silence after which a heartbeat is sent (15 s); keep it under the idle time-out of proxies
	WriteTimeout time.Duration // how long one write may take before the client counts as gone (10 s)
	MaxQuery     int           // longest query string in bytes; above it 414 (16 KiB)
	Logger       *slog.Logger  // nil: slog.Default()
}

func (o Options) withDefaults() Options {
	if o.Heartbeat <= 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.WriteTimeout <= 0 {
		o.WriteTimeout = 10 * time.Second
	}
	if o.MaxQuery <= 0 {
		o.MaxQuery = 16 << 10
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

// Opened is a stream that may begin. Whoever got it must either Serve it or Close it.
type Opened struct {
	subscription *rowcast.Subscription
	server       *Server
}

// Close gives the stream up before it was served.
func (o *Opened) Close() { o.subscription.Close() }

// Header returns a new copy of the headers of every stream.
func Header() http.Header {
	return http.Header{
		"Content-Type":      {"text/event-stream"},
		"Cache-Control":     {"no-cache, no-transform"},
		"X-Accel-Buffering": {"no"}, // nginx holds even the headers back without it
	}
}

// Response is a complete answer without a stream: a refusal, or what HEAD gets.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Open checks the request, in this order: method, query length, Accept, then what the engine checks. Exactly one of
// the results is nil. The stream ends with ctx at the latest.
func (s *Server) Open(ctx context.Context, request Request) (*Opened, *Response) {
	wanted, refusal := s.parse(request)
	if refusal != nil {
		return nil, refusal
	}
	if request.Method == http.MethodHead {
		return nil, s.check(request, wanted)
	}
	subscription, err := s.engine.Subscribe(ctx, wanted)
	if err != nil {
		return nil, problemOf(err, s.options.Logger)
	}
	return &Opened{subscription: subscription, server: s}, nil
}

// Check is Open without opening: the answer to a request that gets no stream, or nil. It is for frameworks that stream
// after the handler has returned, and may never come to it: those open when they stream.
func (s *Server) Check(request Request) *Response {
	wanted, refusal := s.parse(request)
	if refusal != nil {
		return refusal
	}
	return s.check(request, wanted)
}

func (s *Server) check(request Request, wanted rowcast.SubscribeRequest) *Response {
	err := s.engine.Validate(wanted)
	switch {
	case err != nil && request.Method == http.MethodHead:
		return withoutBody(problemOf(err, s.options.Logger))
	case err != nil:
		return problemOf(err, s.options.Logger)
	case request.Method == http.MethodHead:
		return &Response{Status: http.StatusOK, Header: Header()}
	}
	return nil
}

// parse makes the checks that need no engine.
func (s *Server) parse(request Request) (rowcast.SubscribeRequest, *Response) {
	if request.Method != http.MethodGet && request.Method != http.MethodHead {
		refusal := problem(&rowcast.Error{
			Code: "METHOD_NOT_ALLOWED", Status: http.StatusMethodNotAllowed, Title: "Method not allowed",
			Detail: fmt.Sprintf("%.32q cannot open a stream: use GET", request.Method),
		})
		refusal.Header.Set("Allow", "GET, HEAD")
		return rowcast.SubscribeRequest{}, refusal
	}
	if len(request.Query) > s.options.MaxQuery {
		return rowcast.SubscribeRequest{}, problem(&rowcast.Error{
			Code: rowcast.CodeLimitExceeded, Status: http.StatusRequestURITooLong, Title: "Query too long",
			Detail: fmt.Sprintf("the query has %d bytes; at most %d", len(request.Query), s.options.MaxQuery),
		})
	}
	if !acceptsEvents(request.Accept) {
		return rowcast.SubscribeRequest{}, problem(&rowcast.Error{
			Code: "NOT_ACCEPTABLE", Status: http.StatusNotAcceptable, Title: "Not acceptable",
			Detail: fmt.Sprintf("the Accept header %.128q leaves no room for text/event-stream", request.Accept),
		})
	}
	wanted, err := request.subscribeRequest(s.engine.Limits().Filter)
	if err != nil {
		return rowcast.SubscribeRequest{}, problem(&rowcast.Error{
			Code: rowcast.CodeInvalidSubscription, Status: http.StatusBadRequest, Title: "Invalid subscription",
			Detail: "the query is malformed: " + err.Error(),
		})
	}
	return wanted, nil
}

// withoutBody keeps the headers of an answer to HEAD, Content-Length included.
func withoutBody(r *Response) *Response {
	r.Body = nil
	return r
}
