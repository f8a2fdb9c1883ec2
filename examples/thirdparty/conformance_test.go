package httprouterfeed_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/julienschmidt/httprouter"
	"github.com/rowcast/rowcast/conformance"
	"github.com/rowcast/rowcast/core"
	httprouterfeed "github.com/rowcast/rowcast/examples/thirdparty"
)

func TestHTTPRouterConforms(t *testing.T) {
	conformance.TestTransport(t, conformance.Transport{Serve: serve})
}

func serve(t *testing.T, engine *rowcast.Engine, options conformance.ServeOptions) string {
	router := httprouter.New()
	if err := httprouterfeed.Mount(router, "/feed", engine, httprouterfeed.Config{Stream: options.Stream}); err != nil {
		t.Fatal(err)
	}
	router.POST("/feed/write", httprouterfeed.Middleware(engine, func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		options.Write(r.Context())
		w.WriteHeader(http.StatusNoContent)
	}))
	server := httptest.NewUnstartedServer(router)
	server.Config.WriteTimeout = options.ServerWriteTimeout
	server.Config.ReadTimeout, server.Config.IdleTimeout = options.ServerReadTimeout, options.ServerReadTimeout
	server.Start()
	t.Cleanup(server.Close)
	return server.URL + "/feed"
}
