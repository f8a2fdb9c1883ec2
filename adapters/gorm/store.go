package rowcastgorm

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
)

// Store is a rowcast.Store over the rows of a GORM model.
//
// With the plugin on the same database a write is captured where it happens, in the order of the row locks, and only
// once. Without it the store reports its own writes, and makes one at a time so that their events are in order.
//
// Hooks of the model run. Columns that GORM sets by itself (creation and update times, defaults) are left to it unless
// they are given. An integer key may be left out, and one that a hook sets.
type Store struct {
	db    *gorm.DB
	value any
	model *model // once bound

	unfollowed sync.Mutex // held by a write that the plugin does not capture, until it is reported
}

var _ rowcast.Store = (*Store)(nil)

// NewStore returns a store of the model's rows. It belongs to the one entity that is registered with it, whose fields
// go by the names that Capture.Register gives to the model's.
func NewStore(db *gorm.DB, model any) *Store { return &Store{db: db, value: model} }

// Bind implements rowcast.Store. It refuses an entity whose fields, key or soft delete are not the model's.
func (s *Store) Bind(entity rowcast.Entity) error {
	if s.model != nil {
		return fmt.Errorf("rowcastgorm: the store belongs to %s already: give each entity one of its own", s.model.entity.Name)
	}
	statement := &gorm.Statement{DB: s.db}
	if err := statement.Parse(s.value); err != nil {
		return fmt.Errorf("rowcastgorm: a %T is no model: %w", s.value, err)
	}
	var unknown problems // of fields that the entity may not even name
	whole := derive(statement, Entity{Name: entity.Name}, &unknown)
	bound, found := whole.boundTo(entity)
	if len(found) > 0 {
		return found.err()
	}
	s.model = bound
	return nil
}

// boundTo is the model cut to the fields of an entity, in its order and with its kinds.
func (m *model) boundTo(entity rowcast.Entity) (*model, problems) {
	var found problems
	bound := &model{entity: entity, schema: m.schema, table: m.table, expr: m.expr, soft: -1, images: m.images}
	for i, field := range entity.Fields {
		n := m.ordinal(field.Name)
		if n < 0 {
			found.add("fields."+field.Name, "the model %v has no such field", m.schema.ModelType)
			continue
		}
		if kind := m.entity.Fields[n].Kind; !sameFamily(kind, field.Kind) {
			found.add("fields."+field.Name, "a %v cannot be kept in the model's %v", field.Kind, kind)
		}
		bound.fields = append(bound.fields, m.fields[n])
		if field.Name == entity.SoftDelete {
			bound.soft = i
		}
	}
	if strings.Join(entity.Key, ",") != strings.Join(m.entity.Key, ",") {
		found.add("key", "%q is not the model's, which is %q", entity.Key, m.entity.Key)
	}
	if entity.SoftDelete != m.entity.SoftDelete {
		found.add("softDelete", "%q is not the model's, which is %q", entity.SoftDelete, m.entity.SoftDelete)
	}
	for _, name := range entity.Key {
		bound.key = append(bound.key, bound.ordinal(name))
	}
	return bound, found
}

// sameFamily reports whether values of one kind can be kept where the other is.
func sameFamily(a, b filter.Kind) bool {
	family := func(kind filter.Kind) filter.Kind {
		switch kind {
		case filter.Uint, filter.Float, filter.Decimal:
			return filter.Int
		case filter.Enum, filter.UUID:
			return filter.String
		}
		return kind
	}
	return family(a) == family(b)
}

// Get implements rowcast.Store.
func (s *Store) Get(ctx context.Context, id string) (rowcast.Values, error) {
	key, err := s.parse(id)
	if err != nil {
		return nil, err
	}
	row := reflect.New(s.model.schema.ModelType)
	db := s.db.WithContext(ctx)
	if err := db.Where(s.model.hasKey([][]any{key})).Take(row.Interface()).Error; err != nil {
		return nil, s.translate(id, err)
	}
	image, err := s.model.newImage(db, row.Elem())
	if err != nil {
		return nil, err
	}
	return s.plain(image), nil
}

// List implements rowcast.Store.
func (s *Store) List(ctx context.Context, where filter.Expr) ([]rowcast.Values, error) {
	db := s.db.WithContext(ctx)
	query := db.Order(s.inKeyOrder(db))
	if where != nil {
		query = query.Where(condition{expr: where, model: s.model})
	}
	rows := reflect.New(reflect.SliceOf(s.model.schema.ModelType))
	if err := query.Find(rows.Interface()).Error; err != nil {
		return nil, err
	}
	list := make([]rowcast.Values, rows.Elem().Len())
	for i := range list {
		image, err := s.model.newImage(db, rows.Elem().Index(i))
		if err != nil {
			return nil, err
		}
		list[i] = s.plain(image)
	}
	return list, nil
}

// inKeyOrder orders text bytewise, as all stores do.
func (s *Store) inKeyOrder(db *gorm.DB) clause.OrderBy {
	var order clause.OrderBy
	for _, ordinal := range s.model.key {
		column := clause.Column{Table: clause.CurrentTable, Name: s.model.fields[ordinal].DBName}
		if kind := s.model.entity.Fields[ordinal].Kind; db.Name() == "postgres" && (kind == filter.String || kind == filter.Enum) {
			statement := &gorm.Statement{DB: db, Table: s.model.table}
			column = clause.Column{Name: statement.Quote(column) + ` COLLATE "C"`, Raw: true}
		}
		order.Columns = append(order.Columns, clause.OrderByColumn{Column: column})
	}
	return order
}

// parse is the key that a canonical id stands for.
func (s *Store) parse(id string) ([]any, error) {
	values, err := s.model.entity.ParseID(id)
	if err != nil {
		return nil, rowcast.InvalidValues(rowcast.Issue{Field: "id", Code: rowcast.CodeInvalidValues, Detail: err.Error()})
	}
	key := make([]any, len(s.model.key))
	for n, ordinal := range s.model.key {
		key[n] = values[s.model.entity.Fields[ordinal].Name]
	}
	return key, nil
}

// plain is the row as the engine's callers get it, detached from the model.
func (s *Store) plain(i *image) rowcast.Values {
	values := make(rowcast.Values, len(i.typed))
	for n, value := range i.typed {
		values[s.model.entity.Fields[n].Name] = value.Any()
	}
	return values
}

// translate gives the errors that the port names.
func (s *Store) translate(id string, err error) error {
	if translator, ok := s.db.Dialector.(gorm.ErrorTranslator); ok && err != nil {
		if translated := translator.Translate(err); errors.Is(translated, gorm.ErrDuplicatedKey) {
			return fmt.Errorf("%w: %s: %w", rowcast.ErrConflict, s.model.entity.Name, err)
		}
	}
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return fmt.Errorf("%w: %s.%s", rowcast.ErrNotFound, s.model.entity.Name, id)
	case errors.Is(err, gorm.ErrDuplicatedKey):
		return fmt.Errorf("%w: %s: %w", rowcast.ErrConflict, s.model.entity.Name, err)
	}
	return err
}
