package api

import "segel/internal/contract"

func (s *server) registerReject() {
	serveEndingVerb(s, endpoint{
		path: signBase + "reject-docs", id: "reject", op: contract.OpReject,
		summary:     "Decline to sign",
		description: "A signer ends the document while his signature is owed, in turn or not. A reason is demanded.",
	}, "done.reject", Workflow.Reject)
}
