package rowcastgorm

import (
	"fmt"
	"reflect"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/rowcast/rowcast/core/filter"
)

// Where narrows a query to the rows for which the filter is true, as subscriptions evaluate it:
//
//	expr, err := engine.ParseFilter("Card", request.URL.RawQuery)
//	db.Scopes(rowcastgorm.Where(expr)).Find(&cards)
//
// The model must be registered, and its database must have the plugin. A nil filter takes all rows. Operands are bound
// parameters, never text; the soft-delete condition stays as the caller has it. docs/filter.md says where databases
// cannot agree. A filter that cannot be translated fails the query: it never widens it.
func Where(expr filter.Expr) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB {
		if expr == nil {
			return db
		}
		return db.Where(condition{expr: expr})
	}
}

// condition is a filter in a statement. GORM builds it when it knows the statement's model.
type condition struct {
	expr  filter.Expr
	model *model // nil: the statement's
}

// Build implements clause.Expression.
func (c condition) Build(builder clause.Builder) {
	statement, ok := builder.(*gorm.Statement)
	if !ok {
		builder.AddError(fmt.Errorf("rowcastgorm: a filter cannot be built into a %T", builder))
		return
	}
	if err := c.build(statement); err != nil {
		builder.AddError(err)
		builder.WriteString("1 = 0")
	}
}

func (c condition) build(statement *gorm.Statement) error {
	capture, _ := statement.DB.Config.Plugins[pluginName].(*Capture)
	m := c.model
	if m == nil {
		if capture == nil {
			return fmt.Errorf("rowcastgorm: Where needs the plugin on this database: db.Use(capture)")
		}
		if statement.Schema == nil || capture.modelOf(statement.Schema.ModelType) == nil {
			return fmt.Errorf("rowcastgorm: Where needs a model that is registered; the statement's is %v", modelType(statement))
		}
		m = capture.modelOf(statement.Schema.ModelType)
	}
	compiled, err := m.entity.BindFilter(c.expr)
	if err != nil {
		return err
	}
	writer := sqlWriter{statement: statement, model: m, dialect: dialectOf(statement.DB, capture)}
	return writer.write(compiled.Expr())
}

func modelType(statement *gorm.Statement) reflect.Type {
	if statement.Schema != nil {
		return statement.Schema.ModelType
	}
	return reflect.TypeOf(statement.Model)
}

// sqlWriter writes a bound filter as SQL.
type sqlWriter struct {
	statement *gorm.Statement
	model     *model
	dialect   dialect
}

func (w sqlWriter) write(expr filter.Expr) error {
	switch e := expr.(type) {
	case filter.And:
		return w.group("", " AND ", e, "1 = 1")
	case filter.Or:
		return w.group("", " OR ", e, "1 = 0")
	case filter.Not:
		return w.group("NOT ", " AND ", e, "1 = 1")
	case filter.Bound:
		return w.comparison(e)
	}
	return fmt.Errorf("rowcastgorm: a %T cannot be translated to SQL", expr)
}

// group writes the children in parentheses; empty is what a group without children stands for.
func (w sqlWriter) group(prefix, separator string, children []filter.Expr, empty string) error {
	w.text(prefix + "(")
	if len(children) == 0 {
		w.text(empty)
	}
	for i, child := range children {
		if i > 0 {
			w.text(separator)
		}
		if err := w.write(child); err != nil {
			return err
		}
	}
	w.text(")")
	return nil
}

// comparisons are the operators of SQL that take one operand.
var comparisons = map[filter.Operator]string{
	filter.OpEq: " = ", filter.OpNe: " <> ", filter.OpGt: " > ", filter.OpGte: " >= ", filter.OpLt: " < ", filter.OpLte: " <= ",
}

func (w sqlWriter) comparison(b filter.Bound) error {
	field := w.model.fields[b.Ordinal]
	column := newOperand(w.statement, b.Field.Kind, field.Field, w.statement.Quote(clause.Column{Table: clause.CurrentTable, Name: field.DBName}))
	switch b.Operator {
	case filter.OpIsNull:
		w.text(column.sql + " IS NULL")
	case filter.OpIsNotNull:
		w.text(column.sql + " IS NOT NULL")
	case filter.OpLike, filter.OpILike:
		w.dialect.like(w, column, b.Values[0].Text(), b.Operator == filter.OpILike)
	case filter.OpIn, filter.OpNotIn:
		w.list(column, b)
	case filter.OpBetween:
		w.text("(" + w.dialect.column(column, true) + " >= ")
		w.dialect.value(w, column, b.Values[0])
		w.text(" AND " + w.dialect.column(column, true) + " <= ")
		w.dialect.value(w, column, b.Values[1])
		w.text(")")
	default:
		token, ok := comparisons[b.Operator]
		if !ok {
			return fmt.Errorf("rowcastgorm: the operator %q cannot be translated to SQL", b.Operator)
		}
		ordered := b.Operator != filter.OpEq && b.Operator != filter.OpNe
		w.text(w.dialect.column(column, ordered) + token)
		w.dialect.value(w, column, b.Values[0])
	}
	return nil
}

func (w sqlWriter) list(column operand, b filter.Bound) {
	w.text(w.dialect.column(column, false))
	if b.Operator == filter.OpNotIn {
		w.text(" NOT")
	}
	w.text(" IN (")
	for i, value := range b.Values {
		if i > 0 {
			w.text(",")
		}
		w.dialect.value(w, column, value)
	}
	w.text(")")
}

// text writes SQL of our own; bind writes a parameter between two pieces of it.
func (w sqlWriter) text(sql string) { _, _ = w.statement.WriteString(sql) }

func (w sqlWriter) bind(before string, v any, after string) {
	w.text(before)
	w.statement.AddVar(w.statement, v)
	w.text(after)
}
