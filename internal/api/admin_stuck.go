package api

import (
	"context"
	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/text"
)

type stuckLine struct {
	Document     documentOut     `json:"document"`
	Organisation organisationOut `json:"organisation"`
	Owner        string          `json:"owner" example:"Andi Wijaya"`
	Status       contract.State  `json:"status" example:"failed"`
	StatusInfo   string          `json:"status_info" example:"Gagal"`
	Step         string          `json:"step" doc:"that it stands still at" enum:"converted,stamped,sealed" example:"stamped"`
	Reason       *string         `json:"reason" doc:"what it waits for or why it failed; null: nothing is known"`
	Since        string          `json:"since" doc:"when it made progress last" example:"2024-10-14T06:06:00.000Z"`
	Attempts     int             `json:"attempts" doc:"how often the stamp office was asked for the stamp that is due" example:"3"`
}

type adminStuckData struct {
	Documents  []stuckLine `json:"documents"`
	Clock      clockOut    `json:"clock"`
	Pagination pagination  `json:"pagination"`
}

// clockOut is the result of comparing the service's clock. Only operators see the times.
type clockOut struct {
	State     contract.ClockState `json:"state" doc:"unless it is fine, nothing is signed, stamped or sealed" enum:"fine,disagrees,unconfirmed" example:"unconfirmed"`
	Msg       *string             `json:"msg" doc:"what is wrong, and what is to be done; null: nothing" example:"Peristiwa terakhir tercatat 6 jam di depan jam layanan."`
	Local     *string             `json:"local" doc:"the clock of the service; null: only operators see it" example:"2024-10-14T07:06:07.089Z"`
	Database  *string             `json:"database" doc:"that of the database; null: it has none, or the caller is no operator" example:"2024-10-14T07:06:07.089Z"`
	LastEvent *string             `json:"last_event" doc:"the latest time in the audit log" example:"2024-10-14T13:06:07.089Z"`
	Timestamp *string             `json:"last_timestamp" doc:"the latest time of a timestamp in a document" example:"2024-10-14T13:06:07.000Z"`
}

func (c *call) clockOf(f contract.ClockFinding) clockOut {
	out := clockOut{State: f.State, Msg: orNull(text.ClockProblem(c.language, f))}
	if c.by.Operator {
		out.Local, out.Database, out.LastEvent, out.Timestamp = isoOrNull(f.Local), isoOrNull(f.Database), isoOrNull(f.LastEvent), isoOrNull(f.Timestamp.At)
	}
	return out
}

func (s *server) registerAdminStuck() {
	serveGet(s, endpoint{
		path: adminBase + "stuck", id: "admin-stuck", group: groupAdmin, admin: contract.AdminStuck, params: adminParams(),
		summary:     "Documents that stand still",
		description: "Those that have waited for the service for a minute or longer, and those that failed, oldest first; and whether the clock of the service can be relied on, without which nothing is signed.",
	}, func(c *call) (found[adminStuckData], error) {
		p, l, err := queryAdminPage(c, func(q *query, p page) store.WaitingQuery {
			return store.WaitingQuery{Organisation: q.parseOrganisation(), Offset: p.skippedLines(), Limit: p.limit}
		}, c.Workflow.Waiting)
		if err != nil {
			return found[adminStuckData]{}, err
		}
		data := adminStuckData{Documents: []stuckLine{}, Clock: c.clockOf(l.Clock), Pagination: paginate(p, l.Total, len(l.Lines))}
		for i := range l.Lines {
			line := c.stuckLineOf(&l.Lines[i].Document)
			line.Organisation = organisationOf(l.Lines[i].Organisation)
			data.Documents = append(data.Documents, line)
		}
		return foundAnswer(data), nil
	})
	serveGet(s, endpoint{
		method: "POST", path: adminBase + "stuck/{document_id}/retry", id: "admin-retry", timeLimit: lengthy, group: groupAdmin, admin: contract.AdminRetry,
		summary:     "Try a document that stands still again, now",
		description: "One that waits is tried at once; one that failed goes on as by its owner's restamp, with the serials it has.",
	}, func(c *call) (done[verbData], error) {
		id, err := c.pathDocumentID()
		if err != nil {
			return done[verbData]{}, err
		}
		return answerDocument(c, "done.retried", func(ctx context.Context) (contract.Document, error) {
			return c.Workflow.Retry(ctx, c.by, id)
		})
	})
}

// stuckLineOf builds the line of a document that waits, with the reason.
func (c *call) stuckLineOf(d *contract.Document) stuckLine {
	line := stuckLine{
		Document: documentOut{ID: d.ID, Name: &d.Name, Title: &d.Title}, Owner: c.nameOf(d.Owner), Status: d.State,
		StatusInfo: c.statusInfo(d), Step: "sealed", Reason: orNull(text.Reason(c.language, d.Reason)), Since: formatISO(d.ProgressAt()),
	}
	switch i := d.NextStamp(); {
	case d.State == contract.Draft:
		line.Step = "converted"
	case i >= 0:
		line.Step, line.Attempts = "stamped", d.Stamps[i].Attempts
		if p := d.Stamps[i].Problem; p != "" {
			p = text.Reason(c.language, p)
			line.Reason = &p
		}
	}
	return line
}
