package api

import (
	"context"

	"segel/internal/contract"
)

type restampIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	NewSerial  binary  `json:"new_serial" required:"false" doc:"let go of the serial that was refused for good, and take a new one"`
}

func (s *server) registerRestamp() {
	servePost(s, endpoint{
		path: signBase + "restamp-docs", id: "restamp", timeLimit: lengthy, op: contract.OpRestamp, group: groupVerbs,
		summary: "Try a failed stamp again",
		description: "Leads a failed document back to processing, with the serials it has: no unit is spent twice. " +
			"new_serial takes another serial instead, if the stamp office, asked now, calls the refused one unused; the refused one is used for another document then.",
	}, func(c *call, in *restampIn) (done[verbData], error) {
		var bad problems
		id, newSerial := parseDocumentID(in.DocumentID, &bad), in.NewSerial.checkedValue("new_serial", &bad)
		if err := c.requireValid(id, bad); err != nil {
			return done[verbData]{}, err
		}
		return answerDocument(c, "done.restamp", func(ctx context.Context) (contract.Document, error) {
			return c.Workflow.Restamp(ctx, c.by, id, newSerial)
		})
	})
}
