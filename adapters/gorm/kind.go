package rowcastgorm

import (
	"database/sql/driver"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"gorm.io/gorm/schema"

	"github.com/rowcast/rowcast/core/filter"
)

var (
	timeType   = reflect.TypeFor[time.Time]()
	valuerType = reflect.TypeFor[driver.Valuer]()
)

// kindOf says how the field's values compare. A Go type that leaves no choice decides; a text, a float or bytes may be
// refined by the column's type; for a driver.Valuer the column's type decides, as GORM found it. Without a kind comes
// the reason.
func kindOf(field *schema.Field) (kind filter.Kind, reason string) {
	if field.Serializer != nil {
		return filter.JSON, "" // whatever the column holds, what can be said of the Go value is whether it is null
	}
	column := columnKind(string(field.DataType))
	t := field.IndirectFieldType
	if implements(t, valuerType) && !t.ConvertibleTo(timeType) {
		return valuerKind(field, column)
	}
	switch t.Kind() {
	case reflect.Bool:
		return filter.Bool, ""
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return filter.Int, ""
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return filter.Uint, ""
	case reflect.Float32, reflect.Float64:
		if column == filter.Decimal {
			return filter.Decimal, ""
		}
		return filter.Float, ""
	case reflect.String:
		if column == filter.UUID || column == filter.Decimal || column == filter.JSON {
			return column, ""
		}
		return filter.String, ""
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			if column == filter.JSON {
				return filter.JSON, ""
			}
			return filter.Bytes, ""
		}
	case reflect.Struct:
		if t.ConvertibleTo(timeType) {
			return filter.Time, ""
		}
	}
	if column == filter.JSON {
		return filter.JSON, ""
	}
	return 0, fmt.Sprintf("a %v in a column of type %q has no kind: use a serializer, or a driver.Valuer", field.FieldType, field.DataType)
}

// valuerKind is the kind of a type that gives the database another value than itself.
func valuerKind(field *schema.Field, column filter.Kind) (filter.Kind, string) {
	if isUUIDType(field.IndirectFieldType) {
		return filter.UUID, ""
	}
	if column != 0 {
		return column, ""
	}
	if kind := columnKind(string(field.GORMDataType)); kind != 0 {
		return kind, ""
	}
	return 0, fmt.Sprintf("the kind of a %v in a column of type %q is not known: give the field a gorm type such as text, bigint, decimal, timestamp, uuid or json", field.FieldType, field.DataType)
}

// isUUIDType recognizes the UUID types of all libraries: sixteen bytes whose text is a UUID's.
func isUUIDType(t reflect.Type) bool {
	if t.Kind() != reflect.Array || t.Len() != 16 || t.Elem().Kind() != reflect.Uint8 {
		return false
	}
	text, ok := reflect.New(t).Interface().(interface{ MarshalText() ([]byte, error) })
	if !ok {
		return false
	}
	zero, err := text.MarshalText()
	return err == nil && string(zero) == "00000000-0000-0000-0000-000000000000"
}

// columnKinds are the kinds of column types: GORM's own, and those of PostgreSQL, MySQL and SQLite.
var columnKinds = map[string]filter.Kind{
	"bool": filter.Bool, "boolean": filter.Bool,
	"int": filter.Int, "integer": filter.Int, "tinyint": filter.Int, "smallint": filter.Int, "mediumint": filter.Int,
	"bigint": filter.Int, "int2": filter.Int, "int4": filter.Int, "int8": filter.Int, "serial": filter.Int,
	"smallserial": filter.Int, "bigserial": filter.Int, "year": filter.Int,
	"uint":  filter.Uint,
	"float": filter.Float, "real": filter.Float, "double": filter.Float, "double precision": filter.Float,
	"float4": filter.Float, "float8": filter.Float,
	"decimal": filter.Decimal, "numeric": filter.Decimal, "dec": filter.Decimal,
	"string": filter.String, "text": filter.String, "char": filter.String, "varchar": filter.String,
	"character": filter.String, "character varying": filter.String, "bpchar": filter.String, "nchar": filter.String,
	"nvarchar": filter.String, "citext": filter.String, "clob": filter.String, "tinytext": filter.String,
	"mediumtext": filter.String, "longtext": filter.String,
	"time": filter.Time, "date": filter.Time, "datetime": filter.Time, "timestamp": filter.Time,
	"timestamptz": filter.Time, "timestamp with time zone": filter.Time, "timestamp without time zone": filter.Time,
	"uuid":  filter.UUID,
	"bytes": filter.Bytes, "bytea": filter.Bytes, "blob": filter.Bytes, "tinyblob": filter.Bytes,
	"mediumblob": filter.Bytes, "longblob": filter.Bytes, "binary": filter.Bytes, "varbinary": filter.Bytes,
	"json": filter.JSON, "jsonb": filter.JSON,
}

// typeArguments are the parts of a column type that say nothing about its kind.
var typeArguments = regexp.MustCompile(`\s*\([^)]*\)`)

// columnKind is the kind of a column type such as «varchar(20)», or 0.
func columnKind(columnType string) filter.Kind {
	name := strings.ToLower(typeArguments.ReplaceAllString(columnType, ""))
	if strings.HasSuffix(name, "[]") {
		return filter.JSON // an array; only whether it is null can be asked
	}
	name = strings.TrimSpace(name)
	if unsigned, ok := strings.CutSuffix(name, " unsigned"); ok && columnKinds[unsigned] == filter.Int {
		return filter.Uint
	}
	return columnKinds[name]
}

// bitsOf is the width of an integer, 0 where the Go type does not say.
func bitsOf(kind filter.Kind, field *schema.Field) int {
	if kind != filter.Int && kind != filter.Uint {
		return 0
	}
	switch t := field.IndirectFieldType; t.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return t.Bits()
	}
	return 0
}

// isNullable reports whether a Go value of the field can be NULL. A NULL that is read into a plain string or number
// is no NULL any more.
func isNullable(field *schema.Field) bool {
	if field.PrimaryKey {
		return field.FieldType.Kind() == reflect.Pointer // which the engine refuses
	}
	if field.NotNull {
		return false
	}
	switch field.FieldType.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return true
	}
	if valuer, ok := reflect.New(field.FieldType).Interface().(driver.Valuer); ok && field.Serializer == nil {
		v, err := valuer.Value()
		return err == nil && v == nil
	}
	return false
}

// renderOf is how the field is shown where encoding/json would show another thing than the kind's own form.
func renderOf(kind filter.Kind, field *schema.Field, name publicName) func(any) any {
	t := field.IndirectFieldType
	switch {
	case kind == filter.JSON || kind == filter.UUID || kind == filter.Time:
		return nil // the engine shows these as encoding/json does
	case name.quoted && (kind == filter.Int || kind == filter.Uint || kind == filter.Float || kind == filter.Bool):
		return asText
	case implements(t, jsonMarshaler) || implements(t, textMarshaler):
		return asMarshalled
	case kind == filter.Decimal && (t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64):
		return asMarshalled // a number in Go stays one in JSON
	}
	return nil
}

// implements reports whether the type, or a pointer to it, has the interface's methods.
func implements(t, iface reflect.Type) bool {
	return t.Implements(iface) || reflect.PointerTo(t).Implements(iface)
}

// needsPointer reports whether only a pointer to the type gives the database its value or marshals itself.
func needsPointer(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		return false
	}
	for _, iface := range []reflect.Type{valuerType, jsonMarshaler, textMarshaler} {
		if !t.Implements(iface) && reflect.PointerTo(t).Implements(iface) {
			return true
		}
	}
	return false
}
