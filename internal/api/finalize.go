package api

import "segel/internal/contract"

type finalizeIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	StampOnly  binary  `json:"stamp_only" required:"false" doc:"demand a stamping order, which needs no signature"`
}

func (s *server) finalize() {
	for _, e := range []endpoint{
		{path: signBase + "finalize-docs", id: "finalize", summary: "Finalize a draft"},
		{path: signBase + "process-docs", id: "process", summary: "Finalize a draft (another name)"},
	} {
		e.group, e.op = groupVerbs, contract.OpFinalize
		e.description = "Freezes people and placements, reserves the quota for all of it (402 when it does not suffice, " +
			"and nothing is taken then) and starts the work. Finalizing again changes nothing. A stamping order, where all " +
			"placements are duty stamps and nobody but the owner signs, completes by itself. Stamps that the office would " +
			"refuse are refused here, before anything is reserved; warnings name the placements that lie over text, stamps " +
			"or signatures."
		post(s, e, func(c *call, in *finalizeIn) (done[verbData], error) {
			var bad problems
			id, stampOnly := documentID(in.DocumentID, &bad), in.StampOnly.read("stamp_only", &bad)
			if err := c.invalid(id, bad); err != nil {
				return done[verbData]{}, err
			}
			d, err := c.Workflow.Finalize(c.r.Context(), c.by, id, contract.FinalizeOptions{StampOnly: stampOnly})
			if err != nil {
				return done[verbData]{}, err
			}
			out := did(c, finalized(&d), verbDataOf(&d))
			out.Response.Warnings = c.warnings(c.Workflow.Covered(c.r.Context(), d))
			return out, nil
		})
	}
}

// finalized is the sentence for what finalizing has made, or had made before.
func finalized(d *contract.Document) string {
	switch {
	case d.State == contract.Completed:
		return "done.finalize_completed"
	case d.Mode == contract.Stamping:
		return "done.finalize_stamping"
	}
	return "done.finalize_signing"
}
