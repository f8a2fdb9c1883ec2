package filter

// Compiled is a filter bound to a schema. It is immutable: any number of goroutines may use it at the same time.
// A nil *Compiled, of which nothing has been bound, matches no row.
type Compiled struct {
	schema Schema
	root   node
}

// Match reports whether the row, its values by the schema's ordinals, makes the filter true. Rows for which it is false or
// unknown do not match. It allocates nothing.
func (c *Compiled) Match(row []Value) bool { return c.Eval(row) == IsTrue }

// Eval is the filter's truth value for the row. A comparison with NULL is unknown, and so is every test of a missing
// value, also a null test, and every comparison with a value that is not of its field's kind. Values beyond the end of a
// short row are missing. It allocates nothing.
func (c *Compiled) Eval(row []Value) Truth {
	if c == nil {
		return IsUnknown
	}
	return c.root.eval(row)
}

// Expr is the bound filter as a tree for compilers to another language: And, Or and Not, possibly without children, and
// Bound, nothing else. The Values in it belong to the filter: read them only.
func (c *Compiled) Expr() Expr { return c.expr(&c.root) }

func (c *Compiled) expr(n *node) Expr {
	switch n.op {
	case opAnd:
		return And(c.exprs(n.kids))
	case opOr:
		return Or(c.exprs(n.kids))
	case opNot:
		return Not(c.exprs(n.kids))
	}
	return Bound{Ordinal: n.field, Field: c.schema[n.field], Operator: n.op.operator(), Values: n.values()}
}

func (c *Compiled) exprs(nodes []node) []Expr {
	out := make([]Expr, len(nodes))
	for i := range nodes {
		out[i] = c.expr(&nodes[i])
	}
	return out
}

// Equality is a condition on one field: to be equal to one of the values.
type Equality struct {
	Ordinal int
	Values  []Value // canonical, so that a row's value is one of them if its Canonical is ==; read them only
}

// Required gives the equality and in conditions that every matching row satisfies, at most one per mention of a field:
// what an index can find the filter by. None says nothing about the filter.
func (c *Compiled) Required() []Equality { return c.root.required() }

func (n *node) required() []Equality {
	switch n.op {
	case opEq:
		return []Equality{{Ordinal: n.field, Values: n.values()}}
	case opIn:
		return []Equality{{Ordinal: n.field, Values: n.list}}
	case opAnd:
		var all []Equality
		for i := range n.kids {
			all = append(all, n.kids[i].required()...)
		}
		return all
	case opOr:
		return n.requiredOfAny()
	}
	return nil
}

// requiredOfAny unites, for each field that all children of an or require, what they require of it.
func (n *node) requiredOfAny() []Equality {
	var common []Equality
	for i := range n.kids {
		required := n.kids[i].required()
		if i == 0 {
			common = required
			continue
		}
		var both []Equality
		for _, a := range common {
			for _, b := range required {
				if a.Ordinal == b.Ordinal {
					both = append(both, Equality{Ordinal: a.Ordinal, Values: distinct(a.Values, b.Values)})
					break
				}
			}
		}
		common = both
	}
	return common
}
