package sse_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
	"github.com/rowcast/rowcast/core/sse"
	"github.com/rowcast/rowcast/memstore"
)

func ExampleHandler() {
	engine, err := rowcast.New(memstore.NewLog(memstore.LogConfig{}), rowcast.Config{
		Defaults: rowcast.Settings{Realtime: rowcast.On},
	})
	if err != nil {
		panic(err)
	}
	err = engine.Register(rowcast.Entity{
		Name:       "Card",
		Fields:     []rowcast.Field{{Name: "id", Kind: filter.Int}, {Name: "title", Kind: filter.String}},
		Key:        []string{"id"},
		Filterable: rowcast.AllFields,
		Store:      memstore.NewStore(),
	})
	if err != nil {
		panic(err)
	}
	stream, err := sse.Handler(engine, sse.Config{})
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/realtime", stream)
	server := httptest.NewServer(sse.Middleware(engine)(mux))
	defer server.Close()
	defer engine.Shutdown(context.Background()) // before the server, which would wait for the streams

	// A client.
	response, err := http.Get(server.URL + "/realtime?channel=Card&filter[title][like]=D%25")
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	messages := sse.NewDecoder(response.Body)
	for i := range 2 {
		message, err := messages.Next()
		if err != nil {
			panic(err)
		}
		fmt.Println(message.Event)
		if i == 0 {
			for _, title := range []string{"Emma", "Dune"} {
				input := rowcast.Input{Values: rowcast.Values{"title": title}}
				if _, err := engine.Execute(context.Background(), "Card", rowcast.CreateOne, input); err != nil {
					panic(err)
				}
			}
		}
	}
	// Output:
	// subscribed
	// created
}
