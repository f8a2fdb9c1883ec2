package filter

import (
	"bytes"
	"database/sql/driver"
	"encoding"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// ValueOf turns a Go value, as a captor or a store hands it over, into a Value of the given kind. Pointers, named
// types and driver.Valuer are followed; nil gives Null. Text becomes valid UTF-8, times are cut to microseconds, as the
// databases keep them. The error names the Go type and the kind, never the value, which may be private.
func ValueOf(kind Kind, v any) (Value, error) {
	if !kind.Valid() {
		return Value{}, fmt.Errorf("%v is no kind of field", kind)
	}
	if kind == JSON {
		return jsonValue(v)
	}
	plain, err := reduce(v)
	if err != nil {
		return Value{}, err
	}
	if plain == nil {
		return Null, nil
	}
	value, ok := convert(kind, plain)
	if !ok {
		return Value{}, fmt.Errorf("a %T does not hold a value of kind %v", v, kind)
	}
	return value, nil
}

// MustValue is ValueOf for values that are known to fit, such as those in tests.
func MustValue(kind Kind, v any) Value {
	value, err := ValueOf(kind, v)
	if err != nil {
		panic(err)
	}
	return value
}

// reduce follows valuers, pointers and named types down to one of: nil, string, []byte, int64, uint64, float64, bool, time.Time.
func reduce(v any) (any, error) {
	switch plain := v.(type) {
	case nil, string, int64, uint64, float64, bool, time.Time:
		return plain, nil
	case []byte:
		return bytesOrNil(plain), nil
	case json.Number:
		return string(plain), nil
	}
	rv := reflect.ValueOf(v)
	if rv.Kind() == reflect.Pointer && rv.IsNil() {
		return nil, nil
	}
	if valuer, ok := v.(driver.Valuer); ok {
		inner, err := valuer.Value()
		if err != nil {
			return nil, fmt.Errorf("a %T refused to give its value: %w", v, err)
		}
		if raw, ok := inner.([]byte); ok {
			return bytesOrNil(raw), nil
		}
		return inner, nil
	}
	switch rv.Kind() {
	case reflect.Pointer:
		return reduce(rv.Elem().Interface())
	case reflect.String:
		return rv.String(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return rv.Int(), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return rv.Uint(), nil
	case reflect.Float32, reflect.Float64:
		return rv.Float(), nil
	case reflect.Bool:
		return rv.Bool(), nil
	case reflect.Slice:
		if rv.Type().Elem().Kind() == reflect.Uint8 {
			return bytesOrNil(rv.Bytes()), nil
		}
	}
	if text, ok := v.(encoding.TextMarshaler); ok {
		b, err := text.MarshalText()
		return string(b), err
	}
	return v, nil
}

// bytesOrNil keeps a slice that is nil from being an empty text: drivers store it as NULL.
func bytesOrNil(raw []byte) any {
	if raw == nil {
		return nil
	}
	return raw
}

func convert(kind Kind, plain any) (Value, bool) {
	switch kind {
	case String, Enum:
		return textValue(kind, plain)
	case Int:
		return intValue(plain)
	case Uint:
		return uintValue(plain)
	case Float:
		return floatValue(plain)
	case Decimal:
		return decimalValue(plain)
	case Bool:
		return boolValue(plain)
	case Time:
		return timeValue(plain)
	case UUID:
		return uuidValue(plain)
	case Bytes:
		return bytesValue(plain)
	}
	return Value{}, false
}

func textValue(kind Kind, plain any) (Value, bool) {
	switch t := plain.(type) {
	case string:
		return Value{kind: kind, text: validText(t)}, true
	case []byte:
		return Value{kind: kind, text: validText(string(t))}, true
	}
	return Value{}, false
}

// validText replaces what is not UTF-8, since neither JSON nor a text column can carry it.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

func intValue(plain any) (Value, bool) {
	switch n := plain.(type) {
	case int64:
		return Value{kind: Int, num: uint64(n)}, true
	case uint64:
		return Value{kind: Int, num: n}, n <= math.MaxInt64
	case string:
		i, err := strconv.ParseInt(n, 10, 64)
		return Value{kind: Int, num: uint64(i)}, err == nil
	case []byte:
		return intValue(string(n))
	case float64:
		// The upper bound is exclusive: 1<<63 is the float next above the largest int64.
		return Value{kind: Int, num: uint64(int64(n))}, n == math.Trunc(n) && n >= -1<<63 && n < 1<<63
	}
	return Value{}, false
}

func uintValue(plain any) (Value, bool) {
	switch n := plain.(type) {
	case uint64:
		return Value{kind: Uint, num: n}, true
	case int64:
		return Value{kind: Uint, num: uint64(n)}, n >= 0
	case string:
		u, err := strconv.ParseUint(n, 10, 64)
		return Value{kind: Uint, num: u}, err == nil
	case []byte:
		return uintValue(string(n))
	case float64:
		return Value{kind: Uint, num: uint64(n)}, n == math.Trunc(n) && n >= 0 && n < 1<<64
	}
	return Value{}, false
}

func floatValue(plain any) (Value, bool) {
	var f float64
	switch n := plain.(type) {
	case float64:
		f = n
	case int64:
		f = float64(n)
	case uint64:
		f = float64(n)
	case string:
		parsed, err := strconv.ParseFloat(n, 64)
		if err != nil {
			return Value{}, false
		}
		f = parsed
	case []byte:
		return floatValue(string(n))
	default:
		return Value{}, false
	}
	return Value{kind: Float, num: math.Float64bits(f)}, true
}

func decimalValue(plain any) (Value, bool) {
	switch n := plain.(type) {
	case string:
		if isDecimal(n) {
			return newDecimal(n), true
		}
		plain, ok := withoutExponent(n)
		return newDecimal(plain), ok
	case []byte:
		return decimalValue(string(n))
	case int64:
		return newDecimal(strconv.FormatInt(n, 10)), true
	case uint64:
		return newDecimal(strconv.FormatUint(n, 10)), true
	case float64:
		return decimalValue(strconv.FormatFloat(n, 'f', -1, 64))
	}
	return Value{}, false
}

// withoutExponent writes a decimal's exponent out. SQLite keeps decimals as doubles, and database/sql makes 1.5e+06 of
// one that is read into a text. More than a double's exponent is none of a row's, and would only cost memory.
func withoutExponent(s string) (text string, ok bool) {
	const most = 400
	at := strings.IndexAny(s, "eE")
	if at < 0 || !isDecimal(s[:at]) {
		return "", false
	}
	exponent, err := strconv.Atoi(s[at+1:])
	if err != nil || exponent < -most || exponent > most {
		return "", false
	}
	d := splitDecimal(s[:at])
	digits := strings.Repeat("0", most) + d.whole + d.fraction + strings.Repeat("0", most)
	point := most + len(d.whole) + exponent
	text = digits[:point] + "." + digits[point:]
	if d.negative {
		text = "-" + text
	}
	return canonicalDecimal(text), true
}

// isDecimal accepts an optional sign, digits, and an optional fraction.
func isDecimal(s string) bool {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	digits, dots := 0, 0
	for i := range len(s) {
		switch {
		case s[i] >= '0' && s[i] <= '9':
			digits++
		case s[i] == '.':
			dots++
		default:
			return false
		}
	}
	return digits > 0 && dots <= 1
}

func boolValue(plain any) (Value, bool) {
	switch b := plain.(type) {
	case bool:
		if b {
			return Value{kind: Bool, num: 1}, true
		}
		return Value{kind: Bool}, true
	case int64:
		return Value{kind: Bool, num: uint64(b)}, b == 0 || b == 1
	case uint64:
		return Value{kind: Bool, num: b}, b <= 1
	case string:
		switch b {
		case "true", "1":
			return Value{kind: Bool, num: 1}, true
		case "false", "0":
			return Value{kind: Bool}, true
		}
	}
	return Value{}, false
}

func timeValue(plain any) (Value, bool) {
	switch t := plain.(type) {
	case time.Time:
		return Value{kind: Time, num: uint64(t.UnixMicro())}, true
	case string:
		for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
			if parsed, err := time.Parse(layout, t); err == nil {
				return timeValue(parsed)
			}
		}
	}
	return Value{}, false
}

func uuidValue(plain any) (Value, bool) {
	switch u := plain.(type) {
	case string:
		lower := strings.ToLower(u)
		return Value{kind: UUID, text: lower}, isUUID(lower)
	case []byte:
		if len(u) != 16 {
			return uuidValue(string(u))
		}
		return Value{kind: UUID, text: dashed(u)}, true
	}
	return Value{}, false
}

// isUUID accepts the dashed form of RFC 9562 in lower case.
func isUUID(s string) bool {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
		case c >= '0' && c <= '9', c >= 'a' && c <= 'f':
		default:
			return false
		}
	}
	return true
}

func dashed(u []byte) string {
	text := hex.EncodeToString(u)
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

func bytesValue(plain any) (Value, bool) {
	switch b := plain.(type) {
	case []byte:
		return Value{kind: Bytes, text: string(b)}, true
	case string:
		return Value{kind: Bytes, text: b}, true
	}
	return Value{}, false
}

// jsonValue keeps the document on one line, so that it can stand in a frame.
func jsonValue(v any) (Value, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return Value{}, fmt.Errorf("a %T is no JSON: %w", v, err)
	}
	if isNullDocument(v, raw) {
		return Null, nil
	}
	return Value{kind: JSON, text: string(raw)}, nil
}

// isNullDocument reports whether the value is NULL in the database, and not a document, which may say null itself: a
// driver.Valuer knows, raw JSON is what it says, and anything else that marshals as null is not there.
func isNullDocument(v any, marshalled []byte) bool {
	rv := reflect.ValueOf(v)
	for {
		if !rv.IsValid() || rv.Kind() == reflect.Pointer && rv.IsNil() {
			return true
		}
		if valuer, ok := rv.Interface().(driver.Valuer); ok {
			given, err := valuer.Value()
			return err == nil && given == nil
		}
		if rv.Kind() != reflect.Pointer {
			break
		}
		rv = rv.Elem()
	}
	if rv.Kind() == reflect.Slice && rv.Type().Elem().Kind() == reflect.Uint8 {
		return rv.IsNil()
	}
	return bytes.Equal(marshalled, []byte("null"))
}
