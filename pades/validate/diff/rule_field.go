package diff

import (
	"slices"
	"strings"

	"segel/pdf"
)

// checkFieldFill checks a changed field or widget: it may get a value with its appearance, and a signature field may be
// signed once.
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

// checkFilledField returns the verdict on a field from what became of its value and its appearance. What a read-only
// field or a button shows must not change; an empty one may be drawn by the program of a signer. The number is that of
// the field or of one of its widgets.
func (r *revision) checkFilledField(was, is fieldInfo, number uint32) verdict {
	switch {
	case was.isFixed() && (was.value != nil || isDrawn(r.old, was.self)):
		return deny(CodeFieldChanged, "the appearance of a read-only field or a button").forField(was)
	case was.isFixed() && !r.addsSignature():
		return deny(CodeFieldChanged, "a read-only field or a button without a signer").forField(was)
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

// addsSignature reports whether the revision adds a signature, whose signer answers for what it shows.
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

// addFieldVisibility adds to a verdict where a widget shows and over what: a field may have been placed over text
// before that was signed. A visible timestamp does more than prove time.
func (r *revision) addFieldVisibility(v verdict, widget pdf.Dict, number uint32) verdict {
	if v.isDenied() || !isWidget(r.new, widget) {
		return v
	}
	if r.addVisibility(&v, widget, number); slices.Contains(v.notes, Visible) {
		v.level = max(v.level, FormFilling)
	}
	return v
}

func (r *revision) checkFieldKey(widget uint32, k pdf.Name, old, new pdf.Object, was, is fieldInfo) verdict {
	signature := was.kind == "Sig"
	fine := verdict{level: None}
	if (k == "V" || k == "RV" || k == "I") && was.number != 0 && was.number != widget {
		return deny(CodeFieldChanged, keyDetail(k)+" of a widget") // some readers use it for the field
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
		if !r.isSoleOwner(pdf.AsRef(old).Number, widget) {
			return deny(CodeShared, "an appearance dictionary that is also used elsewhere")
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
		before, _ := r.old.Integer(old)
		if after, _ := r.new.Integer(new); !signature && after&flagHidden == 0 && after&flagNoView != 0 && after&^before&flagPrint != 0 {
			return deny(CodeFieldChanged, "it was not shown") // in print; with /NoView, /Print lets it show there
		}
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

// checkFlags allows harmless flags to be set.
func (r *revision) checkFlags(k pdf.Name, old, new pdf.Object, harmless int64) verdict {
	a, err1 := r.old.Integer(old)
	b, err2 := r.new.Integer(new)
	if err1 != nil || err2 != nil || a&^b != 0 || b&^a&^harmless != 0 {
		return deny(CodeFieldChanged, keyDetail(k))
	}
	return verdict{level: None}
}

// contentsRule allows the value of a field to change, except of a signature field.
func contentsRule(r *revision, _ *changedObject, n node) verdict {
	f := r.readField(r.old, n.owner)
	if !f.ok || !f.inForm || f.kind == "Sig" || f.kind == "" {
		return deny(CodeFieldChanged, "value").forField(f)
	}
	return r.checkFilledField(f, r.readField(r.new, n.owner), n.owner)
}

// newFieldKeys are the keys that a new signature field and its widget may have (ISO 32000-2 §12.7.4, §12.5.6.19).
// Actions, layers and a parent are not among them.
var newFieldKeys = map[pdf.Name]bool{
	"Type": true, "Subtype": true, "FT": true, "T": true, "TU": true, "TM": true, "F": true, "Ff": true, "Rect": true, "P": true, "V": true,
	"AP": true, "AS": true, "MK": true, "DA": true, "Q": true, "DR": true, "Lock": true, "SV": true, "StructParent": true, "Border": true,
	"BS": true, "H": true, "M": true, "NM": true, "Kids": true, "Contents": true, "Lang": true,
}

// checkNewField checks an object that was added to the root of the form: a new signature field with a unique name, at
// most one widget, and an appearance that no other object shows. It approves the field, its widget and its value.
func (r *revision) checkNewField(ref pdf.Ref) verdict {
	m, added := r.isAdded(ref)
	if !added {
		return deny(CodeFieldAdded, "the object was there before")
	}
	dict, ok := m.new.(pdf.Dict)
	if !ok {
		return deny(CodeFieldAdded, "no field")
	}
	for _, k := range sortKeys(make([]pdf.Name, 0, fewKeys), dict) {
		if !newFieldKeys[k] {
			return deny(CodeFieldAdded, keyDetail(k))
		}
	}
	name, err := r.new.String(dict["T"])
	if err != nil || !equalObjects(dict["FT"], pdf.Name("Sig")) {
		return deny(CodeFieldAdded, "no signature field")
	}
	text := name.Text()
	if text == "" || strings.Contains(text, ".") || r.isNameTaken(text, ref.Number) {
		return deny(CodeFieldAdded, "the name is taken")
	}
	widget, widgetRef, v := r.findNewWidget(ref, dict)
	if v.isDenied() {
		return v
	}
	if w := r.checkPlacement(widget); w.isDenied() {
		return w
	}
	v = allow("new signature field", FormFilling, CodeSignatureField)
	v.field = text
	r.addVisibility(&v, widget, widgetRef.Number)
	if value := r.checkNewValue(dict["V"]); value.isDenied() {
		return value
	} else if isTimestamp(r.new, dict["V"]) && !slices.Contains(v.notes, Visible) {
		v.rule, v.level, v.code = "document timestamp", LTA, CodeTimestamp
	}
	if looks := r.checkAppearances(nil, widget["AP"]); looks.isDenied() {
		return looks
	}
	if dict["V"] == nil && slices.Contains(v.notes, Visible) && isDrawn(r.new, widget) {
		// No signer answers for what it shows.
		v.rule, v.level, v.detail = "comments", Annotations, "drawn but not signed"
	}
	r.approveField(ref, widgetRef, dict, v)
	return v
}

// findNewWidget returns the widget of a new field: the field itself, or the only kid.
func (r *revision) findNewWidget(ref pdf.Ref, dict pdf.Dict) (pdf.Dict, pdf.Ref, verdict) {
	if dict["Kids"] == nil {
		if dict["Subtype"] != nil && !isWidget(r.new, dict) {
			return nil, ref, deny(CodeFieldAdded, "no widget")
		}
		return dict, ref, verdict{}
	}
	kids, err := r.new.Array(dict["Kids"])
	if err != nil || len(kids) != 1 || isWidget(r.new, dict) {
		return nil, ref, deny(CodeFieldAdded, "not one widget")
	}
	m, added := r.isAdded(kids[0])
	if !added {
		return nil, ref, deny(CodeFieldAdded, "the widget was there before")
	}
	kid, ok := m.new.(pdf.Dict)
	if !ok || !isWidget(r.new, kid) || kid.Ref("Parent") != ref {
		return nil, ref, deny(CodeFieldAdded, "not its own widget")
	}
	for _, k := range sortKeys(make([]pdf.Name, 0, fewKeys), kid) {
		if k != "Parent" && (!newFieldKeys[k] || k == "Kids" || k == "V" || k == "T" || k == "FT") {
			return nil, ref, deny(CodeFieldAdded, keyDetail(k))
		}
	}
	return kid, m.After, verdict{}
}

// checkNewValue allows a field to have no value, or a new signature dictionary.
func (r *revision) checkNewValue(value pdf.Object) verdict {
	if value == nil {
		return verdict{}
	}
	if _, direct := value.(pdf.Dict); direct {
		return verdict{}
	}
	m, added := r.isAdded(value)
	if !added {
		return deny(CodeSignature, "the value was there before")
	}
	if dict, ok := m.new.(pdf.Dict); !ok || dict["ByteRange"] == nil {
		return deny(CodeSignature, "no signature")
	}
	return verdict{}
}

func (r *revision) approveField(field, widget pdf.Ref, dict pdf.Dict, v verdict) {
	r.approve(field.Number, roleField, v)
	r.approve(widget.Number, roleField, v)
	r.approve(widget.Number, roleAnnotation, v)
	if kids, ok := dict["Kids"].(pdf.Ref); ok {
		r.approve(kids.Number, roleKids, v)
	}
	if value, ok := dict["V"].(pdf.Ref); ok {
		r.approve(value.Number, roleValue, v)
	}
	r.c.names[v.field] = field.Number
}

// isNameTaken reports whether another field at the form's root has that name.
func (r *revision) isNameTaken(name string, number uint32) bool {
	if r.c.names == nil && !r.readNames() {
		return true // this cannot be determined
	}
	have, known := r.c.names[name]
	return known && have != number
}

// readNames reads the names of the fields at the form's root, in the old state.
func (r *revision) readNames() bool {
	_, form, err := r.old.Form()
	if err != nil {
		return false
	}
	fields, err := r.old.Array(form["Fields"])
	if err != nil {
		return false
	}
	r.c.names = map[string]uint32{}
	for _, f := range fields {
		dict, err := r.old.Dict(f)
		if err != nil {
			continue
		}
		if t, err := r.old.String(dict["T"]); err == nil {
			r.c.names[t.Text()] = pdf.AsRef(f).Number
		}
	}
	return true
}
