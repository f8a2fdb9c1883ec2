package rowcastgin_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/gin-gonic/gin"
	rowcastgin "github.com/rowcast/rowcast/adapters/gin"
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
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	if err := rowcastgin.Mount(router, "/realtime", engine, rowcastgin.Config{}); err != nil {
		panic(err)
	}
	answer := httptest.NewRecorder()
	router.ServeHTTP(answer, httptest.NewRequest(http.MethodHead, "/realtime?channel=Card", nil))
	fmt.Println(answer.Code, answer.Header().Get("Content-Type"))
	// Output: 200 text/event-stream
}
