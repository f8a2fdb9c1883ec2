package filter

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// nullKind marks SQL's NULL inside a Value; it is no Kind that a field can have.
const nullKind Kind = 255

// Value is one typed value of a row: small, immutable, comparable without reflection.
// The zero Value means that the value is missing (not known); Null is SQL's NULL.
type Value struct {
	kind Kind
	num  uint64 // Int, Uint, Bool, Float (bits), Time (microseconds since 1970, two's complement), Decimal (see newDecimal)
	text string // String, Enum, Decimal, UUID, Bytes, JSON
}

// Null is SQL's NULL.
var Null = Value{kind: nullKind}

// Kind is the value's kind, or 0 when it is missing or NULL.
func (v Value) Kind() Kind {
	if v.kind == nullKind {
		return 0
	}
	return v.kind
}

// IsNull reports whether v is SQL's NULL.
func (v Value) IsNull() bool { return v.kind == nullKind }

// IsMissing reports whether nothing is known about the value, not even whether it is NULL.
func (v Value) IsMissing() bool { return v.kind == 0 }

// Any is the value as a plain Go value: string (String, Enum, Decimal, UUID), int64, uint64, float64, bool,
// time.Time in UTC, []byte, json.RawMessage, or nil when it is NULL or missing.
func (v Value) Any() any {
	switch v.kind {
	case String, Enum, Decimal, UUID:
		return v.text
	case Int:
		return int64(v.num)
	case Uint:
		return v.num
	case Float:
		return math.Float64frombits(v.num)
	case Bool:
		return v.num == 1
	case Time:
		return v.time()
	case Bytes:
		return []byte(v.text)
	case JSON:
		return json.RawMessage(v.text)
	}
	return nil
}

// Text is the value in the canonical text form that ids and operands use; "" when it is NULL or missing.
func (v Value) Text() string {
	switch v.kind {
	case Int:
		return strconv.FormatInt(int64(v.num), 10)
	case Uint:
		return strconv.FormatUint(v.num, 10)
	case Float:
		return strconv.FormatFloat(math.Float64frombits(v.num), 'g', -1, 64)
	case Bool:
		return strconv.FormatBool(v.num == 1)
	case Time:
		return v.time().Format(time.RFC3339Nano)
	case Bytes:
		return base64.StdEncoding.EncodeToString([]byte(v.text))
	}
	return v.text
}

// Size is the memory that the value holds, in bytes.
func (v Value) Size() int { return 32 + len(v.text) }

// Micros is a Time as microseconds since 1970; 0 for any other kind.
func (v Value) Micros() int64 {
	if v.kind != Time {
		return 0
	}
	return int64(v.num)
}

func (v Value) time() time.Time { return time.UnixMicro(int64(v.num)).UTC() }
