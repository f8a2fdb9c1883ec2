package filter

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
)

// AppendJSON appends the value as JSON on one line: NULL and missing as null, integers in full width, decimals as text,
// times as RFC 3339 in UTC, bytes as base64. A value that JSON cannot hold (NaN, an infinity, a year past 9999) is
// appended as null, together with an error that says so: the member degrades, the document stays whole.
func (v Value) AppendJSON(dst []byte) ([]byte, error) {
	switch v.kind {
	case String, Enum, Decimal, UUID:
		return AppendJSONString(dst, v.text), nil
	case Int:
		return strconv.AppendInt(dst, int64(v.num), 10), nil
	case Uint:
		return strconv.AppendUint(dst, v.num, 10), nil
	case Float:
		return appendFloat(dst, math.Float64frombits(v.num))
	case Bool:
		return strconv.AppendBool(dst, v.num == 1), nil
	case Time:
		return appendTime(dst, v.time())
	case Bytes:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, []byte(v.text))
		return append(dst, '"'), nil
	case JSON:
		return append(dst, v.text...), nil
	}
	return append(dst, "null"...), nil
}

func appendFloat(dst []byte, f float64) ([]byte, error) {
	raw, err := json.Marshal(f)
	if err != nil {
		return append(dst, "null"...), fmt.Errorf("JSON has no number for %v", f)
	}
	return append(dst, raw...), nil
}

func appendTime(dst []byte, t time.Time) ([]byte, error) {
	if t.Year() < 0 || t.Year() > 9999 {
		return append(dst, "null"...), fmt.Errorf("RFC 3339 has no year %d", t.Year())
	}
	dst = append(dst, '"')
	dst = t.AppendFormat(dst, time.RFC3339Nano)
	return append(dst, '"'), nil
}

// AppendJSONString appends s as a JSON string on one line; what is not UTF-8 becomes U+FFFD.
func AppendJSONString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return appendEscaped(dst, s)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

func appendEscaped(dst []byte, s string) []byte {
	buf := bytes.NewBuffer(dst)
	encoder := json.NewEncoder(buf)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		panic("encoding/json refuses a string: " + err.Error()) // it never does
	}
	out := buf.Bytes()
	return out[:len(out)-1] // Encode ends with a newline
}
