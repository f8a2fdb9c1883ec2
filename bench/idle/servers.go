package main

import (
	"bufio"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/gofiber/fiber/v2"
	"github.com/labstack/echo/v4"
	rowcastecho "github.com/rowcast/rowcast/adapters/echo"
	rowcastfiber "github.com/rowcast/rowcast/adapters/fiber"
	rowcastgin "github.com/rowcast/rowcast/adapters/gin"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
	"github.com/rowcast/rowcast/core/sse"
	"github.com/rowcast/rowcast/memstore"
)

const path = "/realtime"

// serve runs one server, says its address, and answers «memory» with its resident bytes.
func serve(name string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	framework, kind, _ := strings.Cut(name, "/")
	go func() { check(starters[framework](listener, kind == "rowcast")) }()
	fmt.Println(listener.Addr())
	commands := bufio.NewScanner(os.Stdin)
	for commands.Scan() {
		debug.FreeOSMemory()
		fmt.Println(resident())
	}
}

var starters = map[string]func(net.Listener, bool) error{
	"nethttp": func(l net.Listener, ours bool) error {
		handler := http.Handler(http.HandlerFunc(byHand))
		if ours {
			var err error
			handler, err = sse.Handler(engine(), sse.Config{})
			check(err)
		}
		return http.Serve(l, handler)
	},
	"gin": func(l net.Listener, ours bool) error {
		gin.SetMode(gin.ReleaseMode)
		router := gin.New()
		if ours {
			check(rowcastgin.Mount(router, path, engine(), rowcastgin.Config{}))
		} else {
			router.GET(path, func(c *gin.Context) { byHand(c.Writer, c.Request) })
		}
		return http.Serve(l, router)
	},
	"echo": func(l net.Listener, ours bool) error {
		router := echo.New()
		if ours {
			check(rowcastecho.Mount(router, path, engine(), rowcastecho.Config{}))
		} else {
			router.GET(path, func(c echo.Context) error { byHand(c.Response(), c.Request()); return nil })
		}
		return http.Serve(l, router)
	},
	"fiber": func(l net.Listener, ours bool) error {
		app := fiber.New(fiber.Config{DisableStartupMessage: true})
		if ours {
			check(rowcastfiber.Mount(app, path, engine(), rowcastfiber.Config{}))
		} else {
			app.Get(path, byHandFiber)
		}
		return app.Listener(l)
	},
}

const firstFrame = "retry: 3000\nid: 1\nevent: subscribed\ndata: {\"connection\":\"abcdefghijklmnopqrstuvwxyz\",\"channels\":[\"Card\"],\"denied\":[]}\n\n"

// byHand is what one writes for want of a library: a channel to be sent to, a ticker for heartbeats.
func byHand(w http.ResponseWriter, r *http.Request) {
	messages := make(chan []byte, 16)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	flusher := w.(http.Flusher)
	_, _ = w.Write([]byte(firstFrame))
	flusher.Flush()
	heartbeat := time.NewTicker(15 * time.Second)
	defer heartbeat.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case m := <-messages:
			_, _ = w.Write(m)
		case <-heartbeat.C:
			_, _ = w.Write([]byte(":\n\n"))
		}
		flusher.Flush()
	}
}

func byHandFiber(c *fiber.Ctx) error {
	c.Set("Content-Type", "text/event-stream")
	c.Set("Cache-Control", "no-cache")
	messages, done := make(chan []byte, 16), c.Context().Done()
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		_, _ = w.WriteString(firstFrame)
		heartbeat := time.NewTicker(15 * time.Second)
		defer heartbeat.Stop()
		for w.Flush() == nil {
			select {
			case <-done:
				return
			case m := <-messages:
				_, _ = w.Write(m)
			case <-heartbeat.C:
				_, _ = w.WriteString(":\n\n")
			}
		}
	})
	return nil
}

func engine() *rowcast.Engine {
	e, err := rowcast.New(memstore.NewLog(memstore.LogConfig{}), rowcast.Config{
		Logger: slog.New(slog.DiscardHandler), Defaults: rowcast.Settings{Realtime: rowcast.On},
	})
	check(err)
	check(e.Register(rowcast.Entity{Name: "Card", Fields: []rowcast.Field{{Name: "id", Kind: filter.Int}}, Key: []string{"id"}}))
	return e
}

// resident is the process's memory as the kernel counts it.
func resident() int64 {
	status, err := os.ReadFile("/proc/self/statm")
	check(err)
	pages, err := strconv.ParseInt(strings.Fields(string(status))[1], 10, 64)
	check(err)
	return pages * int64(os.Getpagesize())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "idle:", err)
		os.Exit(1)
	}
}
