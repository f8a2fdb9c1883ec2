package rowcastgorm

import (
	"context"
	"fmt"
	"reflect"

	"gorm.io/gorm"

	"github.com/rowcast/rowcast/core"
)

// Create implements rowcast.Store.
func (s *Store) Create(ctx context.Context, values rowcast.Values) (rowcast.Values, error) {
	given, err := s.check(values)
	if err != nil {
		return nil, err
	}
	if err := s.checkKey(given); err != nil {
		return nil, err
	}
	return s.write(ctx, "", false, func(tx *gorm.DB) (before, after *image, err error) {
		row := reflect.New(s.model.schema.ModelType)
		if err := s.fill(ctx, row, s.complete(given)); err != nil {
			return nil, nil, err
		}
		if err := tx.Create(row.Interface()).Error; err != nil {
			return nil, nil, err
		}
		key, ok := s.model.keyOf(ctx, row)
		if !ok {
			return nil, nil, s.issue(s.model.entity.Key[0], "the key has no value")
		}
		if zeros := s.zerosWithDefault(given); len(zeros) > 0 {
			if err := tx.Model(row.Interface()).Where(s.model.hasKey([][]any{key})).UpdateColumns(zeros).Error; err != nil {
				return nil, nil, err
			}
		}
		after, err = s.read(tx, key)
		return nil, after, err
	})
}

// Update implements rowcast.Store.
func (s *Store) Update(ctx context.Context, id string, values rowcast.Values) (rowcast.Values, error) {
	return s.change(ctx, id, values, true)
}

// Patch implements rowcast.Store.
func (s *Store) Patch(ctx context.Context, id string, values rowcast.Values) (rowcast.Values, error) {
	return s.change(ctx, id, values, false)
}

// change writes the given fields of a row or, if whole, all that are not the store's own.
func (s *Store) change(ctx context.Context, id string, values rowcast.Values, whole bool) (rowcast.Values, error) {
	key, err := s.parse(id)
	if err != nil {
		return nil, err
	}
	return s.write(ctx, id, whole, func(tx *gorm.DB) (before, after *image, err error) {
		before, err = s.live(tx, key)
		if err != nil {
			return nil, nil, err
		}
		written, err := s.check(values)
		if err != nil {
			return nil, nil, err
		}
		if err := s.checkUntouchable(before, written); err != nil {
			return nil, nil, err
		}
		if whole {
			written = s.complete(written)
		}
		row := before.copied()
		if err := s.fill(ctx, row, written); err != nil {
			return nil, nil, err
		}
		if columns := s.columns(written); len(columns) > 0 {
			if err := s.one(tx, key, row).Select(columns).Updates(row.Interface()).Error; err != nil {
				return nil, nil, err
			}
		}
		after, err = s.read(tx, key)
		return before, after, err
	})
}

// Delete implements rowcast.Store.
func (s *Store) Delete(ctx context.Context, id string) error {
	return s.remove(ctx, id, func(tx *gorm.DB, key []any) (*image, error) {
		before, err := s.live(tx, key)
		if err != nil {
			return nil, err
		}
		row := before.copied()
		return before, s.one(tx, key, row).Delete(row.Interface()).Error
	})
}

// Purge implements rowcast.Store.
func (s *Store) Purge(ctx context.Context, id string) error {
	return s.remove(ctx, id, func(tx *gorm.DB, key []any) (*image, error) {
		before, err := s.locked(tx, key)
		if err != nil {
			return nil, err
		}
		row := before.copied()
		return before, s.one(tx, key, row).Unscoped().Delete(row.Interface()).Error
	})
}

func (s *Store) remove(ctx context.Context, id string, do func(tx *gorm.DB, key []any) (*image, error)) error {
	key, err := s.parse(id)
	if err != nil {
		return err
	}
	_, err = s.write(ctx, id, false, func(tx *gorm.DB) (before, after *image, err error) {
		before, err = do(tx, key)
		if err != nil {
			return nil, nil, err
		}
		rows, err := s.model.readKeys(tx, [][]any{key}, false)
		return before, rows[before.id], err
	})
	return err
}

// Restore implements rowcast.Store.
func (s *Store) Restore(ctx context.Context, id string) (rowcast.Values, error) {
	key, err := s.parse(id)
	if err != nil {
		return nil, err
	}
	return s.write(ctx, id, false, func(tx *gorm.DB) (before, after *image, err error) {
		before, err = s.locked(tx, key)
		if err != nil {
			return nil, nil, err
		}
		if !before.deleted {
			return nil, nil, gorm.ErrRecordNotFound
		}
		column := s.model.fields[s.model.soft].DBName
		if err := s.one(tx, key, before.copied()).Unscoped().Update(column, nil).Error; err != nil {
			return nil, nil, err
		}
		after, err = s.read(tx, key)
		return before, after, err
	})
}

// write runs a write in a transaction of its own and sees to it that the event of its row is told once: by the plugin
// if it follows the transaction, or else by the store, one write at a time.
func (s *Store) write(ctx context.Context, id string, whole bool, do func(tx *gorm.DB) (before, after *image, err error)) (rowcast.Values, error) {
	db := s.db.WithContext(ctx)
	capture := s.capture(db)
	if capture == nil {
		s.unfollowed.Lock()
		defer s.unfollowed.Unlock()
	}
	var before, after *image
	err := Skip(db).Transaction(func(tx *gorm.DB) (err error) {
		if err := s.model.lockSQLite(tx); err != nil {
			return err
		}
		if before, after, err = do(tx); err != nil || capture == nil {
			return err
		}
		return s.tell(tx, capture, transition{before: before, after: after, whole: whole})
	})
	if err != nil {
		return nil, s.translate(id, err)
	}
	if capture == nil {
		rowcast.Wrote(ctx, before.public(), after.public())
	}
	if after == nil {
		return nil, nil
	}
	return s.plain(after), nil
}

// capture is the plugin, if it captures this entity on this database.
func (s *Store) capture(db *gorm.DB) *Capture {
	capture, _ := db.Plugins[pluginName].(*Capture)
	if capture == nil || skipped(s.db) {
		return nil
	}
	if m := capture.modelOf(s.model.schema.ModelType); m == nil || m.entity.Name != s.model.entity.Name {
		return nil
	}
	return capture
}

// tell captures a write that was made past the plugin's callbacks.
func (s *Store) tell(tx *gorm.DB, capture *Capture, t transition) error {
	followed, where := footingOf(tx.Statement.ConnPool)
	if where != inTransaction {
		if capture.config.RefuseUntracked {
			return untracked(s.model.entity.Name, tx.Statement.ConnPool)
		}
		capture.reportUntracked(s.model.entity.Name, tx.Statement.ConnPool)
		return nil
	}
	for _, change := range t.changes(tx.Statement.Context, s.model) {
		followed.add(tx.Statement.Context, change)
	}
	return nil
}

// locked reads a row for a write to it, soft-deleted or not.
func (s *Store) locked(tx *gorm.DB, key []any) (*image, error) {
	return s.only(s.model.readKeys(tx, [][]any{key}, true))
}

// live is locked without soft-deleted rows.
func (s *Store) live(tx *gorm.DB, key []any) (*image, error) {
	image, err := s.locked(tx, key)
	if err == nil && image.deleted {
		return nil, gorm.ErrRecordNotFound
	}
	return image, err
}

// read reads the row that was written.
func (s *Store) read(tx *gorm.DB, key []any) (*image, error) {
	image, err := s.only(s.model.readKeys(tx, [][]any{key}, false))
	if err != nil {
		return nil, fmt.Errorf("rowcastgorm: the written row could not be read: %w", err)
	}
	return image, nil
}

func (s *Store) only(rows map[string]*image, err error) (*image, error) {
	for _, image := range rows {
		return image, nil
	}
	if err == nil {
		err = gorm.ErrRecordNotFound
	}
	return nil, err
}

// one is a statement on the row with this key. The condition is spelled out: GORM leaves out parts of a key that are zero.
func (s *Store) one(tx *gorm.DB, key []any, row reflect.Value) *gorm.DB {
	return tx.Model(row.Interface()).Where(s.model.hasKey([][]any{key}))
}

// copied is a pointer to a copy of the row's struct: hooks may change it.
func (i *image) copied() reflect.Value {
	row := reflect.New(i.row.Type())
	row.Elem().Set(i.row)
	return row
}

// public is the row's values, nil for no row.
func (i *image) public() rowcast.Values {
	if i == nil {
		return nil
	}
	return i.values
}
