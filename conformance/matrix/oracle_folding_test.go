package matrix_test

import (
	"context"
	"log/slog"
	"testing"

	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"

	rowcastgorm "github.com/rowcast/rowcast/adapters/gorm"
	"github.com/rowcast/rowcast/conformance/matrix"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
	"github.com/rowcast/rowcast/memstore"
)

// TestFilterFoldsOnItsOwnConnection: the first ilike asks which collations there are. In a transaction that holds the
// only connection it must ask on that one.
func TestFilterFoldsOnItsOwnConnection(t *testing.T) {
	for name, open := range map[string]func(*testing.T) gorm.Dialector{
		"postgres": func(t *testing.T) gorm.Dialector { return postgres.Open(matrix.Postgres(t)) },
		"mysql":    func(t *testing.T) gorm.Dialector { return mysql.Open(matrix.MySQL(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			db := must(gorm.Open(open(t), oracleConfig()))
			t.Cleanup(func() { closeDB(t, db) })
			must(db.DB()).SetMaxOpenConns(1)
			engine := must(rowcast.New(memstore.NewLog(memstore.LogConfig{}), rowcast.Config{Logger: slog.New(slog.DiscardHandler)}))
			capture := rowcastgorm.New(engine, rowcastgorm.Config{})
			check(t, db.Use(capture))
			check(t, db.AutoMigrate(&Label{}))
			check(t, capture.Register(db, &Label{}, rowcastgorm.Entity{}))
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			check(t, db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
				if err := tx.Create(&Label{Title: "ÄÖÜ"}).Error; err != nil {
					return err
				}
				var found []Label
				err := tx.Scopes(rowcastgorm.Where(filter.ILike("title", "äö_"))).Find(&found).Error
				if err == nil && len(found) != 1 {
					t.Errorf("found %v", found)
				}
				return err
			}))
		})
	}
}
