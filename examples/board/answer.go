package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/rowcast/rowcast/core"
	"gorm.io/gorm"
)

// maxBody is how much of a request's body is read.
const maxBody = 1 << 20

// route is one method and path, and what answers there; no web framework is known to it.
type route struct {
	method, path string // a path's {id} is request.id
	handle       func(context.Context, request) (answer, error)
}

// request is what a route gets of a request. It must not be kept.
type request struct {
	id    string
	query string    // raw
	body  io.Reader // ends with an error after maxBody bytes
}

// answer is what a framework is to send.
type answer struct {
	status int
	header map[string]string
	body   []byte
}

// answerError is a refusal: what every error of the API looks like.
type answerError struct {
	status int
	Code   string `json:"code"` // stable, in upper case
	Detail string `json:"detail"`
	Field  string `json:"field,omitempty"` // the member that is wrong, such as where.status

	Issues []rowcast.Issue `json:"issues,omitempty"` // every problem of a filter
}

func (e *answerError) Error() string { return e.Detail }

func badRequest(code, field, format string, args ...any) error {
	return &answerError{http.StatusBadRequest, code, fmt.Sprintf(format, args...), field, nil}
}

func notFound(format string, args ...any) error {
	return &answerError{http.StatusNotFound, "NOT_FOUND", fmt.Sprintf(format, args...), "", nil}
}

// ok answers with JSON.
func ok(status int, value any) (answer, error) {
	body, err := json.Marshal(value)
	if err != nil {
		return answer{}, err
	}
	header := map[string]string{"Content-Type": "application/json", "Cache-Control": "no-store"}
	return answer{status, header, append(body, '\n')}, nil
}

// answer runs a route. What went wrong inside is logged, not told.
func (a *app) answer(ctx context.Context, route route, request request) answer {
	given, err := route.handle(ctx, request)
	if err == nil {
		return given
	}
	var refusal *answerError
	var filter *rowcast.Error
	switch {
	case errors.As(err, &refusal):
	case errors.As(err, &filter):
		refusal = &answerError{filter.Status, filter.Code, filter.Detail, "", filter.Issues}
	case errors.Is(err, gorm.ErrDuplicatedKey):
		refusal = &answerError{http.StatusConflict, "CONFLICT", "there is a card with this id already", "id", nil}
	default:
		refusal = &answerError{http.StatusInternalServerError, "INTERNAL", "something went wrong; the server's log says what", "", nil}
		if ctx.Err() == nil { // else the client has left, and nothing is wrong
			a.logger.Error("request failed", "method", route.method, "path", route.path, "error", err)
		}
	}
	given, _ = ok(refusal.status, map[string]any{"error": refusal}) // always encodes
	return given
}

var errTooLarge = &answerError{http.StatusRequestEntityTooLarge, "TOO_LARGE", fmt.Sprintf("the body is over %d bytes", maxBody), "", nil}

func noRoute(context.Context, request) (answer, error) {
	return answer{}, notFound("there is nothing at this path")
}

func noMethod(context.Context, request) (answer, error) {
	return answer{}, &answerError{http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED", "this path does not take this method", "", nil}
}

// readObject reads a request's body, which must be a JSON object.
func (r request) readObject() (map[string]json.RawMessage, error) {
	body, err := io.ReadAll(r.body)
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, errTooLarge
	}
	if err != nil {
		return nil, badRequest("BAD_BODY", "", "the body could not be read")
	}
	return parseObject(body)
}

// cardID reads the {id} of the path.
func (r request) cardID() (uint64, error) {
	id, err := parseID(json.RawMessage(r.id))
	if err != nil {
		return 0, badRequest("INVALID_ID", "id", "%.40q is no card's id: %s", r.id, err)
	}
	return id.(uint64), nil
}
