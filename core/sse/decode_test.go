package sse_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/sse"
)

func TestDecoderFollowsTheStandard(t *testing.T) {
	cases := []struct {
		name, stream string
		want         []string // event|data|id
	}{
		{"one event", "data: a\n\n", []string{"message|a|"}},
		{"named, with an id", "id: 1\nevent: updated\ndata: a\n\n", []string{"updated|a|1"}},
		{"several data lines", "data: a\ndata:\ndata: c\n\n", []string{"message|a\n\nc|"}},
		{"only one space is cut", "data:  a\ndata:b\n\n", []string{"message| a\nb|"}},
		{"empty data is dispatched", "data\n\ndata:\n\n", []string{"message||", "message||"}},
		{"no data, nothing dispatched", "event: x\n\ndata: a\n\n", []string{"message|a|"}},
		{"an id alone moves the last event id", "id: 7\n\ndata: a\n\n", []string{"message|a|7"}},
		{"an id stays", "id: 1\ndata: a\n\ndata: b\n\n", []string{"message|a|1", "message|b|1"}},
		{"an empty id resets", "id: 1\ndata: a\n\nid\ndata: b\n\n", []string{"message|a|1", "message|b|"}},
		{"an id with NUL is ignored", "id: 1\ndata: a\n\nid: 2\x00\ndata: b\n\n", []string{"message|a|1", "message|b|1"}},
		{"comments", ": hello\n:\ndata: a\n:x\n\n", []string{"message|a|"}},
		{"unknown fields", "foo: bar\nData: x\ndata: a\n\n", []string{"message|a|"}},
		{"all line ends", "data: a\r\rdata: b\r\n\r\ndata: c\n\n", []string{"message|a|", "message|b|", "message|c|"}},
		{"a bare CR ends a line", "data: a\rid: 3\n\n", []string{"message|a|3"}},
		{"a byte order mark at the start only", "\uFEFFdata: a\n\n\uFEFFdata: b\n\ndata: c\n\n", []string{"message|a|", "message|c|"}},
		{"cut off", "data: a\n\ndata: b\n", []string{"message|a|"}},
		{"colons in data", "data: a: b\n\n", []string{"message|a: b|"}},
		{"not UTF-8", "data: a\xffb\n\n", []string{"message|a\uFFFDb|"}},
	}
	for _, c := range cases {
		for how, reader := range map[string]io.Reader{"whole": strings.NewReader(c.stream), "byte by byte": iotest.OneByteReader(strings.NewReader(c.stream))} {
			var got []string
			decoder := sse.NewDecoder(reader)
			for {
				m, err := decoder.Next()
				if err != nil {
					if !errors.Is(err, io.EOF) {
						t.Errorf("%s: %v", c.name, err)
					}
					break
				}
				got = append(got, m.Event+"|"+m.Data+"|"+m.ID)
			}
			if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
				t.Errorf("%s, %s: got %q, want %q", c.name, how, got, c.want)
			}
		}
	}
}

func TestDecoderReadsRetry(t *testing.T) {
	decoder := sse.NewDecoder(strings.NewReader("retry: 1500\nretry: +2\nretry: 1x\nretry:\ndata: a\n\n"))
	if _, err := decoder.Next(); err != nil {
		t.Fatal(err)
	}
	if got := decoder.Retry(); got != 1500*time.Millisecond {
		t.Errorf("retry is %v", got)
	}
}

func TestDecoderRefusesEndlessLines(t *testing.T) {
	endless := io.MultiReader(strings.NewReader("data: "), io.LimitReader(zeros{}, 32<<20))
	if _, err := sse.NewDecoder(endless).Next(); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestEncodeAndDecode(t *testing.T) {
	frames := []*rowcast.Frame{
		{Event: "subscribed", ID: rowcast.Position{Epoch: "a1", Seq: 3}, Data: []byte(`{"a":1}`), Retry: 3 * time.Second},
		{ID: rowcast.Position{Epoch: "a1", Seq: 9}},
		{},
		{Event: "bye", Data: []byte(`{}`)},
	}
	want := "retry: 3000\nid: a1.3\nevent: subscribed\ndata: {\"a\":1}\n\n:\nid: a1.9\n\n:\n\nevent: bye\ndata: {}\n\n"
	var stream []byte
	for _, frame := range frames {
		stream = append(stream, sse.Encode(frame)...)
	}
	if string(stream) != want {
		t.Fatalf("got\n%q, want\n%q", stream, want)
	}
	decoder := sse.NewDecoder(strings.NewReader(want))
	for _, want := range []sse.Message{{Event: "subscribed", Data: `{"a":1}`, ID: "a1.3"}, {Event: "bye", Data: "{}", ID: "a1.9"}} {
		if got, err := decoder.Next(); err != nil || got != want {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
	if decoder.LastEventID() != "a1.9" || decoder.Retry() != 3*time.Second {
		t.Errorf("the client would come back with %q after %v", decoder.LastEventID(), decoder.Retry())
	}
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte("id: 1\r\ndata: a\r\r\n\xef\xbb\xbfevent\n\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		decoder := sse.NewDecoder(strings.NewReader(string(stream)))
		for {
			m, err := decoder.Next()
			if err != nil {
				return
			}
			if strings.ContainsAny(m.Event+m.ID, "\r\n") || strings.Contains(m.Data, "\r") {
				t.Fatalf("a line end inside %+v", m)
			}
		}
	})
}
