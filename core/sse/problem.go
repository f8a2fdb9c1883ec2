package sse

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/rowcast/rowcast/core"
)

// problem is the answer for a refused request: application/problem+json (RFC 9457).
func problem(e *rowcast.Error) *Response {
	body, err := json.Marshal(struct {
		Type string `json:"type"`
		*rowcast.Error
	}{"about:blank", e})
	if err != nil {
		panic("sse: an error of text does not marshal: " + err.Error()) // text always does
	}
	return &Response{Status: e.Status, Body: body, Header: http.Header{
		"Content-Type":   {"application/problem+json"},
		"Content-Length": {strconv.Itoa(len(body))},
		"Cache-Control":  {"no-store"},
	}}
}

// problemOf shows a refusal to its client, and hides every other error from it.
func problemOf(err error, logger *slog.Logger) *Response {
	var refusal *rowcast.Error
	if errors.As(err, &refusal) {
		return problem(refusal)
	}
	logger.Error("rowcast: a stream could not be opened", "error", err)
	return internalProblem("the stream could not be opened; the server's log says why")
}

func internalProblem(detail string) *Response {
	return problem(&rowcast.Error{
		Code: "INTERNAL", Status: http.StatusInternalServerError, Title: "Internal server error", Detail: detail,
	})
}
