package matrix_test

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rowcast/rowcast/core/filter"
)

// argument is one operand in all the ways that it can be written.
type argument struct {
	code any    // in Go
	text string // in brackets
	json string // in the JSON form
}

// near is an operand for the column: a value that some row has, one close to it, or any other.
func (v values) near(c column, b *batch) any {
	var value any
	switch v.IntN(5) {
	case 0:
		wide, free := c, v
		wide.rowBits, wide.single, wide.day = c.Bits, false, false
		free.profile.maxUint = math.MaxUint64
		value = free.of(wide)
	case 1:
		value = pick(v, b.hot[slices.IndexFunc(b.columns, func(other column) bool { return other.Name == c.Name })])
	default:
		row := pick(v, [][][]filter.Value{b.written, b.read})[v.IntN(len(b.ids))]
		if value = row[c.ordinal].Any(); value == nil {
			value = v.of(c)
		}
	}
	if v.IntN(3) == 0 {
		value = v.beside(c, value)
	}
	if text, ok := value.(string); ok {
		value = strings.ReplaceAll(text, "\x00", "") // no operand holds it
	}
	if f, ok := value.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return math.Copysign(math.MaxFloat64, f) // no operand, but next to it
	}
	return value
}

// beside is a value that a comparison must only just tell apart, or must not.
func (v values) beside(c column, value any) any {
	switch x := value.(type) {
	case int64:
		low, high := int64(math.MinInt64), int64(math.MaxInt64)
		if c.Bits > 0 {
			low, high = -1<<(c.Bits-1), 1<<(c.Bits-1)-1
		}
		if v.IntN(2) == 0 {
			return max(x, low+1) - 1
		}
		return min(x, high-1) + 1
	case uint64:
		high := uint64(math.MaxUint64)
		if c.Bits > 0 {
			high = 1<<c.Bits - 1
		}
		if v.IntN(2) == 0 {
			return max(x, 1) - 1
		}
		return min(x, high-1) + 1
	case float64:
		return math.Nextafter(x, pick(v, []float64{math.Inf(1), math.Inf(-1)}))
	case time.Time:
		return x.Add(pick(v, []time.Duration{1, -1, time.Microsecond, -time.Microsecond, time.Second, -499}))
	case []byte:
		if v.IntN(2) == 0 && len(x) > 0 {
			return x[:len(x)-1]
		}
		return append(slices.Clone(x), pick(v, []byte{0, ' ', 0xff}))
	case string:
		switch c.Kind {
		case filter.String:
			return v.profile.text(v.besideText(x))
		case filter.Decimal:
			return v.besideDecimal(x)
		case filter.UUID:
			return x[:35] + pick(v, []string{"0", "1", "e", "f"})
		}
	}
	return value
}

func (v values) besideText(text string) string {
	switch v.IntN(6) {
	case 0:
		return text + pick(v, []string{" ", "a", "%", "\u0301"})
	case 1:
		return strings.TrimRight(text, " ")
	case 2:
		return strings.ToUpper(text)
	case 3:
		return strings.Map(swapCase, text)
	case 4:
		_, size := utf8.DecodeLastRuneInString(text)
		return text[:len(text)-size]
	}
	return strings.ToLower(text)
}

func swapCase(r rune) rune {
	if lower := unicode.ToLower(r); lower != r {
		return lower
	}
	return unicode.ToUpper(r)
}

// besideDecimal says the same in another scale, or differs in the last digit that the profile allows.
func (v values) besideDecimal(text string) string {
	whole, fraction, _ := strings.Cut(text, ".")
	digits := strings.TrimLeft(whole, "+-0")
	switch room := v.profile.decimalFraction - len(fraction); {
	case v.IntN(3) == 0:
		return strings.Replace("-"+strings.TrimLeft(text, "+"), "--", "", 1)
	case len(digits) > v.profile.decimalWhole || room < 2:
		return text
	case v.IntN(2) == 0:
		return whole + "." + fraction + "00"
	default:
		return whole + "." + fraction + "01"
	}
}

// argument writes the operand in every way.
func (v values) argument(c column, value any) argument {
	a := argument{code: value}
	if v.IntN(4) == 0 {
		a.code = filter.MustValue(c.Kind, value)
	}
	bare := false // the JSON form may be without quotes
	switch x := value.(type) {
	case string:
		if a.text = x; c.Kind == filter.UUID && v.IntN(2) == 0 {
			a.text = strings.ToUpper(x)
		}
		bare = c.Kind == filter.Decimal && json.Valid([]byte(x))
	case int64:
		a.text, bare = strconv.FormatInt(x, 10), true
		if v.IntN(3) == 0 {
			a.code = a.text
		}
	case uint64:
		a.text, bare = strconv.FormatUint(x, 10), true
	case float64:
		a.text, bare = strconv.FormatFloat(x, pick(v, []byte{'g', 'e', 'f'}), -1, 64), true
	case bool:
		a.text, bare = strconv.FormatBool(x), true
		if v.IntN(3) == 0 {
			a.text = map[bool]string{true: "1", false: "0"}[x]
		}
	case time.Time:
		a.text = x.In(pick(v, zones)).Format(time.RFC3339Nano)
		if midnight := x.UTC(); midnight.Equal(midnight.Truncate(24 * time.Hour)) {
			a.text = midnight.Format(time.DateOnly)
		}
	case []byte:
		a.text = base64.StdEncoding.EncodeToString(x)
	}
	if a.json = a.text; !bare || v.IntN(2) == 0 {
		a.json = string(filter.AppendJSONString(nil, a.text))
	}
	return a
}

// pattern is one for like or ilike that some row may match.
func (v values) pattern(c column, b *batch) string {
	runes := []rune(v.near(c, b).(string))
	if len(runes) > 60 {
		runes = runes[:60]
	}
	var out strings.Builder
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case v.IntN(8) == 0:
			out.WriteByte('_')
		case v.IntN(8) == 0:
			out.WriteByte('%')
			i += v.IntN(len(runes) - i)
		case strings.ContainsRune(`%_\`, r) || v.IntN(20) == 0: // an escape before a letter means the letter
			out.WriteString(`\` + string(r))
		case v.IntN(4) == 0:
			out.WriteRune(swapCase(r))
		default:
			out.WriteRune(r)
		}
	}
	switch v.IntN(6) {
	case 0:
		out.WriteString("%")
	case 1:
		return v.profile.text("%" + out.String())
	case 2:
		return v.profile.text(pick(v, []string{"%", "", "_", "%%", "_%", "%_%", "__", `%\%%`, `%\_%`, `%\\%`, "%|%", "%[%", "%*%", "%?%", "[a]", "[^a]%", "%ä%", "%K%", "i%"}))
	}
	return v.profile.text(out.String())
}
