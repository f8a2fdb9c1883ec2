package rowcast

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rowcast/rowcast/core/filter"
)

// item is a row rendered once: one «"name":value» segment per field of the view, so that any choice of its fields is
// a matter of copying segments.
type item struct {
	text []byte
	ends []int // where each field's segment ends; an empty segment is a field that may not leave
}

func (i item) isEmpty() bool { return i.ends == nil }

// appendJSON appends the chosen fields as a JSON object.
func (i item) appendJSON(dst []byte, fields viewFields) []byte {
	dst = append(dst, '{')
	comma := false
	start := 0
	for n, end := range i.ends {
		if start < end && fields.has(n) {
			if comma {
				dst = append(dst, ',')
			}
			comma = true
			dst = append(dst, i.text[start:end]...)
		}
		start = end
	}
	return append(dst, '}')
}

// viewField is one field of an entity's view.
type viewField struct {
	name    string
	ordinal int
	prefix  []byte // «"name":»
	render  func(any) any
	leaves  bool // subscribers may get it
}

// viewFields is a choice of a view's fields, as a bit per field: equal choices are equal strings.
type viewFields string

// newViewFields chooses the view's fields for which keep is true.
func newViewFields(view []viewField, keep func(name string) bool) viewFields {
	set := make([]byte, (len(view)+7)/8)
	for n, field := range view {
		if keep(field.name) {
			set[n/8] |= 1 << (n % 8)
		}
	}
	return viewFields(set)
}

func (f viewFields) has(n int) bool { return f[n/8]&(1<<(n%8)) != 0 }

// render builds the item of a row. A field that is missing from the row, or cannot be shown, is null.
func (e *entity) render(row Values, typed []filter.Value, allowed *FieldSet) (item, []error) {
	out := item{text: make([]byte, 0, 32*len(e.view)), ends: make([]int, len(e.view))}
	var failed []error
	for n := range e.view {
		field := &e.view[n]
		if field.leaves && (allowed == nil || allowed.Has(field.name)) {
			out.text = append(out.text, field.prefix...)
			var err error
			if out.text, err = field.appendValue(out.text, row, typed); err != nil {
				failed = append(failed, fmt.Errorf("rowcast: %s.%s is shown as null: %w", e.Name, field.name, err))
			}
		}
		out.ends[n] = len(out.text)
	}
	return out, failed
}

func (f *viewField) appendValue(dst []byte, row Values, typed []filter.Value) ([]byte, error) {
	if f.render == nil {
		return typed[f.ordinal].AppendJSON(dst)
	}
	raw, err := f.renderRaw(row[f.name])
	if err != nil {
		return append(dst, "null"...), err
	}
	return append(dst, raw...), nil
}

// renderRaw runs the user's code: it may panic, and may return anything.
func (f *viewField) renderRaw(v any) (raw []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			raw, err = nil, fmt.Errorf("its Render panicked: %v", p)
		}
	}()
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(f.render(v)); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(b.String(), "\n")), nil
}

// Text is a Render that shows a value as text: for 64-bit integers, which JavaScript would round.
func Text(v any) any {
	if v == nil {
		return nil
	}
	return fmt.Sprint(v)
}
