package rowcastgorm

import (
	"math"
	"strings"
	"sync"

	"gorm.io/gorm"

	"github.com/rowcast/rowcast/core/filter"
)

// dialect is what databases say differently, so that each compares as PostgreSQL does under the collation C.
type dialect interface {
	// column is the column as it is compared; ordered says that its order matters, not only equality.
	column(c operand, ordered bool) string

	// value writes a bound operand that compares with it.
	value(w sqlWriter, c operand, v filter.Value, ordered bool)

	// like writes a whole comparison with a pattern.
	like(w sqlWriter, c operand, pattern string, fold bool)
}

// operand is a column in a comparison.
type operand struct {
	sql        string // quoted
	kind       filter.Kind
	uuidColumn bool // of the database's own UUID type
}

func (c operand) isText() bool { return c.kind == filter.String || c.kind == filter.Enum }

// dialectOf chooses by the dialector's name; what is not known is taken to be close to standard SQL.
func dialectOf(db *gorm.DB, capture *Capture) dialect {
	switch db.Dialector.Name() {
	case "postgres":
		return postgres{fold: foldCollation(db, capture)}
	case "mysql":
		return mysql{}
	case "sqlite":
		return sqlite{}
	}
	return postgres{}
}

// plain is a value as drivers take it.
func plain(v filter.Value) any {
	if n, ok := v.Any().(uint64); ok && n <= math.MaxInt64 {
		return int64(n)
	}
	return v.Any()
}

// likeEscape stands before what a pattern takes literally. It is not the backslash, which MySQL, and PostgreSQL in some
// settings, treat on their own already in a string.
const likeEscape = "|"

// escaped is a filter's pattern with our escape.
func escaped(pattern string) string {
	var b strings.Builder
	literally := false
	for _, r := range pattern {
		switch {
		case literally:
			if r == '%' || r == '_' || r == '|' {
				b.WriteString(likeEscape)
			}
			b.WriteRune(r)
			literally = false
		case r == '\\':
			literally = true
		case r == '|':
			b.WriteString(likeEscape + likeEscape)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// postgres is the model of the others.
type postgres struct {
	fold string // the collation under which letters are folded; "": the column's
}

func (p postgres) column(c operand, ordered bool) string {
	switch {
	case c.isText() && ordered:
		return c.sql + ` COLLATE "C"`
	case c.kind == filter.UUID && !c.uuidColumn:
		return "lower(" + c.sql + ")"
	}
	return c.sql
}

func (p postgres) value(w sqlWriter, c operand, v filter.Value, _ bool) {
	switch {
	case c.kind == filter.Decimal, c.kind == filter.Uint && v.Any().(uint64) > math.MaxInt64:
		w.bind("CAST(", v.Text(), " AS numeric)")
	default:
		w.bind("", plain(v), "")
	}
}

func (p postgres) like(w sqlWriter, c operand, pattern string, fold bool) {
	if !fold {
		w.bind(c.sql+` COLLATE "C" LIKE `, escaped(pattern), " ESCAPE '"+likeEscape+"'")
		return
	}
	column := c.sql
	if p.fold != "" {
		column += ` COLLATE "` + p.fold + `"`
	}
	w.bind(column+" ILIKE ", escaped(pattern), " ESCAPE '"+likeEscape+"'")
}

// foldCollations are PostgreSQL's collations that fold the letters of every script, the best first: they map letters
// one to one, as the evaluator does, but for the last.
var foldCollations = []string{"pg_c_utf8", "C.utf8", "C.UTF-8", "und-x-icu"}

// folding is the collation that a database folds with, once it is known.
type folding struct {
	mu        sync.Mutex
	known     bool
	collation string
}

// foldCollation asks the database once which of them it has.
func foldCollation(db *gorm.DB, capture *Capture) string {
	if capture == nil || db.DryRun {
		return foldCollations[1]
	}
	f := &capture.folding
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known {
		return f.collation
	}
	var have []string
	// A session of the statement's own: in a transaction, on its connection.
	session := db.Session(&gorm.Session{NewDB: true, SkipHooks: true})
	if err := session.Raw("SELECT collname FROM pg_collation WHERE collname IN ?", foldCollations).Scan(&have).Error; err != nil {
		capture.config.Logger.Warn("rowcastgorm: which collations there are could not be read; ilike uses the column's own", "error", err)
		return ""
	}
	f.known = true
	for _, name := range foldCollations {
		if contains(have, name) {
			f.collation = name
			break
		}
	}
	return f.collation
}

// sqlite compares text bytewise, but keeps times as text and folds ASCII letters only.
type sqlite struct{}

func (sqlite) column(c operand, _ bool) string {
	switch {
	case c.isText():
		return c.sql + " COLLATE BINARY"
	case c.kind == filter.UUID:
		return "lower(" + c.sql + ")"
	case c.kind == filter.Time:
		return sqliteMicroseconds(c.sql)
	}
	return c.sql
}

// sqliteMicroseconds is a time as the drivers write it, in whatever zone and precision, as microseconds since 1970. What
// stands behind the seconds is read as a number: digits up to the zone.
func sqliteMicroseconds(column string) string {
	return "(CAST(strftime('%s'," + column + ") AS INTEGER)*1000000+CAST(round(CAST('0'||substr(" + column + ",20) AS REAL)*1000000) AS INTEGER))"
}

func (sqlite) value(w sqlWriter, c operand, v filter.Value, _ bool) {
	switch c.kind {
	case filter.Time:
		w.bind("", v.Micros(), "")
	case filter.Decimal:
		w.bind("CAST(", v.Text(), " AS NUMERIC)")
	default:
		w.bind("", plain(v), "")
	}
}

// like uses GLOB where the case counts: LIKE folds it, whatever the collation.
func (sqlite) like(w sqlWriter, c operand, pattern string, fold bool) {
	if fold {
		w.bind(c.sql+" LIKE ", escaped(pattern), " ESCAPE '"+likeEscape+"'")
		return
	}
	w.bind(c.sql+" GLOB ", glob(pattern), "")
}

// glob is a filter's pattern for SQLite's GLOB, which has no escape: a literal wildcard stands in a set of its own.
func glob(pattern string) string {
	var b strings.Builder
	literally := false
	for _, r := range pattern {
		switch {
		case !literally && r == '\\':
			literally = true
			continue
		case !literally && r == '%':
			b.WriteByte('*')
		case !literally && r == '_':
			b.WriteByte('?')
		case r == '*' || r == '?' || r == '[':
			b.WriteString("[" + string(r) + "]")
		default:
			b.WriteRune(r)
		}
		literally = false
	}
	return b.String()
}

// mysql compares text as bytes, since its collations ignore case, accents, or trailing spaces.
type mysql struct{}

func (mysql) column(c operand, _ bool) string {
	switch {
	case c.isText():
		return "CAST(" + c.sql + " AS BINARY)"
	case c.kind == filter.UUID:
		return "LOWER(" + c.sql + ")"
	}
	return c.sql
}

func (mysql) value(w sqlWriter, c operand, v filter.Value, _ bool) {
	switch {
	case c.isText():
		w.bind("CAST(", v.Text(), " AS BINARY)")
	case c.kind == filter.Decimal:
		w.bind("CAST(", v.Text(), " AS DECIMAL(65,30))")
	case c.kind == filter.Uint:
		w.bind("", v.Any(), "")
	default:
		w.bind("", plain(v), "")
	}
}

func (mysql) like(w sqlWriter, c operand, pattern string, fold bool) {
	before, after := c.sql+" LIKE ", " COLLATE utf8mb4_bin ESCAPE '"+likeEscape+"'"
	if fold {
		w.bind("LOWER("+c.sql+") LIKE LOWER(", escaped(pattern), ")"+after)
		return
	}
	w.bind(before, escaped(pattern), after)
}
