package rowcastfiber_test

import (
	"bufio"
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/compress"
	"github.com/gofiber/fiber/v2/middleware/cors"
	"github.com/gofiber/fiber/v2/middleware/etag"
	rowcastfiber "github.com/rowcast/rowcast/adapters/fiber"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
	"github.com/rowcast/rowcast/memstore"
)

func TestStreamBehindMiddlewareThatReadsBodies(t *testing.T) {
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
	app.Use(etag.New(), compress.New(), cors.New())
	if err := rowcastfiber.Mount(app, "/realtime", engine, rowcastfiber.Config{}); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- app.Listener(listener) }()

	request, err := http.NewRequest(http.MethodGet, "http://"+listener.Addr().String()+"/realtime?channel=Card", nil)
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
	// As the package's comment says: the engine first, then the application.
	if err := engine.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	if err := app.Shutdown(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	for lines.Scan() {
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream did not end properly: %v", err)
	}
}
