package api

import (
	"context"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/workflow"
)

// balanceAnswer is the organisation's remaining quota.
type balanceAnswer struct {
	Code    int         `json:"code" doc:"equals the HTTP status" example:"200"`
	Success bool        `json:"success" doc:"always true"`
	Msg     string      `json:"msg" doc:"a sentence in the language of the request"`
	Data    balanceData `json:"data"`
}

type balanceData struct {
	Emet int `json:"emet" doc:"duty stamps left" example:"12"`
	Esgn int `json:"esgn" doc:"signatures left" example:"340"`
}

func (c *call) loadBalance() (balanceAnswer, error) {
	quota, err := c.Workflow.Balance(c.r.Context(), c.by)
	if err != nil {
		return balanceAnswer{}, err
	}
	return balanceAnswer{
		Code: 200, Success: true, Msg: c.sentenceOf("done.balance"),
		Data: balanceData{Emet: quota[contract.UnitStamp].Left(), Esgn: quota[contract.UnitSignature].Left()},
	}, nil
}

// units are the units of quota, in display order.
var units = []contract.Unit{contract.UnitStamp, contract.UnitSignature}

type adminQuota struct {
	Organisation organisationOut `json:"organisation"`
	Units        []quotaUnit     `json:"units"`
}

type quotaUnit struct {
	Unit     contract.Unit `json:"unit" enum:"emet,base" doc:"emet: duty stamps; base: signatures" example:"emet"`
	Granted  int           `json:"granted" example:"1000"`
	Reserved int           `json:"reserved" doc:"for documents in progress" example:"3"`
	Spent    int           `json:"spent" example:"120"`
	Left     int           `json:"left" doc:"units that can still be reserved" example:"877"`
}

type adminQuotaData struct {
	Organisations []adminQuota `json:"organisations"`
	Pagination    pagination   `json:"pagination"`
}

// grantIn adds to an organisation's quota.
type grantIn struct {
	Organisation phrase  `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	Unit         phrase  `json:"unit" required:"true" enum:"emet,base" example:"emet"`
	Count        integer `json:"count" required:"true" doc:"negative to correct an earlier grant"`
	Reason       phrase  `json:"reason" required:"true" doc:"recorded in the ledger and in the audit log" example:"Faktur 2024/117"`
}

func (q *query) parseQuotaQuery(p page) workflow.QuotaQuery {
	return workflow.QuotaQuery{Organisation: q.parseOrganisation(), Search: q.parseSearch(), Offset: p.skippedLines(), Limit: p.limit}
}

func (c *call) quotasOf(p page, l workflow.QuotaPage) adminQuotaData {
	return adminQuotaData{Organisations: convertAll(l.Lines, quotaOf), Pagination: paginate(p, l.Total, len(l.Lines))}
}

func (c *call) grantQuota(in *grantIn) (done[adminQuota], error) {
	var bad problems
	r := workflow.GrantRequest{
		Organisation: contract.OrganisationID(parsePersonID(in.Organisation.checkedValue("organisation", &bad))),
		Unit:         contract.Unit(in.Unit.checkedValue("unit", &bad)), Reason: in.Reason.checkedValue("reason", &bad),
		Count: int(in.Count.checkedValue("count", 0, &bad)),
	}
	if err := bad.asError(); err != nil {
		return done[adminQuota]{}, err
	}
	return runOperation(c, func(ctx context.Context) (workflow.OrganisationQuota, error) {
		return c.Workflow.GrantQuota(ctx, c.by, r)
	}, func(q workflow.OrganisationQuota) done[adminQuota] {
		return doneAnswer(c, "done.quota_granted", quotaOf(q))
	})
}

func quotaOf(o workflow.OrganisationQuota) adminQuota {
	return adminQuota{Organisation: organisationOf(o.Organisation), Units: convertAll(units, func(u contract.Unit) quotaUnit {
		q := o.Quota[u]
		return quotaUnit{Unit: u, Granted: q.Granted, Reserved: q.Reserved, Spent: q.Spent, Left: q.Left()}
	})}
}

type ledgerLine struct {
	Organisation organisationOut    `json:"organisation"`
	Number       int64              `json:"number" doc:"ascends for each organisation and unit" example:"17"`
	Unit         contract.Unit      `json:"unit" enum:"emet,base" example:"emet"`
	Op           contract.QuotaOp   `json:"op" enum:"grant,reserve,spend,release" example:"spend"`
	Count        int                `json:"count" doc:"negative if a grant takes quota back" example:"1"`
	Document     maybe[documentOut] `json:"document" doc:"null: of no document"`
	Reason       string             `json:"reason" doc:"of a grant" example:"Faktur 2024/117"`
	By           string             `json:"by" doc:"who granted it; the service itself has a name too" example:"Andi Wijaya"`
	At           string             `json:"at" example:"2024-10-14T06:06:00.000Z"`
}

type adminLedgerData struct {
	Entries    []ledgerLine `json:"entries"`
	Pagination pagination   `json:"pagination"`
}

func (q *query) parseLedgerQuery(p page) store.QuotaQuery {
	return store.QuotaQuery{Organisation: q.parseOrganisation(), Unit: parseChoice(q, "unit", units), From: q.parseTime("from"), Until: q.parseTime("until"), Offset: p.skippedLines(), Limit: p.limit}
}

func (c *call) ledgerOf(p page, l workflow.LedgerPage) adminLedgerData {
	return adminLedgerData{Pagination: paginate(p, l.Total, len(l.Lines)), Entries: convertAll(l.Lines, func(e workflow.LedgerLine) ledgerLine {
		return ledgerLine{
			Organisation: organisationOf(e.Organisation), Number: e.Number, Unit: e.Unit, Op: e.Op, Count: e.Count,
			Document: documentOrNull(e.Document, e.Title), Reason: e.Reason, By: c.nameOf(e.By), At: formatISO(e.At),
		}
	})}
}
