package api

import (
	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/text"
)

// logLine is an event of the audit log with the document it is about.
type logLine struct {
	Number      int64              `json:"number" doc:"in the Merkle log, from 0" example:"2310"`
	DateTime    string             `json:"dateTime" example:"2024-10-14T06:06:00.000Z"`
	Name        string             `json:"name" doc:"who; the service itself has a name too" example:"Siti Rahma"`
	IPAddress   string             `json:"ipAddress" doc:"empty for the service itself" example:"203.0.113.7"`
	Description string             `json:"description" example:"Menandatangani dokumen"`
	Type        contract.EventType `json:"type" doc:"stable, for programs" example:"signed"`
	Document    maybe[documentOut] `json:"document" doc:"null: it is about none"`
}

type adminAuditLogData struct {
	Events     []logLine  `json:"events"`
	Types      []choice   `json:"types" doc:"what can be chosen"`
	Pagination pagination `json:"pagination" doc:"a selection counts its events up to 10,000"`
}

func (s *server) registerAdminAuditLog() {
	serveGet(s, endpoint{
		path: adminBase + "audit-log", id: "admin-audit-log", timeLimit: lengthy, group: groupAdmin, admin: contract.AdminAuditLog,
		params:  adminParams(documentParam(), &huma.Param{Name: "type", In: "query", Description: "Only events of this type.", Schema: &huma.Schema{Type: "string"}}),
		summary: "What happened", description: "Newest first. To an admin, what happened to the documents of his organisation.",
	}, func(c *call) (found[adminAuditLogData], error) {
		p, l, err := queryAdminPage(c, func(q *query, p page) store.LogQuery {
			return store.LogQuery{
				Organisation: q.parseOrganisation(), Document: q.parseDocument(), Type: parseChoice(q, "type", contract.EventTypes),
				Offset: p.skippedLines(), Limit: p.limit,
			}
		}, c.Workflow.AuditLog)
		if err != nil {
			return found[adminAuditLogData]{}, err
		}
		data := adminAuditLogData{Events: []logLine{}, Types: []choice{}, Pagination: paginate(p, l.Total, len(l.Lines))}
		for _, e := range l.Lines {
			data.Events = append(data.Events, logLine{
				Number: e.Leaf, DateTime: formatISO(e.At), Name: c.nameOf(e.Person), IPAddress: e.IP,
				Description: text.Event(c.language, e.Event), Type: e.Type, Document: documentOrNull(e.Event.Document, e.Title),
			})
		}
		for _, t := range contract.EventTypes {
			data.Types = append(data.Types, choice{text.EventType(c.language, t), string(t)})
		}
		return foundAnswer(data), nil
	})
}
