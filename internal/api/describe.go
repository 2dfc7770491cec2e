package api

import (
	"context"

	"segel/internal/contract"
)

type describeIn struct {
	DocumentID    integer `json:"document_id" required:"true"`
	DocumentTitle *phrase `json:"document_title" required:"false" doc:"as it was when missing" example:"Perjanjian Sewa"`
	ExpiredAt     *phrase `json:"expired_at" required:"false" doc:"ISO 8601 with a zone, in the future; empty: never; as it was when missing" example:"2027-01-31T17:00:00.000Z"`
}

func (s *server) registerDescribe() {
	servePost(s, endpoint{
		path: signBase + "describe-docs", id: "describe", group: groupVerbs, op: contract.OpDescribe,
		summary:     "Change title and deadline of a draft",
		description: "What is not sent stays as it was.",
	}, func(c *call, in *describeIn) (done[verbData], error) {
		var bad problems
		id := parseDocumentID(in.DocumentID, &bad)
		var to contract.Description
		if in.DocumentTitle != nil {
			title := in.DocumentTitle.checkedValue("document_title", &bad)
			to.Title = &title
		}
		if in.ExpiredAt != nil {
			at := parseExpiry(*in.ExpiredAt, &bad)
			to.ExpiresAt = &at
		}
		if err := c.requireValid(id, bad); err != nil {
			return done[verbData]{}, err
		}
		return answerDocument(c, "done.describe", func(ctx context.Context) (contract.Document, error) {
			return c.Workflow.Describe(ctx, c.by, id, to)
		})
	})
}
