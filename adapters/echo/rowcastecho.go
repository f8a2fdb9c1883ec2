// Package rowcastecho serves rowcast's stream with Echo.
//
//	router := echo.New()
//	err := rowcastecho.Mount(router, "/realtime", engine, rowcastecho.Config{})
//
// Mount it on a group to put the application's own middleware in front. Middleware that buffers or compresses the
// response keeps events back: exclude the stream's route from Echo's Gzip, BodyDump and Timeout with their Skipper.
// ContextTimeout ends the stream when its time is over, after which the client comes back. A writer that cannot flush
// at all is noticed, and the request gets a 500 problem.
//
// Echo.Shutdown waits for open streams without end: call engine.Shutdown before it.
package rowcastecho

import (
	"github.com/labstack/echo/v4"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/sse"
)

// Middleware ties the writes of a request to the stream of the client that sent it, see sse.Middleware. The handlers
// pass the request's context on: db.WithContext(c.Request().Context()).
func Middleware(engine *rowcast.Engine) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			ctx, origin := engine.WithOrigin(c.Request().Context(), c.Request().Header.Get(rowcast.HeaderConnection))
			c.SetRequest(c.Request().WithContext(ctx))
			c.Response().Before(func() { sse.SetPosition(c.Response().Header(), origin) })
			err := next(c)
			if err == nil && !c.Response().Committed {
				sse.SetPosition(c.Response().Header(), origin) // a handler that wrote no body
			}
			return err
		}
	}
}

// Config is the adapter's. The zero value works.
type Config struct {
	Stream sse.Options
}

// Router is what a stream can be mounted on: *echo.Echo or *echo.Group.
type Router interface {
	Any(path string, handler echo.HandlerFunc, middleware ...echo.MiddlewareFunc) []*echo.Route
}

// Mount serves the stream under the path, for every method that the framework routes, so that wrong ones get their answer from the wire format.
// It starts the engine if nobody did; its error is the start's.
func Mount(router Router, path string, engine *rowcast.Engine, config Config) error {
	handler, err := Handler(engine, config)
	if err != nil {
		return err
	}
	router.Any(path, handler)
	return nil
}

// Handler is the stream as a handler, for routes that Mount does not cover. It starts the engine if nobody did; its
// error is the start's. Safe for concurrent use.
func Handler(engine *rowcast.Engine, config Config) (echo.HandlerFunc, error) {
	server, err := sse.NewServer(engine, config.Stream)
	if err != nil {
		return nil, err
	}
	return func(c echo.Context) error {
		server.ServeHTTP(c.Response(), c.Request())
		return nil
	}, nil
}
