package sse

import (
	"context"
	"net/http"
	"strings"

	"github.com/rowcast/rowcast/core"
)

// Config is the net/http handler's. The zero value works.
type Config struct {
	Stream Options
}

// Handler serves the stream with net/http, on any mux. It starts the engine if nobody did; its error is the start's.
//
// Server.Shutdown waits for open streams without end: call engine.Shutdown first, or from Server.RegisterOnShutdown.
// http.TimeoutHandler, and any other middleware whose writer cannot flush, makes streaming impossible: such requests
// get a 500 problem.
func Handler(engine *rowcast.Engine, config Config) (http.Handler, error) {
	if err := engine.Start(context.Background()); err != nil {
		return nil, err
	}
	options := config.Stream.withDefaults()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ServeHTTP(w, r, engine, options)
	}), nil
}

// ServeHTTP answers one request of a framework that is built on net/http.
func ServeHTTP(w http.ResponseWriter, r *http.Request, engine *rowcast.Engine, options Options) {
	options = options.withDefaults()
	stream, ok := NewStream(w)
	if !ok {
		options.Logger.Error("rowcast: a middleware's response writer cannot flush: exclude the stream's route from it", "path", r.URL.Path)
		writeResponse(w, internalProblem("a middleware of the server makes streaming impossible"))
		return
	}
	opened, refusal := Open(r.Context(), engine, Request{
		Method:      r.Method,
		Query:       r.URL.RawQuery,
		Accept:      strings.Join(r.Header.Values("Accept"), ","),
		LastEventID: r.Header.Get("Last-Event-ID"),
	}, options)
	if refusal != nil {
		writeResponse(w, refusal)
		return
	}
	copyHeader(w.Header(), Header())
	w.WriteHeader(http.StatusOK)
	// Why the stream ended concerns nobody here: a client that has gone, or a bye.
	_ = Serve(r.Context(), stream, opened)
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
