package filter

import (
	"fmt"
	"strings"
)

// The texts of expressions are for logs and tests, not for parsing: a eq "x" and not (b in ("y", "z")).

// String is the filter as text.
func (e And) String() string { return joined(e, " and ", True) }

// String is the filter as text.
func (e Or) String() string { return joined(e, " or ", False) }

// String is the filter as text.
func (e Not) String() string {
	text := joined(e, " and ", True)
	if strings.HasPrefix(text, "(") {
		return "not " + text
	}
	return "not (" + text + ")"
}

// String is true or false.
func (e Constant) String() string { return fmt.Sprintf("%t", bool(e)) }

// String is the filter as text.
func (e Condition) String() string { return conditionText(e.Field, e.Operator, e.Operands) }

// String is the filter as text.
func (e Bound) String() string { return conditionText(e.Field.Name, e.Operator, operands(e.Values)) }

func joined(children []Expr, between string, none Constant) string {
	if len(children) == 0 {
		return none.String()
	}
	texts := make([]string, len(children))
	for i, child := range children {
		texts[i] = fmt.Sprint(child)
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "(" + strings.Join(texts, between) + ")"
}

func conditionText(field string, operator Operator, operands []any) string {
	texts := make([]string, len(operands))
	for i, operand := range operands {
		texts[i] = operandText(operand)
	}
	text := field + " " + string(operator)
	switch {
	case operator.takesList():
		return text + " (" + strings.Join(texts, ", ") + ")"
	case len(texts) > 0:
		return text + " " + strings.Join(texts, " ")
	}
	return text
}

func operandText(operand any) string {
	switch o := operand.(type) {
	case Text:
		return fmt.Sprintf("%q", string(o))
	case string:
		return fmt.Sprintf("%q", o)
	case Value:
		return operandText(o.Any())
	case nil:
		return "null"
	}
	return fmt.Sprint(operand)
}
