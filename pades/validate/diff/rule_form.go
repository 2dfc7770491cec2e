package diff

import (
	"segel/pdf"
)

// formRule judges the form dictionary.
func formRule(r *revision, m *changedObject, n node) verdict {
	new, ok := m.new.(pdf.Dict)
	if m.isAdded() || !ok {
		return r.approvedVerdict(n, CodeFormChanged)
	}
	old, _ := m.old.(pdf.Dict)
	return r.checkForm(old, new)
}

// checkForm lets the form gain fields and say that there are signatures. Defaults and resources may be added or become others
// where nothing is drawn by them.
func (r *revision) checkForm(old, new pdf.Dict) verdict {
	if old != nil && new == nil {
		return deny(CodeFieldRemoved, "the form is gone")
	}
	v := allow("form", None, CodeForm)
	for _, k := range Differing(old, new) {
		v = worstVerdict(v, r.checkFormKey(k, old[k], new[k]))
	}
	return v
}

func (r *revision) checkFormKey(k pdf.Name, old, new pdf.Object) verdict {
	switch k {
	case "Fields":
		return r.checkFieldsEntry(old, new)
	case "SigFlags":
		a, err1 := r.old.Integer(old)
		b, err2 := r.new.Integer(new)
		if err1 == nil && err2 == nil && a&^b == 0 && b&^3 == 0 {
			return allow("form", LTA, CodeForm)
		}
	case "NeedAppearances":
		// True makes readers draw fields anew, whatever their appearances show.
		// False makes them show appearances that nobody has seen so far.
		b, err := r.new.Boolean(new)
		had, oldErr := r.old.Boolean(old)
		if err == nil && oldErr == nil && !b && (!had || r.everyFieldSatisfies(func(fieldInfo) bool { return false })) {
			return allow("form", None, CodeForm)
		}
	case "DA":
		if old == nil && isPlainStyle(new) || equalStyles(old, new) || r.everyFieldSatisfies(func(f fieldInfo) bool { return len(f.styles) > 0 }) {
			return allow("form", LTA, CodeForm)
		}
	case "Q":
		if r.everyFieldSatisfies(func(f fieldInfo) bool { return f.aligned }) {
			return allow("form", LTA, CodeForm)
		}
	case "DR":
		return r.checkDictEntry(old, new, roleDefaults, r.checkDefaults)
	}
	return deny(CodeFormChanged, "/"+string(k))
}

func (r *revision) checkFieldsEntry(old, new pdf.Object) verdict {
	before, err1 := r.old.Array(old)
	after, err2 := r.new.Array(new)
	if err1 != nil || err2 != nil {
		return deny(CodeFormChanged, "/Fields cannot be read")
	}
	v := r.checkFields(before, after)
	if was, now := refOf(old), refOf(new); was == now {
		return v
	}
	return r.checkEntryTarget(new, roleFields, v)
}

func refOf(o pdf.Object) pdf.Ref {
	ref, _ := o.(pdf.Ref)
	return ref
}

// fieldsRule judges the array of the form's fields.
func fieldsRule(r *revision, m *changedObject, n node) verdict {
	new, ok := m.new.(pdf.Array)
	if m.isAdded() || !ok {
		return r.approvedVerdict(n, CodeFormChanged)
	}
	old, _ := m.old.(pdf.Array)
	return r.checkFields(old, new)
}

// checkFields lets the form gain signature fields at its root, each once. All that were there stay, in their order.
func (r *revision) checkFields(old, new pdf.Array) verdict {
	added, ok := addedElements(old, new)
	if !ok {
		return deny(CodeFieldRemoved, "")
	}
	v := allow("form", None, CodeForm)
	seen := map[pdf.Ref]bool{}
	for _, o := range added {
		ref, ok := o.(pdf.Ref)
		if !ok || seen[ref] {
			return deny(CodeFieldAdded, "not one object of its own")
		}
		seen[ref] = true
		f := r.checkNewField(ref)
		if f.isDenied() {
			return f
		}
		v = worstVerdict(v, verdict{rule: "form", level: f.level, code: CodeForm})
	}
	return v
}

// defaultsRule judges the resources that fields are drawn with.
func defaultsRule(r *revision, m *changedObject, n node) verdict {
	new, ok := m.new.(pdf.Dict)
	if m.isAdded() || !ok {
		return r.approvedVerdict(n, CodeFormChanged)
	}
	old, _ := m.old.(pdf.Dict)
	return r.checkDefaults(old, new)
}

// checkDefaults lets resources be added.
func (r *revision) checkDefaults(old, new pdf.Dict) verdict {
	v := allow("form", LTA, CodeForm)
	for _, k := range Differing(old, new) {
		if k == "ProcSet" {
			continue // says nothing since PDF 1.4
		}
		v = worstVerdict(v, r.checkDictEntry(old[k], new[k], roleResources, func(old, new pdf.Dict) verdict { return r.checkResources(k, old, new) }))
	}
	return v
}

// resourcesRule judges one kind of them, such as fonts.
func resourcesRule(r *revision, m *changedObject, n node) verdict {
	new, ok := m.new.(pdf.Dict)
	if m.isAdded() || !ok {
		return r.approvedVerdict(n, CodeFormChanged)
	}
	old, _ := m.old.(pdf.Dict)
	return r.checkResources(r.resourceKind(m.Number), old, new)
}

// resourceKind is the key under which the form's resources refer to an object, if there is one such key.
func (r *revision) resourceKind(number uint32) pdf.Name {
	_, form, err := r.new.Form()
	if err != nil {
		return ""
	}
	defaults, err := r.new.Dict(form["DR"])
	if err != nil {
		return ""
	}
	var kind pdf.Name
	for k, o := range defaults {
		if refOf(o).Number != number {
			continue
		}
		if kind != "" {
			return ""
		}
		kind = k
	}
	return kind
}

// checkResources lets one kind of resources gain what no field has waited for, and become another where that is seen nowhere.
func (r *revision) checkResources(kind pdf.Name, old, new pdf.Dict) verdict {
	for _, k := range Differing(old, new) {
		if !r.isHarmlessDefault(kind, k, old[k], new[k]) {
			return deny(CodeFormChanged, "/DR"+keyDetail(k))
		}
	}
	return allow("form", LTA, CodeForm)
}

// isHarmlessDefault reports whether a resource of the form may be another than before. Fields are drawn with the fonts that
// their default looks name (ISO 32000-2 §12.7.4.3), and readers differ on whether an appearance finds in the form what it
// does not have itself. So a new resource must be one that neither names. A former one stays what it is, but for pictures
// and the like: default looks cannot name those, and some writers put a template of theirs there with every signature.
func (r *revision) isHarmlessDefault(kind, name pdf.Name, old, new pdf.Object) bool {
	r.recordFont(kind, old, new)
	switch {
	case new == nil:
		return false
	case old == nil && r.isPlainFont(r.new, kind, name, new):
		return true
	case old == nil:
		return !r.isResourceAwaited(name) && !r.isTakenFromDefaults(kind, name)
	case r.isPlainFont(r.old, kind, name, old) && r.isPlainFont(r.new, kind, name, new), r.equalResources(old, new):
		return true
	}
	return kind == "XObject" && !r.isTakenFromDefaults(kind, name)
}
