package api

import (
	"bufio"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/export"
	"segel/internal/store"
	"segel/internal/workflow"
)

type attemptLine struct {
	Organisation organisationOut       `json:"organisation"`
	Document     maybe[documentOut]    `json:"document"`
	Page         *int                  `json:"page" doc:"that the stamp was placed on; null: the document is gone" example:"1"`
	Stamp        int                   `json:"stamp" doc:"from 1, in the order of placements" example:"1"`
	Number       int                   `json:"number" doc:"ascends from 1 for each stamp" example:"2"`
	Call         contract.AttemptCall  `json:"call" enum:"take,stamp" doc:"take: for a serial; stamp: to affix one" example:"stamp"`
	Order        string                `json:"order" doc:"our identifier of the order" example:"4VnJ2xQpR7sTyWbCdEfGh8"`
	Serial       *string               `json:"serial" example:"SPESIMEN-0000000000001"`
	SerialState  *contract.SerialState `json:"serial_state" doc:"where the serial stands now" enum:"taken,free,bound,affixed,quarantined" example:"affixed"`
	AskedAt      string                `json:"asked_at" example:"2024-10-14T06:06:00.000Z"`
	AnsweredAt   *string               `json:"answered_at" doc:"null: it is open" example:"2024-10-14T06:06:01.250Z"`
	Outcome      contract.Outcome      `json:"outcome" doc:"ok, unanswered, or what kind of problem; empty: it is open" example:"ok"`
	Code         string                `json:"code" doc:"the office's" example:"94"`
	Text         string                `json:"text" doc:"what the office said"`
}

type adminAttemptsData struct {
	Attempts   []attemptLine `json:"attempts"`
	Pagination pagination    `json:"pagination"`
}

func (s *server) registerAdminAttempts() {
	about := []*huma.Param{
		documentParam(),
		{Name: "serial", In: "query", Description: "Only those on this serial.", Schema: &huma.Schema{Type: "string"}},
		{Name: "from", In: "query", Description: "Only those made then or later; ISO 8601 with a zone.", Schema: &huma.Schema{Type: "string", Format: "date-time"}},
		{Name: "until", In: "query", Description: "Only those made before; ISO 8601 with a zone.", Schema: &huma.Schema{Type: "string", Format: "date-time"}},
	}
	serveGet(s, endpoint{
		path: adminBase + "attempts", id: "admin-attempts", group: groupAdmin, admin: contract.AdminAttempts, params: adminParams(about...),
		summary: "Every call to the stamp office that costs or cannot be undone", description: "Newest first.",
	}, func(c *call) (found[adminAttemptsData], error) {
		p, l, err := queryAdminPage(c, func(q *query, p page) store.AttemptQuery {
			r := q.parseAttempts()
			r.Offset, r.Limit = p.skippedLines(), p.limit
			return r
		}, c.Workflow.Attempts)
		if err != nil {
			return found[adminAttemptsData]{}, err
		}
		data := adminAttemptsData{Attempts: []attemptLine{}, Pagination: paginate(p, l.Total, len(l.Lines))}
		for _, a := range l.Lines {
			data.Attempts = append(data.Attempts, attemptOf(a))
		}
		return foundAnswer(data), nil
	})
	serveStream(s, endpoint{
		method: http.MethodGet, path: adminBase + "attempts.csv", id: "admin-attempts-csv", timeLimit: lengthy, group: groupAdmin, admin: contract.AdminAttempts,
		params: append([]*huma.Param{organisationParam()}, about...), answers: textAnswer("text/csv", "The attempts, oldest first."),
		summary: "The attempts as a spreadsheet", description: "Fit for a claim of refund. No cell is read as a formula.",
	}, (*call).attemptsCSV)
}

// parseAttempts reads the query for attempts.
func (q *query) parseAttempts() store.AttemptQuery {
	return store.AttemptQuery{
		Organisation: q.parseOrganisation(), Document: q.parseDocument(), Serial: contract.CleanText(q.Get("serial")),
		From: q.parseTime("from"), Until: q.parseTime("until"),
	}
}

func attemptOf(a workflow.AttemptLine) attemptLine {
	out := attemptLine{
		Organisation: organisationOf(a.Organisation), Document: documentOrNull(a.Document, a.Title), Stamp: a.Stamp + 1, Number: a.Number,
		Call: a.Call, Order: a.Order, Serial: orNull(a.Serial), AskedAt: formatISO(a.At), AnsweredAt: isoOrNull(a.AnsweredAt),
		Outcome: a.Outcome, Code: a.Code, Text: a.Text,
	}
	if a.SerialState != "" {
		out.SerialState = &a.SerialState
	}
	if n := a.Page(); n != 0 {
		out.Page = &n
	}
	return out
}

// attemptsCSV streams the attempts, because there may be a year of them. An error on the way cuts the connection, so
// that no client takes the part that was sent for the whole.
func (c *call) attemptsCSV() error {
	q := c.parseQuery()
	r := q.parseAttempts()
	if err := q.bad.asError(); err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(&attachment{c, "text/csv; charset=utf-8", "segel-attempts.csv"}, 64<<10)
	out := export.NewAttempts(buffered)
	if err := c.Workflow.EachAttempt(c.r.Context(), c.by, r, out.Write); err != nil {
		return c.abortAnswer(err)
	}
	if err := out.Close(); err != nil {
		return c.abortAnswer(err)
	}
	_ = buffered.Flush() // if this fails, the client has gone
	return nil
}
