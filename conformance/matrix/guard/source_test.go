package guard_test

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestNoGlobalState: what an application has configured lives in its engine, so that two engines in one process, or
// two tests, know nothing of each other. So a released package has no init function, and its variables keep the value
// of their declaration.
func TestNoGlobalState(t *testing.T) {
	for _, dir := range released {
		loaded, err := packages.Load(&packages.Config{
			Context: t.Context(),
			Dir:     filepath.Join(repository(t), dir),
			Env:     append(os.Environ(), "GOWORK=off"),
			Mode:    packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports,
		}, "./...")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range loaded {
			for _, problem := range p.Errors {
				t.Errorf("%s: %v", p.PkgPath, problem)
			}
			for _, file := range p.Syntax {
				ast.Inspect(file, func(node ast.Node) bool {
					inspect(t, p, node)
					return true
				})
			}
		}
	}
}

func inspect(t *testing.T, p *packages.Package, node ast.Node) {
	report := func(at token.Pos, format string, a ...any) {
		t.Helper()
		position := p.Fset.Position(at)
		t.Errorf("%s:%d: "+format, append([]any{position.Filename, position.Line}, a...)...)
	}
	written := func(target ast.Expr) {
		if name := global(p, target); name != nil {
			report(target.Pos(), "writes the package's variable %s", name.Name())
		}
	}
	switch node := node.(type) {
	case *ast.FuncDecl:
		if node.Recv == nil && node.Name.Name == "init" {
			report(node.Pos(), "an init function")
		}
	case *ast.AssignStmt:
		for _, target := range node.Lhs {
			written(target)
		}
	case *ast.IncDecStmt:
		written(node.X)
	case *ast.CallExpr:
		// delete(m, k), clear(m), and the methods of a lock, an atomic or a sync.Map.
		switch called := ast.Unparen(node.Fun).(type) {
		case *ast.Ident:
			if _, builtin := p.TypesInfo.Uses[called].(*types.Builtin); builtin && (called.Name == "delete" || called.Name == "clear") {
				written(node.Args[0])
			}
		case *ast.SelectorExpr:
			if name := global(p, called.X); name != nil && strings.HasPrefix(strings.TrimPrefix(name.Type().String(), "*"), "sync") {
				// sync.Pool keeps nothing that anybody could see.
				if name.Type().String() != "sync.Pool" {
					report(node.Pos(), "the package's variable %s is state", name.Name())
				}
			}
		}
	}
}

// global returns the package-level variable of which expr is a part, or nil.
func global(p *packages.Package, expr ast.Expr) *types.Var {
	for {
		switch e := expr.(type) {
		case *ast.ParenExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.StarExpr:
			expr = e.X
		case *ast.SelectorExpr:
			if _, selects := p.TypesInfo.Selections[e]; !selects {
				v, _ := p.TypesInfo.Uses[e.Sel].(*types.Var) // another package's
				return v
			}
			expr = e.X
		case *ast.Ident:
			v, _ := p.TypesInfo.Uses[e].(*types.Var)
			if v != nil && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
				return v
			}
			return nil
		default:
			return nil
		}
	}
}

// maxLines is the length up to which a file is read as one thought. longer names the files that may be longer, with
// the reason.
const maxLines = 400

var longer = map[string]string{}

func TestFilesStayShort(t *testing.T) {
	walk(t, func(path string) {
		if filepath.Ext(path) != ".go" || longer[path] != "" {
			return
		}
		limit := maxLines
		if strings.HasSuffix(path, "_test.go") {
			limit = 2 * maxLines // a table of cases may be long
		}
		text, err := os.ReadFile(filepath.Join(repository(t), path))
		if err != nil {
			t.Fatal(err)
		}
		if lines := bytes.Count(text, []byte("\n")); lines > limit {
			t.Errorf("%s has %d lines; the limit is %d", path, lines, limit)
		}
	})
}
