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

// collectReports returns what is reported, one line each.
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
	if s := collectReports(func(fail reportFunc) { it.checkPyhanko(pyhankoAnswer{Signatures: []pyhankoSignature{good}}, fail) }); s != "" {
		t.Errorf("a good one: %s", s)
	}
	for name, spoil := range map[string]func(*pyhankoSignature){
		"another field":   func(s *pyhankoSignature) { s.Field = "B" },
		"an error":        func(s *pyhankoSignature) { s.Error = "no" },
		"another digest":  func(s *pyhankoSignature) { s.Intact = false },
		"another key":     func(s *pyhankoSignature) { s.Valid = false },
		"no trust":        func(s *pyhankoSignature) { s.Trusted = false },
		"the bottom line": func(s *pyhankoSignature) { s.Bottom = false },
		"less than all":   func(s *pyhankoSignature) { s.Coverage = "ENTIRE_REVISION" },
		"a later change":  func(s *pyhankoSignature) { s.Modification = "OTHER" },
		"suspicion":       func(s *pyhankoSignature) { s.Suspicious = "sneaky" },
		"no time":         func(s *pyhankoSignature) { s.Timed = "INDETERMINATE NO_POE" },
	} {
		bad := good
		spoil(&bad)
		if s := collectReports(func(fail reportFunc) { it.checkPyhanko(pyhankoAnswer{Signatures: []pyhankoSignature{bad}}, fail) }); s == "" {
			t.Errorf("pyHanko saying %s is not a finding", name)
		}
	}
	fine := dssSignature{Field: "A", Level: "PAdES-BASELINE-T", Indication: "TOTAL_PASSED", Digest: true, Valid: true, RangeValid: true, Consistent: true}
	if s := collectReports(func(fail reportFunc) { it.checkDSS(dssAnswer{Signatures: []dssSignature{fine}}, fail) }); s != "" {
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
		if s := collectReports(func(fail reportFunc) { it.checkDSS(dssAnswer{Signatures: []dssSignature{bad}}, fail) }); s == "" {
			t.Errorf("DSS saying %s is not a finding", name)
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
		{intact, map[string]verdict{"A": {incomplete: true}}, "they do not validate it"},
		{intact, map[string]verdict{"A": {intact: true}, "B": {intact: true}}, "we do not know it"},
	} {
		got := collectReports(func(fail reportFunc) {
			compareVerdicts(ourReport{Signatures: []ourSignature{c.ours}}, nil, c.theirs, fail)
		})
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
	if s := collectReports(func(fail reportFunc) { it.checkWarnings(told("finding.launch", "warning.covered_text"), fail) }); s != "" {
		t.Errorf("everything is reported: %s", s)
	}
	for _, a := range []ourReport{told(), told("finding.launch"), told("warning.covered_text", "finding.javascript")} {
		if s := collectReports(func(fail reportFunc) { it.checkWarnings(a, fail) }); !strings.Contains(s, "does not report") {
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
			if s := collectReports(func(fail reportFunc) { it.checkFilling(ourReport{Signatures: signatures}, fail) }); (s == "") != (got == want) {
				t.Errorf("%s, and it should be %s: %q", got, want, s)
			}
		}
	}
	sealed := item{name: "sealed-filled-x.pdf", wantFilling: "denied"}
	for want, signatures := range map[bool][]ourSignature{true: {allowed, seal}, false: {denied}} {
		if s := collectReports(func(fail reportFunc) { sealed.checkFilling(ourReport{Signatures: signatures}, fail) }); (s == "") != want {
			t.Errorf("sealed, %v: %q", signatures, s)
		}
	}
}

func TestASealDeniesThatItsFormIsFilledIn(t *testing.T) {
	t.Parallel()
	k, err := newPKI()
	if err != nil {
		t.Fatal(err)
	}
	items, err := writeFillings(k, filepath.Join(t.TempDir(), "fillings"), 1000)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, it := range items {
		if !strings.HasPrefix(it.name, "sealed-") {
			continue
		}
		n++
		if s := collectReports(func(fail reportFunc) { it.checkFilling(ourReport{Signatures: validateFile(t, k, it)}, fail) }); s != "" {
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
		t.Errorf("everything is explained, but %v", err)
	}
	if err := r.printSummary(true); err == nil || !strings.Contains(err.Error(), "line 4") {
		t.Errorf("an explanation that was not needed: %v", err)
	}
	r.addFindings(finding{"qpdf", "c.pdf", "check ends with 2"})
	if err := r.printSummary(false); err == nil || !strings.Contains(err.Error(), "qpdf: c.pdf: check ends with 2") {
		t.Errorf("a finding without an explanation: %v", err)
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
		t.Error("another shape is not a difference")
	}
}

func TestEveryTamperingIsDetected(t *testing.T) {
	t.Parallel()
	k, err := newPKI()
	if err != nil {
		t.Fatal(err)
	}
	items, err := writeMutants(k, filepath.Join(t.TempDir(), "mutants"))
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
		all := validateFile(t, k, it)
		whole := len(all) > 0 && !slices.ContainsFunc(all, func(s ourSignature) bool { return !s.isIntact() })
		if why := findExplanation(table, finding{"ours", it.name, "we say intact"}); whole && why == nil {
			t.Errorf("%s: %v", it.name, all)
		}
	}
}

func TestOddFilesAreSealedAndChangesToThemDetected(t *testing.T) {
	t.Parallel()
	k, err := newPKI()
	if err != nil {
		t.Fatal(err)
	}
	sealed, tampered, err := writeOddFiles(k, filepath.Join(t.TempDir(), "odds"), 3)
	if err != nil {
		t.Fatal(err)
	}
	if len(sealed) < 30 || len(tampered) < 30 {
		t.Errorf("%d sealed, %d attacked", len(sealed), len(tampered))
	}
	for _, it := range sealed {
		all := validateFile(t, k, it)
		if reports := collectReports(func(fail reportFunc) { it.checkIndication(ourReport{Signatures: all}, fail) }); reports != "" || len(all) != 3 {
			t.Errorf("%s: %d signatures, %s", it.name, len(all), reports)
		}
	}
	for _, it := range tampered {
		if all := validateFile(t, k, it); slices.ContainsFunc(all, ourSignature.isIntact) {
			t.Errorf("%s: %v", it.name, all)
		}
	}
}

// validateFile returns our report on the signatures of a file.
func validateFile(t *testing.T, k *pki, it item) (all []ourSignature) {
	t.Helper()
	b, err := os.ReadFile(it.path)
	if err != nil {
		t.Fatal(err)
	}
	trust := &validate.Trust{}
	trust.Add(validate.ForAll, "", k.authority.Root())
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
	k, err := newPKI()
	if err != nil {
		t.Fatal(err)
	}
	made, tampered, err := writeForms(k, filepath.Join(t.TempDir(), "forms"))
	if err != nil {
		t.Fatal(err)
	}
	for i, it := range append(made, tampered...) {
		all := validateFile(t, k, it)
		if len(all) != 1 {
			t.Fatalf("%s has %d signatures", it.name, len(all))
		}
		reports := collectReports(func(fail reportFunc) { it.checkIndication(ourReport{Signatures: all}, fail) })
		if reports != "" || i >= len(made) && (all[0].Indication == string(validate.TotalPassed) || strings.HasPrefix(all[0].Integrity, "intact")) {
			t.Errorf("%s: %v %s", it.name, all[0], reports)
		}
	}
}
