package filter_test

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"strings"
	"testing"

	"github.com/rowcast/rowcast/core/filter"
)

// TestNilBytesAreNull: drivers store a slice that is nil as NULL, and give NULL back as one.
func TestNilBytesAreNull(t *testing.T) {
	type named []byte
	for _, v := range []any{[]byte(nil), named(nil), sql.Null[[]byte]{Valid: true}} {
		for _, kind := range []filter.Kind{filter.Bytes, filter.String} {
			if got := filter.MustValue(kind, v); !got.IsNull() {
				t.Errorf("a %T that is nil is %q as %v", v, got.Text(), kind)
			}
		}
	}
	for _, v := range []any{[]byte{}, named{}, sql.Null[[]byte]{V: []byte{}, Valid: true}} {
		if got := filter.MustValue(filter.Bytes, v); got.Kind() != filter.Bytes || got.Text() != "" {
			t.Errorf("a %T that is empty is %v", v, got)
		}
	}
}

// document is a driver.Valuer that marshals like any struct.
type document struct {
	Text  string
	Valid bool
}

func (d document) Value() (driver.Value, error) {
	if !d.Valid {
		return nil, nil
	}
	return d.Text, nil
}

// maybe marshals as null while it holds nothing, as a serializer stores it.
type maybe struct{ full bool }

func (m maybe) MarshalJSON() ([]byte, error) {
	if !m.full {
		return []byte("null"), nil
	}
	return []byte("true"), nil
}

// TestNullAndTheDocumentNull: a JSON column can hold the document null, which IS NULL does not find.
func TestNullAndTheDocumentNull(t *testing.T) {
	raw, none := json.RawMessage("null"), json.RawMessage(nil)
	var nowhere *json.RawMessage
	for name, c := range map[string]struct {
		v    any
		null bool
	}{
		"nil":                   {nil, true},
		"raw nil":               {none, true},
		"pointer to raw nil":    {&none, true},
		"nil pointer":           {nowhere, true},
		"nil map":               {map[string]any(nil), true},
		"nil slice":             {[]string(nil), true},
		"valuer of nil":         {document{}, true},
		"pointer to one":        {&document{}, true},
		"nil in an interface":   {sql.Null[any]{}, true},
		"marshals as null":      {maybe{}, true},
		"raw null":              {raw, false},
		"pointer to raw null":   {&raw, false},
		"valuer of null":        {document{"null", true}, false},
		"pointer to that":       {&document{"null", true}, false},
		"empty map":             {map[string]any{}, false},
		"empty slice":           {[]string{}, false},
		"what marshals as true": {maybe{true}, false},
	} {
		got, err := filter.ValueOf(filter.JSON, c.v)
		if err != nil || got.IsNull() != c.null || !c.null && got.Kind() != filter.JSON {
			t.Errorf("%s is NULL: %t, %v", name, got.IsNull(), err)
		}
	}
}

// TestDecimalsWithAnExponent: SQLite's doubles come with one when they are read into a text.
func TestDecimalsWithAnExponent(t *testing.T) {
	for given, want := range map[string]string{
		"1.2345675e+06": "1234567.5", "1e3": "1000", "-1.5E-5": "-0.000015", "+12.50e1": "125", "0e9": "0", ".5e1": "5",
		"1e400": "1" + strings.Repeat("0", 400), "-0.0e-3": "0", "123e-2": "1.23",
	} {
		if got := filter.MustValue(filter.Decimal, given); got.Text() != want {
			t.Errorf("%s is %s, want %s", given, got.Text(), want)
		}
	}
	for _, given := range []string{"e1", "1e", "1e1.5", "1e401", "1e-401", "1e999999999999", "1ee1", "NaN", "1e+", "Infinity", "1_0e1", "1e1_0"} {
		if got, err := filter.ValueOf(filter.Decimal, given); err == nil {
			t.Errorf("%s is %s", given, got.Text())
		}
	}
	// Requests write decimals without one.
	schema := filter.Schema{{Name: "price", Kind: filter.Decimal, Access: filter.Allowed}}
	for _, query := range []string{"filter[price][eq]=1e3", `filter={"price":{"eq":1e3}}`} {
		expr, problems := filter.Parse(query, filter.Limits{})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if _, problems = filter.Bind(expr, schema, filter.Limits{}); len(problems) != 1 || problems[0].Code != filter.CodeInvalidValue {
			t.Errorf("%s: %v", query, problems)
		}
	}
}
