package emeterai

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"segel/pdf"
)

// findSignature finds the signature of the ordered name. That it is new and the only one is seen from the changes.
func (j *stampCheck) findSignature() error {
	all, err := j.increments[0].Signatures()
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Field.Name == FieldName(j.want.Serial) {
			j.signature = s
			return nil
		}
	}
	return fmt.Errorf("no signature in field %q", FieldName(j.want.Serial))
}

// checkPlace checks that the stamp is to be seen on the page and in the box as ordered. The office moves a page
// number that is too high to the last page and does not say so. A rectangle of whole numbers may be the next
// ones on either side of what was ordered: see [Box].
func (j *stampCheck) checkPlace() error {
	f := j.signature.Field
	if len(f.Widgets) != 1 {
		return fmt.Errorf("stamp with %d widgets", len(f.Widgets))
	}
	w := f.Widgets[0]
	page, err := j.increments[0].Page(j.want.Page)
	if err != nil {
		return fmt.Errorf("page %d: %w", j.want.Page, err)
	}
	annots, err := j.increments[0].Array(page.Dict["Annots"])
	if err != nil {
		return err
	}
	if !slices.Contains(annots, pdf.Object(w.Ref)) {
		return fmt.Errorf("stamp is not on page %d", j.want.Page)
	}
	rect, err := j.increments[0].Rect(w.Dict["Rect"])
	if err != nil {
		return err
	}
	b := j.want.Box
	want := page.ToUser(pdf.Rect{LLX: float64(b.LLX), LLY: float64(b.LLY), URX: float64(b.URX), URY: float64(b.URY)})
	if !isNear(rect, want, spelledRounding) && !(hasWholeCorners(rect) && isNear(rect, want, 1-computedRounding)) {
		return fmt.Errorf("stamp stands in %v, not in %v", rect, want)
	}
	return j.checkVisible(w)
}

// Flags of an annotation (ISO 32000-1 §12.5.3).
const (
	flagHidden = 1 << 1
	flagPrint  = 1 << 2
	flagNoView = 1 << 5
)

func (j *stampCheck) checkVisible(w pdf.Widget) error {
	flags, err := j.increments[0].Integer(w.Dict["F"])
	if err != nil {
		return err
	}
	if flags&flagPrint == 0 || flags&(flagHidden|flagNoView) != 0 {
		return fmt.Errorf("stamp with annotation flags %d is not to be seen", flags)
	}
	ap, err := j.increments[0].Dict(w.Dict["AP"])
	if err != nil {
		return err
	}
	if s, err := j.increments[0].Stream(ap["N"]); err != nil || s == nil {
		return errors.Join(errors.New("stamp without a picture"), err)
	}
	if w.Dict["Lock"] != nil || j.signature.Field.Dict["Lock"] != nil {
		return errors.New("stamp with /Lock")
	}
	return nil
}

// checkSignatureEntries checks what the signature says of itself.
func (j *stampCheck) checkSignatureEntries() error {
	reason, err := j.increments[0].String(j.signature.Dict["Reason"])
	if err != nil {
		return err
	}
	if !strings.HasPrefix(reason.Text(), "["+j.want.Serial+"]") {
		return fmt.Errorf("reason %q does not begin with the serial", reason.Text())
	}
	if j.signature.Type != "Sig" {
		return fmt.Errorf("signature of type %s", j.signature.Type)
	}
	// A certification or a lock would forbid the seal that follows.
	if _, ok := j.signature.Dict["Reference"]; ok {
		return errors.New("signature with /Reference")
	}
	return nil
}

// How far numbers may be off, in user space units.
const (
	spelledRounding  = 0.01 // by how a file spells them
	computedRounding = 1e-6 // by how they were computed
)

// isNear reports whether all corners are less than so far from each other along x and y.
func isNear(a, b pdf.Rect, than float64) bool {
	return math.Abs(a.LLX-b.LLX) < than && math.Abs(a.LLY-b.LLY) < than &&
		math.Abs(a.URX-b.URX) < than && math.Abs(a.URY-b.URY) < than
}

// hasWholeCorners reports whether all corners are whole numbers.
func hasWholeCorners(r pdf.Rect) bool {
	return isNear(r, pdf.Rect{LLX: math.Round(r.LLX), LLY: math.Round(r.LLY), URX: math.Round(r.URX), URY: math.Round(r.URY)}, computedRounding)
}
