package diff

import "segel/pdf"

// unreachable allows objects that nothing leads to, neither now nor before: cross-reference streams and object
// streams, and what some writer left behind. Should a later revision lead to them, that revision has to answer for it.
func (r *revision) unreachable(m *moved) verdict {
	if s, ok := m.new.(*pdf.Stream); ok && m.added() {
		switch s.Dict["Type"] {
		case pdf.Object(pdf.Name("XRef")), pdf.Object(pdf.Name("ObjStm")):
			return allow("cross-reference", None, CodeCrossReference)
		}
	}
	return allow("unreachable", None, CodeUnreachable)
}
