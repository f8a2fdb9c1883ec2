package memstore

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
)

// Store is a rowcast.Store in memory. One lock serves it: a write, its images and its place in line are one step.
type Store struct {
	entity rowcast.Entity

	mu     sync.Mutex
	rows   map[string]rowcast.Values // by canonical id, soft-deleted rows included; normalized values
	lastID uint64
}

// NewStore returns an empty store. It belongs to the one entity that is registered with it.
func NewStore() *Store { return &Store{rows: make(map[string]rowcast.Values)} }

// Bind implements rowcast.Store.
func (s *Store) Bind(entity rowcast.Entity) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entity.Name != "" {
		return fmt.Errorf("memstore: the store belongs to %s already: give each entity one of its own", s.entity.Name)
	}
	s.entity = entity
	return nil
}

// Get implements rowcast.Store.
func (s *Store) Get(_ context.Context, id string) (rowcast.Values, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row, err := s.live(id)
	return clone(row), err
}

// Create implements rowcast.Store. A key of one integer or UUID field may be left out.
func (s *Store) Create(ctx context.Context, values rowcast.Values) (rowcast.Values, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row, err := s.entity.Normalize(values)
	if err != nil {
		return nil, err
	}
	if err := s.generateKey(row); err != nil {
		return nil, err
	}
	if err := s.complete(row); err != nil {
		return nil, err
	}
	id, err := s.entity.ID(row)
	if err != nil {
		return nil, invalidKey(s.entity, err)
	}
	if _, taken := s.rows[id]; taken {
		return nil, fmt.Errorf("%w: %s.%s", rowcast.ErrConflict, s.entity.Name, id)
	}
	return s.put(ctx, id, nil, row), nil
}

// Update implements rowcast.Store.
func (s *Store) Update(ctx context.Context, id string, values rowcast.Values) (rowcast.Values, error) {
	return s.change(ctx, id, values, func(before rowcast.Values) rowcast.Values {
		row := make(rowcast.Values, len(before))
		for _, name := range s.untouchable() {
			row[name] = before[name]
		}
		return row
	})
}

// Patch implements rowcast.Store.
func (s *Store) Patch(ctx context.Context, id string, values rowcast.Values) (rowcast.Values, error) {
	return s.change(ctx, id, values, clone)
}

// change lays the values over what base makes of the row before.
func (s *Store) change(ctx context.Context, id string, values rowcast.Values, base func(before rowcast.Values) rowcast.Values) (rowcast.Values, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, err := s.live(id)
	if err != nil {
		return nil, err
	}
	written, err := s.entity.Normalize(values)
	if err != nil {
		return nil, err
	}
	if err := s.refuseUntouchable(before, written); err != nil {
		return nil, err
	}
	row := base(before)
	maps.Copy(row, written)
	if err := s.complete(row); err != nil {
		return nil, err
	}
	return s.put(ctx, id, before, row), nil
}

// Delete implements rowcast.Store.
func (s *Store) Delete(ctx context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, err := s.live(id)
	if err != nil {
		return err
	}
	if s.entity.SoftDelete == "" {
		s.drop(ctx, id, before)
		return nil
	}
	row := clone(before)
	row[s.entity.SoftDelete] = now()
	s.put(ctx, id, before, row)
	return nil
}

// Purge implements rowcast.Store.
func (s *Store) Purge(ctx context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, ok := s.rows[id]
	if !ok {
		return s.notFound(id)
	}
	s.drop(ctx, id, before)
	return nil
}

// Restore implements rowcast.Store.
func (s *Store) Restore(ctx context.Context, id string) (rowcast.Values, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, ok := s.rows[id]
	if !ok || !s.isDeleted(before) {
		return nil, s.notFound(id)
	}
	row := clone(before)
	row[s.entity.SoftDelete] = nil
	return s.put(ctx, id, before, row), nil
}

// put keeps the row and reports the write while the lock is held, and returns a copy for the caller.
func (s *Store) put(ctx context.Context, id string, before, row rowcast.Values) rowcast.Values {
	s.rows[id] = row
	rowcast.Wrote(ctx, before, row)
	return clone(row)
}

func (s *Store) drop(ctx context.Context, id string, before rowcast.Values) {
	delete(s.rows, id)
	rowcast.Wrote(ctx, before, nil)
}

// live is the row, unless it is missing or soft-deleted.
func (s *Store) live(id string) (rowcast.Values, error) {
	row, ok := s.rows[id]
	if !ok || s.isDeleted(row) {
		return nil, s.notFound(id)
	}
	return row, nil
}

func (s *Store) isDeleted(row rowcast.Values) bool {
	return s.entity.SoftDelete != "" && row[s.entity.SoftDelete] != nil
}

func (s *Store) notFound(id string) error {
	return fmt.Errorf("%w: %s.%s", rowcast.ErrNotFound, s.entity.Name, id)
}

// now is at the precision that values of kind Time have.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// List implements rowcast.Store.
func (s *Store) List(_ context.Context, where filter.Expr) ([]rowcast.Values, error) {
	matches := func(rowcast.Values) (bool, error) { return true, nil }
	if where != nil {
		compiled, err := s.entity.BindFilter(where)
		if err != nil {
			return nil, err
		}
		matches = func(row rowcast.Values) (bool, error) {
			values, err := s.entity.Row(row)
			return compiled.Match(values), err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var rows []rowcast.Values
	for _, row := range s.rows {
		match, err := matches(row)
		if err != nil {
			return nil, err
		}
		if match && !s.isDeleted(row) {
			rows = append(rows, clone(row))
		}
	}
	sortByKey(s.entity, rows)
	return rows, nil
}
