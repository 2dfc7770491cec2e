package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
)

func (s *server) registerAdminEvidence() {
	serveStream(s, endpoint{
		method: http.MethodGet, path: adminBase + "serials/{serial}/evidence", id: "admin-evidence", timeLimit: lengthy, group: groupAdmin, admin: contract.AdminEvidence,
		params:      []*huma.Param{{Name: "serial", In: "path", Required: true, Schema: &huma.Schema{Type: "string"}, Example: "SPESIMEN-0000000000001"}},
		answers:     fileAnswer(),
		summary:     "What the stamp office returned and was not accepted",
		description: "The whole file that came back last under a serial, as attachment, with Range and ETag: for a complaint to the office. 404 where nothing is kept.",
	}, func(c *call) error {
		serial := c.r.PathValue("serial")
		content, err := c.Workflow.Evidence(c.r.Context(), c.by, serial)
		if err != nil {
			return err
		}
		defer content.Close()
		return c.sendFile(content, fileDelivery{"attachment", content.Name, pdfType})
	})
}
