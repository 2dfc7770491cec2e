package diff

import (
	"segel/pdf"
)

// checkFieldFill judges a field or widget that was there before and is another now: it may get a value and the look of it, and
// a signature field may be signed, once.
func (r *revision) checkFieldFill(m *changedObject) verdict {
	old, ok1 := m.old.(pdf.Dict)
	new, ok2 := m.new.(pdf.Dict)
	if !ok1 || !ok2 {
		return deny(CodeFieldChanged, "no dictionary")
	}
	was, is := r.readField(r.old, m.Number), r.readField(r.new, m.Number)
	if !was.ok || !is.ok || !was.inForm || was.name != is.name || was.kind != is.kind {
		return deny(CodeFieldChanged, "another field").forField(was)
	}
	v := r.checkFilledField(was, is, m.Number)
	v = r.addFieldVisibility(v, new, m.Number)
	for _, k := range Differing(old, new) {
		v = worstVerdict(v, r.checkFieldKey(m.Number, k, old[k], new[k], was, is).forField(was))
	}
	return v
}

// checkFilledField is the verdict on a field by what became of its value and of what it shows. What a read-only field or a button
// shows was not left to be filled in; an empty one may wait for the program of somebody who signs. The number is that of
// the field or of one of its widgets.
func (r *revision) checkFilledField(was, is fieldInfo, number uint32) verdict {
	switch {
	case was.isFixed() && (was.value != nil || isDrawn(r.old, was.self)):
		return deny(CodeFieldChanged, "what a read-only field or a button shows").forField(was)
	case was.isFixed() && !r.addsSignature():
		return deny(CodeFieldChanged, "a read-only field or a button that nobody signed for").forField(was)
	case was.isFixed() && is.value == nil:
		return allow("form filling", FormFilling, CodeFilled).forField(was)
	case was.kind != "Sig":
		return r.compareFieldOnce(was, number)
	case was.value == nil && is.value != nil && isTimestamp(r.new, is.value):
		return allow("document timestamp", LTA, CodeTimestamp).forField(was)
	case was.value == nil && is.value != nil:
		return allow("signing", FormFilling, CodeSigned).forField(was)
	case was.value == nil:
		return deny(CodeFieldChanged, "a signature field that was not signed").forField(was)
	}
	return deny(CodeSignedField, "").forField(was)
}

// addsSignature reports whether the revision brings a signature: somebody answers for what it shows.
func (r *revision) addsSignature() bool {
	if r.hasSignature == nil {
		found := false
		for _, m := range r.moves {
			dict, ok := m.new.(pdf.Dict)
			found = found || ok && m.isAdded() && dict["ByteRange"] != nil && dict["Contents"] != nil
		}
		r.hasSignature = &found
	}
	return *r.hasSignature
}

// addFieldVisibility adds to a verdict where a widget stands, and over what: a field may have waited over text until that was signed.
// A timestamp that is to be seen does more than prove.
func (r *revision) addFieldVisibility(v verdict, widget pdf.Dict, number uint32) verdict {
	if v.isDenied() || !isWidget(r.new, widget) {
		return v
	}
	if r.addVisibility(&v, widget, number); v.hasNote(Visible) {
		v.level = max(v.level, FormFilling)
	}
	return v
}

func (r *revision) checkFieldKey(widget uint32, k pdf.Name, old, new pdf.Object, was, is fieldInfo) verdict {
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
		v := r.checkNewValue(new)
		if ref, ok := new.(pdf.Ref); ok && !v.isDenied() {
			r.approve(ref.Number, roleValue, r.checkFilledField(was, is, widget))
		}
		return v
	case "AP":
		if !r.isSoleOwner(refOf(old).Number, widget) {
			return deny(CodeShared, "an appearance dictionary that something else refers to")
		}
		return r.checkAppearances(old, new)
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
			return r.checkCharacteristics(old, new)
		}
	case "DA":
		return r.checkStyle(was, old, new)
	case "F":
		return r.checkFlags(k, old, new, flagsHarmless)
	case "Ff":
		return r.checkFlags(k, old, new, fieldReadOnly)
	case "P":
		if ref, ok := new.(pdf.Ref); ok && old == nil && r.g.pages.get(ref.Number) != 0 {
			return fine
		}
	}
	return deny(CodeFieldChanged, keyDetail(k))
}

// checkFlags lets harmless flags be set.
func (r *revision) checkFlags(k pdf.Name, old, new pdf.Object, harmless int64) verdict {
	a, err1 := r.old.Integer(old)
	b, err2 := r.new.Integer(new)
	if err1 != nil || err2 != nil || a&^b != 0 || b&^a&^harmless != 0 {
		return deny(CodeFieldChanged, keyDetail(k))
	}
	return verdict{level: None}
}

// contentsRule lets the value of a field that is no signature be another.
func contentsRule(r *revision, _ *changedObject, n node) verdict {
	f := r.readField(r.old, n.owner)
	if !f.ok || !f.inForm || f.kind == "Sig" || f.kind == "" {
		return deny(CodeFieldChanged, "value").forField(f)
	}
	return r.checkFilledField(f, r.readField(r.new, n.owner), n.owner)
}
