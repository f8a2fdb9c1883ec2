package rowcastecho_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	rowcastecho "github.com/rowcast/rowcast/adapters/echo"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
	"github.com/rowcast/rowcast/core/sse"
	"github.com/rowcast/rowcast/memstore"
)

var quiet = slog.New(slog.DiscardHandler)

// behind serves a stream behind a middleware.
func behind(t *testing.T, m echo.MiddlewareFunc) (*rowcast.Engine, string) {
	t.Helper()
	engine, err := rowcast.New(memstore.NewLog(memstore.LogConfig{}), rowcast.Config{Logger: quiet, Defaults: rowcast.Settings{Realtime: rowcast.On}})
	if err != nil {
		t.Fatal(err)
	}
	err = engine.Register(rowcast.Entity{Name: "Card", Fields: []rowcast.Field{{Name: "id", Kind: filter.Int}}, Key: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	router := echo.New()
	router.Use(m)
	if err := rowcastecho.Mount(router, "/realtime", engine, rowcastecho.Config{Stream: sse.Options{Logger: quiet}}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(router)
	t.Cleanup(server.Close)
	t.Cleanup(func() { _ = engine.Shutdown(context.Background()) })
	return engine, server.URL + "/realtime?channel=Card"
}

func TestTimeoutMiddlewareIsRefused(t *testing.T) {
	_, url := behind(t, middleware.TimeoutWithConfig(middleware.TimeoutConfig{Timeout: time.Minute}))
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != 500 || response.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("got %s, %v", response.Status, response.Header)
	}
}

func TestStreamBehindMiddlewareThatPassesFlushesOn(t *testing.T) {
	for name, m := range map[string]echo.MiddlewareFunc{
		"gzip":      middleware.Gzip(),
		"body dump": middleware.BodyDump(func(echo.Context, []byte, []byte) {}),
		"recover":   middleware.Recover(),
	} {
		t.Run(name, func(t *testing.T) {
			engine, url := behind(t, m)
			request, err := http.NewRequest(http.MethodGet, url, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Accept-Encoding", "gzip")
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			stream := sse.NewDecoder(bufio.NewReader(response.Body))
			if strings.Contains(response.Header.Get("Content-Encoding"), "gzip") {
				unzipped, err := gzip.NewReader(response.Body)
				if err != nil {
					t.Fatal(err)
				}
				stream = sse.NewDecoder(unzipped)
			}
			for i, want := range []string{"subscribed", "created", "created"} {
				if m, err := stream.Next(); err != nil || m.Event != want {
					t.Fatalf("message %d is %+v, %v", i, m, err)
				}
				if err := engine.Publish(t.Context(), rowcast.Change{Entity: "Card", Event: rowcast.Created, After: rowcast.Values{"id": i}}); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
