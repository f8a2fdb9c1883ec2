// Package httprouterfeed shows what an adapter outside this project looks like: rowcast's stream on httprouter, with
// public packages only. docs/writing-an-adapter.md is the checklist that it follows.
package httprouterfeed

import (
	"net/http"

	"github.com/julienschmidt/httprouter"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/sse"
)

// Config is the adapter's. The zero value works.
type Config struct {
	Stream sse.Options
}

// methods are all that the wire format has an answer for.
var methods = [...]string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
}

// Mount serves the stream under the path. It starts the engine if nobody did; its error is the start's.
func Mount(router *httprouter.Router, path string, engine *rowcast.Engine, config Config) error {
	handle, err := Handler(engine, config)
	if err != nil {
		return err
	}
	for _, method := range methods {
		router.Handle(method, path, handle)
	}
	return nil
}

// Handler is the stream as a handle, for routes that Mount does not cover.
func Handler(engine *rowcast.Engine, config Config) (httprouter.Handle, error) {
	server, err := sse.NewServer(engine, config.Stream)
	if err != nil {
		return nil, err
	}
	return func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) { server.ServeHTTP(w, r) }, nil
}

// Middleware ties the writes of a request to the stream of the client that sent it, see sse.Middleware.
func Middleware(engine *rowcast.Engine, next httprouter.Handle) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next(w, r, params) })
		sse.Middleware(engine)(handler).ServeHTTP(w, r)
	}
}
