package rowcastgorm

import (
	"slices"
	"testing"
	"time"
	"unicode"
)

// TestFoldsLike holds GLOB's sets against the mapping that the evaluator uses, for every code point there is.
func TestFoldsLike(t *testing.T) {
	same := make(map[rune][]rune)
	for r := range rune(unicode.MaxRune + 1) {
		same[unicode.ToLower(r)] = append(same[unicode.ToLower(r)], r)
	}
	for r := range rune(unicode.MaxRune + 1) {
		got, want := foldsLike(r), same[unicode.ToLower(r)]
		if len(got) == 1 && len(want) == 1 {
			continue
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%U folds like %U, want %U", r, got, want)
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct{ pattern, escaped, glob, folded string }{
		{"", "", "", ""},
		{"a%b_", "a%b_", "a*b?", "[aA]*[bB]?"},
		{`\%\_\\\a`, `|%|_\a`, `%_\a`, `%_\[aA]`},
		{"*?[]^-|", "*?[]^-||", "[*][?][[]]^-|", "[*][?][[]]^-|"},
		{`\*\|`, "*||", "[*]|", "[*]|"},
		{"kİ", "kİ", "kİ", "[k\u212aK][iIİ]"},
		{"ſσς", "ſσς", "ſσς", "ſ[σΣ]ς"},
	} {
		if got := escaped(c.pattern); got != c.escaped {
			t.Errorf("%q for LIKE is %q, want %q", c.pattern, got, c.escaped)
		}
		if got := glob(c.pattern, false); got != c.glob {
			t.Errorf("%q for GLOB is %q, want %q", c.pattern, got, c.glob)
		}
		if got := glob(c.pattern, true); got != c.folded {
			t.Errorf("%q for a folding GLOB is %q, want %q", c.pattern, got, c.folded)
		}
	}
}

// TestWithinMySQL: a request may say years that no driver for MySQL sends.
func TestWithinMySQL(t *testing.T) {
	for given, want := range map[string]string{
		"0000-01-01T00:00:00Z":        "0001-01-01T00:00:00Z",
		"9999-12-31T23:59:59-10:00":   "9999-12-31T23:59:59.999999Z",
		"2026-01-31T12:00:00.000001Z": "2026-01-31T12:00:00.000001Z",
	} {
		instant, err := time.Parse(time.RFC3339Nano, given)
		if err != nil {
			t.Fatal(err)
		}
		if got := withinMySQL(instant).Format(time.RFC3339Nano); got != want {
			t.Errorf("%s is %s, want %s", given, got, want)
		}
	}
}
