package filter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rowcast/rowcast/core/filter"
)

var benchSchema = filter.Schema{
	{Name: "id", Kind: filter.Int, Access: filter.Allowed},
	{Name: "status", Kind: filter.Enum, Members: []string{"todo", "doing", "done"}, Access: filter.Allowed},
	{Name: "points", Kind: filter.Int, Bits: 32, Access: filter.Allowed},
	{Name: "title", Kind: filter.String, Access: filter.Allowed},
	{Name: "price", Kind: filter.Decimal, Access: filter.Allowed},
	{Name: "due", Kind: filter.Time, Nullable: true, Access: filter.Allowed},
	{Name: "owner", Kind: filter.String, Access: filter.Allowed},
}

func benchRow() []filter.Value {
	return []filter.Value{
		filter.MustValue(filter.Int, 7),
		filter.MustValue(filter.Enum, "doing"),
		filter.MustValue(filter.Int, 5),
		filter.MustValue(filter.String, strings.Repeat("x", 60)+"abc"+strings.Repeat("y", 37)),
		filter.MustValue(filter.Decimal, "19.90"),
		filter.MustValue(filter.Time, "2026-01-31T12:00:00Z"),
		filter.MustValue(filter.String, "ada"),
	}
}

// referenceQuery is the reference filter of six conditions.
const referenceQuery = "channel=Card&filter[status][in]=todo,doing&filter[points][gte]=3&filter[title][ilike]=%25abc%25" +
	"&filter[or][0][owner][eq]=ada&filter[or][1][price][lt]=20.00&filter[not][due][lt]=2026-01-01T00:00:00Z"

func mustBind(tb testing.TB, expr filter.Expr, schema filter.Schema) *filter.Compiled {
	tb.Helper()
	compiled, problems := filter.Bind(expr, schema, filter.NoLimits())
	if len(problems) > 0 {
		tb.Fatalf("%v: %v", expr, problems)
	}
	return compiled
}

func benchMatch(b *testing.B, expr filter.Expr, want bool) {
	compiled, row := mustBind(b, expr, benchSchema), benchRow()
	b.ReportAllocs()
	for b.Loop() {
		if compiled.Match(row) != want {
			b.Fatal(expr)
		}
	}
}

func BenchmarkComparison(b *testing.B) {
	for _, expr := range []filter.Expr{
		filter.Eq("points", 5), filter.Gte("points", 3), filter.Eq("owner", "ada"), filter.Lte("owner", "ada"),
		filter.Eq("price", "19.9"), filter.Lt("price", "20"), filter.Lt("due", "2026-02-01"),
		filter.In("status", "todo", "doing"), filter.Between("points", 1, 5), filter.IsNotNull("due"),
	} {
		b.Run(strings.ReplaceAll(fmt.Sprint(expr), " ", "_"), func(b *testing.B) { benchMatch(b, expr, true) })
	}
}

func BenchmarkThreeAnded(b *testing.B) {
	benchMatch(b, filter.And{filter.Eq("status", "doing"), filter.Gte("points", 3), filter.Eq("owner", "ada")}, true)
}

func BenchmarkLikeContains(b *testing.B)  { benchMatch(b, filter.Like("title", "%abc%"), true) }
func BenchmarkILikeContains(b *testing.B) { benchMatch(b, filter.ILike("title", "%ABC%"), true) }

func BenchmarkInHundred(b *testing.B) {
	ids := make([]int, 100)
	for i := range ids {
		ids[i] = i * 3
	}
	benchMatch(b, filter.In("id", ids...), false)
}

func BenchmarkParseAndBind(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		expr, problems := filter.Parse(referenceQuery, filter.Limits{})
		compiled, more := filter.Bind(expr, benchSchema, filter.Limits{})
		if compiled == nil || len(problems)+len(more) > 0 {
			b.Fatal(problems, more)
		}
	}
}

func BenchmarkParseJSONAndBind(b *testing.B) {
	const object = `{"status":{"in":["todo","doing"]},"points":{"gte":3},"title":{"ilike":"%abc%"},` +
		`"or":[{"owner":{"eq":"ada"}},{"price":{"lt":"20.00"}}],"not":{"due":{"lt":"2026-01-01T00:00:00Z"}}}`
	b.ReportAllocs()
	for b.Loop() {
		expr, problems := filter.ParseJSON("", object, filter.Limits{})
		compiled, more := filter.Bind(expr, benchSchema, filter.Limits{})
		if compiled == nil || len(problems)+len(more) > 0 {
			b.Fatal(problems, more)
		}
	}
}

// BenchmarkTenThousand evaluates 10,000 different filters over one row, one after the other.
func BenchmarkTenThousand(b *testing.B) {
	for name, expr := range map[string]func(i int) filter.Expr{
		"eq-int":    func(i int) filter.Expr { return filter.Eq("points", i) },
		"gt-int":    func(i int) filter.Expr { return filter.Gt("points", i) },
		"eq-string": func(i int) filter.Expr { return filter.Eq("owner", fmt.Sprintf("user-%d", i)) },
	} {
		b.Run(name, func(b *testing.B) {
			filters := make([]*filter.Compiled, 10_000)
			for i := range filters {
				filters[i] = mustBind(b, expr(i), benchSchema)
			}
			row, matches := benchRow(), 0
			b.ReportAllocs()
			for b.Loop() {
				for _, f := range filters {
					if f.Match(row) {
						matches++
					}
				}
			}
		})
	}
}

// BenchmarkLikeHostile is the patterns that make a careless matcher go back over and over, against 10 KB of a.
func BenchmarkLikeHostile(b *testing.B) {
	row := benchRow()
	row[3] = filter.MustValue(filter.String, strings.Repeat("a", 10_000))
	for name, expr := range map[string]filter.Condition{
		"like-%a%a":        filter.Like("title", strings.Repeat("%a", 100)),
		"like-%a%ab":       filter.Like("title", strings.Repeat("%a", 99)+"%b"),
		"like-%aaa_b%":     filter.Like("title", "%"+strings.Repeat("a", 196)+"_b%"),
		"ilike-%a%a":       filter.ILike("title", strings.Repeat("%A", 100)),
		"ilike-%aaab%":     filter.ILike("title", "%"+strings.Repeat("A", 197)+"b%"),
		"ilike-%_a%_a%_b%": filter.ILike("title", strings.Repeat("%_A", 66)+"b%"),
	} {
		b.Run(name, func(b *testing.B) {
			compiled := mustBind(b, expr, benchSchema)
			b.ReportAllocs()
			for b.Loop() {
				compiled.Match(row)
			}
		})
	}
}
