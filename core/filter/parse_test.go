package filter_test

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/rowcast/rowcast/core/filter"
)

func TestParseGivesTheTree(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{"", "<nil>"},
		{"channel=Card&fields=a", "<nil>"},
		{"Filter=1&xfilter[a][eq]=1&a[filter]=1", "<nil>"},
		{"filter[status][eq]=published", `status eq "published"`},
		{"filter[price][gte]=10&filter[price][lt]=20", `(price gte "10" and price lt "20")`},
		{"filter[status][in]=draft,published", `status in ("draft", "published")`},
		{"filter[status][in][]=a,b&x=1&filter[status][in][]=c", `status in ("a,b", "c")`},
		{"filter[a][in]=", `a in ()`},
		{"filter[a][in][]=", `a in ("")`},
		{"filter[a][in]=x,,y,", `a in ("x", "", "y", "")`},
		{"filter[a][between]=1,2", `a between ("1", "2")`},
		{"filter[a][between][]=1,5&filter[a][between][]=2", `a between ("1,5", "2")`},
		{"filter[a][eq]=x,y", `a eq "x,y"`},
		{"filter[a][eq]=", `a eq ""`},
		{"filter[a][eq]", `a eq ""`},
		{"filter[a][eq]=b=c", `a eq "b=c"`},
		{"filter[a][eq]=b;c", `a eq "b;c"`},
		{"filter[a][eq]=null", `a eq "null"`},
		{"filter[a][isNull]=false", `a isNull "false"`},
		{"&&filter%5Ba%5D%5Beq%5D=x%20y+z%2B&", `a eq "x y z+"`},
		{"%66ilter[%C3%A4][eq]=1", `ä eq "1"`},
		{"filter[or][0][role][eq]=admin&filter[or][1][status][eq]=banned", `(role eq "admin" or status eq "banned")`},
		{"filter[or][1][b][eq]=1&filter[or][0][a][eq]=1&filter[or][1][c][eq]=1", `(a eq "1" or (b eq "1" and c eq "1"))`},
		{"filter[not][status][eq]=archived", `not (status eq "archived")`},
		{"filter[not][a][eq]=1&filter[not][b][eq]=2", `not (a eq "1" and b eq "2")`},
		{"filter[not][0][a][eq]=1&filter[not][1][b][eq]=2", `not (a eq "1" and b eq "2")`},
		{"filter[and][0][or][0][a][eq]=1&filter[and][0][or][1][b][eq]=2&filter[c][eq]=3", `((a eq "1" or b eq "2") and c eq "3")`},
		{"filter[not][or][0][a][eq]=1&filter[not][or][1][b][eq]=2", `not (a eq "1" or b eq "2")`},
		{"filter[in][eq]=1&filter[eq][in]=2", `(in eq "1" and eq in ("2"))`},
		{"filter[a][EQ]=1", `a EQ "1"`}, // what operators there are is Bind's to say
		{"filter[author][name][eq]=x", `author.name eq "x"`},
		{"filter[author.name][eq]=x", `author.name eq "x"`},
		{`filter={"a":{"eq":"x"}}`, `a eq "x"`},
		{`filter={"a":{"eq":"x"}}&filter[b][eq]=2`, `(a eq "x" and b eq "2")`},
		{`filter[or][0][a][eq]=1&filter={"or":[{"b":{"eq":2}}]}`, `(a eq "1" and b eq 2)`},
		{"filter=%7B%22a%22%3A%7B%22eq%22%3A%22%2B%22%7D%7D", `a eq "+"`},
	} {
		expr, problems := filter.Parse(c.query, filter.Limits{})
		if got := fmt.Sprint(expr); got != c.want || len(problems) > 0 {
			t.Errorf("%s\n got %s %v\nwant %s", c.query, got, problems, c.want)
		}
	}
}

func TestParseJSONGivesTheSameTree(t *testing.T) {
	for _, c := range []struct{ object, want string }{
		{`{"a":{"eq":"x"}}`, `a eq "x"`},
		{` { "price" : { "gte" : 10 , "lt" : 2.50e1 } } `, `(price gte 10 and price lt 2.50e1)`},
		{`{"a":{"in":["x","y,z"]},"b":{"isNull":true}}`, `(a in ("x", "y,z") and b isNull true)`},
		{`{"a":{"in":[]}}`, `a in ()`},
		{`{"or":[{"name":{"eq":"x"}},{"not":{"status":{"eq":"y"}}}]}`, `(name eq "x" or not (status eq "y"))`},
		{`{"not":{"a":{"eq":1},"b":{"eq":2}}}`, `not (a eq 1 and b eq 2)`},
		{`{"not":[{"a":{"eq":1}},{"b":{"eq":2}}]}`, `not (a eq 1 and b eq 2)`},
		{`{"and":[{"a":{"eq":1},"b":{"eq":2}},{"c":{"eq":null}}]}`, `((a eq 1 and b eq 2) and c eq null)`},
		{`{"a":{"eq":9007199254740993}}`, `a eq 9007199254740993`}, // 2^53+1 stays what it is
		{`{"a":{"eq":"\u00e4\ud83d\ude00\"\\"}}`, `a eq "ä😀\"\\"`},
		{`{"\u0061":{"eq":false}}`, `a eq false`},
		{`{"author":{"name":{"eq":"x"}}}`, `author.name `},
		{`{"a":{"Eq":1,"nope":[1,2]}}`, `(a Eq 1 and a nope 1 2)`},
	} {
		expr, problems := filter.ParseJSON("", c.object, filter.Limits{})
		if got := fmt.Sprint(expr); got != c.want || len(problems) > 0 {
			t.Errorf("%s\n got %s %v\nwant %s", c.object, got, problems, c.want)
		}
	}
}

func TestConditionsKeepTheirPathAsWritten(t *testing.T) {
	expr, _ := filter.Parse(`filter%5Ba%5D[eq]=1&filter[or][0][b][in][]=2&filter={"not":[{"c":{"eq":3}}]}`, filter.Limits{})
	var got []string
	for _, e := range expr.(filter.And) {
		switch e := e.(type) {
		case filter.Condition:
			got = append(got, e.Path)
		case filter.Or:
			got = append(got, e[0].(filter.Condition).Path)
		case filter.Not:
			got = append(got, e[0].(filter.Condition).Path)
		}
	}
	want := []string{"filter[a][eq]", "filter[or][0][b][in][]", "filter[not][0][c][eq]"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	expr, _ = filter.ParseJSON("subscriptions[1].filter", `{"a":{"eq":1}}`, filter.Limits{})
	if got := expr.(filter.Condition).Path; got != "subscriptions[1].filter[a][eq]" {
		t.Errorf("got %s", got)
	}
}

// Everything that begins with filter is well formed or refused; nothing is ignored.
func TestSyntax(t *testing.T) {
	for _, c := range []struct{ query, field, detail string }{
		{"filter", "filter", "not valid JSON"},
		{"filter=", "filter", "not valid JSON"},
		{"filter=status", "filter", "not valid JSON"},
		{`filter={"a":{"eq":1}`, "filter", "not valid JSON"},
		{`filter={"a":{"eq":1}}x`, "filter", "not valid JSON"},
		{`filter={"a":{"eq":1,}}`, "filter", "not valid JSON"},
		{`filter={"a":{"eq":01}}`, "filter", "not valid JSON"},
		{`filter={"a":{"eq":NaN}}`, "filter", "not valid JSON"},
		{`filter={'a':1}`, "filter", "not valid JSON"},
		{`filter=[]`, "filter", "a filter is an object"},
		{`filter=null`, "filter", "a filter is an object"},
		{`filter="a"`, "filter", "a filter is an object"},
		{`filter={}`, "filter", "the object is empty"},
		{`filter={"a":{}}`, "filter[a]", "the object is empty"},
		{`filter={"a":1}`, "filter[a]", "an object of operators"},
		{`filter={"a":"x"}`, "filter[a]", "an object of operators"},
		{`filter={"a":null}`, "filter[a]", "an object of operators"},
		{`filter={"a":[]}`, "filter[a]", "an object of operators"},
		{`filter={"":{"eq":1}}`, "filter", "a name is empty"},
		{`filter={"a":{"":1}}`, "filter[a]", "a name is empty"},
		{`filter={"a":{"eq":1,"eq":1}}`, "filter[a][eq]", "twice"},
		{`filter={"a":{"eq":1},"a":{"ne":1}}`, "filter[a]", "twice"},
		{`filter={"a":{"eq":1,"\u0065q":1}}`, "filter[a][eq]", "twice"},
		{`filter={"or":[{"a":{"eq":1}}],"or":[{"b":{"eq":1}}]}`, "filter[or]", "twice"},
		{`filter={"a":{"eq":{"x":1}}}`, "filter[a][eq]", "an object is no operand"},
		{`filter={"a":{"eq":[1]}}`, "filter[a][eq]", "no array"},
		{`filter={"a":{"in":1}}`, "filter[a][in]", "takes an array"},
		{`filter={"a":{"in":"x,y"}}`, "filter[a][in]", "takes an array"},
		{`filter={"a":{"between":1}}`, "filter[a][between]", "takes an array"},
		{`filter={"a":{"in":[[1]]}}`, "filter[a][in]", "no arrays or objects"},
		{`filter={"a":{"in":[{"b":[1,{}]}]}}`, "filter[a][in]", "no arrays or objects"},
		{`filter={"or":[]}`, "filter[or]", "no children"},
		{`filter={"and":[]}`, "filter[and]", "no children"},
		{`filter={"not":[]}`, "filter[not]", "no children"},
		{`filter={"not":{}}`, "filter[not]", "the object is empty"},
		{`filter={"or":{"a":{"eq":1}}}`, "filter[or]", "an array of objects"},
		{`filter={"or":1}`, "filter[or]", "an array of objects"},
		{`filter={"not":1}`, "filter[not]", "an array of them"},
		{`filter={"or":[1]}`, "filter[or][0]", "an array of objects"},
		{`filter={"or":[{}]}`, "filter[or][0]", "the object is empty"},
		{`filter={"or":[{"a":{"eq":1}},null]}`, "filter[or][1]", "an array of objects"},
		{`filter={"a":{"eq":"\ud83d"}}`, "filter", "surrogate"},
		{`filter={"a":{"eq":"\ude00\ud83d"}}`, "filter", "surrogate"},
		{"filter={\"a\":{\"eq\":\"%FF\"}}", "filter", "UTF-8"},
		{`filter={"a":{"eq":1}}&filter={"b":{"eq":1}}`, "filter", "given twice"},

		{"filters=1", "filters", "unexpected"},
		{"filterable=true", "filterable", "unexpected"},
		{"filter.a=1", "filter.a", "unexpected"},
		{"filter[a", "filter[a", "not closed"},
		{"filter[", "filter[", "not closed"},
		{"filter]", "filter]", "unexpected"},
		{"filter[a][eq", "filter[a][eq", "not closed"},
		{"filter[a[eq]=1", "filter[a[eq]", "not closed"},
		{"filter[a]][eq]=1", "filter[a]][eq]", "unexpected"},
		{"filter[a]x[eq]=1", "filter[a]x[eq]", "unexpected"},
		{"filter[a][eq]x=1", "filter[a][eq]x", "unexpected"},
		{"filter[a][eq]%20=1", "filter[a][eq] ", "unexpected"},
		{"filter[]=1", "filter[]", "empty"},
		{"filter[][eq]=1", "filter[][eq]", "empty"},
		{"filter[a][][eq]=1", "filter[a][][eq]", "empty"},
		{"filter[a][in][][]=1", "filter[a][in][][]", "empty"},
		{"filter[or][0][]=1", "filter[or][0][]", "empty"},
		{"filter[a]=1", "filter[a]", "write filter[a][eq]=value"},
		{"filter[a][]=1", "filter[a][]", "operator is missing"},
		{"filter[a][eq][]=1", "filter[a][eq][]", "without []"},
		{"filter[a][in][0]=1", "filter[a][in][0]", "nothing may follow the operator in but []"},
		{"filter[a][eq][x]=1", "filter[a][eq][x]", "nothing may follow the operator eq"},
		{"filter[a][eq]=1&filter[a][eq]=1", "filter[a][eq]", "given twice"},
		{"filter[a][eq]=1&filter[a][eq]=2&filter[a][eq]=3", "filter[a][eq]", "given twice"},
		{"filter[a][in]=1&filter[a][in]=2", "filter[a][in]", "given twice"},
		{"filter[a][in]=1&filter[a][in][]=2", "filter[a][in][]", "given twice"},
		{"filter[a][in][]=1&filter[a][in]=2", "filter[a][in]", "given twice"},
		{"filter[not][a][eq]=1&filter[not][a][eq]=2", "filter[not][a][eq]", "given twice"},
		{"filter[and]=1", "filter[and]", "needs a condition"},
		{"filter[or][0]=1", "filter[or][0]", "no condition"},
		{"filter[or][]=1", "filter[or][]", "needs a condition"},
		{"filter[or][][a][eq]=1", "filter[or][][a][eq]", "empty"},
		{"filter[or][0][a]=1", "filter[or][0][a]", "operator is missing"},
		{"filter[or][a][eq]=1", "filter[or][a][eq]", "needs a number"},
		{"filter[or][eq]=1", "filter[or][eq]", "needs a number"},
		{"filter[and][-1][a][eq]=1", "filter[and][-1][a][eq]", "needs a number"},
		{"filter[or][x1][a][eq]=1", "filter[or][x1][a][eq]", "needs a number"},
		{"filter[or][00][a][eq]=1", "filter[or][00][a][eq]", "write 0, 1, 2"},
		{"filter[or][0][a][eq]=1&filter[or][01][b][eq]=1", "filter[or][01][b][eq]", "write 0, 1, 2"},
		{"filter[or][1][a][eq]=1", "filter[or][1]", "0 is missing"},
		{"filter[or][0][a][eq]=1&filter[or][2][a][eq]=1&filter[or][3][a][eq]=1", "filter[or][2]", "1 is missing"},
		{"filter[or][99999999999999999999][a][eq]=1", "filter[or][99999999999999999999][a][eq]", "write 0, 1, 2"},
		{"filter[not][0][a][eq]=1&filter[not][b][eq]=1", "filter[not][b][eq]", "one of both"},
		{"filter[not][b][eq]=1&filter[not][0][a][eq]=1", "filter[not][0][a][eq]", "one of both"},
		{"filter[a][eq]=%", "filter[a][eq]", "%25"},
		{"filter[a][eq]=100%&x=1", "filter[a][eq]", "%25"},
		{"filter[a][eq]=%4", "filter[a][eq]", "%25"},
		{"filter[a%zz][eq]=1", "filter[a%zz][eq]", "hexadecimal"},
		{"%66ilter%=1", "filter%", "hexadecimal"},
	} {
		_, problems := filter.Parse(c.query, filter.Limits{})
		if len(problems) != 1 {
			t.Errorf("%s: %d problems: %v", c.query, len(problems), problems)
			continue
		}
		p := problems[0]
		if p.Field != c.field || p.Code != filter.CodeSyntax || !strings.Contains(p.Detail, c.detail) {
			t.Errorf("%s: %+v, want %q in %s", c.query, p, c.detail, c.field)
		}
	}
}

// One problem hides no other: the parser's and the binder's come out of one request.
func TestAllProblemsAreReportedTogether(t *testing.T) {
	const query = "filter[points][gte]=x&filter[nope][eq]=1&filter[status][EQ]=done&filter[a&filter[points][gte]=4" +
		`&filter={"status":{"in":[]},"title":{"eq":1},"or":[]}&filter[author.name][eq]=1`
	want := []string{
		"filter[a FILTER_SYNTAX",
		"filter[points][gte] FILTER_SYNTAX",
		"filter[or] FILTER_SYNTAX",
		"filter[points][gte] FILTER_INVALID_VALUE",
		"filter[nope][eq] FILTER_UNKNOWN_FIELD",
		"filter[status][EQ] FILTER_UNKNOWN_OPERATOR",
		"filter[status][in] FILTER_INVALID_VALUE",
		"filter[title][eq] FILTER_INVALID_VALUE",
		"filter[author.name][eq] FILTER_FIELD_NOT_ALLOWED",
	}
	for range 20 {
		if got := problemsOf(query, benchSchema, filter.Limits{}); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %q\nwant %q", got, want)
		}
	}
}

// problemsOf parses and binds, and gives the field and code of each problem.
func problemsOf(query string, schema filter.Schema, limits filter.Limits) (out []string) {
	expr, problems := filter.Parse(query, limits)
	if expr != nil {
		_, more := filter.Bind(expr, schema, limits)
		problems = append(problems, more...)
	}
	for _, p := range problems {
		out = append(out, p.Field+" "+p.Code)
	}
	return out
}

func TestLimits(t *testing.T) {
	repeat := func(n int, one func(i int) string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = one(i)
		}
		return strings.Join(parts, "&")
	}
	conditions := func(n int) string {
		return repeat(n, func(i int) string { return "filter[or][" + strconv.Itoa(i) + "][id][eq]=1" })
	}
	list := func(n int) string { return "filter[id][in]=" + strings.TrimSuffix(strings.Repeat("1,", n), ",") }
	members := func(n int) string { return repeat(n, func(int) string { return "filter[id][notIn][]=1" }) }
	pattern := func(n int) string { return "filter[title][like]=" + strings.Repeat("ä", n) }
	object := func(open, closed string) string { return "filter=" + open + `{"id":{"eq":1}}` + closed }
	mixed := conditions(50) + `&filter={"id":{"eq":1}}`
	for _, c := range []struct {
		name, query string
		limits      filter.Limits
		problems    string
	}{
		{"depth", "filter[and][0][or][0][id][eq]=1", filter.Limits{}, ""},
		{"depth", "filter[and][0][or][0][not][id][eq]=1", filter.Limits{}, "filter[and][0][or][0][not][id][eq] FILTER_LIMIT_EXCEEDED"},
		{"depth", "filter[and][0][or][0][not][id][eq]=1", filter.Limits{Depth: 4}, ""},
		{"depth", "filter[not][id][eq]=1", filter.Limits{Depth: 1}, "filter[not][id][eq] FILTER_LIMIT_EXCEEDED"},
		{"depth", "filter[id][eq]=1&filter[points][eq]=1", filter.Limits{Depth: 1}, ""},
		{"depth", object(`{"and":[{"or":[`, `]}]}`), filter.Limits{}, ""},
		{"depth", object(`{"and":[{"or":[{"not":`, `}]}]}`), filter.Limits{}, "filter[and][0][or][0][not] FILTER_LIMIT_EXCEEDED"},
		{"depth", object(strings.Repeat(`{"not":`, 9000), strings.Repeat(`}`, 9000)), filter.Limits{}, "filter[not][not][not] FILTER_LIMIT_EXCEEDED"},
		{"list", list(100), filter.Limits{}, ""},
		{"list", list(101), filter.Limits{}, "filter[id][in] FILTER_LIMIT_EXCEEDED"},
		{"list", list(101), filter.Limits{List: 101}, ""},
		{"list", members(100), filter.Limits{}, ""},
		{"list", members(101), filter.Limits{}, "filter[id][notIn][] FILTER_LIMIT_EXCEEDED"},
		{"conditions", conditions(50), filter.Limits{}, ""},
		{"conditions", conditions(51), filter.Limits{}, "filter[or][50][id][eq] FILTER_LIMIT_EXCEEDED"},
		{"conditions", conditions(60), filter.Limits{}, "filter[or][50][id][eq] FILTER_LIMIT_EXCEEDED"},
		{"conditions", conditions(60), filter.Limits{Conditions: -1}, ""},
		{"conditions", mixed, filter.Limits{}, "filter[id][eq] FILTER_LIMIT_EXCEEDED"},
		{"pattern", pattern(200), filter.Limits{}, ""},
		{"pattern", pattern(201), filter.Limits{}, "filter[title][like] FILTER_LIMIT_EXCEEDED"},
		{"pattern", pattern(2), filter.Limits{Pattern: 1}, "filter[title][like] FILTER_LIMIT_EXCEEDED"},
	} {
		if got := strings.Join(problemsOf(c.query, benchSchema, c.limits), "; "); got != c.problems {
			t.Errorf("%s: %.100s\n got %s\nwant %s", c.name, c.query, got, c.problems)
		}
	}
}
