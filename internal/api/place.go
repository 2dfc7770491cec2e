package api

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"segel/internal/contract"
	"segel/internal/workflow"
)

type placeIn struct {
	DocumentID integer           `json:"document_id" required:"true"`
	Signers    list[placementIO] `json:"signers" required:"true" doc:"replaces all placements of the draft"`
}

type placeData struct {
	DocumentID contract.DocumentID `json:"document_id" example:"1207"`
	Signer     []placementIO       `json:"signer" doc:"the entries as they were received"`
}

// placementIO is one placement in a client's spelling, going in and coming back.
type placementIO struct {
	Page         ordinal    `json:"page" required:"true" doc:"from 1" example:"1"`
	Props        *propsIO   `json:"props" required:"false"`
	User         userIO     `json:"user" required:"true" doc:"a participant; for a duty stamp also the owner. By userid, else by e-mail"`
	Emet         *cornersIO `json:"emet" required:"false"`
	Sign         raw        `json:"sign" required:"false" doc:"corners like those of emet, for types sign and paraf"`
	Type         phrase     `json:"type" required:"true" doc:"emet: a duty stamp; sign: a signature; paraf: initials" enum:"emet,sign,paraf" example:"emet"`
	DocumentSize *sizeIO    `json:"documentSize" required:"false"`
}

// propsIO counts from the upper left of the page, in units of documentSize.
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

func (s *server) place() {
	post(s, endpoint{
		path: signBase + "placement-docs", id: "place", within: lengthy, group: groupVerbs, op: contract.OpPlace, limit: largeBody,
		summary: "Place signatures, initials and duty stamps",
		description: "Only a draft can be placed; placing again replaces all. The box is taken from sign for types sign and " +
			"paraf where given, else from emet where it has an area, else from props. A duty stamp is the largest centred " +
			"square of its box, 40 to 200 points.",
	}, func(c *call, in *placeIn) (done[placeData], error) {
		var bad problems
		id := documentID(in.DocumentID, &bad)
		requests := in.requests(c.Limits.Placements, &bad)
		if err := c.invalid(id, bad); err != nil {
			return done[placeData]{}, err
		}
		return effect(c, func(ctx context.Context) (workflow.WarnedDocument, error) {
			d, warnings, err := c.Workflow.Place(ctx, c.by, id, requests)
			return workflow.WarnedDocument{Document: d, Warnings: warnings}, err
		}, func(r workflow.WarnedDocument) done[placeData] {
			out := did(c, "done.placement", placeData{DocumentID: r.Document.ID, Signer: echo(in.Signers.items, &r.Document)})
			out.Response.Warnings = c.warnings(r.Warnings)
			return out
		})
	})
}

func (in *placeIn) requests(limit int, bad *problems) []contract.PlaceRequest {
	entries := in.Signers.read("signers", bad)
	if len(entries) > limit {
		// The rule would say so too; each of a million entries need not be looked at before.
		bad.add("signers", "placements.too_many", "limit", limit)
		return nil
	}
	requests := make([]contract.PlaceRequest, 0, len(entries))
	for i := range entries {
		requests = append(requests, entries[i].request(fmt.Sprintf("signers[%d].", i), bad))
	}
	return requests
}

func (p *placementIO) request(at string, bad *problems) contract.PlaceRequest {
	r := contract.PlaceRequest{
		Kind:   contract.PlacementKind(p.Type.read(at+"type", bad)),
		Page:   p.Page.read(at+"page", bad),
		Person: personID(p.User.UserID.read(at+"user.userid", bad)),
		Emet:   p.Emet.box(at+"emet.", bad),
		Props:  p.Props.read(at+"props.", bad),
	}
	if p.User.Email != nil {
		r.Email = email(p.User.Email.read(at+"user.email", bad))
	}
	p.User.Name.read(at+"user.name", bad)
	p.User.Speciment.read(at+"user.speciment", bad)
	if r.Kind == contract.PlaceSignature || r.Kind == contract.PlaceInitials {
		r.Sign = corners(p.Sign).box(at+"sign.", bad)
	}
	if s := p.DocumentSize; s != nil && (s.Height.given() || s.Width.given()) {
		r.Drawn = contract.PageSize{Width: s.Width.read(at+"documentSize.width", bad), Height: s.Height.read(at+"documentSize.height", bad)}
	}
	return r
}

// box returns the corners, or nil where none of them is given.
func (c *cornersIO) box(at string, bad *problems) *contract.Box {
	if c == nil || !c.URX.given() && !c.URY.given() && !c.LLX.given() && !c.LLY.given() {
		return nil
	}
	return &contract.Box{
		LLX: c.LLX.read(at+"llx", bad), LLY: c.LLY.read(at+"lly", bad),
		URX: c.URX.read(at+"urx", bad), URY: c.URY.read(at+"ury", bad),
	}
}

// corners reads the value of sign. Clients send other things there too; only an object can hold corners.
func corners(v raw) *cornersIO {
	if !strings.HasPrefix(string(v.RawMessage), "{") {
		return nil
	}
	c := new(cornersIO)
	if json.Unmarshal(v.RawMessage, c) != nil {
		return nil
	}
	return c
}

func (p *propsIO) read(at string, bad *problems) *contract.Props {
	if p == nil || !p.X.given() && !p.Y.given() && !p.W.given() && !p.H.given() {
		return nil
	}
	return &contract.Props{X: p.X.read(at+"x", bad), Y: p.Y.read(at+"y", bad), W: p.W.read(at+"w", bad), H: p.H.read(at+"h", bad)}
}

// echo returns the entries as they were received, in the whole shape: a member that was missing is its zero,
// and a userid that was missing is the one the e-mail led to.
func echo(entries []placementIO, d *contract.Document) []placementIO {
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
