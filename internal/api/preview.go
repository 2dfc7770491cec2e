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

// markedName returns the name of the PDF, marked if it is a specimen.
func markedName(c *Content) string {
	name := pdfName(c.Name)
	if c.Specimen {
		name = specimenWord + "-" + name
	}
	return name
}
