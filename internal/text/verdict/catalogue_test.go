package verdict

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
	"segel/pdf/inspect"
)

// validation is the folder of the package whose codes have sentences here.
const validation = "../../../pades/validate"

// warnedByFacts are findings that have warnings of package facts instead.
var warnedByFacts = []inspect.Kind{inspect.CoveredText, inspect.InvisibleText, inspect.HiddenLayer, inspect.NotExamined}

// source parses the files of a folder, without tests.
func source(t *testing.T, folder string) []*ast.File {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []*ast.File
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") {
			f, err := parser.ParseFile(gotoken.NewFileSet(), folder+"/"+e.Name(), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, f)
		}
	}
	return all
}

// literals returns all strings in the code.
func literals(t *testing.T, folder string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, f := range source(t, folder) {
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == gotoken.STRING {
				if s, err := strconv.Unquote(l.Value); err == nil {
					found[s] = true
				}
			}
			return true
		})
	}
	return found
}

// constants returns the values of the constants of a type in a package.
func constants(t *testing.T, folder, typ string) []string {
	t.Helper()
	var list []string
	for _, f := range source(t, folder) {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != gotoken.CONST {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				id, ok := v.Type.(*ast.Ident)
				if !ok || id.Name != typ {
					continue
				}
				for _, x := range v.Values {
					if l, ok := x.(*ast.BasicLit); ok {
						s, err := strconv.Unquote(l.Value)
						if err != nil {
							t.Fatal(err)
						}
						list = append(list, s)
					}
				}
			}
		}
	}
	if len(list) == 0 {
		t.Fatalf("no constants of %s in %s", typ, folder)
	}
	return list
}

func TestEveryCodeHasItsSentence(t *testing.T) {
	t.Parallel()
	code := regexp.MustCompile(`^(trust|chain|certificate|identity|revocation|algorithm|time|level|file|format|coverage|digest|signature|later|claim|timestamp|stamp|change|warning|finding)\.[a-z_]+$`)
	declared := map[string]bool{}
	for _, folder := range []string{validation, "../../emeterai"} {
		maps.Copy(declared, literals(t, folder))
	}
	for s := range declared {
		if _, ok := sentences[s]; code.MatchString(s) && !ok {
			t.Errorf("%s has no sentence", s)
		}
	}
	for _, c := range constants(t, validation+"/diff", "Code") {
		if _, ok := sentences["change."+c]; !ok {
			t.Errorf("change %s has no sentence", c)
		}
	}
	for _, c := range constants(t, validation+"/facts", "WarningCode") {
		if _, ok := sentences["warning."+c]; !ok {
			t.Errorf("warning %s has no sentence", c)
		}
	}
	for _, k := range constants(t, "../../../pdf/inspect", "Kind") {
		if _, ok := sentences["finding."+k]; !ok && !slices.Contains(warnedByFacts, inspect.Kind(k)) {
			t.Errorf("finding %s has no sentence", k)
		}
	}
}

func TestEveryWordOfTheStandardsIsExplained(t *testing.T) {
	t.Parallel()
	for _, typ := range []string{"Indication", "SubIndication", "Level"} {
		for _, w := range constants(t, validation, typ) {
			if _, known := termSentences[w]; !known && w != "" {
				t.Errorf("%s %s is not explained", typ, w)
			}
		}
	}
	broken := constants(t, validation+"/facts", "ReasonCode")
	for _, c := range broken[:slices.Index(broken, string(facts.EncapsulatedContent))] {
		if _, known := coverageSentences[facts.ReasonCode(c)]; !known {
			t.Errorf("coverage %s has no sentence", c)
		}
	}
}

// TestEverySentenceIsUsed: by its code, or by a code that is a prefix with a code of the facts.
func TestEverySentenceIsUsed(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, folder := range []string{validation, "../../emeterai"} {
		maps.Copy(used, literals(t, folder))
	}
	warnings := constants(t, validation+"/facts", "WarningCode")
	for _, n := range diff.Covering {
		warnings = append(warnings, string(n))
	}
	kinds := constants(t, "../../../pdf/inspect", "Kind")
	for code := range sentences {
		group, word, _ := strings.Cut(code, ".")
		switch {
		case used[code], code == removedCode, group == "change", group == "warning" && slices.Contains(warnings, word), group == "finding" && slices.Contains(kinds, word):
		case used[code+"_unknown"] || strings.HasSuffix(code, "_unknown") && used[strings.TrimSuffix(code, "_unknown")]:
		case (group == "signature" || group == "timestamp") && used[group] && used[word]:
		case group == "authentication": // TestOnlyAPassedSignatureOfAnAccountOfTheServiceStatesItsAuthenticationForTheService makes them
		default:
			t.Errorf("%s is not used", code)
		}
	}
}

func TestSentencesSayTheSameInBothLanguages(t *testing.T) {
	t.Parallel()
	slot := regexp.MustCompile(`\{[a-z_]+\}`)
	for code, s := range sentences {
		if s.id == "" || s.en == "" || s.id == s.en {
			t.Errorf("%s lacks a language", code)
		}
		in := func(text string) map[string]bool {
			all := map[string]bool{}
			for _, x := range slot.FindAllString(text, -1) {
				all[x] = true
			}
			return all
		}
		id, en := in(s.id), in(s.en)
		for x := range id {
			if !en[x] {
				t.Errorf("%s: %s only in Indonesian", code, x)
			}
		}
		for x := range en {
			if !id[x] {
				t.Errorf("%s: %s only in English", code, x)
			}
		}
	}
}
