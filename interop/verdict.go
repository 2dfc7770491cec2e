package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// item is a file to validate, with the expected verdict.
type item struct {
	name        string            // in the report and in explained.txt
	path        string            // of the file
	before      string            // the file before signing, to compare pages and fields; empty: none
	levels      map[string]string // level of each of our signatures, by field
	timestamps  []string          // fields of our document timestamps
	signerNames map[string]string // common names of the signers, by field
	coversFile  bool              // our last signature covers the whole file
	// flavour is the PDF/A flavour that it claims; empty: none or unknown.
	flavour      string
	changedArea  pageArea // area in which page 1 may look different
	wantWarnings []string // findings that our report must contain
	wantFilling  string   // expected verdict on how its form was filled in: allowed, warned or denied; empty: not checked
	wantVerdict  string   // expected in our report on its only signature: indication, sub-indication and level; empty: not checked
}

// itemWriter writes files to a folder and lists them. It keeps its first error.
type itemWriter struct {
	dir   string
	items []item
	err   error
}

func newItemWriter(dir string) *itemWriter { return &itemWriter{dir: dir, err: resetDir(dir)} }

// addFile writes the file of an item, unless it could not be made.
func (w *itemWriter) addFile(it item, b []byte, err error) {
	it.path = filepath.Join(w.dir, it.name)
	switch {
	case w.err != nil:
	case err != nil:
		w.err = fmt.Errorf("make %s: %w", it.name, err)
	default:
		w.items, w.err = append(w.items, it), os.WriteFile(it.path, b, 0o600)
	}
}

// pyhankoAnswer is the output of verdicts.py for a file.
type pyhankoAnswer struct {
	Error      string
	Signatures []pyhankoSignature
}

type pyhankoSignature struct {
	Field, Kind, Error             string
	Intact, Valid, Trusted, Bottom bool
	Coverage, Modification         string
	DocMDP                         *bool
	Suspicious, Summary            string
	Basic, Timed                   string // EN 319 102-1 §5.3, §5.5
	LTA, Far                       string // §5.6, now and after our certificates have expired
}

// dssAnswer is the output of Dss.java for a file.
type dssAnswer struct {
	Error      string
	Signatures []dssSignature
}

type dssSignature struct {
	Field, Kind, Level, Indication, Sub     string
	Digest, Valid                           bool
	RangeValid, Consistent, Modified        bool
	Undefined, Annotation, Errors, Warnings []string
	Overlap, Visual, Pages                  []int
	Permission                              int // DocMDP of a certification, else 0
}

// veraAnswer is the output of Vera.java for a file.
type veraAnswer struct {
	Error, Flavour string
	Compliant      bool
	Failed         []string
}

// reportFunc reports a result that differs from what is expected.
type reportFunc func(format string, args ...any)

// checkUnharmedPyhanko reports earlier signatures that pyHanko found intact before, but not after.
func (it item) checkUnharmedPyhanko(before, after pyhankoAnswer, fail reportFunc) {
	is := map[string]pyhankoSignature{}
	for _, s := range after.Signatures {
		is[s.Field] = s
	}
	for _, s := range before.Signatures {
		if s.isIntact() && !is[s.Field].isIntact() {
			fail("%s: was intact before, now: %s %s %s", s.Field, is[s.Field].Summary, is[s.Field].Suspicious, is[s.Field].Error)
		}
	}
}

// isIntact reports whether pyHanko found a signature intact and nothing suspicious after it, whether or not it trusts
// the signer.
func (s pyhankoSignature) isIntact() bool {
	return s.Error == "" && s.Intact && s.Valid && s.Suspicious == "" && (s.Kind == "timestamp" || s.DocMDP != nil && *s.DocMDP)
}

// checkUnharmedDSS is checkUnharmedPyhanko for DSS.
func (it item) checkUnharmedDSS(before, after dssAnswer, fail reportFunc) {
	is := map[string]dssSignature{}
	for _, s := range after.Signatures {
		is[s.Field] = s
	}
	for _, s := range before.Signatures {
		if s.isIntact() && !is[s.Field].isIntact() {
			fail("%s: was intact before, now: digest %v, signature %v, %s", s.Field, is[s.Field].Digest, is[s.Field].Valid, is[s.Field].describeChanges())
		}
	}
}

func (s dssSignature) isIntact() bool {
	return s.Digest && s.Valid && s.RangeValid && s.Consistent && s.describeChanges() == ""
}

// checkPyhanko compares pyHanko's answer with what is expected.
func (it item) checkPyhanko(a pyhankoAnswer, fail reportFunc) {
	if a.Error != "" {
		fail("%s", a.Error)
		return
	}
	found := map[string]pyhankoSignature{}
	for _, s := range a.Signatures {
		found[s.Field] = s
	}
	last := it.findLastField()
	for _, field := range it.listOurFields() {
		s, ok := found[field]
		switch {
		case !ok:
			fail("%s: not found", field)
			continue
		case s.Error != "":
			fail("%s: %s", field, s.Error)
			continue
		case !s.Intact || !s.Valid || !s.Trusted:
			fail("%s: intact %v, valid %v, trusted %v", field, s.Intact, s.Valid, s.Trusted)
		case s.Kind == "signature" && !s.Bottom:
			fail("%s: %s %s", field, s.Summary, s.Suspicious)
		}
		if s.Suspicious != "" {
			fail("%s: suspicious: %s", field, s.Suspicious)
		}
		if field == last {
			if it.coversFile && (s.Coverage != "ENTIRE_FILE" || s.Modification != "NONE") {
				fail("%s: covers %s, modification %s", field, s.Coverage, s.Modification)
			}
		} else if s.Coverage != "ENTIRE_REVISION" || s.Modification != "LTA_UPDATES" && s.Modification != "FORM_FILLING" {
			fail("%s: covers %s, modification %s", field, s.Coverage, s.Modification)
		}
		it.checkAdES(field, s, fail)
	}
}

// checkAdES checks the verdicts of EN 319 102-1: each level must pass the validation that it is made for.
func (it item) checkAdES(field string, s pyhankoSignature, fail reportFunc) {
	want := map[string]string{}
	switch it.levels[field] {
	case "B-B":
		want["basic"] = s.Basic
	case "B-T":
		want["basic"], want["timed"] = s.Basic, s.Timed
	case "B-LT":
		want["basic"], want["timed"], want["far"] = s.Basic, s.Timed, s.Far
	case "B-LTA":
		want["basic"], want["timed"], want["lta"], want["far"] = s.Basic, s.Timed, s.LTA, s.Far
	}
	for name, got := range want {
		if !strings.HasPrefix(got, "PASSED") {
			fail("%s: %s validation: %s", field, name, got)
		}
	}
}

// checkDSS compares the answer of DSS with what is expected.
func (it item) checkDSS(a dssAnswer, fail reportFunc) {
	if a.Error != "" {
		fail("%s", a.Error)
		return
	}
	found := map[string]dssSignature{}
	for _, s := range a.Signatures {
		found[s.Field] = s
	}
	for _, field := range it.listOurFields() {
		s, ok := found[field]
		if !ok {
			fail("%s: not found", field)
			continue
		}
		level, signature := it.levels[field]
		if signature && (s.Level != "PAdES-BASELINE-"+strings.TrimPrefix(level, "B-") || s.Indication != "TOTAL_PASSED") {
			fail("%s: %s, %s %s %q", field, s.Level, s.Indication, s.Sub, s.Errors)
		}
		if !signature && s.Indication != "PASSED" {
			fail("%s: %s %s %q", field, s.Indication, s.Sub, s.Errors)
		}
		if !s.Digest || !s.Valid || !s.RangeValid || !s.Consistent {
			fail("%s: digest %v, signature %v, byte range %v, dictionary %v", field, s.Digest, s.Valid, s.RangeValid, s.Consistent)
		}
		if changes := s.describeChanges(); changes != "" {
			fail("%s: %s", field, changes)
		}
		if len(s.Warnings) > 0 {
			fail("%s: warns %q", field, s.Warnings)
		}
	}
}

// describeChanges lists what DSS found changed in later revisions.
func (s dssSignature) describeChanges() string {
	var all []string
	if s.Modified {
		all = append(all, "modified")
	}
	lists := map[string][]string{"undefined": s.Undefined, "annotation": s.Annotation}
	if s.Permission == 3 { // permits annotations
		delete(lists, "annotation")
	}
	for what, list := range lists {
		if len(list) > 0 {
			all = append(all, fmt.Sprintf("%s %q", what, list))
		}
	}
	for what, list := range map[string][]int{"annotations overlap on pages": s.Overlap, "looks different on pages": s.Visual, "pages": s.Pages} {
		if len(list) > 0 {
			all = append(all, fmt.Sprintf("%s %v", what, list))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// checkVeraPDF compares the answer of veraPDF with what is expected.
func (it item) checkVeraPDF(a veraAnswer, fail reportFunc) {
	switch {
	case a.Error != "":
		fail("%s", a.Error)
	case a.Flavour != it.flavour || !a.Compliant:
		fail("PDF/A-%s, compliant %v: %q", a.Flavour, a.Compliant, a.Failed)
	}
}

// listOurFields returns the fields that we signed, the timestamps last.
func (it item) listOurFields() []string {
	var fields []string
	for f := range it.levels {
		fields = append(fields, f)
	}
	slices.Sort(fields)
	return append(fields, it.timestamps...)
}

// findLastField returns our field that was signed last, if it is known: a timestamp, or the only signature.
func (it item) findLastField() string {
	if n := len(it.timestamps); n > 0 {
		return it.timestamps[n-1]
	}
	if len(it.levels) == 1 {
		return it.listOurFields()[0]
	}
	return ""
}
