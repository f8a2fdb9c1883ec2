package rowcast

import (
	"context"
	"fmt"
	"time"
)

// Change is what one write did to one row. It lives only inside the process: what of it may leave is decided when it
// becomes a Record.
type Change struct {
	Entity string
	Event  EventID
	ID     string // the row's canonical id; "" to have it taken from After, or else from Before

	Before Values // the row as it was; nil when there was none or it is not known
	After  Values // the row as it is; nil when it is gone

	// Written names the written fields of an Updated or Patched row. Names of hidden fields are cut later.
	Written []string

	OccurredAt time.Time // when it was captured; zero: now
	Settings   Settings  // the last level of the settings chain, for this change alone
}

// identify fills in the id from the images.
func (c *Change) identify(entity *entity) error {
	if c.ID != "" {
		return nil
	}
	image := c.After
	if image == nil {
		image = c.Before
	}
	id, err := entity.ID(image)
	if err != nil {
		return fmt.Errorf("rowcast: %s: %w", c.Entity, err)
	}
	c.ID = id
	return nil
}

// check reports what a captor got wrong.
func (c *Change) check(entity *entity) error {
	switch {
	case !c.Event.Valid():
		return fmt.Errorf("rowcast: %s: %q is no event; the events are %s", c.Entity, c.Event, list(EventIDs()))
	case c.Event != Deleted && c.After == nil:
		return fmt.Errorf("rowcast: %s: a change that is %q needs the row after it", c.Entity, c.Event)
	}
	for _, name := range c.Written {
		if _, ok := entity.ordinals[name]; !ok {
			return fmt.Errorf("rowcast: %s has no field %q, which the change says was written", c.Entity, name)
		}
	}
	return nil
}

// Wrote is how a Store tells the operation that ctx runs under what a write did to a row: its images before and after,
// nil where there is none. A store calls it once per written row, when the write can no longer fail but no other
// writer can reach the row yet: that is what keeps events in the order of the writes. It does nothing outside an
// operation, and for rows other than the operation's own.
func Wrote(ctx context.Context, before, after Values) {
	c := callFrom(ctx)
	if c == nil || !c.publishes() {
		return
	}
	image := after
	if image == nil {
		image = before
	}
	id, err := c.entity.ID(image)
	if err == nil && !c.wants(id) {
		return
	}
	c.capture(ctx, Change{Entity: c.entity.Name, ID: id, Before: before, After: after})
}

// Owns reports whether the operation that ctx runs under publishes the row's event. A captor asks before it leaves out
// a write that changed nothing: who called the operation meant it.
func Owns(ctx context.Context, entity, id string) bool {
	c := callFrom(ctx)
	return c != nil && c.operation.Event != "" && c.entity.Name == entity && c.wants(id)
}
