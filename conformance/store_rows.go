package conformance

import (
	"slices"
	"testing"
	"time"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
)

func storeRowCases() []storeCase {
	return []storeCase{
		{"create and read", "Create returns the row as it is kept; what was left out is NULL or the zero value", testStoreCreate},
		{"normal values", "Values come back as filter.Value.Any gives them: int64, uint64, times in UTC at microseconds", testStoreValues},
		{"keys", "A key that is given is kept, a generated one is new, one that is taken is ErrConflict", testStoreKeys},
		{"composite keys", "A composite key identifies a row by all its parts", testStoreComposite},
		{"update", "Update replaces a row: what is left out becomes NULL or the zero value; the key stays", testStoreUpdate},
		{"patch", "Patch writes the given fields and no others", testStorePatch},
		{"invalid values", "Unknown fields and values that do not fit are an *Error that names the field", testStoreInvalid},
		{"missing rows", "ErrNotFound for a row that is not there", testStoreMissing},
		{"soft delete", "A soft-deleted row is there for Purge and Restore only", testStoreSoftDelete},
		{"hard delete", "Without soft delete the row is gone", testStoreHardDelete},
		{"list", "List returns the rows in the order of their keys", testStoreList},
		{"list by filter", "List gives the rows for which the evaluator says that the filter is true, and no others", testStoreFilter},
		{"nothing shared", "Rows passed in or out are never shared with the caller", testStoreShared},
	}
}

func testStoreCreate(t *testing.T, h *storeHarness) {
	row := h.do("Card", rowcast.CreateOne, "", rowcast.Values{"title": "Dune"})
	want := rowcast.Values{"title": "Dune", "points": int64(0), "note": nil, "due": nil, "secret": "", "deletedAt": nil, "weight": 0.0}
	h.holds(row, want)
	id, ok := row["id"].(uint64)
	if !ok || id == 0 {
		t.Fatalf("the generated id is %#v", row["id"])
	}
	read := h.do("Card", rowcast.ReadOne, itoa(int(id)), nil)
	want["id"] = id
	h.holds(read, want)
}

func testStoreValues(t *testing.T, h *storeHarness) {
	due := time.Date(2026, 12, 1, 10, 0, 0, 123456789, time.FixedZone("", 3600))
	title := `quotes ' " \ % _ ` + "\n grüße 日本 \U0001F600"
	row := h.do("Card", rowcast.CreateOne, "", rowcast.Values{"title": title, "points": int8(-3), "due": due, "weight": 0.1, "note": &title})
	want := rowcast.Values{
		"title": title, "points": int64(-3), "weight": 0.1, "note": title,
		"due": time.Date(2026, 12, 1, 9, 0, 0, 123456000, time.UTC),
	}
	h.holds(row, want)
	id := itoa(int(row["id"].(uint64)))
	h.holds(h.do("Card", rowcast.ReadOne, id, nil), want)
}

func testStoreKeys(t *testing.T, h *storeHarness) {
	h.do("Card", rowcast.CreateOne, "", rowcast.Values{"id": 41, "title": "given"})
	h.fails(rowcast.ErrConflict, "Card", rowcast.CreateOne, "", rowcast.Values{"id": 41, "title": "again"})
	h.holds(h.do("Card", rowcast.ReadOne, "041", nil), rowcast.Values{"title": "given"})
	h.do("Card", rowcast.DeleteOne, "41", nil)
	h.fails(rowcast.ErrConflict, "Card", rowcast.CreateOne, "", rowcast.Values{"id": 41, "title": "of a soft-deleted row"})
}

func testStoreComposite(t *testing.T, h *storeHarness) {
	for _, sku := range []string{"a", "a,b", "100%"} {
		h.do("Line", rowcast.CreateOne, "", rowcast.Values{"order": 1, "sku": sku, "title": sku})
	}
	h.do("Line", rowcast.CreateOne, "", rowcast.Values{"order": 2, "sku": "a", "title": "other"})
	h.fails(rowcast.ErrConflict, "Line", rowcast.CreateOne, "", rowcast.Values{"order": 2, "sku": "a", "title": "again"})
	h.do("Line", rowcast.PatchOne, "1,a%2Cb", rowcast.Values{"title": "patched"})
	for id, title := range map[string]string{"1,a": "a", "1,a%2Cb": "patched", "1,100%25": "100%", "2,a": "other"} {
		h.holds(h.do("Line", rowcast.ReadOne, id, nil), rowcast.Values{"title": title})
	}
	if _, err := h.try("Line", rowcast.CreateOne, "", rowcast.Values{"order": 3, "title": "half a key"}); err == nil {
		t.Error("half a key was accepted")
	}
}

func testStoreUpdate(t *testing.T, h *storeHarness) {
	h.do("Card", rowcast.CreateOne, "", rowcast.Values{"id": 1, "title": "a", "note": "n", "points": 5})
	row := h.do("Card", rowcast.UpdateOne, "1", rowcast.Values{"title": "b"})
	want := rowcast.Values{"id": uint64(1), "title": "b", "note": nil, "points": int64(0)}
	h.holds(row, want)
	h.holds(h.do("Card", rowcast.ReadOne, "1", nil), want)
	h.do("Card", rowcast.UpdateOne, "1", rowcast.Values{"id": 1, "title": "c"})
	h.refuses("id", "Card", rowcast.UpdateOne, "1", rowcast.Values{"id": 2, "title": "d"})
}

func testStorePatch(t *testing.T, h *storeHarness) {
	h.do("Card", rowcast.CreateOne, "", rowcast.Values{"id": 1, "title": "a", "note": "n", "points": 5})
	want := rowcast.Values{"title": "a", "note": nil, "points": int64(0)}
	h.holds(h.do("Card", rowcast.PatchOne, "1", rowcast.Values{"note": nil, "points": 0}), want)
	h.holds(h.do("Card", rowcast.ReadOne, "1", nil), want)
	h.refuses("id", "Card", rowcast.PatchOne, "1", rowcast.Values{"id": 2})
}

func testStoreInvalid(t *testing.T, h *storeHarness) {
	h.do("Card", rowcast.CreateOne, "", rowcast.Values{"id": 1, "title": "a"})
	for _, operation := range []string{rowcast.UpdateOne, rowcast.PatchOne} {
		h.refuses("nope", "Card", operation, "1", rowcast.Values{"nope": 1})
		h.refuses("points", "Card", operation, "1", rowcast.Values{"points": "many"})
		h.refuses("points", "Card", operation, "1", rowcast.Values{"points": 1 << 40})
		h.refuses("title", "Card", operation, "1", rowcast.Values{"title": nil})
		h.refuses("deletedAt", "Card", operation, "1", rowcast.Values{"deletedAt": time.Now()})
	}
	h.refuses("nope", "Card", rowcast.CreateOne, "", rowcast.Values{"nope": 1})
	h.refuses("id", "Card", rowcast.PatchOne, "x", rowcast.Values{"title": "b"})
	h.holds(h.do("Card", rowcast.ReadOne, "1", nil), rowcast.Values{"title": "a"})
}

func testStoreMissing(t *testing.T, h *storeHarness) {
	for _, operation := range []string{rowcast.ReadOne, rowcast.UpdateOne, rowcast.PatchOne, rowcast.DeleteOne, rowcast.PurgeOne, rowcast.RestoreOne} {
		var values rowcast.Values
		if operation == rowcast.UpdateOne || operation == rowcast.PatchOne {
			values = rowcast.Values{"title": "x"}
		}
		h.fails(rowcast.ErrNotFound, "Card", operation, "99", values)
	}
}

func testStoreSoftDelete(t *testing.T, h *storeHarness) {
	h.do("Card", rowcast.CreateOne, "", rowcast.Values{"id": 1, "title": "a"})
	h.fails(rowcast.ErrNotFound, "Card", rowcast.RestoreOne, "1", nil)
	h.do("Card", rowcast.DeleteOne, "1", nil)
	for _, operation := range []string{rowcast.ReadOne, rowcast.DeleteOne} {
		h.fails(rowcast.ErrNotFound, "Card", operation, "1", nil)
	}
	for _, operation := range []string{rowcast.UpdateOne, rowcast.PatchOne} {
		h.fails(rowcast.ErrNotFound, "Card", operation, "1", rowcast.Values{"title": "x"})
	}
	if rows := h.list("Card"); len(rows) != 0 {
		t.Errorf("the list holds %v", rows)
	}
	h.holds(h.do("Card", rowcast.RestoreOne, "1", nil), rowcast.Values{"title": "a", "deletedAt": nil})
	h.do("Card", rowcast.DeleteOne, "1", nil)
	h.do("Card", rowcast.PurgeOne, "1", nil)
	h.fails(rowcast.ErrNotFound, "Card", rowcast.RestoreOne, "1", nil)
	h.fails(rowcast.ErrNotFound, "Card", rowcast.PurgeOne, "1", nil)
	h.do("Card", rowcast.CreateOne, "", rowcast.Values{"id": 1, "title": "again"})
}

func testStoreHardDelete(t *testing.T, h *storeHarness) {
	h.do("Line", rowcast.CreateOne, "", rowcast.Values{"order": 1, "sku": "a", "title": "t"})
	h.do("Line", rowcast.DeleteOne, "1,a", nil)
	h.fails(rowcast.ErrNotFound, "Line", rowcast.ReadOne, "1,a", nil)
	h.fails(rowcast.ErrNotFound, "Line", rowcast.RestoreOne, "1,a", nil)
	h.do("Line", rowcast.CreateOne, "", rowcast.Values{"order": 1, "sku": "a", "title": "again"})
}

func testStoreList(t *testing.T, h *storeHarness) {
	if rows := h.list("Card"); len(rows) != 0 {
		t.Errorf("an empty store lists %v", rows)
	}
	for _, id := range []int{10, 2, 33, 1} {
		h.do("Card", rowcast.CreateOne, "", rowcast.Values{"id": id, "title": itoa(id)})
	}
	var titles []string
	for _, row := range h.list("Card") {
		titles = append(titles, row["title"].(string))
	}
	if got := len(titles); got != 4 || titles[0] != "1" || titles[1] != "2" || titles[2] != "10" || titles[3] != "33" {
		t.Errorf("the list is %q", titles)
	}
}

func testStoreFilter(t *testing.T, h *storeHarness) {
	due := time.Date(2026, 12, 1, 9, 0, 0, 123456000, time.UTC)
	for i, row := range []rowcast.Values{
		{"title": "Dune", "points": 5, "note": "n", "due": due, "weight": 0.5},
		{"title": "dune", "points": -5, "due": due.Add(time.Microsecond)},
		{"title": "Ünder 100% _\\", "points": 0, "note": ""},
		{"title": "", "points": 5, "note": "dune\nmessiah", "due": due.In(time.FixedZone("", 3600))},
	} {
		row["id"] = i + 1
		h.do("Card", rowcast.CreateOne, "", row)
	}
	all := h.list("Card")
	for _, where := range []filter.Expr{
		filter.True, filter.False, filter.Eq("title", "Dune"), filter.Ne("note", "n"), filter.Gt("points", 0), filter.Lte("title", "dune"),
		filter.In("id", 1, 3, 9), filter.NotIn("note", "n"), filter.Between("points", -5, 0), filter.Like("title", "%un%"),
		filter.ILike("title", "dUNE"), filter.ILike("title", "ü%"), filter.Like("title", `%\%%`), filter.Like("note", "dune%messiah"),
		filter.IsNull("note"), filter.IsNotNull("due"), filter.Eq("due", due), filter.Gte("weight", 0.5),
		filter.Not{filter.Eq("note", "n")}, filter.Or{filter.IsNull("due"), filter.Eq("points", 5)},
		filter.And{filter.Eq("points", 5), filter.Not{filter.IsNull("note"), filter.Eq("title", "Dune")}},
	} {
		card := StoreEntities()[0]
		compiled, err := card.BindFilter(where)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []any
		for _, row := range all {
			values, err := card.Row(row)
			if err != nil {
				t.Fatal(err)
			}
			if compiled.Match(values) {
				want = append(want, row["id"])
			}
		}
		rows, err := h.engine.ExecuteMany(t.Context(), "Card", rowcast.ReadMany, rowcast.Input{Filter: where})
		if err != nil {
			t.Errorf("%v: %v", where, err)
		}
		for _, row := range rows {
			got = append(got, row["id"])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v gives %v, want %v", where, got, want)
		}
	}
}

func testStoreShared(t *testing.T, h *storeHarness) {
	in := rowcast.Values{"id": 1, "title": "a"}
	out := h.do("Card", rowcast.CreateOne, "", in)
	in["title"], out["title"] = "changed by the caller", "changed by the caller"
	h.list("Card")[0]["title"] = "changed by the caller"
	h.do("Card", rowcast.ReadOne, "1", nil)["title"] = "changed by the caller"
	h.holds(h.do("Card", rowcast.ReadOne, "1", nil), rowcast.Values{"title": "a"})
}
