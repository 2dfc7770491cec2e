package api

import (
	"context"

	"segel/internal/contract"
)

// documentIn is the body of a verb that needs only its document.
type documentIn struct {
	DocumentID integer `json:"document_id" required:"true"`
}

// answerDocument answers a verb with the message of the given code and the changed document.
func answerDocument(c *call, msg string, verb func(context.Context) (contract.Document, error)) (done[verbData], error) {
	return answerResult(c, verb, func(d contract.Document) done[verbData] { return doneAnswer(c, msg, verbDataOf(&d)) })
}

// serveVerb serves a verb of /sign/ that needs only its document.
func serveVerb(s *server, e endpoint, msg string, do func(w Workflow, ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error)) {
	e.group = groupVerbs
	servePost(s, e, func(c *call, in *documentIn) (done[verbData], error) {
		var bad problems
		id := parseDocumentID(in.DocumentID, &bad)
		if err := c.requireValid(id, bad); err != nil {
			return done[verbData]{}, err
		}
		return answerDocument(c, msg, func(ctx context.Context) (contract.Document, error) { return do(c.Workflow, ctx, c.by, id) })
	})
}

// reasonIn is the body of a verb that ends a document.
type reasonIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	Reason     phrase  `json:"reason" required:"false" doc:"in the actor's own words" example:"Harga salah"`
}

// serveEndingVerb serves a verb of /sign/ that ends a document for a reason.
func serveEndingVerb(s *server, e endpoint, msg string, do func(w Workflow, ctx context.Context, by contract.Actor, id contract.DocumentID, reason string) (contract.Document, error)) {
	e.group = groupVerbs
	servePost(s, e, func(c *call, in *reasonIn) (done[verbData], error) {
		var bad problems
		id, reason := parseDocumentID(in.DocumentID, &bad), in.Reason.checkedValue("reason", &bad)
		if err := c.requireValid(id, bad); err != nil {
			return done[verbData]{}, err
		}
		return answerDocument(c, msg, func(ctx context.Context) (contract.Document, error) { return do(c.Workflow, ctx, c.by, id, reason) })
	})
}
