package rowcast

import (
	"context"
	"sync"
)

// The headers by which a request that writes, and the stream of the same client, know of each other.
const (
	HeaderConnection = "Rowcast-Connection" // request: the connection that «subscribed» named
	HeaderPosition   = "Rowcast-Position"   // response: where the request's last write stands in the log
)

// Origin is the request on whose behalf a context writes. Safe for concurrent use.
type Origin struct {
	connection string

	mu       sync.Mutex
	position Position
}

// originKey is of one engine: another engine's log has other positions.
type originKey struct{ engine *Engine }

// WithOrigin returns a context for one request's writes, with the connection that the client named; "" if it named
// none. Pass the context to the writes: db.WithContext(ctx), engine.Execute(ctx, …).
func (e *Engine) WithOrigin(ctx context.Context, connection string) (context.Context, *Origin) {
	origin := &Origin{connection: connection}
	return context.WithValue(ctx, originKey{e}, origin), origin
}

func (e *Engine) originFrom(ctx context.Context) *Origin {
	origin, _ := ctx.Value(originKey{e}).(*Origin)
	return origin
}

// Position is where the newest of the request's records stands in the log; zero when none has reached it.
func (o *Origin) Position() Position {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.position
}

func (o *Origin) reached(position Position) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if position.Epoch != o.position.Epoch || position.Seq > o.position.Seq {
		o.position = position
	}
}

// connectionOf is the connection on whose behalf ctx writes, or "".
func (e *Engine) connectionOf(ctx context.Context) string {
	if origin := e.originFrom(ctx); origin != nil {
		return origin.connection
	}
	return ""
}
