package guard_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rowcast/rowcast/core/sse"
)

// quickStart is the README's first block of Go.
var quickStart = regexp.MustCompile("(?s)```go\n(.*?)```")

// TestTheREADMEsProgramRuns pastes the program of the README's first screen into a new module, builds and starts it,
// and sees a card that is posted to /cards come out of the stream at /realtime.
func TestTheREADMEsProgramRuns(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(repository(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := quickStart.FindSubmatch(readme)
	if found == nil {
		t.Fatal("README.md has no ```go block")
	}
	program := string(found[1])
	const address = `":8080"`
	if !strings.Contains(program, address) {
		t.Fatalf("the program does not listen on %s", address)
	}
	free := freeAddress(t)
	program = strings.ReplaceAll(program, address, fmt.Sprintf("%q", free))

	dir := t.TempDir()
	write(t, dir, "main.go", program)
	write(t, dir, "go.mod", "module quickstart\n\ngo 1.25.0\n\n"+replaces(t)+requires(t, program))
	write(t, dir, "go.sum", sums(t))
	goTool(t, dir, nil, "mod", "tidy")
	binary := filepath.Join(dir, "quickstart")
	goTool(t, dir, nil, "build", "-o", binary, ".")
	start(t, binary)

	base := "http://" + free
	stream := open(t, base+"/realtime?channel=Card")
	if message := stream.next(t); message.Event != "subscribed" {
		t.Fatalf("the stream begins with %+v, want subscribed", message)
	}
	card := post(t, base+"/cards", `{"title":"from the README"}`)
	message := stream.next(t)
	if message.Event != "created" {
		t.Fatalf("the stream says %+v, want created", message)
	}
	if !strings.Contains(message.Data, `"from the README"`) {
		t.Errorf("the event is %s, without the card %s", message.Data, card)
	}
}

// messages reads a stream. Its body is closed when the test ends, which ends a read that waits.
type messages struct{ decoder *sse.Decoder }

func open(t *testing.T, url string) messages {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	// The program has just been started: its port opens in a moment.
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept", "text/event-stream")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			select {
			case <-ctx.Done():
				t.Fatal(err)
			case <-time.After(50 * time.Millisecond):
				continue
			}
		}
		t.Cleanup(func() { response.Body.Close() })
		if response.StatusCode != http.StatusOK {
			body, _ := io.ReadAll(response.Body)
			t.Fatalf("GET %s: %s\n%s", url, response.Status, body)
		}
		return messages{sse.NewDecoder(response.Body)}
	}
}

func (m messages) next(t *testing.T) sse.Message {
	t.Helper()
	message, err := m.decoder.Next()
	if err != nil {
		t.Fatal(err)
	}
	return message
}

func post(t *testing.T, url, body string) []byte {
	t.Helper()
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode/100 != 2 {
		t.Fatalf("POST %s: %s\n%s", url, response.Status, answer)
	}
	return answer
}

// start runs the program until the test ends, and logs what it wrote if the test has failed.
func start(t *testing.T, binary string) {
	t.Helper()
	var output bytes.Buffer
	cmd := exec.Command(binary)
	cmd.Dir = filepath.Dir(binary)
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the program wrote:\n%s", output.Bytes())
		}
	})
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

// requires pins what the program imports from others to the versions that the workspace has, so that the test's
// result does not change with what somebody releases tomorrow.
func requires(t *testing.T, program string) string {
	t.Helper()
	versions := map[string]string{}
	for line := range strings.Lines(goTool(t, repository(t), []string{"GOWORK="}, "list", "-m", "all")) {
		if fields := strings.Fields(line); len(fields) >= 2 && !strings.HasPrefix(fields[0], root) {
			versions[fields[0]] = fields[1]
		}
	}
	var text string
	for _, path := range slices.Sorted(maps.Keys(versions)) {
		if strings.Contains(program, `"`+path+`"`) || strings.Contains(program, `"`+path+`/`) {
			text += "require " + path + " " + versions[path] + "\n"
		}
	}
	return text
}

// sums returns the check sums that the repository knows: tidying keeps the ones that the program needs.
func sums(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, dir := range modules(t) {
		text, err := os.ReadFile(filepath.Join(repository(t), dir, "go.sum"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
