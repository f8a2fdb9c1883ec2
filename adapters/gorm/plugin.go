package rowcastgorm

import (
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"sync/atomic"

	"gorm.io/gorm"

	"github.com/rowcast/rowcast/core"
)

// pluginName is the name under which GORM knows the plugin.
const pluginName = "rowcast"

// defaultBulkLimit is how many rows of one statement are told one by one, unless Config says otherwise.
const defaultBulkLimit = 1000

// Config is how a Capture behaves. The zero value works.
type Config struct {
	// Logger is told what could not be captured. Nil: slog.Default().
	Logger *slog.Logger

	// BulkLimit is how many rows one statement may write before the clients are told to refetch instead. Zero: 1,000.
	BulkLimit int

	// RefuseUntracked makes a write in a transaction that cannot be followed fail with ErrUntracked, before it runs.
	RefuseUntracked bool
}

// Capture is the GORM plugin. Its methods are safe for concurrent use; db.Use is not, as GORM has it.
type Capture struct {
	engine *rowcast.Engine
	config Config

	registering sync.Mutex
	models      atomic.Pointer[map[reflect.Type]*model] // replaced, never changed: every statement reads it
	reported    sync.Map                                // call sites of untracked writes
	folding     folding
}

var _ gorm.Plugin = (*Capture)(nil)

// New returns a plugin that captures into the engine. It captures nothing before db.Use and Register, in either order.
func New(engine *rowcast.Engine, config Config) *Capture {
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	if config.BulkLimit <= 0 {
		config.BulkLimit = defaultBulkLimit
	}
	c := &Capture{engine: engine, config: config}
	c.models.Store(&map[reflect.Type]*model{})
	return c
}

// Name is the plugin's name in GORM.
func (c *Capture) Name() string { return pluginName }

// Initialize is what db.Use calls, and dbresolver again for each of its databases.
func (c *Capture) Initialize(db *gorm.DB) error {
	if c.engine == nil {
		return &rowcast.ConfigError{Path: "rowcastgorm.engine", Detail: "it is nil: use rowcast.New"}
	}
	for _, h := range c.hooks(db) {
		if err := h.register(); err != nil {
			return err
		}
	}
	c.wrapPoolOf(db)
	return nil
}

// hook is one callback of the plugin's.
type hook struct {
	name     string
	anchor   string // GORM's callback that it runs before, or after
	optional bool   // leave the hook out when there is no such callback
	get      func(name string) func(*gorm.DB)
	add      func(name string, run func(*gorm.DB)) error
	run      func(*gorm.DB)
}

// hooks is every callback of the plugin. Each stands right before one of GORM's, since what is registered to run after
// a callback runs after all of them, past the commit.
func (c *Capture) hooks(db *gorm.DB) []hook {
	const (
		begin  = "gorm:begin_transaction" // absent where GORM is configured to begin none
		saved  = "gorm:save_after_associations"
		erased = "gorm:after_delete"
	)
	create, update, remove, raw := db.Callback().Create(), db.Callback().Update(), db.Callback().Delete(), db.Callback().Raw()
	return []hook{
		{"rowcast:follow", begin, true, create.Get, create.Before(begin).Register, c.followPool},
		{"rowcast:before", "gorm:create", false, create.Get, create.Before("gorm:create").Register, c.before(creating)},
		{"rowcast:after", saved, false, create.Get, create.Before(saved).Register, c.after},

		{"rowcast:follow", begin, true, update.Get, update.Before(begin).Register, c.followPool},
		{"rowcast:before", "gorm:update", false, update.Get, update.Before("gorm:update").Register, c.before(updating)},
		{"rowcast:after", saved, false, update.Get, update.Before(saved).Register, c.after},

		{"rowcast:follow", begin, true, remove.Get, remove.Before(begin).Register, c.followPool},
		{"rowcast:before", "gorm:delete", false, remove.Get, remove.Before("gorm:delete").Register, c.before(deleting)},
		{"rowcast:after", erased, false, remove.Get, remove.Before(erased).Register, c.after},

		{"rowcast:savepoint", "gorm:raw", false, raw.Get, raw.After("gorm:raw").Register, followSavepoint},
	}
}

// register adds the hook once, however often the plugin is initialized.
func (h hook) register() error {
	if h.get(h.name) != nil {
		return nil
	}
	if h.get(h.anchor) == nil {
		if h.optional {
			return nil
		}
		return fmt.Errorf("rowcastgorm: the callback %q is missing: register the plugin after the dialect's callbacks, and leave that one in place", h.anchor)
	}
	if err := h.add(h.name, h.run); err != nil {
		return fmt.Errorf("rowcastgorm: callback %s at %s: %w", h.name, h.anchor, err)
	}
	return nil
}

// skipKey is the setting of a session whose writes are not captured.
const skipKey = "rowcast:skip"

// Skip returns a session whose writes, and the associations that they save, are not captured.
func Skip(db *gorm.DB) *gorm.DB {
	return db.Set(skipKey, true).Session(&gorm.Session{})
}

func skipped(db *gorm.DB) bool {
	skip, ok := db.Get(skipKey)
	return ok && skip == true
}

// modelOf is the registered model of a Go type, or nil.
func (c *Capture) modelOf(t reflect.Type) *model { return (*c.models.Load())[t] }
