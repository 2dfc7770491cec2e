package api

import "segel/internal/contract"

func (s *server) registerCancel() {
	serveEndingVerb(s, endpoint{
		path: signBase + "cancel-docs", id: "cancel", op: contract.OpCancel,
		summary:     "Take a document back",
		description: "The owner ends it while signatures are owed, or after it failed. What was reserved and not spent is given back.",
	}, "done.cancel", Workflow.Cancel)
}
