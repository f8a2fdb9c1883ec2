package matrix_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	rowcastgorm "github.com/rowcast/rowcast/adapters/gorm"
)

// writeCase is one GORM call and what it must tell.
type writeCase struct {
	name string
	do   func(t *testing.T, db *gorm.DB)
	want []string
}

// seed is what every case finds: cards 1 to 4, of which 4 is soft-deleted, and some of the rest.
func seed(t *testing.T, db *gorm.DB) {
	t.Helper()
	note := "n"
	check(t, db.Create([]*Card{
		{Title: "one", Points: 1, Note: &note, Secret: "s"}, {Title: "two", Points: 2}, {Title: "three", Points: 3}, {Title: "four", Points: 4},
	}).Error)
	check(t, db.Delete(&Card{}, 4).Error)
	check(t, db.Create([]*Line{{1, "a", "1a"}, {1, "b", "1b"}, {0, "a", "0a"}}).Error)
	check(t, db.Create([]*Label{{Title: "red"}, {Title: "blue"}}).Error)
	check(t, db.Create(&Deck{Title: "deck", Slots: []Slot{{Title: "slot"}}}).Error)
}

// ok is a call that must succeed.
func ok(call func(db *gorm.DB) *gorm.DB) func(t *testing.T, db *gorm.DB) {
	return func(t *testing.T, db *gorm.DB) {
		t.Helper()
		check(t, call(db).Error)
	}
}

// fails is a call that must not succeed.
func fails(call func(db *gorm.DB) *gorm.DB) func(t *testing.T, db *gorm.DB) {
	return func(t *testing.T, db *gorm.DB) {
		t.Helper()
		if call(db).Error == nil {
			t.Error("the call succeeded")
		}
	}
}

func writeCases() []writeCase {
	one := func(db *gorm.DB) *gorm.DB { return db.Model(&Card{ID: 1}) }
	return []writeCase{
		{"create", ok(func(db *gorm.DB) *gorm.DB { return db.Create(&Card{Title: "new"}) }), []string{"created Card.5 new"}},
		{"create with a key", ok(func(db *gorm.DB) *gorm.DB { return db.Create(&Card{ID: 70, Title: "new"}) }), []string{"created Card.70 new"}},
		{"create a slice", ok(func(db *gorm.DB) *gorm.DB { return db.Create([]Card{{Title: "a"}, {Title: "b"}}) }), []string{"created Card.5 a", "created Card.6 b"}},
		{"create a slice of which some have a key", ok(func(db *gorm.DB) *gorm.DB {
			return db.Create(&[]*Card{{Title: "a"}, {ID: 70, Title: "b"}, {Title: "c"}})
		}), nil}, // see wantMixedKeys
		{"create in batches", ok(func(db *gorm.DB) *gorm.DB {
			return db.CreateInBatches(&[]Card{{Title: "a"}, {Title: "b"}, {Title: "c"}}, 2)
		}), []string{"created Card.5 a", "created Card.6 b", "created Card.7 c"}},
		{"create from a map", ok(func(db *gorm.DB) *gorm.DB {
			return db.Model(&Card{}).Create(map[string]any{"Title": "map", "points": 3})
		}), []string{"created Card.5 map"}},
		{"create from a map with a key", ok(func(db *gorm.DB) *gorm.DB {
			return db.Model(&Line{}).Create(map[string]any{"order": 7, "sku": "x,y", "title": "map"})
		}), []string{"created Line.7,x%2Cy map"}},
		{"create from maps", ok(func(db *gorm.DB) *gorm.DB {
			return db.Model(&Card{}).Create(&[]map[string]any{{"title": "a"}, {"title": "b"}})
		}), []string{"created Card.5 a", "created Card.6 b"}},
		{"create with zero parts in the key", ok(func(db *gorm.DB) *gorm.DB { return db.Create(&Line{0, "z", "zero"}) }), []string{"created Line.0,z zero"}},
		{"first or create", ok(func(db *gorm.DB) *gorm.DB { return db.Where(Card{Title: "foc"}).FirstOrCreate(&Card{}) }), []string{"created Card.5 foc"}},
		{"first or create of one that is there", ok(func(db *gorm.DB) *gorm.DB { return db.Where(Card{Title: "two"}).FirstOrCreate(&Card{}) }), nil},
		{"create what is there", fails(func(db *gorm.DB) *gorm.DB { return db.Create(&Card{ID: 1, Title: "again"}) }), nil},
		{"create soft-deleted", ok(func(db *gorm.DB) *gorm.DB {
			return db.Create(&Card{Title: "gone", DeletedAt: gorm.DeletedAt{Time: time.Now(), Valid: true}})
		}), nil},

		{"save a new row", ok(func(db *gorm.DB) *gorm.DB { return db.Save(&Card{Title: "saved"}) }), []string{"created Card.5 saved"}},
		{"save a row that is there", ok(func(db *gorm.DB) *gorm.DB { return db.Save(&Card{ID: 2, Title: "saved", Points: 2, Status: "todo"}) }), []string{"updated Card.2 saved: title createdAt updatedAt"}},
		{"save with a key that is not there", ok(func(db *gorm.DB) *gorm.DB { return db.Save(&Card{ID: 90, Title: "saved"}) }), []string{"created Card.90 saved"}},
		{"save a soft-deleted row", ok(func(db *gorm.DB) *gorm.DB { return db.Save(&Card{ID: 4, Title: "saved"}) }), []string{"restored Card.4 saved"}},
		{"save a slice", ok(func(db *gorm.DB) *gorm.DB {
			return db.Save([]Line{{1, "a", "saved"}, {9, "n", "new"}})
		}), []string{"updated Line.1,a saved: title", "created Line.9,n new"}},

		{"update a column", ok(func(db *gorm.DB) *gorm.DB { return one(db).Update("title", "u") }), []string{"patched Card.1 u: title updatedAt"}},
		{"update a hidden column", ok(func(db *gorm.DB) *gorm.DB { return one(db).UpdateColumn("secret", "u") }), []string{"patched Card.1 one"}},
		{"update by an expression", ok(func(db *gorm.DB) *gorm.DB { return one(db).UpdateColumn("title", gorm.Expr("title || ?", "!")) }), []string{"patched Card.1 one!: title"}},
		{"update by a struct", ok(func(db *gorm.DB) *gorm.DB { return one(db).Updates(Card{Title: "u", Points: 9}) }), []string{"patched Card.1 u: title points updatedAt"}},
		{"update by a map", ok(func(db *gorm.DB) *gorm.DB { return one(db).Updates(map[string]any{"Title": "u", "points": 0}) }), []string{"patched Card.1 u: title points updatedAt"}},
		{"update by itself", ok(func(db *gorm.DB) *gorm.DB { return db.Updates(&Card{ID: 1, Title: "u"}) }), []string{"patched Card.1 u: title updatedAt"}},
		{"update columns", ok(func(db *gorm.DB) *gorm.DB { return one(db).UpdateColumns(Card{Title: "u"}) }), []string{"patched Card.1 u: title"}},
		{"update selected columns", ok(func(db *gorm.DB) *gorm.DB { return one(db).Select("points").Updates(Card{Title: "no"}) }), []string{"patched Card.1 one: points updatedAt"}},
		{"update all columns", ok(func(db *gorm.DB) *gorm.DB {
			return one(db).Select("*").Omit("id", "created_at").Updates(Card{Title: "u"})
		}), []string{"updated Card.1 u: title status points note updatedAt"}},
		{"update to the same", ok(func(db *gorm.DB) *gorm.DB { return one(db).UpdateColumn("title", "one") }), nil},
		{"update without hooks", ok(func(db *gorm.DB) *gorm.DB {
			return db.Session(&gorm.Session{SkipHooks: true}).Model(&Card{ID: 1}).Update("title", "u")
		}), []string{"patched Card.1 u: title"}},
		{"update where", ok(func(db *gorm.DB) *gorm.DB { return db.Model(&Card{}).Where("points >= ?", 3).UpdateColumn("points", 5) }), []string{"patched Card.3 three: points"}},
		{"update what the condition is about", ok(func(db *gorm.DB) *gorm.DB { return db.Model(&Card{}).Where("points = ?", 3).UpdateColumn("points", 5) }), []string{"patched Card.3 three: points"}},
		{"update by several models", ok(func(db *gorm.DB) *gorm.DB { return db.Model(&[]Card{{ID: 2}}).UpdateColumn("points", 7) }), []string{"patched Card.2 two: points"}},
		{"update with or", ok(func(db *gorm.DB) *gorm.DB { // GORM writes «a OR b AND key»
			return db.Model(&Line{Order: 1, SKU: "b"}).Where("title = ?", "0a").Or("title <> ?", "").Update("title", "or")
		}), []string{"patched Line.1,b or: title", "patched Line.0,a or: title"}},
		{"update with or, softly deleted", ok(func(db *gorm.DB) *gorm.DB {
			return db.Model(&Card{}).Where("points = 1").Or("points = 4").UpdateColumn("points", 7)
		}), []string{"patched Card.1 one: points"}},
		{"delete with or", ok(func(db *gorm.DB) *gorm.DB { return db.Where("points = 1").Or("points > 2").Delete(&Card{}) }), []string{"deleted Card.1", "deleted Card.3"}},
		{"update one of several tenants", ok(func(db *gorm.DB) *gorm.DB { return db.Model(&Line{Order: 1, SKU: "a"}).Update("title", "u") }), []string{"patched Line.1,a u: title"}},
		{"update with a subquery", ok(func(db *gorm.DB) *gorm.DB {
			return db.Model(&Card{}).Where("title IN (?)", db.Model(&Card{}).Select("title").Where("points = 2")).UpdateColumn("points", 7)
		}), []string{"patched Card.2 two: points"}},
		{"update nothing", ok(func(db *gorm.DB) *gorm.DB { return db.Model(&Card{ID: 99}).Update("title", "u") }), nil},
		{"update a soft-deleted row", ok(func(db *gorm.DB) *gorm.DB { return db.Model(&Card{ID: 4}).Update("title", "u") }), nil},
		{"update a soft-deleted row unscoped", ok(func(db *gorm.DB) *gorm.DB { return db.Unscoped().Model(&Card{ID: 4}).Update("title", "u") }), nil},
		{"update without a condition", fails(func(db *gorm.DB) *gorm.DB { return db.Model(&Card{}).Update("title", "u") }), nil},
		{"update everything", ok(func(db *gorm.DB) *gorm.DB {
			return db.Session(&gorm.Session{AllowGlobalUpdate: true}).Model(&Label{}).Where("1 = 1").Update("uses", gorm.Expr("uses + 1"))
		}), []string{"patched Label.1 red: uses", "patched Label.2 blue: uses"}},
		{"update a column that is not there", fails(func(db *gorm.DB) *gorm.DB { return one(db).Update("nope", 1) }), nil},
		{"update with a condition that is wrong", fails(func(db *gorm.DB) *gorm.DB { return one(db).Where("nope = 1").Update("title", "u") }), nil},
		{"update what is unique", fails(func(db *gorm.DB) *gorm.DB { return db.Model(&Label{ID: 1}).Update("title", "blue") }), nil},
		{"update with returning", func(t *testing.T, db *gorm.DB) {
			var cards []Card
			check(t, db.Model(&cards).Clauses(clause.Returning{}).Where("points = 2").UpdateColumn("points", 8).Error)
			if len(cards) != 1 || cards[0].Points != 8 {
				t.Errorf("returned %+v", cards)
			}
		}, []string{"patched Card.2 two: points"}},
		{"update a part of a key", ok(func(db *gorm.DB) *gorm.DB { return db.Model(&Line{Order: 1, SKU: "a"}).Update("sku", "c") }), []string{"deleted Line.1,a", "created Line.1,c 1a"}},
		{"update keys by an expression", ok(func(db *gorm.DB) *gorm.DB {
			return db.Model(&Line{}).Where("title <> ''").Update("order", gorm.Expr(`"order" + 10`))
		}), []string{"resync Line history-lost"}},

		{"delete", ok(func(db *gorm.DB) *gorm.DB { return db.Delete(&Card{ID: 1}) }), []string{"deleted Card.1"}},
		{"delete by an argument", ok(func(db *gorm.DB) *gorm.DB { return db.Delete(&Card{}, 2) }), []string{"deleted Card.2"}},
		{"delete by arguments", ok(func(db *gorm.DB) *gorm.DB { return db.Delete(&Card{}, []int{3, 99}) }), []string{"deleted Card.3"}},
		{"delete where", ok(func(db *gorm.DB) *gorm.DB { return db.Where("title = ?", "two").Delete(&Card{}) }), []string{"deleted Card.2"}},
		{"delete by a slice", ok(func(db *gorm.DB) *gorm.DB { return db.Delete(&[]Card{{ID: 1}}) }), []string{"deleted Card.1"}},
		{"delete again", ok(func(db *gorm.DB) *gorm.DB { return db.Delete(&Card{ID: 4}) }), nil},
		{"delete nothing", ok(func(db *gorm.DB) *gorm.DB { return db.Delete(&Card{ID: 99}) }), nil},
		{"delete without a condition", fails(func(db *gorm.DB) *gorm.DB { return db.Delete(&Card{}) }), nil},
		{"delete for good", ok(func(db *gorm.DB) *gorm.DB { return db.Delete(&Line{Order: 1, SKU: "b"}) }), []string{"deleted Line.1,b"}},
		{"delete by an update", ok(func(db *gorm.DB) *gorm.DB { return one(db).Update("deleted_at", time.Now()) }), []string{"deleted Card.1"}},
		{"restore", ok(func(db *gorm.DB) *gorm.DB { return db.Unscoped().Model(&Card{ID: 4}).Update("deleted_at", nil) }), []string{"restored Card.4 four"}},
		{"restore what is not deleted", ok(func(db *gorm.DB) *gorm.DB {
			return db.Unscoped().Model(&Card{ID: 1}).UpdateColumn("deleted_at", nil)
		}), nil},
		{"purge", ok(func(db *gorm.DB) *gorm.DB { return db.Unscoped().Delete(&Card{ID: 1}) }), []string{"deleted Card.1"}},
		{"purge a soft-deleted row", ok(func(db *gorm.DB) *gorm.DB { return db.Unscoped().Delete(&Card{}, 4) }), []string{"deleted Card.4"}},

		{"do nothing on a conflict", ok(func(db *gorm.DB) *gorm.DB {
			return db.Clauses(clause.OnConflict{DoNothing: true}).Create(&Label{Title: "red"})
		}), nil},
		{"do nothing without a conflict", ok(func(db *gorm.DB) *gorm.DB {
			return db.Clauses(clause.OnConflict{DoNothing: true}).Create(&Label{ID: 50, Title: "green"})
		}), []string{"created Label.50 green"}},
		{"do nothing on some conflicts", ok(func(db *gorm.DB) *gorm.DB {
			return db.Clauses(clause.OnConflict{DoNothing: true}).Create(&[]Label{{ID: 50, Title: "green"}, {ID: 51, Title: "red"}, {ID: 1, Title: "x"}})
		}), []string{"created Label.50 green"}},
		{"do nothing on a batch without keys", ok(func(db *gorm.DB) *gorm.DB {
			return db.Clauses(clause.OnConflict{DoNothing: true}).Create(&[]Label{{Title: "green"}, {Title: "red"}})
		}), []string{"resync Label history-lost"}},
		{"update on a conflict of keys", ok(func(db *gorm.DB) *gorm.DB {
			return db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.AssignmentColumns([]string{"uses"})}).
				Create(&[]Label{{ID: 1, Title: "x", Uses: 5}, {ID: 60, Title: "green"}})
		}), []string{"patched Label.1 red: uses", "created Label.60 green"}},
		{"update on another conflict", ok(func(db *gorm.DB) *gorm.DB {
			return db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "title"}}, DoUpdates: clause.AssignmentColumns([]string{"uses"})}).
				Create(&[]Label{{Title: "red", Uses: 5}, {Title: "green"}})
		}), []string{"resync Label history-lost"}},

		{"save with children", ok(func(db *gorm.DB) *gorm.DB {
			return db.Create(&Deck{Title: "d", Slots: []Slot{{Title: "x"}, {Title: "y"}}})
		}),
			[]string{"created Deck.2 d", "created Slot.2 x", "created Slot.3 y"}},
		{"replace children", func(t *testing.T, db *gorm.DB) {
			check(t, db.Model(&Deck{ID: 1}).Association("Slots").Replace(&Slot{Title: "new"}))
		}, []string{"created Slot.2 new", "patched Slot.1 slot: deck"}},

		{"generics", func(t *testing.T, db *gorm.DB) {
			ctx := context.Background()
			check(t, gorm.G[Card](db).Create(ctx, &Card{Title: "g"}))
			_, err := gorm.G[Card](db).Where("id = ?", 1).Update(ctx, "title", "u")
			check(t, err)
			_, err = gorm.G[Card](db).Where("id = ?", 2).Updates(ctx, Card{Points: 9})
			check(t, err)
			_, err = gorm.G[Card](db).Where("id = ?", 3).Delete(ctx)
			check(t, err)
		}, []string{"created Card.5 g", "patched Card.1 u: title updatedAt", "patched Card.2 two: points updatedAt", "deleted Card.3"}},

		{"dry run", ok(func(db *gorm.DB) *gorm.DB { return db.Session(&gorm.Session{DryRun: true}).Create(&Card{Title: "dry"}) }), nil},
		{"to SQL", func(t *testing.T, db *gorm.DB) {
			db.ToSQL(func(tx *gorm.DB) *gorm.DB { return tx.Model(&Card{ID: 1}).Update("title", "dry") })
		}, nil},
		{"a model that is not registered", ok(func(db *gorm.DB) *gorm.DB { return db.Create(&Unwatched{Title: "u"}) }), nil},
		{"another table", ok(func(db *gorm.DB) *gorm.DB {
			return db.Table("unwatcheds").Omit("uses").Create(&Label{Title: "elsewhere"})
		}), nil},
		{"skip", ok(func(db *gorm.DB) *gorm.DB {
			return rowcastgorm.Skip(db).Create(&Deck{Title: "d", Slots: []Slot{{Title: "x"}}})
		}), nil},
		{"a hook that fails", func(t *testing.T, db *gorm.DB) {
			check(t, db.Callback().Create().After("gorm:create").Before("gorm:after_create").Register("test:fail", func(db *gorm.DB) {
				if db.Statement.Table == "cards" {
					_ = db.AddError(errors.New("refused"))
				}
			}))
			if db.Create(&Card{Title: "x"}).Error == nil {
				t.Error("the create succeeded")
			}
		}, nil},
	}
}

func TestGORMWrites(t *testing.T) {
	shapes := map[string]gorm.Config{
		"default":          {},
		"no transaction":   {SkipDefaultTransaction: true},
		"prepared":         {PrepareStmt: true},
		"translated error": {TranslateError: true, CreateBatchSize: 2},
	}
	onEach(t, func(t *testing.T, s server) {
		for shape, config := range shapes {
			t.Run(shape, func(t *testing.T) {
				for _, c := range writeCases() {
					t.Run(c.name, func(t *testing.T) {
						if shape == "translated error" && c.name != "create a slice" && c.name != "create what is there" {
							return
						}
						f := newFeed(t, s, options{gorm: config})
						seed(t, f.db)
						f.watch()
						c.do(t, f.db)
						if c.name == "a hook that fails" && config.SkipDefaultTransaction {
							c.want = []string{"created Card.5 x"} // the row stays, as without the plugin
						}
						if c.name == "create a slice of which some have a key" {
							c.want = mixedKeys(t, f.db)
						}
						f.expect(c.want...)
					})
				}
			})
		}
	})
}

// mixedKeys asks the database which keys it made: sequences and rowids differ.
func mixedKeys(t *testing.T, db *gorm.DB) []string {
	t.Helper()
	var want []string
	for _, title := range []string{"a", "b", "c"} {
		var ids []string
		check(t, db.Model(&Card{}).Where("title = ?", title).Pluck("id", &ids).Error)
		want = append(want, "created Card."+ids[0]+" "+title)
	}
	return want
}

// TestGORMImages shows what is told when the row before is not read.
func TestGORMImages(t *testing.T) {
	cases := []struct {
		name   string
		entity rowcastgorm.Entity
		want   []string
	}{
		{"auto, not filterable", rowcastgorm.Entity{}, []string{"patched Card.1 one: title updatedAt", "patched Card.1 u: title updatedAt", "deleted Card.1", "deleted Line.1,a"}},
		{"always", rowcastgorm.Entity{BeforeImages: rowcastgorm.BeforeImagesAlways}, []string{"patched Card.1 one: updatedAt", "patched Card.1 u: title updatedAt", "deleted Card.1", "deleted Line.1,a"}},
		{"never", rowcastgorm.Entity{BeforeImages: rowcastgorm.BeforeImagesNever}, []string{"patched Card.1 one: title updatedAt", "patched Card.1 u: title updatedAt", "deleted Card.1", "deleted Line.1,a"}},
	}
	onEach(t, func(t *testing.T, s server) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				f := newFeed(t, s, options{entity: func(any) rowcastgorm.Entity { return c.entity }})
				seed(t, f.db)
				f.watch()
				check(t, f.db.Model(&Card{ID: 1}).Update("title", "one").Error)
				check(t, f.db.Model(&Card{ID: 1}).Updates(&Card{Title: "u"}).Error)
				check(t, f.db.Delete(&Card{ID: 1}).Error)
				check(t, f.db.Delete(&Line{Order: 1, SKU: "a"}).Error)
				f.expect(c.want...)
			})
		}
	})
}

func TestGORMBulkLimit(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		f := newFeed(t, s, options{config: rowcastgorm.Config{BulkLimit: 2}})
		rows := []Label{{Title: "a"}, {Title: "b"}, {Title: "c"}}
		f.watch()
		check(t, f.db.Create(&rows).Error)
		check(t, f.db.Model(&Label{}).Where("uses = 0").Update("uses", 1).Error)
		check(t, f.db.Model(&Label{}).Where("id < ?", 3).Update("uses", 2).Error)
		check(t, f.db.Where("1 = 1").Delete(&Label{}).Error)
		f.expect("resync Label overflow", "resync Label overflow", "patched Label.1 a: uses", "patched Label.2 b: uses", "resync Label overflow")
	})
}

// TestGORMTransparent shows that a statement gives its caller what it gives without the plugin.
func TestGORMTransparent(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		f := newFeed(t, s, options{})
		seed(t, f.db)
		card := Card{Title: "x"}
		tx := f.db.Create(&card)
		if tx.RowsAffected != 1 || card.ID != 5 || card.Status != "todo" || card.Title != "x" {
			t.Errorf("create: %d rows, %+v", tx.RowsAffected, card)
		}
		if tx = f.db.Model(&card).Where("points < ?", 9).Updates(map[string]any{"title": "y"}); tx.RowsAffected != 1 || card.Title != "y" {
			t.Errorf("updates: %d rows, %+v", tx.RowsAffected, card)
		}
		if tx = f.db.Delete(&Card{}, []int{1, 2, 99}); tx.RowsAffected != 2 {
			t.Errorf("delete: %d rows", tx.RowsAffected)
		}
		if err := f.db.Create(&Label{Title: "red"}).Error; err == nil {
			t.Error("the unique index is gone")
		}
		if sqlDB, err := f.db.DB(); err != nil || sqlDB.Ping() != nil {
			t.Errorf("db.DB(): %v", err)
		}
		check(t, f.db.AutoMigrate(watched...))
	})
}
