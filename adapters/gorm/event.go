package rowcastgorm

import (
	"context"

	"github.com/rowcast/rowcast/core"
)

// transition is what a statement did to one row.
type transition struct {
	before, after *image   // nil: there is none
	unseen        bool     // the row before was not read
	whole         bool     // the statement wrote the whole row
	assigned      []string // the fields that the statement assigned: what is told if the row before is not known
}

// change is the event that follows from the images, or false if there is none.
func (t transition) change(ctx context.Context, m *model) (rowcast.Change, bool) {
	change := rowcast.Change{Entity: m.entity.Name}
	switch {
	case t.unseen:
		change.Written = t.assigned
		return t.written(change), true
	case t.before == nil && t.after == nil:
		return change, false
	case t.before == nil:
		change.Event, change.ID, change.After = rowcast.Created, t.after.id, t.after.values
		return change, !t.after.deleted // a row that is born deleted was never there
	case t.after == nil:
		change.Event, change.ID, change.Before = rowcast.Deleted, t.before.id, t.before.values
		return change, true
	}
	change.ID = t.after.id
	switch {
	case t.before.deleted && t.after.deleted:
		return change, false
	case t.after.deleted:
		change.Event, change.Before = rowcast.Deleted, t.before.values
		return change, true
	case t.before.deleted:
		// A soft-deleted row counts as not seen, so there is no row before to compare with.
		change.Event, change.After = rowcast.Restored, t.after.values
		return change, true
	}
	change.Before = t.before.values
	change.Written = m.differs(t.before, t.after)
	if len(change.Written) == 0 && !rowcast.Owns(ctx, m.entity.Name, t.after.id) {
		return change, false
	}
	return t.written(change), true
}

// written completes the change of a row that was there before and is there after.
func (t transition) written(change rowcast.Change) rowcast.Change {
	change.ID, change.After = t.after.id, t.after.values
	change.Event = rowcast.Patched
	if t.whole {
		change.Event = rowcast.Updated
	}
	return change
}

// changes are the events of a transition: two where the key changed.
func (t transition) changes(ctx context.Context, m *model) []rowcast.Change {
	if t.before != nil && t.after != nil && t.before.id != t.after.id {
		gone, born := transition{before: t.before}, transition{after: t.after}
		return append(gone.changes(ctx, m), born.changes(ctx, m)...)
	}
	if change, ok := t.change(ctx, m); ok {
		return []rowcast.Change{change}
	}
	return nil
}
