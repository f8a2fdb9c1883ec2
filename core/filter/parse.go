package filter

import (
	"fmt"
	"strings"
)

// parameter is the name of the filter parameter, and what the names of all bracket parameters begin with.
const parameter = "filter"

// Parse reads the filter out of a raw query string, without its question mark. Both forms are read, the brackets
// filter[price][gte]=10 and the object filter={"price":{"gte":10}}; everything that the request says is one And.
//
// Every parameter whose decoded name begins with "filter" is well formed or a problem: none is ignored. Other
// parameters are none of its business. Names and values are decoded like HTML forms: %xx, and + for a space; a semicolon
// separates nothing.
//
// Without a filter the Expr is nil. With problems it is what could be read: bind it too, if it is not nil, to report
// all problems of the request together, and then use neither. Parse checks the limits of depth and conditions, Bind
// all; of more than a hundred problems Parse says only that there are more. The result keeps substrings of rawQuery:
// where a framework reuses its memory, clone it first.
func Parse(rawQuery string, limits Limits) (Expr, []Problem) {
	p := parser{limits: limits.resolved()}
	for rawQuery != "" {
		var pair string
		pair, rawQuery, _ = strings.Cut(rawQuery, "&")
		p.parameter(pair)
	}
	return p.finish()
}

// ParseJSON reads one filter object, such as {"status":{"eq":"done"}}. The path is what problems call the place that it
// came from, such as subscriptions[0].filter; "" means filter. The Expr and the problems are as in Parse.
func ParseJSON(path, object string, limits Limits) (Expr, []Problem) {
	if path == "" {
		path = parameter
	}
	p := parser{limits: limits.resolved()}
	p.object(path, object)
	return p.finish()
}

// parser reads one request.
type parser struct {
	limits     Limits
	root       branch
	conditions int
	problems   []Problem
	segments   []string // of the bracket parameter at hand
	steps      []step   // its groups
	seenObject bool     // filter= was given
}

func (p *parser) parameter(pair string) {
	rawName, rawValue, _ := strings.Cut(pair, "=")
	name, nameOK := unescape(rawName)
	if !strings.HasPrefix(name, parameter) {
		return
	}
	value, valueOK := unescape(rawValue)
	switch {
	case !nameOK:
		p.syntax(name, "the name holds a % that two hexadecimal digits do not follow")
	case !valueOK:
		p.syntax(name, "the value holds a % that two hexadecimal digits do not follow; a % itself is written %25")
	case name == parameter:
		p.objectParameter(value)
	default:
		p.brackets(name, value)
	}
}

func (p *parser) objectParameter(value string) {
	if p.seenObject {
		p.syntax(parameter, "filter is given twice; put both into one object")
		return
	}
	p.seenObject = true
	p.object(parameter, value)
}

func (p *parser) finish() (Expr, []Problem) {
	return p.root.expr(p), p.problems
}

func (p *parser) syntax(path, detail string) { p.report(path, CodeSyntax, detail) }

// mostProblems bounds what Parse reports: a request of a megabyte could hold half a million, which would be told
// in forty megabytes.
const mostProblems = 100

func (p *parser) report(path, code, detail string) {
	switch {
	case len(p.problems) < mostProblems:
		p.problems = append(p.problems, Problem{Field: path, Code: code, Detail: detail})
	case len(p.problems) == mostProblems:
		p.problems = append(p.problems, Problem{Field: parameter, Code: CodeLimitExceeded,
			Detail: fmt.Sprintf("there are more problems; the first %d are listed", mostProblems)})
	}
}

// admit counts one more condition, and says no when there are too many of them; only the first of those is reported.
func (p *parser) admit(path string) bool {
	p.conditions++
	if p.conditions <= p.limits.Conditions {
		return true
	}
	if p.conditions == p.limits.Conditions+1 {
		p.report(path, CodeLimitExceeded, conditionsText(p.limits.Conditions))
	}
	return false
}

// descend says whether there may be a group at this depth; it is asked before anything inside the group is looked at.
func (p *parser) descend(path string, depth int) bool {
	if depth <= p.limits.Depth {
		return true
	}
	p.report(path, CodeLimitExceeded, depthText(p.limits.Depth))
	return false
}

// unescape decodes a name or value of a query string. A % that begins no escape stands for itself, and is not ok.
func unescape(s string) (decoded string, ok bool) {
	if !strings.ContainsAny(s, "%+") {
		return s, true
	}
	ok = true
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			out = append(out, ' ')
		case s[i] != '%':
			out = append(out, s[i])
		case i+2 < len(s) && hexDigit(s[i+1]) >= 0 && hexDigit(s[i+2]) >= 0:
			out = append(out, byte(hexDigit(s[i+1])<<4|hexDigit(s[i+2])))
			i += 2
		default:
			out = append(out, '%')
			ok = false
		}
	}
	return string(out), ok
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
