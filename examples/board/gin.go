package main

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	rowcastgin "github.com/rowcast/rowcast/adapters/gin"
)

// newGin serves the board with Gin.
func newGin(app *app) (server, error) {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.Use(gin.Recovery(), rowcastgin.Middleware(app.engine))
	router.HandleMethodNotAllowed = true
	for _, route := range app.routes {
		path := strings.NewReplacer("{", ":", "}", "").Replace(route.path)
		router.Handle(route.method, path, ginHandler(app, route))
	}
	router.NoRoute(ginHandler(app, route{handle: noRoute}))
	router.NoMethod(ginHandler(app, route{handle: noMethod}))
	if err := rowcastgin.Mount(router, streamPath, app.engine, rowcastgin.Config{}); err != nil {
		return nil, err
	}
	return newHTTPServer(router), nil
}

func ginHandler(app *app, route route) gin.HandlerFunc {
	return func(c *gin.Context) {
		answer := app.answer(c.Request.Context(), route, request{
			id:    c.Param("id"),
			query: c.Request.URL.RawQuery,
			body:  http.MaxBytesReader(c.Writer, c.Request.Body, maxBody),
		})
		for name, value := range answer.header {
			c.Header(name, value)
		}
		c.Data(answer.status, answer.header["Content-Type"], answer.body)
	}
}
