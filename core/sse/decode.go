package sse

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Message is one event that a stream dispatched.
type Message struct {
	Event string // "message" if the stream named none
	Data  string
	ID    string // the last event id when it was dispatched
}

// Decoder reads a stream by the rules of the WHATWG HTML standard, «Interpreting an event stream». It is not safe for
// concurrent use.
type Decoder struct {
	reader *bufio.Reader
	first  bool // a byte order mark may stand here
	skipLF bool // the last line ended in CR: a LF that follows belongs to it

	event  string
	data   strings.Builder
	id     string // of the event that is being read
	lastID string
	retry  time.Duration
}

// maxLine bounds what one line may take: a broken server must not fill the client's memory.
const maxLine = 16 << 20

// NewDecoder reads from a response body.
func NewDecoder(r io.Reader) *Decoder {
	return &Decoder{reader: bufio.NewReader(r), first: true}
}

// LastEventID is what a client sends in Last-Event-ID when it reconnects.
func (d *Decoder) LastEventID() string { return d.lastID }

// Retry is how long a client waits before it reconnects, or 0 if the stream did not say.
func (d *Decoder) Retry() time.Duration { return d.retry }

// Next returns the next event that is dispatched. What the stream's end cuts off is never dispatched: then the error
// is io.EOF, as it is for a stream that ended properly.
func (d *Decoder) Next() (Message, error) {
	for {
		line, err := d.line()
		if err != nil {
			return Message{}, err
		}
		if line != "" {
			d.field(line)
			continue
		}
		if message, ok := d.dispatch(); ok {
			return message, nil
		}
	}
}

// dispatch ends an event at a blank line. One without data only moves the last event id.
func (d *Decoder) dispatch() (Message, bool) {
	d.lastID = d.id
	message := Message{Event: d.event, Data: strings.TrimSuffix(d.data.String(), "\n"), ID: d.lastID}
	hasData := d.data.Len() > 0
	d.event = ""
	d.data.Reset()
	if message.Event == "" {
		message.Event = "message"
	}
	return message, hasData
}

func (d *Decoder) field(line string) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "event":
		d.event = value
	case "data":
		d.data.WriteString(value)
		d.data.WriteByte('\n')
	case "id":
		if !strings.Contains(value, "\x00") {
			d.id = value
		}
	case "retry":
		if ms, err := strconv.ParseUint(value, 10, 31); err == nil && isDigits(value) {
			d.retry = time.Duration(ms) * time.Millisecond
		}
	}
}

func isDigits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}

// line reads up to CR, LF or CRLF. It does not wait for the byte after a CR.
func (d *Decoder) line() (string, error) {
	var line []byte
	for {
		b, err := d.reader.ReadByte()
		if err != nil {
			return "", err
		}
		if d.skipLF {
			d.skipLF = false
			if b == '\n' {
				continue
			}
		}
		if b == '\n' || b == '\r' {
			d.skipLF = b == '\r'
			return d.text(line), nil
		}
		if len(line) >= maxLine {
			return "", fmt.Errorf("sse: a line is longer than %d bytes", maxLine)
		}
		line = append(line, b)
	}
}

func (d *Decoder) text(line []byte) string {
	if d.first {
		d.first = false
		line = bytes.TrimPrefix(line, []byte("\uFEFF"))
	}
	if utf8.Valid(line) {
		return string(line)
	}
	return strings.ToValidUTF8(string(line), "\uFFFD")
}
