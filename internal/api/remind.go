package api

import "segel/internal/contract"

func (s *server) remind() {
	verb(s, endpoint{
		path: signBase + "remind-docs", id: "remind", op: contract.OpRemind,
		summary:     "Remind those in turn",
		description: "Records that the owner wants those who have something to sign now reminded.",
	}, "done.remind", Workflow.Remind)
}
