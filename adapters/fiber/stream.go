package rowcastfiber

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"time"
)

// stream is fasthttp's writer with the connection's deadline.
type stream struct {
	*bufio.Writer
	conn net.Conn
}

func (s stream) SetWriteDeadline(deadline time.Time) error { return s.conn.SetWriteDeadline(deadline) }

// watch ends the stream when the client closes: fasthttp itself notices only at a write. A client of an event stream
// sends nothing more, so what can be read is the end; the connection is used for no other request. It returns when the
// connection is closed, which fasthttp does at the end of the response at the latest.
func watch(conn net.Conn, gone context.CancelFunc) {
	defer gone()
	var b [1]byte
	for {
		// The server's read time-out is about requests.
		if err := conn.SetReadDeadline(time.Time{}); err != nil {
			return
		}
		if _, err := conn.Read(b[:]); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
	}
}
