package matrix_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rowcast/rowcast/core/filter"
)

// cell is what a condition does.
type cell struct {
	operator filter.Operator
	kind     filter.Kind
}

// coverage counts what has occurred.
type coverage struct {
	cells  []cell
	placed map[cell]*[shapes]int // conditions in filters
	rows   map[cell]*[shapes]occurred
	truths map[cell]*[3]int // pairs of a condition and a row that were false, unknown, true
}

// occurred counts pairs of a condition and a row by what the row has in the condition's field.
type occurred struct{ null, value int }

func newCoverage(columns []column) *coverage {
	c := &coverage{placed: map[cell]*[shapes]int{}, rows: map[cell]*[shapes]occurred{}, truths: map[cell]*[3]int{}}
	for kind := filter.Kind(1); kind.Valid(); kind++ {
		if !slices.ContainsFunc(columns, func(c column) bool { return c.Kind == kind && c.Nullable }) {
			continue // complete reports it
		}
		for _, operator := range kind.Operators() {
			at := cell{operator, kind}
			c.cells = append(c.cells, at)
			c.placed[at], c.rows[at], c.truths[at] = new([shapes]int), new([shapes]occurred), new([3]int)
		}
	}
	return c
}

// hard are the kinds that databases have the most ideas about.
var hard = []filter.Kind{filter.String, filter.String, filter.Decimal, filter.Float, filter.Time}

// rarest is a cell that is due in this shape: often one of the rarest, and often one of a hard kind.
func (c *coverage) rarest(at shape, v values) cell {
	rarest := pick(v, c.cells)
	switch v.IntN(4) {
	case 0:
		kind := pick(v, hard)
		rarest = cell{pick(v, kind.Operators()), kind}
	case 1, 2:
		start := v.IntN(len(c.cells)) // no cell is always the first of several
		for i := range c.cells {
			if other := c.cells[(start+i)%len(c.cells)]; c.placed[other][at] < c.placed[rarest][at] {
				rarest = other
			}
		}
	}
	c.placed[rarest][at]++
	return rarest
}

// count takes a condition's truth for a row.
func (c *coverage) count(at cell, s shape, null bool, truth filter.Truth) {
	if counted := &c.rows[at][s]; null {
		counted.null++
	} else {
		counted.value++
	}
	c.truths[at][truth+1]++
}

// missing lists what has not occurred: every operator on every kind that takes it, on rows with NULL and with a value,
// in every shape, and with every truth value that it can have.
func (c *coverage) missing() (missing []string) {
	for kind := filter.Kind(1); kind.Valid(); kind++ {
		if !slices.ContainsFunc(c.cells, func(at cell) bool { return at.kind == kind }) {
			missing = append(missing, fmt.Sprintf("a column of kind %v that can be NULL", kind))
		}
	}
	for _, at := range c.cells {
		for s := range shapes {
			if counted := c.rows[at][s]; counted.null == 0 || counted.value == 0 {
				missing = append(missing, fmt.Sprintf("%s on %v in shape %v: %d pairs with NULL, %d with a value", at.operator, at.kind, s, counted.null, counted.value))
			}
		}
		for truth := filter.IsFalse; truth <= filter.IsTrue; truth++ {
			never := truth == filter.IsUnknown && (at.operator == filter.OpIsNull || at.operator == filter.OpIsNotNull)
			if c.truths[at][truth+1] == 0 && !never {
				missing = append(missing, fmt.Sprintf("%s on %v that is %v", at.operator, at.kind, truth))
			}
		}
	}
	return missing
}

// log shows of each operator and kind the shape that occurred least, in pairs with NULL/with a value.
func (c *coverage) log(t *testing.T) {
	t.Helper()
	var text strings.Builder
	kind := filter.Kind(0)
	for _, at := range c.cells {
		if at.kind != kind {
			kind = at.kind
			fmt.Fprintf(&text, "\n\t%-8s", kind)
		}
		least := slices.MinFunc(c.rows[at][:], func(a, b occurred) int { return cmp.Compare(min(a.null, a.value), min(b.null, b.value)) })
		fmt.Fprintf(&text, " %s %d/%d", at.operator, least.null, least.value)
	}
	t.Logf("coverage: %d combinations of operator and kind, each in %d shapes; pairs with NULL/with a value in the rarest shape:%s", len(c.cells), shapes, text.String())
}
