package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestAPI(t *testing.T) { onEveryFramework(t, testAPI) }

func testAPI(t *testing.T, b *board) {

	created := b.must(t, http.StatusCreated, "POST", "/api/cards",
		`{"title":"A","status":"doing","owner":"Ö","points":-2,"note":"n","due":"2027-01-02T03:04:05.1234567+01:00"}`)
	if created["due"] != "2027-01-02T02:04:05.123456Z" {
		t.Errorf("due = %v, want it in UTC and in microseconds", created["due"])
	}
	path := "/api/cards/7" // after the six that a new board starts with
	if got := b.must(t, 200, "GET", path, ""); !sameJSON(got, created) {
		t.Errorf("GET gives %v, POST gave %v", got, created)
	}

	patched := b.must(t, 200, "PATCH", path, `{"points":5,"note":null,"due":null}`)
	want(t, patched, map[string]any{"title": "A", "status": "doing", "owner": "Ö", "points": 5.0, "note": nil, "due": nil})
	want(t, b.must(t, 200, "PATCH", path, `{}`), map[string]any{"updatedAt": patched["updatedAt"]})

	replaced := b.must(t, 200, "PUT", path, `{"title":"B"}`)
	want(t, replaced, map[string]any{"title": "B", "status": "todo", "owner": "", "points": 0.0, "createdAt": created["createdAt"]})
	whole, _ := json.Marshal(replaced)
	want(t, b.must(t, 200, "PUT", path, string(whole)), map[string]any{"title": "B", "createdAt": created["createdAt"]})

	b.must(t, http.StatusNoContent, "DELETE", path, "")
	b.must(t, 404, "GET", path, "")
	want(t, b.must(t, 200, "POST", path+"/restore", ""), map[string]any{"title": "B"})
	b.must(t, http.StatusNoContent, "DELETE", path+"?purge=false", "")
	b.must(t, http.StatusNoContent, "DELETE", path+"?purge=true", "")
	b.must(t, 404, "POST", path+"/restore", "")
}

func TestList(t *testing.T) {
	b := start(t)
	b.add(t, `{"title":"last"}`)
	items := b.must(t, 200, "GET", "/api/cards", "")["items"].([]any)
	var ids []float64
	for _, item := range items {
		ids = append(ids, item.(map[string]any)["id"].(float64))
	}
	if len(ids) != 7 || !slices.IsSorted(ids) {
		t.Errorf("ids = %v, want seven in order", ids)
	}
	names := slices.Sorted(maps.Keys(items[0].(map[string]any)))
	if got := strings.Join(names, " "); got != "createdAt due id note owner points status title updatedAt" {
		t.Errorf("a card has %s", got)
	}
	for _, item := range items {
		b.must(t, http.StatusNoContent, "DELETE", "/api/cards/"+string(must(json.Marshal(item.(map[string]any)["id"]))), "")
	}
	if _, text := b.call(t, "GET", "/api/cards", ""); text != `{"items":[]}` {
		t.Errorf("an empty board is %s", text)
	}
}

func TestBulk(t *testing.T) { onEveryFramework(t, testBulk) }

func testBulk(t *testing.T, b *board) {
	for _, c := range []struct {
		body     string
		affected float64
	}{
		{`{"where":{"status":"todo"},"set":{"status":"doing","owner":"bulk"}}`, 3},
		{`{"where":{"status":"doing","owner":"bulk","due":null},"set":{"note":null,"due":"2027-01-01T00:00:00Z"}}`, 1},
		{`{"where":{"due":"2027-01-01T01:00:00+01:00"},"set":{"points":9}}`, 1},
		{`{"where":{"id":1,"points":9},"set":{"id":70}}`, 1},
		{`{"where":{"id":1},"set":{"title":"x"}}`, 0},
	} {
		if got := b.must(t, 200, "POST", "/api/cards/bulk", c.body)["affected"]; got != c.affected {
			t.Errorf("%s: affected %v, want %v", c.body, got, c.affected)
		}
	}
	want(t, b.must(t, 200, "GET", "/api/cards/70", ""), map[string]any{"points": 9.0, "owner": "bulk", "note": nil})
	created := b.must(t, 200, "GET", "/api/cards/2", "")["createdAt"].(string)
	set := `{"where":{"id":2,"createdAt":"` + created + `"},"set":{"createdAt":"2020-01-01T00:00:00Z","updatedAt":"2020-01-02T00:00:00Z"}}`
	b.must(t, 200, "POST", "/api/cards/bulk", set)
	want(t, b.must(t, 200, "GET", "/api/cards/2", ""),
		map[string]any{"createdAt": "2020-01-01T00:00:00Z", "updatedAt": "2020-01-02T00:00:00Z"})
}

func TestStats(t *testing.T) {
	b := start(t)
	next := b.subscribe(t)
	b.add(t, `{"title":"counted"}`)
	b.add(t, `{"title":"counted too"}`)
	next()
	next() // it is here, so the one before it is counted
	stats := b.must(t, 200, "GET", "/api/stats", "")
	if stats["connections"] != 1.0 || stats["subscriptions"] != 1.0 || stats["delivered"] == 0.0 || stats["published"] != 2.0 {
		t.Errorf("stats = %v", stats)
	}
}

func TestBadInput(t *testing.T) { onEveryFramework(t, testBadInput) }

func testBadInput(t *testing.T, b *board) {
	large := `{"title":"` + strings.Repeat("x", maxBody) + `"}`
	for _, c := range []struct {
		method, path, body string
		status             int
		code, field        string
	}{
		{"POST", "/api/cards", ``, 400, "BAD_JSON", ""},
		{"POST", "/api/cards", `{"title":`, 400, "BAD_JSON", ""},
		{"POST", "/api/cards", `{"title":"a"} {}`, 400, "BAD_JSON", ""},
		{"POST", "/api/cards", `[]`, 400, "BAD_JSON", ""},
		{"POST", "/api/cards", `null`, 400, "BAD_JSON", ""},
		{"POST", "/api/cards", "{\"title\":\"\xff\"}", 400, "BAD_JSON", ""},
		{"POST", "/api/cards", large, 413, "TOO_LARGE", ""},
		{"POST", "/api/cards", `{}`, 400, "MISSING_FIELD", "title"},
		{"POST", "/api/cards", `{"title":" "}`, 400, "INVALID_VALUE", "title"},
		{"POST", "/api/cards", `{"title":1}`, 400, "INVALID_VALUE", "title"},
		{"POST", "/api/cards", `{"title":null}`, 400, "INVALID_VALUE", "title"},
		{"POST", "/api/cards", `{"title":"a\u0000"}`, 400, "INVALID_VALUE", "title"},
		{"POST", "/api/cards", `{"title":"a","Owner":"b"}`, 400, "UNKNOWN_FIELD", "Owner"},
		{"POST", "/api/cards", `{"title":"a","secret":"b"}`, 400, "UNKNOWN_FIELD", "secret"},
		{"POST", "/api/cards", `{"title":"a","id":9}`, 400, "READ_ONLY_FIELD", "id"},
		{"POST", "/api/cards", `{"title":"a","status":"later"}`, 400, "INVALID_VALUE", "status"},
		{"POST", "/api/cards", `{"title":"a","points":1.5}`, 400, "INVALID_VALUE", "points"},
		{"POST", "/api/cards", `{"title":"a","points":"1"}`, 400, "INVALID_VALUE", "points"},
		{"POST", "/api/cards", `{"title":"a","points":9223372036854775808}`, 400, "INVALID_VALUE", "points"},
		{"POST", "/api/cards", `{"title":"a","due":"tomorrow"}`, 400, "INVALID_VALUE", "due"},
		{"POST", "/api/cards", `{"title":"a","due":5}`, 400, "INVALID_VALUE", "due"},
		{"POST", "/api/cards", `{"title":"a","due":"9999-12-31T23:59:59-01:00"}`, 400, "INVALID_VALUE", "due"},
		{"PUT", "/api/cards/1", `{"owner":"a"}`, 400, "MISSING_FIELD", "title"},
		{"PUT", "/api/cards/1", `{"title":"a","id":2}`, 400, "INVALID_VALUE", "id"},
		{"PUT", "/api/cards/1", `{"title":"a","extra":2}`, 400, "UNKNOWN_FIELD", "extra"},
		{"PUT", "/api/cards/999", `{"title":"a"}`, 404, "NOT_FOUND", ""},
		{"PATCH", "/api/cards/1", `{"status":null}`, 400, "INVALID_VALUE", "status"},
		{"PATCH", "/api/cards/1", `{"createdAt":"2020-01-01T00:00:00Z"}`, 400, "READ_ONLY_FIELD", "createdAt"},
		{"PATCH", "/api/cards/999", `{"points":1}`, 404, "NOT_FOUND", ""},
		{"PATCH", "/api/cards/999", `{}`, 404, "NOT_FOUND", ""},
		{"GET", "/api/cards/999", ``, 404, "NOT_FOUND", ""},
		{"GET", "/api/cards/one", ``, 400, "INVALID_ID", "id"},
		{"GET", "/api/cards/0", ``, 400, "INVALID_ID", "id"},
		{"GET", "/api/cards/18446744073709551615", ``, 400, "INVALID_ID", "id"},
		{"DELETE", "/api/cards/999", ``, 404, "NOT_FOUND", ""},
		{"DELETE", "/api/cards/999?purge=true", ``, 404, "NOT_FOUND", ""},
		{"DELETE", "/api/cards/1?purge=maybe", ``, 400, "INVALID_VALUE", "purge"},
		{"POST", "/api/cards/999/restore", ``, 404, "NOT_FOUND", ""},
		{"POST", "/api/cards/1/restore", ``, 404, "NOT_FOUND", ""},
		{"POST", "/api/cards/bulk", `{"set":{"points":1}}`, 400, "MISSING_FIELD", "where"},
		{"POST", "/api/cards/bulk", `{"where":{"points":1}}`, 400, "MISSING_FIELD", "set"},
		{"POST", "/api/cards/bulk", `{"where":{},"set":{"points":1}}`, 400, "INVALID_VALUE", "where"},
		{"POST", "/api/cards/bulk", `{"where":[],"set":{"points":1}}`, 400, "INVALID_VALUE", "where"},
		{"POST", "/api/cards/bulk", `{"where":{"secret":"x"},"set":{"points":1}}`, 400, "UNKNOWN_FIELD", "where.secret"},
		{"POST", "/api/cards/bulk", `{"where":{"status":"x"},"set":{"points":1}}`, 400, "INVALID_VALUE", "where.status"},
		{"POST", "/api/cards/bulk", `{"where":{"points":1},"set":{"points":null}}`, 400, "INVALID_VALUE", "set.points"},
		{"POST", "/api/cards/bulk", `{"where":{"id":1},"set":{"id":2}}`, 409, "CONFLICT", "id"},
		{"POST", "/api/cards/bulk", `{"where":{"id":1},"set":{"id":3},"limit":1}`, 400, "UNKNOWN_FIELD", "limit"},
		{"PUT", "/api/cards", `{}`, 405, "METHOD_NOT_ALLOWED", ""},
		{"GET", "/api/boards", ``, 404, "NOT_FOUND", ""},
	} {
		status, text := b.call(t, c.method, c.path, c.body)
		var body struct{ Error answerError }
		if err := json.Unmarshal([]byte(text), &body); err != nil {
			t.Errorf("%s %s %.60s: no JSON: %s", c.method, c.path, c.body, text)
			continue
		}
		if e := body.Error; status != c.status || e.Code != c.code || e.Field != c.field || e.Detail == "" {
			t.Errorf("%s %s %.60s: %d %s, want %d %s at %q", c.method, c.path, c.body, status, text, c.status, c.code, c.field)
		}
	}
}

// Every write of the API reaches the stream, and nothing of it shows the hidden field.
func TestEvents(t *testing.T) { onEveryFramework(t, testEvents) }

func testEvents(t *testing.T, b *board) {
	next := b.subscribe(t)
	path := b.add(t, `{"title":"A"}`)
	b.must(t, 200, "PUT", path, `{"title":"B"}`)
	b.must(t, 200, "PATCH", path, `{"points":3,"note":"n"}`)
	b.must(t, http.StatusNoContent, "DELETE", path, "")
	b.must(t, 200, "POST", path+"/restore", "")
	b.must(t, http.StatusNoContent, "DELETE", path, "")
	b.must(t, http.StatusNoContent, "DELETE", path+"?purge=true", "")

	for _, expected := range []string{"created", "updated", "patched", "deleted", "restored", "deleted", "deleted"} {
		message := next()
		var event struct {
			ID      string
			Item    map[string]any
			Changed []string
		}
		if err := json.Unmarshal([]byte(message.Data), &event); err != nil {
			t.Fatal(err)
		}
		if message.Event != expected || event.ID != "7" || (event.Item == nil) != (expected == "deleted") {
			t.Fatalf("got %s %s, want %s of card 7", message.Event, message.Data, expected)
		}
		if strings.Contains(strings.ToLower(message.Data), "secret") {
			t.Errorf("the hidden field shows: %s", message.Data)
		}
		if expected == "patched" && !slices.Contains(event.Changed, "points") {
			t.Errorf("changed = %v", event.Changed)
		}
	}
}

func want(t *testing.T, got, want map[string]any) {
	t.Helper()
	for name, value := range want {
		if has, ok := got[name]; !ok || has != value {
			t.Errorf("%s = %v, want %v", name, has, value)
		}
	}
}

func sameJSON(a, b any) bool { return string(must(json.Marshal(a))) == string(must(json.Marshal(b))) }

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// onEveryFramework runs a test against each: they must not differ.
func onEveryFramework(t *testing.T, test func(*testing.T, *board)) {
	for _, name := range slices.Sorted(maps.Keys(frameworks)) {
		t.Run(name, func(t *testing.T) { test(t, start(t, "-framework", name)) })
	}
}

func TestFilter(t *testing.T) { onEveryFramework(t, testFilter) }

func testFilter(t *testing.T, b *board) {
	for _, body := range []string{
		`{"title":"Write docs","status":"todo","owner":"filter","points":5}`,
		`{"title":"Read DOCS","status":"doing","owner":"filter","points":2}`,
		`{"title":"100% done","status":"done","owner":"filter","points":8}`,
	} {
		b.must(t, http.StatusCreated, "POST", "/api/cards", body)
	}
	cases := map[string][]string{
		"filter[owner][eq]=filter": {"Write docs", "Read DOCS", "100% done"},
		"filter[owner][eq]=filter&filter[status][in]=todo,doing&filter[points][gte]=3":                      {"Write docs"},
		"filter[owner][eq]=filter&filter[title][ilike]=%25docs%25":                                          {"Write docs", "Read DOCS"},
		"filter[owner][eq]=filter&filter[title][like]=%25docs%25":                                           {"Write docs"},
		"filter[owner][eq]=filter&filter[title][like]=%25%5C%25%25":                                         {"100% done"},
		"filter=" + url.QueryEscape(`{"and":[{"owner":{"eq":"filter"}},{"not":{"status":{"eq":"done"}}}]}`): {"Write docs", "Read DOCS"},
		"filter[owner][eq]=nobody": nil,
	}
	for query, titles := range cases {
		var got []string
		for _, item := range b.must(t, 200, "GET", "/api/cards?"+query, "")["items"].([]any) {
			got = append(got, item.(map[string]any)["title"].(string))
		}
		if !slices.Equal(got, titles) {
			t.Errorf("?%s gives %q, want %q", query, got, titles)
		}
	}
	status, body := b.call(t, "GET", "/api/cards?filter[points][gte]=many&filter[secret][eq]=x&filter[status][eq]=open", "")
	for _, want := range []string{`"code":"INVALID_FILTER"`, `"filter[points][gte]"`, `"FILTER_UNKNOWN_FIELD"`, `"filter[status][eq]"`} {
		if status != 400 || !strings.Contains(body, want) {
			t.Errorf("a wrong filter gives %d %s, without %s", status, body, want)
		}
	}
}
