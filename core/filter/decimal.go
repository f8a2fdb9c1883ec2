package filter

import (
	"math"
	"strconv"
	"strings"
)

// decimalParts is a decimal number taken apart without copying: no leading zeros in whole, no trailing ones in fraction.
type decimalParts struct {
	negative        bool // never for zero
	whole, fraction string
}

func splitDecimal(text string) decimalParts {
	var d decimalParts
	if text != "" && (text[0] == '-' || text[0] == '+') {
		d.negative = text[0] == '-'
		text = text[1:]
	}
	d.whole = text
	if dot := strings.IndexByte(text, '.'); dot >= 0 {
		d.whole, d.fraction = text[:dot], text[dot+1:]
	}
	for d.whole != "" && d.whole[0] == '0' {
		d.whole = d.whole[1:]
	}
	for d.fraction != "" && d.fraction[len(d.fraction)-1] == '0' {
		d.fraction = d.fraction[:len(d.fraction)-1]
	}
	if d.whole == "" && d.fraction == "" {
		d.negative = false
	}
	return d
}

// newDecimal makes the value of a text that isDecimal accepts. Beside the text it keeps the nearest double, infinite for
// the largest: doubles that differ tell the order of the decimals at once, since rounding never swaps two numbers.
func newDecimal(text string) Value {
	nearest, _ := strconv.ParseFloat(text, 64)
	if nearest == 0 {
		nearest = 0 // not -0, which has other bits
	}
	return Value{kind: Decimal, num: math.Float64bits(nearest), text: text}
}

// compareDecimals orders two decimals by their numbers, exactly and whatever their length or scale.
func compareDecimals(a, b *Value) int {
	const distinct = 15 // decimals of so many digits that are not equal have doubles that are not equal
	switch x, y := math.Float64frombits(a.num), math.Float64frombits(b.num); {
	case x < y:
		return -1
	case x > y:
		return 1
	case len(a.text) <= distinct && len(b.text) <= distinct:
		return 0
	}
	return compareDecimalTexts(a.text, b.text)
}

func compareDecimalTexts(a, b string) int {
	x, y := splitDecimal(a), splitDecimal(b)
	if x.negative != y.negative {
		if x.negative {
			return -1
		}
		return 1
	}
	order := x.magnitude(y)
	if x.negative {
		return -order
	}
	return order
}

func (d decimalParts) magnitude(other decimalParts) int {
	if len(d.whole) != len(other.whole) {
		if len(d.whole) < len(other.whole) {
			return -1
		}
		return 1
	}
	if order := strings.Compare(d.whole, other.whole); order != 0 {
		return order
	}
	return strings.Compare(d.fraction, other.fraction) // digits after the point compare like text
}

// canonicalDecimal is the one text of all that mean this number: -0.50 and -00.5 are -0.5, +7. is 7, -0 is 0.
func canonicalDecimal(text string) string {
	d := splitDecimal(text)
	size := max(len(d.whole), 1)
	if d.fraction != "" {
		size += 1 + len(d.fraction)
	}
	if d.negative {
		size++
	}
	if size == len(text) && text[0] != '+' && text[0] != '.' && !strings.HasPrefix(text, "-.") {
		return text // nothing to drop and nothing to add, the usual case
	}
	var b strings.Builder
	b.Grow(size)
	if d.negative {
		b.WriteByte('-')
	}
	if d.whole == "" {
		b.WriteByte('0')
	}
	b.WriteString(d.whole)
	if d.fraction != "" {
		b.WriteByte('.')
		b.WriteString(d.fraction)
	}
	return b.String()
}
