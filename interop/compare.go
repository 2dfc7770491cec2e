package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ourReport has the parts of segel verify --json that are compared. The field names are those of the JSON.
type ourReport struct {
	Indication, Integrity string
	Signatures            []ourSignature
	Warnings              []struct{ Code string }
}

type ourSignature struct {
	Field, Indication, Integrity, Level string
	SubIndication                       string `json:"sub_indication"`
	Reasons                             []struct{ Code string }
	Later                               []struct {
		What []struct {
			Code string
			Args map[string]string
		}
	}
}

// listChangedPages returns the pages for which our report has a permitted later change with that code.
func (s ourSignature) listChangedPages(code string) []int {
	var pages []int
	for _, l := range s.Later {
		for _, w := range l.What {
			if n, err := strconv.Atoi(w.Args["page"]); err == nil && strings.HasPrefix(w.Code, code) {
				pages = append(pages, n)
			}
		}
	}
	return pages
}

// hasChange reports whether our report has a later change with that code.
func (s ourSignature) hasChange(code string) bool {
	for _, l := range s.Later {
		for _, w := range l.What {
			if w.Code == code {
				return true
			}
		}
	}
	return false
}

// isIntact reports whether our report says that the signature is intact and later changes are permitted, whether or not
// the signer is trusted.
func (s ourSignature) isIntact() bool {
	return strings.HasPrefix(s.Integrity, "intact") && s.Indication != "TOTAL-FAILED"
}

func (s ourSignature) String() string {
	var codes []string
	for _, r := range s.Reasons {
		codes = append(codes, r.Code)
	}
	return fmt.Sprintf("%s %s, %s: %s", s.Indication, s.SubIndication, s.Integrity, strings.Join(codes, " "))
}

// verdict is another validator's result for one signature.
type verdict struct {
	intact     bool
	incomplete bool // it gave up before it compared the revisions
	reason     string
}

// runSegelVerify validates a file with our own program. If the program cannot read the file, it returns an error.
func runSegelVerify(binary, roots, path string) (ourReport, error) {
	var out, said bytes.Buffer
	cmd := exec.Command(binary, "verify", "--json", "--trust", roots, path)
	// SEGEL_PDFS is ours, and not a setting of the program.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(line string) bool { return strings.HasPrefix(line, "SEGEL_") })
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if out.Len() == 0 {
		return ourReport{}, fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	var a ourReport
	return a, json.Unmarshal(out.Bytes(), &a)
}

// listVerdicts returns pyHanko's verdicts by field.
func (a pyhankoAnswer) listVerdicts() map[string]verdict {
	m := map[string]verdict{}
	for _, s := range a.Signatures {
		m[s.Field] = verdict{s.isIntact(), s.Error != "", strings.TrimSpace(s.Summary + " " + s.Suspicious + s.Error)}
	}
	return m
}

// listVerdicts returns the verdicts of DSS by field. A visual difference that our report contains too is not a
// disagreement.
func (a dssAnswer) listVerdicts(ours ourReport) map[string]verdict {
	m := map[string]verdict{}
	for _, s := range a.Signatures {
		for _, we := range ours.Signatures {
			if we.Field == s.Field {
				s.Visual, s.Overlap = removePages(s.Visual, we.listChangedPages("change.shows")), removePages(s.Overlap, we.listChangedPages("change.overlaps"))
				s.Modified = s.Modified && len(s.Visual)+len(s.Overlap)+len(s.Pages) > 0
			}
		}
		m[s.Field] = verdict{intact: s.isIntact(), reason: strings.TrimSpace(s.Sub + " " + s.describeChanges())}
	}
	return m
}

func removePages(pages, told []int) []int {
	return slices.DeleteFunc(slices.Clone(pages), func(n int) bool { return slices.Contains(told, n) })
}

// compareVerdicts reports where another validator's verdicts differ from ours, unless we could not read the file. The
// worst case is that the other one says changed and we say intact.
func compareVerdicts(ours ourReport, unread error, theirs map[string]verdict, fail reportFunc) {
	if unread != nil {
		if len(theirs) > 0 {
			fail("we cannot read it: %v", unread)
		}
		return
	}
	for _, s := range ours.Signatures {
		o, ok := theirs[s.Field]
		switch {
		case !ok:
			if s.isIntact() {
				fail("%s: they do not know it, we say intact", s.Field)
			}
		case s.isIntact() && o.incomplete:
			fail("%s: they do not validate it, we say intact: %s", s.Field, o.reason)
		case s.isIntact() && !o.intact:
			fail("%s: they say changed, we say intact: %s", s.Field, o.reason)
		case !s.isIntact() && o.intact:
			fail("%s: they say intact, we say %v", s.Field, s)
		}
		delete(theirs, s.Field)
	}
	for field, o := range theirs {
		fail("%s: we do not know it, they say %v %s", field, o.intact, o.reason)
	}
}

// compareFiles validates the same files with our program, pyHanko and DSS, and reports differing verdicts on changes of
// what was signed. Files that the others cannot read are not compared. A tampered file in which we find all signatures
// intact is a finding too.
func (v *validators) compareFiles(r *report, binary, roots string, items, tampered []item) {
	r.recordQueries("ours and pyhanko", len(items))
	r.recordQueries("ours and dss", len(items))
	for _, it := range items {
		var ours ourReport
		var p pyhankoAnswer
		var d dssAnswer
		var wg sync.WaitGroup
		var unread, silentP, silentD error
		wg.Go(func() { ours, unread = runSegelVerify(binary, roots, it.path) })
		wg.Go(func() { silentP = v.pyhanko.Query(it.path, &p) })
		wg.Go(func() { silentD = v.dss.Query(it.path, &d) })
		wg.Wait()
		failAs := func(validator string) reportFunc {
			return func(format string, args ...any) {
				r.addFindings(finding{validator, it.name, fmt.Sprintf(format, args...)})
			}
		}
		broken := func(s ourSignature) bool { return !s.isIntact() }
		wasTampered := slices.ContainsFunc(tampered, func(t item) bool { return t.name == it.name })
		if wasTampered && len(ours.Signatures) > 0 && !slices.ContainsFunc(ours.Signatures, broken) {
			failAs("ours")("was tampered with, and we say intact")
		}
		it.checkIndication(ours, failAs("ours"))
		it.checkWarnings(ours, failAs("ours"))
		it.checkFilling(ours, failAs("ours"))
		if silentP == nil && p.Error == "" {
			compareVerdicts(ours, unread, p.listVerdicts(), failAs("ours and pyhanko"))
		}
		if silentD == nil && d.Error == "" {
			compareVerdicts(ours, unread, d.listVerdicts(ours), failAs("ours and dss"))
			it.compareIndication(ours, d, failAs("ours and dss"))
		}
	}
}

// compareIndication compares our indication with that of DSS, if both have the same validation data.
func (it item) compareIndication(a ourReport, d dssAnswer, fail reportFunc) {
	if it.wantVerdict == "" {
		return
	}
	theirs := map[string]string{}
	for _, s := range d.Signatures {
		theirs[s.Field] = strings.ReplaceAll(s.Indication, "_", "-")
	}
	for _, s := range a.Signatures {
		if they := theirs[s.Field]; they != "" && they != s.Indication {
			fail("%s: they say %s, we say %v", s.Field, they, s)
		}
	}
}

// checkIndication compares our report with what is expected: a signature with complete validation data passes at its
// level.
func (it item) checkIndication(a ourReport, fail reportFunc) {
	for _, s := range a.Signatures {
		if got := strings.Join(strings.Fields(s.Indication+" "+s.SubIndication+" "+s.Level), " "); it.wantVerdict != "" && got != it.wantVerdict {
			fail("%s: %s, and it should be %s", s.Field, got, it.wantVerdict)
		}
		level := it.levels[s.Field]
		if (level == "B-LT" || level == "B-LTA") && (s.Indication != "TOTAL-PASSED" || s.Level != level) {
			fail("%s: level %s, %v", s.Field, s.Level, s)
		}
	}
}

// listPDFFiles returns every n-th PDF file below a folder.
func listPDFFiles(folder string, every int) ([]item, error) {
	var items []item
	n := 0
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.EqualFold(filepath.Ext(path), ".pdf") {
			return err
		}
		if n++; n%every == 0 {
			items = append(items, item{name: e.Name(), path: path})
		}
		return nil
	})
	return items, err
}
