package main

import (
	"context"
	"embed"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

//go:embed page
var page embed.FS

// contentPolicy keeps the page to its own files: nothing is loaded from, or sent to, another host.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
}

// pageRoutes serve the embedded files, and index.html as /.
func pageRoutes() []route {
	files, err := fs.ReadDir(page, "page")
	if err != nil {
		panic(err) // it is part of the program
	}
	var routes []route
	for _, file := range files {
		routes = append(routes, route{http.MethodGet, "/" + strings.TrimSuffix(file.Name(), "index.html"), pageFile(file.Name())})
	}
	return routes
}

func pageFile(name string) func(context.Context, request) (answer, error) {
	return func(context.Context, request) (answer, error) {
		body, err := page.ReadFile("page/" + name)
		return answer{http.StatusOK, map[string]string{
			"Content-Type":            contentTypes[path.Ext(name)],
			"Cache-Control":           "no-cache",
			"Content-Security-Policy": contentPolicy,
			"X-Content-Type-Options":  "nosniff",
		}, body}, err
	}
}
