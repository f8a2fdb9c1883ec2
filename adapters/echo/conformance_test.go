package rowcastecho_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/labstack/echo/v4"
	rowcastecho "github.com/rowcast/rowcast/adapters/echo"
	"github.com/rowcast/rowcast/conformance"
	"github.com/rowcast/rowcast/core"
)

func TestEchoConforms(t *testing.T) {
	conformance.TestTransport(t, conformance.Transport{Serve: serve})
}

func serve(t *testing.T, engine *rowcast.Engine, options conformance.ServeOptions) string {
	router := echo.New()
	router.Use(rowcastecho.Middleware(engine))
	if err := rowcastecho.Mount(router.Group("/api"), "/realtime", engine, rowcastecho.Config{Stream: options.Stream}); err != nil {
		t.Fatal(err)
	}
	router.POST("/api/realtime/write", func(c echo.Context) error {
		options.Write(c.Request().Context())
		return c.NoContent(http.StatusNoContent)
	})
	server := httptest.NewUnstartedServer(router)
	server.Config.WriteTimeout = options.ServerWriteTimeout
	server.Config.ReadTimeout, server.Config.IdleTimeout = options.ServerReadTimeout, options.ServerReadTimeout
	server.Start()
	t.Cleanup(server.Close)
	return server.URL + "/api/realtime"
}
