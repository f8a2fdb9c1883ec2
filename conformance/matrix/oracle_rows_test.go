package matrix_test

import (
	"database/sql"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"gorm.io/gorm"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
)

// column is a field of OracleRow.
type column struct {
	filter.Field
	ordinal int
	index   int  // in the struct
	rowBits int  // of an integer, as the database holds it; 0 means 64
	single  bool // a float of 32 bits
	day     bool // a date without a time
}

// columnsOf are the columns whose values are random: all but the key.
func columnsOf(entity rowcast.Entity) []column {
	model := reflect.TypeFor[OracleRow]()
	var columns []column
	for ordinal, field := range entity.Schema() {
		for index := range model.NumField() {
			f := model.Field(index)
			if f.Tag.Get("json") != field.Name || field.Name == "id" {
				continue
			}
			t := f.Type
			if t.Kind() == reflect.Pointer {
				t = t.Elem()
			}
			c := column{Field: field, ordinal: ordinal, index: index, rowBits: field.Bits, single: t.Kind() == reflect.Float32, day: f.Name == "Day"}
			if t == reflect.TypeFor[narrowInt]() {
				c.rowBits = 16
			}
			columns = append(columns, c)
		}
	}
	return columns
}

// batch is the rows that filters are tried on.
type batch struct {
	ids []uint64

	// The rows as a captor sees them right after it wrote them, and as the database gives them back. A filter that tells
	// the two apart would make events and snapshots differ.
	written, read [][]filter.Value

	columns []column
	hot     [][]any // by column: values that many rows have
}

// makeBatch writes random rows through GORM, in place of those that are there.
func makeBatch(t *testing.T, db *gorm.DB, entity rowcast.Entity, columns []column, v values, size int) *batch {
	t.Helper()
	b := &batch{columns: columns, hot: make([][]any, len(columns))}
	for i, c := range columns {
		for range 6 {
			b.hot[i] = append(b.hot[i], v.of(c))
		}
	}
	rows := make([]OracleRow, size)
	for n := range rows {
		rows[n].ID = uint64(n + 1)
		b.ids = append(b.ids, rows[n].ID)
		for i, c := range columns {
			setField(reflect.ValueOf(&rows[n]).Elem().Field(c.index), v.cell(c, b.hot[i]))
		}
		b.written = append(b.written, rowOf(t, entity, &rows[n]))
	}
	check(t, db.Where("id > ?", 0).Delete(&OracleRow{}).Error)
	check(t, db.Create(&rows).Error)
	var stored []OracleRow
	// With a parameter MySQL answers in binary; as text it would round a float of 32 bits to six digits.
	check(t, db.Where("id > ?", 0).Order("id").Find(&stored).Error)
	for n := range stored {
		b.read = append(b.read, rowOf(t, entity, &stored[n]))
	}
	if len(b.read) != size {
		t.Fatalf("wrote %d rows, read %d", size, len(b.read))
	}
	return b
}

// cell is what one row has in the column.
func (v values) cell(c column, hot []any) any {
	switch {
	case c.Nullable && v.IntN(4) == 0:
		return nil
	case v.IntN(3) > 0:
		return pick(v, hot)
	}
	return v.of(c)
}

// setField gives a struct's field a value as filter.Value.Any has it; nil is NULL.
func setField(field reflect.Value, v any) {
	if v == nil {
		field.SetZero()
		return
	}
	if field.Kind() == reflect.Pointer {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	if scanner, ok := field.Addr().Interface().(sql.Scanner); ok {
		if err := scanner.Scan(v); err != nil {
			panic(err)
		}
		return
	}
	if field.Kind() == reflect.Map {
		field.Set(reflect.ValueOf(map[string]any{"document": fmt.Sprint(v)}))
		return
	}
	field.Set(reflect.ValueOf(v).Convert(field.Type()))
}

// rowOf is the model as filters see it, by the same way that captured rows take.
func rowOf(t *testing.T, entity rowcast.Entity, model *OracleRow) []filter.Value {
	t.Helper()
	of := reflect.ValueOf(model).Elem()
	given := make(rowcast.Values)
	for i := range of.NumField() {
		given[of.Type().Field(i).Tag.Get("json")] = of.Field(i).Interface()
	}
	row, err := entity.Row(given)
	check(t, err)
	return row
}

// rowText shows the fields that are named, as written and as read where they differ.
func (b *batch) rowText(n int, named func(string) bool) string {
	var text strings.Builder
	for _, c := range b.columns {
		if !named(c.Name) {
			continue
		}
		fmt.Fprintf(&text, "\n\t%s (%v): written %s", c.Name, c.Kind, valueText(b.written[n][c.ordinal]))
		if b.written[n][c.ordinal] != b.read[n][c.ordinal] {
			fmt.Fprintf(&text, ", read %s", valueText(b.read[n][c.ordinal]))
		}
	}
	return text.String()
}

func valueText(v filter.Value) string {
	switch {
	case v.IsNull():
		return "NULL"
	case v.IsMissing():
		return "missing"
	}
	return fmt.Sprintf("%+q", v.Text())
}
