package facts

import (
	"fmt"
	"slices"

	"segel/pdf"
	"segel/pdf/content"
	"segel/pdf/inspect"
)

// maxSpareObjects bounds the unreferenced objects examined.
const maxSpareObjects = 5000

// warnSpareContent warns of unreferenced pages and catalogs in the first signed revision: a later revision could swap
// them in, with content that was signed unseen.
func (w *stateWalk) warnSpareContent(state *pdf.State) error {
	var failed error
	left := maxSpareObjects
	w.comparer.EachUnreached(func(ref pdf.Ref) bool {
		if left--; left < 0 {
			return false
		}
		o, err := state.Object(ref)
		if err != nil && !pdf.IsFault(err) {
			failed = err
			return false
		}
		dict, _ := o.(pdf.Dict)
		switch kind, _ := dict["Type"].(pdf.Name); kind {
		case "Page", "Pages", "Catalog":
			w.addWarning(Warning{Code: WarnSpareContent, Ref: ref, Detail: string(kind)})
		}
		return true
	})
	return failed
}

// warnLooseSignatures warns of signatures that a revision added or had, and that no field refers to any more.
func (w *stateWalk) warnLooseSignatures(state *pdf.State) error {
	for _, m := range state.Changes {
		for _, side := range []struct {
			d   *pdf.State
			ref pdf.Ref
		}{{w.last, m.Before}, {state, m.After}} {
			if side.ref.IsZero() || side.d == nil {
				continue
			}
			o, err := side.d.Object(side.ref)
			if err != nil && !pdf.IsFault(err) {
				return err
			}
			dict, _ := o.(pdf.Dict)
			if dict["V"] != nil && dict["FT"] == pdf.Object(pdf.Name("Sig")) {
				side.ref = pdf.AsRef(dict["V"])
				if dict, err = side.d.Dict(dict["V"]); err != nil {
					continue
				}
			}
			if dict["ByteRange"] == nil || dict["Contents"] == nil || side.ref.IsZero() || w.warnedLoose[side.ref] {
				continue // a direct dictionary belongs to a field
			}
			if !slices.ContainsFunc(w.file.Signatures, func(s *Signature) bool { return s.Ref == side.ref }) {
				w.warnedLoose[side.ref] = true
				w.addWarning(Warning{Code: WarnLooseSignature, Ref: side.ref, Detail: fmt.Sprintf("revision %d", len(w.file.Revisions))})
			}
		}
	}
	return nil
}

// inspectContent looks for content that was hidden before the first signature, and for what else readers may not see or
// expect: an attacker can have it signed unseen and reveal it later by a change that looks harmless. It examines the
// current pages; changes of pages are found elsewhere. It does nothing for a file without signatures.
func (r *reader) inspectContent() error {
	if len(r.file.Signatures) == 0 || r.file.Repaired || r.o.ForSigning || r.o.SkipHidden {
		return nil
	}
	found, err := inspect.Document(r.ctx, r.d, inspect.Limits{Content: content.Limits{Bytes: r.o.Limits.Content}})
	if err != nil && pdf.IsFault(err) {
		r.addWarning(Warning{Code: WarnNotExamined, Page: 1, Detail: err.Error()})
		return nil
	}
	if err != nil {
		return err
	}
	r.file.Findings = found
	for _, f := range found {
		switch {
		case findingWarnings[f.Kind] != "":
			r.addWarning(Warning{Code: findingWarnings[f.Kind], Page: f.Page, Ref: f.Ref, Box: f.Box, Detail: f.Detail})
		case f.Kind == inspect.NotExamined && f.Page > 0 && f.Detail != "": // pages after the one at which the limit was reached have no detail
			r.addWarning(Warning{Code: WarnNotExamined, Page: f.Page, Detail: f.Detail})
		}
	}
	return nil
}

// findingWarnings are the kinds of hidden content that have their own warnings.
var findingWarnings = map[inspect.Kind]WarningCode{
	inspect.CoveredText: WarnCoveredText, inspect.InvisibleText: WarnInvisibleText, inspect.HiddenLayer: WarnHiddenLayer,
}
