package diff

import (
	"segel/pdf"
)

// pagesRule denies: the page tree keeps its shape, and what pages inherit.
func pagesRule(*revision, *moved, node) verdict { return deny(CodePages, "") }

// pageRule lets a page gain the widgets of new fields.
func pageRule(r *revision, m *moved, n node) verdict {
	old, ok1 := m.old.(pdf.Dict)
	new, ok2 := m.new.(pdf.Dict)
	if m.added() || !ok1 || !ok2 {
		return deny(CodePages, "")
	}
	v := allow("page", None, CodePage)
	v.page = int(r.g.pages.get(n.number))
	for _, k := range Differing(old, new) {
		v = worse(v, r.pageKey(k, old[k], new[k], n.number))
	}
	return v
}

func (r *revision) pageKey(k pdf.Name, old, new pdf.Object, page uint32) verdict {
	switch k {
	case "Annots":
		before, err1 := r.old.Array(old)
		after, err2 := r.new.Array(new)
		if err1 != nil || err2 != nil {
			return deny(CodeAnnotation, "/Annots cannot be read")
		}
		v := r.annots(page, before, after)
		if refOf(old) == refOf(new) {
			return v
		}
		return r.moveAny(new, roleAnnots, v)
	case "Contents", "Resources":
		return deny(CodeContent, keyDetail(k))
	}
	return deny(CodePageChanged, keyDetail(k))
}

// annotsRule judges the array of a page's annotations.
func annotsRule(r *revision, m *moved, n node) verdict {
	new, ok := m.new.(pdf.Array)
	if m.added() || !ok {
		return r.byVouch(n, CodeAnnotation)
	}
	old, _ := m.old.(pdf.Array)
	return r.annots(n.owner, old, new)
}

// annots lets a page gain the widgets of new fields, each once, and comments come and go.
func (r *revision) annots(page uint32, old, new pdf.Array) verdict {
	v := allow("annotations of page", None, CodeAnnotations)
	v.page = int(r.g.pages.get(page))
	added, ok := grown(old, new)
	if !ok {
		if v = r.removed(old, new); v.denied() {
			return v
		}
	}
	for _, o := range added {
		v = worse(v, r.annot(page, o))
	}
	return v
}

func (r *revision) annot(page uint32, o pdf.Object) verdict {
	ref, ok := o.(pdf.Ref)
	if !ok {
		return deny(CodeAnnotation, "a direct annotation")
	}
	m, isNew := r.isAdded(ref)
	if !isNew {
		return deny(CodeAnnotation, "an object that was there before")
	}
	dict, _ := m.new.(pdf.Dict)
	if v, ok := r.vouched[vouch{ref.Number, roleAnnotation}]; ok {
		r.listed[ref.Number]++
		if p := dict.Ref("P"); !p.IsZero() && p.Number != page || r.listed[ref.Number] > 1 {
			return deny(CodeFieldAdded, "the widget stands on another page as well")
		}
		return verdict{rule: "annotations of page", level: v.level, code: CodeAnnotations}
	}
	return r.comment(nil, dict, ref.Number)
}

// removed lets comments go, and denies that widgets do or that the order changes.
func (r *revision) removed(old, new pdf.Array) verdict {
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
	if _, ok := grown(stay, new); !ok {
		return deny(CodeAnnotation, "order")
	}
	return allow("comments", Annotations, CodeComment)
}
