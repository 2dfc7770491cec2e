package api

import (
	"net/http"

	"segel/internal/contract"
)

func (s *server) delete() {
	get(s, endpoint{
		method: http.MethodDelete, path: documentBase + "{document_id}", id: "delete", within: lengthy, group: groupDocuments, op: contract.OpDelete,
		summary:     "Delete a draft",
		description: "Answers what it last was.",
	}, func(c *call) (found[detailData], error) {
		id, err := c.document()
		if err != nil {
			return found[detailData]{}, err
		}
		d, err := c.Workflow.Delete(c.r.Context(), c.by, id)
		if err != nil {
			return found[detailData]{}, err
		}
		return finding(c.detailOf(&d)), nil
	})
}
