package rowcastgorm

import (
	"fmt"
	"strings"
	"time"

	"github.com/rowcast/rowcast/core/filter"
)

// mysql compares text as bytes, since its collations ignore case, accents, or trailing spaces. The bytes are those of
// UTF-8, whatever the column's character set, and the connection's.
type mysql struct{ folder folder }

func (mysql) column(c operand, _ bool) string {
	switch {
	case c.isText():
		return "CAST(CONVERT(" + c.sql + " USING utf8mb4) AS BINARY)"
	case c.kind == filter.UUID && !c.isRawUUID():
		return "LOWER(" + c.sql + ")"
	}
	return c.sql
}

func (mysql) value(w sqlWriter, c operand, v filter.Value) {
	switch {
	case c.isText():
		w.bind("CAST(CONVERT(", v.Text(), " USING utf8mb4) AS BINARY)")
	case c.kind == filter.Decimal:
		w.bind("CAST(", v.Text(), fmt.Sprintf(" AS DECIMAL(%d,%d))", mysqlDigits, min(scale(v.Text()), mysqlScale)))
	case c.kind == filter.Time:
		w.bind("", withinMySQL(v.Any().(time.Time)), "")
	default:
		w.bind("", plain(c, v), "")
	}
}

// The digits that a DECIMAL has at most, and those behind its point.
const (
	mysqlDigits = 65
	mysqlScale  = 30
)

// scale is how many digits a decimal has behind its point.
func scale(decimal string) int {
	_, fraction, _ := strings.Cut(decimal, ".")
	return len(fraction)
}

// withinMySQL is the nearest time that a DATETIME can be: drivers refuse others, and no row is beyond.
func withinMySQL(t time.Time) time.Time {
	first, last := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC)
	switch {
	case t.Before(first):
		return first
	case t.After(last):
		return last
	}
	return t
}

func (m mysql) like(w sqlWriter, c operand, pattern string, fold bool) {
	column, pattern := "CONVERT("+c.sql+" USING utf8mb4)", escaped(pattern)
	if fold {
		if collation := m.folder.collation(); collation != "" {
			column += " COLLATE " + collation
		}
		column, pattern = "LOWER("+column+") COLLATE utf8mb4_bin", strings.ToLower(pattern)
	}
	w.bind(column+" LIKE CONVERT(", pattern, " USING utf8mb4) COLLATE utf8mb4_bin ESCAPE '"+likeEscape+"'")
}
