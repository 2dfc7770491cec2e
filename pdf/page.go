package pdf

import (
	"errors"
	"fmt"
	"math"
)

// Page is one page with what it inherits from the page tree.
type Page struct {
	Number    int // from 1
	Ref       Ref
	Dict      Dict // as in the file, without what is inherited
	MediaBox  Rect // default user space
	CropBox   Rect // within MediaBox
	Rotate    int  // clockwise degrees: 0, 90, 180 or 270
	UserUnit  float64
	Resources Object // perhaps inherited, perhaps a reference
}

// letterSize is what readers assume for a page without a usable /MediaBox.
var letterSize = Rect{0, 0, 612, 792}

func (d *Document) newPage(number int, ref Ref, dict, inherited Dict) (*Page, error) {
	value := func(key Name) Object {
		if v, ok := dict[key]; ok {
			return v
		}
		return inherited[key]
	}
	p := &Page{Number: number, Ref: ref, Dict: dict, Resources: value("Resources"), UserUnit: 1}
	media, err1 := d.Rect(value("MediaBox"))
	crop, err2 := d.Rect(value("CropBox"))
	turn, err3 := d.Number(value("Rotate"))
	unit, err4 := d.Number(dict["UserUnit"]) // not inherited
	for _, err := range []error{err1, err2, err3, err4} {
		switch {
		case err == nil:
		case errors.Is(err, ErrDamaged):
			// Every reader shows the page as if the entry were missing.
			d.noteDefect("page with an unreadable box, turn or unit")
		default:
			return nil, fmt.Errorf("page %d: %w", number, err)
		}
	}
	if p.MediaBox = media; media.Empty() {
		p.MediaBox = letterSize
	}
	if p.CropBox = crop.Intersect(p.MediaBox); p.CropBox.Empty() {
		p.CropBox = p.MediaBox
	}
	if quarter := turn / 90; quarter == math.Trunc(quarter) && math.Abs(quarter) < 1<<30 {
		p.Rotate = int((int64(quarter)%4 + 4) % 4 * 90)
	}
	if unit > 0 && !math.IsInf(unit, 0) {
		p.UserUnit = unit
	}
	return p, nil
}
