package sse

import (
	"fmt"
	"maps"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
)

// Request is what a framework's adapter copies out of its own request. All strings must be the adapter's own: fasthttp
// reuses the memory of its request.
type Request struct {
	Method      string
	Query       string // the raw query, without the question mark
	Accept      string // the Accept header; several are joined with commas
	LastEventID string // the Last-Event-ID header
}

// acceptsEvents reports whether the Accept header (RFC 9110, section 12.5.1) allows an event stream. The most specific
// range decides.
func acceptsEvents(accept string) bool {
	if strings.TrimSpace(accept) == "" {
		return true
	}
	quality := map[string]float64{}
	for _, part := range strings.Split(accept, ",") {
		mediaRange, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q := 1.0
		if text, ok := params["q"]; ok {
			if q, err = strconv.ParseFloat(text, 64); err != nil {
				q = 0
			}
		}
		quality[mediaRange] = max(q, quality[mediaRange])
	}
	for _, mediaRange := range []string{"text/event-stream", "text/*", "*/*"} {
		if q, named := quality[mediaRange]; named {
			return q > 0
		}
	}
	return false
}

// notBuilt are the parameters of the wire format that this version does not serve yet. Each is refused: a stream that
// silently means something else is worse than none.
var notBuilt = []string{"snapshot", "subscriptions", "ticket", "changedOnly"}

// subscribeRequest reads the query. Problems with fields and filter are collected in the request's Issues; the error is
// a query that is no query.
func (r Request) subscribeRequest(limits filter.Limits) (rowcast.SubscribeRequest, error) {
	query, err := parseQuery(r.Query)
	if err != nil {
		return rowcast.SubscribeRequest{}, err
	}
	request := rowcast.SubscribeRequest{Channels: query["channel"], After: r.LastEventID}
	for _, joined := range query["channels"] {
		request.Channels = append(request.Channels, strings.Split(joined, ",")...)
	}
	if request.After == "" {
		request.After = query.Get("lastEventId")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if strings.HasPrefix(name, "fields") {
			readFields(&request, name, query[name])
		}
	}
	expr, problems := filter.Parse(r.Query, limits)
	request.Filter = expr
	request.Issues = append(request.Issues, rowcast.FilterIssues(problems)...)
	request.NoEcho = !readSwitch(&request, query, "echo", true)
	for _, name := range notBuilt {
		if query.Has(name) {
			refuse(&request, name, rowcast.CodeNotSupported, "this parameter is not supported by this version")
		}
	}
	return request, nil
}

// ours are the parameters of the wire format but for the filter, which its own parser reads.
var ours = append([]string{"channel", "channels", "fields", "lastEventId", "echo"}, notBuilt...)

// parseQuery decodes as HTML forms are decoded, and as the filter's parser does: a semicolon separates nothing. What is
// malformed in parameters of others is their business.
func parseQuery(raw string) (url.Values, error) {
	values := make(url.Values)
	for pair := range strings.SplitSeq(raw, "&") {
		rawName, rawValue, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(rawName)
		if err != nil {
			name = rawName
		}
		if !isOurs(name) {
			continue
		}
		value, valueErr := url.QueryUnescape(rawValue)
		if err != nil || valueErr != nil {
			return nil, fmt.Errorf("in %.64q a %% is not followed by two hexadecimal digits", pair)
		}
		values.Add(name, value)
	}
	return values, nil
}

func isOurs(name string) bool {
	return slices.Contains(ours, name) || strings.HasPrefix(name, "fields")
}

// readFields reads «fields=a,b» and «fields[Entity]=a,b».
func readFields(request *rowcast.SubscribeRequest, name string, values []string) {
	entity, ok := fieldsEntity(name)
	switch {
	case !ok:
		refuse(request, name, rowcast.CodeInvalidFields, "write fields=… or fields[Entity]=…")
		return
	case len(values) > 1:
		refuse(request, name, rowcast.CodeInvalidFields, "given more than once: write the fields as one comma list")
		return
	case values[0] == "":
		refuse(request, name, rowcast.CodeInvalidFields, "no field is named: leave the parameter out for all of them")
		return
	}
	if request.Fields == nil {
		request.Fields = make(map[string][]string)
	}
	request.Fields[entity] = strings.Split(values[0], ",")
}

// readSwitch reads a parameter that is true or false.
func readSwitch(request *rowcast.SubscribeRequest, query url.Values, name string, absent bool) bool {
	values, given := query[name]
	switch {
	case !given:
		return absent
	case len(values) == 1 && values[0] == "true":
		return true
	case len(values) == 1 && values[0] == "false":
		return false
	}
	refuse(request, name, rowcast.CodeInvalidParameter, "say true or false, once")
	return absent
}

// fieldsEntity is the entity inside the brackets, or "" without brackets.
func fieldsEntity(name string) (entity string, ok bool) {
	rest := strings.TrimPrefix(name, "fields")
	if rest == "" {
		return "", true
	}
	inner, opened := strings.CutPrefix(rest, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	return inner, opened && closed && inner != "" && !strings.ContainsAny(inner, "[]")
}

func refuse(request *rowcast.SubscribeRequest, field, code, detail string) {
	request.Issues = append(request.Issues, rowcast.Issue{Field: field, Code: code, Detail: detail})
}
