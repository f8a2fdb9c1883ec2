package rowcastgorm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
)

// derive makes an entity of what GORM knows about the model. A field that cannot be held keeps its place, without a
// kind, so that whatever else is wrong is found as well.
func derive(statement *gorm.Statement, options Entity, found *problems) *model {
	parsed := statement.Schema
	m := &model{schema: parsed, table: statement.Table, expr: statement.TableExpr, soft: -1, images: options.BeforeImages}
	m.entity = rowcast.Entity{
		Name: cmp.Or(options.Name, parsed.Name), View: options.View, Filterable: options.Filterable,
		Settings: options.Settings, Operations: options.Operations,
	}
	path := "entities." + m.entity.Name
	renders := make(map[string]func(any) any)
	for _, column := range parsed.DBNames {
		field := parsed.FieldsByDBName[column]
		if !field.Readable {
			if field.PrimaryKey {
				found.add(path+".fields."+field.Name, "a key must be readable: remove «->:false»")
			}
			continue
		}
		m.addField(field, options.Enums, renders, path, found)
	}
	for name := range options.Enums {
		if m.ordinal(name) < 0 {
			found.add(path+".enums."+name, "no field of the model")
		}
	}
	for _, field := range parsed.PrimaryFields {
		if i := m.ordinalOf(field.DBName); i >= 0 {
			m.key = append(m.key, i)
			m.entity.Key = append(m.entity.Key, m.entity.Fields[i].Name)
		}
	}
	m.checkDeletion(path, found)
	m.addRenders(renders)
	return m
}

func (m *model) addField(field *schema.Field, enums map[string][]string, renders map[string]func(any) any, path string, found *problems) {
	named := jsonName(m.schema.ModelType, field)
	at := path + ".fields." + named.name
	if m.ordinal(named.name) >= 0 {
		found.add(at, "two columns have this public name: give one of them another json tag")
		return
	}
	kind, reason := kindOf(field)
	if reason != "" {
		found.add(at, "%s", reason)
	}
	out := rowcast.Field{Name: named.name, Kind: kind, Hidden: named.hidden, Nullable: isNullable(field), Bits: bitsOf(kind, field)}
	if members, ok := enums[named.name]; ok {
		if kind != filter.String {
			found.add(path+".enums."+named.name, "a field of kind %v has no members: only text has", kind)
		}
		out.Kind, out.Members = filter.Enum, members
	}
	if render := renderOf(kind, field, named); render != nil && !named.hidden {
		renders[named.name] = render
	}
	m.fields = append(m.fields, newColumn(field))
	m.entity.Fields = append(m.entity.Fields, out)
}

// addRenders adds the renders that the types ask for, where the view shows the field and says nothing else of it.
func (m *model) addRenders(renders map[string]func(any) any) {
	shown := make(map[string]func(any) any, len(renders))
	for name, render := range renders {
		if m.entity.View.Fields == nil || slices.Contains(m.entity.View.Fields, name) {
			shown[name] = render
		}
	}
	for name, render := range m.entity.View.Render {
		shown[name] = render
	}
	if len(shown) > 0 {
		m.entity.View.Render = shown
	}
}

var deletedAtType = reflect.TypeFor[gorm.DeletedAt]()

// checkDeletion finds the soft-delete field. What deletes in another way than gorm.DeletedAt cannot be told apart from
// an ordinary update, so it is refused.
func (m *model) checkDeletion(path string, found *problems) {
	for i, field := range m.fields {
		at := path + ".fields." + m.entity.Fields[i].Name
		if field.IndirectFieldType != deletedAtType {
			if _, custom := reflect.New(field.IndirectFieldType).Interface().(schema.DeleteClausesInterface); custom {
				found.add(at, "%v deletes rows in its own way: only gorm.DeletedAt is supported", field.FieldType)
			}
			continue
		}
		if _, ok := field.TagSettings["ZEROVALUE"]; ok {
			found.add(at, "a soft delete that is marked by another value than NULL is not supported: remove «zeroValue»")
		}
		if m.soft >= 0 {
			found.add(at, "%s marks deleted rows already: one field can", m.entity.SoftDelete)
			continue
		}
		m.soft, m.entity.SoftDelete = i, m.entity.Fields[i].Name
	}
}

// publicName is what encoding/json makes of a field.
type publicName struct {
	name   string
	hidden bool
	quoted bool // «,string»
}

// jsonName follows the rules of encoding/json, but for the fields of a struct that is not flattened: JSON would nest
// them, here they are called «struct.field». A hidden field goes by its Go name.
func jsonName(model reflect.Type, field *schema.Field) publicName {
	var prefix string
	t := model
	for i, bind := range field.BindNames {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		part, ok := t.FieldByName(bind)
		if !ok {
			break
		}
		tag, options, _ := strings.Cut(part.Tag.Get("json"), ",")
		if tag == "-" && options == "" {
			return publicName{name: field.Name, hidden: true}
		}
		if i == len(field.BindNames)-1 {
			return publicName{name: prefix + cmp.Or(tag, part.Name), quoted: slices.Contains(strings.Split(options, ","), "string")}
		}
		if !part.Anonymous || tag != "" {
			prefix += cmp.Or(tag, part.Name) + "."
		}
		t = part.Type
	}
	return publicName{name: prefix + field.Name}
}

// fieldOf is the field in a row, or an invalid value if an embedded pointer on the way is nil.
func fieldOf(field *schema.Field, row reflect.Value) reflect.Value {
	v := reflect.Indirect(row)
	for _, i := range field.StructField.Index {
		if i >= 0 {
			v = v.Field(i)
			continue
		}
		// GORM writes the index of an embedded pointer as -i-1.
		if v = v.Field(-i - 1); v.IsNil() {
			return reflect.Value{}
		}
		v = v.Elem()
	}
	return v
}

// column is a field of the model as it is read.
type column struct {
	*schema.Field
	byPointer bool // only a pointer to the value gives the database its value, or marshals itself
}

func newColumn(field *schema.Field) column {
	return column{Field: field, byPointer: needsPointer(field.FieldType)}
}

// rawOf is the column's Go value in a row: what views get, and what kinds are read from.
func (c column) rawOf(row reflect.Value) any {
	value := fieldOf(c.Field, row)
	if !value.IsValid() {
		return nil
	}
	if c.byPointer {
		return value.Addr().Interface()
	}
	return value.Interface()
}

// asMarshalled is the render of a type that marshals itself: the value leaves as it is, and encoding/json asks it.
func asMarshalled(v any) any { return v }

// asText is the render of a field that is tagged «,string».
func asText(v any) any {
	for rv := reflect.ValueOf(v); ; rv = rv.Elem() {
		if !rv.IsValid() || rv.Kind() == reflect.Pointer && rv.IsNil() {
			return nil
		}
		if rv.Kind() != reflect.Pointer {
			return fmt.Sprint(rv.Interface())
		}
	}
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[interface{ MarshalText() ([]byte, error) }]()
)
