package matrix_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	rowcastgorm "github.com/rowcast/rowcast/adapters/gorm"
	"github.com/rowcast/rowcast/conformance"
	"github.com/rowcast/rowcast/core"
)

// The models of conformance.StoreEntities.
type (
	storeCard struct {
		ID        uint64         `json:"id"`
		Title     string         `json:"title"`
		Points    int32          `json:"points"`
		Note      *string        `json:"note"`
		Due       *time.Time     `json:"due"`
		Secret    string         `json:"secret"`
		DeletedAt gorm.DeletedAt `json:"deletedAt"`
		Weight    float64        `json:"weight"`
	}
	storeLine struct {
		Order int64  `json:"order" gorm:"primaryKey;autoIncrement:false"`
		SKU   string `json:"sku" gorm:"primaryKey"`
		Title string `json:"title"`
	}
)

func storeModel(name string) any {
	if name == "Card" {
		return &storeCard{}
	}
	return &storeLine{}
}

func TestGORMStore(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		var dsn string // of the case; the first of its entities brings an empty database
		open := func(t *testing.T, entity rowcast.Entity) *gorm.DB {
			t.Helper()
			if entity.Name == conformance.StoreEntities()[0].Name {
				dsn = s.dsn()
			}
			db, err := gorm.Open(s.open(dsn), &gorm.Config{Logger: logger.Discard})
			check(t, err)
			t.Cleanup(func() { closeDB(t, db) })
			check(t, db.AutoMigrate(storeModel(entity.Name)))
			return db
		}
		t.Run("alone", func(t *testing.T) {
			conformance.TestStore(t, conformance.Store{Register: func(t *testing.T, engine *rowcast.Engine, entity rowcast.Entity) {
				entity.Store = rowcastgorm.NewStore(open(t, entity), storeModel(entity.Name))
				check(t, engine.Register(entity))
			}})
		})
		t.Run("with the plugin", func(t *testing.T) {
			conformance.TestStore(t, conformance.Store{Register: func(t *testing.T, engine *rowcast.Engine, entity rowcast.Entity) {
				db, capture := open(t, entity), rowcastgorm.New(engine, rowcastgorm.Config{})
				check(t, db.Use(capture))
				var view rowcast.View
				for _, field := range entity.Fields {
					if !field.Hidden {
						view.Fields = append(view.Fields, field.Name)
					}
				}
				check(t, capture.Register(db, storeModel(entity.Name), rowcastgorm.Entity{Name: entity.Name, Settings: entity.Settings, View: view}))
			}})
		})
	})
}

// TestGORMStoreAndPlugin shows that an operation over GORM is told once, as the operation has it, and what its
// handler writes besides as it is.
func TestGORMStoreAndPlugin(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		var f *feed
		f = newFeed(t, s, options{entity: func(model any) rowcastgorm.Entity {
			entity := rowcastgorm.Entity{Filterable: rowcast.AllFields}
			if _, ok := model.(*Card); ok {
				entity.Operations = map[string]rowcast.Operation{
					"finishOne": {Kind: rowcast.Write, Cardinality: rowcast.One, Event: rowcast.Updated, Handler: func(ctx context.Context, call rowcast.Call) (rowcast.Values, error) {
						db := f.db.WithContext(ctx)
						return nil, db.Transaction(func(tx *gorm.DB) error {
							if err := tx.Model(&Card{}).Where("id = ?", call.ID).Update("status", "done").Error; err != nil {
								return err
							}
							return tx.Create(&Label{Title: "finished"}).Error
						})
					}},
				}
			}
			return entity
		}})
		f.watch()
		ctx := context.Background()
		execute := func(operation, id string, values rowcast.Values) {
			t.Helper()
			_, err := f.engine.Execute(ctx, "Card", operation, rowcast.Input{ID: id, Values: values})
			check(t, err)
		}
		execute(rowcast.CreateOne, "", rowcast.Values{"title": "a", "status": ""}) // zero, where the column has a default
		execute(rowcast.PatchOne, "1", rowcast.Values{"title": "a"})
		execute(rowcast.UpdateOne, "1", rowcast.Values{"title": "b", "status": "doing"})
		execute("finishOne", "1", rowcast.Values{"status": "done"})
		execute(rowcast.DeleteOne, "1", nil)
		execute(rowcast.RestoreOne, "1", nil)
		f.expect("created Card.1 a", "patched Card.1 a: title updatedAt", "updated Card.1 b: title status updatedAt", "updated Card.1 b: status updatedAt",
			"created Label.1 finished", "deleted Card.1", "restored Card.1 b")
		var card Card
		check(t, f.db.Take(&card, 1).Error)
		if card.Status != "done" || card.CreatedAt.IsZero() {
			t.Errorf("the row is %+v", card)
		}

		check(t, f.db.Create(&Line{0, "a", "zero"}).Error)
		check(t, f.db.Create(&Line{1, "a", "one"}).Error)
		_, err := f.engine.Execute(ctx, "Line", rowcast.PatchOne, rowcast.Input{ID: "0,a", Values: rowcast.Values{"title": "patched"}})
		check(t, err)
		f.expect("created Line.0,a zero", "created Line.1,a one", "patched Line.0,a patched: title")
		var other Line
		if check(t, f.db.Take(&other, &Line{Order: 1, SKU: "a"}).Error); other.Title != "one" {
			t.Errorf("the row 1,a is %+v: GORM leaves out parts of a key that are zero", other)
		}
	})
}

func TestGORMStoreRefuses(t *testing.T) {
	engine, db := newEngine(t), openSQLite(t, gorm.Config{})
	entity := conformance.StoreEntities()[0]
	entity.Fields = append(entity.Fields, rowcast.Field{Name: "nope", Kind: entity.Fields[1].Kind})
	entity.Fields[1].Kind = entity.Fields[4].Kind // a time where the model has text
	entity.SoftDelete = ""
	entity.Store = rowcastgorm.NewStore(db, &storeCard{})
	err := engine.Register(entity)
	for _, what := range []string{"fields.nope", "fields.title", "softDelete"} {
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("the refusal does not name %s: %v", what, err)
		}
	}
}

// TestGORMStoreFilter shows that a list takes a filter as subscriptions do.
func TestGORMStoreFilter(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		f := newFeed(t, s, options{})
		seed(t, f.db)
		expr, err := f.engine.ParseFilter("Label", "filter[title][eq]=red")
		check(t, err)
		rows, err := f.engine.ExecuteMany(context.Background(), "Label", rowcast.ReadMany, rowcast.Input{Filter: expr})
		if check(t, err); len(rows) != 1 || rows[0]["title"] != "red" {
			t.Errorf("the list is %v", rows)
		}
	})
}
