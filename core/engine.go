package rowcast

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rowcast/rowcast/core/filter"
)

// Config is what an engine is built from, beside its log. The zero value works.
type Config struct {
	Transports []Transport  // live objects, validated once and kept as they are
	Defaults   Settings     // the settings of every entity, unless it says otherwise
	Logger     *slog.Logger // nil: slog.Default()
	Limits     Limits
}

// Limits bound what one client, or all of them, can take. Zero means the default in parentheses.
type Limits struct {
	Channels       int           // channels of one connection (128)
	Connections    int           // connections of this node (unlimited)
	QueueFrames    int           // frames that wait for one connection (1,024)
	QueueBytes     int           // bytes that wait for one connection (256 KiB)
	RecordBytes    int           // one record in memory; a larger one is told as a resync (half of QueueBytes)
	TransportQueue int           // records that wait for one transport (1,024)
	Filter         filter.Limits // of one filter
	Retry          time.Duration // how long clients wait before they reconnect; after a bye up to twice as long (3 s)
}

// Engine holds the registry, follows the log and serves the subscriptions. All methods are safe for concurrent use.
type Engine struct {
	log      Log
	logger   *slog.Logger
	defaults resolved
	limits   Limits
	hub      *hub
	order    order
	counters counters

	mu            sync.Mutex
	entities      map[string]*entity // immutable once sealed
	misconfigured problems
	sealed        atomic.Bool
	started       atomic.Bool
	stopped       bool
	stopFollowing context.CancelFunc
	following     sync.WaitGroup

	transports        []*transportRunner
	handing           sync.RWMutex
	transportsClosed  bool
	transportsRunning sync.WaitGroup
	cancelTransports  context.CancelFunc

	reports          chan failure
	reporting        sync.RWMutex
	reportsClosed    bool
	reportingRunning sync.WaitGroup
}

// New builds an engine on a log. Everything that is wrong with the configuration is reported at once, as ConfigErrors
// joined. Nothing runs before Start.
func New(log Log, config Config) (*Engine, error) {
	var found problems
	if log == nil {
		found.add("log", "it is nil: use memstore.NewLog for one process")
	}
	config.Defaults.check("defaults", nil, &found)
	limits := config.Limits.resolve(&found)
	transports := newTransports(config.Transports, max(limits.TransportQueue, 0), &found)
	if len(found) > 0 {
		return nil, found.err()
	}
	config.Defaults.Events = maps.Clone(config.Defaults.Events)
	e := &Engine{
		log: log, logger: config.Logger, limits: limits, transports: transports,
		defaults: resolved{}.merge(config.Defaults),
		entities: make(map[string]*entity),
		reports:  make(chan failure, reportQueue),
	}
	if e.logger == nil {
		e.logger = slog.Default()
	}
	e.logger = slog.New(guardedHandler{e.logger.Handler()})
	e.hub = &hub{
		log: log, logger: e.logger, counters: &e.counters, limits: limits,
		subscriptions: make(map[*Subscription]bool), empty: make(chan struct{}),
	}
	return e, nil
}

func (l Limits) resolve(found *problems) Limits {
	def := func(name string, value *int, normal int) {
		if *value < 0 {
			found.add("limits."+name, "%d is negative; 0 means the default of %d", *value, normal)
		}
		if *value == 0 {
			*value = normal
		}
	}
	def("channels", &l.Channels, 128)
	def("connections", &l.Connections, 0)
	def("queueFrames", &l.QueueFrames, 1024)
	def("queueBytes", &l.QueueBytes, 256<<10)
	def("recordBytes", &l.RecordBytes, l.QueueBytes/2)
	def("transportQueue", &l.TransportQueue, 1024)
	if l.Retry < 0 {
		found.add("limits.retry", "%v is negative; 0 means the default of 3s", l.Retry)
	}
	if l.Retry <= 0 {
		l.Retry = 3 * time.Second
	}
	return l
}

// Limits are the limits in force, with the defaults filled in.
func (e *Engine) Limits() Limits { return e.limits }

// seal closes the registry. Its error is everything that was wrong with what was registered.
func (e *Engine) seal() error {
	if !e.sealed.Load() {
		e.mu.Lock()
		e.sealed.Store(true)
		e.mu.Unlock()
	}
	return e.misconfigured.err() // immutable from here on
}

// Start seals the registry, reports what is wrong with it, and starts the hub and the transports. ctx bounds only the
// start itself. A second Start does nothing; after Shutdown it is ErrShutdown.
func (e *Engine) Start(ctx context.Context) error {
	if err := e.seal(); err != nil {
		return err
	}
	if done, err := e.startable(); done || err != nil {
		return err
	}
	// Without the lock: a log that hangs must not hold up Shutdown.
	var head Position
	err := contained("the log", func() (err error) { head, err = e.log.Head(ctx); return err })
	if err != nil {
		return fmt.Errorf("rowcast: the log cannot be read: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if done, err := e.startableLocked(); done || err != nil {
		return err // somebody else was faster
	}
	e.hub.begin(head)
	e.run()
	e.started.Store(true)
	return nil
}

// startable reports whether the engine runs already, or why it cannot start.
func (e *Engine) startable() (done bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.startableLocked()
}

func (e *Engine) startableLocked() (done bool, err error) {
	switch {
	case e.stopped:
		return false, ErrShutdown
	case len(e.entities) == 0:
		return false, errors.New("rowcast: no entity is registered")
	}
	return e.started.Load(), nil
}

// run starts every goroutine of the engine. Shutdown ends them.
func (e *Engine) run() {
	following, stopFollowing := context.WithCancel(context.Background())
	e.stopFollowing = stopFollowing
	e.following.Go(func() { e.hub.follow(following) })
	delivering, cancelTransports := context.WithCancel(context.Background())
	e.cancelTransports = cancelTransports
	for _, runner := range e.transports {
		e.transportsRunning.Go(func() { e.runTransport(delivering, runner) })
	}
	e.reportingRunning.Go(e.runReports)
}

// Shutdown turns new streams away, says bye to the open ones and waits until they have closed, lets the transports
// finish, and ends every goroutine of the engine. When ctx ends first it returns with an error that says what is still
// open. Writes go on being published to the log afterwards. A second Shutdown waits likewise.
func (e *Engine) Shutdown(ctx context.Context) error {
	e.mu.Lock()
	e.stopped = true
	running := e.started.Load()
	e.mu.Unlock()
	streams := e.hub.close(ctx)
	if !running {
		return streams
	}
	e.stopFollowing()
	transports := e.closeTransports(ctx)
	e.closeReports()
	return errors.Join(streams, transports, waitFor(ctx, &e.following), waitFor(ctx, &e.reportingRunning))
}
