package filter

import (
	"cmp"
	"math"
	"strings"
)

// Compare orders two values of the same kind, as filters compare them: below 0 if v comes first, 0 if they are equal.
// It is not ok if the kinds differ, if either value is NULL or missing, or if the kind is JSON. It allocates nothing.
func (v Value) Compare(other Value) (order int, ok bool) {
	if v.kind != other.kind || !v.kind.Valid() || v.kind == JSON {
		return 0, false
	}
	return compare(&v, &other), true
}

// Canonical is the one value of all those that are equal to v: two values that Compare as equal have canonical forms
// that are ==, so that they can be keys of a map. It differs from v for decimals (1.00), for -0.0 and for odd NaNs
// only, and allocates for decimals only, if their text has to change.
func (v Value) Canonical() Value {
	switch v.kind {
	case Decimal:
		v.text = canonicalDecimal(v.text)
	case Float:
		switch f := math.Float64frombits(v.num); {
		case f == 0:
			v.num = 0
		case f != f:
			v.num = math.Float64bits(math.NaN())
		}
	}
	return v
}

// compare orders two values of the same kind.
func compare(a, b *Value) int {
	switch a.kind {
	case Int, Time:
		return cmp.Compare(int64(a.num), int64(b.num))
	case Uint, Bool:
		return cmp.Compare(a.num, b.num)
	case Float:
		return compareFloats(math.Float64frombits(a.num), math.Float64frombits(b.num))
	case Decimal:
		return compareDecimals(a, b)
	}
	return strings.Compare(a.text, b.text)
}

// compareFloats puts NaN, equal to itself, above all numbers, as PostgreSQL does; cmp.Compare puts it below.
func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	return cmp.Compare(nanRank(a), nanRank(b))
}

func nanRank(f float64) int {
	if f != f {
		return 1
	}
	return 0
}

// equal is compare(a, b) == 0, sooner.
func equal(a, b *Value) bool {
	switch a.kind {
	case Int, Time, Uint, Bool:
		return a.num == b.num
	case Float, Decimal:
		return compare(a, b) == 0
	}
	return a.text == b.text
}
