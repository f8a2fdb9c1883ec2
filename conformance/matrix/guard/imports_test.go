package guard_test

import (
	"slices"
	"strings"
	"testing"
)

// mayImport tells of each released package which of ours it may import: docs and design say the same in prose. A path
// that ends in a slash stands for all below it. A package that is not here has not been thought about.
var mayImport = map[string][]string{
	"core/filter":         {},
	"core/internal/queue": {},
	"core/internal/index": {"core/filter"},
	"core":                {"core/filter", "core/internal/"},
	"core/sse":            {"core", "core/filter"},
	"memstore":            {"core", "core/filter"},
	// memstore is the log and the store of its fixtures.
	"conformance": {"core", "core/filter", "core/sse", "memstore"},
	// No internal package and no other adapter: they prove that the public packages suffice for somebody else's.
	"adapters/echo":  {"core", "core/filter", "core/sse"},
	"adapters/fiber": {"core", "core/filter", "core/sse"},
	"adapters/gin":   {"core", "core/filter", "core/sse"},
	"adapters/gorm":  {"core", "core/filter"},
}

func TestImportsPointDown(t *testing.T) {
	for _, dir := range released {
		for _, p := range listed(t, dir) {
			name := strings.TrimPrefix(p.ImportPath, root+"/")
			allowed, known := mayImport[name]
			if !known {
				t.Errorf("package %s has no rule in this test", name)
			}
			for _, path := range p.Imports {
				if ours, ok := strings.CutPrefix(path, root+"/"); ok && !matches(allowed, ours) {
					t.Errorf("%s imports %s; it may import %v", name, ours, allowed)
				}
			}
		}
	}
}

func TestWhatReleasedModulesNeverImport(t *testing.T) {
	for _, dir := range released {
		for _, p := range listed(t, dir) {
			// A test of a released module is in its go.mod too, and so in the user's module graph.
			for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
				ours, isOurs := strings.CutPrefix(path, root+"/")
				host, _, _ := strings.Cut(path, "/")
				switch {
				case strings.Contains(path, "testify"):
					t.Errorf("%s imports %s", p.ImportPath, path)
				case isOurs && strings.HasPrefix(dir, "adapters/") && ours != dir && (strings.Contains(ours, "internal") || strings.HasPrefix(ours, "adapters/")):
					t.Errorf("%s, or a test of it, imports %s", p.ImportPath, ours)
				case isOurs && (strings.HasPrefix(ours, "examples") || strings.HasPrefix(ours, "conformance/matrix")):
					t.Errorf("%s, or a test of it, imports %s, which is not released", p.ImportPath, ours)
				case dir == "." && !isOurs && strings.Contains(host, "."):
					t.Errorf("%s imports %s: the root module has the standard library only", p.ImportPath, path)
				}
			}
		}
	}
}

func matches(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		return path == pattern || strings.HasSuffix(pattern, "/") && strings.HasPrefix(path, pattern)
	})
}
