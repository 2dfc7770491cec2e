package facts

import (
	"segel/pdf/content"
	"segel/pdf/inspect"
)

// inspectContent looks for content that was hidden before anybody signed, and for what else readers may not see or expect: what
// an attacker has signed unseen they can bring to light later, by a change that looks harmless. It looks at pages as they
// are now; if they changed since, that is found out elsewhere. Without a signature it does not look.
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
		case f.Kind == inspect.NotExamined && f.Page > 0 && f.Detail != "": // pages behind one at which the limit was reached have none
			r.addWarning(Warning{Code: WarnNotExamined, Page: f.Page, Detail: f.Detail})
		}
	}
	return nil
}

// findingWarnings are the kinds of what is hidden that this package has warnings of its own for.
var findingWarnings = map[inspect.Kind]WarningCode{
	inspect.CoveredText: WarnCoveredText, inspect.InvisibleText: WarnInvisibleText, inspect.HiddenLayer: WarnHiddenLayer,
}
