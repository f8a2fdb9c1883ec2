package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	rowcastgorm "github.com/rowcast/rowcast/adapters/gorm"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/memstore"
)

const (
	streamPath = "/realtime"

	// shutdownTime is how long open streams and running requests get to end on Ctrl-C.
	shutdownTime = 2 * time.Second
)

// app is what every web framework serves: the routes of the API and the page, and the engine behind the stream.
type app struct {
	routes []route
	engine *rowcast.Engine
	logger *slog.Logger
}

// server is what is left of a web framework once its routes are set.
type server interface {
	Serve(net.Listener) error           // returns nil after Shutdown
	Shutdown(ctx context.Context) error // when ctx ends first, it closes what is still open
}

// frameworks are the choices of -framework.
var frameworks = map[string]func(*app) (server, error){
	"gin":     newGin,
	"echo":    newEcho,
	"fiber":   newFiber,
	"nethttp": newNetHTTP,
}

// serve listens, opens the database, and serves until ctx ends. It listens first, so that a port that is taken shows
// before a database is touched.
func serve(ctx context.Context, o options, stdout io.Writer, logger *slog.Logger) error {
	listener, err := net.Listen("tcp", o.addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	db, err := openDatabase(ctx, o.db)
	if err != nil {
		return fmt.Errorf("cannot open the database: %w", err)
	}
	defer db.close()
	if err := seed(ctx, db.DB); err != nil { // before anybody listens
		return fmt.Errorf("cannot write the first cards: %w", err)
	}
	app, err := newApp(ctx, db, logger)
	if err != nil {
		return err
	}
	server, err := frameworks[o.framework](app)
	if err != nil {
		return err
	}
	announce(stdout, o.framework, db.description, listener.Addr())
	return serveUntil(ctx, server, listener, app)
}

// newApp is where rowcast comes in: an engine, the capture plugin, and the one entity that is captured.
func newApp(ctx context.Context, db *database, logger *slog.Logger) (*app, error) {
	engine, err := rowcast.New(memstore.NewLog(memstore.LogConfig{}), rowcast.Config{
		Defaults: rowcast.Settings{Realtime: rowcast.On},
		Logger:   logger,
	})
	if err != nil {
		return nil, err
	}
	capture := rowcastgorm.New(engine, rowcastgorm.Config{Logger: logger})
	err = capture.Register(db.DB, &Card{}, rowcastgorm.Entity{
		Filterable: rowcast.AllFields,
		Enums:      map[string][]string{"status": statuses},
	})
	if err != nil {
		return nil, err
	}
	if err := db.Use(capture); err != nil {
		return nil, err
	}
	if err := engine.Start(ctx); err != nil {
		return nil, err
	}
	api := &api{db: db.DB, engine: engine}
	return &app{routes: append(api.routes(), pageRoutes()...), engine: engine, logger: logger}, nil
}

// serveUntil serves until ctx ends, then ends the streams before the server: a server's Shutdown waits for open
// streams without end.
func serveUntil(ctx context.Context, server server, listener net.Listener, app *app) error {
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	var failed error
	select {
	case failed = <-served:
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if err := errors.Join(app.engine.Shutdown(ending), server.Shutdown(ending)); err != nil {
		app.logger.Warn("not everything ended in time and was cut off", "error", err)
	}
	return failed
}

// announce says what is served and where.
func announce(stdout io.Writer, framework, database string, addr net.Addr) {
	host, port, _ := net.SplitHostPort(addr.String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	base := "http://" + net.JoinHostPort(host, port)
	fmt.Fprintf(stdout, "rowcast board: %s, GORM, %s\n\n", framework, database)
	fmt.Fprintf(stdout, "  page    %s/\n", base)
	fmt.Fprintf(stdout, "  cards   %s/api/cards\n", base)
	fmt.Fprintf(stdout, "  stream  %s%s?channel=Card\n", base, streamPath)
	fmt.Fprintf(stdout, "  watch   curl -N '%s%s?channel=Card'\n\n", base, streamPath)
	fmt.Fprintln(stdout, "Open the page in two windows. Ctrl-C ends it.")
}
