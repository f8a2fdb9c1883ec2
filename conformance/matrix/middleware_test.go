package matrix

import (
	"compress/gzip"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	gingzip "github.com/gin-contrib/gzip"
	"github.com/gin-gonic/gin"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	rowcastecho "github.com/rowcast/rowcast/adapters/echo"
	rowcastgin "github.com/rowcast/rowcast/adapters/gin"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/sse"
)

// What stands in front of a stream either passes its flushes on, or the request is refused: never a hang, never an
// empty 200.

var options = sse.Options{Logger: slog.New(slog.DiscardHandler)}

func behindEcho(t *testing.T, engine *rowcast.Engine, m echo.MiddlewareFunc) http.Handler {
	t.Helper()
	router := echo.New()
	router.Use(m)
	if err := rowcastecho.Mount(router, "/realtime", engine, rowcastecho.Config{Stream: options}); err != nil {
		t.Fatal(err)
	}
	return router
}

func behindGin(t *testing.T, engine *rowcast.Engine, m gin.HandlerFunc) http.Handler {
	t.Helper()
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.Use(m)
	if err := rowcastgin.Mount(router, "/realtime", engine, rowcastgin.Config{Stream: options}); err != nil {
		t.Fatal(err)
	}
	return router
}

// get opens the stream behind a handler.
func get(t *testing.T, engine *rowcast.Engine, handler http.Handler) *http.Response {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	t.Cleanup(func() { _ = engine.Shutdown(context.Background()) })
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/realtime?channel=Card", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

func TestTimeoutMiddlewareIsRefused(t *testing.T) {
	engine := proxiedEngine(t)
	//lint:ignore SA1019 applications use it, and it is what must be refused
	response := get(t, engine, behindEcho(t, engine, middleware.TimeoutWithConfig(middleware.TimeoutConfig{Timeout: time.Minute})))
	if response.StatusCode != 500 || response.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("got %s, %v", response.Status, response.Header)
	}
}

func TestStreamBehindMiddlewareThatPassesFlushesOn(t *testing.T) {
	for name, behind := range map[string]func(*testing.T, *rowcast.Engine) http.Handler{
		"gin, gzip": func(t *testing.T, e *rowcast.Engine) http.Handler {
			return behindGin(t, e, gingzip.Gzip(gingzip.DefaultCompression))
		},
		"gin, recovery": func(t *testing.T, e *rowcast.Engine) http.Handler { return behindGin(t, e, gin.Recovery()) },
		"echo, gzip":    func(t *testing.T, e *rowcast.Engine) http.Handler { return behindEcho(t, e, middleware.Gzip()) },
		"echo, recover": func(t *testing.T, e *rowcast.Engine) http.Handler { return behindEcho(t, e, middleware.Recover()) },
		"echo, body dump": func(t *testing.T, e *rowcast.Engine) http.Handler {
			return behindEcho(t, e, middleware.BodyDump(func(echo.Context, []byte, []byte) {}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			engine := proxiedEngine(t)
			response := get(t, engine, behind(t, engine))
			stream := sse.NewDecoder(response.Body)
			if strings.Contains(response.Header.Get("Content-Encoding"), "gzip") {
				unzipped, err := gzip.NewReader(response.Body)
				if err != nil {
					t.Fatal(err)
				}
				stream = sse.NewDecoder(unzipped)
			}
			// Each message comes while nothing follows it that could push it through a buffer.
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
