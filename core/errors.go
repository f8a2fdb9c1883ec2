package rowcast

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Errors that callers test for with errors.Is.
var (
	ErrNotFound       = errors.New("rowcast: no such row")
	ErrConflict       = errors.New("rowcast: the row exists already")
	ErrUnknownEntity  = errors.New("rowcast: unknown entity")
	ErrSealed         = errors.New("rowcast: the registry is sealed: register entities before the first subscription or publish")
	ErrNotStarted     = errors.New("rowcast: the engine has not been started")
	ErrShutdown       = errors.New("rowcast: the engine is shut down")
	ErrPositionLost   = errors.New("rowcast: the log does not hold what follows this position")
	ErrTransportQueue = errors.New("rowcast: the transport's queue is full")
	ErrRecordTooLarge = errors.New("rowcast: the record is larger than the limit, so clients are told to refetch")
	ErrOutOfOrder     = errors.New("rowcast: an earlier write to the same row did not end in time")
)

// Error is a request that is refused, with everything its sender may know about why.
// It renders as an application/problem+json body (RFC 9457).
type Error struct {
	Code   string   `json:"code"`   // stable, in upper case
	Status int      `json:"status"` // HTTP status (RFC 9110)
	Title  string   `json:"title"`
	Detail string   `json:"detail"`
	Issues []Issue  `json:"issues,omitempty"` // every problem of the request
	Denied []Denial `json:"denied,omitempty"` // every refused channel, on 403
}

// Issue is one problem of a request, in one of its parameters or fields.
type Issue struct {
	Field  string `json:"field"` // as the client wrote it
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// Denial is a channel that was refused.
type Denial struct {
	Channel string `json:"channel"`
	Reason  string `json:"reason"` // DeniedForbidden or DeniedUnknownChannel
}

// The reasons of a Denial.
const (
	DeniedForbidden      = "forbidden"
	DeniedUnknownChannel = "unknown-channel"
)

// The codes of an Error and of an Issue that the engine itself gives. A filter's own are in package filter.
const (
	CodeInvalidSubscription = "INVALID_SUBSCRIPTION"
	CodeChannelsDenied      = "CHANNELS_DENIED"
	CodeInvalidChannel      = "INVALID_CHANNEL"
	CodeInvalidFields       = "INVALID_FIELDS"
	CodeInvalidParameter    = "INVALID_PARAMETER"
	CodeUnknownField        = "UNKNOWN_FIELD"
	CodeLimitExceeded       = "LIMIT_EXCEEDED"
	CodeNotSupported        = "NOT_SUPPORTED"
	CodeInvalidValues       = "INVALID_VALUES"
)

// Error lists the detail and every issue.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("rowcast: ")
	b.WriteString(e.Detail)
	for _, issue := range e.Issues {
		fmt.Fprintf(&b, "; %s: %s", issue.Field, issue.Detail)
	}
	for _, denial := range e.Denied {
		fmt.Fprintf(&b, "; %s: %s", denial.Channel, denial.Reason)
	}
	return b.String()
}

// invalidSubscription is the 400 of a subscription with these problems.
func invalidSubscription(issues []Issue) *Error {
	return &Error{
		Code: CodeInvalidSubscription, Status: http.StatusBadRequest, Title: "Invalid subscription",
		Detail: fmt.Sprintf("%s in the request", count(len(issues), "problem")), Issues: issues,
	}
}

// InvalidValues is the error of a write whose values do not fit the entity: a Store returns it for its caller's mistakes.
func InvalidValues(issues ...Issue) *Error {
	return &Error{
		Code: CodeInvalidValues, Status: http.StatusBadRequest, Title: "Invalid values",
		Detail: fmt.Sprintf("%s in the values", count(len(issues), "problem")), Issues: issues,
	}
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// ConfigError is one thing that is wrong with what the engine was built from. Start-up reports all of them joined;
// errors.As and errors.Join's Unwrap() []error reach each.
type ConfigError struct {
	Path   string // such as entities.Book.realtime.events.craeted
	Detail string // what was given, and what is allowed
}

// Error is the path and the detail.
func (e *ConfigError) Error() string { return e.Path + ": " + e.Detail }

// problems collects what is wrong with a configuration.
type problems []error

func (p *problems) add(path, format string, args ...any) {
	*p = append(*p, &ConfigError{Path: path, Detail: fmt.Sprintf(format, args...)})
}

func (p problems) err() error { return errors.Join(p...) }
