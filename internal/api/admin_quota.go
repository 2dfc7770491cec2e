package api

import (
	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/workflow"
)

// units are what quota counts, as they are shown.
var units = []contract.Unit{contract.UnitStamp, contract.UnitSignature}

type adminQuota struct {
	Organisation organisationOut `json:"organisation"`
	Units        []quotaUnit     `json:"units"`
}

type quotaUnit struct {
	Unit     contract.Unit `json:"unit" enum:"emet,base" doc:"emet: duty stamps; base: signatures" example:"emet"`
	Granted  int           `json:"granted" example:"1000"`
	Reserved int           `json:"reserved" doc:"of documents in work" example:"3"`
	Spent    int           `json:"spent" example:"120"`
	Left     int           `json:"left" doc:"what can still be reserved" example:"877"`
}

type adminQuotaData struct {
	Organisations []adminQuota `json:"organisations"`
}

// grantIn adds to what an organisation may spend.
type grantIn struct {
	Organisation phrase  `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	Unit         phrase  `json:"unit" required:"true" enum:"emet,base" example:"emet"`
	Count        integer `json:"count" required:"true" doc:"negative to correct a former one"`
	Reason       phrase  `json:"reason" required:"true" doc:"stands in the ledger and in the audit log" example:"Faktur 2024/117"`
}

func (s *server) adminQuota() {
	get(s, endpoint{
		path: adminBase + "quota", id: "admin-quota", group: groupAdmin, admin: contract.AdminQuota,
		params:  adminParams()[2:],
		summary: "What organisations may still spend",
	}, func(c *call) (found[adminQuotaData], error) {
		all, err := c.Workflow.Quotas(c.r.Context(), c.by, c.query().organisation())
		if err != nil {
			return found[adminQuotaData]{}, err
		}
		data := adminQuotaData{Organisations: []adminQuota{}}
		for _, q := range all {
			data.Organisations = append(data.Organisations, quotaOf(q))
		}
		return finding(data), nil
	})
	post(s, endpoint{
		path: adminBase + "quota", id: "admin-grant-quota", group: groupAdmin, admin: contract.AdminGrant,
		summary: "Grant an organisation units", description: "By an operator alone. A negative count takes back.",
	}, func(c *call, in *grantIn) (done[adminQuota], error) {
		var bad problems
		r := workflow.GrantRequest{
			Organisation: contract.OrganisationID(personID(in.Organisation.read("organisation", &bad))),
			Unit:         contract.Unit(in.Unit.read("unit", &bad)), Reason: in.Reason.read("reason", &bad),
			Count: int(in.Count.read("count", 0, &bad)),
		}
		if err := bad.err(); err != nil {
			return done[adminQuota]{}, err
		}
		q, err := c.Workflow.GrantQuota(c.r.Context(), c.by, r)
		if err != nil {
			return done[adminQuota]{}, err
		}
		return did(c, "done.quota_granted", quotaOf(q)), nil
	})
}

func quotaOf(o workflow.OrganisationQuota) adminQuota {
	out := adminQuota{Organisation: organisationOf(o.Organisation), Units: []quotaUnit{}}
	for _, u := range units {
		q := o.Quota[u]
		out.Units = append(out.Units, quotaUnit{Unit: u, Granted: q.Granted, Reserved: q.Reserved, Spent: q.Spent, Left: q.Left()})
	}
	return out
}

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

func (s *server) adminLedger() {
	get(s, endpoint{
		path: adminBase + "quota/ledger", id: "admin-quota-ledger", group: groupAdmin, admin: contract.AdminLedger,
		params:  adminParams(choiceParam("unit", "Only of this unit.", units)),
		summary: "How quota moved", description: "Newest first.",
	}, func(c *call) (found[adminLedgerData], error) {
		q := c.query()
		p := q.page(adminLimit)
		r := store.QuotaQuery{Organisation: q.organisation(), Unit: oneOf(q, "unit", units), Offset: p.offset(), Limit: p.limit}
		if err := q.bad.err(); err != nil {
			return found[adminLedgerData]{}, err
		}
		l, err := c.Workflow.QuotaLedger(c.r.Context(), c.by, r)
		if err != nil {
			return found[adminLedgerData]{}, err
		}
		data := adminLedgerData{Entries: []ledgerLine{}, Pagination: paginate(p, l.Total, len(l.Lines))}
		for _, e := range l.Lines {
			data.Entries = append(data.Entries, ledgerLine{
				Organisation: organisationOf(e.Organisation), Number: e.Number, Unit: e.Unit, Op: e.Op, Count: e.Count,
				Document: documentOrNull(e.Document, e.Title), Reason: e.Reason, By: c.nameOf(e.By), At: iso(e.At),
			})
		}
		return finding(data), nil
	})
}

// nameOf tells who did something; the service itself has a name too.
func (c *call) nameOf(p contract.Person) string {
	switch {
	case p.ID == "":
		return c.say("actor.service")
	case p.Name == "":
		return p.Email
	}
	return p.Name
}
