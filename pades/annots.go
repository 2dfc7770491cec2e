package pades

import "segel/pdf"

// appendWidgets puts the new widgets of a page into its /Annots. An array that several pages have in common, or that is the form's
// list of fields as well, is left to the others, and the page gets one of its own: else the widget would appear on all
// of them, or be listed twice.
func (a *fieldAdder) appendWidgets(page pdf.Ref) error {
	dict, err := a.u.Get(page)
	if err != nil {
		return err
	}
	node, ok := dict.(pdf.Dict)
	if !ok {
		return &pdf.Error{Kind: pdf.Damaged, Offset: -1, Msg: "page that is no object of its own"}
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

// copyAnnots gives a page a copy of its /Annots with the new widgets behind it.
func (a *fieldAdder) copyAnnots(page, at pdf.Ref) error {
	o, err := a.u.Resolve(at)
	if err != nil {
		return err
	}
	edit, err := a.u.Edit(page)
	if err != nil {
		return err
	}
	array, _ := o.(pdf.Array) // null, say
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

// separateFields has the form get a list of fields of its own if its list is the /Annots of a page as well. A signature
// that is added later with a widget would change both, which a verifier denies.
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

// countPagesWithAnnots counts the pages that have that array for their /Annots. All pages are looked at once, and only if
// there is an array that stands for itself.
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
