package rowcastgin

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/sse"
)

// positionWriter adds the header Rowcast-Position at the last moment at which headers can be added. Gin keeps the
// status back until the first write.
type positionWriter struct {
	gin.ResponseWriter
	origin *rowcast.Origin
}

// Unwrap is for http.ResponseController, and so for the stream's write deadlines.
func (w *positionWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *positionWriter) begin() {
	if !w.Written() {
		sse.SetPosition(w.Header(), w.origin)
	}
}

func (w *positionWriter) WriteHeaderNow() {
	w.begin()
	w.ResponseWriter.WriteHeaderNow()
}

func (w *positionWriter) Write(p []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(p)
}

func (w *positionWriter) WriteString(s string) (int, error) {
	w.begin()
	return w.ResponseWriter.WriteString(s)
}

func (w *positionWriter) Flush() {
	w.begin()
	w.ResponseWriter.Flush()
}
