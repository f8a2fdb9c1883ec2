package matrix_test

import (
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// OracleRow has a column of every kind that NULL can be in and one that it cannot, and those column types that compare
// in ways of their own.
type OracleRow struct {
	ID uint64 `json:"id" gorm:"primaryKey;autoIncrement:false"`

	Text  string  `json:"text"`
	TextN *string `json:"textN"`
	Name  string  `json:"name" gorm:"size:400"`
	NameN *string `json:"nameN" gorm:"size:400"`

	Loose *looseText `json:"loose"`

	State  string       `json:"state" gorm:"size:20"`
	StateN *string      `json:"stateN"`
	Native *nativeState `json:"native"`

	Int8   int8   `json:"int8"`
	Int16N *int16 `json:"int16N"`
	Int32  int32  `json:"int32"`
	Int64  int64  `json:"int64"`
	Int64N *int64 `json:"int64N"`

	Narrow *narrowInt `json:"narrow"`

	Uint8N  *uint8    `json:"uint8N"`
	Uint16  uint16    `json:"uint16"`
	Uint32N *uint32   `json:"uint32N"`
	Wide    wideUint  `json:"wide"`
	WideN   *wideUint `json:"wideN"`

	Float32  float32  `json:"float32" gorm:"type:float"`
	Float32N *single  `json:"float32N"`
	Float64  double   `json:"float64"`
	Float64N *double  `json:"float64N"`
	GORMs    *float64 `json:"gorms"` // numeric in PostgreSQL

	Decimal  decimal  `json:"decimal"`
	DecimalN *decimal `json:"decimalN"`

	Bool  bool  `json:"bool"`
	BoolN *bool `json:"boolN"`

	Time  time.Time  `json:"time" gorm:"precision:6"`
	TimeN *time.Time `json:"timeN" gorm:"precision:6"`
	Day   *time.Time `json:"day" gorm:"type:date"`

	UUID    nativeUUID  `json:"uuid"`
	UUIDN   *nativeUUID `json:"uuidN"`
	TextIDN *textUUID   `json:"textIDN"`
	RawID   rawUUID     `json:"rawID"`
	RawIDN  *rawUUID    `json:"rawIDN"`

	Bytes  []byte `json:"bytes" gorm:"not null"`
	BytesN []byte `json:"bytesN"`

	JSON  json.RawMessage `json:"json" gorm:"type:json;not null"`
	JSONN json.RawMessage `json:"jsonN" gorm:"type:json"`
	Tags  map[string]any  `json:"tags" gorm:"serializer:json"`
}

// oracleStates are an enum's members; some differ only in what databases like to overlook.
var oracleStates = []string{"todo", "Todo", "doing", "done", "done ", "żółw", "Żółw", "a,b", "", "z"}

// columnTypes give a column the type that each database has for it.
type columnTypes struct{ postgres, mysql, sqlite string }

func (c columnTypes) of(db *gorm.DB) string {
	switch db.Name() {
	case "postgres":
		return c.postgres
	case "mysql":
		return c.mysql
	}
	return c.sqlite
}

// looseText is a column that ignores case as its database does it.
type looseText string

func (looseText) GormDataType() string { return "text" }
func (looseText) GormDBDataType(db *gorm.DB, _ *schema.Field) string {
	return columnTypes{"citext", "text CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci", "text COLLATE NOCASE"}.of(db)
}

// nativeState is an enumerated type, whose order is that of its declaration. MySQL's cannot tell all members apart.
type nativeState string

func (nativeState) GormDataType() string { return "text" }
func (nativeState) GormDBDataType(db *gorm.DB, _ *schema.Field) string {
	return columnTypes{"oracle_state", "varchar(20)", "text"}.of(db)
}

// prepareOracle makes what the columns' types need.
func prepareOracle(db *gorm.DB) error {
	if db.Name() != "postgres" {
		return nil
	}
	members := "'" + strings.Join(oracleStates, "','") + "'"
	return errors.Join(db.Exec("CREATE EXTENSION citext").Error, db.Exec("CREATE TYPE oracle_state AS ENUM ("+members+")").Error)
}

// narrowInt is a column that holds less than its Go type does.
type narrowInt int

func (narrowInt) GormDataType() string { return "int" }
func (narrowInt) GormDBDataType(db *gorm.DB, _ *schema.Field) string {
	return columnTypes{"smallint", "smallint", "smallint"}.of(db)
}

// single and double are floats where GORM would rather have a numeric.
type (
	single float32
	double float64
)

func (single) GormDataType() string { return "float" }
func (single) GormDBDataType(db *gorm.DB, _ *schema.Field) string {
	return columnTypes{"real", "float", "real"}.of(db)
}

func (double) GormDataType() string { return "float" }
func (double) GormDBDataType(db *gorm.DB, _ *schema.Field) string {
	return columnTypes{"double precision", "double", "real"}.of(db)
}

// wideUint goes to the database as text, since drivers refuse the upper half of a uint64.
type wideUint uint64

func (wideUint) GormDataType() string { return "uint" }
func (wideUint) GormDBDataType(db *gorm.DB, _ *schema.Field) string {
	return columnTypes{"numeric(20)", "bigint unsigned", "integer"}.of(db)
}
func (u wideUint) Value() (driver.Value, error) { return strconv.FormatUint(uint64(u), 10), nil }
func (u *wideUint) Scan(v any) error {
	n, err := strconv.ParseUint(textOf(v), 10, 64)
	*u = wideUint(n)
	return err
}

// decimal is kept as the text that it was written as, or came as.
type decimal string

func (decimal) GormDataType() string { return "decimal" }
func (decimal) GormDBDataType(db *gorm.DB, _ *schema.Field) string {
	return columnTypes{"numeric", "decimal(65,30)", "decimal"}.of(db)
}

// Scan takes SQLite's doubles as database/sql puts them into a plain string, with an exponent.
func (d *decimal) Scan(v any) error {
	*d = decimal(textOf(v))
	if f, ok := v.(float64); ok {
		*d = decimal(strconv.FormatFloat(f, 'g', -1, 64))
	}
	return nil
}

// nativeUUID is of the database's own type where it has one, and text elsewhere.
type nativeUUID string

func (nativeUUID) GormDataType() string { return "uuid" }
func (nativeUUID) GormDBDataType(db *gorm.DB, _ *schema.Field) string {
	return columnTypes{"uuid", "char(36)", "text"}.of(db)
}

// textUUID is text everywhere, in upper case if its last byte is odd.
type textUUID [16]byte

func (textUUID) GormDataType() string { return "char(36)" }
func (u textUUID) MarshalText() ([]byte, error) {
	return []byte(dashedUUID(u[:])), nil
}
func (u textUUID) Value() (driver.Value, error) {
	if u[15]%2 == 1 {
		return strings.ToUpper(dashedUUID(u[:])), nil
	}
	return dashedUUID(u[:]), nil
}
func (u *textUUID) Scan(v any) error { return scanUUID(u[:], v) }

// rawUUID is sixteen bytes everywhere.
type rawUUID [16]byte

func (rawUUID) GormDataType() string { return "bytes" }
func (rawUUID) GormDBDataType(db *gorm.DB, _ *schema.Field) string {
	return columnTypes{"bytea", "binary(16)", "blob"}.of(db)
}
func (u rawUUID) MarshalText() ([]byte, error) { return []byte(dashedUUID(u[:])), nil }
func (u rawUUID) Value() (driver.Value, error) { return u[:], nil }
func (u *rawUUID) Scan(v any) error            { return scanUUID(u[:], v) }

func dashedUUID(u []byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// scanUUID takes sixteen bytes, or a text.
func scanUUID(dst []byte, v any) error {
	text := textOf(v)
	if len(text) == 16 {
		copy(dst, text)
		return nil
	}
	_, err := hex.Decode(dst, []byte(strings.ReplaceAll(text, "-", "")))
	return err
}

// textOf is what drivers give where a text is meant.
func textOf(v any) string {
	if raw, ok := v.([]byte); ok {
		return string(raw)
	}
	return fmt.Sprint(v)
}
