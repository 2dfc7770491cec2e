package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/pades/validate"
)

// collectReports gathers what is complained of.
func collectReports(hold func(reportFunc)) string {
	var all []string
	hold(func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) })
	return strings.Join(all, "\n")
}

func TestObjectionOfAValidatorIsAFinding(t *testing.T) {
	t.Parallel()
	yes := true
	it := item{levels: map[string]string{"A": "B-T"}, coversFile: true}
	good := pyhankoSignature{
		Field: "A", Kind: "signature", Intact: true, Valid: true, Trusted: true, Bottom: true, Coverage: "ENTIRE_FILE", Modification: "NONE",
		DocMDP: &yes, Basic: "PASSED OK", Timed: "PASSED OK",
	}
	if s := collectReports(func(no reportFunc) { it.checkPyhanko(pyhankoAnswer{Signatures: []pyhankoSignature{good}}, no) }); s != "" {
		t.Errorf("a good one: %s", s)
	}
	for name, spoil := range map[string]func(*pyhankoSignature){
		"another field":   func(s *pyhankoSignature) { s.Field = "B" },
		"an error":        func(s *pyhankoSignature) { s.Error = "no" },
		"another digest":  func(s *pyhankoSignature) { s.Intact = false },
		"another key":     func(s *pyhankoSignature) { s.Valid = false },
		"nobody's trust":  func(s *pyhankoSignature) { s.Trusted = false },
		"the bottom line": func(s *pyhankoSignature) { s.Bottom = false },
		"less than all":   func(s *pyhankoSignature) { s.Coverage = "ENTIRE_REVISION" },
		"a later change":  func(s *pyhankoSignature) { s.Modification = "OTHER" },
		"suspicion":       func(s *pyhankoSignature) { s.Suspicious = "sneaky" },
		"no time":         func(s *pyhankoSignature) { s.Timed = "INDETERMINATE NO_POE" },
	} {
		bad := good
		spoil(&bad)
		if s := collectReports(func(no reportFunc) { it.checkPyhanko(pyhankoAnswer{Signatures: []pyhankoSignature{bad}}, no) }); s == "" {
			t.Errorf("pyHanko saying %s is no finding", name)
		}
	}
	fine := dssSignature{Field: "A", Level: "PAdES-BASELINE-T", Indication: "TOTAL_PASSED", Digest: true, Valid: true, RangeValid: true, Consistent: true}
	if s := collectReports(func(no reportFunc) { it.checkDSS(dssAnswer{Signatures: []dssSignature{fine}}, no) }); s != "" {
		t.Errorf("a good one: %s", s)
	}
	for name, spoil := range map[string]func(*dssSignature){
		"another level":    func(s *dssSignature) { s.Level = "PAdES-BASELINE-B" },
		"no older form":    func(s *dssSignature) { s.Level = "PKCS7-T" },
		"indeterminate":    func(s *dssSignature) { s.Indication = "INDETERMINATE" },
		"another digest":   func(s *dssSignature) { s.Digest = false },
		"odd ranges":       func(s *dssSignature) { s.RangeValid = false },
		"undefined change": func(s *dssSignature) { s.Undefined = []string{"x"} },
		"another look":     func(s *dssSignature) { s.Visual = []int{1} },
		"a warning":        func(s *dssSignature) { s.Warnings = []string{"x"} },
	} {
		bad := fine
		spoil(&bad)
		if s := collectReports(func(no reportFunc) { it.checkDSS(dssAnswer{Signatures: []dssSignature{bad}}, no) }); s == "" {
			t.Errorf("DSS saying %s is no finding", name)
		}
	}
}

func TestDifferingVerdictsAreFindings(t *testing.T) {
	t.Parallel()
	intact := ourSignature{Field: "A", Indication: "INDETERMINATE", Integrity: "intact, later changes allowed"}
	changed := ourSignature{Field: "A", Indication: "TOTAL-FAILED", Integrity: "changed after signing"}
	for _, c := range []struct {
		ours   ourSignature
		theirs map[string]verdict
		want   string
	}{
		{intact, map[string]verdict{"A": {intact: true}}, ""},
		{changed, map[string]verdict{"A": {}}, ""},
		{intact, map[string]verdict{"A": {}}, "they say changed, we say intact"},
		{changed, map[string]verdict{"A": {intact: true}}, "they say intact"},
		{intact, map[string]verdict{}, "they do not know it"},
		{intact, map[string]verdict{"A": {incomplete: true}}, "they do not judge it"},
		{intact, map[string]verdict{"A": {intact: true}, "B": {intact: true}}, "we do not know it"},
	} {
		got := collectReports(func(no reportFunc) { compareVerdicts(ourReport{Signatures: []ourSignature{c.ours}}, nil, c.theirs, no) })
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%v: %q, want %q", c.ours, got, c.want)
		}
	}
}

func TestFindingsInAFileMustBeReported(t *testing.T) {
	t.Parallel()
	it := item{wantWarnings: []string{"launch", "covered_text"}}
	told := func(codes ...string) (a ourReport) {
		for _, c := range codes {
			a.Warnings = append(a.Warnings, struct{ Code string }{c})
		}
		return a
	}
	if s := collectReports(func(no reportFunc) { it.checkWarnings(told("finding.launch", "warning.covered_text"), no) }); s != "" {
		t.Errorf("all is told: %s", s)
	}
	for _, a := range []ourReport{told(), told("finding.launch"), told("warning.covered_text", "finding.javascript")} {
		if s := collectReports(func(no reportFunc) { it.checkWarnings(a, no) }); !strings.Contains(s, "does not tell of") {
			t.Errorf("%v: %q", a.Warnings, s)
		}
	}
}

func TestVerdictOnAFillingIsComparedWithTheExpectedOne(t *testing.T) {
	t.Parallel()
	allowed := ourSignature{Field: "A", Indication: "INDETERMINATE", Integrity: "intact, later changes allowed"}
	denied := ourSignature{Field: "A", Indication: "TOTAL-FAILED", Integrity: "changed after signing"}
	var warned ourSignature
	if err := json.Unmarshal([]byte(`{"Field": "A", "Integrity": "intact", "Later": [{"What": [{"Code": "change.value_not_compared"}]}]}`), &warned); err != nil {
		t.Fatal(err)
	}
	seal := denied
	seal.Field = "Segel"
	answers := map[string][]ourSignature{"allowed": {allowed}, "warned": {warned}, "denied": {denied}}
	for got, signatures := range answers {
		for want := range answers {
			it := item{name: "filled-x.pdf", wantFilling: want}
			if s := collectReports(func(no reportFunc) { it.checkFilling(ourReport{Signatures: signatures}, no) }); (s == "") != (got == want) {
				t.Errorf("%s, and it should be %s: %q", got, want, s)
			}
		}
	}
	sealed := item{name: "sealed-filled-x.pdf", wantFilling: "denied"}
	for want, signatures := range map[bool][]ourSignature{true: {allowed, seal}, false: {denied}} {
		if s := collectReports(func(no reportFunc) { sealed.checkFilling(ourReport{Signatures: signatures}, no) }); (s == "") != want {
			t.Errorf("sealed, %v: %q", signatures, s)
		}
	}
}

func TestASealDeniesThatItsFormIsFilledIn(t *testing.T) {
	t.Parallel()
	h, err := newPKI()
	if err != nil {
		t.Fatal(err)
	}
	items, err := writeFillings(h, filepath.Join(t.TempDir(), "fillings"), 1000)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, it := range items {
		if !strings.HasPrefix(it.name, "sealed-") {
			continue
		}
		n++
		if s := collectReports(func(no reportFunc) { it.checkFilling(ourReport{Signatures: validateFile(t, h, it)}, no) }); s != "" {
			t.Errorf("%s: %s", it.name, s)
		}
	}
	if n != len(refills) {
		t.Errorf("%d files, want %d", n, len(refills))
	}
}

func TestExplanationCoversOnlyWhatItNamesAndMustBeNeeded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "table")
	if err := os.WriteFile(file, []byte("# reasons\n\na*.pdf | dss | not authorised | a policy\nb.pdf | * | words | another\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := readExplanations(file)
	if err != nil {
		t.Fatal(err)
	}
	for f, want := range map[finding]bool{
		{"dss", "ab.pdf", "it is not authorised here"}:    true,
		{"pdfsig", "ab.pdf", "it is not authorised here"}: false,
		{"dss", "ba.pdf", "it is not authorised here"}:    false,
		{"dss", "ab.pdf", "something else"}:               false,
	} {
		if got := findExplanation(table, f) != nil; got != want {
			t.Errorf("%v excused: %v", f, got)
		}
	}
	r := newReport(table)
	r.addFindings(finding{"dss", "ab.pdf", "not authorised"})
	if err := r.printSummary(false); err != nil {
		t.Errorf("all is explained, but %v", err)
	}
	if err := r.printSummary(true); err == nil || !strings.Contains(err.Error(), "line 4") {
		t.Errorf("a reason that nobody needed: %v", err)
	}
	r.addFindings(finding{"qpdf", "c.pdf", "check ends with 2"})
	if err := r.printSummary(false); err == nil || !strings.Contains(err.Error(), "qpdf: c.pdf: check ends with 2") {
		t.Errorf("a finding without a reason: %v", err)
	}
}

func TestPixelsInsideTheChangedAreaAreIgnored(t *testing.T) {
	t.Parallel()
	a := raster{10, 10, make([]byte, 300)}
	b := raster{10, 10, make([]byte, 300)}
	b.pixels[3*(8*10+1)] = 255 // lower left
	for but, want := range map[pageArea]int{{}: 1, {0, 0.7, 0.2, 1}: 0, {0.9, 0, 1, 0.1}: 1} {
		if n, err := a.countDifferences(b, but); err != nil || n != want {
			t.Errorf("%v: %d pixels, %v; want %d", but, n, err, want)
		}
	}
	if _, err := a.countDifferences(raster{5, 20, make([]byte, 300)}, pageArea{}); err == nil {
		t.Error("another shape is no difference")
	}
}

func TestValidatorThatDiesOrHangsIsAFindingAndIsRestarted(t *testing.T) {
	t.Parallel()
	s := &validatorProcess{name: "cat", command: []string{"sh", "-c", `while read line; do case $line in die) exit 1;; sleep) exec sleep 60;; *) echo "\"$line\"";; esac; done`}, limit: time.Second}
	defer s.stop()
	for _, path := range []string{"a", "die", "b", "sleep", "c"} {
		var said string
		err := s.queryFile(path, &said)
		if answers := len(path) == 1; answers != (err == nil) || answers && said != path {
			t.Errorf("%s: %q, %v", path, said, err)
		}
	}
}

func TestEveryTamperingIsDetected(t *testing.T) {
	t.Parallel()
	h, err := newPKI()
	if err != nil {
		t.Fatal(err)
	}
	items, err := writeMutants(h, filepath.Join(t.TempDir(), "mutants"))
	if err != nil {
		t.Fatal(err)
	}
	if len(items) < 100 {
		t.Errorf("%d files", len(items))
	}
	table, err := readExplanations("explained.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		all := validateFile(t, h, it)
		whole := len(all) > 0 && !slices.ContainsFunc(all, func(s ourSignature) bool { return !s.isIntact() })
		if why := findExplanation(table, finding{"ours", it.name, "we say intact"}); whole && why == nil {
			t.Errorf("%s: %v", it.name, all)
		}
	}
}

func TestOddFilesAreSealedAndChangesToThemDetected(t *testing.T) {
	t.Parallel()
	h, err := newPKI()
	if err != nil {
		t.Fatal(err)
	}
	odds, err := writeOddFiles(h, filepath.Join(t.TempDir(), "odds"), 3)
	if err != nil {
		t.Fatal(err)
	}
	if len(odds.sealed) < 30 || len(odds.tampered) < 30 {
		t.Errorf("%d sealed, %d attacked", len(odds.sealed), len(odds.tampered))
	}
	for _, it := range odds.sealed {
		all := validateFile(t, h, it)
		if no := collectReports(func(no reportFunc) { it.checkIndication(ourReport{Signatures: all}, no) }); no != "" || len(all) != 3 {
			t.Errorf("%s: %d signatures, %s", it.name, len(all), no)
		}
	}
	for _, it := range odds.tampered {
		if all := validateFile(t, h, it); slices.ContainsFunc(all, ourSignature.isIntact) {
			t.Errorf("%s: %v", it.name, all)
		}
	}
}

// validateFile is what we say of the signatures of a file.
func validateFile(t *testing.T, h *pki, it item) (all []ourSignature) {
	t.Helper()
	b, err := os.ReadFile(it.path)
	if err != nil {
		t.Fatal(err)
	}
	trust := &validate.Trust{}
	trust.Add(validate.ForAll, "", h.authority.Root())
	r, err := validate.Validate(t.Context(), bytes.NewReader(b), int64(len(b)), validate.Options{At: time.Now(), Trust: trust})
	if err != nil {
		t.Fatalf("%s: %v", it.name, err)
	}
	for _, g := range r.Signatures {
		all = append(all, ourSignature{Field: g.Field, Indication: string(g.Indication), SubIndication: string(g.SubIndication), Integrity: string(g.Integrity), Level: string(g.Level)})
	}
	return all
}

func TestSignaturesOfOtherFormsGetTheExpectedVerdict(t *testing.T) {
	t.Parallel()
	h, err := newPKI()
	if err != nil {
		t.Fatal(err)
	}
	made, tampered, err := writeForms(h, filepath.Join(t.TempDir(), "forms"))
	if err != nil {
		t.Fatal(err)
	}
	for i, it := range append(made, tampered...) {
		all := validateFile(t, h, it)
		if len(all) != 1 {
			t.Fatalf("%s has %d signatures", it.name, len(all))
		}
		no := collectReports(func(no reportFunc) { it.checkIndication(ourReport{Signatures: all}, no) })
		if no != "" || i >= len(made) && (all[0].Indication == string(validate.TotalPassed) || strings.HasPrefix(all[0].Integrity, "intact")) {
			t.Errorf("%s: %v %s", it.name, all[0], no)
		}
	}
}
