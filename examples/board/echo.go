package main

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
	rowcastecho "github.com/rowcast/rowcast/adapters/echo"
)

// newEcho serves the board with Echo.
func newEcho(app *app) (server, error) {
	router := echo.New()
	router.Use(rowcastecho.Middleware(app.engine))
	for _, route := range app.routes {
		path := strings.NewReplacer("{", ":", "}", "").Replace(route.path)
		router.Add(route.method, path, echoHandler(app, route))
	}
	router.HTTPErrorHandler = func(err error, c echo.Context) {
		// The routes answer for themselves; what is left is what Echo finds no route for.
		handle := noRoute
		if errors.Is(err, echo.ErrMethodNotAllowed) {
			handle = noMethod
		}
		_ = echoHandler(app, route{handle: handle})(c) // a client that has gone misses its answer
	}
	if err := rowcastecho.Mount(router, streamPath, app.engine, rowcastecho.Config{}); err != nil {
		return nil, err
	}
	return newHTTPServer(router), nil
}

func echoHandler(app *app, route route) echo.HandlerFunc {
	return func(c echo.Context) error {
		answer := app.answer(c.Request().Context(), route, request{
			id:    c.Param("id"),
			query: c.Request().URL.RawQuery,
			body:  http.MaxBytesReader(c.Response(), c.Request().Body, maxBody),
		})
		for name, value := range answer.header {
			c.Response().Header().Set(name, value)
		}
		return c.Blob(answer.status, answer.header["Content-Type"], answer.body)
	}
}
