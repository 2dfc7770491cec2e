package diff

import (
	"segel/pdf"
)

// structureRule checks the root of the structure tree of a tagged file, which may only gain elements for the widgets of
// new fields (ISO 32000-2 §14.7).
func structureRule(r *revision, m *changedObject, _ node) verdict {
	old, ok1 := m.old.(pdf.Dict)
	new, ok2 := m.new.(pdf.Dict)
	if m.isAdded() || !ok1 || !ok2 {
		return deny(CodeStructChanged, "")
	}
	v := allow("structure", None, CodeStructure)
	for _, k := range Differing(old, new) {
		switch k {
		case "K":
			v = worstVerdict(v, r.checkKids(old[k], new[k]))
		case "ParentTree":
			v = worstVerdict(v, r.checkDictEntry(old[k], new[k], roleParents, r.checkParentTree))
		case "ParentTreeNextKey":
			a, err1 := r.old.Integer(old[k])
			b, err2 := r.new.Integer(new[k])
			if err1 != nil || err2 != nil || b < a {
				return deny(CodeStructChanged, keyDetail(k))
			}
		default:
			return deny(CodeStructChanged, keyDetail(k))
		}
	}
	return v
}

// checkKids allows an element to gain kids behind those it has. A single kid may become the first of a list.
func (r *revision) checkKids(old, new pdf.Object) verdict {
	before, after, ok := r.childLists(old, new)
	if !ok {
		return deny(CodeStructChanged, "/K cannot be read")
	}
	added, ok := addedElements(before, after)
	if !ok {
		return deny(CodeStructChanged, "/K")
	}
	for _, o := range added {
		if v := r.checkNewElement(o); v.isDenied() {
			return v
		}
	}
	v := allow("structure", None, CodeStructure)
	if ref := pdf.AsRef(new); !ref.IsZero() && ref != pdf.AsRef(old) && len(after) > 1 {
		return r.checkEntryTarget(new, roleElements, v)
	}
	return v
}

func (r *revision) childLists(old, new pdf.Object) (before, after pdf.Array, ok bool) {
	a, err1 := r.old.Resolve(old)
	b, err2 := r.new.Resolve(new)
	if err1 != nil || err2 != nil {
		return nil, nil, false
	}
	before, ok = a.(pdf.Array)
	if !ok && old != nil {
		before = pdf.Array{old}
	}
	after, ok = b.(pdf.Array)
	if !ok {
		after = pdf.Array{new}
	}
	return before, after, true
}

var elementKeys = map[pdf.Name]bool{"Type": true, "S": true, "P": true, "Pg": true, "K": true, "Alt": true, "T": true, "Lang": true, "ID": true, "E": true}

// checkNewElement checks a new element: a form that holds the widget of a new field. It approves the element.
func (r *revision) checkNewElement(o pdf.Object) verdict {
	m, added := r.isAdded(o)
	if !added {
		return deny(CodeStructChanged, "an element that was there before")
	}
	dict, ok := m.new.(pdf.Dict)
	if !ok || !equalObjects(dict["S"], pdf.Name("Form")) {
		return deny(CodeStructChanged, "no form")
	}
	for _, k := range sortKeys(make([]pdf.Name, 0, fewKeys), dict) {
		if !elementKeys[k] {
			return deny(CodeStructChanged, keyDetail(k))
		}
	}
	parent := dict.Ref("P").Number
	if !r.g.hasRole(parent, roleElement) && !r.g.hasRole(parent, roleStructure) {
		return deny(CodeStructChanged, "/P")
	}
	if v := r.checkNewReference(dict["K"]); v.isDenied() {
		return v
	}
	r.approve(m.Number, roleElement, allow("structure", None, CodeStructure))
	return verdict{}
}

// checkNewReference checks what a new element holds: a reference to the widget of a new field.
func (r *revision) checkNewReference(o pdf.Object) verdict {
	if list, ok := o.(pdf.Array); ok && len(list) == 1 {
		o = list[0]
	}
	dict, err := r.new.Dict(o)
	if err != nil || !equalObjects(dict["Type"], pdf.Name("OBJR")) {
		return deny(CodeStructChanged, "no reference to an object")
	}
	for _, k := range sortKeys(make([]pdf.Name, 0, fewKeys), dict) {
		if k != "Type" && k != "Obj" && k != "Pg" {
			return deny(CodeStructChanged, keyDetail(k))
		}
	}
	if v, ok := r.approvals[approvalKey{dict.Ref("Obj").Number, roleAnnotation}]; !ok || v.isDenied() {
		return deny(CodeStructChanged, "not the widget of a new field")
	}
	if ref, ok := o.(pdf.Ref); ok {
		if _, added := r.isAdded(ref); !added {
			return deny(CodeStructChanged, "an object that was there before")
		}
		r.approve(ref.Number, roleElement, allow("structure", None, CodeStructure))
	}
	return verdict{}
}

// checkElement checks a changed element: it may gain kids.
func (r *revision) checkElement(m *changedObject) verdict {
	old, ok1 := m.old.(pdf.Dict)
	new, ok2 := m.new.(pdf.Dict)
	if !ok1 || !ok2 {
		return deny(CodeStructChanged, "no dictionary")
	}
	v := allow("structure", None, CodeStructure)
	for _, k := range Differing(old, new) {
		if k != "K" {
			return deny(CodeStructChanged, keyDetail(k))
		}
		v = worstVerdict(v, r.checkKids(old[k], new[k]))
	}
	return v
}

// checkParentTree allows a number tree to gain pairs, or leaves, for new elements.
func (r *revision) checkParentTree(old, new pdf.Dict) verdict {
	v := allow("structure", None, CodeStructure)
	for _, k := range Differing(old, new) {
		switch k {
		case "Limits":
		case "Nums":
			v = worstVerdict(v, r.checkArrayEntry(old[k], new[k], roleNumbers, deny(CodeStructChanged, "/Nums cannot be read"), r.checkNumberPairs))
		case "Kids":
			v = worstVerdict(v, r.checkParentKids(old[k], new[k]))
		default:
			return deny(CodeStructChanged, "/ParentTree"+keyDetail(k))
		}
	}
	return v
}

func (r *revision) checkParentKids(old, new pdf.Object) verdict {
	before, err1 := r.old.Array(old)
	after, err2 := r.new.Array(new)
	added, ok := addedElements(before, after)
	if err1 != nil || err2 != nil || !ok {
		return deny(CodeStructChanged, "/ParentTree/Kids")
	}
	v := allow("structure", None, CodeStructure)
	for _, o := range added {
		v = worstVerdict(v, r.checkDictEntry(nil, o, roleParents, r.checkParentTree))
	}
	if pdf.AsRef(old) == pdf.AsRef(new) {
		return v
	}
	return r.checkEntryTarget(new, roleParents, v)
}

// checkNumberPairs allows new pairs behind the earlier ones, each for a new element.
func (r *revision) checkNumberPairs(old, new pdf.Array) verdict {
	if len(new) < len(old) || len(new)%2 != 0 || !equalObjects(old, new[:len(old)]) {
		return deny(CodeStructChanged, "/Nums")
	}
	last := int64(-1)
	if len(old) > 1 {
		last, _ = r.old.Integer(old[len(old)-2])
	}
	for i := len(old); i < len(new); i += 2 {
		k, ok := new[i].(pdf.Integer)
		v, approved := r.approvals[approvalKey{pdf.AsRef(new[i+1]).Number, roleElement}]
		if !ok || int64(k) <= last || !approved || v.isDenied() {
			return deny(CodeStructChanged, "/Nums")
		}
		last = int64(k)
	}
	return allow("structure", None, CodeStructure)
}
