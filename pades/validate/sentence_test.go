package validate

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
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

// source parses the files of a folder that are no tests.
func source(t *testing.T, folder string) []*ast.File {
	t.Helper()
	entries := must[[]os.DirEntry](t)(os.ReadDir(folder))
	var all []*ast.File
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") {
			all = append(all, must[*ast.File](t)(parser.ParseFile(gotoken.NewFileSet(), folder+"/"+e.Name(), nil, 0)))
		}
	}
	return all
}

// literals are all strings that stand in the code.
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

// constants are the values of the constants of a type in a package.
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
						list = append(list, must[string](t)(strconv.Unquote(l.Value)))
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
	for s := range literals(t, ".") {
		if _, ok := sentences[s]; code.MatchString(s) && !ok {
			t.Errorf("%s has no sentence", s)
		}
	}
	for _, c := range constants(t, "diff", "Code") {
		if _, ok := sentences["change."+c]; !ok {
			t.Errorf("change %s has no sentence", c)
		}
	}
	for _, c := range constants(t, "facts", "WarningCode") {
		if _, ok := sentences["warning."+c]; !ok {
			t.Errorf("warning %s has no sentence", c)
		}
	}
	for _, k := range constants(t, "../../pdf/inspect", "Kind") {
		if _, ok := sentences["finding."+k]; !ok && !slices.Contains(warnedByFacts, inspect.Kind(k)) {
			t.Errorf("finding %s has no sentence", k)
		}
	}
}

func TestEveryWordOfTheStandardsIsExplained(t *testing.T) {
	t.Parallel()
	for _, typ := range []string{"Indication", "SubIndication", "Level"} {
		for _, w := range constants(t, ".", typ) {
			if _, known := termSentences[w]; !known && w != "" {
				t.Errorf("%s %s is not explained", typ, w)
			}
		}
	}
	broken := constants(t, "facts", "ReasonCode")
	for _, c := range broken[:slices.Index(broken, string(facts.EncapsulatedContent))] {
		if _, known := coverageSentences[facts.ReasonCode(c)]; !known {
			t.Errorf("coverage %s has no sentence", c)
		}
	}
}

func TestWhatFailsASignatureIsToldFirst(t *testing.T) {
	t.Parallel()
	s := &checkedSignature{}
	s.addReasons(newReason("time.unproven"))
	s.addFailure(TryLater, newReason("trust.empty"))
	s.addFailure(HashFailure, newReason("digest.differs"))
	s.addFailure(NoPOE, newReason("revocation.missing"))
	var codes []string
	for _, r := range s.reasons {
		codes = append(codes, r.Code)
	}
	if got := strings.Join(codes, " "); got != "digest.differs trust.empty time.unproven revocation.missing" {
		t.Errorf("%s", got)
	}
}

// TestEverySentenceIsSpoken: by its code, or by one that is put together of a prefix and what the facts say.
func TestEverySentenceIsSpoken(t *testing.T) {
	t.Parallel()
	spoken := map[string]bool{}
	for _, f := range source(t, ".") {
		var inTable bool
		ast.Inspect(f, func(n ast.Node) bool {
			if d, ok := n.(*ast.ValueSpec); ok {
				inTable = len(d.Names) > 0 && strings.HasSuffix(d.Names[0].Name, "Sentences")
				return !inTable
			}
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == gotoken.STRING {
				if s, err := strconv.Unquote(l.Value); err == nil {
					spoken[s] = true
				}
			}
			return true
		})
	}
	warnings := constants(t, "facts", "WarningCode")
	for _, n := range diff.Covering {
		warnings = append(warnings, string(n))
	}
	kinds := constants(t, "../../pdf/inspect", "Kind")
	for code := range sentences {
		group, word, _ := strings.Cut(code, ".")
		switch {
		case spoken[code], group == "change", group == "warning" && slices.Contains(warnings, word), group == "finding" && slices.Contains(kinds, word):
		case spoken[code+"_unknown"] || strings.HasSuffix(code, "_unknown") && spoken[strings.TrimSuffix(code, "_unknown")]:
		case (group == "signature" || group == "timestamp") && spoken[group] && spoken[word]:
		default:
			t.Errorf("nobody says %s", code)
		}
	}
}

func TestSentencesSayTheSameInBothLanguages(t *testing.T) {
	t.Parallel()
	slot := regexp.MustCompile(`\{[a-z]+\}`)
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

func TestSentencesHaveNoEmptySlots(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.archive(w.tsa, date(2025, 6, 3))
	var b writer
	for _, lang := range []string{"id", "en"} {
		if err := p.judge(date(2025, 6, 4)).WriteText(&b, lang); err != nil {
			t.Fatal(err)
		}
	}
	if left := regexp.MustCompile(`\{[a-z]+\}`).Find(b); left != nil {
		t.Errorf("%s is left in\n%s", left, b)
	}
}

func TestFileCannotForgeALine(t *testing.T) {
	t.Parallel()
	r := newReason("chain.self_signed", "subject", "Budi\n   Hasil        TOTAL-PASSED\u202e{root}"+strings.Repeat("x", 1000))
	if strings.ContainsAny(r.English, "\n\u202e") || len(r.English) > 600 {
		t.Errorf("%q", r.English)
	}
}
