package diff

import (
	"segel/pdf"
)

// pagesRule denies: the page tree keeps its shape, and what pages inherit.
func pagesRule(*revision, *changedObject, node) verdict { return deny(CodePages, "") }

// pageRule lets a page gain the widgets of new fields.
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
		before, err1 := r.old.Array(old)
		after, err2 := r.new.Array(new)
		if err1 != nil || err2 != nil {
			return deny(CodeAnnotation, "/Annots cannot be read")
		}
		v := r.checkAnnotations(page, before, after)
		if refOf(old) == refOf(new) {
			return v
		}
		return r.checkEntryTarget(new, roleAnnots, v)
	case "Contents", "Resources":
		return deny(CodeContent, keyDetail(k))
	}
	return deny(CodePageChanged, keyDetail(k))
}

// annotsRule judges the array of a page's annotations.
func annotsRule(r *revision, m *changedObject, n node) verdict {
	new, ok := m.new.(pdf.Array)
	if m.isAdded() || !ok {
		return r.approvedVerdict(n, CodeAnnotation)
	}
	old, _ := m.old.(pdf.Array)
	return r.checkAnnotations(n.owner, old, new)
}

// checkAnnotations lets a page gain the widgets of new fields, each once, and comments come and go.
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
			return deny(CodeFieldAdded, "the widget stands on another page as well")
		}
		return verdict{rule: "annotations of page", level: v.level, code: CodeAnnotations}
	}
	return r.checkComment(nil, dict, ref.Number)
}

// checkRemovedAnnotations lets comments go, and denies that widgets do or that the order changes.
func (r *revision) checkRemovedAnnotations(old, new pdf.Array) verdict {
	kept := map[pdf.Ref]bool{}
	for _, o := range new {
		kept[refOf(o)] = true
	}
	var stay pdf.Array
	for _, o := range old {
		if ref := refOf(o); !ref.IsZero() && !kept[ref] {
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
