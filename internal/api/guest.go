package api

import "segel/internal/contract"

type guestLoginIn struct {
	Link phrase `json:"link" required:"true" doc:"the link as it was handed out, or its secret alone" example:"https://segel.contoh.id/guest#segel_gl_..."`
}

type guestSessionData struct {
	Token      string              `json:"token" doc:"good for this person and this document only" example:"segel_gt_..."`
	ExpiresIn  int                 `json:"expires_in" doc:"seconds until it expires" example:"86400"`
	DocumentID contract.DocumentID `json:"document_id" example:"1207"`
	UserID     contract.PersonID   `json:"user_id" example:"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"`
	Name       string              `json:"name" example:"Budi Tamu"`
}

func (s *server) registerGuest() {
	servePost(s, endpoint{
		path: "/v1/auth/guest", id: "guest", group: groupAccount, limit: tinyBody, callers: anybody,
		summary:     "Open a guest's link",
		description: "Answers a token that is used like any other, for detail, status, preview, sign, reject and download of the one document.",
	}, func(c *call, in *guestLoginIn) (found[guestSessionData], error) {
		var bad problems
		link := in.Link.checkedValue("link", &bad)
		if link == "" && len(bad) == 0 {
			bad.add("link", "value.required")
		}
		if err := bad.asError(); err != nil {
			return found[guestSessionData]{}, err
		}
		g, err := c.Identity.GuestLogin(c.r.Context(), link)
		if err != nil {
			return found[guestSessionData]{}, err
		}
		return foundAnswer(guestSessionData{Token: g.Token, ExpiresIn: int(g.ExpiresIn.Seconds()), DocumentID: g.Document, UserID: g.Person.ID, Name: g.Person.Name}), nil
	})
}
