package text

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"segel/internal/contract"
)

func TestBothLanguagesNameTheSameArguments(t *testing.T) {
	t.Parallel()
	for code, w := range sentences {
		id, en := argumentNames(w.id), argumentNames(w.en)
		slices.Sort(id)
		slices.Sort(en)
		if !slices.Equal(id, en) {
			t.Errorf("%s: Indonesian names %v, English %v", code, id, en)
		}
		for _, s := range []string{w.id, w.en} {
			if strings.TrimSpace(s) != s || s == "" {
				t.Errorf("%s: %q is empty or has spaces about it", code, s)
			}
			if strings.Count(s, "{") != strings.Count(s, "}") || strings.Count(s, "[") != strings.Count(s, "]") {
				t.Errorf("%s: %q leaves a brace open", code, s)
			}
		}
	}
}

func TestEveryStateStampEventFindingAndPeriodHasALabel(t *testing.T) {
	t.Parallel()
	var want []string
	for _, s := range contract.States {
		want = append(want, "status."+string(s))
		if s != contract.Processing {
			want = append(want, "description."+string(s))
		}
	}
	periods := stringConstants(t, "../store", "Period")
	if len(periods) < 5 {
		t.Fatalf("only %d periods found", len(periods))
	}
	for _, p := range periods {
		want = append(want, "periode."+p)
	}
	for _, r := range contract.AccountRoles {
		want = append(want, "role."+string(r))
	}
	types := stringConstants(t, "../contract", "EventType")
	if len(types) < 20 {
		t.Fatalf("only %d types of event found", len(types))
	}
	for _, e := range types {
		want = append(want, "event."+e)
		if !slices.Contains(contract.EventTypes, contract.EventType(e)) {
			t.Errorf("%s cannot be chosen: it is not in contract.EventTypes", e)
		}
	}
	for _, f := range contract.Factors {
		want = append(want, "authenticated."+string(f))
	}
	for _, p := range contract.EmbedPurposes {
		want = append(want, "purpose."+string(p))
	}
	for _, k := range contract.LoginKinds {
		want = append(want, "login_kind."+string(k))
	}
	for _, k := range stringConstants(t, "../contract", "DifferenceKind") {
		want = append(want, "reconciliation."+k)
	}
	found := stringConstants(t, "../contract", "FindingCode")
	if len(found) < 10 {
		t.Fatalf("only %d kinds of finding found", len(found))
	}
	want = append(want, found...)
	for _, code := range want {
		if _, ok := sentences[code]; !ok {
			t.Errorf("%s has no sentence", code)
		}
	}
}

func TestEveryCodeInTheProjectHasASentenceAndGivesItsArguments(t *testing.T) {
	t.Parallel()
	uses := findCodes(t, "../..")
	if len(uses) < 60 {
		t.Fatalf("only %d uses of codes found", len(uses))
	}
	for _, u := range uses {
		w, ok := sentences[u.code]
		if !ok {
			t.Errorf("%s: %s has no sentence", u.where, u.code)
			continue
		}
		if u.open {
			continue
		}
		for _, name := range requiredArguments(w.id) {
			if !slices.Contains(u.args, name) {
				t.Errorf("%s: %s names {%s}, which is not given here", u.where, u.code, name)
			}
		}
	}
}

func TestEverySentenceIsSpokenSomewhere(t *testing.T) {
	t.Parallel()
	literals := map[string]bool{}
	eachSource(t, "../..", func(_ *token.FileSet, path string, f *ast.File) {
		if strings.HasPrefix(filepath.Base(path), "catalogue") {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok {
				if s, ok := stringLiteral([]ast.Expr{l}, 0); ok {
					literals[s] = true
				}
			}
			return true
		})
	})
	for code := range sentences {
		kind, rest, _ := strings.Cut(code, ".")
		made := slices.Contains([]string{"status", "description", "periode", "event", "reconciliation", "role", "authenticated", "purpose", "capacity", "login_kind"}, kind) // of a constant's value
		if !literals[code] && !(made && literals[rest]) {
			t.Errorf("%s is spoken nowhere", code)
		}
	}
}

// requiredArguments returns the arguments that a sentence needs: those outside brackets.
func requiredArguments(s string) []string {
	return argumentNames(regexp.MustCompile(`\[[^]]*\]`).ReplaceAllString(s, ""))
}

// use is one use of a code in the program.
type use struct {
	where string // file and line
	code  string
	args  []string
	open  bool // arguments may be given elsewhere
}

var codeLike = regexp.MustCompile(`^[a-z]+(\.[a-z0-9_]+)+$`)

// findCodes finds every code in the sources under root: in calls that take one, and in the member Code of a
// composite literal.
func findCodes(t *testing.T, root string) []use {
	t.Helper()
	var found []use
	eachSource(t, root, func(files *token.FileSet, _ string, f *ast.File) {
		// A refusal in a variable gets its arguments where it is used.
		kept := map[ast.Node]bool{}
		// What With(...) adds to the call before the dot.
		with := map[ast.Node][]string{}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for _, v := range n.Values {
					ast.Inspect(v, func(n ast.Node) bool { kept[n] = true; return true })
				}
			case *ast.CallExpr:
				collectWith(n, with)
				if u, ok := parseCall(n); ok {
					u.where, u.open = files.Position(n.Pos()).String(), u.open || kept[n]
					u.args = append(u.args, with[n]...)
					found = append(found, u)
				}
			case *ast.CompositeLit:
				if u, ok := parseLiteral(n); ok {
					u.where, u.open = files.Position(n.Pos()).String(), u.open || kept[n]
					found = append(found, u)
				}
			}
			return true
		})
	})
	return found
}

// eachSource calls do with every source under root except tests.
func eachSource(t *testing.T, root string, do func(files *token.FileSet, path string, f *ast.File)) {
	t.Helper()
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "testdata" || e.Name() == "node_modules" || e.Name() == ".git") {
			return filepath.SkipDir
		}
		if e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		do(files, path, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// collectWith passes the argument name of x.With("name", v) on to x, also through WithRetry and WithCause.
func collectWith(n *ast.CallExpr, with map[ast.Node][]string) {
	s, ok := n.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	inner, ok := s.X.(*ast.CallExpr)
	if !ok {
		return
	}
	switch s.Sel.Name {
	case "With":
		if name, ok := stringLiteral(n.Args, 0); ok {
			with[inner] = append(with[inner], name)
		}
		fallthrough
	case "WithRetry", "WithCause":
		with[inner] = append(with[inner], with[n]...)
	}
}

// parseCall recognises Refuse(kind, code), add and NewFieldError(field, code, name, value, ...), Sentence(language,
// code, args), and say and note, which take the code first.
func parseCall(n *ast.CallExpr) (use, bool) {
	name := ""
	switch f := n.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	if name == "say" || name == "note" {
		code, ok := stringLiteral(n.Args, 0)
		return use{code: code, open: true}, ok && codeLike.MatchString(code)
	}
	code, ok := stringLiteral(n.Args, 1)
	if !ok || !codeLike.MatchString(code) {
		return use{}, false
	}
	switch name {
	case "Refuse":
		return use{code: code}, true
	case "Sentence":
		return use{code: code, open: true}, true
	case "add", "NewFieldError":
		u := use{code: code, open: n.Ellipsis.IsValid()}
		for i := 2; i < len(n.Args); i += 2 {
			if arg, ok := stringLiteral(n.Args, i); ok {
				u.args = append(u.args, arg)
			}
		}
		return u, true
	}
	return use{}, false
}

// parseLiteral recognises Error{Code: code, Args: ...} and similar literals.
func parseLiteral(n *ast.CompositeLit) (use, bool) {
	var u use
	for _, e := range n.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, ok := kv.Key.(*ast.Ident)
		if !ok {
			continue
		}
		switch key.Name {
		case "Code":
			u.code, _ = stringLiteral([]ast.Expr{kv.Value}, 0)
		case "Args":
			m, ok := kv.Value.(*ast.CompositeLit)
			if !ok {
				u.open = true
				continue
			}
			for _, e := range m.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if name, ok := stringLiteral([]ast.Expr{kv.Key}, 0); ok {
						u.args = append(u.args, name)
					}
				}
			}
		}
	}
	return u, codeLike.MatchString(u.code)
}

// stringLiteral returns the string literal at i.
func stringLiteral(args []ast.Expr, i int) (string, bool) {
	if i >= len(args) {
		return "", false
	}
	l, ok := args[i].(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}

// stringConstants returns the values of the string constants of a type in a package.
func stringConstants(t *testing.T, dir, typ string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok {
				if id, ok := v.Type.(*ast.Ident); ok && id.Name == typ {
					if s, ok := stringLiteral(v.Values, 0); ok {
						values = append(values, s)
					}
				}
			}
			return true
		})
	}
	return values
}
