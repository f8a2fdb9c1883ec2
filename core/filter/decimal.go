package filter

import (
	"cmp"
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

// compareDecimals orders two decimal texts by their numbers, exactly and whatever their length or scale.
func compareDecimals(a, b string) int {
	switch {
	case plainDecimal(a) && plainDecimal(b):
		return comparePlain(a, b)
	case a != "" && b != "" && a[0] == '-' && b[0] == '-' && plainDecimal(a[1:]) && plainDecimal(b[1:]):
		return comparePlain(b[1:], a[1:])
	}
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

// plainDecimal says that the text has no sign and no needless leading zero: as databases write numbers.
func plainDecimal(s string) bool {
	return s != "" && (s[0] >= '1' && s[0] <= '9' || s[0] == '0' && (len(s) == 1 || s[1] == '.'))
}

// comparePlain orders two plain decimals in one pass.
func comparePlain(a, b string) int {
	at, fraction := 0, false
	for at < len(a) && at < len(b) && a[at] == b[at] {
		fraction = fraction || a[at] == '.'
		at++
	}
	a, b = a[at:], b[at:]
	if !fraction {
		// Inside the whole part the longer one is the greater number, whatever its digits.
		if order := cmp.Compare(wholeDigits(a), wholeDigits(b)); order != 0 {
			return order
		}
	}
	switch {
	case a != "" && b != "":
		return cmp.Compare(a[0], b[0]) // digits: a point in one only would have been a longer whole part
	case a != "":
		return nonZero(a)
	}
	return -nonZero(b)
}

// wholeDigits counts the digits before the point.
func wholeDigits(s string) int {
	n := 0
	for n < len(s) && s[n] != '.' {
		n++
	}
	return n
}

// nonZero is 1 if the text, the end of a fraction, holds a digit other than 0.
func nonZero(s string) int {
	for i := range len(s) {
		if s[i] > '0' {
			return 1
		}
	}
	return 0
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
