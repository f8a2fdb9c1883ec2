package rowcast_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
)

func filterableBook() rowcast.Entity {
	entity := bookEntity()
	entity.Filterable = rowcast.Except("id")
	return entity
}

func TestDeliveryTable(t *testing.T) {
	long := filter.Gt("pages", 100)
	row := func(pages any) rowcast.Values { return rowcast.Values{"id": 1, "title": "t", "pages": pages} }
	gone := func(pages any) rowcast.Values {
		values := row(pages)
		values["deletedAt"] = time.Now()
		return values
	}
	cases := []struct {
		name          string
		event         rowcast.EventID
		before, after rowcast.Values
		want          string // "" for nothing
	}{
		{"seen, still seen", rowcast.Patched, row(200), row(300), "patched"},
		{"enters under its own id", rowcast.Patched, row(50), row(300), "patched"},
		{"leaves", rowcast.Patched, row(200), row(50), "deleted filter"},
		{"leaves to null", rowcast.Updated, row(200), row(nil), "deleted filter"},
		{"never seen", rowcast.Patched, row(50), row(60), ""},
		{"null is never seen", rowcast.Patched, row(nil), row(nil), ""},
		{"before unknown, seen", rowcast.Patched, nil, row(200), "patched"},
		{"before unknown, not seen", rowcast.Patched, nil, row(50), ""},
		{"created and seen", rowcast.Created, nil, row(200), "created"},
		{"created, not seen", rowcast.Created, nil, row(50), ""},
		{"restored and seen", rowcast.Restored, row(200), row(200), "restored"},
		{"restored, no longer seen", rowcast.Restored, row(200), row(50), ""},
		{"patched while soft-deleted", rowcast.Patched, gone(200), gone(300), ""},
		{"leaves by a soft delete that is told as a patch", rowcast.Patched, row(200), gone(200), "deleted filter"},
		{"purged, seen before its soft delete", rowcast.Deleted, gone(200), nil, "deleted deleted"},
		{"deleted, seen before", rowcast.Deleted, row(200), nil, "deleted deleted"},
		{"deleted, not seen before", rowcast.Deleted, row(50), nil, ""},
		{"deleted, before unknown", rowcast.Deleted, nil, nil, "deleted deleted"},
		{"soft-deleted, seen before", rowcast.Deleted, row(200), row(200), "deleted deleted"},
		{"soft-deleted, not seen before", rowcast.Deleted, row(50), row(50), ""},
	}
	for _, channel := range []string{"Book", "Book.1"} {
		engine := started(t, rowcast.Config{}, filterableBook())
		matching := subscribe(t, engine, rowcast.SubscribeRequest{Channels: []string{channel}, Filter: long})
		canary := rowcast.Change{Entity: "Book", Event: rowcast.Restored, After: rowcast.Values{"id": 1, "title": "canary", "pages": 999}}
		for _, c := range cases {
			for _, change := range []rowcast.Change{{Entity: "Book", Event: c.event, ID: "1", Before: c.before, After: c.after}, canary} {
				if err := engine.Publish(context.Background(), change); err != nil {
					t.Fatal(err)
				}
			}
			got := matching.change()
			if c.want != "" {
				text := got.Event
				if got.Cause != "" {
					text += " " + got.Cause
				}
				if text != c.want || got.Event == "deleted" && got.Item != nil {
					t.Errorf("%s on %s: got %s", c.name, channel, got)
				}
				got = matching.change()
			}
			if got.Item["title"] != "canary" {
				t.Errorf("%s on %s: got %s, want the canary", c.name, channel, got)
			}
		}
	}
}

func TestFiltersFromOperations(t *testing.T) {
	engine := started(t, rowcast.Config{}, filterableBook())
	matching := subscribe(t, engine, rowcast.SubscribeRequest{Channels: []string{"Book"}, Filter: filter.ILike("title", "%dune%")})
	execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "Dune"}})
	execute(t, engine, rowcast.CreateOne, rowcast.Input{Values: rowcast.Values{"title": "Emma"}})
	execute(t, engine, rowcast.PatchOne, rowcast.Input{ID: "1", Values: rowcast.Values{"title": "Persuasion"}})
	execute(t, engine, rowcast.DeleteOne, rowcast.Input{ID: "1"})
	execute(t, engine, rowcast.PatchOne, rowcast.Input{ID: "2", Values: rowcast.Values{"title": "Dune Messiah"}})
	execute(t, engine, rowcast.PurgeOne, rowcast.Input{ID: "2"})
	for _, want := range []string{
		`created 1 {"id":1,"pages":null,"title":"Dune"}`,
		`deleted 1 null filter`,
		`patched 2 {"id":2,"pages":null,"title":"Dune Messiah"} [title]`,
		`deleted 2 null deleted`,
	} {
		if got := matching.change().String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestParseFilterAnswersLikeASubscription(t *testing.T) {
	narrow := filterableBook()
	narrow.Settings.SubscribableFields = rowcast.Only("id", "title")
	closed := bookEntity()
	closed.Name = "Closed"
	engine := started(t, rowcast.Config{}, narrow, closed)
	cases := []struct {
		entity, query string
		codes         []string
	}{
		{"Book", "", nil},
		{"Book", "x=1&filter[title][eq]=a", nil},
		{"Book", "filter[pages][gt]=1", []string{filter.CodeFieldNotAllowed}},
		{"Book", "filter[id][eq]=1", []string{filter.CodeFieldNotAllowed}},
		{"Book", "filter[secret][eq]=1&filter[nope][eq]=1", []string{filter.CodeUnknownField, filter.CodeUnknownField}},
		{"Book", "filter[title][xx]=1&filter[title]", []string{filter.CodeSyntax, filter.CodeUnknownOperator}},
		{"Closed", "filter[title][eq]=1", []string{filter.CodeFieldNotAllowed}},
	}
	for _, c := range cases {
		expr, err := engine.ParseFilter(c.entity, c.query)
		var refusal *rowcast.Error
		if errors.As(err, &refusal) != (c.codes != nil) || (expr != nil) != (c.codes == nil && c.query != "") {
			t.Errorf("%q: %v, %v", c.query, expr, err)
			continue
		}
		if refusal == nil {
			continue
		}
		var codes []string
		for _, issue := range refusal.Issues {
			codes = append(codes, issue.Code)
		}
		slices.Sort(codes)
		if refusal.Status != 400 || !slices.Equal(codes, c.codes) {
			t.Errorf("%q: %q, want %q", c.query, codes, c.codes)
		}
	}
	if _, err := engine.ParseFilter("Nope", ""); !errors.Is(err, rowcast.ErrUnknownEntity) {
		t.Errorf("unknown entity: %v", err)
	}
}
