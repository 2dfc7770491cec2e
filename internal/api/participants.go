package api

import (
	"context"

	"segel/internal/contract"
)

type participantsIn struct {
	DocumentID integer            `json:"document_id" required:"true"`
	Signer     list[personIn]     `json:"signer" required:"false" doc:"registered participants"`
	Guest      oneOrMore[guestIn] `json:"guest" required:"false" doc:"participants without an account; a single object is accepted"`
	Parallel   binary             `json:"parallel" required:"false" doc:"as it was when missing"`
}

func (s *server) registerParticipants() {
	servePost(s, endpoint{
		path: signBase + "participants-docs", id: "participants", group: groupVerbs, op: contract.OpParticipants, limit: largeBody,
		summary:     "Replace the people of a draft",
		description: "Placements of somebody who is gone go with him.",
	}, func(c *call, in *participantsIn) (done[verbData], error) {
		var bad problems
		id := parseDocumentID(in.DocumentID, &bad)
		everybody := parsePeople(in.Signer, in.Guest, c.Limits.Participants, &bad)
		var parallel *bool
		if v := in.Parallel.checkedValue("parallel", &bad); in.Parallel.given {
			parallel = &v
		}
		if err := c.requireValid(id, bad); err != nil {
			return done[verbData]{}, err
		}
		return answerDocument(c, "done.participants", func(ctx context.Context) (contract.Document, error) {
			return c.Workflow.SetParticipants(ctx, c.by, id, everybody, parallel)
		})
	})
}
