package api

import (
	"context"
	"fmt"

	"segel/internal/contract"
	"segel/internal/workflow"
)

type finalizeIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	StampOnly  binary  `json:"stamp_only" required:"false" doc:"require a stamping order, which needs no signature"`

	AcceptFindings list[phrase] `json:"accept_findings" required:"false" doc:"codes of the findings that the owner accepts: those with must_accept among the warnings of upload and detail"`
}

func (c *call) finalizeDocument(in *finalizeIn) (done[verbData], error) {
	var bad problems
	id := parseDocumentID(in.DocumentID, &bad)
	o := contract.FinalizeOptions{StampOnly: in.StampOnly.checkedValue("stamp_only", &bad), AcceptFindings: parseFindingCodes(in.AcceptFindings, &bad)}
	if err := c.requireValid(id, bad); err != nil {
		return done[verbData]{}, err
	}
	return answerResult(c, func(ctx context.Context) (workflow.WarnedDocument, error) {
		d, warnings, err := c.Workflow.Finalize(ctx, c.by, id, o)
		return workflow.WarnedDocument{Document: d, Warnings: warnings}, err
	}, func(r workflow.WarnedDocument) done[verbData] {
		out := doneAnswer(c, finalizedSentence(&r.Document), verbDataOf(&r.Document))
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

// finalizedSentence returns the code of the message for a document that was finalized now or before.
func finalizedSentence(d *contract.Document) string {
	switch {
	case d.State == contract.Completed:
		return "done.finalize_completed"
	case d.Mode == contract.Stamping:
		return "done.finalize_stamping"
	}
	return "done.finalize_signing"
}
