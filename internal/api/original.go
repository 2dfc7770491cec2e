package api

import "segel/internal/contract"

func (s *server) registerOriginal() {
	serveFile(s, endpoint{
		path: documentBase + "original/{document_id}", id: "original", timeLimit: lengthy, op: contract.OpOriginal,
		summary:     "Download the file as it was uploaded",
		description: "As attachment, with Range and ETag. For the owner.",
	}, Workflow.Original, func(c *Content) (fileDelivery, error) {
		mime, err := typeByContent(c)
		return fileDelivery{"attachment", c.Name, mime}, err
	})
}
