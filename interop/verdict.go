package main

import (
	"fmt"
	"slices"
	"strings"
)

// item is a file to be judged, and what is expected of it.
type item struct {
	name        string            // in the report and the table of disagreements
	path        string            // where it lies
	before      string            // the file that was signed, if its pages and fields are to be compared; else empty
	levels      map[string]string // level of each signature of ours by field
	timestamps  []string          // fields of our document timestamps
	signerNames map[string]string // of who signed, as their certificate has it, by field
	coversFile  bool              // the last of ours covers the whole file
	// flavour of PDF/A it keeps to; empty if it claims none, or none is known.
	flavour      string
	changedArea  pageArea // where page 1 may look different from before
	wantWarnings []string // kinds of what its readers may not see or expect, which we have to tell
	wantFilling  string   // what we have to say of how its form was filled in: allowed, warned or denied; empty: not asked
	wantVerdict  string   // what we have to say of its only signature: indication, sub-indication and level; empty: not asked
}

// pyhankoAnswer is what verdicts.py says of a file.
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
	LTA, Far                       string // §5.6, now and when our certificates have expired
}

// dssAnswer is what Dss.java says of a file.
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

// veraAnswer is what Vera.java says of a file.
type veraAnswer struct {
	Error, Flavour string
	Compliant      bool
	Failed         []string
}

// reportFunc gathers what a judge said against expectation.
type reportFunc func(format string, args ...any)

// checkUnharmedPyhanko tells which earlier signatures pyHanko was content with, and no more is.
func (it item) checkUnharmedPyhanko(before, after pyhankoAnswer, no reportFunc) {
	is := map[string]pyhankoSignature{}
	for _, s := range after.Signatures {
		is[s.Field] = s
	}
	for _, s := range before.Signatures {
		if s.isIntact() && !is[s.Field].isIntact() {
			no("%s: was in order before, now: %s %s %s", s.Field, is[s.Field].Summary, is[s.Field].Suspicious, is[s.Field].Error)
		}
	}
}

// isIntact reports whether pyHanko found a signature whole and nothing suspicious behind it, whoever made it.
func (s pyhankoSignature) isIntact() bool {
	return s.Error == "" && s.Intact && s.Valid && s.Suspicious == "" && (s.Kind == "timestamp" || s.DocMDP != nil && *s.DocMDP)
}

// checkUnharmedDSS is the same of DSS.
func (it item) checkUnharmedDSS(before, after dssAnswer, no reportFunc) {
	is := map[string]dssSignature{}
	for _, s := range after.Signatures {
		is[s.Field] = s
	}
	for _, s := range before.Signatures {
		if s.isIntact() && !is[s.Field].isIntact() {
			no("%s: was in order before, now: digest %v, signature %v, %s", s.Field, is[s.Field].Digest, is[s.Field].Valid, is[s.Field].describeChanges())
		}
	}
}

func (s dssSignature) isIntact() bool {
	return s.Digest && s.Valid && s.RangeValid && s.Consistent && s.describeChanges() == ""
}

// checkPyhanko holds pyHanko's answer against what is expected.
func (it item) checkPyhanko(a pyhankoAnswer, no reportFunc) {
	if a.Error != "" {
		no("%s", a.Error)
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
			no("%s: not found", field)
			continue
		case s.Error != "":
			no("%s: %s", field, s.Error)
			continue
		case !s.Intact || !s.Valid || !s.Trusted:
			no("%s: intact %v, valid %v, trusted %v", field, s.Intact, s.Valid, s.Trusted)
		case s.Kind == "signature" && !s.Bottom:
			no("%s: %s %s", field, s.Summary, s.Suspicious)
		}
		if s.Suspicious != "" {
			no("%s: suspicious: %s", field, s.Suspicious)
		}
		if field == last {
			if it.coversFile && (s.Coverage != "ENTIRE_FILE" || s.Modification != "NONE") {
				no("%s: covers %s, modification %s", field, s.Coverage, s.Modification)
			}
		} else if s.Coverage != "ENTIRE_REVISION" || s.Modification != "LTA_UPDATES" && s.Modification != "FORM_FILLING" {
			no("%s: covers %s, modification %s", field, s.Coverage, s.Modification)
		}
		it.checkAdES(field, s, no)
	}
}

// checkAdES looks at the verdicts of EN 319 102-1: each level has to pass the validation made for it.
func (it item) checkAdES(field string, s pyhankoSignature, no reportFunc) {
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
			no("%s: %s validation: %s", field, name, got)
		}
	}
}

// checkDSS holds the answer of DSS against what is expected.
func (it item) checkDSS(a dssAnswer, no reportFunc) {
	if a.Error != "" {
		no("%s", a.Error)
		return
	}
	found := map[string]dssSignature{}
	for _, s := range a.Signatures {
		found[s.Field] = s
	}
	for _, field := range it.listOurFields() {
		s, ok := found[field]
		if !ok {
			no("%s: not found", field)
			continue
		}
		level, signature := it.levels[field]
		if signature && (s.Level != "PAdES-BASELINE-"+strings.TrimPrefix(level, "B-") || s.Indication != "TOTAL_PASSED") {
			no("%s: %s, %s %s %q", field, s.Level, s.Indication, s.Sub, s.Errors)
		}
		if !signature && s.Indication != "PASSED" {
			no("%s: %s %s %q", field, s.Indication, s.Sub, s.Errors)
		}
		if !s.Digest || !s.Valid || !s.RangeValid || !s.Consistent {
			no("%s: digest %v, signature %v, byte range %v, dictionary %v", field, s.Digest, s.Valid, s.RangeValid, s.Consistent)
		}
		if changes := s.describeChanges(); changes != "" {
			no("%s: %s", field, changes)
		}
		if len(s.Warnings) > 0 {
			no("%s: warns %q", field, s.Warnings)
		}
	}
}

// describeChanges is what later revisions did that no signature does.
func (s dssSignature) describeChanges() string {
	var all []string
	if s.Modified {
		all = append(all, "modified")
	}
	lists := map[string][]string{"undefined": s.Undefined, "annotation": s.Annotation}
	if s.Permission == 3 { // which permits annotations
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

// checkVeraPDF holds the answer of veraPDF against what is expected.
func (it item) checkVeraPDF(a veraAnswer, no reportFunc) {
	switch {
	case a.Error != "":
		no("%s", a.Error)
	case a.Flavour != it.flavour || !a.Compliant:
		no("PDF/A-%s, compliant %v: %q", a.Flavour, a.Compliant, a.Failed)
	}
}

// listOurFields lists the fields that we signed, in no order that means anything.
func (it item) listOurFields() []string {
	var fields []string
	for f := range it.levels {
		fields = append(fields, f)
	}
	slices.Sort(fields)
	return append(fields, it.timestamps...)
}

// findLastField is the field of ours that was signed last, if it alone could be: a timestamp, or the only signature.
func (it item) findLastField() string {
	if n := len(it.timestamps); n > 0 {
		return it.timestamps[n-1]
	}
	if len(it.levels) == 1 {
		return it.listOurFields()[0]
	}
	return ""
}
