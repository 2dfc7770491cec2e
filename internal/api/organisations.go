package api

import (
	"cmp"
	"context"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/workflow"
)

type organisationLine struct {
	ID        contract.OrganisationID `json:"id" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	Name      string                  `json:"name" example:"PT Contoh"`
	CreatedAt string                  `json:"created_at" example:"2024-10-14T06:06:00.000Z"`
	State     string                  `json:"state" enum:"active,suspended,closed" doc:"suspended: its people and guests are refused until it is resumed; closed: for ever" example:"active"`
	Reason    string                  `json:"reason" doc:"that an operator gave for the state" example:"Tagihan belum dibayar"`
	ChangedAt *string                 `json:"changed_at" doc:"since when it is suspended or closed; null: it is active" example:"2024-10-14T06:06:00.000Z"`
}

type organisationsData struct {
	Organisations []organisationLine `json:"organisations"`
	Pagination    pagination         `json:"pagination"`
}

// organisationChanged is an organisation after a change.
type organisationChanged struct {
	Organisation organisationLine `json:"organisation"`
}

func lineOfOrganisation(o store.Organisation) organisationLine {
	return organisationLine{o.ID, o.Name, formatISO(o.CreatedAt), cmp.Or(string(o.State), "active"), o.Reason, isoOrNull(o.ChangedAt)}
}

func (q *query) parseOrganisationQuery(p page) workflow.OrganisationQuery {
	return workflow.OrganisationQuery{Search: q.parseSearch(), Offset: p.skippedLines(), Limit: p.limit}
}

func (c *call) organisationsOf(p page, l workflow.OrganisationPage) organisationsData {
	return organisationsData{Organisations: convertAll(l.Lines, lineOfOrganisation), Pagination: paginate(p, l.Total, len(l.Lines))}
}

// organisationNameIn is the name of an organisation.
type organisationNameIn struct {
	Name phrase `json:"name" required:"true" example:"PT Contoh Sejahtera"`
}

// suspensionIn says why an organisation is suspended.
type suspensionIn struct {
	Reason phrase `json:"reason" required:"false" doc:"for operators and the audit log" example:"Tagihan belum dibayar"`
}

// closingIn repeats the name of the organisation that is closed.
type closingIn struct {
	Name   phrase `json:"name" required:"true" doc:"the name of the organisation, exactly" example:"PT Contoh"`
	Reason phrase `json:"reason" required:"false" doc:"for operators and the audit log" example:"Perusahaan dilikuidasi"`
}

func pathOrganisationParam() *huma.Param {
	return &huma.Param{Name: "organisation_id", In: "path", Required: true, Description: "UUID of an organisation.", Schema: textSchema(), Example: "0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"}
}

func (c *call) pathOrganisationID() contract.OrganisationID {
	return contract.OrganisationID(parsePersonID(c.r.PathValue("organisation_id")))
}

func (c *call) addOrganisation(in *organisationNameIn) (done[organisationChanged], error) {
	var bad problems
	name := in.Name.checkedValue("name", &bad)
	if err := bad.asError(); err != nil {
		return done[organisationChanged]{}, err
	}
	return runOperation(c, func(ctx context.Context) (store.Organisation, error) {
		return c.Workflow.AddOrganisation(ctx, c.by, name)
	}, func(o store.Organisation) done[organisationChanged] {
		return doneAnswer(c, "done.organisation_added", organisationChanged{lineOfOrganisation(o)})
	})
}

// changedOrganisation answers a change of an organisation.
func (c *call) changedOrganisation(msg string, o store.Organisation, err error) (done[organisationChanged], error) {
	if err != nil {
		return done[organisationChanged]{}, err
	}
	return doneAnswer(c, msg, organisationChanged{lineOfOrganisation(o)}), nil
}

func (c *call) renameOrganisation(in *organisationNameIn) (done[organisationChanged], error) {
	var bad problems
	name := in.Name.checkedValue("name", &bad)
	if err := bad.asError(); err != nil {
		return done[organisationChanged]{}, err
	}
	o, err := c.Workflow.RenameOrganisation(c.r.Context(), c.by, c.pathOrganisationID(), name)
	return c.changedOrganisation("done.organisation_renamed", o, err)
}

func (c *call) suspendOrganisation(in *suspensionIn) (done[organisationChanged], error) {
	var bad problems
	reason := in.Reason.checkedValue("reason", &bad)
	if err := bad.asError(); err != nil {
		return done[organisationChanged]{}, err
	}
	o, err := c.Workflow.SuspendOrganisation(c.r.Context(), c.by, c.pathOrganisationID(), reason)
	return c.changedOrganisation("done.organisation_suspended", o, err)
}

func (c *call) resumeOrganisation() (done[organisationChanged], error) {
	o, err := c.Workflow.ResumeOrganisation(c.r.Context(), c.by, c.pathOrganisationID())
	return c.changedOrganisation("done.organisation_resumed", o, err)
}

func (c *call) closeOrganisation(in *closingIn) (done[organisationChanged], error) {
	var bad problems
	name, reason := in.Name.checkedValue("name", &bad), in.Reason.checkedValue("reason", &bad)
	if err := bad.asError(); err != nil {
		return done[organisationChanged]{}, err
	}
	o, err := c.Workflow.CloseOrganisation(c.r.Context(), c.by, c.pathOrganisationID(), name, reason)
	return c.changedOrganisation("done.organisation_closed", o, err)
}
