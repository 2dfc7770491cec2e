package diff

import (
	"segel/pdf"
)

// appearanceRule judges an appearance by the widget it belongs to: that of a field that is new, is being signed or can be
// filled in may be another. Whatever else shows the same stream has its own rule asked.
func appearanceRule(r *revision, m *changedObject, n node) verdict {
	if isExternal(m.new) {
		return deny(CodeFieldChanged, "an appearance that stands outside of the file")
	}
	if v, ok := r.approvals[approvalKey{n.owner, roleAnnotation}]; ok {
		return verdict{rule: "appearance", level: v.level, code: CodeAppearance, field: v.field, page: v.page, box: v.box}
	}
	if owner := r.moves[n.owner]; owner != nil && owner.isAdded() {
		dict, _ := owner.new.(pdf.Dict)
		return r.checkCommentAppearance(r.new, dict)
	}
	o, err := objectAt(r.old, n.owner)
	dict, ok := o.(pdf.Dict)
	if err != nil || !ok {
		return deny(CodeShared, "appearance of what cannot be read")
	}
	if !isWidget(r.old, dict) && dict["FT"] == nil {
		return r.checkCommentAppearance(r.old, dict)
	}
	was, is := r.readField(r.old, n.owner), r.readField(r.new, n.owner)
	if !was.ok || !is.ok || !was.inForm {
		return deny(CodeAnnotation, "appearance of a widget that is no field's")
	}
	v := r.addFieldVisibility(r.checkFilledField(was, is, n.owner), dict, n.owner)
	if v.isDenied() {
		return v
	}
	v.rule, v.code = "appearance", CodeAppearance
	return v
}

// checkAppearances compares two appearance dictionaries. Every stream of the new one is new as well, or was the widget's before:
// one that something else shows, or that lay ready unseen, is not taken.
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
			v = deny(CodeShared, "appearance that was there before")
		}
	})
	if !sound {
		return deny(CodeShared, "appearance cannot be read")
	}
	return v
}

// isSoleOwner reports whether nothing but a widget refers to its appearance dictionary, so that nobody else's changes with it.
func (r *revision) isSoleOwner(looks, widget uint32) bool {
	for _, n := range r.g.rolesOf(looks) {
		if looks != 0 && (n.role != roleAppearances || n.owner != widget) {
			return false
		}
	}
	return true
}

// isExternal reports whether the data of a stream, or what it shows, stands in another file, where it can change at any
// time (ISO 32000-2 §7.3.8.2, §8.10.4).
func isExternal(o pdf.Object) bool {
	s, ok := o.(*pdf.Stream)
	return ok && (s.Dict["F"] != nil || s.Dict["FFilter"] != nil || s.Dict["Ref"] != nil || s.Dict["OPI"] != nil)
}

// eachAppearance tells the references of an appearance dictionary, by state or not.
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

func (v verdict) hasNote(n Note) bool {
	for _, have := range v.notes {
		if have == n {
			return true
		}
	}
	return false
}
