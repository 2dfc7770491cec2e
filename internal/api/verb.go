package api

import (
	"context"

	"segel/internal/contract"
)

// documentIn is the body of a verb that needs nothing but its document.
type documentIn struct {
	DocumentID integer `json:"document_id" required:"true"`
}

// changed answers a verb with the sentence of that code and the document that it changed.
func changed(c *call, msg string, verb func(context.Context) (contract.Document, error)) (done[verbData], error) {
	return effect(c, verb, func(d contract.Document) done[verbData] { return did(c, msg, verbDataOf(&d)) })
}

// verb serves a verb of /sign/ that needs nothing but its document.
func verb(s *server, e endpoint, msg string, do func(w Workflow, ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error)) {
	e.group = groupVerbs
	post(s, e, func(c *call, in *documentIn) (done[verbData], error) {
		var bad problems
		id := documentID(in.DocumentID, &bad)
		if err := c.invalid(id, bad); err != nil {
			return done[verbData]{}, err
		}
		return changed(c, msg, func(ctx context.Context) (contract.Document, error) { return do(c.Workflow, ctx, c.by, id) })
	})
}

// reasonIn is the body of a verb that ends a document.
type reasonIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	Reason     phrase  `json:"reason" required:"false" doc:"in the actor's own words" example:"Harga salah"`
}

// ending serves a verb of /sign/ that ends a document for a reason.
func ending(s *server, e endpoint, msg string, do func(w Workflow, ctx context.Context, by contract.Actor, id contract.DocumentID, reason string) (contract.Document, error)) {
	e.group = groupVerbs
	post(s, e, func(c *call, in *reasonIn) (done[verbData], error) {
		var bad problems
		id, reason := documentID(in.DocumentID, &bad), in.Reason.read("reason", &bad)
		if err := c.invalid(id, bad); err != nil {
			return done[verbData]{}, err
		}
		return changed(c, msg, func(ctx context.Context) (contract.Document, error) { return do(c.Workflow, ctx, c.by, id, reason) })
	})
}
