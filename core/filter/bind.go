package filter

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bind resolves an expression's fields to the schema's ordinals and its operands to Values of the fields' kinds. The
// Compiled is nil if there is any problem; all of them are reported, in the order of the tree.
//
// A filter and a row policy are bound apart, the policy with the schema that Schema.Open gives and with NoLimits. A nil
// expression is a problem, so that a missing policy cannot become one that allows everything: True matches every row.
func Bind(expr Expr, schema Schema, limits Limits) (*Compiled, []Problem) {
	b := binder{schema: schema, limits: limits.resolved()}
	root := b.root(expr)
	if len(b.problems) > 0 {
		return nil, b.problems
	}
	return &Compiled{schema: schema, root: root}, nil
}

type binder struct {
	schema     Schema
	limits     Limits
	conditions int
	problems   []Problem
}

func (b *binder) report(path, code, detail string) {
	b.problems = append(b.problems, Problem{Field: path, Code: code, Detail: detail})
}

// root binds the whole: an and at the top is the implicit one of the request, which is depth 1 itself.
func (b *binder) root(expr Expr) node {
	if and, ok := expr.(And); ok {
		return b.children(opAnd, and, 1)
	}
	return b.bind(expr, 1)
}

// bind binds an expression whose parent is at this depth. What it returns after a problem is not used.
func (b *binder) bind(expr Expr, depth int) node {
	switch e := expr.(type) {
	case And:
		return b.group(opAnd, e, depth+1)
	case Or:
		return b.group(opOr, e, depth+1)
	case Not:
		return b.group(opNot, e, depth+1)
	case Constant:
		if e {
			return node{op: opAnd}
		}
		return node{op: opOr}
	case Condition:
		return b.condition(e)
	case Bound:
		return b.condition(rebound(e))
	}
	b.report(parameter, CodeSyntax, "an expression is missing; True matches every row")
	return node{}
}

func (b *binder) group(op opcode, children []Expr, depth int) node {
	if depth > b.limits.Depth {
		b.report(parameter, CodeLimitExceeded, depthText(b.limits.Depth))
		return node{}
	}
	return b.children(op, children, depth)
}

func (b *binder) children(op opcode, children []Expr, depth int) node {
	n := node{op: op, kids: make([]node, 0, len(children))}
	for _, child := range children {
		n.kids = append(n.kids, b.bind(child, depth))
	}
	if op != opNot && len(n.kids) == 1 {
		return n.kids[0]
	}
	return n
}

// rebound makes a condition of what Compiled.Expr gave, to be bound to another schema.
func rebound(e Bound) Condition {
	return Condition{Field: e.Field.Name, Operator: e.Operator, Operands: operands(e.Values)}
}

// condition checks what needs no field first, then the field, then its operator and operands.
func (b *binder) condition(c Condition) node {
	if b.conditions++; b.conditions > b.limits.Conditions {
		if b.conditions == b.limits.Conditions+1 {
			b.report(c.path(), CodeLimitExceeded, conditionsText(b.limits.Conditions))
		}
		return node{}
	}
	before := len(b.problems)
	ordinal, code, detail := b.schema.resolve(c.Field)
	if code != "" {
		b.report(c.path(), code, detail)
	}
	b.operator(c, ordinal, code == "")
	if len(b.problems) > before {
		return node{}
	}
	n := node{op: opcodeOf(c.Operator), kind: b.schema[ordinal].Kind, field: ordinal}
	b.operands(&n, c)
	return n
}

func (c Condition) path() string {
	if c.Path != "" {
		return c.Path
	}
	return c.Field
}

// operator checks the operator and the number of its operands. The parser leaves the operator of a path empty.
func (b *binder) operator(c Condition, ordinal int, known bool) {
	switch {
	case c.Operator == "" && !known:
		return
	case !c.Operator.Valid():
		b.report(c.path(), CodeUnknownOperator, unknownOperatorText(c.Operator))
		return
	}
	if code, detail := b.count(c); code != "" {
		b.report(c.path(), code, detail)
	}
	if !known {
		return
	}
	kind := b.schema[ordinal].Kind
	if allowed := kind.operators(); !slices.Contains(allowed, c.Operator) {
		b.report(c.path(), CodeUnknownOperator,
			fmt.Sprintf("%s is no operator of a field of kind %v; its operators are %s", c.Operator, kind, list(allowed)))
	}
}

func unknownOperatorText(given Operator) string {
	for _, o := range allOperators {
		if strings.EqualFold(string(o), string(given)) {
			return fmt.Sprintf("there is no operator %s; operators are written in exact case: %s", quote(string(given)), o)
		}
	}
	return fmt.Sprintf("there is no operator %s; the operators are %s", quote(string(given)), list(allOperators))
}

// count checks how many operands there are.
func (b *binder) count(c Condition) (code, detail string) {
	given := len(c.Operands)
	switch {
	case c.Operator.isNullTest():
		if _, ok := nullOperand(c.Operands); !ok {
			return CodeInvalidValue, string(c.Operator) + " takes true or false"
		}
	case c.Operator == OpBetween:
		if given != 2 {
			return CodeInvalidValue, fmt.Sprintf("between takes exactly two values, low and high; %d given", given)
		}
	case c.Operator.takesList():
		if given == 0 {
			return CodeInvalidValue, fmt.Sprintf("the list of %s is empty; give 1 to %d values", c.Operator, b.limits.List)
		}
		if given > b.limits.List {
			return CodeLimitExceeded, fmt.Sprintf("the list of %s has %d members; %d are allowed", c.Operator, given, b.limits.List)
		}
	case given != 1:
		return CodeInvalidValue, fmt.Sprintf("%s takes exactly one value; %d given", c.Operator, given)
	}
	return "", ""
}

// nullOperand reads the operand of a null test; without one it is true.
func nullOperand(operands []any) (holds, ok bool) {
	if len(operands) == 0 {
		return true, true
	}
	if len(operands) > 1 {
		return false, false
	}
	switch operands[0] {
	case true, Text("true"):
		return true, true
	case false, Text("false"):
		return false, true
	}
	return false, false
}

// operands fills the node with the condition's values.
func (b *binder) operands(n *node, c Condition) {
	if c.Operator.isNullTest() {
		if holds, _ := nullOperand(c.Operands); !holds {
			n.op = opIsNull + opIsNotNull - n.op
		}
		return
	}
	values, ok := b.values(n.field, c)
	switch {
	case !ok:
	case c.Operator.isPattern():
		n.value = values[0]
		n.like = b.pattern(c, values[0].text)
	case c.Operator == OpBetween:
		n.list = values
	case c.Operator.takesList():
		n.list = distinct(values)
	default:
		n.value = values[0]
	}
}

// values reads the operands. One problem stands for all members of a list, or an answer could outgrow its request.
func (b *binder) values(ordinal int, c Condition) (values []Value, ok bool) {
	field := &b.schema[ordinal]
	values = make([]Value, len(c.Operands))
	first, bad := "", 0
	for i, operand := range c.Operands {
		value, problem := field.operand(operand)
		if problem != "" {
			if bad++; bad == 1 {
				first = problem
			}
		}
		values[i] = value
	}
	switch {
	case bad == 0:
		return values, true
	case bad > 1:
		first = fmt.Sprintf("%s (and %d more of its values)", first, bad-1)
	}
	b.report(c.path(), CodeInvalidValue, first)
	return nil, false
}

func (b *binder) pattern(c Condition, pattern string) *likePattern {
	if length := utf8.RuneCountInString(pattern); length > b.limits.Pattern {
		b.report(c.path(), CodeLimitExceeded,
			fmt.Sprintf("the pattern has %d characters; %d are allowed", length, b.limits.Pattern))
		return nil
	}
	compiled, ok := compileLike(pattern, c.Operator == OpILike)
	if !ok {
		b.report(c.path(), CodeInvalidValue, `the pattern ends in an escape that escapes nothing; a \ itself is written \\`)
	}
	return compiled
}

// distinct is all of the values, ascending, each once.
func distinct(lists ...[]Value) []Value {
	all := slices.Concat(lists...)
	slices.SortFunc(all, func(x, y Value) int { return compare(&x, &y) })
	return slices.Compact(all)
}
