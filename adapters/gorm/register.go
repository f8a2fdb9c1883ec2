package rowcastgorm

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"github.com/rowcast/rowcast/core"
)

// BeforeImages says when the row before a write is read. It is read in any case before a statement that assigns the
// soft-delete or a key column, is Unscoped, or does not address one row by its key and by nothing else.
type BeforeImages uint8

// The choices.
const (
	// BeforeImagesAuto reads it before every delete, and before an update of an entity that is filterable.
	BeforeImagesAuto BeforeImages = iota

	// BeforeImagesAlways reads it before every update and delete: changed then holds exactly the fields that differ,
	// and a write that changes nothing tells nothing.
	BeforeImagesAlways

	// BeforeImagesNever reads it only where it must. Subscribers are then not told that a row left their filter.
	BeforeImagesNever
)

// Entity is what GORM cannot know of a model. The zero value works.
type Entity struct {
	Name string // "": the struct's name

	Filterable   *rowcast.FieldSet
	View         rowcast.View
	Settings     rowcast.Settings
	Operations   map[string]rowcast.Operation
	BeforeImages BeforeImages

	// Enums are the members of the text fields that have a fixed list of values, by public name.
	Enums map[string][]string

	// Store serves the standard operations. Nil: NewStore of the same model.
	Store rowcast.Store
}

// Register derives an entity from the model and registers it with the engine, so that writes on the model are captured.
//
// The fields are the model's readable columns. Public names follow encoding/json: the json tag, or else the Go name;
// a field of a named embedded struct is called «struct.field»; `json:"-"` hides a field, which then goes by its Go name.
// Kinds come from the Go type and the column type, the key from the primary key, soft delete from gorm.DeletedAt.
// A type that marshals itself is shown as it marshals; sql.Null types are shown as their value or null.
//
// Everything that is wrong is returned at once, as rowcast.ConfigErrors joined, and again by the engine's Start.
func (c *Capture) Register(db *gorm.DB, value any, options Entity) error {
	if c.engine == nil {
		return &rowcast.ConfigError{Path: "rowcastgorm.engine", Detail: "it is nil: use rowcast.New"}
	}
	c.registering.Lock()
	defer c.registering.Unlock()
	m, err := c.newModel(db, value, options)
	if err != nil {
		return err
	}
	if options.BeforeImages == BeforeImagesNever && options.Filterable != nil {
		c.config.Logger.Warn("rowcastgorm: filterable without before-images: subscribers are not told that a row left their filter", "entity", m.entity.Name)
	}
	models := maps.Clone(*c.models.Load())
	models[m.schema.ModelType] = m
	c.models.Store(&models)
	return nil
}

func (c *Capture) newModel(db *gorm.DB, value any, options Entity) (*model, error) {
	statement := &gorm.Statement{DB: db}
	if err := statement.Parse(value); err != nil {
		return nil, c.refuse(options.Name, value, err)
	}
	var found problems
	m := derive(statement, options, &found)
	path := "entities." + m.entity.Name
	if other := c.modelOf(m.schema.ModelType); other != nil {
		found.add(path, "%v is registered already, as %s", m.schema.ModelType, other.entity.Name)
	}
	if m.entity.Store = options.Store; options.Store == nil {
		m.entity.Store = NewStore(db, value)
	}
	entity := m.entity
	if len(found) > 0 {
		// The engine looks at the rest all the same, so that everything is told at once, and must not take the entity:
		// it refuses a field without a kind, now and at its Start.
		entity.Fields = append(slices.Clone(entity.Fields), rowcast.Field{Name: refusedField, Hidden: true})
	}
	err := found.join(c.engine.Register(entity), path)
	return m, err
}

// refusedField is in what the engine keeps of a model that was refused.
const refusedField = "(see the errors of Capture.Register)"

// refuse tells of a value that is no model, here and at the engine's Start.
func (c *Capture) refuse(name string, value any, reason error) error {
	if name == "" {
		name = strings.TrimLeft(fmt.Sprintf("%T", value), "*")
	}
	_ = c.engine.Register(rowcast.Entity{Name: name}) // it has no field, so the engine keeps it as a problem
	if errors.Is(reason, schema.ErrUnsupportedDataType) {
		reason = fmt.Errorf("%w: pass a pointer to a struct that GORM can map", reason)
	}
	return &rowcast.ConfigError{Path: "entities." + name, Detail: reason.Error()}
}

// problems collects what is wrong with a registration.
type problems []error

func (p *problems) add(path, format string, args ...any) {
	*p = append(*p, &rowcast.ConfigError{Path: path, Detail: fmt.Sprintf(format, args...)})
}

func (p problems) err() error { return errors.Join(p...) }

// join adds what the engine found, less what is a consequence of what was found here.
func (p problems) join(err error, path string) error {
	all := p
	for _, problem := range unjoin(err) {
		var config *rowcast.ConfigError
		if errors.As(problem, &config) && (strings.HasPrefix(config.Path, path+".fields."+refusedField) || p.explain(config)) {
			continue
		}
		all = append(all, problem)
	}
	return all.err()
}

func unjoin(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// explain reports whether a problem here is the cause of the engine's.
func (p problems) explain(engines *rowcast.ConfigError) bool {
	return slices.ContainsFunc(p, func(problem error) bool {
		var config *rowcast.ConfigError
		return errors.As(problem, &config) && strings.HasPrefix(engines.Path, config.Path+".")
	})
}
