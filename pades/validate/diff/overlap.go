package diff

import (
	"slices"

	"segel/pdf"
)

// addVisibility adds to a verdict where something new is to be seen, and over what. The number is the widget's.
func (r *revision) addVisibility(v *verdict, widget pdf.Dict, number uint32) {
	var visible bool
	if v.page, v.box, visible = r.locateWidget(r.new, widget, number); !visible {
		return
	}
	v.notes = append(v.notes, Visible)
	v.widget, _ = r.new.InUse(number)
	if v.page == 0 {
		return
	}
	if r.c.o.DescribeCovered != nil {
		v.notes = append(v.notes, r.c.o.DescribeCovered(r.old, v.page, v.box)...)
	}
	for _, o := range r.listAnnotations(v.page) {
		if o.number != number && !slices.Contains(v.notes, o.note) && !o.box.Intersect(v.box).Empty() {
			v.notes = append(v.notes, o.note)
		}
	}
}

// pageAnnotation is an annotation that stood on a page before.
type pageAnnotation struct {
	number uint32 // 0 if it is direct
	box    pdf.Rect
	note   Note // what a box over it has to be noted as
}

// maxAnnotations bounds the annotations of a page that new ones are held against.
const maxAnnotations = 2000

// listAnnotations lists the annotations that a page had before.
func (r *revision) listAnnotations(number int) []pageAnnotation {
	if list, known := r.annotations[number]; known {
		return list
	}
	var list []pageAnnotation
	if page, err := r.old.Page(number); err == nil {
		annots, _ := r.old.Array(page.Dict["Annots"])
		for _, o := range annots[:min(len(annots), maxAnnotations)] {
			if one, ok := r.readAnnotation(o); ok {
				list = append(list, one)
			}
		}
	}
	r.annotations[number] = list
	return list
}

func (r *revision) readAnnotation(o pdf.Object) (pageAnnotation, bool) {
	ref := refOf(o)
	dict, err := r.old.Dict(o)
	if err != nil {
		return pageAnnotation{}, false
	}
	box, err := r.old.Rect(dict["Rect"])
	if err != nil {
		return pageAnnotation{}, false
	}
	if isWidget(r.old, dict) && !ref.IsZero() && r.readField(r.old, ref.Number).isSigned() {
		return pageAnnotation{ref.Number, box, OverlapsSignature}, true
	}
	return pageAnnotation{ref.Number, box, OverlapsAnnotation}, true
}
