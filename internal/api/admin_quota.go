package api

import (
	"context"

	"segel/internal/contract"
	"segel/internal/workflow"
)

// units are the units of quota, in display order.
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

// grantIn adds to an organisation's quota.
type grantIn struct {
	Organisation phrase  `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	Unit         phrase  `json:"unit" required:"true" enum:"emet,base" example:"emet"`
	Count        integer `json:"count" required:"true" doc:"negative to correct a former one"`
	Reason       phrase  `json:"reason" required:"true" doc:"stands in the ledger and in the audit log" example:"Faktur 2024/117"`
}

func (s *server) registerAdminQuota() {
	serveGet(s, endpoint{
		path: adminBase + "quota", id: "admin-quota", group: groupAdmin, admin: contract.AdminQuota,
		params:  adminParams()[2:],
		summary: "What organisations may still spend",
	}, func(c *call) (found[adminQuotaData], error) {
		all, err := c.Workflow.Quotas(c.r.Context(), c.by, c.parseQuery().parseOrganisation())
		if err != nil {
			return found[adminQuotaData]{}, err
		}
		data := adminQuotaData{Organisations: []adminQuota{}}
		for _, q := range all {
			data.Organisations = append(data.Organisations, quotaOf(q))
		}
		return foundAnswer(data), nil
	})
	servePost(s, endpoint{
		path: adminBase + "quota", id: "admin-grant-quota", group: groupAdmin, admin: contract.AdminGrant,
		summary: "Grant an organisation units", description: "By an operator alone. A negative count takes back.",
	}, func(c *call, in *grantIn) (done[adminQuota], error) {
		var bad problems
		r := workflow.GrantRequest{
			Organisation: contract.OrganisationID(parsePersonID(in.Organisation.checkedValue("organisation", &bad))),
			Unit:         contract.Unit(in.Unit.checkedValue("unit", &bad)), Reason: in.Reason.checkedValue("reason", &bad),
			Count: int(in.Count.checkedValue("count", 0, &bad)),
		}
		if err := bad.asError(); err != nil {
			return done[adminQuota]{}, err
		}
		return answerResult(c, func(ctx context.Context) (workflow.OrganisationQuota, error) {
			return c.Workflow.GrantQuota(ctx, c.by, r)
		}, func(q workflow.OrganisationQuota) done[adminQuota] {
			return doneAnswer(c, "done.quota_granted", quotaOf(q))
		})
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
