package sse

import (
	"net/http"

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
	server, err := NewServer(engine, config.Stream)
	if err != nil {
		return nil, err
	}
	return server, nil
}
