package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// barredWords are private words for things that have a standard term, see docs/glossary.md.
var barredWords = []string{
	"bell", "climb", "exhibit", "house", "ink", "judge", "judges", "mend", "mended", "scribe", "standing", "stranger", "strangers",
	"unasked", "whoever", "nobody", "somebody", "world",
}

// sharedNames may be defined any number of times: methods that the Go standard library and its interfaces name, and
// what every program has.
var sharedNames = []string{
	"main", "init", "run", "close", "error", "read", "write", "string", "len", "next", "less", "swap", "push", "pop",
}

// mostShared is how many functions may have the same one-word name.
const mostShared = 3

var oneWord = regexp.MustCompile(`^[a-z]+$`)

func TestNoIdentifierHasABarredWord(t *testing.T) {
	t.Parallel()
	checked := 0
	for file, f := range parseFiles(t) {
		checked++
		found := map[string]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && !found[id.Name] {
				for _, w := range splitWords(id.Name) {
					if slices.Contains(barredWords, w) {
						found[id.Name] = true
						t.Errorf("%s: %s contains the barred word %q", file, id.Name, w)
					}
				}
			}
			return true
		})
	}
	if checked < 100 {
		t.Errorf("only %d files were checked", checked)
	}
}

func TestNoOneWordNameIsDefinedInManyPlaces(t *testing.T) {
	t.Parallel()
	places := map[string][]string{}
	for file, f := range parseFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && oneWord.MatchString(d.Name.Name) && !slices.Contains(sharedNames, d.Name.Name) {
				places[d.Name.Name] = append(places[d.Name.Name], file)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(places)) {
		if at := places[name]; len(at) > mostShared {
			slices.Sort(at)
			t.Errorf("%d functions are called %s; name what each does: %s", len(at), name, strings.Join(at, " "))
		}
	}
	if len(places) == 0 {
		t.Error("no function was read")
	}
}

// parseFiles parses all Go files of the packages in the table, by their path.
func parseFiles(t *testing.T) map[string]*ast.File {
	t.Helper()
	root := filepath.Join("..", "..")
	files := map[string]*ast.File{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "testdata" || e.Name() == "node_modules" || strings.HasPrefix(e.Name(), ".") && path != root) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		files[rel], err = parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// splitWords returns the words of an identifier in lower case: "readXRefStream" has read, x, ref, stream.
func splitWords(name string) []string {
	var words []string
	start := 0
	runes := []rune(name)
	for i := 1; i <= len(runes); i++ {
		if i == len(runes) || unicode.IsUpper(runes[i]) && !unicode.IsUpper(runes[i-1]) || runes[i] == '_' {
			words = append(words, strings.ToLower(strings.Trim(string(runes[start:i]), "_")))
			start = i
		}
	}
	return words
}
