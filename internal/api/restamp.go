package api

import (
	"context"

	"segel/internal/contract"
)

type restampIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	NewSerial  binary  `json:"new_serial" required:"false" doc:"let go of the serial that was refused for good, and take a new one"`
}

func (s *server) restamp() {
	post(s, endpoint{
		path: signBase + "restamp-docs", id: "restamp", within: lengthy, op: contract.OpRestamp, group: groupVerbs,
		summary: "Try a failed stamp again",
		description: "Leads a failed document back to processing, with the serials it has: no unit is spent twice. " +
			"new_serial takes another serial instead, if the stamp office, asked now, calls the refused one unused; the refused one is used for another document then.",
	}, func(c *call, in *restampIn) (done[verbData], error) {
		var bad problems
		id, newSerial := documentID(in.DocumentID, &bad), in.NewSerial.read("new_serial", &bad)
		if err := c.invalid(id, bad); err != nil {
			return done[verbData]{}, err
		}
		return changed(c, "done.restamp", func(ctx context.Context) (contract.Document, error) {
			return c.Workflow.Restamp(ctx, c.by, id, newSerial)
		})
	})
}
