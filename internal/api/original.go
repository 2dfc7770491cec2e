package api

import "segel/internal/contract"

func (s *server) original() {
	file(s, endpoint{
		path: documentBase + "original/{document_id}", id: "original", within: lengthy, op: contract.OpOriginal,
		summary:     "Download the file as it was uploaded",
		description: "As attachment, with Range and ETag. For the owner.",
	}, Workflow.Original, func(c *Content) (serving, error) {
		mime, err := typeByContent(c)
		return serving{"attachment", c.Name, mime}, err
	})
}
