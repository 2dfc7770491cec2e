package api

import (
	"context"

	"segel/internal/contract"
)

type guestLinkIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	UserID     phrase  `json:"user_id" required:"true" doc:"of a guest on the document" example:"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"`
}

type guestLinkData struct {
	URL string `json:"url" doc:"shown only once" example:"https://segel.contoh.id/guest#segel_gl_..."`
}

func (c *call) createGuestLink(in *guestLinkIn) (done[guestLinkData], error) {
	id, person, bad := in.checkedIDs()
	if err := c.requireValid(id, bad); err != nil {
		return done[guestLinkData]{}, err
	}
	return answerResult(c, func(ctx context.Context) (string, error) {
		return c.Workflow.GuestLink(ctx, c.by, id, person)
	}, func(url string) done[guestLinkData] {
		return doneAnswer(c, "done.guest_link", guestLinkData{url})
	})
}

func (in *guestLinkIn) checkedIDs() (id contract.DocumentID, person contract.PersonID, bad problems) {
	id, person = parseDocumentID(in.DocumentID, &bad), parsePersonID(in.UserID.checkedValue("user_id", &bad))
	if person == "" && !in.UserID.bad {
		bad.add("user_id", "value.required")
	}
	return id, person, bad
}

func (c *call) revokeGuestLink(in *guestLinkIn) (done[verbData], error) {
	id, person, bad := in.checkedIDs()
	return answerDocument(c, id, bad, "done.guest_revoke", func(ctx context.Context) (contract.Document, error) {
		return c.Workflow.RevokeGuestLink(ctx, c.by, id, person)
	})
}
