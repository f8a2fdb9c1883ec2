// Package filter is the language in which a client says which rows it wants, in REST lists and in subscriptions alike.
//
// The way of a filter: Parse reads a request's query string into an Expr (ParseJSON an object of its own); Bind resolves
// fields to ordinals and operands to typed Values against a Schema, once; Compiled.Match tests rows, allocating nothing.
// Code can build the same Expr with Eq, In, And and so on. Both steps report every problem that they find.
//
// The package knows no entity registry, no HTTP framework and no database. PostgreSQL is the model of all comparisons.
package filter

// Expr is a filter's syntax tree: And, Or, Not, Condition, Constant, or Bound where it comes from Compiled.Expr.
// An Expr is immutable by convention and may be shared between goroutines.
type Expr interface{ expr() }

// And is true if all of its children are; without children it is true.
type And []Expr

// Or is true if one of its children is; without children it is false.
type Or []Expr

// Not is true if not all of its children are true: not (a and b). Without children it is false.
type Not []Expr

// Constant is a filter that takes all rows, or none.
type Constant bool

// The constants.
const (
	True  Constant = true
	False Constant = false
)

// Condition compares one field with its operands. Eq, In and so on make one more readably.
type Condition struct {
	Field    string
	Operator Operator

	// Operands are Go values, as ValueOf takes them for the field's kind, or Values; or what Parse read: Text,
	// json.Number, bool and nil. Null tests have none, or a single true or false, where false means the other test.
	Operands []any

	// Path is where the condition stood in the request, such as filter[price][gte]: what problems call it. Without
	// one they call it by Field.
	Path string
}

// Text is an operand as a request wrote it, in brackets or as a JSON string; Bind reads it as the field's kind.
type Text string

// Bound is a condition whose field and operands have been resolved: what compilers to another language translate.
type Bound struct {
	Ordinal  int // of the field in the schema, and in rows
	Field    Field
	Operator Operator

	// Values are the operands, never NULL and in canonical form (see Value.Canonical): none for the null tests, low and
	// high for between, the pattern as written for like and ilike, the distinct members in ascending order for in and
	// notIn, one for the others.
	Values []Value
}

func (And) expr()       {}
func (Or) expr()        {}
func (Not) expr()       {}
func (Constant) expr()  {}
func (Condition) expr() {}
func (Bound) expr()     {}
