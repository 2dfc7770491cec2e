package api

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"segel/internal/contract"
	"segel/internal/text"
	"segel/internal/workflow"
)

type placeIn struct {
	DocumentID integer           `json:"document_id" required:"true"`
	Signers    list[placementIO] `json:"signers" required:"true" doc:"replaces all placements of the draft"`
	Version    integer           `json:"version" required:"false" doc:"version of the draft that was read. 409 document.version_changed if it has another one now. Missing: the change replaces whatever is there" example:"4"`
}

type placeData struct {
	DocumentID contract.DocumentID `json:"document_id" example:"1207"`
	Signer     []placementIO       `json:"signer" doc:"the entries as they were received"`
	Version    int64               `json:"version" doc:"of the document; rises with every change" example:"5"`
}

// placementIO is one placement in the spelling of clients, for input and output.
type placementIO struct {
	Page         ordinal    `json:"page" required:"true" doc:"from 1" example:"1"`
	Props        *propsIO   `json:"props" required:"false"`
	User         userIO     `json:"user" required:"true" doc:"a participant; for a duty stamp also the owner. By userid, else by e-mail"`
	Emet         *cornersIO `json:"emet" required:"false"`
	Sign         raw        `json:"sign" required:"false" doc:"corners like those of emet, for types sign and paraf"`
	Type         phrase     `json:"type" required:"true" doc:"emet: a duty stamp; sign: a signature; paraf: initials" enum:"emet,sign,paraf" example:"emet"`
	DocumentSize *sizeIO    `json:"documentSize" required:"false"`
}

// propsIO measures from the upper left corner of the page, in units of documentSize.
type propsIO struct {
	X number `json:"x" example:"306"`
	Y number `json:"y" example:"396"`
	W number `json:"w" example:"54"`
	H number `json:"h" example:"54"`
}

type userIO struct {
	Speciment phrase  `json:"speciment" required:"false" doc:"may be empty"`
	Name      phrase  `json:"name" required:"false" example:"Siti Rahma"`
	Email     *phrase `json:"email" required:"false" nullable:"true" example:"siti@contoh.id"`
	UserID    phrase  `json:"userid" required:"false" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
}

// cornersIO are points of the page as displayed, origin at the lower left.
type cornersIO struct {
	URX number `json:"urx" example:"360"`
	URY number `json:"ury" example:"396"`
	LLX number `json:"llx" example:"306"`
	LLY number `json:"lly" example:"342"`
}

type sizeIO struct {
	Height number `json:"height" example:"792"`
	Width  number `json:"width" example:"612"`
}

func (c *call) placeFields(in *placeIn) (done[placeData], error) {
	var bad problems
	id := parseDocumentID(in.DocumentID, &bad)
	requests, seen := in.placeRequests(c.Limits.Placements, &bad), parseSeenVersion(in.Version, &bad)
	if err := c.refuseInput(id, bad); err != nil {
		return done[placeData]{}, err
	}
	return runOperation(c, func(ctx context.Context) (workflow.WarnedDocument, error) {
		return c.Workflow.Place(ctx, c.by, id, seen, requests)
	}, func(r workflow.WarnedDocument) done[placeData] {
		out := doneAnswer(c, "done.placement", placeData{DocumentID: r.Document.ID, Signer: echoPlacements(in.Signers.items, &r.Document), Version: r.Document.Version})
		out.Response.Warnings = c.warningsOf(r.Warnings)
		return out
	})
}

func (in *placeIn) placeRequests(limit int, bad *problems) []contract.PlaceRequest {
	entries := in.Signers.checkedValue("signers", bad)
	if len(entries) > limit {
		// The rule would refuse this too; checking here avoids parsing a million entries first.
		bad.add("signers", "placements.too_many", "limit", limit)
		return nil
	}
	requests := make([]contract.PlaceRequest, 0, len(entries))
	for i := range entries {
		requests = append(requests, entries[i].placeRequest(fmt.Sprintf("signers[%d].", i), bad))
	}
	return requests
}

func (p *placementIO) placeRequest(at string, bad *problems) contract.PlaceRequest {
	r := contract.PlaceRequest{
		Kind:   contract.PlacementKind(p.Type.checkedValue(at+"type", bad)),
		Page:   p.Page.checkedValue(at+"page", bad),
		Person: parsePersonID(p.User.UserID.checkedValue(at+"user.userid", bad)),
		Emet:   p.Emet.toBox(at+"emet.", bad),
		Props:  p.Props.toProps(at+"props.", bad),
	}
	if p.User.Email != nil {
		r.Email = trimEmail(p.User.Email.checkedValue(at+"user.email", bad))
	}
	p.User.Name.checkedValue(at+"user.name", bad)
	p.User.Speciment.checkedValue(at+"user.speciment", bad)
	if r.Kind == contract.PlaceSignature || r.Kind == contract.PlaceInitials {
		r.Sign = parseCorners(p.Sign).toBox(at+"sign.", bad)
	}
	if s := p.DocumentSize; s != nil && (s.Height.isGiven() || s.Width.isGiven()) {
		r.Drawn = contract.PageSize{Width: s.Width.checkedValue(at+"documentSize.width", bad), Height: s.Height.checkedValue(at+"documentSize.height", bad)}
	}
	return r
}

// toBox returns the corners, or nil when none is given.
func (c *cornersIO) toBox(at string, bad *problems) *contract.Box {
	if c == nil || !c.URX.isGiven() && !c.URY.isGiven() && !c.LLX.isGiven() && !c.LLY.isGiven() {
		return nil
	}
	return &contract.Box{
		LLX: c.LLX.checkedValue(at+"llx", bad), LLY: c.LLY.checkedValue(at+"lly", bad),
		URX: c.URX.checkedValue(at+"urx", bad), URY: c.URY.checkedValue(at+"ury", bad),
	}
}

// parseCorners reads the value of sign. Clients send other values there too; only an object can hold corners.
func parseCorners(v raw) *cornersIO {
	if !strings.HasPrefix(string(v.RawMessage), "{") {
		return nil
	}
	c := new(cornersIO)
	if json.Unmarshal(v.RawMessage, c) != nil {
		return nil
	}
	return c
}

func (p *propsIO) toProps(at string, bad *problems) *contract.Props {
	if p == nil || !p.X.isGiven() && !p.Y.isGiven() && !p.W.isGiven() && !p.H.isGiven() {
		return nil
	}
	return &contract.Props{X: p.X.checkedValue(at+"x", bad), Y: p.Y.checkedValue(at+"y", bad), W: p.W.checkedValue(at+"w", bad), H: p.H.checkedValue(at+"h", bad)}
}

// echoPlacements returns the entries as they were received, with every member present: a missing member is its zero
// value, and a missing userid is the one found by e-mail.
func echoPlacements(entries []placementIO, d *contract.Document) []placementIO {
	out := make([]placementIO, 0, len(entries))
	for _, p := range entries {
		if p.Props == nil {
			p.Props = &propsIO{}
		}
		if p.Emet == nil {
			p.Emet = &cornersIO{}
		}
		if p.DocumentSize == nil {
			p.DocumentSize = &sizeIO{}
		}
		if p.User.UserID.value == "" && p.User.Email != nil {
			p.User.UserID.value = string(d.PersonByEmail(strings.TrimSpace(p.User.Email.value)))
		}
		out = append(out, p)
	}
	return out
}

type placementsData struct {
	DocumentID contract.DocumentID `json:"document_id" example:"1207"`
	Version    int64               `json:"version" doc:"of the document; rises with every change" example:"5"`
	Placements []placementItem     `json:"placements" doc:"in the order in which they were placed"`
	Warnings   []warning           `json:"warnings,omitempty" doc:"of a draft: the placements that lie over text, stamps or signatures"`
}

// placementItem is one accepted box on a page, with ordered corners and square for a duty stamp.
type placementItem struct {
	Type   contract.PlacementKind `json:"type" enum:"emet,sign,paraf" example:"sign"`
	Page   int                    `json:"page" doc:"from 1" example:"1"`
	UserID contract.PersonID      `json:"user_id" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Name   string                 `json:"name" doc:"of the person; for the box of a group, of all of whom any one fills it" example:"Siti Rahma"`
	Box    boxData                `json:"box" doc:"points of the page as displayed, origin at the lower left"`
	Filled bool                   `json:"filled" doc:"the person has signed, or the stamp is affixed"`
}

type boxData struct {
	LLX float64 `json:"llx" example:"306"`
	LLY float64 `json:"lly" example:"342"`
	URX float64 `json:"urx" example:"360"`
	URY float64 `json:"ury" example:"396"`
}

func (c *call) placementsData(d *contract.Document) placementsData {
	data := placementsData{DocumentID: d.ID, Version: d.Version, Placements: placementsOf(d.AsShownTo(c.by), c.by.ID, c.language)}
	if d.State == contract.Draft {
		data.Warnings = c.warningsOf(c.Workflow.PlacementWarnings(c.r.Context(), *d))
	}
	return data
}

// placementsOf lists the boxes of all participants, in the order in which they were placed. From finalize on, a box that the reader fills is
// theirs, also where it is their group's: clients look for the boxes of their own user.
func placementsOf(d *contract.Document, reader contract.PersonID, l text.Language) []placementItem {
	list := make([]placementItem, 0, len(d.Placements))
	for i, p := range d.Placements {
		item := placementItem{Type: p.Kind, Page: p.Page, UserID: p.Person, Name: d.Owner.Name, Box: boxData(p.Box)}
		if who := d.Participant(p.Person); who != nil {
			item.Name, item.Filled = who.Name, p.Kind != contract.PlaceStamp && !who.SignedAt.IsZero()
		}
		if members := d.GroupOf(p.Person); len(members) > 1 && p.Kind != contract.PlaceStamp {
			item.Name = anyOf(l, members)
		}
		if d.State != contract.Draft && d.FillsBox(reader, p) {
			item.UserID = reader
		}
		for _, s := range d.Stamps {
			item.Filled = item.Filled || s.Placement == i && s.State == contract.StampAffixed
		}
		list = append(list, item)
	}
	return list
}
