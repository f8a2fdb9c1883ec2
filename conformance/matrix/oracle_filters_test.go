package matrix_test

import (
	"github.com/rowcast/rowcast/core/filter"
)

// node is a filter of which every spelling is known: in Go (expr) and on the wire (oracle_wire_test.go).
type node struct {
	group string // and, or, not; "": the condition
	kids  []*node

	column    column
	operator  filter.Operator
	arguments []argument
	negated   bool // a null test that is written as the other one with false
}

// expr is the filter as an application's code builds it.
func (n *node) expr() filter.Expr {
	kids := make([]filter.Expr, len(n.kids))
	for i, kid := range n.kids {
		kids[i] = kid.expr()
	}
	switch n.group {
	case "and":
		return filter.And(kids)
	case "or":
		return filter.Or(kids)
	case "not":
		return filter.Not(kids)
	}
	name, operands := n.column.Name, make([]any, len(n.arguments))
	for i, a := range n.arguments {
		operands[i] = a.code
	}
	switch n.operator {
	case filter.OpIn:
		return filter.In(name, operands...)
	case filter.OpNotIn:
		return filter.NotIn(name, operands...)
	case filter.OpIsNull, filter.OpIsNotNull:
		if operator, holds := n.nullTest(); !holds {
			return filter.Condition{Field: name, Operator: operator, Operands: []any{false}}
		}
	}
	return filter.Condition{Field: name, Operator: n.operator, Operands: operands}
}

// nullTest is how a null test is written: as it is, or as the other one with false.
func (n *node) nullTest() (operator filter.Operator, holds bool) {
	switch {
	case !n.negated:
		return n.operator, true
	case n.operator == filter.OpIsNull:
		return filter.OpIsNotNull, false
	}
	return filter.OpIsNull, false
}

// shape is where a condition stands in a filter.
type shape uint8

const (
	shapeTop    shape = iota // the whole filter
	shapeAnd                 // in an and that is not inside another group than the request
	shapeOr                  // likewise
	shapeNot                 // likewise
	shapeNested              // in a group inside an and, or, not
	shapes
)

func (s shape) String() string { return [...]string{"top", "and", "or", "not", "nested"}[s] }

// conditions calls f for each condition of the filter with its shape.
func (n *node) conditions(f func(*node, shape)) { n.visit(shapeTop, f) }

func (n *node) visit(at shape, f func(*node, shape)) {
	if n.group == "" {
		f(n, at)
		return
	}
	inner := map[string]shape{"and": shapeAnd, "or": shapeOr, "not": shapeNot}[n.group]
	if at != shapeTop {
		inner = shapeNested
	}
	for _, kid := range n.kids {
		kid.visit(inner, f)
	}
}

// filters makes random filters over the rows of a batch, rare cells of the coverage more often than others.
type filters struct {
	values
	batch    *batch
	coverage *coverage
}

// next is a filter of one to some eight conditions.
func (f filters) next() *node {
	if f.IntN(4) == 0 {
		return f.condition(shapeTop)
	}
	return f.groupOf(shapeTop, 1)
}

var groups = []string{"and", "or", "not"}

// groupOf is a group at this depth: the request itself is 1, and so is an and that is the whole filter.
func (f filters) groupOf(at shape, depth int) *node {
	n := &node{group: pick(f.values, groups)}
	inner := map[string]shape{"and": shapeAnd, "or": shapeOr, "not": shapeNot}[n.group]
	if at != shapeTop {
		inner = shapeNested
	}
	if depth > 1 || n.group != "and" {
		depth = max(depth, 2)
	}
	if f.IntN(60) == 0 {
		return n // without children, as only code builds it
	}
	for range 1 + f.IntN(3) {
		kid := f.kid(inner, depth)
		// Of two members of one name the second would need an and of its own, which may be too deep.
		if _, ok := (&node{group: n.group, kids: append(n.kids, kid)}).members(); ok || depth > 1 {
			n.kids = append(n.kids, kid)
		}
	}
	return n
}

func (f filters) kid(at shape, depth int) *node {
	if depth < filter.DefaultDepth && f.IntN(3) == 0 {
		return f.groupOf(at, depth+1)
	}
	return f.condition(at)
}

// condition takes the operator and the kind that are rarest in this shape, or any.
func (f filters) condition(at shape) *node {
	cell := f.coverage.rarest(at, f.values)
	var columns []column
	nullable := f.coverage.rows[cell][at].null == 0 || f.IntN(2) == 0
	for _, c := range f.batch.columns {
		if c.Kind == cell.kind && (c.Nullable || !nullable) {
			columns = append(columns, c)
		}
	}
	n := &node{column: pick(f.values, columns), operator: cell.operator}
	operand := func() { n.arguments = append(n.arguments, f.argument(n.column, f.near(n.column, f.batch))) }
	switch n.operator {
	case filter.OpIsNull, filter.OpIsNotNull:
		n.negated = f.IntN(4) == 0
	case filter.OpLike, filter.OpILike:
		n.arguments = []argument{f.argument(n.column, f.pattern(n.column, f.batch))}
	case filter.OpBetween:
		operand()
		operand()
		low, high := n.value(0), n.value(1)
		if order, _ := low.Compare(high); order > 0 && f.IntN(5) > 0 { // else nothing matches, which is rarely wanted
			n.arguments[0], n.arguments[1] = n.arguments[1], n.arguments[0]
		}
	case filter.OpIn, filter.OpNotIn:
		if f.IntN(60) == 0 {
			return n // of no values, as only code builds it
		}
		for range 1 + f.IntN(5) {
			operand()
		}
	default:
		operand()
	}
	return n
}

func (n *node) value(i int) filter.Value {
	if v, ok := n.arguments[i].code.(filter.Value); ok {
		return v
	}
	return filter.MustValue(n.column.Kind, n.arguments[i].code)
}
