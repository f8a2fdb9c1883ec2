package rowcastgin_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"
	rowcastgin "github.com/rowcast/rowcast/adapters/gin"
	"github.com/rowcast/rowcast/conformance"
	"github.com/rowcast/rowcast/core"
)

func TestGinConforms(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	conformance.TestTransport(t, conformance.Transport{Serve: serve})
}

func serve(t *testing.T, engine *rowcast.Engine, options conformance.ServeOptions) string {
	router := gin.New()
	router.Use(rowcastgin.Middleware(engine))
	if err := rowcastgin.Mount(router.Group("/api"), "/realtime", engine, rowcastgin.Config{Stream: options.Stream}); err != nil {
		t.Fatal(err)
	}
	router.POST("/api/realtime/write", func(c *gin.Context) {
		options.Write(c.Request.Context())
		c.Status(http.StatusNoContent)
	})
	server := httptest.NewUnstartedServer(router)
	server.Config.WriteTimeout = options.ServerWriteTimeout
	server.Config.ReadTimeout, server.Config.IdleTimeout = options.ServerReadTimeout, options.ServerReadTimeout
	server.Start()
	t.Cleanup(server.Close)
	return server.URL + "/api/realtime"
}
