package matrix_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glebarez/sqlite"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	rowcastgorm "github.com/rowcast/rowcast/adapters/gorm"
	"github.com/rowcast/rowcast/conformance/matrix"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/memstore"
)

// patience only ever runs out on a failure.
const patience = 20 * time.Second

// Card is what most cases write.
type Card struct {
	ID        uint64         `json:"id"`
	Title     string         `json:"title"`
	Status    string         `json:"status" gorm:"default:todo"`
	Points    int            `json:"points"`
	Note      *string        `json:"note"`
	CreatedAt time.Time      `json:"createdAt"`
	UpdatedAt time.Time      `json:"updatedAt"`
	Secret    string         `json:"-"`
	DeletedAt gorm.DeletedAt `json:"-"`
}

// AfterFind would falsify what the plugin reads, if it ran.
func (c *Card) AfterFind(*gorm.DB) error {
	c.Title = "found " + c.Title
	return nil
}

// Line has a composite key and is really deleted.
type Line struct {
	Order uint   `json:"order" gorm:"primaryKey;autoIncrement:false"`
	SKU   string `json:"sku" gorm:"primaryKey"`
	Title string `json:"title"`
}

// Deck has many slots, which are saved with it.
type Deck struct {
	ID    uint   `json:"id"`
	Title string `json:"title"`
	Slots []Slot `json:"-"`
}

type Slot struct {
	ID     uint   `json:"id"`
	DeckID *uint  `json:"deck"`
	Title  string `json:"title"`
}

// Label has a column beside the key that is unique.
type Label struct {
	ID    uint   `json:"id"`
	Title string `json:"title" gorm:"uniqueIndex"`
	Uses  int    `json:"uses"`
}

// Unwatched is not registered.
type Unwatched struct {
	ID    uint
	Title string
}

// Canary is written last: after its event nothing else of what came before it can come.
type Canary struct {
	ID uint `json:"id"`
}

var watched = []any{&Card{}, &Line{}, &Deck{}, &Slot{}, &Label{}, &Canary{}}

// server is a database that cases open as often as they like.
type server struct {
	name string
	dsn  func() string
	open func(dsn string) gorm.Dialector
}

// onEach runs a test on every database.
func onEach(t *testing.T, run func(t *testing.T, s server)) {
	t.Run("sqlite", func(t *testing.T) {
		run(t, server{"sqlite", func() string { return matrix.SQLite(t) }, sqlite.Open})
	})
	t.Run("postgres", func(t *testing.T) {
		dsn := matrix.Postgres(t)
		empty := func() string {
			db := must(gorm.Open(postgres.Open(dsn), &gorm.Config{Logger: logger.Discard}))
			check(t, db.Exec("DROP SCHEMA public CASCADE").Error)
			check(t, db.Exec("CREATE SCHEMA public").Error)
			closeDB(t, db)
			return dsn
		}
		run(t, server{"postgres", empty, postgres.Open})
	})
}

// feed is one database with the plugin, and a subscription to all that it tells.
type feed struct {
	t       *testing.T
	server  server
	dsn     string
	db      *gorm.DB
	engine  *rowcast.Engine
	capture *rowcastgorm.Capture
	logs    *logs

	waiting chan string
}

// options say in what a feed differs from the usual.
type options struct {
	gorm     gorm.Config
	config   rowcastgorm.Config
	entity   func(model any) rowcastgorm.Entity
	defaults rowcast.Settings
	plugins  func(dsn string, s server) (before, after []gorm.Plugin)
}

func newFeed(t *testing.T, s server, o options) *feed {
	t.Helper()
	f := &feed{t: t, server: s, dsn: s.dsn(), logs: &logs{}}
	o.gorm.Logger = logger.Discard
	f.db = must(gorm.Open(s.open(f.dsn), &o.gorm))
	t.Cleanup(func() { closeDB(t, f.db) })
	o.defaults.Realtime = rowcast.On
	f.engine = must(rowcast.New(memstore.NewLog(memstore.LogConfig{}), rowcast.Config{Logger: slog.New(slog.DiscardHandler), Defaults: o.defaults}))
	o.config.Logger = slog.New(f.logs)
	f.capture = rowcastgorm.New(f.engine, o.config)
	var before, after []gorm.Plugin
	if o.plugins != nil {
		before, after = o.plugins(f.dsn, s)
	}
	for _, plugin := range append(append(before, f.capture), after...) {
		check(t, f.db.Use(plugin))
	}
	check(t, f.db.AutoMigrate(append([]any{&Unwatched{}}, watched...)...))
	for _, model := range watched {
		entity := rowcastgorm.Entity{Filterable: rowcast.AllFields}
		if o.entity != nil {
			entity = o.entity(model)
		}
		check(t, f.capture.Register(f.db, model, entity))
	}
	check(t, f.engine.Start(context.Background()))
	t.Cleanup(func() { check(t, f.engine.Shutdown(context.Background())) })
	return f
}

// watch subscribes to everything.
func (f *feed) watch() {
	f.t.Helper()
	subscription, err := f.engine.Subscribe(f.t.Context(), rowcast.SubscribeRequest{
		Channels: []string{"Card", "Line", "Deck", "Slot", "Label", "Canary"},
	})
	check(f.t, err)
	f.waiting = make(chan string, 10000)
	go func() {
		defer close(f.waiting)
		for frame, err := range subscription.Frames() {
			if err != nil {
				return
			}
			if text := frameText(frame); text != "" {
				f.waiting <- text
			}
		}
	}()
	f.told() // what was written before may still be on its way through the hub
}

// told is what has come since the last call, in order, found out by a canary.
func (f *feed) told() []string {
	f.t.Helper()
	check(f.t, f.db.Session(&gorm.Session{NewDB: true, Context: context.Background()}).Create(&Canary{}).Error)
	var texts []string
	timeout := time.After(patience)
	for {
		select {
		case text, ok := <-f.waiting:
			if !ok {
				f.t.Fatal("the subscription ended")
			}
			if strings.HasPrefix(text, "created Canary.") {
				return texts
			}
			texts = append(texts, text)
		case <-timeout:
			f.t.Fatalf("no canary; came so far: %q", texts)
		}
	}
}

func (f *feed) expect(want ...string) {
	f.t.Helper()
	got := f.told()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		f.t.Errorf("told\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// frameText is a frame such as «patched Card.7 Dune: title».
func frameText(frame *rowcast.Frame) string {
	switch frame.Event {
	case "", rowcast.FrameSubscribed:
		return ""
	case rowcast.FrameResync:
		var resync struct {
			Reason   string   `json:"reason"`
			Channels []string `json:"channels"`
		}
		if err := json.Unmarshal(frame.Data, &resync); err != nil {
			return err.Error()
		}
		return "resync " + strings.Join(resync.Channels, ",") + " " + resync.Reason
	}
	var change struct {
		Event, Channel, Cause string
		Item                  map[string]any
		Changed               []string
	}
	if err := json.Unmarshal(frame.Data, &change); err != nil {
		return fmt.Sprintf("%v in %s", err, frame.Data)
	}
	text := change.Event + " " + change.Channel
	if title, ok := change.Item["title"]; ok {
		text += fmt.Sprintf(" %v", title)
	}
	if len(change.Changed) > 0 {
		text += ": " + strings.Join(change.Changed, " ")
	}
	return text
}

// logs keeps what the plugin reports.
type logs struct {
	slog.Handler
	mu    sync.Mutex
	lines []string
}

func (l *logs) Enabled(context.Context, slog.Level) bool { return true }

func (l *logs) Handle(_ context.Context, record slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := record.Message
	record.Attrs(func(attr slog.Attr) bool {
		line += " " + attr.String()
		return true
	})
	l.lines = append(l.lines, line)
	return nil
}

func (l *logs) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.lines...)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func closeDB(t testing.TB, db *gorm.DB) {
	t.Helper()
	sqlDB, err := db.DB()
	check(t, err)
	check(t, sqlDB.Close())
}
