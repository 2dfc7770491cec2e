package api

import (
	"segel/internal/contract"
)

// successorIn names the person who gets documents.
type successorIn struct {
	To contract.PersonID `json:"to" required:"true" doc:"UUID of the person who gets them: an account of the same organisation that is not disabled and may send documents" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
}

// transferData says how far a transfer got.
type transferData struct {
	Transferred int `json:"transferred" doc:"documents that this request transferred" example:"100"`
	Left        int `json:"left" doc:"documents that the person still owns; repeat the request until it is 0" example:"0"`
}

func (c *call) transferDocuments(in *successorIn) (done[transferData], error) {
	t, err := c.Workflow.TransferDocuments(c.r.Context(), c.by, c.pathPerson(), parsePersonID(string(in.To)))
	if err != nil {
		return done[transferData]{}, err
	}
	return doneAnswer(c, "done.transferred", transferData{Transferred: t.Moved, Left: t.Left}), nil
}
