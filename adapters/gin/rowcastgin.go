// Package rowcastgin serves rowcast's stream with Gin.
//
//	router := gin.New()
//	err := rowcastgin.Mount(router, "/realtime", engine, rowcastgin.Config{})
//
// Mount it on a group to put the application's own middleware in front. Middleware that buffers or compresses the
// response keeps events back: exclude the stream's route from it. One whose writer cannot flush at all is noticed, and
// the request gets a 500 problem.
//
// http.Server.Shutdown waits for open streams without end: call engine.Shutdown before it.
package rowcastgin

import (
	"github.com/gin-gonic/gin"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/sse"
)

// Middleware ties the writes of a request to the stream of the client that sent it, see sse.Middleware. The handlers
// pass the request's context on: db.WithContext(c.Request.Context()).
func Middleware(engine *rowcast.Engine) gin.HandlerFunc {
	return func(c *gin.Context) {
		ctx, origin := engine.WithOrigin(c.Request.Context(), c.GetHeader(rowcast.HeaderConnection))
		c.Request = c.Request.WithContext(ctx)
		writer := &positionWriter{c.Writer, origin}
		c.Writer = writer
		c.Next()
		writer.begin() // a handler that wrote nothing
	}
}

// Config is the adapter's. The zero value works.
type Config struct {
	Stream sse.Options
}

// Mount serves the stream under the path, for every method that the framework routes, so that wrong ones get their answer from the wire format.
// It starts the engine if nobody did; its error is the start's.
func Mount(router gin.IRouter, path string, engine *rowcast.Engine, config Config) error {
	handler, err := Handler(engine, config)
	if err != nil {
		return err
	}
	router.Any(path, handler)
	return nil
}

// Handler is the stream as a handler, for routes that Mount does not cover. It starts the engine if nobody did; its
// error is the start's. Safe for concurrent use.
func Handler(engine *rowcast.Engine, config Config) (gin.HandlerFunc, error) {
	server, err := sse.NewServer(engine, config.Stream)
	if err != nil {
		return nil, err
	}
	return func(c *gin.Context) {
		// The request's own context, not *gin.Context, which is never done.
		server.ServeHTTP(c.Writer, c.Request)
	}, nil
}
