package rowcast

import (
	"context"

	"github.com/rowcast/rowcast/core/filter"
)

// Store keeps the rows of one entity: what the standard operations work on. Implement it for another database, and
// prove it with conformance.TestStore.
//
// The engine calls every method but Bind concurrently. Ids are canonical (Entity.ID). Rows passed in or out are never
// shared: a store copies what it keeps, and its caller may change what it got. A soft-deleted row is not there for any
// method but Purge and Restore. Writes report to Wrote.
//
// Errors: ErrNotFound for a row that is not there, ErrConflict for a key or unique value that is taken, an *Error from
// InvalidValues for values that do not fit; anything else is the store's own failure and reaches the caller as it is.
type Store interface {
	// Bind is called once, at registration, before any other method: the store keeps what it needs of the entity, and
	// refuses an entity that it cannot hold.
	Bind(Entity) error

	// Get returns a row.
	Get(ctx context.Context, id string) (Values, error)

	// List returns the rows for which the filter is true, in the order of their keys; a nil filter means all rows.
	List(ctx context.Context, where filter.Expr) ([]Values, error)

	// Create adds a row and returns it as it is kept. A key that is left out is generated where the store can.
	Create(ctx context.Context, values Values) (Values, error)

	// Update replaces a row: fields that are left out become NULL, or the zero value where the field is not nullable.
	// The key and the soft-delete field stay.
	Update(ctx context.Context, id string, values Values) (Values, error)

	// Patch writes the given fields of a row.
	Patch(ctx context.Context, id string, values Values) (Values, error)

	// Delete removes a row, softly if the entity soft-deletes.
	Delete(ctx context.Context, id string) error

	// Purge removes a row for good, soft-deleted or not.
	Purge(ctx context.Context, id string) error

	// Restore brings a soft-deleted row back; ErrNotFound if there is none.
	Restore(ctx context.Context, id string) (Values, error)
}
