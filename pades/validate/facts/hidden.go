package facts

import (
	"segel/pdf/content"
	"segel/pdf/inspect"
)

// inspectContent looks for content that was hidden before the first signature, and for what else readers may not see or
// expect: an attacker can have it signed unseen and reveal it later by a change that looks harmless. It examines the
// current pages; changes of pages are found elsewhere. It does nothing for a file without signatures.
func (r *reader) inspectContent() error {
	if len(r.file.Signatures) == 0 || r.file.Repaired || r.o.ForSigning {
		return nil
	}
	found, err := inspect.Document(r.ctx, r.d, inspect.Limits{Content: content.Limits{Bytes: r.o.Limits.Content}})
	if err != nil && isFault(err) {
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
