package pdf

import "fmt"

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

// letter is what readers assume for a page without a usable /MediaBox.
var letter = Rect{0, 0, 612, 792}

func (d *Document) newPage(number int, ref Ref, dict, inherited Dict) (*Page, error) {
	value := func(key Name) Object {
		if v, ok := dict[key]; ok {
			return v
		}
		return inherited[key]
	}
	p := &Page{Number: number, Ref: ref, Dict: dict, Resources: value("Resources"), UserUnit: 1}
	var err error
	if p.MediaBox, err = d.Rect(value("MediaBox")); err != nil {
		return nil, fmt.Errorf("/MediaBox of page %d: %w", number, err)
	}
	if p.MediaBox.Empty() {
		p.MediaBox = letter
	}
	if p.CropBox, err = d.Rect(value("CropBox")); err != nil {
		return nil, fmt.Errorf("/CropBox of page %d: %w", number, err)
	}
	if p.CropBox = p.CropBox.Intersect(p.MediaBox); p.CropBox.Empty() {
		p.CropBox = p.MediaBox
	}
	turn, err := d.Integer(value("Rotate"))
	if err != nil {
		return nil, fmt.Errorf("/Rotate of page %d: %w", number, err)
	}
	if turn%90 == 0 {
		p.Rotate = int((turn%360 + 360) % 360)
	}
	unit, err := d.Number(dict["UserUnit"]) // not inherited
	if err != nil {
		return nil, fmt.Errorf("/UserUnit of page %d: %w", number, err)
	}
	if unit > 0 {
		p.UserUnit = unit
	}
	return p, nil
}
