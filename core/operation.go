package rowcast

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/rowcast/rowcast/core/filter"
)

// The standard operations. Every entity with a Store has them.
const (
	ReadOne    = "readOne"
	ReadMany   = "readMany"
	CreateOne  = "createOne"
	UpdateOne  = "updateOne" // replace
	PatchOne   = "patchOne"  // partial
	DeleteOne  = "deleteOne" // soft where the entity soft-deletes
	PurgeOne   = "purgeOne"  // for good, also of a soft-deleted row
	RestoreOne = "restoreOne"
)

// OperationKind says whether an operation writes.
type OperationKind uint8

// The kinds of operation.
const (
	Read OperationKind = iota + 1
	Write
)

// Cardinality says how many rows an operation is about.
type Cardinality uint8

// The cardinalities.
const (
	One Cardinality = iota + 1
	Many
)

// Operation is a custom operation of an entity. Under the name of a standard operation only Settings may be set.
type Operation struct {
	Kind        OperationKind
	Cardinality Cardinality

	// Event is what a Write of One publishes as; without it the operation publishes nothing.
	Event EventID

	// Handler serves an operation of cardinality One, ManyHandler one of Many. They may be called concurrently.
	Handler     func(context.Context, Call) (Values, error)
	ManyHandler func(context.Context, Call) ([]Values, error)

	Settings Settings
}

// Input is what a caller gives to an operation.
type Input struct {
	ID       string      // the row that the operation addresses; "" for createOne and for many
	Values   Values      // what is to be written
	Filter   filter.Expr // which rows, for reads of many; nil: all
	Settings Settings    // the last level of the settings chain, for this call alone
}

// Call is what a handler gets.
type Call struct {
	Entity    string
	Operation string
	Store     Store // the entity's; nil if it has none
	Input
}

// operation is a registered Operation with its settings resolved.
type operation struct {
	Operation
	name     string
	settings resolved
}

// standardOperations maps the standard operations to their handlers and events.
func standardOperations() map[string]Operation {
	write := func(event EventID, handler func(context.Context, Call) (Values, error)) Operation {
		return Operation{Kind: Write, Cardinality: One, Event: event, Handler: handler}
	}
	return map[string]Operation{
		ReadOne: {Kind: Read, Cardinality: One, Handler: func(ctx context.Context, c Call) (Values, error) {
			return c.Store.Get(ctx, c.ID)
		}},
		ReadMany: {Kind: Read, Cardinality: Many, ManyHandler: func(ctx context.Context, c Call) ([]Values, error) {
			return c.Store.List(ctx, c.Filter)
		}},
		CreateOne: write(Created, func(ctx context.Context, c Call) (Values, error) {
			return c.Store.Create(ctx, c.Values)
		}),
		UpdateOne: write(Updated, func(ctx context.Context, c Call) (Values, error) {
			return c.Store.Update(ctx, c.ID, c.Values)
		}),
		PatchOne: write(Patched, func(ctx context.Context, c Call) (Values, error) {
			return c.Store.Patch(ctx, c.ID, c.Values)
		}),
		DeleteOne: write(Deleted, func(ctx context.Context, c Call) (Values, error) {
			return nil, c.Store.Delete(ctx, c.ID)
		}),
		PurgeOne: write(Deleted, func(ctx context.Context, c Call) (Values, error) {
			return nil, c.Store.Purge(ctx, c.ID)
		}),
		RestoreOne: write(Restored, func(ctx context.Context, c Call) (Values, error) {
			return c.Store.Restore(ctx, c.ID)
		}),
	}
}

// check reports what is wrong with a custom operation.
func (o Operation) check(path string, found *problems) {
	if o.Kind != Read && o.Kind != Write {
		found.add(path+".kind", "use Read or Write")
	}
	switch o.Cardinality {
	case One:
		if o.Handler == nil || o.ManyHandler != nil {
			found.add(path+".handler", "an operation of cardinality One needs Handler, and no ManyHandler")
		}
	case Many:
		if o.ManyHandler == nil || o.Handler != nil {
			found.add(path+".manyHandler", "an operation of cardinality Many needs ManyHandler, and no Handler")
		}
	default:
		found.add(path+".cardinality", "use One or Many")
	}
	switch {
	case o.Event == "":
	case !o.Event.Valid():
		found.add(path+".event", "%q is no event; the events are %s", o.Event, list(EventIDs()))
	case o.Kind == Read:
		found.add(path+".event", "a Read publishes nothing: remove the event")
	case o.Cardinality == Many:
		found.add(path+".event", "an event describes one row: an operation of cardinality Many cannot publish as %q", o.Event)
	}
}

// checkStandard reports everything but settings under the name of a standard operation.
func (o Operation) checkStandard(path string, found *problems) {
	if o.Kind != 0 || o.Cardinality != 0 || o.Event != "" || o.Handler != nil || o.ManyHandler != nil {
		found.add(path, "this is a standard operation: only its Settings can be set")
	}
}

// Execute runs an operation of cardinality One and returns the row that it gives. After a write the row's event is on
// its way when Execute returns; a failure to publish never fails the write. Unknown names are ErrUnknownEntity and an
// *Error. Safe for concurrent use.
func (e *Engine) Execute(ctx context.Context, entity, name string, input Input) (Values, error) {
	call, err := e.newCall(entity, name, One, input)
	if err != nil {
		return nil, err
	}
	ctx = context.WithValue(ctx, callKey{}, call)
	// A store reports a write only once it is certain: what was reported has happened, even if the handler fails or
	// panics later. A failed append has been reported; it does not fail the write.
	defer func() { _ = call.batch.end(ctx) }()
	row, err := call.operation.Handler(ctx, call.public(input))
	if err == nil {
		call.finish(ctx, row)
	}
	return row, err
}

// ExecuteMany runs an operation of cardinality Many. It publishes nothing of its own.
func (e *Engine) ExecuteMany(ctx context.Context, entity, name string, input Input) ([]Values, error) {
	call, err := e.newCall(entity, name, Many, input)
	if err != nil {
		return nil, err
	}
	return call.operation.ManyHandler(ctx, call.public(input))
}

// call is an operation while it runs. It rides in the context, where captors find it.
type call struct {
	entity    *entity
	operation *operation
	settings  resolved // with the call's own level
	written   []string
	batch     *Batch

	mu       sync.Mutex
	id       string // canonical; "" until known
	captured bool   // a captor has reported the row
}

type callKey struct{}

func callFrom(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

func (e *Engine) newCall(name, operationName string, cardinality Cardinality, input Input) (*call, error) {
	if err := e.seal(); err != nil {
		return nil, err
	}
	entity, err := e.lookUp(name)
	if err != nil {
		return nil, err
	}
	op := entity.operations[operationName]
	if op == nil || op.Cardinality != cardinality {
		return nil, unknownOperation(entity, operationName, cardinality)
	}
	c := &call{entity: entity, operation: op, settings: op.settings, batch: e.Begin(), id: input.ID}
	if input.ID != "" {
		id, err := entity.canonicalID(input.ID)
		if err != nil {
			return nil, InvalidValues(Issue{Field: "id", Code: CodeInvalidValues, Detail: err.Error()})
		}
		c.id = id
	}
	var found problems
	input.Settings.check("input", entity.public, &found)
	if len(found) > 0 {
		return nil, found.err()
	}
	c.settings = op.settings.merge(input.Settings)
	c.written = sortedKeys(input.Values)
	return c, nil
}

func unknownOperation(entity *entity, name string, cardinality Cardinality) *Error {
	known := make([]string, 0, len(entity.operations))
	for _, op := range sortedKeys(entity.operations) {
		if entity.operations[op].Cardinality == cardinality {
			known = append(known, op)
		}
	}
	return &Error{Code: "UNKNOWN_OPERATION", Status: 404, Title: "Unknown operation",
		Detail: fmt.Sprintf("%s has no operation %q here; it has %s", entity.Name, name, list(known))}
}

func (c *call) public(input Input) Call {
	input.ID = c.id
	return Call{Entity: c.entity.Name, Operation: c.operation.name, Store: c.entity.Store, Input: input}
}

// finish publishes a write that no captor has reported: from the row that the handler returned, row before unknown.
func (c *call) finish(ctx context.Context, row Values) {
	if !c.publishes() || c.reported() {
		return
	}
	change := Change{Entity: c.entity.Name, ID: c.id}
	if c.operation.Event != Deleted {
		change.After = row
	}
	c.capture(ctx, change)
}

func (c *call) capture(ctx context.Context, change Change) {
	if err := c.batch.Capture(ctx, change); err != nil {
		record := &Record{Entity: c.entity.Name, Key: c.id, Event: c.operation.Event}
		c.batch.engine.report(c.settings.onError, record, err)
	}
}

// own makes the change the operation's own if it is about the row that the operation writes. An operation that does
// not know its row yet, such as a create, writes the first row of its entity that is captured.
func (c *call) own(change *Change) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.operation.Event == "" || !c.covers(change.Entity, change.ID) {
		return false
	}
	c.id, c.captured = change.ID, true
	change.Event, change.Written = c.operation.Event, nil
	switch {
	case change.Event == Updated && change.Before == nil:
		change.Written = sortedKeys(c.entity.ordinals) // a replacement writes them all; which differ is not known
	case change.Event.tellsChanged():
		change.Written = slices.Clone(c.written)
	}
	return true
}

func (c *call) covers(entity, id string) bool {
	return c.entity.Name == entity && (c.id == "" || c.id == id)
}

// wants reports whether the row is, or may become, the one that the operation writes.
func (c *call) wants(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.covers(c.entity.Name, id)
}

func (c *call) publishes() bool {
	return c.operation.Event != "" && c.settings.emits(c.operation.Event)
}

func (c *call) reported() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.captured
}
