package api

import "segel/internal/contract"

func (s *server) registerPreview() {
	serveFile(s, endpoint{
		path: documentBase + "preview/{document_id}", id: "preview", timeLimit: lengthy, op: contract.OpPreview,
		summary:     "See the current revision",
		description: "PDF, inline, with Range and ETag. A viewer's first fetch is his view.",
	}, Workflow.Preview, func(c *Content) (fileDelivery, error) {
		return fileDelivery{"inline", markedName(c), pdfType}, nil
	})
}

// markedName is the name of a PDF of ours, and says so where it is a specimen.
func markedName(c *Content) string {
	name := pdfName(c.Name)
	if c.Specimen {
		name = specimenWord + "-" + name
	}
	return name
}
