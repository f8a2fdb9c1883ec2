package sse_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/rowcast/rowcast/conformance"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/sse"
)

func TestHandlerConforms(t *testing.T) {
	conformance.TestTransport(t, conformance.Transport{Serve: serve})
}

func serve(t *testing.T, engine *rowcast.Engine, options conformance.ServeOptions) string {
	handler, err := sse.Handler(engine, sse.Config{Stream: options.Stream})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/realtime", handler)
	mux.Handle("POST /realtime/write", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		options.Write(r.Context())
		w.WriteHeader(http.StatusNoContent)
	}))
	server := httptest.NewUnstartedServer(sse.Middleware(engine)(mux))
	server.Config.WriteTimeout = options.ServerWriteTimeout
	server.Config.ReadTimeout, server.Config.IdleTimeout = options.ServerReadTimeout, options.ServerReadTimeout
	server.Start()
	t.Cleanup(server.Close)
	return server.URL + "/realtime"
}
