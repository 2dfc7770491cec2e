package diff

import "segel/pdf"

// commentTypes are the annotations that people write and draw: what a certification that allows annotations allows (ISO
// 32000-2 §12.8.2.2). Links, media, files and the like are none.
var commentTypes = map[pdf.Name]bool{
	"Text": true, "FreeText": true, "Line": true, "Square": true, "Circle": true, "Polygon": true, "PolyLine": true, "Highlight": true,
	"Underline": true, "Squiggly": true, "StrikeOut": true, "Caret": true, "Stamp": true, "Ink": true, "Popup": true,
}

func isComment(d *pdf.Document, dict pdf.Dict) bool {
	t, err := d.Name(dict["Subtype"])
	return err == nil && commentTypes[t]
}

// annotationRule judges an object on a page: widgets as fields, comments as comments.
func annotationRule(r *revision, m *changedObject, n node) verdict {
	new, ok := m.new.(pdf.Dict)
	if !ok {
		return deny(CodeAnnotation, "no dictionary")
	}
	if m.isAdded() {
		if v, ok := r.approvals[approvalKey{n.number, roleAnnotation}]; ok {
			return v
		}
		return r.checkComment(nil, new, n.number)
	}
	old, ok := m.old.(pdf.Dict)
	if !ok {
		return deny(CodeAnnotation, "no dictionary")
	}
	if isWidget(r.old, old) {
		return r.checkFieldFill(m)
	}
	return r.checkComment(old, new, n.number)
}

// checkComment judges a comment that is new, or another than before.
func (r *revision) checkComment(old, new pdf.Dict, number uint32) verdict {
	if !isComment(r.new, new) || old != nil && !equalObjects(old["Subtype"], new["Subtype"]) {
		return deny(CodeAnnotation, "no comment")
	}
	for _, k := range []pdf.Name{"A", "AA", "OC", "PA", "FS", "Parent"} {
		if v := new[k]; v != nil && !equalObjects(old[k], v) && (k != "Parent" || !equalObjects(new["Subtype"], pdf.Name("Popup"))) {
			return deny(CodeAnnotation, keyDetail(k))
		}
	}
	v := allow("comments", Annotations, CodeComment)
	r.addVisibility(&v, new, number)
	return v
}

// checkCommentAppearance judges the appearance of a comment.
func (r *revision) checkCommentAppearance(d *pdf.Document, dict pdf.Dict) verdict {
	if !isComment(d, dict) {
		return deny(CodeAnnotation, "appearance")
	}
	return allow("comments", Annotations, CodeComment)
}
