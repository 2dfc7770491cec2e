package diff

import "segel/pdf"

// catalogRule allows the catalog to gain a form, a document security store, metadata and version entries. A catalog
// under another number is compared with the one it replaces.
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

// checkDictEntry compares the dictionaries that a key refers to before and now. If the new one is an object of this
// revision, it is approved with the verdict.
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

// checkEntryTarget approves the object of this revision that a key refers to now. An object from before is denied: it
// had another use.
func (r *revision) checkEntryTarget(new pdf.Object, as role, v verdict) verdict {
	ref, ok := new.(pdf.Ref)
	if !ok {
		return v
	}
	m, added := r.isAdded(ref)
	if !added {
		return deny(CodeUnexplained, "an existing object in a new role")
	}
	r.approve(m.Number, as, v)
	return v
}

// infoRule allows any change of the information dictionary.
func infoRule(*revision, *changedObject, node) verdict {
	return allow("information", LTA, CodeInformation)
}

// extensionsRule allows changes of versions, extensions and mark information.
func extensionsRule(_ *revision, m *changedObject, _ node) verdict {
	switch m.new.(type) {
	case pdf.Dict, pdf.Array, pdf.Name, pdf.Integer, pdf.String, pdf.Boolean:
		return allow("extensions", LTA, CodeExtensions)
	}
	return deny(CodeCatalogChanged, "/Extensions")
}

// partRule allows new objects to have parts. A part is reached only from changed objects, whose rules decide whether
// they may be there. Later it never changes.
func partRule(_ *revision, m *changedObject, _ node) verdict {
	if m.isAdded() && !isExternal(m.new) {
		return allow("part", None, CodeAppearance)
	}
	return deny(CodeUnexplained, "part of an earlier object")
}

// contentRule denies: the content of pages does not change.
func contentRule(*revision, *changedObject, node) verdict { return deny(CodeContent, "") }
