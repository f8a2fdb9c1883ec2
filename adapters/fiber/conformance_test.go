package rowcastfiber_test

import (
	"net"
	"testing"

	"github.com/gofiber/fiber/v2"
	rowcastfiber "github.com/rowcast/rowcast/adapters/fiber"
	"github.com/rowcast/rowcast/conformance"
	"github.com/rowcast/rowcast/core"
)

func TestFiberConforms(t *testing.T) {
	conformance.TestTransport(t, conformance.Transport{Serve: serve})
}

func serve(t *testing.T, engine *rowcast.Engine, options conformance.ServeOptions) string {
	app := fiber.New(fiber.Config{
		DisableStartupMessage: true,
		WriteTimeout:          options.ServerWriteTimeout,
		ReadTimeout:           options.ServerReadTimeout,
		IdleTimeout:           options.ServerReadTimeout,
		ReadBufferSize:        64 << 10, // fasthttp answers 431 to a longer request line
	})
	app.Use(rowcastfiber.Middleware(engine))
	if err := rowcastfiber.Mount(app.Group("/api"), "/realtime", engine, rowcastfiber.Config{Stream: options.Stream}); err != nil {
		t.Fatal(err)
	}
	app.Post("/api/realtime/write", func(c *fiber.Ctx) error {
		options.Write(c.UserContext())
		return c.SendStatus(fiber.StatusNoContent)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- app.Listener(listener) }()
	t.Cleanup(func() {
		if err := app.Shutdown(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return "http://" + listener.Addr().String() + "/api/realtime"
}
