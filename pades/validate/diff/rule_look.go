package diff

import (
	"segel/pdf"
)

// lookRule judges an appearance by the widget it belongs to: that of a field that is new, is being signed or can be
// filled in may be another. Whatever else shows the same stream has its own rule asked.
func lookRule(r *revision, m *moved, n node) verdict {
	if elsewhere(m.new) {
		return deny(CodeFieldChanged, "an appearance that stands outside of the file")
	}
	if v, ok := r.vouched[vouch{n.owner, roleAnnotation}]; ok {
		return verdict{rule: "appearance", level: v.level, code: CodeAppearance, field: v.field, page: v.page, box: v.box}
	}
	if owner := r.moves[n.owner]; owner != nil && owner.added() {
		dict, _ := owner.new.(pdf.Dict)
		return r.commentLook(r.new, dict)
	}
	o, err := at(r.old, n.owner)
	dict, ok := o.(pdf.Dict)
	if err != nil || !ok {
		return deny(CodeShared, "appearance of what cannot be read")
	}
	if !isWidget(r.old, dict) && dict["FT"] == nil {
		return r.commentLook(r.old, dict)
	}
	was, is := r.field(r.old, n.owner), r.field(r.new, n.owner)
	if !was.ok || !is.ok || !was.inForm {
		return deny(CodeAnnotation, "appearance of a widget that is no field's")
	}
	v := r.seen(r.filled(was, is, n.owner), dict, n.owner)
	if v.denied() {
		return v
	}
	v.rule, v.code = "appearance", CodeAppearance
	return v
}

// looks compares two appearance dictionaries. Every stream of the new one is new as well, or was the widget's before:
// one that something else shows, or that lay ready unseen, is not taken.
func (r *revision) looks(old, new pdf.Object) verdict {
	if same(old, new) {
		return verdict{level: None}
	}
	had := map[pdf.Ref]bool{}
	if !streams(r.old, old, 0, func(ref pdf.Ref) { had[ref] = true }) {
		return deny(CodeShared, "former appearance cannot be read")
	}
	v := verdict{level: None}
	sound := streams(r.new, new, 0, func(ref pdf.Ref) {
		if _, added := r.isAdded(ref); !added && !had[ref] {
			v = deny(CodeShared, "appearance that was there before")
		}
	})
	if !sound {
		return deny(CodeShared, "appearance cannot be read")
	}
	return v
}

// alone reports whether nothing but a widget refers to its appearance dictionary, so that nobody else's changes with it.
func (r *revision) alone(looks, widget uint32) bool {
	for _, n := range r.g.roles(looks) {
		if looks != 0 && (n.role != roleLooks || n.owner != widget) {
			return false
		}
	}
	return true
}

// elsewhere reports whether the data of a stream, or what it shows, stands in another file, where it can change at any
// time (ISO 32000-2 §7.3.8.2, §8.10.4).
func elsewhere(o pdf.Object) bool {
	s, ok := o.(*pdf.Stream)
	return ok && (s.Dict["F"] != nil || s.Dict["FFilter"] != nil || s.Dict["Ref"] != nil || s.Dict["OPI"] != nil)
}

// streams tells the references of an appearance dictionary, by state or not.
func streams(d *pdf.Document, looks pdf.Object, depth int, tell func(pdf.Ref)) bool {
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
		if _, states := v.(pdf.Dict); states && !streams(d, v, depth+1, tell) {
			return false
		}
	}
	return true
}

func (v verdict) has(n Note) bool {
	for _, have := range v.notes {
		if have == n {
			return true
		}
	}
	return false
}
