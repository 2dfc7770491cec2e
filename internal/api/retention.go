package api

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/workflow"
)

// adminRetention is for how long an organisation keeps the files of completed documents.
type adminRetention struct {
	Organisation organisationOut `json:"organisation"`
	Years        int             `json:"years" doc:"after the completion; 0: for ever" example:"10"`
	Least        int             `json:"least_years" doc:"the shortest period besides 0 that the operator allows" example:"10"`
	Most         int             `json:"most_years" example:"100"`
}

func adminRetentionOf(r workflow.OrganisationRetention) adminRetention {
	return adminRetention{Organisation: organisationOf(r.Organisation), Years: r.Years, Least: max(r.Least, 1), Most: contract.MaxRetention}
}

func (c *call) loadRetention() (adminRetention, error) {
	of, err := c.queryOrganisation()
	if err != nil {
		return adminRetention{}, err
	}
	r, err := c.Workflow.Retention(c.r.Context(), c.by, of)
	if err != nil {
		return adminRetention{}, err
	}
	return adminRetentionOf(r), nil
}

type adminRetentionIn struct {
	Organisation phrase  `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	Years        integer `json:"years" required:"true" doc:"0: for ever; otherwise from least_years to 100" example:"10"`
}

func (c *call) storeRetention(in *adminRetentionIn) (done[adminRetention], error) {
	var bad problems
	of := contract.OrganisationID(parsePersonID(in.Organisation.checkedValue("organisation", &bad)))
	if !in.Years.given {
		bad.add("years", "value.required")
	}
	years := in.Years.checkedValue("years", 0, &bad)
	if err := bad.asError(); err != nil {
		return done[adminRetention]{}, err
	}
	r, err := c.Workflow.SetRetention(c.r.Context(), c.by, of, contract.Retention{Years: int(max(min(years, contract.MaxRetention+1), -1))})
	if err != nil {
		return done[adminRetention]{}, err
	}
	return doneAnswer(c, "done.retention", adminRetentionOf(r)), nil
}

// dueDocument is a document whose files are due to be removed.
type dueDocument struct {
	Document    documentOut   `json:"document"`
	Owner       contactPerson `json:"owner"`
	CompletedAt string        `json:"completed_at" example:"2026-10-14T06:06:00.000Z"`
	AnnouncedAt *string       `json:"announced_at" doc:"when its owner was told; null: not yet" example:"2036-09-14T06:06:00.000Z"`
	RemoveAt    *string       `json:"remove_at" doc:"it is removed then at the earliest; null: a legal hold covers it" example:"2036-10-14T06:06:00.000Z"`
	Held        bool          `json:"held" doc:"a legal hold covers it"`
}

type dueDocumentsData struct {
	Documents  []dueDocument `json:"documents"`
	Pagination pagination    `json:"pagination"`
}

// organisationPage asks for a page of one organisation.
type organisationPage struct {
	organisation  contract.OrganisationID
	offset, limit int
}

func (q *query) parseOrganisationPage(p page) organisationPage {
	return organisationPage{q.parseOrganisation(), p.skippedLines(), p.limit}
}

func loadRemovals(s *workflow.Service, ctx context.Context, by contract.Actor, q organisationPage) (workflow.Page[workflow.RemovalLine], error) {
	return s.Removals(ctx, by, q.organisation, q.offset, q.limit)
}

func (c *call) removalsOf(p page, l workflow.Page[workflow.RemovalLine]) dueDocumentsData {
	return dueDocumentsData{Pagination: paginate(p, l.Total, len(l.Lines)), Documents: convertAll(l.Lines, func(l workflow.RemovalLine) dueDocument {
		return dueDocument{
			Document: documentOut{ID: l.Document, Name: &l.Name, Title: &l.Title, MayOpen: l.Listed}, Owner: contactPerson{c.nameOf(l.Owner), l.Owner.Email},
			CompletedAt: formatISO(l.CompletedAt), AnnouncedAt: isoOrNull(l.AnnouncedAt), RemoveAt: isoOrNull(l.RemoveAt), Held: l.Held,
		}
	})}
}

// holdOut is a legal hold that lasts.
type holdOut struct {
	ID       contract.HoldID    `json:"id" example:"7c9e6679-7425-40de-944b-e07fc1f90ae7"`
	Document maybe[documentOut] `json:"document" doc:"null: it covers all documents of the organisation, and the accounts of its people"`
	Reason   string             `json:"reason" example:"Perkara 123/Pdt.G/2026/PN Jkt.Sel"`
	SetAt    string             `json:"set_at" example:"2026-10-14T06:06:00.000Z"`
}

type holdsData struct {
	Holds      []holdOut  `json:"holds"`
	Pagination pagination `json:"pagination"`
}

func loadHolds(s *workflow.Service, ctx context.Context, by contract.Actor, q organisationPage) (workflow.Page[workflow.HoldLine], error) {
	return s.Holds(ctx, by, q.organisation, q.offset, q.limit)
}

func holdOf(l workflow.HoldLine) holdOut {
	return holdOut{ID: l.ID, Document: documentOrNull(l.Document, l.Title), Reason: l.Reason, SetAt: formatISO(l.SetAt)}
}

func (c *call) holdsOf(p page, l workflow.Page[workflow.HoldLine]) holdsData {
	return holdsData{Holds: convertAll(l.Lines, holdOf), Pagination: paginate(p, l.Total, len(l.Lines))}
}

type newHoldIn struct {
	Organisation phrase  `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	DocumentID   integer `json:"document_id" required:"false" doc:"missing: all documents of the organisation, and the accounts of its people" example:"1207"`
	Reason       phrase  `json:"reason" required:"true" doc:"such as the number of a case" example:"Perkara 123/Pdt.G/2026/PN Jkt.Sel"`
}

// holdChanged is a hold that was set.
type holdChanged struct {
	Hold holdOut `json:"hold"`
}

func (c *call) addHold(in *newHoldIn) (done[holdChanged], error) {
	var bad problems
	of := contract.OrganisationID(parsePersonID(in.Organisation.checkedValue("organisation", &bad)))
	var id contract.DocumentID
	if in.DocumentID.given {
		id = parseDocumentID(in.DocumentID, &bad)
	}
	reason := in.Reason.checkedValue("reason", &bad)
	if err := bad.asError(); err != nil {
		return done[holdChanged]{}, err
	}
	return runOperation(c, func(ctx context.Context) (workflow.HoldLine, error) {
		return c.Workflow.SetHold(ctx, c.by, of, id, reason)
	}, func(l workflow.HoldLine) done[holdChanged] {
		return doneAnswer(c, "done.hold_set", holdChanged{holdOf(l)})
	})
}

type liftHoldIn struct {
	Reason phrase `json:"reason" required:"true" doc:"for the audit log" example:"Putusan berkekuatan hukum tetap"`
}

func (c *call) liftHold(in *liftHoldIn) (noted, error) {
	var bad problems
	reason := in.Reason.checkedValue("reason", &bad)
	if err := bad.asError(); err != nil {
		return noted{}, err
	}
	if err := c.Workflow.LiftHold(c.r.Context(), c.by, "", contract.HoldID(parsePersonID(c.r.PathValue("hold_id"))), reason); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.hold_lifted"), nil
}

func holdParam() *huma.Param {
	return &huma.Param{Name: "hold_id", In: "path", Required: true, Description: "UUID of a legal hold.", Schema: textSchema(), Example: "7c9e6679-7425-40de-944b-e07fc1f90ae7"}
}
