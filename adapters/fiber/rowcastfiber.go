// Package rowcastfiber serves rowcast's stream with Fiber.
//
//	app := fiber.New()
//	err := rowcastfiber.Mount(app, "/realtime", engine, rowcastfiber.Config{})
//
// Mount it on a group to put the application's own middleware in front. The etag and cache middlewares, and a logger
// that shows ${resBody}, read a response to its end, which a stream does not have: exclude the stream's route from
// them. Prefork splits an application into processes that do not see each other's writes.
//
// fiber.App.Shutdown waits for open streams: call engine.Shutdown before it.
package rowcastfiber

import (
	"bufio"
	"context"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/sse"
)

// Middleware ties the writes of a request to the stream of the client that sent it, see sse.Middleware. The handlers
// pass the user context on: db.WithContext(c.UserContext()).
func Middleware(engine *rowcast.Engine) fiber.Handler {
	return func(c *fiber.Ctx) error {
		ctx, origin := engine.WithOrigin(c.UserContext(), strings.Clone(c.Get(rowcast.HeaderConnection)))
		c.SetUserContext(ctx)
		err := c.Next()
		if position := origin.Position(); !position.IsZero() {
			c.Set(rowcast.HeaderPosition, position.String())
		}
		return err
	}
}

// Config is the adapter's. The zero value works.
type Config struct {
	Stream sse.Options
}

// Mount serves the stream under the path, for every method, so that wrong ones get their answer from the wire format.
// It starts the engine if nobody did; its error is the start's.
func Mount(router fiber.Router, path string, engine *rowcast.Engine, config Config) error {
	handler, err := Handler(engine, config)
	if err != nil {
		return err
	}
	router.All(path, handler)
	return nil
}

// Handler is the stream as a handler, for routes that Mount does not cover. It starts the engine if nobody did; its
// error is the start's. Safe for concurrent use.
func Handler(engine *rowcast.Engine, config Config) (fiber.Handler, error) {
	server, err := sse.NewServer(engine, config.Stream)
	if err != nil {
		return nil, err
	}
	return func(c *fiber.Ctx) error {
		ctx, cancel := context.WithCancel(context.Background())
		opened, refusal := server.Open(ctx, requestOf(c))
		if refusal != nil {
			cancel()
			respond(c, refusal)
			return nil
		}
		if c.Request().Header.IsHTTP11() {
			serve(ctx, cancel, c, opened)
		} else {
			serveHTTP10(ctx, cancel, c, opened)
		}
		return nil
	}, nil
}

// requestOf copies what the stream keeps: fasthttp uses the memory of a request again.
func requestOf(c *fiber.Ctx) sse.Request {
	var accept []string
	for _, value := range c.Request().Header.PeekAll(fiber.HeaderAccept) {
		accept = append(accept, string(value))
	}
	return sse.Request{
		Method:      strings.Clone(c.Method()),
		Query:       string(c.Request().URI().QueryString()),
		Accept:      strings.Join(accept, ","),
		LastEventID: strings.Clone(c.Get("Last-Event-ID")),
	}
}

func respond(c *fiber.Ctx, response *sse.Response) {
	setHeader(c, response.Header)
	c.Status(response.Status)
	c.Response().SetBodyRaw(response.Body)
}

func setHeader(c *fiber.Ctx, header http.Header) {
	for name, values := range header {
		for _, value := range values {
			c.Set(name, value)
		}
	}
}

// serve hands the stream to fasthttp, which runs it after the handler has returned, when nothing of c may be used.
func serve(ctx context.Context, cancel context.CancelFunc, c *fiber.Ctx, opened *sse.Opened) {
	setHeader(c, sse.Header())
	conn, stopping := c.Context().Conn(), c.Context().Done()
	c.Context().Response.SetConnectionClose()
	go watch(conn, cancel) // ctx, and with it what was opened, ends with the connection, also if the writer never runs
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		defer cancel()
		go cancelOn(stopping, ctx, cancel)
		// Why the stream ended concerns nobody here: a client that has gone, or a bye.
		_ = sse.Serve(ctx, stream{w, conn}, opened)
	})
}

// cancelOn ends the stream when the server shuts down, which would wait for it.
func cancelOn(stopping <-chan struct{}, ctx context.Context, cancel context.CancelFunc) {
	select {
	case <-stopping:
		cancel()
	case <-ctx.Done():
	}
}
