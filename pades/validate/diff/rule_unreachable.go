package diff

import (
	"slices"

	"segel/pdf"
)

// unreachable allows objects that nothing leads to, neither now nor before: cross-reference streams and object
// streams, and what some writer left behind. Should a later revision lead to them, that revision has to answer for it.
// What a reader would take for one of the former, or for the catalog, that has to rebuild the cross-reference, is not
// what somebody leaves behind.
func (r *revision) unreachable(m *moved) verdict {
	dict := dictOf(m.new)
	switch dict["Type"] {
	case pdf.Object(pdf.Name("XRef")):
		if !m.added() || m.Offset != r.state.Revision.StartXref {
			return deny(CodeAmbiguous, "a cross-reference stream that is not its own")
		}
		return allow("cross-reference", None, CodeCrossReference)
	case pdf.Object(pdf.Name("ObjStm")):
		if !m.added() || !slices.Contains(r.state.Containers, m.Number) {
			return deny(CodeAmbiguous, "an object stream that nothing stands in")
		}
		return allow("cross-reference", None, CodeCrossReference)
	case pdf.Object(pdf.Name("Catalog")):
		return deny(CodeAmbiguous, "a spare catalog")
	}
	return allow("unreachable", None, CodeUnreachable)
}
