package pades

import "segel/pdf"

// list puts the new widgets of a page into its /Annots. An array that several pages have in common, or that is the form's
// list of fields as well, is left to the others, and the page gets one of its own: else the widget would appear on all
// of them, or be listed twice.
func (a *adder) list(page pdf.Ref) error {
	dict, err := a.u.Get(page)
	if err != nil {
		return err
	}
	node, ok := dict.(pdf.Dict)
	if !ok {
		return &pdf.Error{Kind: pdf.Damaged, Offset: -1, Msg: "page that is no object of its own"}
	}
	if at := node.Ref("Annots"); !at.IsZero() {
		common, err := a.common(at)
		if err != nil {
			return err
		}
		if common {
			return a.detach(page, at)
		}
	}
	return a.u.Append(page, "Annots", a.annots[page]...)
}

// detach gives a page a copy of its /Annots with the new widgets behind it.
func (a *adder) detach(page, at pdf.Ref) error {
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

// common reports whether more than one page has that array for its /Annots, or the form has it for its /Fields. All pages
// are looked at once, and only if there is a page whose array stands for itself.
func (a *adder) common(at pdf.Ref) (bool, error) {
	if a.shared == nil {
		a.shared = map[pdf.Ref]bool{}
		_, form, err := a.d.Form()
		if err != nil {
			return false, err
		}
		a.shared[form.Ref("Fields")] = true
		owner := map[pdf.Ref]pdf.Ref{}
		for page, err := range a.d.Pages() {
			if err != nil {
				return false, err
			}
			ref := page.Dict.Ref("Annots")
			if ref.IsZero() {
				continue
			}
			if first, known := owner[ref]; known && first != page.Ref {
				a.shared[ref] = true
			}
			owner[ref] = page.Ref
		}
	}
	return a.shared[at], nil
}
