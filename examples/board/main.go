// Command board is rowcast's demo application: a task board that two browser windows share.
//
//	go run ./examples/board
//
// It is an ordinary GORM application, on Gin or on another web framework (-framework). Its handlers (api.go) write with
// plain GORM calls and publish nothing by hand; the few lines that make every committed write reach every open page are
// in app.go and in the framework's file.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// options are the command line.
type options struct {
	addr      string
	db        string
	framework string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the whole program: it serves until ctx ends and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	options, err := parseOptions(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "board:", oneLine(err))
		return 2
	}
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	if err := serve(ctx, options, stdout, logger); err != nil {
		fmt.Fprintln(stderr, "board:", oneLine(err))
		return 1
	}
	return 0
}

func parseOptions(args []string, stdout io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("board", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // a mistake gets one line, not the whole usage
	flags.StringVar(&o.addr, "addr", "127.0.0.1:8080", "`host:port` to listen on; port 0 takes a free one")
	flags.StringVar(&o.db, "db", "", "`database`: empty for SQLite in memory, a path for a SQLite file, or postgres://…")
	flags.StringVar(&o.framework, "framework", "gin", "web framework: "+frameworkNames())
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(stdout, "board serves a task board that several browser windows share. Its flags:")
			flags.SetOutput(stdout)
			flags.PrintDefaults()
			return o, err
		}
		return o, fmt.Errorf("%w (board -h lists the flags)", err)
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q (board -h lists the flags)", flags.Arg(0))
	}
	if frameworks[o.framework] == nil {
		return o, fmt.Errorf("-framework %q is not available: use %s", o.framework, frameworkNames())
	}
	return o, nil
}

func frameworkNames() string {
	var names []string
	for name := range frameworks {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// oneLine keeps errors readable in a terminal: joined errors and some drivers' span several lines.
func oneLine(err error) string {
	var line strings.Builder
	for part := range strings.Lines(err.Error()) {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		switch {
		case line.Len() == 0:
		case strings.HasSuffix(line.String(), ":"):
			line.WriteString(" ")
		default:
			line.WriteString("; ")
		}
		line.WriteString(part)
	}
	return line.String()
}
