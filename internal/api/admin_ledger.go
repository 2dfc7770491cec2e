package api

import (
	"segel/internal/contract"
	"segel/internal/store"
)

type ledgerLine struct {
	Organisation organisationOut    `json:"organisation"`
	Number       int64              `json:"number" doc:"ascends for each organisation and unit" example:"17"`
	Unit         contract.Unit      `json:"unit" enum:"emet,base" example:"emet"`
	Op           contract.QuotaOp   `json:"op" enum:"grant,reserve,spend,release" example:"spend"`
	Count        int                `json:"count" doc:"negative for a grant that takes back" example:"1"`
	Document     maybe[documentOut] `json:"document" doc:"null: of none"`
	Reason       string             `json:"reason" doc:"of a grant" example:"Faktur 2024/117"`
	By           string             `json:"by" doc:"who granted; the service itself has a name too" example:"Andi Wijaya"`
	At           string             `json:"at" example:"2024-10-14T06:06:00.000Z"`
}

type adminLedgerData struct {
	Entries    []ledgerLine `json:"entries"`
	Pagination pagination   `json:"pagination"`
}

func (s *server) registerAdminLedger() {
	serveGet(s, endpoint{
		path: adminBase + "quota/ledger", id: "admin-quota-ledger", group: groupAdmin, admin: contract.AdminLedger,
		params:  adminParams(choiceParam("unit", "Only of this unit.", units)),
		summary: "How quota moved", description: "Newest first.",
	}, func(c *call) (found[adminLedgerData], error) {
		p, l, err := queryAdminPage(c, func(q *query, p page) store.QuotaQuery {
			return store.QuotaQuery{Organisation: q.parseOrganisation(), Unit: parseChoice(q, "unit", units), Offset: p.skippedLines(), Limit: p.limit}
		}, c.Workflow.QuotaLedger)
		if err != nil {
			return found[adminLedgerData]{}, err
		}
		data := adminLedgerData{Entries: []ledgerLine{}, Pagination: paginate(p, l.Total, len(l.Lines))}
		for _, e := range l.Lines {
			data.Entries = append(data.Entries, ledgerLine{
				Organisation: organisationOf(e.Organisation), Number: e.Number, Unit: e.Unit, Op: e.Op, Count: e.Count,
				Document: documentOrNull(e.Document, e.Title), Reason: e.Reason, By: c.nameOf(e.By), At: formatISO(e.At),
			})
		}
		return foundAnswer(data), nil
	})
}
