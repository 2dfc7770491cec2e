package contract

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// PlaceRequest requests one placement in any of the forms that clients send: corners in points, or a box counted from
// the upper left in units of the size at which the client drew the page. The names are those of the interface, because
// errors name the member that was used.
type PlaceRequest struct {
	Kind   PlacementKind
	Page   int
	Person PersonID // or, when empty,
	Email  string

	Sign  *Box // corners for signatures and initials
	Emet  *Box // corners; for signatures too, if Sign is not given
	Props *Props
	Drawn PageSize // size of the page in the units of Props; zero: Props is in points
}

// PageSizeFunc returns the displayed size of a page, counted from 1, and false if there is no such page.
type PageSizeFunc func(page int) (PageSize, bool)

// Props is a box measured from the upper left corner: x to the right, y down.
type Props struct{ X, Y, W, H float64 }

// Warning is about something that was accepted but may not be what was meant.
type Warning struct {
	Field string
	Code  string
	Args  map[string]any
}

// Place replaces the placements of a draft. The answer reports all errors at once, with their entries.
func Place(d *Document, requests []PlaceRequest, sizes PageSizeFunc, by Actor, l Limits, now time.Time) (Change, []Warning, error) {
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
	held := Document{Participants: d.Participants, Placements: slices.Clone(placements)}
	held.holdBoxes(d) // the boxes of a group are those of one person
	checkBoxes(held.Placements, sizes, l, "signers", &bad)
	if err := bad.asError(); err != nil {
		return Change{}, nil, err
	}
	c := newChange(d)
	c.After.Placements = held.Placements
	c.addEvent(EventPlaced, by, now, "placements", fmt.Sprint(len(placements)))
	return c, warnings, nil
}

func (r PlaceRequest) buildPlacement(d *Document, where string, sizes PageSizeFunc, bad *fieldErrors, warnings *[]Warning) Placement {
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
	if box.isTooSmall() {
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

// chooseBox chooses among the given forms: sign for signatures and initials if it is given, else emet if it has an
// area, else props. It returns the name of the member that it used.
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

// resolvePerson returns whose placement it is: by identifier, else by e-mail address among the participants and the
// owner.
func (r PlaceRequest) resolvePerson(d *Document) PersonID {
	if r.Person != "" || r.Email == "" {
		return r.Person
	}
	return d.PersonByEmail(r.Email)
}

// PersonByEmail returns the participant with that address, or the owner; empty if neither has it.
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
