package api

import (
	"context"

	"segel/internal/contract"
)

func (s *server) registerGuestRevoke() {
	servePost(s, endpoint{
		path: signBase + "guest-revoke-docs", id: "guest-revoke", group: groupVerbs, op: contract.OpGuestRevoke,
		summary: "Revoke a guest's link",
		description: "The link and every token that was opened with it are dead at once, in every state of the document. " +
			"Works as well when there is no link. A new one can be made with guest-link-docs.",
	}, func(c *call, in *guestLinkIn) (done[verbData], error) {
		id, person, err := in.checkedIDs(c)
		if err != nil {
			return done[verbData]{}, err
		}
		return answerDocument(c, "done.guest_revoke", func(ctx context.Context) (contract.Document, error) {
			return c.Workflow.RevokeGuestLink(ctx, c.by, id, person)
		})
	})
}
