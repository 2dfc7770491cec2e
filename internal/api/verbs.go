package api

import (
	"context"
	"fmt"

	"segel/internal/contract"
	"segel/internal/workflow"
)

// documentIn is the body of a verb that needs only its document.
type documentIn struct {
	DocumentID integer `json:"document_id" required:"true"`
}

// runDocumentOperation runs a verb, unless its input is bad, and answers with the message of the given code and the changed
// document.
func runDocumentOperation(c *call, id contract.DocumentID, bad problems, msg string, verb func(context.Context) (contract.Document, error)) (done[verbData], error) {
	if err := c.refuseInput(id, bad); err != nil {
		return done[verbData]{}, err
	}
	return runOperation(c, verb, func(d contract.Document) done[verbData] { return doneAnswer(c, msg, verbDataOf(&d)) })
}

// changeDocument returns the handler of a verb of /sign/ that needs only its document.
func changeDocument(msg string, verb func(*workflow.Service, context.Context, contract.Actor, contract.DocumentID) (contract.Document, error)) handler {
	return acceptJSON(func(c *call, in *documentIn) (done[verbData], error) {
		var bad problems
		id := parseDocumentID(in.DocumentID, &bad)
		return runDocumentOperation(c, id, bad, msg, func(ctx context.Context) (contract.Document, error) { return verb(c.Workflow, ctx, c.by, id) })
	})
}

// reasonIn is the body of a verb that ends a document.
type reasonIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	Reason     phrase  `json:"reason" required:"false" doc:"in the actor's own words" example:"Harga salah"`
}

// endDocument returns the handler of a verb of /sign/ that ends a document for a reason.
func endDocument(msg string, verb func(w *workflow.Service, ctx context.Context, by contract.Actor, id contract.DocumentID, reason string) (contract.Document, error)) handler {
	return acceptJSON(func(c *call, in *reasonIn) (done[verbData], error) {
		var bad problems
		id, reason := parseDocumentID(in.DocumentID, &bad), in.Reason.checkedValue("reason", &bad)
		return runDocumentOperation(c, id, bad, msg, func(ctx context.Context) (contract.Document, error) { return verb(c.Workflow, ctx, c.by, id, reason) })
	})
}

type restampIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	NewSerial  binary  `json:"new_serial" required:"false" doc:"release the serial that was refused permanently, and use another one"`
}

func (c *call) restampDocument(in *restampIn) (done[verbData], error) {
	var bad problems
	id, newSerial := parseDocumentID(in.DocumentID, &bad), in.NewSerial.checkedValue("new_serial", &bad)
	return runDocumentOperation(c, id, bad, "done.restamp", func(ctx context.Context) (contract.Document, error) {
		return c.Workflow.Restamp(ctx, c.by, id, newSerial)
	})
}

type finalizeIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	StampOnly  binary  `json:"stamp_only" required:"false" doc:"require a stamping order, which needs no signature"`

	AcceptFindings list[phrase] `json:"accept_findings" required:"false" doc:"codes of the findings that the owner accepts: those with must_accept among the warnings of upload and detail"`
}

func (c *call) finalizeDocument(in *finalizeIn) (done[verbData], error) {
	var bad problems
	id := parseDocumentID(in.DocumentID, &bad)
	o := contract.FinalizeOptions{StampOnly: in.StampOnly.checkedValue("stamp_only", &bad), AcceptFindings: parseFindingCodes(in.AcceptFindings, &bad)}
	if err := c.refuseInput(id, bad); err != nil {
		return done[verbData]{}, err
	}
	return runOperation(c, func(ctx context.Context) (workflow.WarnedDocument, error) {
		return c.Workflow.Finalize(ctx, c.by, id, o)
	}, func(r workflow.WarnedDocument) done[verbData] {
		out := doneAnswer(c, finalizedMessage(&r.Document), verbDataOf(&r.Document))
		out.Response.Warnings = c.warningsOf(r.Warnings)
		return out
	})
}

// parseFindingCodes reads the codes of findings. A code that does not match one of the document's findings has no
// effect.
func parseFindingCodes(l list[phrase], bad *problems) []contract.FindingCode {
	items := l.checkedValue("accept_findings", bad)
	if len(items) > maxItems {
		bad.add("accept_findings", "value.too_many", "limit", maxItems)
		return nil
	}
	var codes []contract.FindingCode
	for i, p := range items {
		codes = append(codes, contract.FindingCode(p.checkedValue(fmt.Sprintf("accept_findings[%d]", i), bad)))
	}
	return codes
}

// finalizedMessage returns the code of the message for a document that was finalized now or before.
func finalizedMessage(d *contract.Document) string {
	switch {
	case d.State == contract.Completed:
		return "done.finalize_completed"
	case d.Mode == contract.Stamping:
		return "done.finalize_stamping"
	}
	return "done.finalize_signing"
}
