package api

import "segel/internal/contract"

func (s *server) registerRemind() {
	serveVerb(s, endpoint{
		path: signBase + "remind-docs", id: "remind", op: contract.OpRemind,
		summary:     "Record that the signers should be reminded",
		description: "Records that the owner asked for those who have something to sign now to be reminded. The service sends no message, and the answer and the audit trail say so.",
	}, "done.remind", Workflow.Remind)
}
