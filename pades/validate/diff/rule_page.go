package diff

import (
	"slices"

	"segel/pdf"
)

// pageRule allows a page to gain the widgets of new fields.
func pageRule(r *revision, m *changedObject, n node) verdict {
	old, ok1 := m.old.(pdf.Dict)
	new, ok2 := m.new.(pdf.Dict)
	if m.isAdded() || !ok1 || !ok2 {
		return deny(CodePages, "")
	}
	v := allow("page", None, CodePage)
	v.page = int(r.g.pages.get(n.number))
	for _, k := range Differing(old, new) {
		v = worstVerdict(v, r.checkPageKey(k, old[k], new[k], n.number))
	}
	return v
}

func (r *revision) checkPageKey(k pdf.Name, old, new pdf.Object, page uint32) verdict {
	switch k {
	case "Annots":
		return r.checkArrayEntry(old, new, roleAnnots, deny(CodeAnnotation, "/Annots cannot be read"),
			func(old, new pdf.Array) verdict { return r.checkAnnotations(page, old, new) })
	case "Contents", "Resources":
		return deny(CodeContent, keyDetail(k))
	}
	return deny(CodePageChanged, keyDetail(k))
}

// checkAnnotations allows a page to gain the widgets of new fields, each once, and comments to be added and removed.
func (r *revision) checkAnnotations(page uint32, old, new pdf.Array) verdict {
	v := allow("annotations of page", None, CodeAnnotations)
	v.page = int(r.g.pages.get(page))
	added, ok := addedElements(old, new)
	if !ok {
		if v = r.checkRemovedAnnotations(old, new); v.isDenied() {
			return v
		}
	}
	for _, o := range added {
		v = worstVerdict(v, r.checkAnnotation(page, o))
	}
	return v
}

func (r *revision) checkAnnotation(page uint32, o pdf.Object) verdict {
	ref, ok := o.(pdf.Ref)
	if !ok {
		return deny(CodeAnnotation, "a direct annotation")
	}
	m, isNew := r.isAdded(ref)
	if !isNew {
		return deny(CodeAnnotation, "an object that was there before")
	}
	dict, _ := m.new.(pdf.Dict)
	if v, ok := r.approvals[approvalKey{ref.Number, roleAnnotation}]; ok {
		r.widgetCounts[ref.Number]++
		if p := dict.Ref("P"); !p.IsZero() && p.Number != page || r.widgetCounts[ref.Number] > 1 {
			return deny(CodeFieldAdded, "the widget is on another page too")
		}
		return verdict{rule: "annotations of page", level: v.level, code: CodeAnnotations}
	}
	return r.checkComment(nil, dict, ref.Number)
}

// checkRemovedAnnotations allows comments to be removed, but not widgets, and no change of the order.
func (r *revision) checkRemovedAnnotations(old, new pdf.Array) verdict {
	kept := map[pdf.Ref]bool{}
	for _, o := range new {
		kept[pdf.AsRef(o)] = true
	}
	var stay pdf.Array
	for _, o := range old {
		if ref := pdf.AsRef(o); !ref.IsZero() && !kept[ref] {
			dict, err := r.old.Dict(o)
			if err != nil || !isComment(r.old, dict) {
				return deny(CodeAnnotation, "removed")
			}
			continue
		}
		stay = append(stay, o)
	}
	if _, ok := addedElements(stay, new); !ok {
		return deny(CodeAnnotation, "order")
	}
	return allow("comments", Annotations, CodeComment)
}

// commentTypes are the annotations that people write and draw, which a certification with annotations permits (ISO
// 32000-2 §12.8.2.2). Links, media, files and the like are not among them.
var commentTypes = map[pdf.Name]bool{
	"Text": true, "FreeText": true, "Line": true, "Square": true, "Circle": true, "Polygon": true, "PolyLine": true, "Highlight": true,
	"Underline": true, "Squiggly": true, "StrikeOut": true, "Caret": true, "Stamp": true, "Ink": true, "Popup": true,
}

func isComment(d *pdf.Document, dict pdf.Dict) bool {
	t, err := d.Name(dict["Subtype"])
	return err == nil && commentTypes[t]
}

// annotationRule checks an annotation: widgets as fields, others as comments.
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

// checkComment checks a comment that is new or changed.
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

// checkCommentAppearance checks the appearance of a comment.
func (r *revision) checkCommentAppearance(d *pdf.Document, dict pdf.Dict) verdict {
	if !isComment(d, dict) {
		return deny(CodeAnnotation, "appearance")
	}
	return allow("comments", Annotations, CodeComment)
}

// appearanceRule checks an appearance by its widget: that of a field that is new, is being signed or can be filled in
// may change. If something else shows the same stream, the rule of that role applies too.
func appearanceRule(r *revision, m *changedObject, n node) verdict {
	if isExternal(m.new) {
		return deny(CodeFieldChanged, "an appearance in another file")
	}
	if v, ok := r.approvals[approvalKey{n.owner, roleAnnotation}]; ok {
		return verdict{rule: "appearance", level: v.level, code: CodeAppearance, field: v.field, page: v.page, box: v.box}
	}
	if owner := r.moves[n.owner]; owner != nil && owner.isAdded() {
		dict, _ := owner.new.(pdf.Dict)
		return r.checkCommentAppearance(r.new, dict)
	}
	dict, ok := dictAt(r.old, n.owner)
	if !ok {
		return deny(CodeShared, "appearance of an unreadable object")
	}
	if !isWidget(r.old, dict) && dict["FT"] == nil {
		return r.checkCommentAppearance(r.old, dict)
	}
	was, is := r.readField(r.old, n.owner), r.readField(r.new, n.owner)
	if !was.ok || !is.ok || !was.inForm {
		return deny(CodeAnnotation, "appearance of a widget without a field")
	}
	v := r.addFieldVisibility(r.checkFilledField(was, is, n.owner), dict, n.owner)
	if v.isDenied() {
		return v
	}
	v.rule, v.code = "appearance", CodeAppearance
	return v
}

// checkAppearances compares two appearance dictionaries. Every stream of the new one has to be new, or to be the
// widget's from before: one that another object shows, or that was prepared unseen, is denied.
func (r *revision) checkAppearances(old, new pdf.Object) verdict {
	if equalObjects(old, new) {
		return verdict{level: None}
	}
	had := map[pdf.Ref]bool{}
	if !eachAppearance(r.old, old, 0, func(ref pdf.Ref) { had[ref] = true }) {
		return deny(CodeShared, "former appearance cannot be read")
	}
	v := verdict{level: None}
	sound := eachAppearance(r.new, new, 0, func(ref pdf.Ref) {
		if _, added := r.isAdded(ref); !added && !had[ref] {
			v = deny(CodeShared, "an appearance from before")
		}
	})
	if !sound {
		return deny(CodeShared, "appearance cannot be read")
	}
	return v
}

// isSoleOwner reports whether only this widget refers to its appearance dictionary, so that no other widget changes
// with it.
func (r *revision) isSoleOwner(looks, widget uint32) bool {
	for _, n := range r.g.rolesOf(looks) {
		if looks != 0 && (n.role != roleAppearances || n.owner != widget) {
			return false
		}
	}
	return true
}

// isExternal reports whether the data of a stream, or what it shows, is in another file, where it can change at any
// time (ISO 32000-2 §7.3.8.2, §8.10.4).
func isExternal(o pdf.Object) bool {
	s, ok := o.(*pdf.Stream)
	return ok && (s.Dict["F"] != nil || s.Dict["FFilter"] != nil || s.Dict["Ref"] != nil || s.Dict["OPI"] != nil)
}

// eachAppearance calls tell for the references of an appearance dictionary, with or without states. It returns false if
// it cannot be read.
func eachAppearance(d *pdf.Document, looks pdf.Object, depth int, tell func(pdf.Ref)) bool {
	if looks == nil {
		return true
	}
	dict, err := d.Dict(looks)
	if err != nil || depth > 1 {
		return false
	}
	for _, o := range dict {
		v, err := d.Resolve(o)
		if err != nil {
			return false
		}
		if ref, ok := o.(pdf.Ref); ok {
			tell(ref)
		}
		if _, states := v.(pdf.Dict); states && !eachAppearance(d, v, depth+1, tell) {
			return false
		}
	}
	return true
}

// addVisibility adds to a verdict where a new widget shows, and over what. The number is the widget's.
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

// pageAnnotation is an annotation that a page had before.
type pageAnnotation struct {
	number uint32 // 0 if it is direct
	box    pdf.Rect
	note   Note // for a box that lies over it
}

// maxAnnotations bounds the annotations of a page that new ones are compared with.
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
	ref := pdf.AsRef(o)
	dict, err := r.old.Dict(o)
	if err != nil {
		return pageAnnotation{}, false
	}
	box, err := r.old.Rect(dict["Rect"])
	if err != nil {
		return pageAnnotation{}, false
	}
	note := OverlapsAnnotation
	if isWidget(r.old, dict) && !ref.IsZero() {
		if f := r.readField(r.old, ref.Number); f.kind == "Sig" && f.value != nil {
			note = OverlapsSignature
		}
	}
	return pageAnnotation{ref.Number, box, note}, true
}
