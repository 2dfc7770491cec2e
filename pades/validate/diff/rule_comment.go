package diff

import "segel/pdf"

// comments are the annotations that people write and draw: what a certification that allows annotations allows (ISO
// 32000-2 §12.8.2.2). Links, media, files and the like are none.
var comments = map[pdf.Name]bool{
	"Text": true, "FreeText": true, "Line": true, "Square": true, "Circle": true, "Polygon": true, "PolyLine": true, "Highlight": true,
	"Underline": true, "Squiggly": true, "StrikeOut": true, "Caret": true, "Stamp": true, "Ink": true, "Popup": true,
}

func isComment(d *pdf.Document, dict pdf.Dict) bool {
	t, err := d.Name(dict["Subtype"])
	return err == nil && comments[t]
}

// annotationRule judges an object on a page: widgets as fields, comments as comments.
func annotationRule(r *revision, m *moved, n node) verdict {
	new, ok := m.new.(pdf.Dict)
	if !ok {
		return deny(CodeAnnotation, "no dictionary")
	}
	if m.added() {
		if v, ok := r.vouched[vouch{n.number, roleAnnotation}]; ok {
			return v
		}
		return r.comment(nil, new, n.number)
	}
	old, ok := m.old.(pdf.Dict)
	if !ok {
		return deny(CodeAnnotation, "no dictionary")
	}
	if isWidget(r.old, old) {
		return r.fill(m)
	}
	return r.comment(old, new, n.number)
}

// comment judges a comment that is new, or another than before.
func (r *revision) comment(old, new pdf.Dict, number uint32) verdict {
	if !isComment(r.new, new) || old != nil && !same(old["Subtype"], new["Subtype"]) {
		return deny(CodeAnnotation, "no comment")
	}
	for _, k := range []pdf.Name{"A", "AA", "OC", "PA", "FS", "Parent"} {
		if v := new[k]; v != nil && !same(old[k], v) && (k != "Parent" || !same(new["Subtype"], pdf.Name("Popup"))) {
			return deny(CodeAnnotation, keyDetail(k))
		}
	}
	v := allow("comments", Annotations, CodeComment)
	r.see(&v, new, number)
	return v
}

// commentLook judges the appearance of a comment.
func (r *revision) commentLook(d *pdf.Document, dict pdf.Dict) verdict {
	if !isComment(d, dict) {
		return deny(CodeAnnotation, "appearance")
	}
	return allow("comments", Annotations, CodeComment)
}
