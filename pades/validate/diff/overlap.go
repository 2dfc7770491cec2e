package diff

import (
	"slices"

	"segel/pdf"
)

// see adds to a verdict where something new is to be seen, and over what. The number is the widget's.
func (r *revision) see(v *verdict, widget pdf.Dict, number uint32) {
	var visible bool
	if v.page, v.box, visible = r.place(r.new, widget, number); !visible {
		return
	}
	v.notes = append(v.notes, Visible)
	if v.page == 0 {
		return
	}
	page, err := r.old.Page(v.page)
	if err != nil {
		return
	}
	if r.c.o.Covers != nil {
		v.notes = append(v.notes, r.c.o.Covers(r.old, v.page, v.box)...)
	}
	annots, err := r.old.Array(page.Dict["Annots"])
	if err != nil {
		return
	}
	for _, o := range annots[:min(len(annots), maxOverlaps)] {
		if n := r.over(o, v.box, number); n != "" && !slices.Contains(v.notes, n) {
			v.notes = append(v.notes, n)
		}
	}
}

// maxOverlaps bounds the annotations of a page that a new one is held against.
const maxOverlaps = 2000

// over says what an annotation is that the box overlaps.
func (r *revision) over(o pdf.Object, box pdf.Rect, number uint32) Note {
	ref := refOf(o)
	dict, err := r.old.Dict(o)
	if err != nil || ref.Number == number && !ref.IsZero() {
		return ""
	}
	other, err := r.old.Rect(dict["Rect"])
	if err != nil || other.Intersect(box).Empty() {
		return ""
	}
	if isWidget(r.old, dict) && !ref.IsZero() && r.field(r.old, ref.Number).signed() {
		return OverlapsSignature
	}
	return OverlapsAnnotation
}
