package api

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/export"
	"segel/internal/store"
	"segel/internal/text"
	"segel/internal/workflow"
)

type attemptLine struct {
	Organisation organisationOut       `json:"organisation"`
	Document     maybe[documentOut]    `json:"document"`
	Page         *int                  `json:"page" doc:"the page of the stamp; null: the document was deleted" example:"1"`
	Stamp        int                   `json:"stamp" doc:"from 1, in the order of placements" example:"1"`
	Number       int                   `json:"number" doc:"ascends from 1 for each stamp" example:"2"`
	Call         contract.AttemptCall  `json:"call" enum:"take,stamp" doc:"take: for a serial; stamp: to affix one" example:"stamp"`
	Order        string                `json:"order" doc:"our identifier of the order" example:"4VnJ2xQpR7sTyWbCdEfGh8"`
	Serial       *string               `json:"serial" example:"SPESIMEN-0000000000001"`
	SerialState  *contract.SerialState `json:"serial_state" doc:"current state of the serial" enum:"taken,free,bound,affixed,quarantined" example:"affixed"`
	AskedAt      string                `json:"asked_at" example:"2024-10-14T06:06:00.000Z"`
	AnsweredAt   *string               `json:"answered_at" doc:"null: it is open" example:"2024-10-14T06:06:01.250Z"`
	Outcome      contract.Outcome      `json:"outcome" doc:"ok, unanswered, or the kind of problem; empty: not ended" example:"ok"`
	Code         string                `json:"code" doc:"of the stamp office" example:"94"`
	Text         string                `json:"text" doc:"the message of the stamp office"`
}

type adminAttemptsData struct {
	Attempts   []attemptLine `json:"attempts"`
	Pagination pagination    `json:"pagination"`
}

func (q *query) parseAttemptQuery(p page) store.AttemptQuery {
	r := q.parseAttempts()
	r.Offset, r.Limit = p.skippedLines(), p.limit
	return r
}

func (c *call) attemptsOf(p page, l workflow.AttemptPage) adminAttemptsData {
	return adminAttemptsData{Attempts: convertAll(l.Lines, attemptOf), Pagination: paginate(p, l.Total, len(l.Lines))}
}

func attemptParams() []*huma.Param {
	return []*huma.Param{
		documentParam(),
		{Name: "serial", In: "query", Description: "Only calls about this serial.", Schema: textSchema()},
		timeParam("from", "Only calls made at this time or later; ISO 8601 with a zone."),
		timeParam("until", "Only calls made before this time; ISO 8601 with a zone."),
	}
}

func timeParam(name, doc string) *huma.Param {
	return &huma.Param{Name: name, In: "query", Description: doc, Schema: &huma.Schema{Type: "string", Format: "date-time"}}
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

// attemptsCSV streams the attempts, because there may be a year of them.
func (c *call) attemptsCSV() error {
	q := c.parseQuery()
	r := q.parseAttempts()
	if err := q.bad.asError(); err != nil {
		return err
	}
	return streamCSV(c, "segel-attempts.csv", export.NewAttempts, func(write func(workflow.AttemptLine) error) error {
		return c.Workflow.EachAttempt(c.r.Context(), c.by, r, write)
	})
}

// serialStates are the states of serials, in display order.
var serialStates = []contract.SerialState{contract.SerialBought, contract.SerialFree, contract.SerialBound, contract.SerialAffixed, contract.SerialQuarantined}

type serialLine struct {
	Serial       string                 `json:"serial" example:"SPESIMEN-0000000000001"`
	State        contract.SerialState   `json:"state" doc:"taken: bought, not certainly unused; free: used before another one is bought" enum:"taken,free,bound,affixed,quarantined" example:"bound"`
	Organisation maybe[organisationOut] `json:"organisation" doc:"null: without an organisation so far"`
	Document     maybe[documentOut]     `json:"document" doc:"the document that it belongs to; null: none"`
	Former       maybe[documentOut]     `json:"former" doc:"the document that released it last; null: none"`
	LetGo        int                    `json:"let_go" doc:"number of documents that released it"`
	Problem      string                 `json:"problem" doc:"why it was released or quarantined"`
	Evidence     bool                   `json:"evidence" doc:"the file that the stamp office returned is stored"`
	TakenAt      string                 `json:"taken_at" example:"2024-10-14T06:06:00.000Z"`
	ChangedAt    string                 `json:"changed_at" example:"2024-10-14T06:06:00.000Z"`
}

type adminSerialsData struct {
	Serials    []serialLine `json:"serials"`
	Pagination pagination   `json:"pagination"`
}

func (q *query) parseSerialQuery(p page) store.SerialQuery {
	r := store.SerialQuery{Organisation: q.parseOrganisation(), Document: q.parseDocument(), Serial: contract.CleanText(q.Get("serial")), Offset: p.skippedLines(), Limit: p.limit}
	if state := parseChoice(q, "state", serialStates); state != "" {
		r.States = []contract.SerialState{state}
	}
	return r
}

func (c *call) serialsOf(p page, l workflow.SerialPage) adminSerialsData {
	return adminSerialsData{Pagination: paginate(p, l.Total, len(l.Lines)), Serials: convertAll(l.Lines, func(s workflow.SerialLine) serialLine {
		return serialLine{
			Serial: s.Serial, State: s.State, Organisation: organisationOrNull(s.Organisation),
			Document: documentOrNull(s.Document, s.Title), Former: documentOrNull(s.FormerDocument, s.FormerTitle),
			LetGo: s.ReleaseCount, Problem: text.Reason(c.language, s.Problem), Evidence: s.Evidence.Key != "", TakenAt: formatISO(s.RegisteredAt), ChangedAt: formatISO(s.ChangedAt),
		}
	})}
}

func serialParam() *huma.Param {
	return &huma.Param{Name: "serial", In: "path", Required: true, Schema: textSchema(), Example: "SPESIMEN-0000000000001"}
}

func (c *call) sendEvidence() error {
	serial := c.r.PathValue("serial")
	content, err := c.Workflow.Evidence(c.r.Context(), c.by, serial)
	if err != nil {
		return err
	}
	defer content.Close()
	return c.sendContent(content, fileDelivery{"attachment", content.Name, pdfType})
}

type reconciliation struct {
	Number      int64              `json:"number" example:"31"`
	At          string             `json:"at" doc:"when the stamp office was called" example:"2024-10-14T06:06:00.000Z"`
	EndedAt     string             `json:"ended_at" example:"2024-10-14T06:06:02.000Z"`
	By          string             `json:"by" doc:"who asked for it; the service itself has a name too" example:"Sistem"`
	Problem     *string            `json:"problem" doc:"why the stamp office could not be reached; nothing is known then"`
	Office      maybe[officeCount] `json:"office" doc:"the contents of the account; only for operators"`
	Register    []serialCount      `json:"register" doc:"the number of serials in each state; only for operators"`
	Unexplained int                `json:"unexplained" doc:"number of differences that need attention"`
	Omitted     int                `json:"omitted" doc:"number of differences that are not listed"`
	Differences []differenceShown  `json:"differences" doc:"unexplained ones first"`
}

type officeCount struct {
	Left     int `json:"left" doc:"units that can still be bought" example:"880"`
	Unused   int `json:"unused" doc:"serials in the list that are not affixed" example:"2"`
	Affixed  int `json:"affixed" doc:"serials in the list that are affixed" example:"118"`
	Reported int `json:"reported" doc:"unused serials according to the balance" example:"2"`
}

type serialCount struct {
	State contract.SerialState `json:"state" enum:"taken,free,bound,affixed,quarantined" example:"affixed"`
	Count int                  `json:"count" example:"118"`
}

type differenceShown struct {
	Kind         contract.DifferenceKind `json:"kind" doc:"stable, for programs" enum:"freed,found,spent,changed,in_work,failed,in_doubt,settling,nobodys,balance,missing,not_affixed,unknown_affixed,count" example:"freed"`
	Explained    bool                    `json:"explained" doc:"needs no attention"`
	Msg          string                  `json:"msg" doc:"a sentence in the language of the request"`
	Serial       *string                 `json:"serial" example:"SPESIMEN-0000000000001"`
	Organisation maybe[organisationOut]  `json:"organisation" doc:"null: without an organisation"`
	DocumentID   *contract.DocumentID    `json:"document_id" example:"1207"`
	There        *contract.OfficeState   `json:"there" doc:"state at the stamp office; null: unknown there" enum:"unused,affixed" example:"unused"`
	Here         *contract.SerialState   `json:"here" doc:"state in our register; null: not in the register" enum:"taken,free,bound,affixed,quarantined" example:"free"`
}

type reconciliationData struct {
	Report maybe[reconciliation] `json:"report" doc:"null: there is none yet"`
}

func (c *call) loadReconciliation() (reconciliationData, error) {
	r, err := c.Workflow.Reconciliation(c.r.Context(), c.by)
	if err != nil {
		return reconciliationData{}, err
	}
	data := reconciliationData{}
	if r.Number != 0 {
		data.Report.is = c.reconciliationOf(r)
	}
	return data, nil
}

func (c *call) reconcileNow() (done[reconciliationData], error) {
	return runOperation(c, func(ctx context.Context) (contract.Reconciliation, error) {
		return c.Workflow.Reconcile(ctx, c.by)
	}, func(r contract.Reconciliation) done[reconciliationData] {
		return doneAnswer(c, "done.reconciled", reconciliationData{maybe[reconciliation]{c.reconciliationOf(r)}})
	})
}

func (c *call) reconciliationOf(r contract.Reconciliation) *reconciliation {
	out := &reconciliation{
		Number: r.Number, At: formatISO(r.At), EndedAt: formatISO(r.EndedAt), By: c.nameOf(r.By), Problem: orNull(r.Problem),
		Register: []serialCount{}, Unexplained: r.Unexplained, Omitted: r.Omitted, Differences: convertAll(r.Differences, c.differenceOf),
	}
	if down := contract.ErrOfficeDown.Code; r.Problem == down { // an admin does not see the stamp office's own message
		out.Problem = orNull(c.sentenceOf(down))
	}
	if r.Register != nil {
		n := r.Office
		out.Office.is = &officeCount{Left: n.Left, Unused: n.Unused, Affixed: n.Affixed, Reported: n.Reported}
		for _, state := range serialStates {
			out.Register = append(out.Register, serialCount{state, r.Register[state]})
		}
	}
	return out
}

func (c *call) differenceOf(d contract.Difference) differenceShown {
	out := differenceShown{Kind: d.Kind, Explained: d.Kind.IsExplained(), Msg: text.Difference(c.language, d), Serial: orNull(d.Serial)}
	if d.Organisation != "" {
		out.Organisation.is = &organisationOut{ID: d.Organisation, Name: d.OrganisationName}
	}
	if d.Document != 0 {
		out.DocumentID = &d.Document
	}
	if d.OfficeState != "" {
		out.There = &d.OfficeState
	}
	if d.RegisterState != "" {
		out.Here = &d.RegisterState
	}
	return out
}
