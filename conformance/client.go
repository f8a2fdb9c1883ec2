package conformance

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// frame is one message as it stood on the wire, and what its lines say.
type frame struct {
	raw   string // with its final blank line
	id    string
	hasID bool
	event string
	data  string
	retry string
}

// stream is an open event stream, read byte by byte: what a decoder would hide is what the suite is about.
type stream struct {
	t        *testing.T
	response *http.Response
	reader   *bufio.Reader
	cancel   context.CancelFunc
}

// client never follows redirects and keeps no connections, so that each stream is its own.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}

// request sends one request and returns the answer; the caller closes its body.
func request(t *testing.T, ctx context.Context, method, target string, header http.Header) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	response, err := client.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, target, err)
	}
	return response
}

// open opens a stream without reading its first frame.
func open(t *testing.T, target string, header http.Header) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
	s := &stream{t: t, cancel: cancel}
	t.Cleanup(s.close)
	s.response = request(t, ctx, http.MethodGet, target, header)
	s.reader = bufio.NewReader(s.response.Body)
	if s.response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(s.response.Body)
		t.Fatalf("GET %s: %s: %s", target, s.response.Status, body)
	}
	return s
}

// subscribe opens a stream of these channels and reads «subscribed», after which every change reaches it.
func subscribe(t *testing.T, base, query string) *stream {
	t.Helper()
	s := open(t, base+"?"+query, nil)
	if first := s.next(); first.event != "subscribed" {
		t.Fatalf("the first frame is\n%s", first.raw)
	}
	return s
}

func (s *stream) close() {
	s.cancel()
	if s.response != nil {
		s.response.Body.Close()
	}
}

// read returns the next frame, or io.EOF when the server has ended the stream properly.
func (s *stream) read() (frame, error) {
	var f frame
	for {
		line, err := s.reader.ReadString('\n')
		f.raw += line
		if err != nil {
			return f, err
		}
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			return f, nil
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			f.id, f.hasID = value, true
		case "event":
			f.event = value
		case "data":
			f.data += value
		case "retry":
			f.retry = value
		}
	}
}

// next returns the next frame, whatever it is.
func (s *stream) next() frame {
	s.t.Helper()
	f, err := s.read()
	if err != nil {
		s.t.Fatalf("the stream ended with %v after %q", err, f.raw)
	}
	return f
}

// message returns the next frame that is no heartbeat.
func (s *stream) message() frame {
	s.t.Helper()
	for {
		if f := s.next(); f.event != "" {
			return f
		}
	}
}

// ends reads to the end of the stream, and returns the frames before it.
func (s *stream) ends() []frame {
	s.t.Helper()
	var frames []frame
	for {
		f, err := s.read()
		if err == io.EOF && f.raw == "" {
			return frames
		}
		if err != nil {
			s.t.Fatalf("the stream ended with %v after %q", err, f.raw)
		}
		frames = append(frames, f)
	}
}

// change is a frame's data as a client reads it.
type change struct {
	Event      string         `json:"event"`
	Entity     string         `json:"entity"`
	ID         string         `json:"id"`
	Channel    string         `json:"channel"`
	OccurredAt time.Time      `json:"occurredAt"`
	Item       map[string]any `json:"item"`
	Changed    []string       `json:"changed"`
	Cause      string         `json:"cause"`
}

func (f frame) change(t *testing.T) change {
	t.Helper()
	var c change
	f.decode(t, &c)
	if c.Event != f.event {
		t.Fatalf("the event's name and its data differ:\n%s", f.raw)
	}
	return c
}

func (f frame) decode(t *testing.T, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(f.data), into); err != nil {
		t.Fatalf("the data is no JSON: %v:\n%s", err, f.raw)
	}
}

// title reads the next change and returns its item's title.
func (s *stream) title() string {
	s.t.Helper()
	title, _ := s.message().change(s.t).Item["title"].(string)
	return title
}

// escape makes a channel fit for a query.
func escape(channel string) string { return url.QueryEscape(channel) }
