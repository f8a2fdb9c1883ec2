package sse

import (
	"net/http"

	"github.com/rowcast/rowcast/core"
)

// Middleware ties the writes of a request to the stream of the client that sent it. The context that handlers get
// carries the request's origin: pass it on to the writes (db.WithContext(r.Context())). A client that sends the id of
// its connection in the header Rowcast-Connection can then leave its own writes out of its stream (echo=false), and
// the response carries the header Rowcast-Position when a write has reached the log before the response began.
func Middleware(engine *rowcast.Engine) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, origin := engine.WithOrigin(r.Context(), r.Header.Get(rowcast.HeaderConnection))
			positioned := &positionWriter{ResponseWriter: w, origin: origin}
			next.ServeHTTP(positioned, r.WithContext(ctx))
			positioned.begin() // a handler that wrote nothing
		})
	}
}

// positionWriter adds the header at the last moment at which headers can be added.
type positionWriter struct {
	http.ResponseWriter
	origin *rowcast.Origin
	begun  bool
}

func (w *positionWriter) begin() {
	if w.begun {
		return
	}
	w.begun = true
	SetPosition(w.Header(), w.origin)
}

// SetPosition sets the header Rowcast-Position if a write has reached the log.
func SetPosition(header http.Header, origin *rowcast.Origin) {
	if position := origin.Position(); !position.IsZero() {
		header.Set(rowcast.HeaderPosition, position.String())
	}
}

// Unwrap is for http.ResponseController, and so for streams: they flush, and set deadlines, on what is below.
func (w *positionWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *positionWriter) WriteHeader(status int) {
	if status >= 200 || status == http.StatusSwitchingProtocols {
		w.begin()
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *positionWriter) Write(p []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(p)
}

// Flush is for handlers that ask for http.Flusher.
func (w *positionWriter) Flush() {
	w.begin()
	// Flusher has no error to return; a client that is gone shows at the next write.
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}
