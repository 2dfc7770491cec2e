package api

import "segel/internal/contract"

type signersData struct {
	DocumentID contract.DocumentID `json:"document_id" example:"1207"`
	Signer     []signersItem       `json:"signer" doc:"participants by number"`
}

// signersItem is a participant with everything the interface shows.
type signersItem struct {
	UserID        contract.PersonID `json:"user_id" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Name          string            `json:"name" example:"Siti Rahma"`
	Email         *string           `json:"email" example:"siti@contoh.id"`
	Phone         *string           `json:"phone"`
	Avatar        string            `json:"avatar" doc:"address of a picture"`
	Role          contract.Role     `json:"role" enum:"signer,viewer" example:"signer"`
	Number        int               `json:"number" example:"1"`
	IsGuest       bool              `json:"is_guest"`
	IsOwner       bool              `json:"is_owner"`
	IsSigning     bool              `json:"is_signing" doc:"it is his turn now"`
	Status        bool              `json:"status" doc:"has acted: signed, or viewed for a viewer"`
	SigningStatus bool              `json:"signing_status" doc:"has signed"`
	SignedAt      *string           `json:"signed_at"`
	ViewedAt      *string           `json:"viewed_at"`
}

func (s *server) registerSigners() {
	serveGet(s, endpoint{
		path: documentBase + "signers/{document_id}", id: "signers", group: groupDocuments, op: contract.OpSigners,
		summary: "The people on a document",
	}, func(c *call) (found[signersData], error) {
		d, err := c.loadPathDocument()
		if err != nil {
			return found[signersData]{}, err
		}
		data := signersData{DocumentID: d.ID, Signer: []signersItem{}}
		for _, p := range d.Participants {
			data.Signer = append(data.Signer, signersItem{
				UserID: p.ID, Name: p.Name, Email: orNull(p.Email), Phone: orNull(p.Phone), Avatar: c.avatarURL(p.Person),
				Role: p.Role, Number: p.Number, IsGuest: p.Guest, IsOwner: p.ID == d.Owner.ID, IsSigning: d.InTurn(p.ID),
				Status: d.HasActed(p), SigningStatus: d.HasSigned(p), SignedAt: isoOrNull(p.SignedAt), ViewedAt: isoOrNull(p.ViewedAt),
			})
		}
		return foundAnswer(data), nil
	})
}
