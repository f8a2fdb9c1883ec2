package rowcastfiber_test

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/compress"
	"github.com/gofiber/fiber/v2/middleware/cors"
	"github.com/gofiber/fiber/v2/middleware/etag"
	rowcastfiber "github.com/rowcast/rowcast/adapters/fiber"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
	"github.com/rowcast/rowcast/memstore"
)

// serveCards serves a stream on a port of its own. end ends the engine and the application, in this order.
func serveCards(t *testing.T, middleware ...any) (engine *rowcast.Engine, address string, end func()) {
	t.Helper()
	engine, err := rowcast.New(memstore.NewLog(memstore.LogConfig{}), rowcast.Config{
		Logger: slog.New(slog.DiscardHandler), Defaults: rowcast.Settings{Realtime: rowcast.On},
	})
	if err != nil {
		t.Fatal(err)
	}
	err = engine.Register(rowcast.Entity{Name: "Card", Fields: []rowcast.Field{{Name: "id", Kind: filter.Int}}, Key: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	if len(middleware) > 0 {
		app.Use(middleware...)
	}
	if err := rowcastfiber.Mount(app, "/realtime", engine, rowcastfiber.Config{}); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- app.Listener(listener) }()
	return engine, listener.Addr().String(), func() {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := errors.Join(engine.Shutdown(ctx), app.ShutdownWithContext(ctx), <-served); err != nil {
			t.Error(err)
		}
	}
}

func TestStreamBehindMiddlewareThatReadsBodies(t *testing.T) {
	_, address, end := serveCards(t, etag.New(), compress.New(), cors.New())
	request, err := http.NewRequest(http.MethodGet, "http://"+address+"/realtime?channel=Card", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "gzip")
	request.Header.Set("Origin", "http://example.test")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.Header.Get("Access-Control-Allow-Origin") != "*" || response.Header.Get("Content-Encoding") != "" {
		t.Errorf("the headers are %v", response.Header)
	}
	lines := bufio.NewScanner(response.Body)
	for i, want := range []string{"retry: ", "id: ", "event: subscribed"} {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), want) {
			t.Fatalf("line %d is %q, want %q", i, lines.Text(), want)
		}
	}
	end()
	for lines.Scan() {
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream did not end properly: %v", err)
	}
}

// A client that pipelines and resets leaves fasthttp without anybody to answer: what was not opened cannot leak.
func TestClientThatResetsBeforeItsTurnLeavesNothing(t *testing.T) {
	engine, address, end := serveCards(t)
	for range 20 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\nGET /realtime?channel=Card HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		if err := conn.(*net.TCPConn).SetLinger(0); err != nil {
			t.Fatal(err)
		}
		conn.Close()
	}
	end()
	if n := engine.Stats().Connections; n != 0 {
		t.Errorf("%d connections are left", n)
	}
}
