package rowcastgorm_test

import (
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/utils/tests"

	rowcastgorm "github.com/rowcast/rowcast/adapters/gorm"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/memstore"
)

// Task is an application's model.
type Task struct {
	ID        uint           `json:"id"`
	Title     string         `json:"title"`
	State     string         `json:"state"`
	Secret    string         `json:"-"`
	DeletedAt gorm.DeletedAt `json:"-"`
}

// An application adds the plugin to its database and registers the models that it feeds.
func Example() {
	db, err := gorm.Open(tests.DummyDialector{}, &gorm.Config{}) // yours: postgres.Open, sqlite.Open, …
	if err != nil {
		panic(err)
	}
	engine, err := rowcast.New(memstore.NewLog(memstore.LogConfig{}), rowcast.Config{
		Defaults: rowcast.Settings{Realtime: rowcast.On},
	})
	if err != nil {
		panic(err)
	}

	capture := rowcastgorm.New(engine, rowcastgorm.Config{})
	err = capture.Register(db, &Task{}, rowcastgorm.Entity{
		Filterable: rowcast.AllFields,
		Enums:      map[string][]string{"state": {"open", "done"}},
		Settings:   rowcast.Settings{SubscribableFields: rowcast.Except("state")},
	})
	if err != nil {
		panic(err)
	}
	if err := db.Use(capture); err != nil {
		panic(err)
	}
	fmt.Println("every committed write on Task is told")
	// Output: every committed write on Task is told
}

// What cannot be registered is refused with every reason at once.
func ExampleCapture_Register_refused() {
	db, err := gorm.Open(tests.DummyDialector{}, &gorm.Config{})
	if err != nil {
		panic(err)
	}
	engine, err := rowcast.New(memstore.NewLog(memstore.LogConfig{}), rowcast.Config{})
	if err != nil {
		panic(err)
	}
	err = rowcastgorm.New(engine, rowcastgorm.Config{}).Register(db, &Task{}, rowcastgorm.Entity{
		Filterable: rowcast.Only("title", "titel"),
		Enums:      map[string][]string{"status": {"open", "done"}},
	})
	fmt.Println(err)
	// Output:
	// entities.Task.enums.status: no field of the model
	// entities.Task.filterable: "titel" is no public field; the public fields are id, state, title
}
