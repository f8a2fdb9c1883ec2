package rowcastgorm

import (
	"math"
	"strings"
	"unicode"

	"github.com/rowcast/rowcast/core/filter"
)

// sqlite compares text bytewise, but keeps times as text.
type sqlite struct{}

func (sqlite) column(c operand, _ bool) string {
	switch {
	case c.isText():
		return c.sql + " COLLATE BINARY"
	case c.kind == filter.UUID && !c.isRawUUID():
		return "lower(" + c.sql + ")"
	case c.kind == filter.Time:
		return sqliteMicroseconds(c.sql)
	}
	return c.sql
}

// sqliteMicroseconds is a time as the drivers write it, in whatever zone and precision, as microseconds since 1970.
// strftime gets it without its fraction, which it would round up to a second that has not begun. The fraction is read as
// a number, digits up to the zone; a hundred picoseconds make up for what a double cannot hold, so that digits beyond the
// microseconds can be cut off.
func sqliteMicroseconds(column string) string {
	behind := "substr(" + column + ",20)"
	return "(CAST(strftime('%s',substr(" + column + ",1,19)||ltrim(" + behind + ",'.0123456789')) AS INTEGER)*1000000" +
		"+CAST(CAST('0'||" + behind + " AS REAL)*1000000+0.0001 AS INTEGER))"
}

func (sqlite) value(w sqlWriter, c operand, v filter.Value) {
	switch c.kind {
	case filter.Time:
		w.bind("", v.Micros(), "")
	case filter.Decimal:
		w.bind("CAST(", v.Text(), " AS NUMERIC)")
	case filter.Uint:
		if n := v.Any().(uint64); n > math.MaxInt64 {
			w.bind("", float64(n), "") // above all that the column can hold, like the operand, which drivers refuse
			return
		}
		w.bind("", plain(c, v), "")
	default:
		w.bind("", plain(c, v), "")
	}
}

// like uses GLOB: LIKE folds the case of ASCII letters, and of no others.
func (sqlite) like(w sqlWriter, c operand, pattern string, fold bool) {
	w.bind(c.sql+" GLOB ", glob(pattern, fold), "")
}

// glob is a filter's pattern for SQLite's GLOB. GLOB has no escape, but sets: a literal wildcard is a set of its own,
// and so are all the code points that are the same when they are folded.
func glob(pattern string, fold bool) string {
	var b strings.Builder
	likeTokens(pattern, func() { b.WriteByte('*') }, func() { b.WriteByte('?') }, func(r rune) {
		same := []rune{r}
		if fold {
			same = foldsLike(r)
		}
		if len(same) == 1 && !strings.ContainsRune("*?[", r) {
			b.WriteRune(r)
			return
		}
		b.WriteString("[" + string(same) + "]")
	})
	return b.String()
}

// foldsLike are the code points with the same lower case as r: k, K and the sign of kelvins.
func foldsLike(r rune) []rune {
	lower := unicode.ToLower(r)
	same := []rune{lower}
	for other := unicode.SimpleFold(lower); other != lower; other = unicode.SimpleFold(other) {
		if unicode.ToLower(other) == lower {
			same = append(same, other)
		}
	}
	if lower == 'i' {
		same = append(same, 'İ') // the one that has a lower case and folds to nothing
	}
	return same
}
