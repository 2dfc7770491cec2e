package api

import "segel/internal/contract"

func (s *server) registerDownload() {
	serveFile(s, endpoint{
		path: documentBase + "download/{document_id}", id: "download", timeLimit: lengthy, op: contract.OpDownload,
		summary:     "Download the completed file",
		description: "PDF as attachment, with Range and ETag. 409 while active_download_button is false.",
	}, Workflow.Download, func(c *Content) (fileDelivery, error) {
		return fileDelivery{"attachment", markedName(c), pdfType}, nil
	})
}
