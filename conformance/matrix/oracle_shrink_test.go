package matrix_test

import (
	"errors"
	"fmt"
	"net/url"
	"slices"

	"gorm.io/gorm"

	rowcastgorm "github.com/rowcast/rowcast/adapters/gorm"
	"github.com/rowcast/rowcast/core/filter"
)

func escapeQuery(text string) string { return url.QueryEscape(text) }

// shrinkSteps bounds how often a filter is tried to be made smaller.
const shrinkSteps = 2000

// report shows a disagreement as small as it can be made: a row, the filter, its SQL.
func (o *oracle) report(f *node, row int, err error) string {
	for steps := 0; steps < shrinkSteps; {
		smaller, at, why := o.smaller(f, &steps)
		if smaller == nil {
			break
		}
		f, row, err = smaller, at, why
	}
	text := fmt.Sprintf("%v\n\tfilter: %v", err, f.expr())
	if f.onWire() {
		text += "\n\tJSON: " + f.object()
	}
	text += "\n\tSQL: " + o.db.ToSQL(func(tx *gorm.DB) *gorm.DB {
		return tx.Model(&OracleRow{}).Scopes(rowcastgorm.Where(f.expr())).Find(&[]OracleRow{})
	})
	if row < 0 {
		return text
	}
	named := map[string]bool{}
	f.conditions(func(n *node, _ shape) { named[n.column.Name] = true })
	return text + o.batch.rowText(row, func(name string) bool { return named[name] })
}

// smaller is a filter with less in it that is still wrong.
func (o *oracle) smaller(f *node, steps *int) (*node, int, error) {
	for _, candidate := range f.smaller() {
		*steps++
		if row, err := o.compare(candidate); err != nil && !errors.Is(err, errRefused) {
			return candidate, row, err
		}
	}
	return nil, 0, nil
}

// smaller are the filters that have one thing less.
func (n *node) smaller() (all []*node) {
	all = append(all, n.kids...)
	for i, kid := range n.kids {
		without := *n
		without.kids = slices.Delete(slices.Clone(n.kids), i, i+1)
		if len(without.kids) > 0 {
			all = append(all, &without)
		}
		for _, less := range kid.smaller() {
			with := *n
			with.kids = slices.Clone(n.kids)
			with.kids[i] = less
			all = append(all, &with)
		}
	}
	for i, a := range n.arguments {
		if (n.operator == filter.OpIn || n.operator == filter.OpNotIn) && len(n.arguments) > 1 {
			without := *n
			without.arguments = slices.Delete(slices.Clone(n.arguments), i, i+1)
			all = append(all, &without)
		}
		for _, text := range shorter(n.column.Kind, a) {
			with := *n
			with.arguments = slices.Clone(n.arguments)
			with.arguments[i] = argument{code: text, text: text, json: string(filter.AppendJSONString(nil, text))}
			all = append(all, &with)
		}
	}
	return all
}

// shorter are a text's operands with one code point less. One that is no pattern any more is refused,
// which is not taken for the disagreement.
func shorter(kind filter.Kind, a argument) (texts []string) {
	if kind != filter.String {
		return nil
	}
	runes := []rune(a.text)
	for i := range runes {
		texts = append(texts, string(slices.Delete(slices.Clone(runes), i, i+1)))
	}
	return texts
}
