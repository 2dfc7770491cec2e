package pades

import "segel/pdf"

// appendWidgets appends the new widgets of a page to its /Annots. If several pages share the array, or if it is also
// the form's list of fields, the page gets its own copy. Otherwise the widget would appear on all those pages, or be
// listed twice.
func (a *fieldAdder) appendWidgets(page pdf.Ref) error {
	dict, err := a.u.Get(page)
	if err != nil {
		return err
	}
	node, ok := dict.(pdf.Dict)
	if !ok {
		return &pdf.Error{Kind: pdf.Damaged, Offset: -1, Msg: "page is not an indirect object"}
	}
	if at := node.Ref("Annots"); !at.IsZero() {
		common, err := a.isSharedArray(at)
		if err != nil {
			return err
		}
		if common {
			return a.copyAnnots(page, at)
		}
	}
	return a.u.Append(page, "Annots", a.annots[page]...)
}

// copyAnnots gives a page its own copy of its /Annots, with the new widgets appended.
func (a *fieldAdder) copyAnnots(page, at pdf.Ref) error {
	o, err := a.u.Resolve(at)
	if err != nil {
		return err
	}
	edit, err := a.u.Edit(page)
	if err != nil {
		return err
	}
	array, _ := o.(pdf.Array) // it may be null
	edit["Annots"] = append(append(pdf.Array{}, array...), a.annots[page]...)
	return nil
}

// isSharedArray reports whether an array is the /Annots of more than one page, or the form's list of fields.
func (a *fieldAdder) isSharedArray(at pdf.Ref) (bool, error) {
	_, form, err := a.d.Form()
	if err != nil {
		return false, err
	}
	if at == form.Ref("Fields") && !a.copyFields {
		return true, nil
	}
	owners, err := a.countPagesWithAnnots(at)
	return owners > 1, err
}

// separateFields marks the form's list of fields for copying if that list is also the /Annots of a page. A later
// signature with a widget would change both uses of the array, and verifiers reject that.
func (a *fieldAdder) separateFields() error {
	_, form, err := a.d.Form()
	if err != nil {
		return err
	}
	at := form.Ref("Fields")
	if at.IsZero() {
		return nil
	}
	owners, err := a.countPagesWithAnnots(at)
	a.copyFields = owners > 0
	return err
}

// countPagesWithAnnots returns how many pages use that array as their /Annots. It scans all pages once, and only if
// there is an indirect array.
func (a *fieldAdder) countPagesWithAnnots(at pdf.Ref) (int, error) {
	if a.annotsUsers == nil {
		a.annotsUsers = map[pdf.Ref]int{}
		last := map[pdf.Ref]pdf.Ref{}
		for page, err := range a.d.Pages() {
			if err != nil {
				return 0, err
			}
			ref := page.Dict.Ref("Annots")
			if ref.IsZero() || last[ref] == page.Ref {
				continue
			}
			last[ref] = page.Ref
			a.annotsUsers[ref]++
		}
	}
	return a.annotsUsers[at], nil
}
