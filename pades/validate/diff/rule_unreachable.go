package diff

import (
	"slices"

	"segel/pdf"
)

// checkUnreachable allows objects that nothing refers to, neither now nor before: cross-reference streams, object
// streams and leftovers of writers. A later revision that refers to them is checked for that. Objects that a reader
// which rebuilds the cross-reference would use as one of the former, or as the catalog, are not leftovers.
func (r *revision) checkUnreachable(m *changedObject) verdict {
	dict := dictionaryOf(m.new)
	switch dict["Type"] {
	case pdf.Object(pdf.Name("XRef")):
		return r.checkCrossReference(m)
	case pdf.Object(pdf.Name("ObjStm")):
		if !m.isAdded() || !slices.Contains(r.state.ObjectStreams, m.Number) {
			return deny(CodeAmbiguous, "an object stream without objects in use")
		}
		return allow("cross-reference", None, CodeCrossReference)
	case pdf.Object(pdf.Name("Catalog")):
		return deny(CodeAmbiguous, "a spare catalog")
	}
	return allow("unreachable", None, CodeUnreachable)
}

// checkCrossReference checks a cross-reference stream of the revision: its own, or one more with the same content.
// PDFBox and programs built on it write such a stream besides the table if the file had both before.
func (r *revision) checkCrossReference(m *changedObject) verdict {
	own, err := r.state.LeadsTo(m.Offset, r.state.Revision.StartXref)
	if err != nil {
		r.readErr = err
	}
	if own && (m.isAdded() || isCrossReference(m.old)) {
		return allow("cross-reference", None, CodeCrossReference)
	}
	if r.spareXRefs++; own || !m.isAdded() || m.Earlier || r.spareXRefs > maxSpareXRefs {
		return deny(CodeAmbiguous, "another cross-reference stream")
	}
	repeats, err := r.state.RepeatsCrossReference(m.Offset)
	if err != nil {
		r.readErr = err
	}
	if !repeats {
		return deny(CodeAmbiguous, "a different cross-reference stream")
	}
	return allow("cross-reference", None, CodeCrossReference)
}

// maxSpareXRefs bounds the cross-reference streams of a revision besides its own. Comparing one costs as much as it is
// long.
const maxSpareXRefs = 1

func isCrossReference(o pdf.Object) bool {
	st, ok := o.(*pdf.Stream)
	return ok && st.Dict["Type"] == pdf.Object(pdf.Name("XRef"))
}
