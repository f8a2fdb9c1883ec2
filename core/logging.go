package rowcast

import (
	"context"
	"log/slog"
)

// guardedHandler keeps a panic of the user's log handler away from the streams and the writers that log.
type guardedHandler struct{ slog.Handler }

func (h guardedHandler) Handle(ctx context.Context, record slog.Record) error {
	return contained("the log handler", func() error { return h.Handler.Handle(ctx, record) })
}

func (h guardedHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return guardedHandler{h.Handler.WithAttrs(attrs)}
}

func (h guardedHandler) WithGroup(name string) slog.Handler {
	return guardedHandler{h.Handler.WithGroup(name)}
}
