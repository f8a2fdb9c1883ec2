package filter_test

import (
	"fmt"

	"github.com/rowcast/rowcast/core/filter"
)

var cardSchema = filter.Schema{
	{Name: "id", Kind: filter.Int, Access: filter.Allowed},
	{Name: "status", Kind: filter.Enum, Members: []string{"todo", "doing", "done"}, Access: filter.Allowed},
	{Name: "points", Kind: filter.Int, Bits: 32, Nullable: true, Access: filter.Allowed},
	{Name: "owner", Kind: filter.String}, // hidden from clients
}

// A request's filter is parsed, bound once to the fields of its entity, and then tested against any number of rows.
func Example() {
	expr, problems := filter.Parse("channel=Card&filter[status][in]=todo,doing&filter[points][gte]=3", filter.Limits{})
	compiled, more := filter.Bind(expr, cardSchema, filter.Limits{})
	fmt.Println(len(problems)+len(more), "problems")

	for _, points := range []any{5, 2, nil} {
		row := []filter.Value{
			filter.MustValue(filter.Int, 7),
			filter.MustValue(filter.Enum, "doing"),
			filter.MustValue(filter.Int, points),
			filter.MustValue(filter.String, "ada"),
		}
		fmt.Println(points, compiled.Eval(row), compiled.Match(row))
	}
	// Output:
	// 0 problems
	// 5 true true
	// 2 false false
	// <nil> unknown false
}

// All problems of a request come together, those of the syntax first.
func ExampleParse_problems() {
	expr, problems := filter.Parse("filter[points]=3&filter[status][eq]=dnoe&filter[pionts][gt]=1&filter[owner][eq]=ada", filter.Limits{})
	if expr != nil {
		_, more := filter.Bind(expr, cardSchema, filter.Limits{})
		problems = append(problems, more...)
	}
	for _, p := range problems {
		fmt.Println(p.Code, p.Field)
		fmt.Println("   ", p.Detail)
	}
	// Output:
	// FILTER_SYNTAX filter[points]
	//     the operator is missing; write filter[points][eq]=value
	// FILTER_INVALID_VALUE filter[status][eq]
	//     "dnoe" is no member; give one of todo, doing, done
	// FILTER_UNKNOWN_FIELD filter[pionts][gt]
	//     there is no field "pionts"; did you mean "points"?
	// FILTER_UNKNOWN_FIELD filter[owner][eq]
	//     there is no field "owner"; the fields are id, status, points
}

// A row policy is the same language written in Go, bound to a schema in which its hidden fields are open.
func ExampleSchema_Open() {
	policy := filter.Or{
		filter.Eq("owner", "ada"),
		filter.And{filter.Eq("status", "done"), filter.Gte("points", 8)},
	}
	compiled, problems := filter.Bind(policy, cardSchema.Open("owner"), filter.NoLimits())
	fmt.Println(compiled.Expr(), problems)
	// Output: (owner eq "ada" or (status eq "done" and points gte 8)) []
}

// A compiler to SQL walks the bound tree: the four node types are all there are.
func ExampleCompiled_Expr() {
	expr, _ := filter.Parse("filter[not][points][isNull]=true&filter[status][in]=todo,doing", filter.Limits{})
	compiled, _ := filter.Bind(expr, cardSchema, filter.Limits{})

	var walk func(filter.Expr)
	walk = func(expr filter.Expr) {
		switch e := expr.(type) {
		case filter.And:
			for _, child := range e {
				walk(child)
			}
		case filter.Or:
			fmt.Println("or of", len(e))
		case filter.Not:
			fmt.Println("not all of", len(e))
			walk(filter.And(e))
		case filter.Bound:
			fmt.Println("column", e.Ordinal, e.Field.Name, e.Operator, len(e.Values), "values")
		}
	}
	walk(compiled.Expr())
	// Output:
	// not all of 1
	// column 2 points isNull 0 values
	// column 1 status in 2 values
}
