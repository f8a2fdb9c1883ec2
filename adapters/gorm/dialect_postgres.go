package rowcastgorm

import (
	"math"

	"github.com/rowcast/rowcast/core/filter"
)

// postgres is the model of the others.
type postgres struct{ folder folder }

func (p postgres) column(c operand, ordered bool) string {
	switch {
	case c.isText() && ordered:
		return p.text(c) + ` COLLATE "C"`
	case c.kind == filter.String && !isPostgresText(c.held), c.kind == filter.Enum && c.held == "citext":
		return p.text(c)
	case c.kind == filter.UUID && c.held != "uuid" && !c.isRawUUID():
		return "lower(" + c.sql + ")"
	}
	return c.sql
}

// text is the column as text: citext ignores case, an enumerated type is ordered by its declaration, and neither that
// nor an inet takes a collation or any operand.
func (p postgres) text(c operand) string {
	if isPostgresText(c.held) {
		return c.sql
	}
	return "CAST(" + c.sql + " AS text)"
}

func isPostgresText(held string) bool { return columnKind(held) == filter.String && held != "citext" }

// value says of numbers what they are, not what the column is: an operand may be beyond the column's range, and a
// 4-byte float or a numeric compares with the double that the row has in Go.
func (p postgres) value(w sqlWriter, c operand, v filter.Value) {
	switch c.kind {
	case filter.Decimal:
		w.bind("CAST(", v.Text(), " AS numeric)")
	case filter.Int, filter.Uint:
		if n, ok := v.Any().(uint64); ok && n > math.MaxInt64 {
			w.bind("CAST(", v.Text(), " AS numeric)")
			return
		}
		w.bind("CAST(", plain(c, v), " AS bigint)")
	case filter.Float:
		w.bind("CAST(", v.Any(), " AS double precision)")
	case filter.Time:
		if c.held == "date" { // the day would be cut out of the operand
			w.bind("CAST(", v.Any(), " AS timestamp)")
			return
		}
		w.bind("", v.Any(), "")
	default:
		w.bind("", plain(c, v), "")
	}
}

func (p postgres) like(w sqlWriter, c operand, pattern string, fold bool) {
	collation, operator := "C", " LIKE "
	if fold {
		collation, operator = p.folder.collation(), " ILIKE "
	}
	column := p.text(c)
	if collation != "" {
		column += ` COLLATE "` + collation + `"`
	}
	w.bind(column+operator, escaped(pattern), " ESCAPE '"+likeEscape+"'")
}
