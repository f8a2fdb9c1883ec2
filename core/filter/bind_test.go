package filter_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rowcast/rowcast/core/filter"
)

// kindSchema has one field of every kind, called like the kind.
var kindSchema = filter.Schema{
	{Name: "string", Kind: filter.String, Access: filter.Allowed},
	{Name: "enum", Kind: filter.Enum, Members: []string{"todo", "done"}, Access: filter.Allowed},
	{Name: "int", Kind: filter.Int, Access: filter.Allowed},
	{Name: "int8", Kind: filter.Int, Bits: 8, Access: filter.Allowed},
	{Name: "uint", Kind: filter.Uint, Access: filter.Allowed},
	{Name: "uint16", Kind: filter.Uint, Bits: 16, Access: filter.Allowed},
	{Name: "float", Kind: filter.Float, Access: filter.Allowed},
	{Name: "decimal", Kind: filter.Decimal, Access: filter.Allowed},
	{Name: "bool", Kind: filter.Bool, Access: filter.Allowed},
	{Name: "time", Kind: filter.Time, Access: filter.Allowed},
	{Name: "uuid", Kind: filter.UUID, Access: filter.Allowed},
	{Name: "bytes", Kind: filter.Bytes, Access: filter.Allowed},
	{Name: "json", Kind: filter.JSON, Access: filter.Allowed},
}

// sample is an operand that each field takes.
var sample = map[string]string{
	"string": "x", "enum": "done", "int": "7", "int8": "7", "uint": "7", "uint16": "7", "float": "1.5", "decimal": "1.5",
	"bool": "true", "time": "2026-01-31", "uuid": "01234567-89ab-cdef-0123-456789abcdef", "bytes": "AAEC", "json": "1",
}

func TestOperatorsOfEachKind(t *testing.T) {
	null := []filter.Operator{filter.OpIsNull, filter.OpIsNotNull}
	equality := append([]filter.Operator{filter.OpEq, filter.OpNe, filter.OpIn, filter.OpNotIn}, null...)
	ordered := append([]filter.Operator{filter.OpGt, filter.OpGte, filter.OpLt, filter.OpLte, filter.OpBetween}, equality...)
	all := append([]filter.Operator{filter.OpLike, filter.OpILike}, ordered...)
	for _, field := range kindSchema {
		allowed := ordered
		switch field.Kind {
		case filter.String:
			allowed = all
		case filter.Bytes:
			allowed = equality
		case filter.JSON:
			allowed = null
		}
		for _, operator := range all {
			operand := sample[field.Name]
			switch operator {
			case filter.OpBetween:
				operand += "," + operand
			case filter.OpIsNull, filter.OpIsNotNull:
				operand = "true"
			}
			got := strings.Join(problemsOf("filter["+field.Name+"]["+string(operator)+"]="+operand, kindSchema, filter.Limits{}), "; ")
			want := ""
			if !slices.Contains(allowed, operator) {
				want = "filter[" + field.Name + "][" + string(operator) + "] FILTER_UNKNOWN_OPERATOR"
			}
			if got != want || slices.Contains(field.Kind.Operators(), operator) != (want == "") {
				t.Errorf("%s %s: got %q, want %q", field.Name, operator, got, want)
			}
		}
	}
}

// The table «Kinds and coercion»: what a request may write for each kind, and the value it means.
func TestOperandsOfEachKind(t *testing.T) {
	const wide = "123456789012345678901234567890.000000000000000000000000000001"
	uuid := "01234567-89ab-cdef-0123-456789abcdef"
	for _, c := range []struct {
		field, text string
		want        any // nil: refused
	}{
		{"string", "", ""},
		{"string", "null", "null"}, // in brackets on a text field it is the text
		{"string", "Ä\n'\"%", "Ä\n'\"%"},
		{"string", "a\x00b", nil},
		{"string", "\xff", nil},
		{"enum", "done", "done"},
		{"enum", "Done", nil},
		{"enum", "", nil},
		{"enum", "null", nil},
		{"int", "9223372036854775807", int64(math.MaxInt64)},
		{"int", "-9223372036854775808", int64(math.MinInt64)},
		{"int", "9007199254740993", int64(9007199254740993)},
		{"int", "+7", int64(7)},
		{"int", "007", int64(7)},
		{"int", "9223372036854775808", nil},
		{"int", "1.0", nil},
		{"int", "1e3", nil},
		{"int", "0x10", nil},
		{"int", "1_000", nil},
		{"int", "", nil},
		{"int", " 7", nil},
		{"int", "null", nil},
		{"int8", "127", int64(127)},
		{"int8", "-128", int64(-128)},
		{"int8", "128", nil},
		{"int8", "-129", nil},
		{"uint", "18446744073709551615", uint64(math.MaxUint64)},
		{"uint", "18446744073709551616", nil},
		{"uint", "-1", nil},
		{"uint16", "65535", uint64(65535)},
		{"uint16", "65536", nil},
		{"float", "1.5", 1.5},
		{"float", "-1.5E-3", -1.5e-3},
		{"float", ".5", .5},
		{"float", "-0", 0.0},
		{"float", "NaN", nil},
		{"float", "Infinity", nil},
		{"float", "-inf", nil},
		{"float", "1e999", nil},
		{"float", "0x1p4", nil},
		{"float", "1_0", nil},
		{"float", "e", nil},
		{"float", "", nil},
		{"decimal", "1.50", "1.5"},
		{"decimal", "-00.50", "-0.5"},
		{"decimal", "-.50", "-0.5"},
		{"decimal", "+7.", "7"},
		{"decimal", "-0.00", "0"},
		{"decimal", wide, wide},
		{"decimal", "1e3", nil},
		{"decimal", "1.2.3", nil},
		{"decimal", ".", nil},
		{"decimal", "", nil},
		{"decimal", "NaN", nil},
		{"bool", "true", true},
		{"bool", "1", true},
		{"bool", "false", false},
		{"bool", "0", false},
		{"bool", "TRUE", nil},
		{"bool", "yes", nil},
		{"bool", "", nil},
		{"time", "2026-01-31T12:00:00.1234567Z", time.Date(2026, 1, 31, 12, 0, 0, 123456000, time.UTC)},
		{"time", "2026-01-31T12:00:00+02:00", time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC)},
		{"time", "2026-01-31", time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)},
		{"time", "2026-01-31T12:00:00", nil},
		{"time", "2026-01-31T12:00:00 02:00", nil},
		{"time", "2026-01-31T1:00:00Z", nil},
		{"time", "2026-01-31T12:00:00,5Z", nil},
		{"time", "2026-02-30", nil},
		{"time", "2026-01-31T12:00:00.Z", nil},
		{"time", "2026-01-31T12:00:00+24:00", nil},
		{"time", "2026-01-31T12:00:00+23:59", time.Date(2026, 1, 30, 12, 1, 0, 0, time.UTC)},
		{"time", "2026-01-31T12:00:00-00:60", nil},
		{"time", "2026-01-31T24:00:00Z", nil},
		{"time", "2026-01-31 12:00:00Z", nil},
		{"time", "1769860800", nil},
		{"time", "now", nil},
		{"uuid", strings.ToUpper(uuid), uuid},
		{"uuid", strings.ReplaceAll(uuid, "-", ""), nil},
		{"uuid", "{" + uuid + "}", nil},
		{"uuid", uuid[:35] + "g", nil},
		{"bytes", "AAEC", []byte{0, 1, 2}},
		{"bytes", "", []byte{}},
		{"bytes", "AAE=", []byte{0, 1}},
		{"bytes", "AAE", nil},
		{"bytes", "AAF=", nil}, // bits that mean nothing
		{"bytes", "-_8=", nil}, // the URL alphabet
		{"bytes", "AA\nEC", nil},
	} {
		condition := filter.Condition{Field: c.field, Operator: filter.OpEq, Operands: []any{filter.Text(c.text)}}
		compiled, problems := filter.Bind(condition, kindSchema, filter.Limits{})
		if c.want == nil {
			if len(problems) != 1 || problems[0].Code != filter.CodeInvalidValue {
				t.Errorf("%s %q: problems %v", c.field, c.text, problems)
			}
			continue
		}
		if len(problems) > 0 {
			t.Errorf("%s %q: %v", c.field, c.text, problems)
			continue
		}
		if got := compiled.Expr().(filter.Bound).Values[0].Any(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %q: got %v, want %v", c.field, c.text, got, c.want)
		}
	}
}

// What JSON writes without quotes.
func TestJSONOperands(t *testing.T) {
	for _, c := range []struct {
		object string
		want   any // nil: refused
	}{
		{`{"int":{"eq":9007199254740993}}`, int64(9007199254740993)},
		{`{"int":{"eq":"9007199254740993"}}`, int64(9007199254740993)},
		{`{"int":{"eq":1.0}}`, nil},
		{`{"int":{"eq":true}}`, nil},
		{`{"uint":{"eq":18446744073709551615}}`, uint64(math.MaxUint64)},
		{`{"float":{"eq":1e2}}`, 100.0},
		{`{"float":{"eq":1e999}}`, nil},
		{`{"decimal":{"eq":12345678901234567890.10}}`, "12345678901234567890.1"},
		{`{"decimal":{"eq":"1.0"}}`, "1"},
		{`{"decimal":{"eq":1e2}}`, nil},
		{`{"bool":{"eq":true}}`, true},
		{`{"bool":{"eq":0}}`, false},
		{`{"bool":{"eq":2}}`, nil},
		{`{"string":{"eq":"null"}}`, "null"},
		{`{"string":{"eq":5}}`, nil},
		{`{"string":{"eq":true}}`, nil},
		{`{"string":{"eq":null}}`, nil},
		{`{"string":{"eq":"a\u0000"}}`, nil},
		{`{"int":{"ne":null}}`, nil},
		{`{"int":{"in":[1,null]}}`, nil},
		{`{"time":{"eq":1769860800}}`, nil},
		{`{"bytes":{"eq":"AAEC"}}`, []byte{0, 1, 2}},
	} {
		expr, problems := filter.ParseJSON("", c.object, filter.Limits{})
		if len(problems) > 0 {
			t.Fatal(c.object, problems)
		}
		compiled, problems := filter.Bind(expr, kindSchema, filter.Limits{})
		if c.want == nil {
			if len(problems) != 1 || problems[0].Code != filter.CodeInvalidValue {
				t.Errorf("%s: problems %v", c.object, problems)
			}
			if strings.Contains(c.object, "null") && !strings.Contains(fmt.Sprint(problems), "isNull") {
				t.Errorf("%s: no hint in %v", c.object, problems)
			}
			continue
		}
		if len(problems) > 0 {
			t.Errorf("%s: %v", c.object, problems)
			continue
		}
		if got := compiled.Expr().(filter.Bound).Values[0].Any(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.object, got, c.want)
		}
	}
}

func TestOperandsFromCode(t *testing.T) {
	type name string
	id := int64(7)
	for _, c := range []struct {
		expr filter.Expr
		want string // of the bound expression; "" means refused
	}{
		{filter.Eq("string", name("ada")), `string eq "ada"`},
		{filter.Eq("int", &id), `int eq 7`},
		{filter.Eq("int8", 200), ""},
		{filter.Eq("uint", -1), ""},
		{filter.Eq("float", math.NaN()), ""},
		{filter.Eq("float", math.Inf(1)), ""},
		{filter.Eq("float", float32(0.5)), `float eq 0.5`},
		{filter.Eq("decimal", 10), `decimal eq "10"`},
		{filter.Eq("bytes", []byte("AAEC")), `bytes eq [65 65 69 67]`},
		{filter.Eq("enum", "nope"), ""},
		{filter.Eq("string", "a\x00"), ""},
		{filter.Eq("string", nil), ""},
		{filter.Eq("int", (*int64)(nil)), ""},
		{filter.Eq("int", filter.Null), ""},
		{filter.Eq("int", filter.Value{}), ""},
		{filter.Eq("int", filter.MustValue(filter.Int, 7)), `int eq 7`},
		{filter.Eq("int", filter.MustValue(filter.Uint, 7)), ""},
		{filter.Eq("int", struct{}{}), ""},
		{filter.Eq("time", time.Date(2026, 1, 31, 0, 0, 0, 1500, time.UTC)), `time eq 2026-01-31 00:00:00.000001 +0000 UTC`},
		{filter.In("int", 3, 1, 2, 1), `int in (1, 2, 3)`},
		{filter.In("decimal", "1.0", "1.00", "0.5"), `decimal in ("0.5", "1")`},
		{filter.In("string", []string{}...), "false"},
		{filter.NotIn("string", []string{}...), "true"},
		{filter.Condition{Field: "string", Operator: filter.OpIn}, ""},
		{filter.Condition{Field: "string", Operator: filter.OpEq}, ""},
		{filter.Condition{Field: "string", Operator: filter.OpEq, Operands: []any{"a", "b"}}, ""},
		{filter.Condition{Field: "string", Operator: filter.OpBetween, Operands: []any{"a"}}, ""},
		{filter.Condition{Field: "string", Operator: filter.OpIsNull, Operands: []any{false}}, "string isNotNull"},
		{filter.Condition{Field: "string", Operator: filter.OpIsNotNull, Operands: []any{filter.Text("false")}}, "string isNull"},
		{filter.Condition{Field: "string", Operator: filter.OpIsNull, Operands: []any{1}}, ""},
		{filter.Condition{Field: "string", Operator: filter.OpIsNull, Operands: []any{true, true}}, ""},
		{filter.Between("int", 5, 1), "int between (5, 1)"},
		{filter.Like("string", "%x"), `string like "%x"`},
		{filter.Like("string", `x\`), ""},
		{filter.True, "true"},
		{filter.False, "false"},
		{filter.And{}, "true"},
		{filter.Or{}, "false"},
		{filter.Not{}, "not (true)"},
		{filter.And{filter.Eq("int", 1)}, "int eq 1"},
		{filter.Or{filter.Eq("int", 1), filter.Not{filter.True}}, "(int eq 1 or not (true))"},
		{nil, ""},
		{filter.And{nil}, ""},
		{filter.Not{nil, filter.True}, ""},
	} {
		compiled, problems := filter.Bind(c.expr, kindSchema, filter.NoLimits())
		if (compiled == nil) != (len(problems) > 0) || (c.want == "") != (compiled == nil) {
			t.Errorf("%v: compiled %v, problems %v", c.expr, compiled != nil, problems)
			continue
		}
		if compiled != nil && fmt.Sprint(compiled.Expr()) != c.want {
			t.Errorf("%v: got %v, want %s", c.expr, compiled.Expr(), c.want)
		}
	}
}

func TestLimitsOfExpressionsFromCode(t *testing.T) {
	deep := filter.And{filter.Or{filter.And{filter.Not{filter.Eq("int", 1)}, filter.True}, filter.True}}
	many := make(filter.And, 51)
	for i := range many {
		many[i] = filter.Eq("int", i)
	}
	for _, c := range []struct {
		expr filter.Expr
		path string
	}{
		{deep, "filter"}, {many, "int"}, {filter.In("int", make([]int, 101)...), "int"}, {filter.Like("string", strings.Repeat("x", 201)), "string"},
	} {
		_, problems := filter.Bind(c.expr, kindSchema, filter.Limits{})
		if len(problems) != 1 || problems[0].Code != filter.CodeLimitExceeded || problems[0].Field != c.path {
			t.Errorf("%.60s: %v", fmt.Sprint(c.expr), problems)
		}
		if _, problems = filter.Bind(c.expr, kindSchema, filter.NoLimits()); len(problems) > 0 {
			t.Errorf("%.60s: %v", fmt.Sprint(c.expr), problems)
		}
	}
}

var accessSchema = filter.Schema{
	{Name: "title", Kind: filter.String, Access: filter.Allowed},
	{Name: "secret", Kind: filter.String},
	{Name: "secretTitle", Kind: filter.String, Access: filter.Hidden},
	{Name: "author", Access: filter.NotAllowed},
	{Name: "total", Kind: filter.Int, Access: filter.NotAllowed},
	{Name: "points", Kind: filter.Int, Access: filter.Allowed},
}

func TestFieldAccess(t *testing.T) {
	for _, c := range []struct{ field, code, detail string }{
		{"nope", filter.CodeUnknownField, `there is no field "nope"; the fields are title, points`},
		{"", filter.CodeUnknownField, `there is no field ""; the fields are title, points`},
		{"titel", filter.CodeUnknownField, `there is no field "titel"; did you mean "title"?`},
		{"Title", filter.CodeUnknownField, `there is no field "Title"; did you mean "title"?`},
		{"secret", filter.CodeUnknownField, `there is no field "secret"; the fields are title, points`},
		{"secre", filter.CodeUnknownField, `there is no field "secre"; the fields are title, points`},
		{"totel", filter.CodeUnknownField, `there is no field "totel"; the fields are title, points`}, // total is near, but not allowed
		{"author", filter.CodeFieldNotAllowed, `"author" may not be filtered by; the fields are title, points`},
		{"total", filter.CodeFieldNotAllowed, `"total" may not be filtered by; the fields are title, points`},
		{"author.name", filter.CodeFieldNotAllowed, `"author.name" is a path into another row; a filter takes the row's own fields only`},
		{"secret.name", filter.CodeFieldNotAllowed, `"secret.name" is a path into another row; a filter takes the row's own fields only`},
		{strings.Repeat("x", 50), filter.CodeUnknownField, `there is no field "` + strings.Repeat("x", 40) + `"…; the fields are title, points`},
	} {
		_, problems := filter.Bind(filter.Eq(c.field, "x"), accessSchema, filter.Limits{})
		want := []filter.Problem{{Field: c.field, Code: c.code, Detail: c.detail}}
		if !reflect.DeepEqual(problems, want) {
			t.Errorf("%s:\n got %v\nwant %v", c.field, problems, want)
		}
	}
}

// Whatever is asked of a hidden field, the answer is the one that an entity without the field gives.
func TestHiddenFieldsCannotBeToldFromMissingOnes(t *testing.T) {
	without := filter.Schema{accessSchema[0], accessSchema[3], accessSchema[4], accessSchema[5]}
	for _, query := range []string{
		"filter[secret][eq]=x", "filter[secret][gt]=1", "filter[secret][nope]=x", "filter[secret][isNull]=maybe",
		"filter[secret][in]=", "filter[secret][like]=%5C", "filter[secret][name][eq]=x", "filter[secret.name][eq]=x",
		"filter[secre][eq]=1", "filter[secretTitl][eq]=1", "filter[Secret][eq]=1", "filter[not][or][0][secret][eq]=1",
		`filter={"secret":{"eq":null}}`, `filter={"secret":{"name":{"eq":1}}}`, `filter={"secret":1}`, "filter[secret]=1",
		"filter[secret][between]=1", "filter[secret][eq]=1&filter[titel][eq]=1",
	} {
		with, missing := answer(query, accessSchema), answer(query, without)
		if with != missing {
			t.Errorf("%s:\nhidden:  %s\nmissing: %s", query, with, missing)
		}
		if len(with) == len("[]") {
			t.Errorf("%s is accepted", query)
		}
	}
}

func answer(query string, schema filter.Schema) string {
	expr, problems := filter.Parse(query, filter.Limits{})
	if expr != nil {
		_, more := filter.Bind(expr, schema, filter.Limits{})
		problems = append(problems, more...)
	}
	return fmt.Sprint(problems)
}

func TestPoliciesMayNameWhatIsOpened(t *testing.T) {
	opened := accessSchema.Open("secret", "no such field")
	if _, problems := filter.Bind(filter.Eq("secret", "x"), opened, filter.NoLimits()); len(problems) > 0 {
		t.Error(problems)
	}
	for _, schema := range []filter.Schema{accessSchema, opened} {
		if _, problems := filter.Bind(filter.Eq("secretTitle", "x"), schema, filter.NoLimits()); len(problems) != 1 {
			t.Error("a field that was not opened is open")
		}
	}
	if _, problems := filter.Bind(filter.Eq("secret", "x"), accessSchema, filter.NoLimits()); len(problems) != 1 {
		t.Error("Open changed the schema that it was called on")
	}
}

// The texts of problems, one of each kind: what was given, and what would be right.
func TestProblemTexts(t *testing.T) {
	for query, want := range map[string]string{
		"filter[int8][eq]=abc":       `"abc" is no int; give a decimal integer from -128 to 127`,
		"filter[int8][eq]=300":       `300 is no int; give a decimal integer from -128 to 127`,
		"filter[int8][eq]=null":      `"null" is no int; use isNull or isNotNull to test for NULL`,
		"filter[int8][in]=1,x,2,y":   `"x" is no int; give a decimal integer from -128 to 127 (and 1 more of its values)`,
		"filter[enum][eq]=doing":     `"doing" is no member; give one of todo, done`,
		"filter[enum][like]=x":       `like is no operator of a field of kind enum; its operators are eq, ne, gt, gte, lt, lte, in, notIn, between, isNull, isNotNull`,
		"filter[int][Eq]=1":          `there is no operator "Eq"; operators are written in exact case: eq`,
		"filter[json][equals]=1":     `there is no operator "equals"; the operators are eq, ne, gt, gte, lt, lte, in, notIn, like, ilike, between, isNull, isNotNull`,
		"filter[int][in]=":           `the list of in is empty; give 1 to 100 values`,
		"filter[int][between]=1":     `between takes exactly two values, low and high; 1 given`,
		"filter[string][like]=x%5C":  `the pattern ends in an escape that escapes nothing; a \ itself is written \\`,
		"filter[string][isNull]=1":   `isNull takes true or false`,
		`filter={"string":{"eq":5}}`: `the number "5" is no string; give text in valid UTF-8, in JSON as a string`,
		"filter[time][gt]=2026-01-31T12:00:00+02:00": `"2026-01-31T12:00:00 02:00" is no time; give RFC 3339 with an offset, such as 2026-01-31T12:00:00Z, ` +
			`or a date, such as 2026-01-31; in a query string a + is written %2B`,
	} {
		expr, _ := filter.Parse(query, filter.Limits{})
		_, problems := filter.Bind(expr, kindSchema, filter.Limits{})
		if len(problems) != 1 || problems[0].Detail != want {
			t.Errorf("%s:\n got %v\nwant %s", query, problems, want)
		}
	}
}
