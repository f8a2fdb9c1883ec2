package filter

import (
	"cmp"
	"fmt"
	"slices"
)

// The groups of a filter; they are no field names.
const (
	groupAnd = "and"
	groupOr  = "or"
	groupNot = "not"
)

func isGroup(name string) bool { return name == groupAnd || name == groupOr || name == groupNot }

// branch is a level of the tree while bracket parameters, which come in any order, fill it: the implicit and of the
// request or of a numbered child, or a group.
type branch struct {
	path     string // as first written
	group    string // and, or, not; "" for an implicit and
	items    []item // of an implicit and, or of a not without numbers, as they first appeared
	numbered []numberedBranch
}

// item is one of: a group, a condition, or a part that is complete, from the object form.
type item struct {
	group     *branch
	condition *openCondition
	done      Expr
}

type numberedBranch struct {
	index int
	*branch
}

// openCondition is a condition that may still get list members.
type openCondition struct {
	Condition
	repeated bool // written as [in][]=a&[in][]=b
	reported bool // a second one was seen and reported
}

// lookUp finds the condition where the steps lead, or nil if it is not there yet.
func (b *branch) lookUp(steps []step, field string, operator Operator) (found *openCondition, problem string) {
	for i := range steps {
		group := b.child(steps[i].group)
		if group == nil {
			return nil, ""
		}
		if steps[i].index < 0 && len(group.numbered) > 0 || steps[i].index >= 0 && len(group.items) > 0 {
			return nil, "not is written with numbers and without; use one of both"
		}
		if b = group.at(steps[i].index); b == nil {
			return nil, ""
		}
	}
	for _, it := range b.items {
		if c := it.condition; c != nil && c.Operator == operator && c.Field == field {
			return c, ""
		}
	}
	return nil, ""
}

// grow gives the level where the steps lead, made where it is missing.
func (b *branch) grow(steps []step) *branch {
	for _, s := range steps {
		group := b.child(s.group)
		if group == nil {
			group = &branch{path: s.groupPath, group: s.group}
			b.items = append(b.items, item{group: group})
		}
		if b = group.at(s.index); b == nil {
			b = &branch{path: s.childPath}
			group.numbered = append(group.numbered, numberedBranch{index: s.index, branch: b})
		}
	}
	return b
}

// child is the group of this name below b; a level has one of each, or nil.
func (b *branch) child(group string) *branch {
	for _, it := range b.items {
		if it.group != nil && it.group.group == group {
			return it.group
		}
	}
	return nil
}

// at is the numbered child of a group, or nil; a not without numbers is its own.
func (b *branch) at(index int) *branch {
	if index < 0 {
		return b
	}
	for _, n := range b.numbered {
		if n.index == index {
			return n.branch
		}
	}
	return nil
}

// expr completes the branch and reports gaps in its numbering. It is nil where problems left nothing.
func (b *branch) expr(p *parser) Expr {
	children := make([]Expr, 0, len(b.items)+len(b.numbered))
	for _, it := range b.items {
		if e := it.expr(p); e != nil {
			children = append(children, e)
		}
	}
	slices.SortStableFunc(b.numbered, func(x, y numberedBranch) int { return cmp.Compare(x.index, y.index) })
	for i, n := range b.numbered {
		if n.index != i && (i == 0 || b.numbered[i-1].index == i-1) {
			p.syntax(n.path, fmt.Sprintf("the children of %s are numbered from 0 without gaps; %d is missing", b.group, i))
		}
		if e := n.expr(p); e != nil {
			children = append(children, e)
		}
	}
	return combine(b.group, children)
}

func (it item) expr(p *parser) Expr {
	switch {
	case it.group != nil:
		return it.group.expr(p)
	case it.condition != nil:
		return it.condition.Condition
	}
	return it.done
}

// combine makes the children one expression; an implicit and of one child is that child.
func combine(group string, children []Expr) Expr {
	switch {
	case len(children) == 0:
		return nil
	case group == groupOr:
		return Or(children)
	case group == groupNot:
		return Not(children)
	case group == "" && len(children) == 1:
		return children[0]
	}
	return And(children)
}
