package conformance

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rowcast/rowcast/core"
)

func itoa(n int) string { return strconv.Itoa(n) }

// refusalCases are about requests that get no stream.
func refusalCases() []transportCase {
	return []transportCase{
		{"refusals", "Everything wrong with a request is answered before the stream opens, as application/problem+json", testRefusals},
		{"all problems at once", "Fields are checked for the granted channels, all problems at once", testAllProblems},
		{"denied before looked at", "Fields of a channel that is refused or unknown are not looked at", testDeniedFirst},
		{"hidden like missing", "A hidden field gets the same answer as one that does not exist", testHiddenLikeMissing},
		{"method", "Other methods: 405 with Allow", testMethods},
	}
}

// problem is a problem+json body.
type problem struct {
	Type   string          `json:"type"`
	Title  string          `json:"title"`
	Status int             `json:"status"`
	Code   string          `json:"code"`
	Detail string          `json:"detail"`
	Issues []rowcast.Issue `json:"issues"`
	Denied []rowcast.Denial
}

// refused sends a request that must not open a stream, and checks what holds for every refusal.
func refused(t *testing.T, method, target string, header http.Header) (problem, *http.Response) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	answer := request(t, ctx, method, target, header)
	defer answer.Body.Close()
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		t.Fatalf("%s %.200s: %s, and a stream", method, target, answer.Status)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	var p problem
	if err := json.Unmarshal(body, &p); err != nil {
		t.Fatalf("%s %.200s: %s with a body that is no JSON: %q", method, target, answer.Status, body)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/problem+json", "Cache-Control": "no-store", "Content-Length": itoa(len(body)),
	} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s %.200s: %s is %q, want %q", method, target, name, got, want)
		}
	}
	if p.Status != answer.StatusCode || p.Type != "about:blank" || p.Title == "" || p.Detail == "" || p.Code == "" {
		t.Errorf("%s %.200s: %s with %s", method, target, answer.Status, body)
	}
	return p, answer
}

func testRefusals(t *testing.T, h *transportHarness) {
	h.plain(t)
	cases := []struct {
		query, accept string
		status        int
		code          string
		issues        []string // field and code of each
	}{
		{"", "", 400, "INVALID_SUBSCRIPTION", []string{"channel INVALID_CHANNEL"}},
		{"channel=", "", 400, "INVALID_SUBSCRIPTION", []string{"channel INVALID_CHANNEL"}},
		{"channel=.7", "", 400, "INVALID_SUBSCRIPTION", []string{"channel INVALID_CHANNEL"}},
		{"channel=Card.", "", 400, "INVALID_SUBSCRIPTION", []string{"channel INVALID_CHANNEL"}},
		{"channel=Ca%20rd&channel=Card.x", "", 400, "INVALID_SUBSCRIPTION", []string{"channel INVALID_CHANNEL", "channel INVALID_CHANNEL"}},
		{"channel=Card.-1", "", 400, "INVALID_SUBSCRIPTION", []string{"channel INVALID_CHANNEL"}},
		{"channel=Card.99999999999999999999", "", 400, "INVALID_SUBSCRIPTION", []string{"channel INVALID_CHANNEL"}},
		{"channel=Line.1", "", 400, "INVALID_SUBSCRIPTION", []string{"channel INVALID_CHANNEL"}},
		{"channel=Line.1,a%25", "", 400, "INVALID_SUBSCRIPTION", []string{"channel INVALID_CHANNEL"}},
		{"channel=Note.%00", "", 400, "INVALID_SUBSCRIPTION", []string{"channel INVALID_CHANNEL"}},
		{"channel=Note.%ff", "", 400, "INVALID_SUBSCRIPTION", []string{"channel INVALID_CHANNEL"}},
		{"channels=Card,,Note", "", 400, "INVALID_SUBSCRIPTION", []string{"channel INVALID_CHANNEL"}},
		{"channel=" + strings.Repeat("Card&channel=", 128) + "Card", "", 400, "INVALID_SUBSCRIPTION", []string{"channel LIMIT_EXCEEDED"}},
		{"channel=Nope", "", 403, "CHANNELS_DENIED", nil},
		{"channel=card", "", 403, "CHANNELS_DENIED", nil},
		{"channel=Card&fields=", "", 400, "INVALID_SUBSCRIPTION", []string{"fields INVALID_FIELDS"}},
		{"channel=Card&fields=title,nope,Title", "", 400, "INVALID_SUBSCRIPTION", []string{"fields UNKNOWN_FIELD"}},
		{"channel=Card&fields[Card]=nope", "", 400, "INVALID_SUBSCRIPTION", []string{"fields[Card] UNKNOWN_FIELD"}},
		{"channel=Card&fields[Note]=title", "", 400, "INVALID_SUBSCRIPTION", []string{"fields[Note] INVALID_FIELDS"}},
		{"channel=Card&channel=Note&fields=title", "", 400, "INVALID_SUBSCRIPTION", []string{"fields INVALID_FIELDS"}},
		{"channel=Card&fields=title&fields[Card]=id", "", 400, "INVALID_SUBSCRIPTION", []string{"fields INVALID_FIELDS"}},
		{"channel=Card&fieldsx=1", "", 400, "INVALID_SUBSCRIPTION", []string{"fieldsx INVALID_FIELDS"}},
		{"channel=Card&fields=id&fields=title", "", 400, "INVALID_SUBSCRIPTION", []string{"fields INVALID_FIELDS"}},
		{"channel=Card&snapshot=true", "", 400, "INVALID_SUBSCRIPTION", []string{"snapshot NOT_SUPPORTED"}},
		{"channel=Card&changedOnly=true&echo=no", "", 400, "INVALID_SUBSCRIPTION", []string{"echo INVALID_PARAMETER", "changedOnly NOT_SUPPORTED"}},
		{"channel=Card&filter[points][gte]=many&filter[nope][eq]=1&filter[due][eq]=1", "", 400, "INVALID_SUBSCRIPTION",
			[]string{"filter[points][gte] FILTER_INVALID_VALUE", "filter[nope][eq] FILTER_UNKNOWN_FIELD", "filter[due][eq] FILTER_FIELD_NOT_ALLOWED"}},
		{"channel=Card&filter[title][EQ]=a", "", 400, "INVALID_SUBSCRIPTION", []string{"filter[title][EQ] FILTER_UNKNOWN_OPERATOR"}},
		{"channel=Card&filterx=1", "", 400, "INVALID_SUBSCRIPTION", []string{"filterx FILTER_SYNTAX"}},
		{"channel=Card&filter=%7B", "", 400, "INVALID_SUBSCRIPTION", []string{"filter FILTER_SYNTAX"}},
		{"channel=Note&filter[title][eq]=a", "", 400, "INVALID_SUBSCRIPTION", []string{"filter FILTER_FIELD_NOT_ALLOWED"}},
		{"channel=Card&channel=Note&filter[title][eq]=a", "", 400, "INVALID_SUBSCRIPTION", []string{"filter FILTER_FIELD_NOT_ALLOWED"}},
		{"channel=Card&ticket=x", "", 400, "INVALID_SUBSCRIPTION", []string{"ticket NOT_SUPPORTED"}},
		{"channel=Card&fields=%zz", "", 400, "INVALID_SUBSCRIPTION", nil},
		{"channel=Card&filter[title][like]=50%", "", 400, "INVALID_SUBSCRIPTION", []string{"filter[title][like] FILTER_SYNTAX"}},
		{"channel=Card&x=" + strings.Repeat("a", 20<<10), "", 414, "LIMIT_EXCEEDED", nil},
		{"channel=Card", "application/json", 406, "NOT_ACCEPTABLE", nil},
		{"channel=Card", "text/event-stream;q=0, */*", 406, "NOT_ACCEPTABLE", nil},
	}
	for _, c := range cases {
		header := http.Header{}
		if c.accept != "" {
			header.Set("Accept", c.accept)
		}
		p, answer := refused(t, http.MethodGet, h.url+"?"+c.query, header)
		var issues []string
		for _, issue := range p.Issues {
			issues = append(issues, issue.Field+" "+issue.Code)
			if issue.Detail == "" {
				t.Errorf("?%.80s: %s has no detail", c.query, issue.Field)
			}
		}
		if answer.StatusCode != c.status || p.Code != c.code || !slices.Equal(issues, c.issues) {
			t.Errorf("?%.80s: %d %s %q, want %d %s %q", c.query, answer.StatusCode, p.Code, issues, c.status, c.code, c.issues)
		}
	}
	if n := h.engine.Stats().Connections; n != 0 {
		t.Errorf("refused requests opened %d connections", n)
	}
}

func testAllProblems(t *testing.T, h *transportHarness) {
	h.plain(t)
	p, _ := refused(t, http.MethodGet, h.url+"?channel=Card&channel=Nope&fields=a,b&snapshot=true", nil)
	if len(p.Issues) != 2 || p.Detail != "2 problems in the request" {
		t.Errorf("got %s with %v", p.Detail, p.Issues)
	}
}

func testDeniedFirst(t *testing.T, h *transportHarness) {
	h.plain(t)
	p, _ := refused(t, http.MethodGet, h.url+"?channel=Nope&fields=whatever&snapshot=true", nil)
	if p.Status != 403 || len(p.Issues) != 0 || len(p.Denied) != 1 || p.Denied[0] != (rowcast.Denial{Channel: "Nope", Reason: "unknown-channel"}) {
		t.Errorf("got %+v", p)
	}
}

func testHiddenLikeMissing(t *testing.T, h *transportHarness) {
	h.plain(t)
	answer := func(name string) string {
		p, _ := refused(t, http.MethodGet, h.url+"?channel=Card&fields="+name, nil)
		return strings.ReplaceAll(p.Code+p.Issues[0].Code+p.Issues[0].Detail, name, "…")
	}
	hidden, missing := answer("secret"), answer("nosuch")
	if hidden != missing || strings.Contains(missing, "secret") {
		t.Errorf("hidden: %s\nmissing: %s", hidden, missing)
	}
}

func testMethods(t *testing.T, h *transportHarness) {
	h.plain(t)
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		p, answer := refused(t, method, h.url+"?channel=Card", nil)
		if p.Status != http.StatusMethodNotAllowed || answer.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d, Allow %q", method, p.Status, answer.Header.Get("Allow"))
		}
	}
}
