package api

import (
	"cmp"

	"segel/internal/contract"
	"segel/internal/text"
)

type auditLine struct {
	DateTime    string             `json:"dateTime" example:"2024-10-14T06:06:00.000Z"`
	Name        string             `json:"name" doc:"who; the service itself has a name too" example:"Siti Rahma"`
	IPAddress   string             `json:"ipAddress" doc:"empty for the service itself" example:"203.0.113.7"`
	Description string             `json:"description" example:"Menandatangani dokumen"`
	Type        contract.EventType `json:"type" doc:"stable, for programs" example:"signed"`
}

func (s *server) registerAuditTrail() {
	serveGet(s, endpoint{
		path: documentBase + "audit-trail/{document_id}", id: "audit-trail", group: groupDocuments, op: contract.OpAuditTrail,
		summary:     "What happened to a document",
		description: "Oldest first. For its owner.",
	}, func(c *call) (found[[]auditLine], error) {
		id, err := c.pathDocumentID()
		if err != nil {
			return found[[]auditLine]{}, err
		}
		events, err := c.Workflow.AuditTrail(c.r.Context(), c.by, id)
		if err != nil {
			return found[[]auditLine]{}, err
		}
		lines := []auditLine{}
		for _, e := range events {
			lines = append(lines, auditLine{DateTime: formatISO(e.At), Name: c.nameOf(e.Person), IPAddress: e.IP, Description: text.Event(c.language, e), Type: e.Type})
		}
		return foundAnswer(lines), nil
	})
}

// nameOf returns the display name of an actor. The service itself has one too.
func (c *call) nameOf(p contract.Person) string {
	if p.ID == "" {
		return c.sentenceOf("actor.service")
	}
	return cmp.Or(p.Name, p.Email)
}
