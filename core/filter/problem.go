package filter

import (
	"fmt"
	"strconv"
	"strings"
)

// Problem is one thing that is wrong with a filter. Its texts hold nothing but what the client itself wrote and what it
// may know; they are in lower case and end without a full stop.
type Problem struct {
	Field  string `json:"field"`  // the path as written, such as filter[price][gte]; JSON members are written the same way
	Code   string `json:"code"`   // stable, one of the codes below
	Detail string `json:"detail"` // what was given, and what is allowed
}

// The codes of a Problem.
const (
	CodeSyntax          = "FILTER_SYNTAX"            // not well formed
	CodeUnknownField    = "FILTER_UNKNOWN_FIELD"     // no such field, or a hidden one
	CodeFieldNotAllowed = "FILTER_FIELD_NOT_ALLOWED" // a path, or a field that may not be filtered by
	CodeUnknownOperator = "FILTER_UNKNOWN_OPERATOR"  // no such operator, or none for this kind of field
	CodeInvalidValue    = "FILTER_INVALID_VALUE"     // an operand that is not of the field's kind, or the wrong number of them
	CodeLimitExceeded   = "FILTER_LIMIT_EXCEEDED"    // see Limits
)

// shownRunes and shownNames bound what an error text repeats, so that an answer does not outgrow its request.
const (
	shownRunes = 40
	shownNames = 20
)

// quote quotes what a client wrote, cut to a length that a person reads.
func quote(s string) string {
	short := shorten(s)
	if len(short) == len(s) {
		return strconv.Quote(s)
	}
	return strconv.Quote(strings.TrimSuffix(short, ellipsis)) + ellipsis
}

const ellipsis = "…"

// shorten cuts what a client wrote. Names in JSON need it too: a long one would stand in the path of each of its members.
func shorten(s string) string {
	if len(s) <= shownRunes {
		return s
	}
	runes := 0
	for i := range s {
		if runes++; runes > shownRunes {
			return s[:i] + ellipsis
		}
	}
	return s
}

// list joins names for a text, the first ones if there are many.
func list[S ~string](names []S) string {
	var b strings.Builder
	for i, name := range names {
		if i == shownNames {
			fmt.Fprintf(&b, " and %d more", len(names)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(name))
	}
	return b.String()
}

// nearest is the candidate that the name was most likely meant to be, or "" if none is near.
func nearest(name string, candidates []string) string {
	const longest = 64 // beyond this a name is no typing error, and the distance would be dear
	if len(name) > longest {
		return ""
	}
	best, bestDistance := "", max(1, (len(name)+1)/3)+1
	for _, candidate := range candidates {
		if len(candidate) > longest {
			continue
		}
		if strings.EqualFold(candidate, name) {
			return candidate
		}
		if d := distance(name, candidate); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// distance is the number of bytes to insert, delete or replace between a and b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
