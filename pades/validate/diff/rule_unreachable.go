package diff

import (
	"slices"

	"segel/pdf"
)

// checkUnreachable allows objects that nothing leads to, neither now nor before: cross-reference streams and object
// streams, and what some writer left behind. Should a later revision lead to them, that revision has to answer for it.
// What a reader would take for one of the former, or for the catalog, that has to rebuild the cross-reference, is not
// what somebody leaves behind.
func (r *revision) checkUnreachable(m *changedObject) verdict {
	dict := dictionaryOf(m.new)
	switch dict["Type"] {
	case pdf.Object(pdf.Name("XRef")):
		return r.checkCrossReference(m)
	case pdf.Object(pdf.Name("ObjStm")):
		if !m.isAdded() || !slices.Contains(r.state.ObjectStreams, m.Number) {
			return deny(CodeAmbiguous, "an object stream that nothing stands in")
		}
		return allow("cross-reference", None, CodeCrossReference)
	case pdf.Object(pdf.Name("Catalog")):
		return deny(CodeAmbiguous, "a spare catalog")
	}
	return allow("unreachable", None, CodeUnreachable)
}

// checkCrossReference checks a cross-reference stream that a revision brings: its own, or one more that says the same. PDFBox
// and what is built on it leave such a stream beside the table where the file had both before.
func (r *revision) checkCrossReference(m *changedObject) verdict {
	own, err := r.state.LeadsTo(m.Offset, r.state.Revision.StartXref)
	if err != nil {
		r.readErr = err
	}
	if own && (m.isAdded() || isCrossReference(m.old)) {
		return allow("cross-reference", None, CodeCrossReference)
	}
	if r.spareXRefs++; own || !m.isAdded() || m.Earlier || r.spareXRefs > maxSpareXRefs {
		return deny(CodeAmbiguous, "a cross-reference stream that is not its own")
	}
	repeats, err := r.state.RepeatsCrossReference(m.Offset)
	if err != nil {
		r.readErr = err
	}
	if !repeats {
		return deny(CodeAmbiguous, "a cross-reference stream that says something else")
	}
	return allow("cross-reference", None, CodeCrossReference)
}

// maxSpareXRefs bounds the cross-reference streams of a revision beside its own. To hold one against the own costs as
// much as that is long.
const maxSpareXRefs = 1

func isCrossReference(o pdf.Object) bool {
	st, ok := o.(*pdf.Stream)
	return ok && st.Dict["Type"] == pdf.Object(pdf.Name("XRef"))
}
