package rowcastfiber

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/rowcast/rowcast/core/sse"
)

// serveHTTP10 streams to a client of HTTP/1.0, such as nginx speaks to its upstreams by default. It knows no chunks,
// and fasthttp streams in nothing else, so the connection is taken over: headers, then frames, then close.
func serveHTTP10(ctx context.Context, cancel context.CancelFunc, c *fiber.Ctx, opened *sse.Opened) {
	head := head10(c)
	stopping := c.Context().Done()
	c.Context().HijackSetNoResponse(true)
	c.Context().Hijack(func(conn net.Conn) {
		defer cancel()
		go watch(conn, cancel)
		go cancelOn(stopping, ctx, cancel)
		w := bufio.NewWriter(conn)
		if _, err := w.Write(head); err != nil {
			opened.Close()
			return
		}
		_ = sse.Serve(ctx, stream{w, conn}, opened)
	})
}

// head10 is the status line and the headers, those that middleware has set among them.
func head10(c *fiber.Ctx) []byte {
	header := http.Header{}
	c.Response().Header.VisitAll(func(name, value []byte) { header.Add(string(name), string(value)) })
	for name, values := range sse.Header() {
		header[name] = values
	}
	header.Del("Content-Length")
	header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	header.Set("Connection", "close")
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 200 OK\r\n")
	if err := header.Write(&b); err != nil {
		panic("rowcastfiber: headers do not write to memory: " + err.Error()) // they always do
	}
	b.WriteString("\r\n")
	return b.Bytes()
}
