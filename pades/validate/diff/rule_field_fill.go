package diff

import (
	"segel/pdf"
)

// fill judges a field or widget that was there before and is another now: it may get a value and the look of it, and
// a signature field may be signed, once.
func (r *revision) fill(m *moved) verdict {
	old, ok1 := m.old.(pdf.Dict)
	new, ok2 := m.new.(pdf.Dict)
	if !ok1 || !ok2 {
		return deny(CodeFieldChanged, "no dictionary")
	}
	was, is := r.field(r.old, m.Number), r.field(r.new, m.Number)
	if !was.ok || !is.ok || !was.inForm || was.name != is.name || was.kind != is.kind {
		return deny(CodeFieldChanged, "another field").of(was)
	}
	v := r.filled(was, is, m.Number)
	v = r.seen(v, new, m.Number)
	for _, k := range Differing(old, new) {
		v = worse(v, r.fillKey(m.Number, k, old[k], new[k], was, is).of(was))
	}
	return v
}

// filled is the verdict on a field by what became of its value and of what it shows. What a read-only field or a button
// shows was not left to be filled in; an empty one may wait for the program of somebody who signs. The number is that of
// the field or of one of its widgets.
func (r *revision) filled(was, is fieldInfo, number uint32) verdict {
	switch {
	case was.fixed() && (was.value != nil || drawn(r.old, was.self)):
		return deny(CodeFieldChanged, "what a read-only field or a button shows").of(was)
	case was.fixed() && !r.signs():
		return deny(CodeFieldChanged, "a read-only field or a button that nobody signed for").of(was)
	case was.fixed() && is.value == nil:
		return allow("form filling", FormFilling, CodeFilled).of(was)
	case was.kind != "Sig":
		return r.filling(was, number)
	case was.value == nil && is.value != nil && isTimestamp(r.new, is.value):
		return allow("document timestamp", LTA, CodeTimestamp).of(was)
	case was.value == nil && is.value != nil:
		return allow("signing", FormFilling, CodeSigned).of(was)
	case was.value == nil:
		return deny(CodeFieldChanged, "a signature field that was not signed").of(was)
	}
	return deny(CodeSignedField, "").of(was)
}

// signs reports whether the revision brings a signature: somebody answers for what it shows.
func (r *revision) signs() bool {
	if r.signature == nil {
		found := false
		for _, m := range r.moves {
			dict, ok := m.new.(pdf.Dict)
			found = found || ok && m.added() && dict["ByteRange"] != nil && dict["Contents"] != nil
		}
		r.signature = &found
	}
	return *r.signature
}

// seen adds to a verdict where a widget stands, and over what: a field may have waited over text until that was signed.
// A timestamp that is to be seen does more than prove.
func (r *revision) seen(v verdict, widget pdf.Dict, number uint32) verdict {
	if v.denied() || !isWidget(r.new, widget) {
		return v
	}
	if r.see(&v, widget, number); v.has(Visible) {
		v.level = max(v.level, FormFilling)
	}
	return v
}

func (r *revision) fillKey(widget uint32, k pdf.Name, old, new pdf.Object, was, is fieldInfo) verdict {
	signature := was.kind == "Sig"
	fine := verdict{level: None}
	if (k == "V" || k == "RV" || k == "I") && was.number != 0 && was.number != widget {
		return deny(CodeFieldChanged, keyDetail(k)+" of a widget") // some readers take it for the field's
	}
	switch k {
	case "V":
		if !signature {
			return fine
		}
		v := r.newValue(new)
		if ref, ok := new.(pdf.Ref); ok && !v.denied() {
			r.vouch(ref.Number, roleValue, r.filled(was, is, widget))
		}
		return v
	case "AP":
		if !r.alone(refOf(old).Number, widget) {
			return deny(CodeShared, "an appearance dictionary that something else refers to")
		}
		return r.looks(old, new)
	case "AS":
		if name, ok := new.(pdf.Name); new == nil || ok && (!signature || name == "N") {
			return fine
		}
	case "M":
		if _, ok := new.(pdf.String); ok || new == nil {
			return fine
		}
	case "I", "TI", "RV":
		if was.kind == "Tx" || was.kind == "Ch" {
			return fine
		}
	case "MK":
		if was.kind == "Tx" || was.kind == "Ch" || was.kind == "Btn" && was.flags&fieldPushButton == 0 {
			return r.characteristics(old, new)
		}
	case "DA":
		return r.style(was, old, new)
	case "F":
		return r.flags(k, old, new, flagsHarmless)
	case "Ff":
		return r.flags(k, old, new, fieldReadOnly)
	case "P":
		if ref, ok := new.(pdf.Ref); ok && old == nil && r.g.pages.get(ref.Number) != 0 {
			return fine
		}
	}
	return deny(CodeFieldChanged, keyDetail(k))
}

// flags lets harmless flags be set.
func (r *revision) flags(k pdf.Name, old, new pdf.Object, harmless int64) verdict {
	a, err1 := r.old.Integer(old)
	b, err2 := r.new.Integer(new)
	if err1 != nil || err2 != nil || a&^b != 0 || b&^a&^harmless != 0 {
		return deny(CodeFieldChanged, keyDetail(k))
	}
	return verdict{level: None}
}

// contentsRule lets the value of a field that is no signature be another.
func contentsRule(r *revision, _ *moved, n node) verdict {
	f := r.field(r.old, n.owner)
	if !f.ok || !f.inForm || f.kind == "Sig" || f.kind == "" {
		return deny(CodeFieldChanged, "value").of(f)
	}
	return r.filled(f, r.field(r.new, n.owner), n.owner)
}
