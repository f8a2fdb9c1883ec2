package filter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rowcast/rowcast/core/filter"
)

// However a request is made, the answer to it stays within a small multiple of its size, and the tree within the limits.
func TestAnswersDoNotOutgrowTheirRequests(t *testing.T) {
	many := func(separator string, one func(i int) string) string {
		parts := make([]string, 5000)
		for i := range parts {
			parts[i] = one(i)
		}
		return strings.Join(parts, separator)
	}
	long := strings.Repeat("x", 50_000)
	for name, query := range map[string]string{
		"no operator":     many("&", func(i int) string { return fmt.Sprintf("filter[or][%d][a]=1", i) }),
		"many conditions": many("&", func(i int) string { return fmt.Sprintf("filter[or][%d][a][eq]=1", i) }),
		"gaps":            many("&", func(i int) string { return fmt.Sprintf("filter[or][%d][a][eq]=1", i*7+3) }),
		"members":         many("&", func(int) string { return "filter[id][in][]=x" }),
		"commas":          "filter[id][in]=" + strings.Repeat(",", 50_000),
		"names":           "filter" + strings.Repeat("[a]", 20_000),
		"groups":          "filter" + strings.Repeat("[not]", 20_000),
		"long name":       "filter[" + long + "][eq]=1&filter[id][" + long + "]=1&filter[id][eq]=" + long,
		"keys":            "filter={" + many(",", func(i int) string { return fmt.Sprintf(`"a%d":{"eq":1}`, i) }) + "}",
		"same keys":       "filter={" + many(",", func(int) string { return `"a":{"eq":1}` }) + "}",
		"long keys":       `filter={"` + long + `":{` + many(",", func(int) string { return `"eq":1` }) + "}}",
		"paths":           `filter={"` + long + `":{` + many(",", func(i int) string { return fmt.Sprintf(`"o%d":{}`, i) }) + "}}",
		"children":        `filter={"or":[` + many(",", func(int) string { return "1" }) + "]}",
	} {
		expr, problems := filter.Parse(query, filter.Limits{})
		if expr != nil {
			if n := len(leaves(expr)); n > filter.DefaultConditions {
				t.Errorf("%s: %d conditions", name, n)
			}
			_, more := filter.Bind(expr, benchSchema, filter.Limits{})
			problems = append(problems, more...)
		}
		size := 0
		for _, p := range problems {
			size += len(p.Field) + len(p.Code) + len(p.Detail)
		}
		if len(problems) == 0 || len(problems) > 151 || size > 10*len(query)+10_000 {
			t.Errorf("%s: %d problems, %d bytes for a request of %d", name, len(problems), size, len(query))
		}
	}
}
