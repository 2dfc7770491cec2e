package pades

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"segel/pades/appearance"
	"segel/pdf"
)

// drawAppearances gives the widget of the signed field, and the signer's marks, their pictures.
func drawAppearances(d *pdf.Document, u *pdf.Update, field *pdf.Field, o Options) error {
	if o.Appearance == nil && len(o.Marks) == 0 {
		return nil
	}
	stock, err := collectEarlierAppearances(d)
	if err != nil {
		return err
	}
	frame := appearance.Frame{Pool: stock}
	if frame.Opaque, frame.Calibrated, err = readPDFARestrictions(d); err != nil {
		return err
	}
	if o.Appearance != nil {
		if err := drawAppearance(d, u, frame, field, o.Appearance); err != nil {
			return fmt.Errorf("appearance of field %q: %w", field.Name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Marks)) {
		f, err := findField(d, name, "Btn")
		if err != nil {
			return err
		}
		if err := drawAppearance(d, u, frame, f, o.Marks[name]); err != nil {
			return fmt.Errorf("appearance of mark %q: %w", name, err)
		}
	}
	return nil
}

// collectEarlierAppearances is what the appearances of earlier signatures brought into the file, those of the newest first.
func collectEarlierAppearances(d *pdf.Document) (*appearance.ResourcePool, error) {
	signatures, err := d.Signatures()
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(signatures, func(a, b *pdf.Signature) int { return cmp.Compare(b.ContentsAt, a.ContentsAt) })
	var looks []pdf.Object
	for _, s := range signatures {
		for _, w := range s.Field.Widgets {
			if ap, err := d.Dict(w.Dict["AP"]); err == nil {
				looks = append(looks, ap["N"])
			}
		}
	}
	return appearance.NewResourcePool(d, looks...), nil
}

// drawAppearance sets the normal appearance of a field's first widget; a signature field must not have more. The widget alone changes, not its page.
func drawAppearance(d *pdf.Document, u *pdf.Update, frame appearance.Frame, f *pdf.Field, look Appearance) error {
	if len(f.Widgets) == 0 || f.Widgets[0].Ref.IsZero() {
		return errors.New("the field has no widget")
	}
	widget, err := u.Edit(f.Widgets[0].Ref)
	if err != nil {
		return err
	}
	rect, err := d.Rect(widget["Rect"])
	if err != nil {
		return err
	}
	if rect.Empty() {
		return errors.New("there is no room for it")
	}
	page := widget.Ref("P")
	if page.IsZero() {
		if page, err = findWidgetPage(d, f.Widgets[0].Ref); err != nil {
			return err
		}
	}
	if frame.Rotate, err = readRotation(d, page); err != nil {
		return err
	}
	frame.Width, frame.Height = rect.Width(), rect.Height()
	form, err := look.Form(u, frame)
	if err != nil {
		return err
	}
	widget["AP"] = pdf.Dict{"N": form}
	delete(widget, "AS")
	return nil
}

// findWidgetPage finds the page that lists a widget, for widgets of other programs that do not name it: /P is optional. It is
// the zero Ref if no page does.
func findWidgetPage(d *pdf.Document, widget pdf.Ref) (pdf.Ref, error) {
	n, err := d.PageCount()
	if err != nil {
		return pdf.Ref{}, err
	}
	for number := 1; number <= n; number++ {
		page, err := d.Page(number)
		if err != nil {
			return pdf.Ref{}, err
		}
		// A page whose list cannot be read is not the one: no viewer shows the widget there.
		if annots, err := d.Array(page.Dict["Annots"]); err == nil && slices.Contains(annots, pdf.Object(widget)) {
			return page.Ref, nil
		}
	}
	return pdf.Ref{}, nil
}

// readRotation returns the /Rotate of the page with that reference, which may be inherited. An entry that cannot be read
// counts as missing, as it does for readers.
func readRotation(d *pdf.Document, page pdf.Ref) (int, error) {
	node, err := d.Dict(page)
	for range 100 {
		if err != nil || node == nil {
			break
		}
		if node["Rotate"] != nil {
			turn, err := d.Integer(node["Rotate"])
			if isReadError(err) {
				return 0, err
			}
			if err != nil || turn%90 != 0 {
				turn = 0
			}
			return int((turn%360 + 360) % 360), nil
		}
		node, err = d.Dict(node["Parent"])
	}
	if isReadError(err) {
		return 0, err
	}
	return 0, nil
}

// isReadError reports whether an error is not the file's fault.
func isReadError(err error) bool {
	var e *pdf.Error
	return err != nil && !errors.As(err, &e)
}
