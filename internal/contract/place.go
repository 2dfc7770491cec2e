package contract

import (
	"fmt"
	"strings"
	"time"
)

// PlaceRequest asks for one placement in the spellings a client has: corners in points, or a box counted
// from the upper left in units of the size the client drew the page at.
type PlaceRequest struct {
	Kind   PlacementKind
	Page   int
	Person PersonID // or, when empty,
	Email  string

	Sign  *Box // corners for signatures and initials
	Emet  *Box // corners; for signatures too where Sign is not given
	Props *Props
	Drawn PageSize // what Props counts in; zero: points of the page itself
}

// Props is a box from the upper left corner: x to the right, y down.
type Props struct{ X, Y, W, H float64 }

// Warning tells about something that was accepted and may not be what was meant.
type Warning struct {
	Field string
	Code  string
	Args  map[string]any
}

// Place replaces the placements of a draft. Sizes gives the displayed size of a page, false where there is no
// such page. All that is wrong is answered at once, naming the entries.
func Place(d *Document, requests []PlaceRequest, sizes func(page int) (PageSize, bool), by Actor, l Limits, now time.Time) (Change, []Warning, error) {
	if err := d.Authorise(by, OpPlace); err != nil {
		return Change{}, nil, err
	}
	if d.State != Draft {
		return Change{}, nil, ErrNotDraft
	}
	if err := d.RequirePDF(); err != nil {
		return Change{}, nil, err
	}
	var bad fieldErrors
	if len(requests) > l.Placements {
		bad.add("signers", "placements.too_many", "limit", l.Placements)
		return Change{}, nil, bad.asError()
	}
	warnings := []Warning{}
	placements := make([]Placement, 0, len(requests))
	stamps := 0
	for i, r := range requests {
		where := fmt.Sprintf("signers[%d]", i)
		if r.Kind == PlaceStamp {
			stamps++
		}
		placements = append(placements, r.buildPlacement(d, where, sizes, &bad, &warnings))
	}
	if stamps > l.Stamps {
		bad.add("signers", "stamps.too_many", "limit", l.Stamps)
	}
	checkBoxes(placements, sizes, l, "signers", &bad)
	if err := bad.asError(); err != nil {
		return Change{}, nil, err
	}
	c := newChange(d)
	c.After.Placements = placements
	c.addEvent(EventPlaced, by, now, "placements", fmt.Sprint(len(placements)))
	return c, warnings, nil
}

func (r PlaceRequest) buildPlacement(d *Document, where string, sizes func(int) (PageSize, bool), bad *fieldErrors, warnings *[]Warning) Placement {
	p := Placement{Kind: r.Kind, Page: r.Page, Person: r.resolvePerson(d)}
	switch r.Kind {
	case PlaceStamp, PlaceSignature, PlaceInitials:
		if !p.isAllowedFor(d, d.Participant(p.Person)) {
			bad.add(where+".user", "placement.stranger")
		}
	default:
		bad.add(where+".type", "placement.unknown_type")
	}
	size, ok := sizes(r.Page)
	if !ok {
		bad.add(where+".page", "placement.no_such_page", "page", r.Page, "pages", d.Pages)
		return p
	}
	box, member, ok := r.chooseBox(size)
	if !ok {
		bad.add(where+"."+member, "placement.no_area")
		return p
	}
	if !box.isOnPage(size) {
		bad.add(where+"."+member, "placement.off_page", "width", size.Width, "height", size.Height)
		return p
	}
	if box.tooSmall() {
		bad.add(where+"."+member, "placement.too_small", "min", 1)
		return p
	}
	p.Box = box
	if r.Kind == PlaceStamp {
		p.Box = box.centredSquare().moveOntoPage(size)
		if side := p.Box.Width(); side < StampMin || side > StampMax {
			bad.add(where+"."+member, "placement.stamp_size", "min", StampMin, "max", StampMax, "side", side)
		}
	}
	if props, ok := r.convertProps(size); ok && member == "emet" && props.differsBy(box, 2) {
		*warnings = append(*warnings, Warning{Field: where, Code: "placement.emet_props_differ"})
	}
	return p
}

// chooseBox chooses among the spellings: sign for signatures and initials where given, else emet where it has an
// area, else props. It names the member it took the box from.
func (r PlaceRequest) chooseBox(size PageSize) (Box, string, bool) {
	if r.Kind != PlaceStamp && r.Sign != nil {
		b := r.Sign.orderCorners()
		return b, "sign", b.hasArea()
	}
	if r.Emet != nil {
		if b := r.Emet.orderCorners(); b.hasArea() {
			return b, "emet", true
		}
	}
	b, ok := r.convertProps(size)
	if !ok && r.Props == nil {
		return b, "emet", false
	}
	return b, "props", ok
}

// convertProps returns the box of Props in points of the page.
func (r PlaceRequest) convertProps(size PageSize) (Box, bool) {
	if r.Props == nil {
		return Box{}, false
	}
	sx, sy := 1.0, 1.0
	if w := r.Drawn.Width; w > 0 && (w < size.Width-tolerance || w > size.Width+tolerance) {
		sx = size.Width / w
	}
	if h := r.Drawn.Height; h > 0 && (h < size.Height-tolerance || h > size.Height+tolerance) {
		sy = size.Height / h
	}
	q := *r.Props
	b := Box{q.X * sx, size.Height - (q.Y+q.H)*sy, (q.X + q.W) * sx, size.Height - q.Y*sy}
	if q.W <= 0 || q.H <= 0 {
		return b, false
	}
	return b, b.hasArea()
}

// resolvePerson resolves whose placement it is: by id, else by e-mail among the participants and the owner.
func (r PlaceRequest) resolvePerson(d *Document) PersonID {
	if r.Person != "" || r.Email == "" {
		return r.Person
	}
	return d.PersonByEmail(r.Email)
}

// PersonByEmail returns the participant with that address, or the owner; empty when neither has it.
func (d *Document) PersonByEmail(email string) PersonID {
	if email == "" {
		return ""
	}
	if address, code := ParseEmail(email); code == "" {
		email = address
	}
	for _, p := range d.Participants {
		if strings.EqualFold(p.Email, email) {
			return p.ID
		}
	}
	if strings.EqualFold(d.Owner.Email, email) {
		return d.Owner.ID
	}
	return ""
}
