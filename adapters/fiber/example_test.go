package rowcastfiber_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/gofiber/fiber/v2"
	rowcastfiber "github.com/rowcast/rowcast/adapters/fiber"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
	"github.com/rowcast/rowcast/memstore"
)

func ExampleMount() {
	engine, err := rowcast.New(memstore.NewLog(memstore.LogConfig{}), rowcast.Config{
		Defaults: rowcast.Settings{Realtime: rowcast.On},
	})
	if err != nil {
		panic(err)
	}
	err = engine.Register(rowcast.Entity{
		Name:   "Card",
		Fields: []rowcast.Field{{Name: "id", Kind: filter.Int}, {Name: "title", Kind: filter.String}},
		Key:    []string{"id"},
	})
	if err != nil {
		panic(err)
	}
	app := fiber.New()
	app.Use(rowcastfiber.Middleware(engine))
	if err := rowcastfiber.Mount(app, "/realtime", engine, rowcastfiber.Config{}); err != nil {
		panic(err)
	}
	// A stream needs a real connection; its headers do not.
	answer, err := app.Test(httptest.NewRequest(http.MethodHead, "/realtime?channel=Card", nil))
	if err != nil {
		panic(err)
	}
	fmt.Println(answer.StatusCode, answer.Header.Get("Content-Type"))
	// Output: 200 text/event-stream
}
