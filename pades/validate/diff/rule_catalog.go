package diff

import "segel/pdf"

// catalogRule allows the catalog to gain a form, a document security store, metadata and statements about versions. One
// that is written under another number is compared with the one that it replaces.
func catalogRule(r *revision, m *changedObject, n node) verdict {
	former := m.old
	if m.isAdded() {
		if ref := r.new.Trailer().Ref("Root"); ref.Number != n.number {
			return deny(CodeRootRedirected, "a spare catalog")
		}
		var err error
		if former, err = r.old.Resolve(r.old.Trailer()["Root"]); err != nil {
			return deny(CodeUnreadable, err.Error())
		}
	}
	old, ok1 := former.(pdf.Dict)
	new, ok2 := m.new.(pdf.Dict)
	if !ok1 || !ok2 {
		return deny(CodeCatalogChanged, "")
	}
	v := allow("catalog", None, CodeCatalog)
	for _, k := range Differing(old, new) {
		v = worstVerdict(v, r.checkCatalogKey(k, old[k], new[k]))
	}
	return v
}

func (r *revision) checkCatalogKey(k pdf.Name, old, new pdf.Object) verdict {
	switch k {
	case "AcroForm":
		return r.checkDictEntry(old, new, roleForm, r.checkForm)
	case "DSS":
		return r.storeVerdict()
	case "Extensions", "MarkInfo":
		return r.checkEntryTarget(new, roleExtensions, allow("extensions", LTA, CodeExtensions))
	case "Metadata":
		return r.checkEntryTarget(new, roleMetadata, allow("metadata", LTA, CodeMetadata))
	case "Version":
		if _, ok := new.(pdf.Name); ok {
			return allow("extensions", LTA, CodeExtensions)
		}
	}
	return deny(CodeCatalogChanged, "/"+string(k))
}

// checkDictEntry judges a dictionary that a key leads to now and the one it led to before. If the new one is an object of
// this revision, the key vouches for it.
func (r *revision) checkDictEntry(old, new pdf.Object, as role, compare func(old, new pdf.Dict) verdict) verdict {
	before, err := r.old.Dict(old)
	if err != nil {
		return deny(CodeUnreadable, err.Error())
	}
	after, err := r.new.Dict(new)
	if err != nil {
		return deny(CodeUnreadable, err.Error())
	}
	v := compare(before, after)
	return r.checkEntryTarget(new, as, v)
}

// checkEntryTarget vouches for the object of this revision that a key leads to now. An object that was there before has not
// been what it is to be now, so it is not taken.
func (r *revision) checkEntryTarget(new pdf.Object, as role, v verdict) verdict {
	ref, ok := new.(pdf.Ref)
	if !ok {
		return v
	}
	m, added := r.isAdded(ref)
	if !added {
		return deny(CodeUnexplained, "an object is put to another use")
	}
	r.approve(m.Number, as, v)
	return v
}

// infoRule lets the information dictionary say anything, and have strings of its own.
func infoRule(*revision, *changedObject, node) verdict {
	return allow("information", LTA, CodeInformation)
}

// extensionsRule lets versions, extensions and marks be stated anew.
func extensionsRule(_ *revision, m *changedObject, _ node) verdict {
	switch m.new.(type) {
	case pdf.Dict, pdf.Array, pdf.Name, pdf.Integer, pdf.String, pdf.Boolean:
		return allow("extensions", LTA, CodeExtensions)
	}
	return deny(CodeCatalogChanged, "/Extensions")
}

// partRule lets what is added bring along what it needs. It was reached only from changed objects, and their rules
// say whether they may be there. Once there it never changes.
func partRule(_ *revision, m *changedObject, _ node) verdict {
	if m.isAdded() && !isExternal(m.new) {
		return allow("part", None, CodeAppearance)
	}
	return deny(CodeUnexplained, "part of what was there before")
}

// contentRule denies: pages look as they looked.
func contentRule(*revision, *changedObject, node) verdict { return deny(CodeContent, "") }
