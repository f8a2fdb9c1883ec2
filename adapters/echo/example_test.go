package rowcastecho_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/labstack/echo/v4"
	rowcastecho "github.com/rowcast/rowcast/adapters/echo"
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

	router := echo.New()
	if err := rowcastecho.Mount(router, "/realtime", engine, rowcastecho.Config{}); err != nil {
		panic(err)
	}
	answer := httptest.NewRecorder()
	router.ServeHTTP(answer, httptest.NewRequest(http.MethodHead, "/realtime?channel=Card", nil))
	fmt.Println(answer.Code, answer.Header().Get("Content-Type"))
	// Output: 200 text/event-stream
}
