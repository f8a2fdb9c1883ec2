package filter

import "fmt"

// Kind says how a field's values compare and how its operands are written. The zero Kind is invalid.
type Kind uint8

// The kinds. Numbers keep their full width: a 64-bit integer never passes through a float.
const (
	String  Kind = iota + 1 // text, compared bytewise
	Enum                    // text out of a fixed list of members
	Int                     // signed integer of up to 64 bits
	Uint                    // unsigned integer of up to 64 bits
	Float                   // IEEE 754 double; NaN equals itself and is above all numbers, as in PostgreSQL
	Decimal                 // decimal number of any length, compared exactly
	Bool                    // false < true
	Time                    // an instant, at microsecond precision
	UUID                    // compared in its lower-case text form
	Bytes                   // binary, compared bytewise
	JSON                    // any JSON document or array: null tests only
)

var kindNames = [...]string{
	String: "string", Enum: "enum", Int: "int", Uint: "uint", Float: "float", Decimal: "decimal",
	Bool: "bool", Time: "time", UUID: "uuid", Bytes: "bytes", JSON: "json",
}

// Valid reports whether k is one of the declared kinds.
func (k Kind) Valid() bool { return k >= String && k <= JSON }

// String is the kind's name in lower case, as error texts use it.
func (k Kind) String() string {
	if !k.Valid() {
		return fmt.Sprintf("kind(%d)", uint8(k))
	}
	return kindNames[k]
}
