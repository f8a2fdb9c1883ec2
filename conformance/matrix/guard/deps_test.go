package guard_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

func TestTheRootModuleRequiresNothing(t *testing.T) {
	if got := goTool(t, repository(t), nil, "list", "-m", "all"); got != root+"\n" {
		t.Errorf("the root module's build list is\n%swant itself alone", got)
	}
	if sum, err := os.ReadFile(filepath.Join(repository(t), "go.sum")); err == nil && len(sum) > 0 {
		t.Errorf("the root module has a go.sum:\n%s", sum)
	}
}

// TestWhatAUserGets makes the module of a user who imports all packages of a released module, tidies it, and compares
// what came with it to a golden file. That is the one list that cannot be wrong: go.mod names more than a user gets
// (tests), and a package's imports name less (the graph). Versions are left out: they are in go.mod.
func TestWhatAUserGets(t *testing.T) {
	for _, dir := range released {
		t.Run(module(dir), func(t *testing.T) {
			t.Parallel()
			name := strings.ReplaceAll(dir, "/", "-")
			if dir == "." {
				name = "root"
			}
			got := footprint(t, dir)
			golden := filepath.Join("testdata", "deps", name+".txt")
			if *update {
				if err := os.MkdirAll(filepath.Dir(golden), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, got, 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Equal(got, want) {
				return
			}
			before, after := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
			for _, line := range after {
				if !slices.Contains(before, line) {
					t.Errorf("new:  %s", line)
				}
			}
			for _, line := range before {
				if !slices.Contains(after, line) {
					t.Errorf("gone: %s", line)
				}
			}
			t.Errorf("what a user gets has changed. If it must: go test ./conformance/matrix/guard -run TestWhatAUserGets -update")
		})
	}
}

// footprint lists the modules that come with the module in dir, a line each, with how far each one comes in.
func footprint(t *testing.T, dir string) []byte {
	t.Helper()
	consumer := t.TempDir()
	var imports []string
	for _, p := range listed(t, dir) {
		if p.Name != "main" && !strings.Contains(p.ImportPath, "/internal/") {
			imports = append(imports, fmt.Sprintf("import _ %q\n", p.ImportPath))
		}
	}
	write(t, consumer, "go.mod", "module consumer\n\ngo 1.25.0\n\n"+replaces(t))
	write(t, consumer, "main.go", "package main\n\n"+strings.Join(imports, "")+"\nfunc main() {}\n")
	// With the known sums there, tidying asks no checksum server; it removes those that a user would not get.
	if sum, err := os.ReadFile(filepath.Join(repository(t), dir, "go.sum")); err == nil {
		write(t, consumer, "go.sum", string(sum))
	}
	goTool(t, consumer, nil, "mod", "tidy")

	linked := strings.Fields(goTool(t, consumer, []string{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"}, "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "."))
	how := map[string]string{}
	sum, err := os.ReadFile(filepath.Join(consumer, "go.sum"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(sum)) {
		fields := strings.Fields(line)
		switch path := fields[0]; {
		case slices.Contains(linked, path):
			how[path] = "linked"
		case !strings.HasSuffix(fields[1], "/go.mod"):
			how[path] = "loaded"
		case how[path] == "":
			how[path] = "listed"
		}
	}
	text := "# What comes with " + module(dir) + " into a user's go.sum. linked: into a program\n" +
		"# on Linux; loaded: by go mod tidy, for other platforms and the tests of what is linked; listed: its go.mod alone.\n"
	for _, path := range slices.Sorted(maps.Keys(how)) {
		text += how[path] + " " + path + "\n"
	}
	return []byte(text)
}

// replaces returns the lines that put the repository's modules in the place of what a user would download.
func replaces(t *testing.T) (text string) {
	t.Helper()
	for _, dir := range released {
		text += fmt.Sprintf("replace %s => %s\n", module(dir), filepath.Join(repository(t), dir))
	}
	return text
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
