package filter_test

import (
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rowcast/rowcast/core/filter"
)

var codes = []string{
	filter.CodeSyntax, filter.CodeUnknownField, filter.CodeFieldNotAllowed, filter.CodeUnknownOperator,
	filter.CodeInvalidValue, filter.CodeLimitExceeded,
}

func FuzzBrackets(f *testing.F) {
	for _, seed := range []string{
		referenceQuery,
		"filter[price][gte]=10&filter[price][lt]=20",
		"filter[status][in][]=todo&filter[status][in][]=done",
		"filter[and][0][or][0][points][eq]=1&filter[and][0][or][1][points][eq]=2",
		"filter[not][0][points][eq]=1&filter[not][status][eq]=todo",
		`filter={"or":[{"points":{"eq":1}},{"not":{"status":{"eq":"todo"}}}]}&filter[id][eq]=1`,
		"filter[or][1][a][eq]=1", "filter[or][00][a][eq]=1", "filter[a", "filter[a]]", "filter[[a]]", "filter[]", "filter",
		"filter[or][0][]=", "filter[not][]=", "filters=1", "%66ilter[a][eq]=%zz", "filter%5Bid%5D%5Beq%5D=7", "filter[a][b][c]=1",
		"filter[title][like]=%5C", "filter[due][gt]=2026-01-01T00:00:00+02:00", "filter[id][isNull]=maybe", "filter[id][in]=1,,2",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		expr, problems := filter.Parse(query, filter.Limits{})
		again, problemsAgain := filter.Parse(query, filter.Limits{})
		if !reflect.DeepEqual(expr, again) || !reflect.DeepEqual(problems, problemsAgain) {
			t.Fatal("not deterministic")
		}
		if asksForFilter(query) != (expr != nil || len(problems) > 0) {
			t.Fatalf("a filter was ignored, or made up: %v %v", expr, problems)
		}
		checkParsed(t, expr, problems)
	})
}

// asksForFilter decodes names with net/url, another way than the parser does.
func asksForFilter(query string) bool {
	for _, pair := range strings.Split(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(name); err == nil {
			name = decoded
		} else {
			name, _ = url.QueryUnescape(name[:goodPrefix(name)])
		}
		if strings.HasPrefix(name, "filter") {
			return true
		}
	}
	return false
}

func goodPrefix(name string) int {
	end := len(name)
	for {
		if _, err := url.QueryUnescape(name[:end]); err == nil {
			return end
		}
		end--
	}
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"status":{"in":["todo","done"]},"points":{"gte":3}}`,
		`{"or":[{"title":{"eq":"x"}},{"not":{"status":{"eq":"todo"}}}]}`,
		`{"not":[{"id":{"eq":9007199254740993}},{"id":{"isNull":true}}]}`,
		`{"and":[{"or":[{"and":[{"id":{"eq":1}}]}]}]}`,
		`{"title":{"eq":"\ud83d\ude00\u00e4\n\\"}}`, `{"title":{"eq":"\ud83d"}}`, `{"title":{"eq":"\\ud83d"}}`, `{"title":{"eq":"a\u0000"}}`,
		`{"id":{"eq":1,"eq":2}}`, `{"id":{"eq":null}}`, `{"id":{"in":[]}}`, `{"id":{"in":[[1],{"a":[]}]}}`, `{"author":{"name":{"eq":"x"}}}`,
		`{}`, `{"or":[]}`, `{"or":{}}`, `{"":{"eq":1}}`, `[]`, `null`, `{"id":{"eq":1}} x`, `{"price":{"between":[1.50,2e1]}}`, ` { "id" : { "eq" : -0 } } `,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, object string) {
		expr, problems := filter.ParseJSON("", object, filter.Limits{})
		again, problemsAgain := filter.ParseJSON("", object, filter.Limits{})
		if !reflect.DeepEqual(expr, again) || !reflect.DeepEqual(problems, problemsAgain) {
			t.Fatal("not deterministic")
		}
		if expr == nil && len(problems) == 0 {
			t.Fatal("the object was ignored")
		}
		if len(problems) == 0 {
			var decoded map[string]any
			decoder := json.NewDecoder(strings.NewReader(object))
			decoder.UseNumber() // numbers may be longer than any float
			if err := decoder.Decode(&decoded); err != nil {
				t.Fatalf("accepted what encoding/json refuses: %v", err)
			}
			got, want := leaves(expr), jsonLeaves(decoded)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("got %q, want %q", got, want)
			}
		}
		checkParsed(t, expr, problems)
	})
}

// leaves are a filter's conditions.
func leaves(expr filter.Expr) (out []string) {
	switch e := expr.(type) {
	case filter.And:
		for _, child := range e {
			out = append(out, leaves(child)...)
		}
	case filter.Or:
		return leaves(filter.And(e))
	case filter.Not:
		return leaves(filter.And(e))
	case filter.Condition:
		if e.Operator == "" {
			return []string{e.Field}
		}
		return []string{e.Field + " " + string(e.Operator)}
	}
	return out
}

// jsonLeaves are the conditions as encoding/json sees them.
func jsonLeaves(object map[string]any) (out []string) {
	for name, value := range object {
		switch members := value.(type) {
		case []any: // of a group
			for _, member := range members {
				out = append(out, jsonLeaves(member.(map[string]any))...)
			}
		case map[string]any:
			if name == "not" {
				out = append(out, jsonLeaves(members)...)
				continue
			}
			for operator, operand := range members {
				if _, path := operand.(map[string]any); path {
					out = append(out, name+"."+operator)
				} else if operator != "" {
					out = append(out, name+" "+operator)
				}
			}
		}
	}
	return out
}

// checkParsed checks what holds for every parsed filter, whatever was asked.
func checkParsed(t *testing.T, expr filter.Expr, problems []filter.Problem) {
	t.Helper()
	if expr != nil {
		if count := len(leaves(expr)); count == 0 || count > filter.DefaultConditions {
			t.Fatalf("%d conditions", count)
		}
		compiled, more := filter.Bind(expr, benchSchema, filter.Limits{})
		if (compiled == nil) != (len(more) > 0) {
			t.Fatalf("compiled %v with problems %v", compiled, more)
		}
		if compiled != nil {
			checkCompiled(t, compiled)
		}
		problems = slices.Concat(problems, more)
	}
	for _, p := range problems {
		if !strings.HasPrefix(p.Field, "filter") || !slices.Contains(codes, p.Code) || p.Detail == "" {
			t.Fatalf("problem %+v", p)
		}
	}
}

// checkCompiled binds the bound filter again, which must not change what it means.
func checkCompiled(t *testing.T, compiled *filter.Compiled) {
	t.Helper()
	again := mustBind(t, compiled.Expr(), benchSchema)
	row := benchRow()
	for range len(row) + 1 {
		truth := compiled.Eval(row)
		if again.Eval(row) != truth || compiled.Match(row) != (truth == filter.IsTrue) {
			t.Fatalf("%v is %v, bound again %v", compiled.Expr(), truth, again.Eval(row))
		}
		for _, e := range compiled.Required() {
			if truth == filter.IsTrue && !slices.Contains(e.Values, row[e.Ordinal].Canonical()) {
				t.Fatalf("%v matches without %v", compiled.Expr(), e)
			}
		}
		if len(row) > 0 {
			row = row[:len(row)-1]
		}
	}
}
