package api

import (
	"strconv"

	"segel/internal/contract"
	"segel/internal/text"
)

type statusData struct {
	DocumentID    string         `json:"document_id" doc:"a string here" example:"1207"`
	DocumentTitle string         `json:"document_title" example:"Perjanjian Sewa"`
	Status        contract.State `json:"status" example:"processing"`
	SerialNumber  []string       `json:"serial_number" doc:"of the duty stamps that stand in the file"`
	IsRestamping  bool           `json:"isRestamping" doc:"from restamp until it settles"`
	Specimen      bool           `json:"specimen" doc:"stamped by the sandbox office: of no legal value"`
	Mode          contract.Mode  `json:"mode,omitempty" doc:"missing while a draft" enum:"signing,stamping" example:"signing"`
	Progress      progress       `json:"progress"`
}

func (s *server) registerStatus() {
	serveGet(s, endpoint{
		path: documentBase + "status/{document_id}", id: "status", group: groupDocuments, op: contract.OpStatus,
		summary:     "How far a document is",
		description: "For polling; events tells the same without it.",
	}, func(c *call) (found[statusData], error) {
		d, err := c.loadPathDocument()
		if err != nil {
			return found[statusData]{}, err
		}
		return foundAnswer(statusDataOf(&d, c.language)), nil
	})
}

func statusDataOf(d *contract.Document, l text.Language) statusData {
	return statusData{
		DocumentID: strconv.FormatInt(int64(d.ID), 10), DocumentTitle: d.Title, Status: d.State,
		SerialNumber: d.Serials(), IsRestamping: d.Restamping,
		Specimen: d.Specimen, Mode: d.Mode, Progress: progressOf(d, l),
	}
}
