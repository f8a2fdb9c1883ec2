package matrix_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/glebarez/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"

	rowcastgorm "github.com/rowcast/rowcast/adapters/gorm"
	"github.com/rowcast/rowcast/conformance/matrix"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/memstore"
)

// UUID is a UUID type as the libraries have it.
type UUID [16]byte

func (u UUID) MarshalText() ([]byte, error) {
	text := hex.EncodeToString(u[:])
	return []byte(text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]), nil
}

func (u UUID) Value() (driver.Value, error) {
	text, err := u.MarshalText()
	return string(text), err
}

func (u *UUID) Scan(v any) error {
	b, err := hex.DecodeString(strings.ReplaceAll(fmt.Sprintf("%s", v), "-", ""))
	copy(u[:], b)
	return err
}

// Money marshals itself, and is a decimal in the database.
type Money struct{ cents int64 }

func (m Money) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `{"cents":%d}`, m.cents), nil }

func (m Money) Value() (driver.Value, error) {
	return fmt.Sprintf("%d.%02d", m.cents/100, m.cents%100), nil
}

func (m *Money) Scan(v any) error {
	if b, ok := v.([]byte); ok {
		v = string(b)
	}
	var amount float64
	_, err := fmt.Sscan(fmt.Sprint(v), &amount)
	m.cents = int64(amount*100 + 0.5)
	return err
}

// Mood has its values in the registration.
type Mood string

type Audit struct {
	By     string    `json:"by"`
	At     time.Time `json:"at"`
	Hidden string    `json:"-"`
}

type Address struct {
	City string `json:"city"`
}

// Everything has a field of every sort.
type Everything struct {
	UUID     UUID            `json:"uuid" gorm:"type:text;primaryKey"`
	Text     string          `json:"text,omitempty"`
	Untagged string          // goes by its Go name
	Key      string          `json:"key" gorm:"type:uuid"`
	Mood     Mood            `json:"mood"`
	Maybe    *string         `json:"maybe"`
	Null     sql.NullString  `json:"null"`
	Small    int16           `json:"small"`
	Big      int64           `json:"big,string"`
	Count    uint32          `json:"count"`
	Ratio    float64         `json:"ratio"`
	Exact    float64         `json:"exact" gorm:"type:decimal(10,2)"`
	Price    Money           `json:"price" gorm:"type:decimal(10,2)"`
	Flag     bool            `json:"flag"`
	When     time.Time       `json:"when"`
	Due      *time.Time      `json:"due"`
	Bytes    []byte          `json:"bytes"`
	Meta     map[string]any  `json:"meta" gorm:"serializer:json"`
	Raw      json.RawMessage `json:"raw" gorm:"type:json"`
	Wait     time.Duration   `json:"wait"`
	Opt      sql.Null[int64] `json:"opt"`
	Must     *string         `json:"must" gorm:"not null"`
	Secret   string          `json:"-"`
	Audit
	Home    Address        `json:"home" gorm:"embedded;embeddedPrefix:home_"`
	Skipped func()         `json:"-" gorm:"-"`
	Write   string         `json:"write" gorm:"->:false;<-"`
	Gone    gorm.DeletedAt `json:"gone"`
}

// boundStore only keeps the entity that it is given.
type boundStore struct {
	rowcast.Store
	entity rowcast.Entity
}

func (s *boundStore) Bind(entity rowcast.Entity) error {
	s.entity = entity
	return nil
}

func newEngine(t *testing.T) *rowcast.Engine {
	t.Helper()
	engine, err := rowcast.New(memstore.NewLog(memstore.LogConfig{}), rowcast.Config{
		Logger: slog.New(slog.DiscardHandler), Defaults: rowcast.Settings{Realtime: rowcast.On},
	})
	check(t, err)
	t.Cleanup(func() { check(t, engine.Shutdown(context.Background())) })
	return engine
}

func openSQLite(t *testing.T, config gorm.Config) *gorm.DB {
	t.Helper()
	config.Logger = logger.Discard
	db, err := gorm.Open(sqlite.Open(matrix.SQLite(t)), &config)
	check(t, err)
	t.Cleanup(func() { closeDB(t, db) })
	return db
}

func TestGORMSchema(t *testing.T) {
	db := openSQLite(t, gorm.Config{})
	store := &boundStore{}
	capture := rowcastgorm.New(newEngine(t), rowcastgorm.Config{})
	check(t, capture.Register(db, &Everything{}, rowcastgorm.Entity{Store: store, Enums: map[string][]string{"mood": {"good", "bad"}}}))
	if store.entity.Name != "Everything" || fmt.Sprint(store.entity.Key) != "[uuid]" || store.entity.SoftDelete != "gone" {
		t.Errorf("derived %q, key %q, soft delete %q", store.entity.Name, store.entity.Key, store.entity.SoftDelete)
	}
	want := []string{
		"uuid uuid", "text string", "Untagged string", "key uuid", "mood enum [good bad]", "maybe string null", "null string null",
		"small int 16", "big int", "count uint 32", "ratio float", "exact decimal", "price decimal", "flag bool",
		"when time", "due time null", "bytes bytes null", "meta json null", "raw json null", "wait int", "opt int null",
		"must string", "Secret string hidden", "by string", "at time", "Hidden string hidden", "home.city string", "gone time null",
	}
	var got []string
	for _, field := range store.entity.Fields {
		text := field.Name + " " + field.Kind.String()
		if field.Bits > 0 {
			text += fmt.Sprint(" ", field.Bits)
		}
		if len(field.Members) > 0 {
			text += fmt.Sprint(" ", field.Members)
		}
		if field.Nullable {
			text += " null"
		}
		if field.Hidden {
			text += " hidden"
		}
		got = append(got, text)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("derived\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// TestGORMValues shows that rows leave as the database keeps them, in the form in which encoding/json shows the model.
func TestGORMValues(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		f := newFeed(t, s, options{})
		engine := newEngine(t)
		capture := rowcastgorm.New(engine, rowcastgorm.Config{})
		db, err := gorm.Open(s.open(f.dsn), &gorm.Config{Logger: logger.Discard})
		check(t, err)
		t.Cleanup(func() { closeDB(t, db) })
		check(t, db.Use(capture)) // before any model is registered
		check(t, db.AutoMigrate(&Everything{}))
		check(t, capture.Register(db, &Everything{}, rowcastgorm.Entity{Enums: map[string][]string{"mood": {"good", "bad"}}}))
		check(t, engine.Start(context.Background()))
		subscription, err := engine.Subscribe(t.Context(), rowcast.SubscribeRequest{Channels: []string{"Everything"}})
		check(t, err)
		defer subscription.Close()

		must := "must"
		at := time.Date(2026, 12, 1, 10, 0, 0, 123456789, time.FixedZone("", 3600))
		check(t, db.Create(&Everything{
			UUID: UUID{1, 2, 3}, Text: "grüße \"x\"\n", Untagged: "u", Key: "0F0E0D0C-0B0A-0908-0706-050403020100", Mood: "good",
			Null: sql.NullString{String: "n", Valid: true}, Small: -3, Big: 9007199254740993, Count: 7, Ratio: 0.1, Exact: 1.25,
			Price: Money{1999}, Flag: true, When: at, Bytes: []byte{0, 255}, Meta: map[string]any{"a": []any{1.5}},
			Raw: json.RawMessage(`{"k":1}`), Wait: time.Second, Must: &must, Secret: "s", Audit: Audit{By: "me", At: at, Hidden: "h"},
			Home: Address{City: "Ulm"}, Write: "w",
		}).Error)
		want := `{"uuid":"01020300-0000-0000-0000-000000000000","text":"grüße \"x\"\n","Untagged":"u",` +
			`"key":"0f0e0d0c-0b0a-0908-0706-050403020100","mood":"good","maybe":null,"null":"n","small":-3,"big":"9007199254740993",` +
			`"count":7,"ratio":0.1,"exact":1.25,"price":{"cents":1999},"flag":true,"when":"2026-12-01T09:00:00.123456Z","due":null,` +
			`"bytes":"AP8=","meta":{"a":[1.5]},"raw":{"k":1},"wait":1000000000,"opt":null,"must":"must","by":"me",` +
			`"at":"2026-12-01T09:00:00.123456Z","home.city":"Ulm","gone":null}`
		for frame, err := range subscription.Frames() {
			check(t, err)
			if frame.Event == rowcast.FrameSubscribed {
				continue
			}
			var change struct {
				ID   string
				Item json.RawMessage
			}
			check(t, json.Unmarshal(frame.Data, &change))
			if change.ID != "01020300-0000-0000-0000-000000000000" || string(change.Item) != want {
				t.Errorf("%s came as\n%s\nwant\n%s", change.ID, change.Item, want)
			}
			return
		}
		t.Error("no event came")
	})
}

// Models that cannot be registered.
type (
	noKey struct {
		Name string
	}
	customDelete struct {
		ID      uint
		Deleted oddDelete
	}
	zeroDelete struct {
		ID        uint
		DeletedAt gorm.DeletedAt `gorm:"zeroValue:'1970-01-01 00:00:01'"`
	}
	sameName struct {
		ID    uint   `json:"id"`
		One   string `json:"Two"`
		Two   string
		Float float64
	}
	floatKey struct {
		ID float64 `gorm:"primaryKey"`
	}
	unknownKind struct {
		ID    uint
		Shape []int `gorm:"type:point"`
	}
	nullableKey struct {
		ID *uint `gorm:"primaryKey"`
	}
)

type oddDelete int

func (oddDelete) DeleteClauses(*schema.Field) []clause.Interface { return nil }

func TestGORMRegisterRefuses(t *testing.T) {
	cases := []struct {
		name   string
		model  any
		entity rowcastgorm.Entity
		paths  []string
	}{
		{"no struct", 7, rowcastgorm.Entity{}, []string{"entities.int"}},
		{"no key", &noKey{}, rowcastgorm.Entity{}, []string{"entities.noKey.key"}},
		{"another soft delete", &customDelete{}, rowcastgorm.Entity{}, []string{"entities.customDelete.fields.Deleted"}},
		{"soft delete by a value", &zeroDelete{}, rowcastgorm.Entity{}, []string{"entities.zeroDelete.fields.DeletedAt"}},
		{"one name twice, and an enum that is none", &sameName{}, rowcastgorm.Entity{Enums: map[string][]string{"Float": {"a"}, "nope": {"b"}}},
			[]string{"entities.sameName.fields.Two", "entities.sameName.enums.Float", "entities.sameName.enums.nope"}},
		{"a key of no key's kind", &floatKey{}, rowcastgorm.Entity{}, []string{"entities.floatKey.key"}},
		{"an unknown kind, and more that only the engine knows", &unknownKind{},
			rowcastgorm.Entity{Filterable: rowcast.Only("nope"), Settings: rowcast.Settings{Events: map[rowcast.EventID]bool{"craeted": true}}},
			[]string{"entities.unknownKind.fields.Shape", "entities.unknownKind.filterable", "entities.unknownKind.realtime.events.craeted"}},
		{"a key that may be null", &nullableKey{}, rowcastgorm.Entity{}, []string{"entities.nullableKey.key"}},
		{"a name with a dot", &Label{}, rowcastgorm.Entity{Name: "a.b"}, []string{"entities.a.b"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			engine := newEngine(t)
			capture := rowcastgorm.New(engine, rowcastgorm.Config{})
			err := capture.Register(openSQLite(t, gorm.Config{}), c.model, c.entity)
			expectPaths(t, err, c.paths)
			if engine.Start(context.Background()) == nil {
				t.Error("the engine started without what could not be registered")
			}
		})
	}
	t.Run("twice", func(t *testing.T) {
		db, capture := openSQLite(t, gorm.Config{}), rowcastgorm.New(newEngine(t), rowcastgorm.Config{})
		check(t, capture.Register(db, Label{}, rowcastgorm.Entity{}))
		expectPaths(t, capture.Register(db, &Label{}, rowcastgorm.Entity{Name: "Other"}), []string{"entities.Other"})
	})
	t.Run("no engine", func(t *testing.T) {
		db, capture := openSQLite(t, gorm.Config{}), rowcastgorm.New(nil, rowcastgorm.Config{})
		expectPaths(t, capture.Register(db, &Label{}, rowcastgorm.Entity{}), []string{"rowcastgorm.engine"})
		expectPaths(t, db.Use(capture), []string{"rowcastgorm.engine"})
	})
}

// expectPaths expects one ConfigError for each path, and nothing else.
func expectPaths(t *testing.T, err error, want []string) {
	t.Helper()
	var got []string
	problems := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		problems = joined.Unwrap()
	}
	for _, problem := range problems {
		var config *rowcast.ConfigError
		if errors.As(problem, &config) {
			got = append(got, config.Path)
			continue
		}
		t.Errorf("%v is no ConfigError", problem)
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("refused with %q (%v), want %q", got, err, want)
	}
}

func TestGORMUse(t *testing.T) {
	t.Run("twice", func(t *testing.T) {
		db, capture := openSQLite(t, gorm.Config{}), rowcastgorm.New(newEngine(t), rowcastgorm.Config{})
		check(t, db.Use(capture))
		if err := db.Use(capture); !errors.Is(err, gorm.ErrRegistered) {
			t.Errorf("the second Use gave %v", err)
		}
		check(t, capture.Initialize(db)) // as dbresolver does
	})
	t.Run("a callback of GORM's is missing", func(t *testing.T) {
		db, capture := openSQLite(t, gorm.Config{}), rowcastgorm.New(newEngine(t), rowcastgorm.Config{})
		check(t, db.Callback().Update().Remove("gorm:update"))
		if err := db.Use(capture); err == nil || !strings.Contains(err.Error(), "gorm:update") {
			t.Errorf("Use gave %v", err)
		}
	})
}
