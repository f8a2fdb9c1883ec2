package filter

import "strings"

// Eq is field = value. A nil value is refused by Bind: use IsNull.
func Eq(field string, value any) Condition { return one(field, OpEq, value) }

// Ne is field <> value. NULL is not unequal to anything: add Or{…, IsNull(field)} where it should match.
func Ne(field string, value any) Condition { return one(field, OpNe, value) }

// Gt is field > value.
func Gt(field string, value any) Condition { return one(field, OpGt, value) }

// Gte is field >= value.
func Gte(field string, value any) Condition { return one(field, OpGte, value) }

// Lt is field < value.
func Lt(field string, value any) Condition { return one(field, OpLt, value) }

// Lte is field <= value.
func Lte(field string, value any) Condition { return one(field, OpLte, value) }

// In is true for the fields that equal one of the values. In of no values is False, so that a policy can say
// In("team", teams...) for someone who is in no team.
func In[T any](field string, values ...T) Expr {
	if len(values) == 0 {
		return False
	}
	return Condition{Field: field, Operator: OpIn, Operands: operands(values)}
}

// NotIn is true for the fields that equal none of the values; NotIn of no values is True, also for NULL, as SQL has it.
func NotIn[T any](field string, values ...T) Expr {
	if len(values) == 0 {
		return True
	}
	return Condition{Field: field, Operator: OpNotIn, Operands: operands(values)}
}

// Like matches the whole text against a pattern: % is any text, _ any code point, \ takes the next one literally.
// EscapeLike makes literal text safe inside one.
func Like(field, pattern string) Condition { return one(field, OpLike, pattern) }

// ILike is Like on lower-cased code points.
func ILike(field, pattern string) Condition { return one(field, OpILike, pattern) }

// Between is low <= field <= high. The bounds are never swapped: with low above high nothing matches.
func Between(field string, low, high any) Condition {
	return Condition{Field: field, Operator: OpBetween, Operands: []any{low, high}}
}

// IsNull is true for NULL.
func IsNull(field string) Condition { return Condition{Field: field, Operator: OpIsNull} }

// IsNotNull is true for everything but NULL.
func IsNotNull(field string) Condition { return Condition{Field: field, Operator: OpIsNotNull} }

// EscapeLike escapes %, _ and \, so that text stands for itself inside a pattern: Like("title", "%"+EscapeLike(s)+"%").
func EscapeLike(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}

func one(field string, operator Operator, value any) Condition {
	return Condition{Field: field, Operator: operator, Operands: []any{value}}
}

func operands[T any](values []T) []any {
	out := make([]any, len(values))
	for i, value := range values {
		out[i] = value
	}
	return out
}
