package pades

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"segel/pades/appearance"
	"segel/pdf"
)

// drawAppearances sets the appearances of the signed field's widget and of the signer's marks.
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

// collectEarlierAppearances returns the resources of earlier signatures' appearances, the newest signature first.
func collectEarlierAppearances(d *pdf.Document) (*appearance.ResourcePool, error) {
	signatures, err := d.Signatures()
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(signatures, func(a, b *pdf.Signature) int { return cmp.Compare(b.ContentsAt, a.ContentsAt) })
	var appearances []pdf.Object
	for _, s := range signatures {
		for _, w := range s.Field.Widgets {
			if ap, err := d.Dict(w.Dict["AP"]); err == nil {
				appearances = append(appearances, ap["N"])
			}
		}
	}
	return appearance.NewResourcePool(d, appearances...), nil
}

// drawAppearance sets the normal appearance of a field's first widget; a signature field must not have more than one.
// It changes the widget, not its page.
func drawAppearance(d *pdf.Document, u *pdf.Update, frame appearance.Frame, f *pdf.Field, drawing Appearance) error {
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
		return errors.New("the widget has no area")
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
	form, err := drawing.Form(u, frame)
	if err != nil {
		return err
	}
	widget["AP"] = pdf.Dict{"N": form}
	delete(widget, "AS")
	return nil
}

// findWidgetPage finds the page that lists a widget, for widgets of other programs that lack the optional /P. It
// returns the zero Ref if no page does.
func findWidgetPage(d *pdf.Document, widget pdf.Ref) (pdf.Ref, error) {
	for page, err := range d.Pages() {
		if err != nil {
			return pdf.Ref{}, err
		}
		// A page whose /Annots cannot be read is skipped: no viewer shows the widget there.
		if annots, err := d.Array(page.Dict["Annots"]); err == nil && slices.Contains(annots, pdf.Object(widget)) {
			return page.Ref, nil
		}
	}
	return pdf.Ref{}, nil
}

// readRotation returns the /Rotate of the page with that reference; it may be inherited. An invalid entry counts as
// missing, as in readers.
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

// isReadError reports whether an error comes from reading, and not from a defect of the file.
func isReadError(err error) bool {
	var e *pdf.Error
	return err != nil && !errors.As(err, &e)
}

// readPDFARestrictions returns what PDF/A forbids in appearances. PDF/A-1 forbids transparency; the other parts need a
// blending colour space, which the output intent provides. Device colours need an output intent too: RGB one with three
// components, gray any.
func readPDFARestrictions(d *pdf.Document) (opaque, calibrated bool, err error) {
	part := d.Properties().PDFA
	if part == "" {
		return false, false, nil
	}
	components, err := countIntentComponents(d)
	if err != nil {
		return false, false, fmt.Errorf("output intent: %w", err)
	}
	return strings.HasPrefix(part, "1") || components == 0, components != 3, nil
}

// countIntentComponents returns the number of components of the output intent's profile; 0 if there is no profile.
func countIntentComponents(d *pdf.Document) (int64, error) {
	_, catalog, err := d.Root()
	if err != nil {
		return 0, err
	}
	intents, err := d.Array(catalog["OutputIntents"])
	if err != nil {
		return 0, err
	}
	for _, o := range intents {
		intent, err := d.Dict(o)
		if err != nil {
			return 0, err
		}
		if kind, err := d.Name(intent["S"]); err != nil || kind != "GTS_PDFA1" {
			continue
		}
		profile, err := d.Stream(intent["DestOutputProfile"])
		if err != nil {
			return 0, err
		}
		if profile != nil {
			return d.Integer(profile.Dict["N"])
		}
	}
	return 0, nil
}
