package emeterai

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"segel/pdf"
)

// signatures finds the signature of the ordered name. That it is new and the only one is seen from the changes.
func (j *judge) signatures() error {
	all, err := j.added[0].Signatures()
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Field.Name == Field(j.want.Serial) {
			j.signature = s
			return nil
		}
	}
	return fmt.Errorf("no signature in field %q", Field(j.want.Serial))
}

// placed checks that the stamp is to be seen on the page and in the box as ordered. The office moves a page
// number that is too high to the last page and does not say so. A rectangle of whole numbers may be the next
// ones on either side of what was ordered: see [Box].
func (j *judge) placed() error {
	f := j.signature.Field
	if len(f.Widgets) != 1 {
		return fmt.Errorf("stamp with %d widgets", len(f.Widgets))
	}
	w := f.Widgets[0]
	page, err := j.added[0].Page(j.want.Page)
	if err != nil {
		return fmt.Errorf("page %d: %w", j.want.Page, err)
	}
	annots, err := j.added[0].Array(page.Dict["Annots"])
	if err != nil {
		return err
	}
	if !slices.Contains(annots, pdf.Object(w.Ref)) {
		return fmt.Errorf("stamp is not on page %d", j.want.Page)
	}
	rect, err := j.added[0].Rect(w.Dict["Rect"])
	if err != nil {
		return err
	}
	b := j.want.Box
	want := page.ToUser(pdf.Rect{LLX: float64(b.LLX), LLY: float64(b.LLY), URX: float64(b.URX), URY: float64(b.URY)})
	if !near(rect, want, rounding) && !(whole(rect) && near(rect, want, 1-tiny)) {
		return fmt.Errorf("stamp stands in %v, not in %v", rect, want)
	}
	return j.visible(w)
}

// Flags of an annotation (ISO 32000-1 §12.5.3).
const (
	flagHidden = 1 << 1
	flagPrint  = 1 << 2
	flagNoView = 1 << 5
)

func (j *judge) visible(w pdf.Widget) error {
	flags, err := j.added[0].Integer(w.Dict["F"])
	if err != nil {
		return err
	}
	if flags&flagPrint == 0 || flags&(flagHidden|flagNoView) != 0 {
		return fmt.Errorf("stamp with annotation flags %d is not to be seen", flags)
	}
	ap, err := j.added[0].Dict(w.Dict["AP"])
	if err != nil {
		return err
	}
	if s, err := j.added[0].Stream(ap["N"]); err != nil || s == nil {
		return errors.Join(errors.New("stamp without a picture"), err)
	}
	if w.Dict["Lock"] != nil || j.signature.Field.Dict["Lock"] != nil {
		return errors.New("stamp with /Lock")
	}
	return nil
}

// named checks what the signature says of itself.
func (j *judge) named() error {
	reason, err := j.added[0].String(j.signature.Dict["Reason"])
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
	rounding = 0.01 // by how a file spells them
	tiny     = 1e-6 // by how they were computed
)

// near reports whether all corners are less than so far from each other along x and y.
func near(a, b pdf.Rect, than float64) bool {
	return math.Abs(a.LLX-b.LLX) < than && math.Abs(a.LLY-b.LLY) < than &&
		math.Abs(a.URX-b.URX) < than && math.Abs(a.URY-b.URY) < than
}

// whole reports whether all corners are whole numbers.
func whole(r pdf.Rect) bool {
	return near(r, pdf.Rect{LLX: math.Round(r.LLX), LLY: math.Round(r.LLY), URX: math.Round(r.URX), URY: math.Round(r.URY)}, tiny)
}
