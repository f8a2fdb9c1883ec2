package filter

import "slices"

// opcode is what a node does. The operators' codes are in the order of allOperators.
type opcode uint8

const (
	opAnd opcode = iota
	opOr
	opNot
	opEq
	opNe
	opGt
	opGte
	opLt
	opLte
	opIn
	opNotIn
	opLike
	opILike
	opBetween
	opIsNull
	opIsNotNull
)

func opcodeOf(o Operator) opcode { return opEq + opcode(slices.Index(allOperators, o)) }

func (c opcode) operator() Operator { return allOperators[c-opEq] }

// node is one node of a bound filter, laid out for evaluation: what the common operators need is in the node itself.
type node struct {
	op    opcode
	kind  Kind
	field int
	value Value        // of the operators with one operand
	list  []Value      // in and notIn: ascending and distinct; between: low and high
	like  *likePattern // of the value
	kids  []node
}

// eval evaluates the node by SQL's truth tables, with and being the least and or the greatest of the children. It is
// small enough to be inlined where a condition is by far the most likely.
func (n *node) eval(row []Value) Truth {
	if n.op >= opEq {
		return n.test(row)
	}
	return n.group(row)
}

func (n *node) group(row []Value) Truth {
	switch n.op {
	case opAnd:
		return n.all(row)
	case opNot:
		return -n.all(row)
	}
	truth := IsFalse
	for i := range n.kids {
		if t := n.kids[i].eval(row); t > truth {
			if truth = t; t == IsTrue {
				break
			}
		}
	}
	return truth
}

func (n *node) all(row []Value) Truth {
	truth := IsTrue
	for i := range n.kids {
		if t := n.kids[i].eval(row); t < truth {
			if truth = t; t == IsFalse {
				break
			}
		}
	}
	return truth
}

// test evaluates a condition.
func (n *node) test(row []Value) Truth {
	if n.field >= len(row) {
		return IsUnknown
	}
	v := &row[n.field]
	if v.kind != n.kind {
		return n.testOther(v)
	}
	switch n.op {
	case opEq:
		return truthOf(equal(v, &n.value))
	case opNe:
		return truthOf(!equal(v, &n.value))
	case opGt:
		return truthOf(compare(v, &n.value) > 0)
	case opGte:
		return truthOf(compare(v, &n.value) >= 0)
	case opLt:
		return truthOf(compare(v, &n.value) < 0)
	case opLte:
		return truthOf(compare(v, &n.value) <= 0)
	case opIn:
		return truthOf(n.has(v))
	case opNotIn:
		return truthOf(!n.has(v))
	case opLike, opILike:
		return truthOf(n.like.match(v.text))
	case opBetween:
		return truthOf(compare(v, &n.list[0]) >= 0 && compare(v, &n.list[1]) <= 0)
	}
	return truthOf(n.op == opIsNotNull)
}

// testOther evaluates a condition on NULL, a missing value, or one of another kind, of which no more is known than that
// it is not NULL.
func (n *node) testOther(v *Value) Truth {
	switch {
	case v.IsMissing():
		return IsUnknown
	case n.op == opIsNull:
		return truthOf(v.IsNull())
	case n.op == opIsNotNull:
		return truthOf(!v.IsNull())
	}
	return IsUnknown
}

// has looks the value up in the sorted list.
func (n *node) has(v *Value) bool {
	const short = 8 // up to here a plain walk is as fast
	if len(n.list) <= short {
		for i := range n.list {
			if equal(v, &n.list[i]) {
				return true
			}
		}
		return false
	}
	low, high := 0, len(n.list)
	for low < high {
		middle := int(uint(low+high) >> 1)
		switch order := compare(v, &n.list[middle]); {
		case order == 0:
			return true
		case order < 0:
			high = middle
		default:
			low = middle + 1
		}
	}
	return false
}

// values are the operands.
func (n *node) values() []Value {
	switch n.op {
	case opIsNull, opIsNotNull:
		return nil
	case opIn, opNotIn, opBetween:
		return n.list
	}
	return []Value{n.value}
}
