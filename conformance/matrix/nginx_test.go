package matrix

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	rowcastfiber "github.com/rowcast/rowcast/adapters/fiber"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
	"github.com/rowcast/rowcast/core/sse"
	"github.com/rowcast/rowcast/memstore"
)

// nginx with its defaults: it buffers answers, and speaks HTTP/1.0 to what it stands in front of. Only its patience
// with an idle answer is shorter than its 60 s, by the same factor as our heartbeat.
const (
	nginxPatience = time.Second
	heartbeat     = nginxPatience / 4
)

func TestStreamThroughNginx(t *testing.T) {
	options := sse.Options{Heartbeat: heartbeat}
	for name, serve := range map[string]func(*testing.T, *rowcast.Engine, sse.Options) string{"nethttp": serveNetHTTP, "fiber": serveFiber} {
		t.Run(name, func(t *testing.T) {
			engine := proxiedEngine(t)
			proxy := nginx(t, serve(t, engine, options))
			t.Cleanup(func() { _ = engine.Shutdown(context.Background()) })
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, proxy+"/realtime?channel=Card", nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			stream := sse.NewDecoder(response.Body)
			begin := time.Now()
			for i := range 3 {
				// Each comes while nothing follows it that could push it through a buffer.
				m, err := stream.Next()
				if err != nil {
					t.Fatalf("message %d: %v", i, err)
				}
				if want := []string{"subscribed", "created", "created"}[i]; m.Event != want {
					t.Errorf("message %d is %+v, want %s", i, m, want)
				}
				if i == 1 {
					idle := time.NewTimer(2 * nginxPatience) // nothing but heartbeats for longer than nginx would wait
					<-idle.C
				}
				change := rowcast.Change{Entity: "Card", Event: rowcast.Created, After: rowcast.Values{"id": i}}
				if err := engine.Publish(t.Context(), change); err != nil {
					t.Fatal(err)
				}
			}
			if lived := time.Since(begin); lived < 2*nginxPatience {
				t.Errorf("the stream was watched for only %v", lived)
			}
		})
	}
}

func proxiedEngine(t *testing.T) *rowcast.Engine {
	t.Helper()
	engine, err := rowcast.New(memstore.NewLog(memstore.LogConfig{}), rowcast.Config{
		Logger: slog.New(slog.DiscardHandler), Defaults: rowcast.Settings{Realtime: rowcast.On},
	})
	if err != nil {
		t.Fatal(err)
	}
	err = engine.Register(rowcast.Entity{Name: "Card", Fields: []rowcast.Field{{Name: "id", Kind: filter.Int}}, Key: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

func serveNetHTTP(t *testing.T, engine *rowcast.Engine, options sse.Options) string {
	handler, err := sse.Handler(engine, sse.Config{Stream: options})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func serveFiber(t *testing.T, engine *rowcast.Engine, options sse.Options) string {
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	if err := rowcastfiber.Mount(app, "/realtime", engine, rowcastfiber.Config{Stream: options}); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- app.Listener(listener) }()
	t.Cleanup(func() {
		_ = app.Shutdown()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

// nginx starts one in front of the address, and returns its own.
func nginx(t *testing.T, upstream string) string {
	t.Helper()
	path, err := exec.LookPath("nginx")
	if err != nil {
		Missing(t, "nginx", err.Error())
	}
	dir := t.TempDir()
	address := freeAddress(t)
	config := fmt.Sprintf(`daemon off; master_process off; pid %[1]s/pid; error_log stderr;
events {}
http {
	access_log off;
	client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
	server { listen %[2]s; location / { proxy_pass http://%[3]s; proxy_read_timeout %[4]ds; } }
}
`, dir, address, upstream, int(nginxPatience.Seconds()))
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	command := exec.Command(path, "-p", dir, "-c", file)
	command.Stderr = &log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	awaitListener(t, address)
	return "http://" + address
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// awaitListener waits until somebody listens.
func awaitListener(t *testing.T, address string) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			conn.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("nobody listens on %s: %v", address, err)
		}
	}
}
