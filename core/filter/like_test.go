package filter_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rowcast/rowcast/core/filter"
)

var titleSchema = filter.Schema{{Name: "title", Kind: filter.String, Access: filter.Allowed}}

// likeReference is LIKE as the PostgreSQL manual describes it, one rule a line; the memory keeps it from going back over
// the same rest of pattern and text twice. It is not ok for a pattern that ends in a lone escape.
func likeReference(pattern, text string, fold bool) (match, ok bool) {
	p, t := []rune(pattern), []rune(text)
	same := func(x, y rune) bool {
		return x == y || fold && unicode.ToLower(x) == unicode.ToLower(y)
	}
	known := map[[2]int]bool{}
	var matches func(i, j int) bool
	rules := func(i, j int) bool {
		switch {
		case i == len(p):
			return j == len(t)
		case p[i] == '%':
			return matches(i+1, j) || j < len(t) && matches(i, j+1)
		case j == len(t):
			return false
		case p[i] == '_':
			return matches(i+1, j+1)
		case p[i] == '\\':
			return same(p[i+1], t[j]) && matches(i+2, j+1)
		}
		return same(p[i], t[j]) && matches(i+1, j+1)
	}
	matches = func(i, j int) bool {
		if result, seen := known[[2]int{i, j}]; seen {
			return result
		}
		result := rules(i, j)
		known[[2]int{i, j}] = result
		return result
	}
	for i := 0; i < len(p); i++ {
		if p[i] == '\\' {
			if i++; i == len(p) {
				return false, false
			}
		}
	}
	return matches(0, 0), true
}

func TestLike(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		like, ilike   bool
	}{
		{"", "", true, true},
		{"", "a", false, false},
		{"a", "a", true, true},
		{"a", "A", false, true},
		{"a", "ab", false, false}, // no wildcard is added
		{"a%", "abc", true, true},
		{"a%", "a", true, true},
		{"%c", "abc", true, true},
		{"%b%", "abc", true, true},
		{"%%", "", true, true},
		{"%", "x\ny", true, true}, // newlines are nothing special
		{"a_c", "a\nc", true, true},
		{"a_c", "ac", false, false},
		{"_", "", false, false},
		{"_", "ä", true, true}, // a code point, not a byte
		{"__", "ä", false, false},
		{"_", "👩‍💻", false, false}, // three code points
		{"___", "👩‍💻", true, true},
		{"ab%ab", "ab", false, false}, // head and tail do not overlap
		{"ab%ab", "abab", true, true},
		{"%_x%y_%", "axby", false, false},
		{"%_x%y_%", "axbyc", true, true},
		{"%a_", "aaab", true, true},
		{`100\%`, "100%", true, true},
		{`100\%`, "1000", false, false},
		{`a\_b`, "a_b", true, true},
		{`a\_b`, "axb", false, false},
		{`a\\b`, `a\b`, true, true},
		{`\a`, "a", true, true},
		{"ÄPFEL%", "äpfel und birnen", false, true},
		{"%ς", "Σ", false, false}, // ToLower(Σ) is σ: PostgreSQL's C.UTF-8 says the same
		{"s", "ſ", false, false},
		{"i", "İ", false, true},
		{"ǆ", "ǅ", false, true},
	} {
		for name, expr := range map[string]filter.Expr{"like": filter.Like("title", c.pattern), "ilike": filter.ILike("title", c.pattern)} {
			want := c.like
			if name == "ilike" {
				want = c.ilike
			}
			row := []filter.Value{filter.MustValue(filter.String, c.text)}
			if got := mustBind(t, expr, titleSchema).Match(row); got != want {
				t.Errorf("%q %s %q is %v, want %v", c.text, name, c.pattern, got, want)
			}
			if got, _ := likeReference(c.pattern, c.text, name == "ilike"); got != want {
				t.Errorf("the reference says that %q %s %q is %v, want %v", c.text, name, c.pattern, got, want)
			}
		}
	}
}

func TestLikeAgainstReference(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := []string{"a", "a", "b", "A", "%", "%", "_", `\`, "ä", "Ä", "İ", "\n", "日"}
	pick := func(most int) string {
		var b strings.Builder
		for range random.IntN(most) {
			b.WriteString(letters[random.IntN(len(letters))])
		}
		return b.String()
	}
	for range 50_000 {
		checkLike(t, pick(8), pick(12))
	}
}

// checkLike compares like and ilike with the reference.
func checkLike(t *testing.T, pattern, text string) {
	t.Helper()
	row := []filter.Value{filter.MustValue(filter.String, text)}
	for _, expr := range []filter.Condition{filter.Like("title", pattern), filter.ILike("title", pattern)} {
		want, ok := likeReference(pattern, text, expr.Operator == filter.OpILike)
		compiled, problems := filter.Bind(expr, titleSchema, filter.NoLimits())
		if ok != (len(problems) == 0) {
			t.Fatalf("%q: the reference says well formed %v, problems are %v", pattern, ok, problems)
		}
		if ok && compiled.Match(row) != want {
			t.Fatalf("%q %s %q is %v, want %v", text, expr.Operator, pattern, !want, want)
		}
	}
}

func TestEscapeLike(t *testing.T) {
	text := `50%_of\all`
	row := []filter.Value{filter.MustValue(filter.String, "x"+text+"y")}
	if !mustBind(t, filter.Like("title", "%"+filter.EscapeLike(text)+"%"), titleSchema).Match(row) {
		t.Error("escaped text does not match itself")
	}
	if got := filter.EscapeLike(text); got != `50\%\_of\\all` {
		t.Errorf("got %s", got)
	}
}

// A pattern must not make a publisher wait, whoever wrote it: 200 characters against 10 KB take a few milliseconds.
func TestLikeDoesNotGoBack(t *testing.T) {
	row := []filter.Value{filter.MustValue(filter.String, strings.Repeat("a", 10_000))}
	for pattern, want := range map[string]bool{
		strings.Repeat("%a", 100):               true,
		strings.Repeat("%a", 99) + "%b":         false,
		"%" + strings.Repeat("a", 198) + "b":    false,
		strings.Repeat("%_a", 66) + "%b":        false,
		"%" + strings.Repeat("a%", 98) + `\_`:   false,
		"%" + strings.Repeat("_", 198) + "b":    false,
		"%" + strings.Repeat("a_", 97) + "%b_%": false,
	} {
		for _, expr := range []filter.Expr{filter.Like("title", pattern), filter.ILike("title", pattern)} {
			compiled, problems := filter.Bind(expr, titleSchema, filter.Limits{})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			if got := compiled.Match(row); got != want {
				t.Errorf("%v is %v", expr, got)
			}
		}
	}
}

func FuzzLike(f *testing.F) {
	for _, seed := range [][2]string{
		{"%a%a%", "aaaa"}, {`a\%_b`, "a%xb"}, {"_ä%", "xÄy\n"}, {`\`, ""}, {"%İ_", "iſς"}, {"a%a", "a"}, {"%%_%%", "x"},
		{"%ab_ab%b", "abxababyab"}, {"\u2028_", "\u2028x"}, {"ǆ%", "ǅ"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if !utf8.ValidString(pattern) || !utf8.ValidString(text) || strings.Contains(pattern+text, "\x00") {
			t.Skip("no text of a database")
		}
		if len(pattern)*len(text) > 100_000 {
			t.Skip("the reference is slow")
		}
		checkLike(t, pattern, text)
	})
}
