package sse_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/sse"
)

func TestHandlerStreamsOverHTTP2(t *testing.T) {
	engine := newEngine(t)
	handler, err := sse.Handler(engine, sse.Config{Stream: sse.Options{Heartbeat: 20 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.Config.WriteTimeout = 100 * time.Millisecond
	server.StartTLS()
	defer server.Close()
	defer engine.Shutdown(context.Background())

	response, err := server.Client().Get(server.URL + "?channel=Book")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.ProtoMajor != 2 || response.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("got %s with %v", response.Proto, response.Header)
	}
	lines := bufio.NewReader(response.Body)
	decoder := sse.NewDecoder(lines)
	next := func(event string) {
		t.Helper()
		if m, err := decoder.Next(); err != nil || m.Event != event {
			t.Fatalf("got %+v, %v, want %s", m, err, event)
		}
	}
	next("subscribed")
	// Several write time-outs long: heartbeats move the deadline, on HTTP/2 as well.
	for begin := time.Now(); time.Since(begin) < 3*server.Config.WriteTimeout; {
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatalf("cut after %v: %v", time.Since(begin), err)
		}
	}
	for range 3 {
		if err := engine.Publish(context.Background(), rowcast.Change{Entity: "Book", Event: rowcast.Created, After: rowcast.Values{"id": 1}}); err != nil {
			t.Fatal(err)
		}
		next("created")
	}
	go engine.Shutdown(context.Background())
	next("bye")
}

func TestClientGoneOverHTTP2(t *testing.T) {
	engine := newEngine(t)
	handler, err := sse.Handler(engine, sse.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r)
		close(ended)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	defer engine.Shutdown(context.Background())
	response, err := server.Client().Get(server.URL + "?channel=Book")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sse.NewDecoder(response.Body).Next(); err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	<-ended
	if n := engine.Stats().Connections; n != 0 {
		t.Errorf("%d connections are left", n)
	}
}
