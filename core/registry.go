package rowcast

import (
	"fmt"
	"maps"
	"slices"

	"github.com/rowcast/rowcast/core/filter"
)

// entity is a registered Entity: private copies, names resolved to ordinals, settings merged. It never changes after
// registration.
type entity struct {
	Entity
	ordinals   map[string]int // every field
	public     map[string]int // the fields of the view, by their place in it
	view       []viewField
	wholeView  viewFields
	filterable []bool        // by ordinal
	schema     filter.Schema // what clients may filter by
	settings   resolved
	operations map[string]*operation
}

// Register adds an entity. Everything that is wrong with it is reported at once, as ConfigErrors joined; the same
// errors come again from Start, so that nobody starts a half-registered engine by ignoring them. ErrSealed after the
// first subscription or publish. Safe for concurrent use, before that.
func (e *Engine) Register(definition Entity) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sealed.Load() {
		return fmt.Errorf("%w: %q came too late", ErrSealed, definition.Name)
	}
	var found problems
	path := "entities." + definition.Name
	if !validName(definition.Name) {
		found.add(path, "%q cannot name an entity: use text without dots, commas, white space and control characters", definition.Name)
	}
	if e.entities[definition.Name] != nil {
		found.add(path, "registered twice")
	}
	registered := newEntity(definition, e.defaults, path, &found)
	if len(found) == 0 && registered.Store != nil {
		if err := registered.Store.Bind(registered.copy()); err != nil {
			found.add(path+".store", "%v", err)
		}
	}
	if len(found) > 0 {
		e.misconfigured = append(e.misconfigured, found...)
		return found.err()
	}
	e.entities[definition.Name] = registered
	return nil
}

// lookUp finds an entity of a sealed registry.
func (e *Engine) lookUp(name string) (*entity, error) {
	if registered := e.entities[name]; registered != nil {
		return registered, nil
	}
	return nil, fmt.Errorf("%w: %q; registered are %s", ErrUnknownEntity, name, list(sortedKeys(e.entities)))
}

func newEntity(definition Entity, defaults resolved, path string, found *problems) *entity {
	e := &entity{Entity: definition}
	e.Entity = e.copy()
	e.resolveFields(path, found)
	e.resolveKey(path, found)
	e.resolveView(path, found)
	e.resolveFilterable(path, found)
	definition.Settings.check(path, e.public, found)
	e.settings = defaults.merge(definition.Settings)
	if definition.Settings.SubscribableFields == nil {
		e.settings.fields.check(path+".realtime.subscribableFields", e.public, found)
	}
	for n := range e.view {
		e.view[n].leaves = e.mayLeave(e.view[n].name)
	}
	e.schema = e.clientSchema()
	e.resolveOperations(path, found)
	return e
}

// copy detaches the entity from the slices and maps of whoever handed it in, or will get it.
func (e *entity) copy() Entity {
	c := e.Entity
	c.Fields = slices.Clone(c.Fields)
	for i := range c.Fields {
		c.Fields[i].Members = slices.Clone(c.Fields[i].Members)
	}
	c.Key = slices.Clone(c.Key)
	c.View.Fields = slices.Clone(c.View.Fields)
	c.View.Render = maps.Clone(c.View.Render)
	c.Operations = maps.Clone(c.Operations)
	c.Settings.Events = maps.Clone(c.Settings.Events)
	return c
}

func (e *entity) resolveFields(path string, found *problems) {
	e.ordinals = make(map[string]int, len(e.Fields))
	if len(e.Fields) == 0 {
		found.add(path+".fields", "an entity needs at least one field")
	}
	for i, field := range e.Fields {
		at := fmt.Sprintf("%s.fields.%s", path, field.Name)
		if field.Name == "" {
			found.add(fmt.Sprintf("%s.fields[%d]", path, i), "the name is empty")
		} else if _, twice := e.ordinals[field.Name]; twice {
			found.add(at, "declared twice")
		}
		e.ordinals[field.Name] = i
		field.check(at, found)
	}
}

func (f Field) check(path string, found *problems) {
	if !f.Kind.Valid() {
		found.add(path+".kind", "%v: set one of the kinds of package filter", f.Kind)
	}
	if numeric := f.Kind == filter.Int || f.Kind == filter.Uint; f.Bits != 0 && !numeric {
		found.add(path+".bits", "a %v has no width", f.Kind)
	} else if numeric && !slices.Contains([]int{0, 8, 16, 32, 64}, f.Bits) {
		found.add(path+".bits", "%d: use 8, 16, 32 or 64", f.Bits)
	}
	if (f.Kind == filter.Enum) != (len(f.Members) > 0) {
		found.add(path+".members", "an enum, and nothing else, needs members")
	}
}

func (e *entity) resolveKey(path string, found *problems) {
	if len(e.Key) == 0 {
		found.add(path+".key", "name the field, or the fields, that identify a row")
	}
	for i, name := range e.Key {
		ordinal, ok := e.ordinals[name]
		switch {
		case !ok:
			found.add(path+".key", "%q is no field; the fields are %s", name, list(sortedKeys(e.ordinals)))
		case !isKeyKind(e.Fields[ordinal].Kind):
			found.add(path+".key", "%q is a %v; a key is one of %v", name, e.Fields[ordinal].Kind, keyKinds)
		case e.Fields[ordinal].Nullable:
			found.add(path+".key", "%q is nullable; a key is not", name)
		case slices.Contains(e.Key[:i], name):
			found.add(path+".key", "%q stands in it twice", name)
		}
	}
	if e.SoftDelete == "" {
		return
	}
	ordinal, ok := e.ordinals[e.SoftDelete]
	if !ok {
		found.add(path+".softDelete", "%q is no field; the fields are %s", e.SoftDelete, list(sortedKeys(e.ordinals)))
	} else if field := e.Fields[ordinal]; field.Kind != filter.Time || !field.Nullable {
		found.add(path+".softDelete", "%q must be a nullable time", e.SoftDelete)
	}
}

func (e *entity) resolveView(path string, found *problems) {
	names := e.View.Fields
	if names == nil {
		for _, field := range e.Fields {
			if !field.Hidden {
				names = append(names, field.Name)
			}
		}
	}
	e.public = make(map[string]int, len(names))
	for _, name := range names {
		ordinal, ok := e.ordinals[name]
		if !ok || e.Fields[ordinal].Hidden {
			found.add(path+".view.fields", "%q is no field that may be shown", name)
			continue
		}
		if _, twice := e.public[name]; twice {
			found.add(path+".view.fields", "%q stands in it twice", name)
			continue
		}
		e.public[name] = len(e.view)
		prefix := append(filter.AppendJSONString(nil, name), ':')
		e.view = append(e.view, viewField{name: name, ordinal: ordinal, prefix: prefix, render: e.View.Render[name]})
	}
	if len(e.view) == 0 {
		found.add(path+".view.fields", "no field is left to show")
	}
	for _, name := range sortedKeys(e.View.Render) {
		if _, ok := e.public[name]; !ok {
			found.add(path+".view.render."+name, "no field of the view; they are %s", list(sortedKeys(e.public)))
		} else if e.View.Render[name] == nil {
			found.add(path+".view.render."+name, "the function is nil")
		}
	}
	e.wholeView = newViewFields(e.view, func(string) bool { return true })
}

func (e *entity) resolveFilterable(path string, found *problems) {
	e.Filterable.check(path+".filterable", e.public, found)
	e.filterable = make([]bool, len(e.Fields))
	for name := range e.public {
		e.filterable[e.ordinals[name]] = e.Filterable.Has(name)
	}
}

func (e *entity) resolveOperations(path string, found *problems) {
	e.operations = make(map[string]*operation)
	standard := standardOperations()
	if e.Store != nil {
		for name, op := range standard {
			e.addOperation(name, op)
		}
	}
	for _, name := range sortedKeys(e.Operations) {
		op, at := e.Operations[name], path+".operations."+name
		op.Settings.check(at, e.public, found)
		if predefined, ok := standard[name]; ok {
			op.checkStandard(at, found)
			if e.Store == nil {
				found.add(at, "the standard operations need a Store")
			}
			predefined.Settings = op.Settings
			op = predefined
		} else {
			if !validName(name) {
				found.add(at, "%q cannot name an operation", name)
			}
			op.check(at, found)
		}
		e.addOperation(name, op)
	}
}

func (e *entity) addOperation(name string, op Operation) {
	e.operations[name] = &operation{Operation: op, name: name, settings: e.settings.merge(op.Settings)}
}

// canonicalID makes an id, as a client wrote it, the one that the row's events carry.
func (e *entity) canonicalID(id string) (string, error) {
	key, err := e.ParseID(id)
	if err != nil {
		return "", err
	}
	return e.ID(key)
}

// subscribable reports whether anything is ever published for the entity.
func (e *entity) subscribable() bool {
	if e.settings.realtime {
		return true
	}
	for _, op := range e.operations {
		if op.settings.realtime {
			return true
		}
	}
	return false
}
