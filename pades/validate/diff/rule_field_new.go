package diff

import (
	"strings"

	"segel/pdf"
)

// newFieldKeys are what a new signature field and its widget may state (ISO 32000-2 §12.7.4, §12.5.6.19). Actions,
// layers and a parent are not among them.
var newFieldKeys = map[pdf.Name]bool{
	"Type": true, "Subtype": true, "FT": true, "T": true, "TU": true, "TM": true, "F": true, "Ff": true, "Rect": true, "P": true, "V": true,
	"AP": true, "AS": true, "MK": true, "DA": true, "Q": true, "DR": true, "Lock": true, "SV": true, "StructParent": true, "Border": true,
	"BS": true, "H": true, "M": true, "NM": true, "Kids": true, "Contents": true, "Lang": true,
}

// checkNewField judges an object that was added to the root of the form: a signature field that is new as a whole, with a
// name of its own, one widget at most, and an appearance that nothing else shows. It vouches for the field, its widget
// and its value.
func (r *revision) checkNewField(ref pdf.Ref) verdict {
	m, added := r.isAdded(ref)
	if !added {
		return deny(CodeFieldAdded, "the object was there before")
	}
	dict, ok := m.new.(pdf.Dict)
	if !ok {
		return deny(CodeFieldAdded, "no field")
	}
	for _, k := range sortedKeys(dict) {
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
		return deny(CodeFieldAdded, "the name is not its own")
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
	} else if isTimestamp(r.new, dict["V"]) && !v.hasNote(Visible) {
		v.rule, v.level, v.code = "document timestamp", LTA, CodeTimestamp
	}
	if looks := r.checkAppearances(nil, widget["AP"]); looks.isDenied() {
		return looks
	}
	if dict["V"] == nil && v.hasNote(Visible) && isDrawn(r.new, widget) {
		// Nobody signs for what it shows.
		v.rule, v.level, v.detail = "comments", Annotations, "drawn although it is not signed"
	}
	r.approveField(ref, widgetRef, dict, v)
	return v
}

// findNewWidget returns the widget of a new field: the field itself, or the only one below it.
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
	for _, k := range sortedKeys(kid) {
		if k != "Parent" && (!newFieldKeys[k] || k == "Kids" || k == "V" || k == "T" || k == "FT") {
			return nil, ref, deny(CodeFieldAdded, keyDetail(k))
		}
	}
	return kid, m.After, verdict{}
}

// checkNewValue lets a field have no value, or a signature dictionary that is new.
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

// isNameTaken reports whether a field at the form's root has that name already.
func (r *revision) isNameTaken(name string, number uint32) bool {
	if r.c.names == nil && !r.readNames() {
		return true // nobody can tell
	}
	have, known := r.c.names[name]
	return known && have != number
}

// readNames notes the names of the fields at the form's root, as they were before.
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
			r.c.names[t.Text()] = refOf(f).Number
		}
	}
	return true
}

// fieldRule judges a field, or a widget below one.
func fieldRule(r *revision, m *changedObject, n node) verdict {
	if m.isAdded() {
		return r.approvedVerdict(n, CodeFieldAdded)
	}
	return r.checkFieldFill(m)
}

// kidsRule lets a new field have its widget; what is below other fields stays.
func kidsRule(r *revision, m *changedObject, n node) verdict {
	return r.approvedVerdict(n, CodeFieldChanged)
}

// valueRule lets a field that is being signed have its signature. A signature never changes.
func valueRule(r *revision, m *changedObject, n node) verdict {
	if m.isAdded() {
		return r.approvedVerdict(n, CodeSignature)
	}
	return deny(CodeSignature, "")
}
