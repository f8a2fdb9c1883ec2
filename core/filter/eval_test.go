package filter_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rowcast/rowcast/core/filter"
)

// truths are three conditions on benchSchema's due, whose values on nullRow are known.
var truths = map[filter.Truth]filter.Expr{
	filter.IsTrue: filter.IsNull("due"), filter.IsFalse: filter.IsNotNull("due"), filter.IsUnknown: filter.Eq("due", "2026-01-01"),
}

func nullRow() []filter.Value {
	row := benchRow()
	row[5] = filter.Null
	return row
}

func TestTruthTables(t *testing.T) {
	const (
		f = filter.IsFalse
		u = filter.IsUnknown
		y = filter.IsTrue
	)
	for _, c := range []struct{ a, b, and, or, notBoth filter.Truth }{
		{y, y, y, y, f}, {y, u, u, y, u}, {y, f, f, y, y},
		{u, y, u, y, u}, {u, u, u, u, u}, {u, f, f, u, y},
		{f, y, f, y, y}, {f, u, f, u, y}, {f, f, f, f, y},
	} {
		for text, got := range map[string][2]filter.Truth{
			"and": {eval(t, filter.And{truths[c.a], truths[c.b]}), c.and},
			"or":  {eval(t, filter.Or{truths[c.a], truths[c.b]}), c.or},
			"not": {eval(t, filter.Not{truths[c.a], truths[c.b]}), c.notBoth},
		} {
			if got[0] != got[1] {
				t.Errorf("%v %s %v is %v, want %v", c.a, text, c.b, got[0], got[1])
			}
		}
	}
	for a, not := range map[filter.Truth]filter.Truth{y: f, u: u, f: y} {
		if got := eval(t, filter.Not{truths[a]}); got != not {
			t.Errorf("not %v is %v", a, got)
		}
	}
	for expr, want := range map[string]filter.Truth{
		fmt.Sprint(eval(t, filter.And{})): y, fmt.Sprint(eval(t, filter.Or{})): f, fmt.Sprint(eval(t, filter.Not{})): f,
	} {
		if expr != want.String() {
			t.Errorf("an empty group is %s, want %v", expr, want)
		}
	}
}

func eval(t *testing.T, expr filter.Expr) filter.Truth {
	t.Helper()
	return mustBind(t, expr, benchSchema).Eval(nullRow())
}

// every gives, for a field, one condition of each operator of its kind.
func every(field filter.Field) (out []filter.Condition) {
	operand := filter.Text(sample[field.Name])
	for _, operator := range field.Kind.Operators() {
		c := filter.Condition{Field: field.Name, Operator: operator, Operands: []any{operand}}
		switch operator {
		case filter.OpBetween:
			c.Operands = []any{operand, operand}
		case filter.OpIsNull, filter.OpIsNotNull:
			c.Operands = nil
		}
		out = append(out, c)
	}
	return out
}

// sampleRow has the sample of every kind, except that json is a document.
func sampleRow(t *testing.T) []filter.Value {
	t.Helper()
	row := make([]filter.Value, len(kindSchema))
	for i, field := range kindSchema {
		row[i] = filter.MustValue(field.Kind, sample[field.Name])
		if field.Kind == filter.Bytes {
			row[i] = filter.MustValue(filter.Bytes, []byte{0, 1, 2})
		}
	}
	return row
}

// Every operator on every kind, on a value that equals the operand, on NULL, on a missing value, on a row that is too
// short, and on a value of any other kind.
func TestEveryOperatorOnEveryKind(t *testing.T) {
	equal := map[filter.Operator]filter.Truth{
		filter.OpEq: filter.IsTrue, filter.OpNe: filter.IsFalse, filter.OpGt: filter.IsFalse, filter.OpGte: filter.IsTrue,
		filter.OpLt: filter.IsFalse, filter.OpLte: filter.IsTrue, filter.OpIn: filter.IsTrue, filter.OpNotIn: filter.IsFalse,
		filter.OpLike: filter.IsTrue, filter.OpILike: filter.IsTrue, filter.OpBetween: filter.IsTrue,
		filter.OpIsNull: filter.IsFalse, filter.OpIsNotNull: filter.IsTrue,
	}
	sampled := sampleRow(t)
	for ordinal, field := range kindSchema {
		for _, c := range every(field) {
			compiled := mustBind(t, c, kindSchema)
			row := append([]filter.Value(nil), sampled...)
			expect := func(what string, want filter.Truth) {
				t.Helper()
				if got := compiled.Eval(row); got != want || compiled.Match(row) != (want == filter.IsTrue) {
					t.Errorf("%v on %s is %v, want %v", c, what, got, want)
				}
			}
			expect("an equal value", equal[c.Operator])

			row[ordinal] = filter.Null
			onNull := filter.IsUnknown
			switch c.Operator {
			case filter.OpIsNull:
				onNull = filter.IsTrue
			case filter.OpIsNotNull:
				onNull = filter.IsFalse
			}
			expect("NULL", onNull)

			row[ordinal] = filter.Value{}
			expect("a missing value", filter.IsUnknown)

			for other, value := range sampled {
				if kindSchema[other].Kind == field.Kind {
					continue
				}
				row[ordinal] = value
				onOther := filter.IsUnknown
				if c.Operator == filter.OpIsNull || c.Operator == filter.OpIsNotNull {
					onOther = equal[c.Operator]
				}
				expect("a value of kind "+kindSchema[other].Kind.String(), onOther)
			}

			row = row[:ordinal]
			expect("a short row", filter.IsUnknown)
		}
	}
}

// Values of each kind in ascending order; those of one line are equal.
var ascending = map[filter.Kind][][]any{
	filter.String: {{""}, {"\n"}, {"A"}, {"B"}, {"a"}, {"aa"}, {"b"}, {"ä"}, {"日"}, {"😀"}},
	filter.Enum:   {{"A"}, {"a"}},
	filter.Int:    {{math.MinInt64}, {-1}, {0}, {1}, {1<<53 - 1}, {1 << 53}, {1<<53 + 1}, {math.MaxInt64}},
	filter.Uint:   {{uint64(0)}, {uint64(1<<53 + 1)}, {uint64(math.MaxInt64)}, {uint64(1 << 63)}, {uint64(math.MaxUint64)}},
	filter.Float: {{math.Inf(-1)}, {-math.MaxFloat64}, {-1.5}, {math.Copysign(0, -1), 0.0}, {math.SmallestNonzeroFloat64}, {1.5},
		{math.MaxFloat64}, {math.Inf(1)}, {math.NaN(), math.Float64frombits(0xfff8000000000001)}},
	filter.Decimal: {{"-100000000000000000000000000000000.1"}, {"-10", "-010.00"}, {"-9.5", "-9.50"}, {"-9"}, {"-0.5", "-.50", "-00.5"},
		{"-0.05"}, {"0", "-0", "0.00", ".0", "+0", "00", "-00.00"}, {"0.05"}, {"0.5", ".5", "0.50"}, {"0.51"}, {"1", "1.0", "1.", "01", "+1.000"},
		{"1.05"}, {"1.5"}, {"9.99"}, {"10"}, {"15", "15.0"}, {"99"}, {"100"}, {"9007199254740993"}, {"9007199254740993.0000000000000000001"}},
	filter.Bool: {{false}, {true}},
	filter.Time: {{"0001-01-01T00:00:00Z"}, {"1969-12-31T23:59:59.999999Z"}, {"1970-01-01T00:00:00Z", "1970-01-01T02:00:00+02:00"},
		{"2026-01-31T12:00:00.000001Z", "2026-01-31T12:00:00.0000019Z", "2026-01-31T07:00:00.000001-05:00"}, {"9999-12-31T23:59:59Z"}},
	filter.UUID: {{"00000000-0000-0000-0000-000000000000"}, {"0fffffff-ffff-ffff-ffff-ffffffffffff", "0FFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"},
		{"a0000000-0000-0000-0000-000000000000"}},
	filter.Bytes: {{[]byte{}}, {[]byte{0}}, {[]byte{0, 255}}, {[]byte{1}}, {[]byte{255}}},
}

func TestOrderOfEachKind(t *testing.T) {
	for kind, lines := range ascending {
		schema := filter.Schema{{Name: "v", Kind: kind, Members: []string{"A", "a"}, Access: filter.Allowed}}
		for i, line := range lines {
			for j, other := range lines {
				for _, a := range line {
					for _, b := range other {
						checkOrder(t, schema, filter.MustValue(kind, a), filter.MustValue(kind, b), i-j)
					}
				}
			}
		}
	}
}

func checkOrder(t *testing.T, schema filter.Schema, a, b filter.Value, order int) {
	t.Helper()
	got, ok := a.Compare(b)
	if !ok || sign(got) != sign(order) {
		t.Errorf("%v: %q compared with %q is %d, %v, want %d", a.Kind(), a.Text(), b.Text(), got, ok, sign(order))
	}
	if (a.Canonical() == b.Canonical()) != (order == 0) {
		t.Errorf("%v: canonical forms %q and %q", a.Kind(), a.Canonical().Text(), b.Canonical().Text())
	}
	if f, isFloat := b.Any().(float64); isFloat && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return // no operand
	}
	row := []filter.Value{a}
	want := map[filter.Operator]bool{
		filter.OpEq: order == 0, filter.OpNe: order != 0, filter.OpGt: order > 0, filter.OpGte: order >= 0,
		filter.OpLt: order < 0, filter.OpLte: order <= 0, filter.OpIn: order == 0, filter.OpNotIn: order != 0,
	}
	for operator, want := range want {
		c := filter.Condition{Field: "v", Operator: operator, Operands: []any{b}}
		compiled, problems := filter.Bind(c, schema, filter.Limits{})
		if len(problems) > 0 {
			if a.Kind() != filter.Bytes {
				t.Error(problems)
			}
			continue
		}
		if got := compiled.Match(row); got != want {
			t.Errorf("%v: %q %v is %v", a.Kind(), a.Text(), c, got)
		}
	}
}

func sign(n int) int { return max(-1, min(1, n)) }

func TestCompareIsNotOKOnWhatHasNoOrder(t *testing.T) {
	one := filter.MustValue(filter.Int, 1)
	for _, other := range []filter.Value{{}, filter.Null, filter.MustValue(filter.Uint, 1)} {
		if _, ok := one.Compare(other); ok {
			t.Errorf("1 compares with %v", other)
		}
	}
	for _, v := range []filter.Value{{}, filter.Null, filter.MustValue(filter.JSON, 1)} {
		if _, ok := v.Compare(v); ok {
			t.Errorf("%v compares with itself", v)
		}
	}
}

// math/big agrees on random decimals of every shape.
func TestDecimalsAgainstBig(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	digits := func() string {
		var b strings.Builder
		for range random.IntN(4) {
			b.WriteByte("00159"[random.IntN(5)])
		}
		if random.IntN(4) == 0 { // beyond what a double tells apart
			b.WriteString("9007199254740992")
			b.WriteByte("0123"[random.IntN(4)])
		}
		if random.IntN(50) == 0 { // beyond all doubles
			b.WriteString(strings.Repeat("1", 400))
		}
		return b.String()
	}
	decimal := func() string {
		for {
			text := []string{"", "-", "+", ""}[random.IntN(4)] + digits() + []string{"", "."}[random.IntN(2)] + digits()
			if _, err := filter.ValueOf(filter.Decimal, text); err == nil {
				return text
			}
		}
	}
	for range 100_000 {
		a, b := decimal(), decimal()
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		v, w := filter.MustValue(filter.Decimal, a), filter.MustValue(filter.Decimal, b)
		if got, _ := v.Compare(w); got != x.Cmp(y) {
			t.Fatalf("%s compared with %s is %d", a, b, got)
		}
		if (v.Canonical() == w.Canonical()) != (x.Cmp(y) == 0) {
			t.Fatalf("%s is %s, %s is %s", a, v.Canonical().Text(), b, w.Canonical().Text())
		}
		if order, _ := v.Canonical().Compare(v); order != 0 {
			t.Fatalf("%s is not its canonical form %s", a, v.Canonical().Text())
		}
	}
}

func TestLongLists(t *testing.T) {
	for size := range 40 {
		ids := make([]int, size+1)
		for i := range ids {
			ids[i] = (i*41)%(size+1)*2 + 1 // odd, out of order
		}
		in, notIn := mustBind(t, filter.In("id", ids...), benchSchema), mustBind(t, filter.NotIn("id", ids...), benchSchema)
		for v := range 2*size + 4 {
			row := []filter.Value{filter.MustValue(filter.Int, v)}
			want := v%2 == 1 && v <= 2*size+1
			if in.Match(row) != want || notIn.Match(row) == want {
				t.Fatalf("%d in %d members: %v", v, size+1, in.Match(row))
			}
		}
	}
}

func TestBetweenIsNeverReordered(t *testing.T) {
	for value, want := range map[int]bool{1: false, 2: true, 3: true, 4: true, 5: false} {
		row := []filter.Value{filter.MustValue(filter.Int, value)}
		if got := mustBind(t, filter.Between("id", 2, 4), benchSchema).Match(row); got != want {
			t.Errorf("%d between 2 and 4 is %v", value, got)
		}
		if mustBind(t, filter.Between("id", 4, 2), benchSchema).Match(row) {
			t.Errorf("%d is between 4 and 2", value)
		}
	}
}

func TestTimesCompareAtMicroseconds(t *testing.T) {
	captured := filter.MustValue(filter.Time, time.Date(2026, 1, 31, 12, 0, 0, 123456789, time.FixedZone("", 7200)))
	row := []filter.Value{0: {}, 5: captured}
	if !mustBind(t, filter.Eq("due", filter.Text("2026-01-31T10:00:00.123456Z")), benchSchema).Match(row) {
		t.Error("a row captured with nanoseconds is not what was stored")
	}
}

func TestNothingBoundMatchesNothing(t *testing.T) {
	var none *filter.Compiled
	if none.Match(benchRow()) || none.Eval(nil) != filter.IsUnknown {
		t.Error("a nil filter matches")
	}
}

func TestRequired(t *testing.T) {
	for _, c := range []struct {
		expr filter.Expr
		want string
	}{
		{filter.True, ""},
		{filter.Eq("owner", "ada"), "6:ada"},
		{filter.In("status", "todo", "done"), "1:done,todo"},
		{filter.Eq("price", "1.00"), "4:1"},
		{filter.Ne("owner", "ada"), ""},
		{filter.Not{filter.Eq("owner", "ada")}, ""},
		{filter.And{filter.Eq("owner", "ada"), filter.Gt("points", 1), filter.And{filter.Eq("id", 7), filter.Like("title", "x")}}, "6:ada 0:7"},
		{filter.Or{filter.Eq("owner", "ada"), filter.Eq("owner", "bob")}, "6:ada,bob"},
		{filter.Or{filter.Eq("owner", "ada"), filter.Eq("id", 1)}, ""},
		{filter.Or{filter.And{filter.Eq("owner", "ada"), filter.Eq("id", 1)}, filter.In("id", 1, 2)}, "0:1,2"},
		{filter.Or{filter.Eq("owner", "ada"), filter.True}, ""},
		{filter.And{filter.Eq("owner", "ada"), filter.Eq("owner", "bob")}, "6:ada 6:bob"},
	} {
		var got []string
		for _, e := range mustBind(t, c.expr, benchSchema).Required() {
			texts := make([]string, len(e.Values))
			for i, v := range e.Values {
				texts[i] = v.Text()
			}
			got = append(got, fmt.Sprintf("%d:%s", e.Ordinal, strings.Join(texts, ",")))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%v requires %q, want %q", c.expr, text, c.want)
		}
	}
}

// What a compiler to SQL sees.
func TestBoundTree(t *testing.T) {
	expr, _ := filter.Parse("filter[or][0][price][gte]=1.50&filter[or][1][not][due][isNull]=false&filter[id][in]=3,1", filter.Limits{})
	got := mustBind(t, expr, benchSchema).Expr()
	want := filter.And{
		filter.Or{
			filter.Bound{Ordinal: 4, Field: benchSchema[4], Operator: filter.OpGte, Values: []filter.Value{filter.MustValue(filter.Decimal, "1.5")}},
			filter.Not{filter.Bound{Ordinal: 5, Field: benchSchema[5], Operator: filter.OpIsNotNull}},
		},
		filter.Bound{Ordinal: 0, Field: benchSchema[0], Operator: filter.OpIn,
			Values: []filter.Value{filter.MustValue(filter.Int, 1), filter.MustValue(filter.Int, 3)}},
	}
	if !reflect.DeepEqual(got, filter.Expr(want)) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

func TestEvaluatingAllocatesNothing(t *testing.T) {
	row, empty := sampleRow(t), make([]filter.Value, len(kindSchema))
	var all filter.And
	for _, field := range kindSchema {
		for _, c := range every(field) {
			all = append(all, filter.Or{c, filter.Not{c}})
			compiled := mustBind(t, c, kindSchema)
			if n := testing.AllocsPerRun(100, func() { compiled.Match(row); compiled.Match(empty) }); n != 0 {
				t.Errorf("%v: %v allocations", c, n)
			}
		}
	}
	members := make([]string, 100)
	for i := range members {
		members[i] = fmt.Sprintf("-%d.50", i)
	}
	decimals := mustBind(t, filter.In("decimal", members...), kindSchema)
	whole := mustBind(t, all, kindSchema)
	patterns := mustBind(t, filter.Or{filter.Like("string", "%_b%c_"), filter.ILike("string", "%_Ä%ö_")}, kindSchema)
	text := filter.MustValue(filter.String, strings.Repeat("aÄbÖc", 20))
	var odd []filter.Value
	for _, d := range []string{"-00.500", "+1.", "-7.50", ".0", "-0"} {
		odd = append(odd, filter.MustValue(filter.Decimal, d))
	}
	if n := testing.AllocsPerRun(100, func() {
		whole.Match(row)
		row[0] = text
		patterns.Match(row)
		for i := range odd {
			row[7] = odd[i]
			decimals.Match(row)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
