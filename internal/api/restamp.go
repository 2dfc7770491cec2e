package api

import "segel/internal/contract"

func (s *server) restamp() {
	verb(s, endpoint{
		path: signBase + "restamp-docs", id: "restamp", op: contract.OpRestamp,
		summary:     "Try a failed stamp again",
		description: "Leads a failed document back to processing, with the serials it has: no unit is spent twice.",
	}, "done.restamp", Workflow.Restamp)
}
