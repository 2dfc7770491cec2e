package api

import (
	"context"
	"fmt"

	"segel/internal/contract"
	"segel/internal/workflow"
)

type finalizeIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	StampOnly  binary  `json:"stamp_only" required:"false" doc:"demand a stamping order, which needs no signature"`

	AcceptFindings list[phrase] `json:"accept_findings" required:"false" doc:"codes of the findings in the file that are refused unless the owner accepts them: those with must_accept among the warnings of upload and detail"`
}

func (s *server) registerFinalize() {
	for _, e := range []endpoint{
		{path: signBase + "finalize-docs", id: "finalize", timeLimit: lengthy, summary: "Finalize a draft"},
		{path: signBase + "process-docs", id: "process", timeLimit: lengthy, summary: "Finalize a draft (another name)"},
	} {
		e.group, e.op = groupVerbs, contract.OpFinalize
		e.description = "Freezes people and placements, reserves the quota for all of it (402 when it does not suffice, " +
			"and nothing is taken then) and starts the work. Finalizing again changes nothing. A stamping order, where all " +
			"placements are duty stamps and nobody but the owner signs, completes by itself. Stamps that the office would " +
			"refuse are refused here, before anything is reserved, and so is a file that prints otherwise than it shows, that " +
			"other readers show otherwise, that reaches outside or that starts programs, until the owner accepts that by its " +
			"code (422 document.active_content names each finding in fields); warnings name the placements that lie over text, stamps " +
			"or signatures."
		servePost(s, e, func(c *call, in *finalizeIn) (done[verbData], error) {
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
		})
	}
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
