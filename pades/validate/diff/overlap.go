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
	v.widget, _ = r.new.InUse(number)
	if v.page == 0 {
		return
	}
	if r.c.o.Covers != nil {
		v.notes = append(v.notes, r.c.o.Covers(r.old, v.page, v.box)...)
	}
	for _, o := range r.standing(v.page) {
		if o.number != number && !slices.Contains(v.notes, o.as) && !o.box.Intersect(v.box).Empty() {
			v.notes = append(v.notes, o.as)
		}
	}
}

// other is an annotation that stood on a page before.
type other struct {
	number uint32 // 0 if it is direct
	box    pdf.Rect
	as     Note // what a box over it has to be noted as
}

// maxOverlaps bounds the annotations of a page that new ones are held against.
const maxOverlaps = 2000

// standing lists the annotations that a page had before.
func (r *revision) standing(number int) []other {
	if list, known := r.others[number]; known {
		return list
	}
	var list []other
	if page, err := r.old.Page(number); err == nil {
		annots, _ := r.old.Array(page.Dict["Annots"])
		for _, o := range annots[:min(len(annots), maxOverlaps)] {
			if one, ok := r.other(o); ok {
				list = append(list, one)
			}
		}
	}
	r.others[number] = list
	return list
}

func (r *revision) other(o pdf.Object) (other, bool) {
	ref := refOf(o)
	dict, err := r.old.Dict(o)
	if err != nil {
		return other{}, false
	}
	box, err := r.old.Rect(dict["Rect"])
	if err != nil {
		return other{}, false
	}
	if isWidget(r.old, dict) && !ref.IsZero() && r.field(r.old, ref.Number).signed() {
		return other{ref.Number, box, OverlapsSignature}, true
	}
	return other{ref.Number, box, OverlapsAnnotation}, true
}
