package rowcastgorm_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"
	"gorm.io/gorm/utils/tests"

	rowcastgorm "github.com/rowcast/rowcast/adapters/gorm"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
	"github.com/rowcast/rowcast/memstore"
)

// Sorted has a column of each kind, and of the types that a dialect treats in their own way.
type Sorted struct {
	ID      uint64         `json:"id"`
	Title   string         `json:"title"`
	State   string         `json:"state"`
	Native  string         `json:"native" gorm:"type:state_enum"`
	Loose   string         `json:"loose" gorm:"type:citext"`
	Points  int32          `json:"points"`
	Weight  float64        `json:"weight"`
	Price   string         `json:"price" gorm:"type:decimal(20,5)"`
	Done    *bool          `json:"done"`
	Due     time.Time      `json:"due"`
	Day     time.Time      `json:"day" gorm:"type:date"`
	Native2 string         `json:"uuid" gorm:"type:uuid"`
	TextID  uuidText       `json:"textID"`
	RawID   uuidRaw        `json:"rawID"`
	Blob    []byte         `json:"blob"`
	Deleted gorm.DeletedAt `json:"-"`
}

// uuidText and uuidRaw are what UUID libraries give: text, and bytes on some databases.
type (
	uuidText [16]byte
	uuidRaw  [16]byte
)

func (uuidText) MarshalText() ([]byte, error) {
	return []byte("00000000-0000-0000-0000-000000000000"), nil
}
func (u uuidText) Value() (driver.Value, error) { return u.MarshalText() }
func (uuidText) GormDataType() string           { return "char(36)" }

func (uuidRaw) MarshalText() ([]byte, error)   { return uuidText{}.MarshalText() }
func (u uuidRaw) Value() (driver.Value, error) { return u[:], nil }
func (uuidRaw) GormDataType() string           { return "string" }
func (uuidRaw) GormDBDataType(*gorm.DB, *schema.Field) string {
	return "BINARY(16)"
}

// dialector has a name and no database.
type dialector struct {
	tests.DummyDialector
	name string
}

func (d dialector) Name() string { return d.name }

func open(t *testing.T, name string) *gorm.DB {
	t.Helper()
	db, err := gorm.Open(dialector{name: name}, &gorm.Config{DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func withPlugin(t *testing.T, name string) *gorm.DB {
	t.Helper()
	db := open(t, name)
	engine, err := rowcast.New(memstore.NewLog(memstore.LogConfig{}), rowcast.Config{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	capture := rowcastgorm.New(engine, rowcastgorm.Config{})
	if err := db.Use(capture); err != nil {
		t.Fatal(err)
	}
	states := []string{"todo", "done"}
	err = capture.Register(db, &Sorted{}, rowcastgorm.Entity{Enums: map[string][]string{"state": states, "native": states}})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// compiled is a filter's SQL and its parameters.
func compiled(t *testing.T, db *gorm.DB, expr filter.Expr) (sql string, vars []any) {
	t.Helper()
	statement := db.Unscoped().Scopes(rowcastgorm.Where(expr)).Find(&[]Sorted{}).Statement
	if statement.Error != nil {
		t.Fatalf("%v: %v", expr, statement.Error)
	}
	sql = strings.ReplaceAll(statement.SQL.String(), "`sorteds`.", "")
	return strings.ReplaceAll(strings.TrimPrefix(sql, "SELECT * FROM `sorteds` WHERE "), "`", ""), statement.Vars
}

func TestWhereOnEachDialect(t *testing.T) {
	due := time.Date(2026, 1, 31, 12, 0, 0, 1500, time.FixedZone("", 7200))
	utc := due.UTC().Truncate(time.Microsecond)
	const id = "ab000000-0000-0000-0000-000000000001"
	raw := []byte{0xab, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}
	micros := "(CAST(strftime('%s',substr(due,1,19)||ltrim(substr(due,20),'.0123456789')) AS INTEGER)*1000000+CAST(CAST('0'||substr(due,20) AS REAL)*1000000+0.0001 AS INTEGER))"
	for _, c := range []struct {
		expr                    filter.Expr
		postgres, mysql, sqlite string
		postgresVars            []any
		mysqlVars, sqliteVars   []any // nil: like PostgreSQL's
	}{
		{
			expr:     filter.Eq("title", "a"),
			postgres: `title = ?`, mysql: `CAST(CONVERT(title USING utf8mb4) AS BINARY) = CAST(CONVERT(? USING utf8mb4) AS BINARY)`, sqlite: `title COLLATE BINARY = ?`,
			postgresVars: []any{"a"},
		},
		{
			expr:     filter.Gt("title", "a"),
			postgres: `title COLLATE "C" > ?`, mysql: `CAST(CONVERT(title USING utf8mb4) AS BINARY) > CAST(CONVERT(? USING utf8mb4) AS BINARY)`, sqlite: `title COLLATE BINARY > ?`,
			postgresVars: []any{"a"},
		},
		{
			expr:     filter.Like("title", `50\%|_*`),
			postgres: `title COLLATE "C" LIKE ? ESCAPE '|'`, mysql: `CONVERT(title USING utf8mb4) LIKE CONVERT(? USING utf8mb4) COLLATE utf8mb4_bin ESCAPE '|'`, sqlite: `title GLOB ?`,
			postgresVars: []any{"50|%||_*"}, sqliteVars: []any{"50%|?[*]"},
		},
		{
			expr:     filter.ILike("title", "Ä%"),
			postgres: `title COLLATE "C.utf8" ILIKE ? ESCAPE '|'`, mysql: `LOWER(CONVERT(title USING utf8mb4) COLLATE utf8mb4_0900_as_cs) COLLATE utf8mb4_bin LIKE CONVERT(? USING utf8mb4) COLLATE utf8mb4_bin ESCAPE '|'`, sqlite: `title GLOB ?`,
			postgresVars: []any{"Ä%"}, mysqlVars: []any{"ä%"}, sqliteVars: []any{"[äÄ]*"},
		},
		{
			expr:     filter.And{filter.Eq("native", "todo"), filter.Lt("native", "todo"), filter.Eq("loose", "a")},
			postgres: `(native = ? AND CAST(native AS text) COLLATE "C" < ? AND CAST(loose AS text) = ?)`,
			mysql:    `(CAST(CONVERT(native USING utf8mb4) AS BINARY) = CAST(CONVERT(? USING utf8mb4) AS BINARY) AND CAST(CONVERT(native USING utf8mb4) AS BINARY) < CAST(CONVERT(? USING utf8mb4) AS BINARY) AND CAST(CONVERT(loose USING utf8mb4) AS BINARY) = CAST(CONVERT(? USING utf8mb4) AS BINARY))`,
			sqlite:   `(native COLLATE BINARY = ? AND native COLLATE BINARY < ? AND loose COLLATE BINARY = ?)`, postgresVars: []any{"todo", "todo", "a"},
		},
		{
			expr:     filter.Between("points", 1, 2),
			postgres: `(points >= CAST(? AS bigint) AND points <= CAST(? AS bigint))`, mysql: `(points >= ? AND points <= ?)`, sqlite: `(points >= ? AND points <= ?)`,
			postgresVars: []any{int64(1), int64(2)},
		},
		{
			expr:     filter.NotIn("id", uint64(1<<63), uint64(7)),
			postgres: `id NOT IN (CAST(? AS bigint),CAST(? AS numeric))`, mysql: `id NOT IN (?,?)`, sqlite: `id NOT IN (?,?)`,
			postgresVars: []any{int64(7), "9223372036854775808"}, mysqlVars: []any{int64(7), uint64(1 << 63)}, sqliteVars: []any{int64(7), float64(1 << 63)},
		},
		{
			expr:     filter.And{filter.Ne("weight", 0.5), filter.Lte("price", "1.50"), filter.IsNull("done"), filter.Eq("done", true)},
			postgres: `(weight <> CAST(? AS double precision) AND price <= CAST(? AS numeric) AND done IS NULL AND done = ?)`,
			mysql:    `(weight <> ? AND price <= CAST(? AS DECIMAL(65,1)) AND done IS NULL AND done = ?)`,
			sqlite:   `(weight <> ? AND price <= CAST(? AS NUMERIC) AND done IS NULL AND done = ?)`, postgresVars: []any{0.5, "1.5", true},
		},
		{
			expr:     filter.And{filter.Gte("due", due), filter.Eq("day", due)},
			postgres: `(due >= ? AND day = CAST(? AS timestamp))`, mysql: `(due >= ? AND day = ?)`, sqlite: `(` + micros + ` >= ? AND ` + strings.ReplaceAll(micros, "due", "day") + ` = ?)`,
			postgresVars: []any{utc, utc}, sqliteVars: []any{utc.UnixMicro(), utc.UnixMicro()},
		},
		{
			expr:     filter.Or{filter.Eq("uuid", strings.ToUpper(id)), filter.Eq("textID", id), filter.Eq("rawID", id)},
			postgres: `(native2 = ? OR lower(text_id) = ? OR raw_id = ?)`, mysql: `(LOWER(native2) = ? OR LOWER(text_id) = ? OR raw_id = ?)`, sqlite: `(lower(native2) = ? OR lower(text_id) = ? OR raw_id = ?)`,
			postgresVars: []any{id, id, raw},
		},
		{
			expr:     filter.Not{filter.Or{}, filter.And{}, filter.Not{}, filter.Or{filter.Eq("blob", []byte{1}), filter.IsNotNull("title")}},
			postgres: `NOT ((1 = 0) AND (1 = 1) AND NOT (1 = 1) AND (blob = ? OR title IS NOT NULL))`, mysql: `NOT ((1 = 0) AND (1 = 1) AND NOT (1 = 1) AND (blob = ? OR title IS NOT NULL))`, sqlite: `NOT ((1 = 0) AND (1 = 1) AND NOT (1 = 1) AND (blob = ? OR title IS NOT NULL))`,
			postgresVars: []any{[]byte{1}},
		},
	} {
		for _, d := range []struct {
			name, want string
			vars       []any
		}{{"postgres", c.postgres, nil}, {"mysql", c.mysql, c.mysqlVars}, {"sqlite", c.sqlite, c.sqliteVars}} {
			if d.vars == nil {
				d.vars = c.postgresVars
			}
			sql, vars := compiled(t, withPlugin(t, d.name), c.expr)
			if sql != d.want {
				t.Errorf("%v on %s is\n\t%s, want\n\t%s", c.expr, d.name, sql, d.want)
			}
			if !reflect.DeepEqual(vars, d.vars) {
				t.Errorf("%v on %s has the parameters %#v, want %#v", c.expr, d.name, vars, d.vars)
			}
		}
	}
}

// TestWhereStaysWithinItsQuery shows that a filter only ever narrows what it is added to.
func TestWhereStaysWithinItsQuery(t *testing.T) {
	db := withPlugin(t, "postgres")
	either := filter.Or{filter.Eq("title", "' OR 1=1 --"), filter.Eq("points", 1)}
	statement := db.Where("points > ?", 3).Scopes(rowcastgorm.Where(either)).Find(&[]Sorted{}).Statement
	const want = "SELECT * FROM `sorteds` WHERE points > ? AND (`sorteds`.`title` = ? OR `sorteds`.`points` = CAST(? AS bigint)) AND `sorteds`.`deleted` IS NULL"
	if got := statement.SQL.String(); got != want || statement.Error != nil {
		t.Errorf("got %s, %v", got, statement.Error)
	}
	if got := db.Unscoped().Scopes(rowcastgorm.Where(nil)).Find(&[]Sorted{}).Statement.SQL.String(); got != "SELECT * FROM `sorteds`" {
		t.Errorf("without a filter: %s", got)
	}
	if got := db.Unscoped().Table("sorteds AS s").Scopes(rowcastgorm.Where(filter.Eq("points", 1))).Find(&[]Sorted{}).Statement.SQL.String(); !strings.Contains(got, "`s`.`points`") {
		t.Errorf("under an alias: %s", got)
	}
}

// TestWhereThatCannotBe shows that a filter that cannot be translated fails its query.
func TestWhereThatCannotBe(t *testing.T) {
	points := filter.Eq("points", 1)
	for name, db := range map[string]*gorm.DB{
		"without the plugin": open(t, "postgres").Model(&Sorted{}).Scopes(rowcastgorm.Where(points)),
		"unregistered":       withPlugin(t, "postgres").Model(&Task{}).Scopes(rowcastgorm.Where(points)),
		"no model":           withPlugin(t, "postgres").Table("sorteds").Scopes(rowcastgorm.Where(points)),
		"no field":           withPlugin(t, "postgres").Model(&Sorted{}).Scopes(rowcastgorm.Where(filter.Eq("nothing", 1))),
		"no value":           withPlugin(t, "postgres").Model(&Sorted{}).Scopes(rowcastgorm.Where(filter.Eq("points", "many"))),
	} {
		var rows []map[string]any
		statement := db.WithContext(context.Background()).Find(&rows).Statement
		if statement.Error == nil {
			t.Errorf("%s: %s", name, statement.SQL.String())
		}
		if sql := statement.SQL.String(); !strings.Contains(sql, "1 = 0") {
			t.Errorf("%s: were it run, it would be %s", name, sql)
		}
	}
	statement := withPlugin(t, "postgres").Scopes(rowcastgorm.Where(filter.Eq("nothing", 1))).Find(&[]Sorted{})
	var refused *rowcast.Error
	if !errors.As(statement.Error, &refused) {
		t.Errorf("got %v, which no handler can answer with", statement.Error)
	}
}
