package matrix_test

import (
	"math"
	"strings"
	"testing"
	"time"
)

// profile is what a database cannot hold, or cannot be made to compare as PostgreSQL does. The generator leaves out
// exactly that and nothing else, and docs/filter.md tells it to users.
type profile struct {
	noNaN, noInfinity bool // in rows; operands are never one

	maxUint                       uint64 // in a uint of 64 bits
	decimalWhole, decimalFraction int    // digits of a decimal, before and behind its point
	precision                     time.Duration
	firstYear                     int

	nul          bool // texts in rows hold the character NUL
	noEmptyBytes bool // in rows

	fewerTexts []replacement // what texts must not hold

	reasons []string // why any of it
}

type replacement struct{ from, to string }

// postgresProfile has no difference of the database's: it is the model. The numbers are as large as a test is useful
// with.
func postgresProfile() profile {
	return profile{maxUint: math.MaxUint64, decimalWhole: 60, decimalFraction: 60, precision: time.Nanosecond, firstYear: 1}
}

// icu is PostgreSQL where it has no collation of C's kind for the letters of all scripts.
func (p profile) icu() profile {
	p.fewerTexts = append(p.fewerTexts, replacement{"İ", "I"})
	p.reasons = append(p.reasons, "ilike: no İ, which ICU folds to two code points; with pg_c_utf8 (PostgreSQL 17) or C.utf8 (glibc) it is one")
	return p
}

func sqliteProfile() profile {
	p := postgresProfile()
	p.noNaN, p.maxUint, p.decimalWhole, p.decimalFraction = true, math.MaxInt64, 8, 7
	p.noEmptyBytes = true
	p.fewerTexts = []replacement{{"\uffff", ""}, {"\ufffe", ""}}
	p.reasons = []string{
		"float: no NaN, which SQLite stores as NULL",
		"uint: nothing above 2^63-1 in rows, which SQLite does not hold as an integer (operands may be above)",
		"decimal: 15 digits, since SQLite compares them as 64-bit integers or doubles",
		"bytes: no empty ones in rows, which the driver, modernc.org/sqlite's kind, gives back as NULL",
		"like, ilike: no NUL in rows, at which SQLite's patterns end (PostgreSQL does not store it; other comparisons agree)",
		"like, ilike: no U+FFFE and U+FFFF, which SQLite's patterns take for U+FFFD",
	}
	return p
}

func mysqlProfile(version string) profile {
	p := postgresProfile()
	p.noNaN, p.noInfinity, p.decimalWhole, p.decimalFraction, p.firstYear = true, true, 35, 30, 1000
	p.nul = true
	p.reasons = []string{
		"float: no NaN and no infinities, which MySQL does not store",
		"decimal: DECIMAL(65,30), so at most 35 digits before the point and 30 behind it, in rows and operands",
		"time: from the year 1000 on, where DATETIME begins",
	}
	if !strings.Contains(version, "MariaDB") {
		p.precision = time.Microsecond
		p.fewerTexts = []replacement{{"Ა", "ა"}}
		p.reasons = append(p.reasons, "ilike: no capitals that are younger than Unicode 9, which MySQL does not fold (MariaDB knows Unicode 14)", "time: written in whole microseconds, since MySQL rounds what is finer (MariaDB cuts it off, as PostgreSQL's driver does)")
	}
	return p
}

func (p profile) log(t *testing.T) {
	t.Helper()
	if len(p.reasons) == 0 {
		t.Log("nothing is left out")
	}
	for _, reason := range p.reasons {
		t.Log("left out: " + reason)
	}
}

func (p profile) text(text string) string {
	for _, r := range p.fewerTexts {
		text = strings.ReplaceAll(text, r.from, r.to)
	}
	return text
}

func (p profile) time(t time.Time) time.Time {
	if t.Year() < p.firstYear {
		t = t.AddDate(p.firstYear, 0, 0)
	}
	return t.Truncate(p.precision)
}
