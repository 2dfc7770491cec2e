package api

import "segel/internal/contract"

func (s *server) download() {
	file(s, endpoint{
		path: documentBase + "download/{document_id}", id: "download", within: lengthy, op: contract.OpDownload,
		summary:     "Download the completed file",
		description: "PDF as attachment, with Range and ETag. 409 while active_download_button is false.",
	}, Workflow.Download, func(c *Content) (serving, error) {
		return serving{"attachment", markedName(c), pdfType}, nil
	})
}
