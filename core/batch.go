package rowcast

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Batch collects what one transaction changes: published together when it commits, thrown away when it rolls back.
// A captor begins one per transaction, captures while the database still holds the row's lock, and ends it with Commit
// or Discard. Safe for concurrent use.
type Batch struct {
	engine  *Engine
	mu      sync.Mutex
	entries []captured
	turns   map[row]*turn // one per row, however often the transaction writes it
	ended   bool          // it takes nothing more
}

// captured is one entry on its way to the log.
type captured struct {
	entry   Entry
	turn    *turn // the row's place in line, on the first entry of each row
	onError func(Record, error)
}

// orderTimeout bounds how long a commit waits for earlier writers of its rows. They have ended in the database already,
// so the wait is short unless a captor lost a transaction.
const orderTimeout = time.Second

// Begin starts a batch. It holds nothing until something is captured.
func (e *Engine) Begin() *Batch { return &Batch{engine: e} }

// Capture adds a change. The caller must still hold the row's lock, if the database has such: the call takes the row's
// place in line. A change of an entity that is not realtime, or of a muted event, costs next to nothing and adds
// nothing. An error means that the change is not in the batch: unknown entity, no event, a key without a value.
func (b *Batch) Capture(ctx context.Context, change Change) error {
	e := b.engine
	if err := e.seal(); err != nil {
		return err
	}
	entity, err := e.lookUp(change.Entity)
	if err != nil {
		return err
	}
	call := callFrom(ctx)
	if call == nil && !entity.settings.realtime && !change.Settings.set() {
		return nil
	}
	if err := change.identify(entity); err != nil {
		return err
	}
	settings := entity.settings
	if call != nil && call.own(&change) {
		settings = call.settings
	}
	return b.capture(ctx, entity, settings.merge(change.Settings), &change)
}

func (b *Batch) capture(ctx context.Context, entity *entity, settings resolved, change *Change) error {
	if err := change.check(entity); err != nil {
		return err
	}
	if !settings.emits(change.Event) {
		return nil
	}
	record, degraded := newRecord(entity, settings.fields, change)
	record.Origin = b.engine.connectionOf(ctx)
	for _, problem := range degraded {
		b.engine.report(settings.onError, record, problem)
	}
	if size := record.size(); size > b.engine.limits.RecordBytes {
		err := fmt.Errorf("%w: about %d bytes, at most %d", ErrRecordTooLarge, size, b.engine.limits.RecordBytes)
		b.engine.report(settings.onError, record, err)
		return b.add(Entry{Resync: &Resync{Entity: entity.Name, Reason: ResyncOverflow}}, settings.onError)
	}
	return b.add(Entry{Record: record}, settings.onError)
}

// Resync adds a note that some rows of the entity changed which cannot be told one by one: clients refetch. The reason
// is one of the wire's.
func (b *Batch) Resync(entity string, reason ResyncReason) error {
	if err := b.engine.seal(); err != nil {
		return err
	}
	registered, err := b.engine.lookUp(entity)
	if err != nil {
		return err
	}
	if !registered.settings.realtime {
		return nil
	}
	return b.add(Entry{Resync: &Resync{Entity: entity, Reason: reason}}, registered.settings.onError)
}

func (b *Batch) add(entry Entry, onError func(Record, error)) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return errEnded
	}
	item := captured{entry: entry, onError: onError}
	if entry.Record != nil {
		at := row{entry.Record.Entity, entry.Record.Key}
		if b.turns[at] == nil {
			if b.turns == nil {
				b.turns = make(map[row]*turn, 1)
			}
			item.turn = b.engine.order.draw(at)
			b.turns[at] = item.turn
		}
	}
	b.entries = append(b.entries, item)
	return nil
}

// Len is how many entries the batch holds: the mark that RewindTo takes when a savepoint is set.
func (b *Batch) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.entries)
}

// RewindTo throws away what was captured after the mark: the transaction went back to a savepoint.
func (b *Batch) RewindTo(mark int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if mark < 0 || mark >= len(b.entries) {
		return
	}
	for _, item := range b.entries[mark:] {
		if item.turn != nil {
			delete(b.turns, item.turn.row)
			b.engine.order.finish(item.turn)
		}
	}
	clear(b.entries[mark:])
	b.entries = b.entries[:mark]
}

// Discard throws everything away: the transaction rolled back. After Commit it does nothing.
func (b *Batch) Discard() { b.RewindTo(0) }

// Commit publishes the batch: the transaction has committed. It waits until every earlier writer of its rows has
// published or given up, appends all to the log at once, and empties the batch. It outlives the end of ctx, since what
// is committed must be told. The error is the log's; it has been reported to OnPublishError as well.
func (b *Batch) Commit(ctx context.Context) error {
	b.mu.Lock()
	items := b.entries
	b.entries, b.turns = nil, nil
	b.mu.Unlock()
	if len(items) == 0 {
		return nil
	}
	defer func() {
		for _, item := range items {
			b.engine.order.finish(item.turn)
		}
	}()
	return b.engine.append(context.WithoutCancel(ctx), b.awaitTurns(items))
}

// errEnded is for a write that is reported after its operation has returned: nobody would publish it.
var errEnded = errors.New("rowcast: the operation has ended already: a store reports a write before it returns")

// end commits, and takes nothing more.
func (b *Batch) end(ctx context.Context) error {
	b.mu.Lock()
	b.ended = true
	b.mu.Unlock()
	return b.Commit(ctx)
}

// awaitTurns waits for the batch's rows. What waits in vain becomes a resync of its entity, and so does what was waited
// for in vain, should it come after all: its row is older than what the clients have fetched by then.
func (b *Batch) awaitTurns(items []captured) []captured {
	deadline := time.Now().Add(orderTimeout)
	late := make(map[row]bool)
	for _, item := range items {
		if item.turn != nil && !b.engine.order.await(item.turn, deadline) {
			late[item.turn.row] = true
		}
	}
	if len(late) == 0 {
		return items
	}
	told := make(map[string]bool)
	var kept []captured
	for _, item := range items {
		record := item.entry.Record
		if record == nil || !late[row{record.Entity, record.Key}] {
			kept = append(kept, item)
			continue
		}
		b.engine.report(item.onError, record, ErrOutOfOrder)
		if !told[record.Entity] {
			told[record.Entity] = true
			kept = append(kept, captured{entry: Entry{Resync: &Resync{Entity: record.Entity, Reason: ResyncHistoryLost}}, onError: item.onError})
		}
	}
	return kept
}

// Publish captures and commits one change: for a captor that knows of the change only when it is committed. Changes of
// one row must be published in the order of their commits.
func (e *Engine) Publish(ctx context.Context, change Change) error {
	if e.sealed.Load() && !change.Settings.set() && callFrom(ctx) == nil {
		if entity := e.entities[change.Entity]; entity != nil && !entity.settings.realtime {
			return nil // the cheapest checks first: nothing to publish, nothing allocated
		}
	}
	batch := Batch{engine: e}
	if err := batch.Capture(ctx, change); err != nil {
		return err
	}
	return batch.Commit(ctx)
}

// Emits reports whether a change of the entity can be told at all: it is realtime, or an operation under which ctx runs
// may say so. A captor asks before it does work for a change.
func (e *Engine) Emits(ctx context.Context, entity string) bool {
	if !e.sealed.Load() { // else the registry never changes
		e.mu.Lock()
		defer e.mu.Unlock()
	}
	registered := e.entities[entity]
	return registered != nil && (registered.settings.realtime || callFrom(ctx) != nil)
}

// append is the one place where entries reach the log and the transports.
func (e *Engine) append(ctx context.Context, items []captured) error {
	entries := make([]Entry, len(items))
	for i, item := range items {
		entries[i] = item.entry
	}
	var position Position
	err := contained("the log", func() (err error) { position, err = e.log.Append(ctx, entries...); return err })
	if err != nil {
		err = fmt.Errorf("rowcast: the log did not take the record: %w", err)
		for _, item := range items {
			e.report(item.onError, item.entry.record(), err)
		}
		return err
	}
	if origin := e.originFrom(ctx); origin != nil {
		origin.reached(position)
	}
	for _, item := range items {
		if item.entry.Record != nil {
			e.counters.published.Add(1)
			e.hand(item.entry.Record, item.onError)
		}
	}
	return nil
}
