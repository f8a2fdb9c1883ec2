package main

import (
	"net/http"

	"github.com/rowcast/rowcast/core/sse"
)

// newNetHTTP serves the board with the standard library's mux.
func newNetHTTP(app *app) (server, error) {
	mux, others := http.NewServeMux(), http.NewServeMux() // others: what no method of a route takes
	known := make(map[string]bool)
	for _, route := range app.routes {
		path := route.path
		if path == "/" {
			path = "/{$}"
		}
		mux.Handle(route.method+" "+path, netHTTPHandler(app, route))
		known[path] = true
	}
	for path := range known {
		others.Handle(path, netHTTPHandler(app, route{handle: noMethod}))
	}
	others.Handle("/", netHTTPHandler(app, route{handle: noRoute}))
	mux.Handle("/", others)
	stream, err := sse.Handler(app.engine, sse.Config{})
	if err != nil {
		return nil, err
	}
	mux.Handle(streamPath, stream)
	return newHTTPServer(sse.Middleware(app.engine)(mux)), nil
}

func netHTTPHandler(app *app, route route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := app.answer(r.Context(), route, request{
			id:    r.PathValue("id"),
			query: r.URL.RawQuery,
			body:  http.MaxBytesReader(w, r.Body, maxBody),
		})
		for name, value := range answer.header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(answer.status)
		_, _ = w.Write(answer.body) // a client that has gone misses its answer
	})
}
