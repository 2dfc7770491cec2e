package pdf

import "math"

// Rect is a rectangle in points of 1/72 inch, or in user space units where it
// says so, with the origin at the lower left and LLX <= URX, LLY <= URY.
type Rect struct{ LLX, LLY, URX, URY float64 }

// Width is the extent along x.
func (r Rect) Width() float64 { return r.URX - r.LLX }

// Height is the extent along y.
func (r Rect) Height() float64 { return r.URY - r.LLY }

// Empty reports whether the rectangle has no area.
func (r Rect) Empty() bool { return r.Width() <= 0 || r.Height() <= 0 }

// isFinite reports whether the sides of the rectangle are, in units of that many points.
func (r Rect) isFinite(unit float64) bool {
	return !math.IsInf(r.Width()*unit, 0) && !math.IsInf(r.Height()*unit, 0)
}

// Intersect returns the common area of two rectangles; the result is Empty if there is none.
func (r Rect) Intersect(o Rect) Rect {
	return Rect{max(r.LLX, o.LLX), max(r.LLY, o.LLY), min(r.URX, o.URX), min(r.URY, o.URY)}
}

// Contains reports whether a point lies in the rectangle or on its edge.
func (r Rect) Contains(x, y float64) bool {
	return x >= r.LLX && x <= r.URX && y >= r.LLY && y <= r.URY
}

// ShareWithin is the share of the rectangle that lies within an area, from 0 to 1; 0 if it is Empty.
func (r Rect) ShareWithin(area Rect) float64 {
	common := area.Intersect(r)
	if common.LLX >= common.URX || common.LLY >= common.URY || r.Empty() {
		return 0
	}
	return common.Width() * common.Height() / (r.Width() * r.Height())
}

// Array is the rectangle as a PDF object, rounded to 1/10,000 of a point.
func (r Rect) Array() Array {
	a := make(Array, 4)
	for i, v := range [4]float64{r.LLX, r.LLY, r.URX, r.URY} {
		a[i] = Real(math.Round(v*1e4) / 1e4)
	}
	return a
}

// Rect resolves o to a rectangle. Corners may be in any order; a missing rectangle is the zero Rect.
func (d *Document) Rect(o Object) (Rect, error) {
	a, err := d.Array(o)
	if err != nil || a == nil {
		return Rect{}, err
	}
	if len(a) < 4 {
		return Rect{}, damaged(-1, "rectangle of %d numbers", len(a))
	}
	var v [4]float64
	for i := range v {
		if v[i], err = d.Number(a[i]); err != nil {
			return Rect{}, err
		}
	}
	return Rect{min(v[0], v[2]), min(v[1], v[3]), max(v[0], v[2]), max(v[1], v[3])}, nil
}

// DisplayedSize returns the size of the page as a viewer shows it: the crop box, rotated by Rotate, in points.
func (p *Page) DisplayedSize() (width, height float64) {
	width, height = p.CropBox.Width()*p.UserUnit, p.CropBox.Height()*p.UserUnit
	if p.Rotate%180 != 0 {
		return height, width
	}
	return width, height
}

// ToUser converts a box on the page as displayed (points, origin at the lower left of what the viewer shows) to default
// user space of the page, as used by /Rect of an annotation.
func (p *Page) ToUser(displayed Rect) Rect {
	x1, y1 := p.pointToUser(displayed.LLX, displayed.LLY)
	x2, y2 := p.pointToUser(displayed.URX, displayed.URY)
	return Rect{min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)}
}

// FromUser is the inverse of ToUser.
func (p *Page) FromUser(user Rect) Rect {
	x1, y1 := p.pointFromUser(user.LLX, user.LLY)
	x2, y2 := p.pointFromUser(user.URX, user.URY)
	return Rect{min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)}
}

// pointToUser undoes the clockwise rotation by Rotate.
func (p *Page) pointToUser(x, y float64) (float64, float64) {
	x, y = x/p.UserUnit, y/p.UserUnit
	w, h := p.CropBox.Width(), p.CropBox.Height()
	switch p.Rotate {
	case 90:
		x, y = w-y, x
	case 180:
		x, y = w-x, h-y
	case 270:
		x, y = y, h-x
	}
	return p.CropBox.LLX + x, p.CropBox.LLY + y
}

func (p *Page) pointFromUser(x, y float64) (float64, float64) {
	x, y = x-p.CropBox.LLX, y-p.CropBox.LLY
	w, h := p.CropBox.Width(), p.CropBox.Height()
	switch p.Rotate {
	case 90:
		x, y = y, w-x
	case 180:
		x, y = w-x, h-y
	case 270:
		x, y = h-y, x
	}
	return x * p.UserUnit, y * p.UserUnit
}
