package api

import (
	"context"

	"segel/internal/contract"
	"segel/internal/text"
)

type reconciliation struct {
	Number      int64              `json:"number" example:"31"`
	At          string             `json:"at" doc:"when the office was asked" example:"2024-10-14T06:06:00.000Z"`
	EndedAt     string             `json:"ended_at" example:"2024-10-14T06:06:02.000Z"`
	By          string             `json:"by" doc:"who asked for it; the service itself has a name too" example:"Sistem"`
	Problem     *string            `json:"problem" doc:"why the office could not be asked; nothing is known then"`
	Office      maybe[officeCount] `json:"office" doc:"what the account holds; to an operator alone"`
	Register    []serialCount      `json:"register" doc:"how many serials we have in each state; to an operator alone"`
	Unexplained int                `json:"unexplained" doc:"how many differences somebody has to look into"`
	Omitted     int                `json:"omitted" doc:"how many differences are not listed"`
	Differences []differenceShown  `json:"differences" doc:"the unexplained ones first"`
}

type officeCount struct {
	Left     int `json:"left" doc:"units that may still be taken" example:"880"`
	Unused   int `json:"unused" doc:"serials of the list that are not affixed" example:"2"`
	Affixed  int `json:"affixed" doc:"serials of the list that are" example:"118"`
	Reported int `json:"reported" doc:"unused ones, as the balance says" example:"2"`
}

type serialCount struct {
	State contract.SerialState `json:"state" enum:"taken,free,bound,affixed,quarantined" example:"affixed"`
	Count int                  `json:"count" example:"118"`
}

type differenceShown struct {
	Kind         contract.DifferenceKind `json:"kind" doc:"stable, for programs" enum:"freed,found,spent,changed,in_work,failed,in_doubt,settling,nobodys,balance,missing,not_affixed,unknown_affixed,count" example:"freed"`
	Explained    bool                    `json:"explained" doc:"nobody has to look into it"`
	Msg          string                  `json:"msg" doc:"a sentence in the language of the request"`
	Serial       *string                 `json:"serial" example:"SPESIMEN-0000000000001"`
	Organisation maybe[organisationOut]  `json:"organisation" doc:"null: nobody's"`
	DocumentID   *contract.DocumentID    `json:"document_id" example:"1207"`
	There        *contract.OfficeState   `json:"there" doc:"what the office says; null: it does not know the serial" enum:"unused,affixed" example:"unused"`
	Here         *contract.SerialState   `json:"here" doc:"what our register says; null: it does not have the serial" enum:"taken,free,bound,affixed,quarantined" example:"free"`
}

type reconciliationData struct {
	Report maybe[reconciliation] `json:"report" doc:"null: there was none so far"`
}

func (s *server) registerAdminReconciliation() {
	serveGet(s, endpoint{
		path: adminBase + "reconciliation", id: "admin-reconciliation", timeLimit: lengthy, group: groupAdmin, admin: contract.AdminReconciliation,
		summary: "The last reconciliation with the stamp office", description: "To an admin, the differences of his own organisation.",
	}, func(c *call) (found[reconciliationData], error) {
		r, err := c.Workflow.Reconciliation(c.r.Context(), c.by)
		if err != nil {
			return found[reconciliationData]{}, err
		}
		data := reconciliationData{}
		if r.Number != 0 {
			data.Report.is = c.reconciliationOf(r)
		}
		return foundAnswer(data), nil
	})
	serveGet(s, endpoint{
		method: "POST", path: adminBase + "reconciliation", id: "admin-reconcile", timeLimit: endless, group: groupAdmin, admin: contract.AdminReconcile,
		summary:     "Reconcile with the stamp office now",
		description: "By an operator alone. An office that cannot be asked is told as the report's problem.",
	}, func(c *call) (done[reconciliationData], error) {
		return answerResult(c, func(ctx context.Context) (contract.Reconciliation, error) {
			return c.Workflow.Reconcile(ctx, c.by)
		}, func(r contract.Reconciliation) done[reconciliationData] {
			return doneAnswer(c, "done.reconciled", reconciliationData{maybe[reconciliation]{c.reconciliationOf(r)}})
		})
	})
}

func (c *call) reconciliationOf(r contract.Reconciliation) *reconciliation {
	out := &reconciliation{
		Number: r.Number, At: formatISO(r.At), EndedAt: formatISO(r.EndedAt), By: c.nameOf(r.By), Problem: orNull(r.Problem),
		Register: []serialCount{}, Unexplained: r.Unexplained, Omitted: r.Omitted, Differences: []differenceShown{},
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
	for _, d := range r.Differences {
		out.Differences = append(out.Differences, c.differenceOf(d))
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
