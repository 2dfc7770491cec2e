package api

import (
	"context"
	"errors"

	"segel/internal/contract"
	"segel/internal/workflow"
)

type delegateIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	Name       phrase  `json:"name" required:"true" doc:"of the person who is to sign instead" example:"Dewi Lestari"`
	Email      phrase  `json:"email" required:"true" example:"dewi@contoh.id"`
	Phone      phrase  `json:"phone" required:"false" example:"+628123456789"`
	Language   phrase  `json:"language" required:"false" doc:"of messages to them; missing: that of the organisation" enum:"id,en" example:"id"`
	Reason     phrase  `json:"reason" required:"false" doc:"for the owner and the audit trail" example:"Dewi yang berwenang menandatangani."`
}

func (c *call) delegatePart(in *delegateIn) (done[verbData], error) {
	var bad problems
	id := parseDocumentID(in.DocumentID, &bad)
	r := workflow.DelegationRequest{
		Name: in.Name.checkedValue("name", &bad), Email: in.Email.checkedValue("email", &bad), Phone: in.Phone.checkedValue("phone", &bad),
		Language: in.Language.checkedValue("language", &bad), Reason: in.Reason.checkedValue("reason", &bad),
	}
	return runDocumentOperation(c, id, bad, "done.delegate", func(ctx context.Context) (contract.Document, error) {
		return c.Workflow.Delegate(ctx, c.by, id, r)
	})
}

// delegationOut is whom a signer passed their part to, or from whom they have it.
type delegationOut struct {
	UserID contract.PersonID `json:"user_id" doc:"of the other person" example:"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"`
	Name   string            `json:"name" example:"Dewi Lestari"`
	At     string            `json:"at" example:"2024-10-14T06:06:00.000Z"`
	Reason *string           `json:"reason" example:"Dewi yang berwenang menandatangani."`
}

// delegationsOf returns to whom a person passed their part, and from whom they have it; nil where there is neither.
func delegationsOf(d *contract.Document, id contract.PersonID) (to, from *delegationOut) {
	outOf := func(g *contract.Delegation, other contract.PersonID) *delegationOut {
		out := &delegationOut{UserID: other, At: formatISO(g.At), Reason: orNull(g.Reason)}
		if p := d.Participant(other); p != nil {
			out.Name = p.Name
		}
		return out
	}
	if g := d.DelegationFrom(id); g != nil {
		to = outOf(g, g.To)
	}
	if g := d.DelegationTo(id); g != nil {
		from = outOf(g, g.From)
	}
	return to, from
}

// mayDelegate reports whether the caller can pass their part on, after a code where one is asked for.
func (c *call) mayDelegate(d *contract.Document) bool {
	err := d.CheckDelegate(c.by, c.Clock())
	return err == nil || errors.Is(err, contract.ErrCodeRequired)
}
