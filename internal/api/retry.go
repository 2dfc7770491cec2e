package api

import "segel/internal/contract"

func (s *server) registerRetry() {
	serveVerb(s, endpoint{
		path: signBase + "retry-docs", id: "retry", timeLimit: lengthy, op: contract.OpRetry,
		summary: "Try again, now, what a document waits for",
		description: "The service tries again by itself, after growing pauses; this ends the pause. 409 where nothing waits for the service; " +
			"a document that failed is led on by restamp-docs.",
	}, "done.retried", Workflow.RetryOwn)
}
