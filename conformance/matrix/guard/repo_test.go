package guard_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "github.com/rowcast/rowcast"

// released are the folders of the modules that users get. What else has a go.mod is for us alone.
var released = []string{".", "adapters/echo", "adapters/fiber", "adapters/gin", "adapters/gorm"}

// repository returns the absolute path of the root folder: a test runs in its package's folder.
func repository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func module(dir string) string {
	if dir == "." {
		return root
	}
	return root + "/" + dir
}

// goTool runs the go command in dir and returns its standard output. The module stands alone, as it does for a user,
// unless env says otherwise.
func goTool(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOWORK=off"), env...)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w\n%s", err, exit.Stderr)
		}
		t.Fatalf("go %s in %s: %v", strings.Join(args, " "), dir, err)
	}
	return string(out)
}

// pkg is what the tests need of what go list tells of a package.
type pkg struct {
	ImportPath                         string
	Name                               string
	Imports, TestImports, XTestImports []string
}

func listed(t *testing.T, dir string) (all []pkg) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(goTool(t, filepath.Join(repository(t), dir), nil, "list", "-json=ImportPath,Name,Imports,TestImports,XTestImports", "./...")))
	for {
		var p pkg
		switch err := decoder.Decode(&p); err {
		case nil:
			all = append(all, p)
		case io.EOF:
			return all
		default:
			t.Fatal(err)
		}
	}
}

// modules returns the folders that have a go.mod.
func modules(t *testing.T) (dirs []string) {
	t.Helper()
	walk(t, func(path string) {
		if filepath.Base(path) == "go.mod" {
			dirs = append(dirs, filepath.ToSlash(filepath.Dir(path)))
		}
	})
	return dirs
}

// walk calls visit with the path of each of the repository's files, relative to its root.
func walk(t *testing.T, visit func(path string)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(repository(t)), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "testdata" || entry.Name() == "node_modules"):
			return fs.SkipDir
		case !entry.IsDir():
			visit(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEveryModuleIsKnown(t *testing.T) {
	var work struct{ Use []struct{ DiskPath string } }
	if err := json.Unmarshal([]byte(goTool(t, repository(t), []string{"GOWORK="}, "work", "edit", "-json")), &work); err != nil {
		t.Fatal(err)
	}
	var used []string
	for _, use := range work.Use {
		used = append(used, filepath.ToSlash(filepath.Clean(use.DiskPath)))
	}
	for _, dir := range modules(t) {
		if !slices.Contains(used, dir) {
			t.Errorf("go.work does not use ./%s: go test work leaves it out", dir)
		}
		if strings.HasPrefix(dir, "adapters/") && !slices.Contains(released, dir) {
			t.Errorf("%s is not in this test's list of released modules", dir)
		}
	}
}
