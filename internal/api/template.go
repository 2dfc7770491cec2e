package api

import (
	"context"
	"fmt"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/workflow"
)

type templateIn struct {
	DocumentID    integer             `json:"document_id" required:"true"`
	DocumentTitle phrase              `json:"document_title" required:"false" doc:"of the template; that of the document when missing" example:"Perjanjian Sewa"`
	Team          phrase              `json:"team" required:"false" doc:"UUID of a team of the caller that the template is shared with; missing or empty: none" example:"3b0f6a52-4f0e-4d35-9f0b-0e7f6d3c2b1a"`
	Placeholders  list[placeholderIn] `json:"placeholders" required:"false" doc:"people of the document in whose place the template has a role"`
}

// placeholderIn names the role that takes the place of a person.
type placeholderIn struct {
	UserID phrase `json:"user_id" required:"true" doc:"UUID of a participant of the document" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Name   phrase `json:"name" required:"true" doc:"of the role" example:"Penyewa"`
}

// makeTemplate saves a document as a template. While the file is copied and examined, the request holds one of the slots of its organisation for
// uploads, as a copy does.
func (c *call) makeTemplate(in *templateIn) (done[copyData], error) {
	var bad problems
	id := parseDocumentID(in.DocumentID, &bad)
	r := workflow.TemplateRequest{Title: in.DocumentTitle.checkedValue("document_title", &bad), Placeholders: map[contract.PersonID]string{}, Team: parseTeamID(in.Team.checkedValue("team", &bad))}
	roles := in.Placeholders.checkedValue("placeholders", &bad)
	if len(roles) > c.Limits.Participants {
		bad.add("placeholders", "participants.too_many", "limit", c.Limits.Participants)
		roles = nil
	}
	for i, p := range roles {
		at := fmt.Sprintf("placeholders[%d].", i)
		person, name := parsePersonID(p.UserID.checkedValue(at+"user_id", &bad)), p.Name.checkedValue(at+"name", &bad)
		switch _, again := r.Placeholders[person]; {
		case again:
			bad.add(at+"user_id", "participant.twice")
		case !contract.HasVisibleText(name) && !p.Name.bad:
			bad.add(at+"name", "text.missing")
		}
		r.Placeholders[person] = name
	}
	if err := c.refuseInput(id, bad); err != nil {
		return done[copyData]{}, err
	}
	return runCopy(c, "done.template", func(ctx context.Context) (contract.Document, error) { return c.Workflow.MakeTemplate(ctx, c.by, id, r) })
}

type useTemplateIn struct {
	DocumentID    integer      `json:"document_id" required:"true" doc:"of the template"`
	DocumentTitle phrase       `json:"document_title" required:"false" doc:"of the draft; that of the template when missing" example:"Perjanjian Sewa Toko Melati"`
	Team          phrase       `json:"team" required:"false" doc:"UUID of a team of the caller that the draft is shared with; missing or empty: none" example:"3b0f6a52-4f0e-4d35-9f0b-0e7f6d3c2b1a"`
	Fill          list[fillIn] `json:"fill" required:"false" doc:"people for placeholders of the template; the others are named later"`
}

// fillIn is a person who takes the place of a placeholder.
type fillIn struct {
	Placeholder phrase `json:"placeholder" required:"true" doc:"UUID of a placeholder of the template" example:"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"`
	ID          phrase `json:"id" required:"false" doc:"UUID of a user of the organisation; missing: a guest, who needs a name" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Name        phrase `json:"name" required:"false" example:"Budi Tamu"`
	Email       phrase `json:"email" required:"false" doc:"of a guest: required unless channel is whatsapp or sms" example:"budi@contoh.id"`
	Phone       phrase `json:"phone" required:"false" doc:"required if channel is whatsapp or sms" example:"+628123456789"`
	Language    phrase `json:"language" required:"false" doc:"of messages to this person: id or en; that of the organisation when missing" enum:"id,en" example:"en"`
	Channel     phrase `json:"channel" required:"false" doc:"by which messages and codes reach this person; mail when missing" enum:"mail,whatsapp,sms" example:"whatsapp"`
}

// useTemplate makes a draft from a template.
func (c *call) useTemplate(in *useTemplateIn) (done[copyData], error) {
	var bad problems
	id := parseDocumentID(in.DocumentID, &bad)
	r := workflow.UseRequest{Title: in.DocumentTitle.checkedValue("document_title", &bad), Team: parseTeamID(in.Team.checkedValue("team", &bad))}
	fill := in.Fill.checkedValue("fill", &bad)
	if len(fill) > c.Limits.Participants {
		bad.add("fill", "participants.too_many", "limit", c.Limits.Participants)
		fill = nil
	}
	for i, p := range fill {
		at := fmt.Sprintf("fill[%d].", i)
		r.Fill = append(r.Fill, workflow.PersonRequest{
			Fills: parsePersonID(p.Placeholder.checkedValue(at+"placeholder", &bad)), ID: parsePersonID(p.ID.checkedValue(at+"id", &bad)),
			Name: p.Name.checkedValue(at+"name", &bad), Email: trimEmail(p.Email.checkedValue(at+"email", &bad)), Phone: p.Phone.checkedValue(at+"phone", &bad),
			PersonalDelivery: contract.PersonalDelivery{Language: parseMessageLanguage(p.Language, at, &bad), Channel: parseChannel(p.Channel, at, &bad)},
		})
	}
	if err := c.refuseInput(id, bad); err != nil {
		return done[copyData]{}, err
	}
	return runCopy(c, "done.use_template", func(ctx context.Context) (contract.Document, error) { return c.Workflow.UseTemplate(ctx, c.by, id, r) })
}

type templatesData struct {
	Templates  []templateItem `json:"templates"`
	Pagination pagination     `json:"pagination"`
}

type templateItem struct {
	ID            contract.DocumentID `json:"id" example:"1207"`
	DocumentTitle string              `json:"document_title" example:"Perjanjian Sewa"`
	CreatedAt     string              `json:"created_at" example:"2024-10-14T06:06:00.000Z"`
	Version       int64               `json:"version" doc:"rises with every change" example:"1"`
	Pages         int                 `json:"pages" example:"4"`
	Owner         templateOwner       `json:"owner"`
	Team          *teamOut            `json:"team,omitempty" doc:"with which the template is shared; missing: none"`
	MayUse        bool                `json:"may_use" doc:"the caller can make drafts from it and change it"`
	IsOwner       bool                `json:"is_owner" doc:"the caller owns it: they can share and delete it"`
	Test          bool                `json:"test" doc:"made with a test key: its drafts are specimens"`
	Signer        []personOut         `json:"signer" doc:"participants by number, placeholders among them"`
}

type templateOwner struct {
	UserID contract.PersonID `json:"user_id" example:"5c0e7b1a-93d2-4d0b-9a5e-7f6d3c2b1a00"`
	Name   string            `json:"name" example:"Andi Wijaya"`
}

// templateOrders are the orders of the list of templates.
var templateOrders = []store.Order{store.OrderCreated, store.OrderTitle}

func (c *call) listTemplates() (templatesData, error) {
	q := c.parseQuery()
	p := q.parsePage(listLimit)
	r := workflow.TemplatesRequest{Team: parseTeamID(q.parseText("team")), Search: q.parseSearch(), Order: parseChoice(q, "sort", templateOrders), Page: int(p.number), Limit: p.limit}
	if err := q.bad.asError(); err != nil {
		return templatesData{}, err
	}
	l, err := c.Workflow.Templates(c.r.Context(), c.by, r)
	if err != nil {
		return templatesData{}, err
	}
	return templatesData{convertAll(l.Documents, c.templateItem), paginate(p, l.Total, len(l.Documents))}, nil
}

func (c *call) templateItem(d contract.Document) templateItem {
	return templateItem{
		ID: d.ID, DocumentTitle: d.Title, CreatedAt: formatISO(d.CreatedAt), Version: d.Version, Pages: d.Pages, Owner: templateOwner{d.Owner.ID, d.Owner.Name}, Team: c.teamShown(&d),
		MayUse: d.Authorise(c.by, contract.OpUse) == nil, IsOwner: c.by.ID == d.Owner.ID, Test: d.Test, Signer: peopleOut(d.AsShownTo(c.by)),
	}
}
