package rowcastfiber

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"time"
)

// stream writes to a connection that was taken over.
type stream struct {
	*bufio.Writer
	conn    net.Conn
	chunked bool // HTTP/1.1; a client of HTTP/1.0 gets the bytes as they are, up to the close
}

// newStream has room for what stands around a frame; frames themselves go past the buffer when they are larger.
func newStream(conn net.Conn, chunked bool) *stream {
	return &stream{bufio.NewWriterSize(conn, 512), conn, chunked}
}

// Write writes one chunk (RFC 9112, section 7.1). What fails here fails again at the Flush that follows.
func (s *stream) Write(p []byte) (int, error) {
	if !s.chunked {
		return s.Writer.Write(p)
	}
	if len(p) == 0 {
		return 0, nil // an empty chunk would be the last one
	}
	s.Writer.WriteString(strconv.FormatInt(int64(len(p)), 16))
	s.Writer.WriteString("\r\n")
	n, err := s.Writer.Write(p)
	s.Writer.WriteString("\r\n")
	return n, err
}

// end says that the stream is complete.
func (s *stream) end() {
	if s.chunked {
		s.Writer.WriteString("0\r\n\r\n")
		_ = s.Flush() // a client that has gone meanwhile misses nothing
	}
}

func (s *stream) SetWriteDeadline(deadline time.Time) error { return s.conn.SetWriteDeadline(deadline) }

// watch ends the stream when the client closes: nobody else reads from the connection. A client of an event stream
// sends nothing more, so what can be read is the end; the connection is used for no other request. It returns when the
// connection is closed, at the end of the stream at the latest.
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
