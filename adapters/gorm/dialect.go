package rowcastgorm

import (
	"encoding/hex"
	"math"
	"reflect"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"github.com/rowcast/rowcast/core/filter"
)

// dialect is what databases say differently, so that each compares as PostgreSQL does under the collation C.
type dialect interface {
	// column is the column as it is compared; ordered says that its order matters, not only equality.
	column(c operand, ordered bool) string

	// value writes a bound operand that compares with it.
	value(w sqlWriter, c operand, v filter.Value)

	// like writes a whole comparison with a pattern.
	like(w sqlWriter, c operand, pattern string, fold bool)
}

// dialectOf chooses by the dialector's name; what is not known is taken to be close to PostgreSQL.
func dialectOf(db *gorm.DB, capture *Capture) dialect {
	switch name := db.Name(); name {
	case "mysql":
		return mysql{folder{db, capture, name}}
	case "sqlite":
		return sqlite{}
	default:
		return postgres{folder{db, capture, name}}
	}
}

// operand is a column in a comparison.
type operand struct {
	sql  string // quoted
	kind filter.Kind
	held string // the column's type, in lower case and without length; GORM's name for it where the model declares none
}

func newOperand(statement *gorm.Statement, kind filter.Kind, field *schema.Field, quoted string) operand {
	declared := string(field.DataType)
	// What a type says of one database is what AutoMigrate creates there.
	if custom, ok := reflect.New(field.IndirectFieldType).Interface().(interface {
		GormDBDataType(*gorm.DB, *schema.Field) string
	}); ok {
		if own := custom.GormDBDataType(statement.DB, field); own != "" {
			declared = own
		}
	}
	return operand{sql: quoted, kind: kind, held: strings.TrimSpace(strings.ToLower(typeArguments.ReplaceAllString(declared, "")))}
}

func (c operand) isText() bool { return c.kind == filter.String || c.kind == filter.Enum }

// isRawUUID says that the column holds the sixteen bytes of a UUID.
func (c operand) isRawUUID() bool {
	return c.kind == filter.UUID && columnKind(c.held) == filter.Bytes
}

// plain is a value as drivers take it.
func plain(c operand, v filter.Value) any {
	if c.isRawUUID() {
		return uuidBytes(v.Text())
	}
	if n, ok := v.Any().(uint64); ok && n <= math.MaxInt64 {
		return int64(n)
	}
	return v.Any()
}

// uuidBytes are the bytes of a UUID in its canonical text form.
func uuidBytes(text string) []byte {
	raw, _ := hex.DecodeString(strings.ReplaceAll(text, "-", "")) // the kind lets no other text pass
	return raw
}

// likeEscape stands before what a pattern takes literally. It is not the backslash, which MySQL, and PostgreSQL in some
// settings, treat on their own already in a string.
const likeEscape = "|"

// likeTokens calls any for every %, one for every _, and literal for every other code point that the pattern means.
func likeTokens(pattern string, any, one func(), literal func(rune)) {
	escaped := false
	for _, r := range pattern {
		switch {
		case escaped:
			literal(r)
			escaped = false
		case r == '\\':
			escaped = true
		case r == '%':
			any()
		case r == '_':
			one()
		default:
			literal(r)
		}
	}
}

// escaped is a filter's pattern with our escape.
func escaped(pattern string) string {
	var b strings.Builder
	likeTokens(pattern, func() { b.WriteByte('%') }, func() { b.WriteByte('_') }, func(r rune) {
		if r == '%' || r == '_' || string(r) == likeEscape {
			b.WriteString(likeEscape)
		}
		b.WriteRune(r)
	})
	return b.String()
}
