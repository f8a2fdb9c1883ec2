package filter

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// operand reads one operand as the field's kind, in canonical form; problem says why not, and what would do.
func (f *Field) operand(raw any) (value Value, problem string) {
	switch given := raw.(type) {
	case Text:
		value, problem = f.parse(string(given))
		if given == "null" && problem != "" {
			return Value{}, `"null" is ` + f.no() + nullHint
		}
	case json.Number:
		if !f.numeric() {
			return Value{}, "the number " + quote(string(given)) + " is " + f.no() + "; " + f.wants()
		}
		value, problem = f.parse(string(given))
	case Value:
		value = given
		if given.kind != f.Kind && !given.IsNull() {
			return Value{}, fmt.Sprintf("a value of kind %v is %s", given.kind, f.no())
		}
	default:
		converted, err := ValueOf(f.Kind, raw)
		if err != nil {
			return Value{}, err.Error() + "; " + f.wants()
		}
		value = converted
	}
	if problem != "" {
		return Value{}, problem
	}
	if value.IsNull() {
		return Value{}, "NULL compares with nothing" + nullHint
	}
	if problem := f.check(value); problem != "" {
		return Value{}, problem
	}
	return value.Canonical(), ""
}

const nullHint = "; use isNull or isNotNull to test for NULL"

// numeric says whether a JSON number can be an operand: only its digits count then, no float is in between.
func (f *Field) numeric() bool {
	switch f.Kind {
	case Int, Uint, Float, Decimal, Bool:
		return true
	}
	return false
}

// parse reads a request's text.
func (f *Field) parse(text string) (Value, string) {
	value, ok := f.parseKind(text)
	if ok {
		return value, ""
	}
	problem := quote(text) + " is " + f.no() + "; " + f.wants()
	if strings.Contains(text, " ") && (f.numeric() || f.Kind == Time || f.Kind == Bytes) {
		problem += "; in a query string a + is written %2B"
	}
	return Value{}, problem
}

func (f *Field) parseKind(text string) (Value, bool) {
	switch f.Kind {
	case String, Enum:
		return Value{kind: f.Kind, text: text}, utf8.ValidString(text)
	case Int:
		n, err := strconv.ParseInt(text, 10, 64)
		return Value{kind: Int, num: uint64(n)}, err == nil
	case Uint:
		n, err := strconv.ParseUint(text, 10, 64)
		return Value{kind: Uint, num: n}, err == nil
	case Float:
		return parseFloat(text)
	case Decimal:
		return newDecimal(text), isDecimal(text)
	case Bool:
		return boolValue(text)
	case Time:
		return parseTime(text)
	case UUID:
		return uuidValue(text)
	case Bytes:
		return parseBase64(text)
	}
	return Value{}, false
}

// parseFloat takes decimal and exponent form only; strconv knows hexadecimal, infinities and NaN as well. What is too
// large for a double is infinite and refused by check, what is too small is 0.
func parseFloat(text string) (Value, bool) {
	if strings.Trim(text, "0123456789+-.eE") != "" {
		return Value{}, false
	}
	number, err := strconv.ParseFloat(text, 64)
	return Value{kind: Float, num: math.Float64bits(number)}, err == nil || errors.Is(err, strconv.ErrRange)
}

func parseTime(text string) (Value, bool) {
	layout := time.DateOnly
	if len(text) != len(layout) {
		if layout = time.RFC3339Nano; !shapedRFC3339(text) {
			return Value{}, false
		}
	}
	instant, err := time.Parse(layout, text)
	if err != nil {
		return Value{}, false
	}
	return timeValue(instant)
}

// shapedRFC3339 says that everything stands where RFC 3339 wants it. The time package lets hours of one digit, commas
// before the fraction and offsets of 99 hours pass (golang.org/issue/54580).
func shapedRFC3339(text string) bool {
	const seconds = len("2006-01-02T15:04:05")
	if len(text) <= seconds || !shaped(text[:seconds], "dddd-dd-ddTdd:dd:dd") {
		return false
	}
	rest := text[seconds:]
	if rest[0] == '.' {
		zone := strings.TrimLeft(rest[1:], "0123456789")
		if len(zone) == len(rest)-1 {
			return false // no digits
		}
		rest = zone
	}
	return rest == "Z" || shaped(rest, "+dd:dd") && rest[1:] < "24" && rest[4:] < "60"
}

// shaped compares the text with a shape in which d is a digit and + a sign.
func shaped(text, shape string) bool {
	if len(text) != len(shape) {
		return false
	}
	for i := range len(text) {
		switch c := text[i]; {
		case shape[i] == 'd' && c >= '0' && c <= '9':
		case shape[i] == '+' && (c == '+' || c == '-'):
		case shape[i] == c && c != 'd':
		default:
			return false
		}
	}
	return true
}

func parseBase64(text string) (Value, bool) {
	if strings.ContainsAny(text, "\r\n") { // encoding/base64 skips them
		return Value{}, false
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	return Value{kind: Bytes, text: string(raw)}, err == nil
}

// check refuses what the kind can hold and the field, or an operand, cannot.
func (f *Field) check(value Value) (problem string) {
	switch f.Kind {
	case String:
		if strings.Contains(value.text, "\x00") {
			return "text cannot hold the NUL character"
		}
	case Enum:
		if !slices.Contains(f.Members, value.text) {
			return quote(value.text) + " is " + f.no() + "; " + f.wants()
		}
	case Int:
		if low, high := f.intRange(); int64(value.num) < low || int64(value.num) > high {
			return value.Text() + " is " + f.no() + "; " + f.wants()
		}
	case Uint:
		if value.num > f.uintMax() {
			return value.Text() + " is " + f.no() + "; " + f.wants()
		}
	case Float:
		if number := math.Float64frombits(value.num); math.IsNaN(number) || math.IsInf(number, 0) {
			return "NaN and numbers beyond a double are no operands; " + f.wants()
		}
	}
	return ""
}

func (f *Field) bits() int {
	if f.Bits > 0 && f.Bits < 64 {
		return f.Bits
	}
	return 64
}

func (f *Field) intRange() (low, high int64) {
	high = math.MaxInt64 >> (64 - f.bits())
	return -high - 1, high
}

func (f *Field) uintMax() uint64 { return math.MaxUint64 >> (64 - f.bits()) }

// no is the field's kind in a sentence: no int, no member.
func (f *Field) no() string {
	if f.Kind == Enum {
		return "no member"
	}
	return "no " + f.Kind.String()
}

// wants says what an operand of the field has to be.
func (f *Field) wants() string {
	switch f.Kind {
	case String:
		return "give text in valid UTF-8, in JSON as a string"
	case Enum:
		return "give one of " + list(f.Members)
	case Int:
		low, high := f.intRange()
		return fmt.Sprintf("give a decimal integer from %d to %d", low, high)
	case Uint:
		return fmt.Sprintf("give a decimal integer from 0 to %d", f.uintMax())
	case Float:
		return "give a finite decimal number, with or without an exponent"
	case Decimal:
		return "give a decimal number without an exponent"
	case Bool:
		return "give true, false, 1 or 0"
	case Time:
		return "give RFC 3339 with an offset, such as 2026-01-31T12:00:00Z, or a date, such as 2026-01-31"
	case UUID:
		return "give 36 characters with dashes, such as 01234567-89ab-cdef-0123-456789abcdef"
	case Bytes:
		return "give standard base64 with its padding"
	}
	return "it takes no operand"
}
