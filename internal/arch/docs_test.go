package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	quoted    = regexp.MustCompile("`[^`\n]+`")
	qualified = regexp.MustCompile(`^[A-Za-z]+(\.[A-Z][A-Za-z0-9]*)+$`)
	located   = regexp.MustCompile(`^[a-z]+/[A-Za-z0-9._/-]*$`)
)

func TestWhatTheDocsNameExists(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	names, seen := declared(t, root), 0
	for doc, text := range readDocs(t, root, "*.md", "docs/*.md", "docs/*/*.md") {
		for _, q := range quoted.FindAllString(text, -1) {
			q = strings.Trim(q, "`")
			first, _, _ := strings.Cut(q, "/")
			switch {
			case qualified.MatchString(q) && !strings.HasPrefix(q, "encoding."):
				seen++
				if !names[q] {
					t.Errorf("%s names %s, which is not declared", doc, q)
				}
			case located.MatchString(q) && (slices.Contains([]string{"cmd", "internal", "docs", "scripts", "testdata"}, first) || table[first] != nil) && q != "testdata/formats":
				seen++
				if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(q))); err != nil {
					t.Errorf("%s names a place that is not there: %v", doc, err)
				}
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d names found in the docs", seen)
	}
}

// readDocs returns the text of each document that a pattern below root matches, by its path.
func readDocs(t *testing.T, root string, patterns ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range patterns {
		docs, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range docs {
			text, err := os.ReadFile(doc)
			if err != nil {
				t.Fatal(err)
			}
			all[doc] = string(text)
		}
	}
	return all
}

// declared returns what the packages of the table declare, tests apart: pkg.Name, pkg.Type.Member and Type.Member.
func declared(t *testing.T, root string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for pkg := range table {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pkg), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		add := func(parts ...string) {
			names[path.Base(pkg)+"."+strings.Join(parts, ".")] = true
			if len(parts) > 1 {
				names[strings.Join(parts, ".")] = true
			}
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Recv == nil {
						add(d.Name.Name)
					} else if of := receiver(d.Recv.List[0].Type); of != "" {
						add(of, d.Name.Name)
					}
				case *ast.GenDecl:
					for _, s := range d.Specs {
						declare(s, add)
					}
				}
			}
		}
	}
	return names
}

func declare(s ast.Spec, add func(...string)) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			add(n.Name)
		}
	case *ast.TypeSpec:
		add(s.Name.Name)
		var members *ast.FieldList
		switch of := s.Type.(type) {
		case *ast.StructType:
			members = of.Fields
		case *ast.InterfaceType:
			members = of.Methods
		default:
			return
		}
		for _, m := range members.List {
			for _, n := range m.Names {
				add(s.Name.Name, n.Name)
			}
		}
	}
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
