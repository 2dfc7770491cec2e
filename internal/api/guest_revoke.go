package api

import "segel/internal/contract"

func (s *server) guestRevoke() {
	post(s, endpoint{
		path: signBase + "guest-revoke-docs", id: "guest-revoke", group: groupVerbs, op: contract.OpGuestRevoke,
		summary: "Revoke a guest's link",
		description: "The link and every token that was opened with it are dead at once, in every state of the document. " +
			"Works as well when there is no link. A new one can be made with guest-link-docs.",
	}, func(c *call, in *guestLinkIn) (done[verbData], error) {
		id, person, err := in.read(c)
		if err != nil {
			return done[verbData]{}, err
		}
		d, err := c.Workflow.RevokeGuestLink(c.r.Context(), c.by, id, person)
		if err != nil {
			return done[verbData]{}, err
		}
		return did(c, "done.guest_revoke", verbDataOf(&d)), nil
	})
}
