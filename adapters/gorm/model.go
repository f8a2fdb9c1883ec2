package rowcastgorm

import (
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"

	"github.com/rowcast/rowcast/core"
)

// model is a registered Go type.
type model struct {
	entity rowcast.Entity
	schema *schema.Schema
	table  string       // as a statement on the model has it
	expr   *clause.Expr // the table with its database schema; nil where it is just the name
	fields []column     // by ordinal
	key    []int        // ordinals
	soft   int          // ordinal; -1: rows are really deleted
	images BeforeImages
}

// ordinal is the place of the field in the entity, or -1.
func (m *model) ordinal(name string) int {
	for i := range m.entity.Fields {
		if m.entity.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

// ordinalOf is the place of the column in the entity, or -1.
func (m *model) ordinalOf(column string) int {
	for i, field := range m.fields {
		if field.DBName == column {
			return i
		}
	}
	return -1
}
