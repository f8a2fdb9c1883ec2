// Package rowcastfiber serves rowcast's stream with Fiber.
//
//	app := fiber.New()
//	err := rowcastfiber.Mount(app, "/realtime", engine, rowcastfiber.Config{})
//
// Mount it on a group to put the application's own middleware in front. The stream takes the connection over, so
// headers are sent that were set before the handler ran, and middleware that works on the body (etag, compress) sees an
// empty one and changes nothing. Exclude the stream's route from the cache middleware: it would keep the empty body and
// serve it. fasthttp answers 431 to a query longer than its ReadBufferSize (4 KiB unless set). Prefork splits an
// application into processes that do not see each other's writes.
//
// fiber.App.Shutdown cuts open streams off: call engine.Shutdown before it, so that clients get their bye.
package rowcastfiber

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"strings"
	"time"

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

// Mount serves the stream under the path, for every method that the framework routes, so that wrong ones get their answer from the wire format.
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
		request := requestOf(c)
		if refusal := server.Check(request); refusal != nil {
			respond(c, refusal)
			return nil
		}
		serve(server, request, c)
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

// serve takes the connection over from fasthttp, which would otherwise stream in chunks only, also to clients of
// HTTP/1.0, and let a middleware wait for the end of a body that has none. The stream is opened only when fasthttp comes
// to it: it may not, if the client has gone or a middleware gives another answer. By then the handler has returned, and
// nothing of c may be used.
func serve(server *sse.Server, request sse.Request, c *fiber.Ctx) {
	chunked := c.Request().Header.IsHTTP11()
	head, stopping := headOf(c, chunked), c.Context().Done()
	conn := c.Context().Conn() // not what Hijack hands over, which fasthttp uses again while watch may still read
	c.Context().HijackSetNoResponse(true)
	c.Context().Hijack(func(net.Conn) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		go watch(conn, cancel)
		go cancelOn(stopping, ctx, cancel)
		opened, refusal := server.Open(ctx, request)
		if refusal != nil {
			return // nothing can have changed since Check but that the engine is gone
		}
		out := newStream(conn, chunked)
		if _, err := out.Writer.Write(head); err != nil {
			opened.Close()
			return
		}
		// Why the stream ended concerns nobody here: a client that has gone, or a bye.
		if err := sse.Serve(ctx, out, opened); err == nil {
			out.end()
		}
	})
}

// headOf is the status line and the headers, those that middleware has set among them.
func headOf(c *fiber.Ctx, chunked bool) []byte {
	header := http.Header{}
	c.Response().Header.VisitAll(func(name, value []byte) { header.Add(string(name), string(value)) })
	for name, values := range sse.Header() {
		header[name] = values
	}
	header.Del(fiber.HeaderContentLength)
	header.Del(fiber.HeaderContentEncoding)
	if chunked {
		header.Set(fiber.HeaderTransferEncoding, "chunked")
	}
	header.Set(fiber.HeaderDate, time.Now().UTC().Format(http.TimeFormat))
	header.Set(fiber.HeaderConnection, "close")
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 200 OK\r\n")
	if err := header.Write(&b); err != nil {
		panic("rowcastfiber: headers do not write to memory: " + err.Error()) // they always do
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// cancelOn ends the stream when the server shuts down.
func cancelOn(stopping <-chan struct{}, ctx context.Context, cancel context.CancelFunc) {
	select {
	case <-stopping:
		cancel()
	case <-ctx.Done():
	}
}
