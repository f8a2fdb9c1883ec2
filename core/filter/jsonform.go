package filter

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// object reads the JSON form into the root. The text is checked as a whole first, so that the walk meets no bad JSON.
func (p *parser) object(path, text string) {
	switch {
	case !json.Valid([]byte(text)):
		p.syntax(path, "not valid JSON: "+jsonProblem(text))
		return
	case !utf8.ValidString(text):
		p.syntax(path, "the JSON is not valid UTF-8")
		return
	case loneSurrogate(text):
		p.syntax(path, "the JSON holds half of a surrogate pair")
		return
	}
	walk := jsonWalk{parser: p, jsonScanner: jsonScanner{text: text}}
	if walk.next().kind != '{' {
		p.syntax(path, `a filter is an object, such as {"status":{"eq":"done"}}`)
		return
	}
	for _, e := range walk.members(path, 1) {
		p.root.items = append(p.root.items, item{done: e})
	}
}

func jsonProblem(text string) string {
	var value json.RawMessage
	err := json.Unmarshal([]byte(text), &value)
	if err == nil {
		return "it cannot be read" // Valid and Unmarshal agree, so this is never said
	}
	return err.Error()
}

// loneSurrogate finds \ud800 to \udfff outside of a pair: encoding/json would silently read U+FFFD for it.
func loneSurrogate(text string) bool {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		unit := escapedUnit(text[i:])
		i++ // past what is escaped, a second backslash too
		switch {
		case unit >= 0xd800 && unit < 0xdc00:
			if low := escapedUnit(text[i+5:]); low < 0xdc00 || low > 0xdfff {
				return true
			}
			i += 10 // past the pair
		case unit >= 0xdc00 && unit <= 0xdfff:
			return true
		}
	}
	return false
}

// escapedUnit is the UTF-16 unit of a \uXXXX at the start of the text, or -1.
func escapedUnit(text string) int {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(text[2:6], 16, 16)
	if err != nil {
		return -1
	}
	return int(unit)
}

// jsonWalk reads a filter's JSON, known to be valid, token by token.
type jsonWalk struct {
	*parser
	jsonScanner
}

// eachMember calls visit for every member of the object that has just been opened, with the first token of its value,
// which visit has to consume. It reports empty objects, empty names, and names that stand twice.
func (w *jsonWalk) eachMember(path string, visit func(path, name string, value jsonToken)) {
	var seen nameSet
	for w.more() {
		name := w.next().text
		value := w.next()
		member := path + "[" + shorten(name) + "]"
		switch {
		case name == "":
			w.syntax(path, "a name is empty")
			w.skip(value)
		case seen.has(name):
			w.syntax(member, quote(name)+" stands twice in one object")
			w.skip(value)
		default:
			visit(member, name, value)
		}
		seen.add(name)
	}
	w.next() // the closing brace
	if seen.empty() {
		w.syntax(path, "the object is empty")
	}
}

// members reads an object of fields and groups: the children of its implicit and.
func (w *jsonWalk) members(path string, depth int) []Expr {
	var children []Expr
	w.eachMember(path, func(path, name string, value jsonToken) {
		if isGroup(name) {
			if e := w.group(path, name, value, depth+1); e != nil {
				children = append(children, e)
			}
			return
		}
		children = append(children, w.field(path, name, value)...)
	})
	return children
}

// group reads the children of and, or, not: an array of objects; of not also a single object.
func (w *jsonWalk) group(path, group string, value jsonToken, depth int) Expr {
	if !w.descend(path, depth) {
		w.skip(value)
		return nil
	}
	switch {
	case value.kind == '{' && group == groupNot:
		return combine(group, w.members(path, depth))
	case value.kind != '[':
		w.syntax(path, groupWants(group))
		w.skip(value)
		return nil
	}
	var children []Expr
	count := 0
	for ; w.more(); count++ {
		child := fmt.Sprintf("%s[%d]", path, count)
		value := w.next()
		if value.kind != '{' {
			w.syntax(child, groupWants(group))
			w.skip(value)
			continue
		}
		if e := combine("", w.members(child, depth)); e != nil {
			children = append(children, e)
		}
	}
	w.next() // the closing bracket
	if count == 0 {
		w.syntax(path, group+" has no children; "+groupWants(group))
	}
	return combine(group, children)
}

func groupWants(group string) string {
	if group == groupNot {
		return `not takes an object, such as {"field":{"eq":1}}, or an array of them`
	}
	return group + ` takes an array of objects, such as [{"field":{"eq":1}}]`
}

// field reads the operators of one field. A member that is an object and no operator makes the field a path, which
// Bind will refuse.
func (w *jsonWalk) field(path, field string, value jsonToken) []Expr {
	if value.kind != '{' {
		w.syntax(path, `a field takes an object of operators, such as {"eq":1}`)
		w.skip(value)
		return nil
	}
	return w.operators(path, field)
}

func (w *jsonWalk) operators(path, field string) []Expr {
	var children []Expr
	w.eachMember(path, func(path, name string, value jsonToken) {
		if value.kind == '{' && !Operator(name).Valid() {
			// The inside of a path is not looked at: wherever it leads, it is refused.
			w.skip(value)
			if w.admit(path) {
				children = append(children, Condition{Field: field + "." + name, Path: path})
			}
			return
		}
		if e := w.condition(path, field, Operator(name), value); e != nil {
			children = append(children, e)
		}
	})
	return children
}

func (w *jsonWalk) condition(path, field string, operator Operator, value jsonToken) Expr {
	operands, problem := w.operands(operator, value)
	if problem != "" {
		w.syntax(path, problem)
		return nil
	}
	if !w.admit(path) {
		return nil
	}
	return Condition{Field: field, Operator: operator, Operands: operands, Path: path}
}

// operands reads an operand. What an unknown operator wants is not known: Bind will refuse the operator.
func (w *jsonWalk) operands(operator Operator, value jsonToken) (operands []any, problem string) {
	isArray := value.kind == '['
	switch {
	case value.kind == '{':
		problem = fmt.Sprintf("an object is no operand of %s", operator)
	case isArray && operator.Valid() && !operator.takesList():
		problem = fmt.Sprintf("%s takes a single value, no array", operator)
	case !isArray && operator.takesList():
		problem = fmt.Sprintf("%s takes an array", operator)
	}
	if problem != "" || !isArray {
		w.skip(value)
		return []any{jsonOperand(value)}, problem
	}
	for w.more() {
		member := w.next()
		if member.opens() {
			problem = fmt.Sprintf("the array of %s holds values, no arrays or objects", operator)
		}
		w.skip(member)
		operands = append(operands, jsonOperand(member))
	}
	w.next() // the closing bracket
	return operands, problem
}

// jsonOperand turns a scalar token into an operand; texts are read as the field's kind, like those in brackets.
func jsonOperand(token jsonToken) any {
	switch token.kind {
	case '"':
		return Text(token.text)
	case '0':
		return json.Number(token.text)
	case 't':
		return true
	case 'f':
		return false
	}
	return nil
}

// nameSet is the names of one object: a few in place, as nearly always, or a map against hostile lengths.
type nameSet struct {
	few  [8]string
	n    int
	many map[string]bool
}

func (s *nameSet) empty() bool { return s.n == 0 }

func (s *nameSet) has(name string) bool {
	return slices.Contains(s.few[:min(s.n, len(s.few))], name) || s.many[name]
}

func (s *nameSet) add(name string) {
	if s.n < len(s.few) {
		s.few[s.n] = name
	} else {
		if s.many == nil {
			s.many = map[string]bool{}
		}
		s.many[name] = true
	}
	s.n++
}
