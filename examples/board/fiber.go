package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	rowcastfiber "github.com/rowcast/rowcast/adapters/fiber"
)

// newFiber serves the board with Fiber.
func newFiber(app *app) (server, error) {
	router := fiber.New(fiber.Config{
		DisableStartupMessage: true, ReadTimeout: 5 * time.Second, ReadBufferSize: 16 << 10,
		// Fiber answers what is over its limit before it has read it, and the client may see a reset instead of the
		// answer. So it reads somewhat more than the board takes.
		BodyLimit: 4 * maxBody,
		// The routes answer for themselves; what is left is a body that Fiber does not take.
		ErrorHandler: func(c *fiber.Ctx, err error) error {
			if errors.Is(err, fiber.ErrRequestEntityTooLarge) {
				err = errTooLarge
			}
			failed := func(context.Context, request) (answer, error) { return answer{}, err }
			return fiberSend(c, app.answer(c.Context(), route{handle: failed}, request{}))
		},
	})
	router.Use(rowcastfiber.Middleware(app.engine))
	for _, route := range app.routes {
		path := strings.NewReplacer("{", ":", "}", "").Replace(route.path)
		router.Add(route.method, path, fiberHandler(app, route))
	}
	if err := rowcastfiber.Mount(router, streamPath, app.engine, rowcastfiber.Config{}); err != nil {
		return nil, err
	}
	for _, known := range app.routes {
		path := strings.NewReplacer("{", ":", "}", "").Replace(known.path)
		router.All(path, fiberHandler(app, route{handle: noMethod}))
	}
	router.Use(fiberHandler(app, route{handle: noRoute}))
	return &fiberServer{router}, nil
}

func fiberHandler(app *app, route route) fiber.Handler {
	return func(c *fiber.Ctx) error {
		return fiberSend(c, app.answer(c.UserContext(), route, request{
			id:    strings.Clone(c.Params("id")),
			query: string(c.Request().URI().QueryString()),
			body:  http.MaxBytesReader(nil, io.NopCloser(bytes.NewReader(c.Body())), maxBody),
		}))
	}
}

func fiberSend(c *fiber.Ctx, answer answer) error {
	for name, value := range answer.header {
		c.Set(name, value)
	}
	return c.Status(answer.status).Send(answer.body)
}

// fiberServer ends like the others.
type fiberServer struct{ app *fiber.App }

func (s *fiberServer) Serve(listener net.Listener) error { return s.app.Listener(listener) }

func (s *fiberServer) Shutdown(ctx context.Context) error { return s.app.ShutdownWithContext(ctx) }
