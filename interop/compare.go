package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// report of segel verify --json, as far as it is compared.
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

// listChangedPages lists the pages of which we say that a later revision, which we allow, shows something there, or covers it.
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

// hasChange reports whether we say something of a later revision.
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

// isIntact reports whether we think a signature whole and what came later allowed, whoever made it.
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

// verdict is what another judge thinks of one signature.
type verdict struct {
	intact     bool
	incomplete bool // he gave up before he looked whether anything changed
	reason     string
}

// runSegelVerify asks our own program about a file. It is not an answer if it could not read it.
func runSegelVerify(binary, roots, path string) (ourReport, error) {
	var out, said bytes.Buffer
	cmd := exec.Command(binary, "verify", "--json", "--trust", roots, path)
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if out.Len() == 0 {
		return ourReport{}, fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	var a ourReport
	return a, json.Unmarshal(out.Bytes(), &a)
}

// listVerdicts of pyHanko by field.
func (a pyhankoAnswer) listVerdicts() map[string]verdict {
	m := map[string]verdict{}
	for _, s := range a.Signatures {
		m[s.Field] = verdict{s.isIntact(), s.Error != "", strings.TrimSpace(s.Summary + " " + s.Suspicious + s.Error)}
	}
	return m
}

// listVerdicts of DSS by field. That a page looks different, which we tell as well, is no difference of opinion.
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

// compareVerdicts holds the opinions of another judge against ours, unless we could not read the file. That they say changed where we say intact is what
// must not be.
func compareVerdicts(ours ourReport, unread error, theirs map[string]verdict, no reportFunc) {
	if unread != nil {
		if len(theirs) > 0 {
			no("we cannot read it: %v", unread)
		}
		return
	}
	for _, s := range ours.Signatures {
		o, ok := theirs[s.Field]
		switch {
		case !ok:
			if s.isIntact() {
				no("%s: they do not know it, we say intact", s.Field)
			}
		case s.isIntact() && o.incomplete:
			no("%s: they do not judge it, we say intact: %s", s.Field, o.reason)
		case s.isIntact() && !o.intact:
			no("%s: they say changed, we say intact: %s", s.Field, o.reason)
		case !s.isIntact() && o.intact:
			no("%s: they say intact, we say %v", s.Field, s)
		}
		delete(theirs, s.Field)
	}
	for field, o := range theirs {
		no("%s: we do not know it, they say %v %s", field, o.intact, o.reason)
	}
}

// compareFiles asks our program, pyHanko and DSS about the same files, and reports where they differ about what became of
// what was signed. Where the others cannot read a file there is nothing to compare. A tampered file in which we think
// all signatures intact is a finding too.
func (j *validators) compareFiles(r *report, binary, roots string, items []item, tampered map[string]bool) {
	r.recordQueries("ours and pyhanko", len(items))
	r.recordQueries("ours and dss", len(items))
	for _, it := range items {
		var ours ourReport
		var p pyhankoAnswer
		var d dssAnswer
		var wg sync.WaitGroup
		var unread, silentP, silentD error
		wg.Go(func() { ours, unread = runSegelVerify(binary, roots, it.path) })
		wg.Go(func() { silentP = j.pyhanko.queryFile(it.path, &p) })
		wg.Go(func() { silentD = j.dss.queryFile(it.path, &d) })
		wg.Wait()
		no := func(judge string) reportFunc {
			return func(format string, args ...any) { r.addFindings(finding{judge, it.name, fmt.Sprintf(format, args...)}) }
		}
		broken := func(s ourSignature) bool { return !s.isIntact() }
		if tampered[it.name] && len(ours.Signatures) > 0 && !slices.ContainsFunc(ours.Signatures, broken) {
			no("ours")("was tampered with, and we say intact")
		}
		it.checkIndication(ours, no("ours"))
		it.checkWarnings(ours, no("ours"))
		it.checkFilling(ours, no("ours"))
		if silentP == nil && p.Error == "" {
			compareVerdicts(ours, unread, p.listVerdicts(), no("ours and pyhanko"))
		}
		if silentD == nil && d.Error == "" {
			compareVerdicts(ours, unread, d.listVerdicts(ours), no("ours and dss"))
			it.compareIndication(ours, d, no("ours and dss"))
		}
	}
}

// compareIndication holds our indication against that of DSS, if neither has been given more proof than the other.
func (it item) compareIndication(a ourReport, d dssAnswer, no reportFunc) {
	if it.wantVerdict == "" {
		return
	}
	theirs := map[string]string{}
	for _, s := range d.Signatures {
		theirs[s.Field] = strings.ReplaceAll(s.Indication, "_", "-")
	}
	for _, s := range a.Signatures {
		if they := theirs[s.Field]; they != "" && they != s.Indication {
			no("%s: they say %s, we say %v", s.Field, they, s)
		}
	}
}

// checkIndication holds our own answer against what is expected: a signature that brings all proof passes at its level.
func (it item) checkIndication(a ourReport, no reportFunc) {
	for _, s := range a.Signatures {
		if got := strings.Join(strings.Fields(s.Indication+" "+s.SubIndication+" "+s.Level), " "); it.wantVerdict != "" && got != it.wantVerdict {
			no("%s: %s, and it should be %s", s.Field, got, it.wantVerdict)
		}
		level := it.levels[s.Field]
		if (level == "B-LT" || level == "B-LTA") && (s.Indication != "TOTAL-PASSED" || s.Level != level) {
			no("%s: level %s, %v", s.Field, s.Level, s)
		}
	}
}

// listPDFFiles lists one in so many of the PDF files below a folder.
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
