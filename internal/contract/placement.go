package contract

import "math"

// PlacementKind is what is placed in a box.
type PlacementKind string

// The kinds of placement.
const (
	PlaceStamp     PlacementKind = "emet"
	PlaceSignature PlacementKind = "sign"
	PlaceInitials  PlacementKind = "paraf"
)

// Placement is what the owner requested: what, where and whose.
type Placement struct {
	Kind   PlacementKind
	Page   int // from 1
	Box    Box
	Person PersonID
}

// Box is a rectangle on a page in points, with the origin at the lower left of the page as displayed, LLX < URX and
// LLY < URY.
type Box struct{ LLX, LLY, URX, URY float64 }

// Width returns the width in points.
func (b Box) Width() float64 { return b.URX - b.LLX }

// Height returns the height in points.
func (b Box) Height() float64 { return b.URY - b.LLY }

// PageSize is the size of a page as displayed, in points.
type PageSize struct{ Width, Height float64 }

// Smallest and largest side of a duty stamp, in points.
const (
	StampMin = 40
	StampMax = 200
)

// boxMin is the smallest width and height of a box, in points: one millimetre, below which its content is not visible.
// Clients that write two decimals may be smaller by boxRounding.
const (
	boxMin      = 72 / 25.4
	boxRounding = 0.005
)

// tolerance is how far, in points, a box may extend beyond its page, or two forms of one box may differ, by rounding
// alone.
const tolerance = 1

// orderCorners swaps inverted corners.
func (b Box) orderCorners() Box {
	return Box{math.Min(b.LLX, b.URX), math.Min(b.LLY, b.URY), math.Max(b.LLX, b.URX), math.Max(b.LLY, b.URY)}
}

// hasArea reports whether the box is finite and has an area.
func (b Box) hasArea() bool {
	for _, v := range []float64{b.LLX, b.LLY, b.URX, b.URY} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return b.URX-b.LLX > 0 && b.URY-b.LLY > 0
}

// isTooSmall reports whether the box is narrower or lower than a millimetre.
func (b Box) isTooSmall() bool {
	return b.Width() < boxMin-boxRounding || b.Height() < boxMin-boxRounding
}

// isOnPage reports whether the box is on a page of that size.
func (b Box) isOnPage(p PageSize) bool {
	return b.LLX >= -tolerance && b.LLY >= -tolerance && b.URX <= p.Width+tolerance && b.URY <= p.Height+tolerance
}

// moveOntoPage moves a box that extends beyond its page by rounding back onto the page, if there is room: the stamp
// office takes whole points, and rounding again would move it further out.
func (b Box) moveOntoPage(p PageSize) Box {
	x := math.Max(0, math.Min(b.LLX, p.Width-b.Width()))
	y := math.Max(0, math.Min(b.LLY, p.Height-b.Height()))
	return Box{x, y, x + b.Width(), y + b.Height()}
}

// centredSquare returns the largest centred square of the box.
func (b Box) centredSquare() Box {
	side := math.Min(b.Width(), b.Height())
	x, y := b.LLX+(b.Width()-side)/2, b.LLY+(b.Height()-side)/2
	return Box{x, y, x + side, y + side}
}

// differsBy reports whether any corner of the two boxes differs by more than d points.
func (b Box) differsBy(o Box, d float64) bool {
	return math.Abs(b.LLX-o.LLX) > d || math.Abs(b.LLY-o.LLY) > d || math.Abs(b.URX-o.URX) > d || math.Abs(b.URY-o.URY) > d
}

// isAllowedFor reports whether the placement may belong to that person: signatures and initials to a signer, a duty
// stamp to any participant or the owner.
func (p Placement) isAllowedFor(d *Document, who *Participant) bool {
	if p.Kind == PlaceStamp {
		return who != nil || p.Person == d.Owner.ID
	}
	return who != nil && who.MustSign()
}
