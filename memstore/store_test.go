package memstore_test

import (
	"testing"

	"github.com/rowcast/rowcast/conformance"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/memstore"
)

func TestStoreConforms(t *testing.T) {
	conformance.TestStore(t, conformance.Store{
		Register: func(t *testing.T, engine *rowcast.Engine, entity rowcast.Entity) {
			entity.Store = memstore.NewStore()
			if err := engine.Register(entity); err != nil {
				t.Fatal(err)
			}
		},
	})
}
