package filter

import "slices"

// Operator is the token of a comparison, as it stands in a request.
type Operator string

// The operators, in exact case.
const (
	OpEq        Operator = "eq"
	OpNe        Operator = "ne"
	OpGt        Operator = "gt"
	OpGte       Operator = "gte"
	OpLt        Operator = "lt"
	OpLte       Operator = "lte"
	OpIn        Operator = "in"
	OpNotIn     Operator = "notIn"
	OpLike      Operator = "like"
	OpILike     Operator = "ilike"
	OpBetween   Operator = "between"
	OpIsNull    Operator = "isNull"
	OpIsNotNull Operator = "isNotNull"
)

var (
	allOperators = []Operator{
		OpEq, OpNe, OpGt, OpGte, OpLt, OpLte, OpIn, OpNotIn, OpLike, OpILike, OpBetween, OpIsNull, OpIsNotNull,
	}
	orderedOperators = []Operator{
		OpEq, OpNe, OpGt, OpGte, OpLt, OpLte, OpIn, OpNotIn, OpBetween, OpIsNull, OpIsNotNull,
	}
	equalityOperators = []Operator{OpEq, OpNe, OpIn, OpNotIn, OpIsNull, OpIsNotNull}
	nullOperators     = []Operator{OpIsNull, OpIsNotNull}
)

// Operators lists the operators that fields of this kind take. The slice is the caller's own.
func (k Kind) Operators() []Operator { return slices.Clone(k.operators()) }

func (k Kind) operators() []Operator {
	switch k {
	case String:
		return allOperators
	case Bytes:
		return equalityOperators
	case JSON:
		return nullOperators
	case Enum, Int, Uint, Float, Decimal, Bool, Time, UUID:
		return orderedOperators
	}
	return nil
}

// Valid reports whether o is one of the declared operators.
func (o Operator) Valid() bool { return slices.Contains(allOperators, o) }

// takesList reports whether the operand is a list: a comma list or a repeated parameter in brackets, an array in JSON.
func (o Operator) takesList() bool { return o == OpIn || o == OpNotIn || o == OpBetween }

func (o Operator) isNullTest() bool { return o == OpIsNull || o == OpIsNotNull }

func (o Operator) isPattern() bool { return o == OpLike || o == OpILike }
