package matrix_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/rowcast/rowcast/core/filter"
)

// values makes the hard values of each kind. Each comes as its plain Go type: string, int64, uint64, float64, bool,
// time.Time, []byte, json.RawMessage; decimals and UUIDs are strings.
type values struct {
	*rand.Rand
	profile profile
}

// of is a value for the column that a row of this database can hold; never nil.
func (v values) of(c column) any {
	switch c.Kind {
	case filter.String:
		return v.text()
	case filter.Enum:
		return pick(v, c.Members)
	case filter.Int:
		return v.integer(c.rowBits)
	case filter.Uint:
		return v.unsigned(c.rowBits)
	case filter.Float:
		return v.float(c.single)
	case filter.Decimal:
		return v.decimal()
	case filter.Bool:
		return v.IntN(2) == 0
	case filter.Time:
		if c.day {
			return v.time().UTC().Truncate(24 * time.Hour)
		}
		return v.time()
	case filter.UUID:
		return v.uuid()
	case filter.Bytes:
		return v.bytes()
	case filter.JSON:
		return json.RawMessage(pick(v, []string{"null", "{}", "[]", `{"a": null}`, `"null"`, `""`, "0", "false", `["ä"]`}))
	}
	panic(fmt.Sprintf("no values of kind %v", c.Kind))
}

func pick[T any](v values, from []T) T { return from[v.IntN(len(from))] }

// pieces are what databases treat in ways of their own: wildcards, quotes, line ends, blanks, and letters whose case is
// special (ſ, ς, ı, İ, ß, the signs of kelvins, ohms and ångströms, titlecase, scripts outside the first plane), or
// whose capitals are young.
var pieces = strings.Split("a b c A B C k K s S i I ä Ä é É e\u0301 o\u0308 ß ẞ ſ ς σ Σ ı İ K Å å Ω ω ǆ ǅ Ǆ Ⓐ ⓐ 𐐀 𐐨 ა Ა Ꭰ ꭰ Ɡ ɡ Ԯ ԯ日 😀 "+
	"% _ \\ | [ ] * ? ^ - [a-z] [^a] ' \" ` ; -- /* { } $1 : \n \r\n \t \u0001 \u007f \u00a0 \u200d \u2028 \ufffd \uffff \U0010ffff 0 1", " ")

var fixedTexts = []string{
	"", " ", "  ", "a", "a ", " a", "A", "ab", "abc", "ABC", "aBc", "%", "_", `\`, `\\`, `\%`, "|", "||", "|%", "null", "NULL", "true", "1", "1.0", "01", ",", "a,b",
	"ä", "a\u0308", "Straße", "STRASSE", "ΟΔΟΣ", "οδος", "οδοσ", "İstanbul", "istanbul", "i\u0307stanbul", "'; DROP TABLE oracle_rows; --", "100%", "a_b", "a%b", "a\nb", "*", "[a]", "K", "k",
}

func (v values) text() string {
	var text string
	switch v.IntN(10) {
	case 0, 1, 2, 3:
		text = pick(v, fixedTexts)
	case 4:
		text = strings.Repeat(pick(v, pieces), 1+v.IntN(60)) + pick(v, pieces)
	default:
		for range v.IntN(6) {
			text += pick(v, pieces)
		}
	}
	if v.IntN(12) == 0 {
		text += " "
	}
	if v.profile.nul && v.IntN(12) == 0 {
		text += "\x00" + pick(v, pieces)
	}
	return v.profile.text(text)
}

func (v values) integer(bits int) int64 {
	if bits == 0 {
		bits = 64
	}
	high := int64(math.MaxInt64) >> (64 - bits)
	switch v.IntN(4) {
	case 0:
		n := pick(v, []int64{high, high - 1, -high - 1, -high, 1 << 53, 1<<53 + 1, 1<<53 - 1, -1<<53 - 1, math.MaxInt32 + 1, math.MaxInt16 + 1})
		if n <= high && n >= -high-1 {
			return n
		}
		return high
	case 1:
		return v.Int64() >> (64 - bits) * int64(1-2*v.IntN(2))
	}
	return int64(v.IntN(9)) - 4
}

func (v values) unsigned(bits int) uint64 {
	if bits == 0 {
		bits = 64
	}
	high := uint64(math.MaxUint64) >> (64 - bits)
	if bits == 64 {
		high = min(high, v.profile.maxUint)
	}
	switch v.IntN(4) {
	case 0:
		return min(high, pick(v, []uint64{high, high - 1, 1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<53 + 1, 1 << 53, 128, 256}))
	case 1:
		return min(high, v.Uint64()>>(64-bits))
	}
	return uint64(v.IntN(6))
}

func (v values) float(single bool) float64 {
	f := v.anyFloat()
	if single && !math.IsInf(f, 0) {
		if narrowed := float64(float32(f)); !math.IsInf(narrowed, 0) {
			return narrowed
		}
		return math.MaxFloat32
	}
	return f
}

func (v values) anyFloat() float64 {
	switch v.IntN(8) {
	case 0:
		f := pick(v, []float64{math.NaN(), math.Inf(1), math.Inf(-1)})
		if math.IsNaN(f) && v.profile.noNaN || math.IsInf(f, 0) && v.profile.noInfinity {
			return 0
		}
		return f
	case 1:
		return pick(v, []float64{math.Copysign(0, -1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1e-300, 1 << 53, 1<<53 + 2, math.MaxFloat32, 1e21, 1e-7})
	case 2:
		return pick(v, []float64{0.1, 0.2, 0.1 + 0.2, 0.3, 1.0 / 3, float64(float32(0.1)), 16777217, 123456.789, 1234567.5})
	case 3:
		return v.NormFloat64() * math.Pow(10, float64(v.IntN(30)-15))
	}
	return float64(v.IntN(9)-4) / 2
}

// decimal has at most as many digits as the profile says, and often a scale that says nothing.
func (v values) decimal() string {
	short := pick(v, []string{"0", "-0", "0.0", "1", "1.0", "1.00", "+1", "01", "1.01", "-1", "-1.0", "-1.5", ".5", "0.5", "0.50", "5.", "0.1", "0.10", "-0.1", "99.99", "1234567.5", "12000000", "0.00001"})
	switch v.IntN(4) {
	case 0, 1:
		return short
	case 2:
		if v.profile.decimalWhole >= 20 && v.profile.decimalFraction >= 20 { // the same double, and not the same decimal
			return pick(v, []string{"9007199254740992", "9007199254740993", "9007199254740993.0", "0.12345678901234567891", "0.12345678901234567892", "-12345678901234567.1", "-12345678901234567.2", "18446744073709551616.01"})
		}
	}
	whole, fraction := v.profile.decimalWhole, v.profile.decimalFraction
	digits := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(strconv.Itoa(v.IntN(10)))
		}
		return b.String()
	}
	text := digits(1 + v.IntN(whole))
	if v.IntN(3) > 0 {
		text += "." + digits(1+v.IntN(fraction))
	}
	return pick(v, []string{"", "-"}) + text
}

var (
	zones = []*time.Location{time.UTC, time.FixedZone("", 2*3600), time.FixedZone("", -5*3600-1800), time.FixedZone("", 14*3600)}
	epoch = time.Unix(0, 0).UTC()
)

// time is within 0001 to 9999 in every zone, so that an operand near it can be written in RFC 3339.
func (v values) time() time.Time {
	var t time.Time
	switch v.IntN(6) {
	case 0:
		t = pick(v, []time.Time{
			{}, epoch, time.Unix(-1, 999999999), time.Unix(-1, 999999000), time.Date(9999, 12, 30, 23, 59, 59, 999999999, time.UTC),
			time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1900, 2, 28, 23, 59, 59, 1000, time.UTC), time.Date(2038, 1, 19, 3, 14, 8, 0, time.UTC),
		})
	case 1:
		t = time.Date(1950+v.IntN(120), time.Month(1+v.IntN(12)), 1+v.IntN(28), v.IntN(24), v.IntN(60), v.IntN(60), v.IntN(1e9), time.UTC)
	case 2:
		t = time.Date(2026, 1, 31+v.IntN(2), 0, 0, 0, 0, time.UTC)
	default: // a few instants that are close to one another
		t = time.Date(2026, 1, 31, 12, 0, v.IntN(2), 123456000+v.IntN(3)*1000+pick(v, []int{0, 0, 1, 499, 500, 501, 999}), time.UTC)
	}
	if !t.IsZero() {
		t = t.In(pick(v, zones))
	}
	return v.profile.time(t)
}

func (v values) uuid() string {
	u := make([]byte, 16)
	switch v.IntN(4) {
	case 0: // all zeros
	case 1:
		for i := range u {
			u[i] = 0xff
		}
	case 2:
		for i := range u {
			u[i] = byte(v.IntN(256))
		}
	default:
		u[0], u[15] = byte(0xab+v.IntN(2)), byte(v.IntN(4))
	}
	return dashedUUID(u)
}

func (v values) bytes() []byte {
	raw := []byte(pick(v, []string{"", "\x00", "\xff", "a", "A", "a ", "a\x00", "\x00a", "ä", "\xc3", "NULL", `\x41`, "\x80\x81"}))
	if v.IntN(4) == 0 {
		for range v.IntN(20) {
			raw = append(raw, byte(v.IntN(256)))
		}
	}
	if len(raw) == 0 && v.profile.noEmptyBytes {
		return []byte{0}
	}
	return raw
}
