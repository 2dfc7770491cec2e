package api

import (
	"net/http"

	"segel/internal/contract"
)

func (s *server) registerDelete() {
	serveGet(s, endpoint{
		method: http.MethodDelete, path: documentBase + "{document_id}", id: "delete", timeLimit: lengthy, group: groupDocuments, op: contract.OpDelete,
		summary:     "Delete a draft",
		description: "Answers what it last was.",
	}, func(c *call) (found[detailData], error) {
		id, err := c.pathDocumentID()
		if err != nil {
			return found[detailData]{}, err
		}
		d, err := c.Workflow.Delete(c.r.Context(), c.by, id)
		if err != nil {
			return found[detailData]{}, err
		}
		return foundAnswer(c.detailOf(&d)), nil
	})
}
