package api

import (
	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/text"
)

// serialStates are the states of serials, in display order.
var serialStates = []contract.SerialState{contract.SerialBought, contract.SerialFree, contract.SerialBound, contract.SerialAffixed, contract.SerialQuarantined}

type serialLine struct {
	Serial       string                 `json:"serial" example:"SPESIMEN-0000000000001"`
	State        contract.SerialState   `json:"state" doc:"taken: bought, and not certain that it is unused; free: used before another is bought" enum:"taken,free,bound,affixed,quarantined" example:"bound"`
	Organisation maybe[organisationOut] `json:"organisation" doc:"null: nobody's so far"`
	Document     maybe[documentOut]     `json:"document" doc:"that it belongs to; null: none"`
	Former       maybe[documentOut]     `json:"former" doc:"that let go of it last; null: none"`
	LetGo        int                    `json:"let_go" doc:"how many documents let go of it"`
	Problem      string                 `json:"problem" doc:"why it was let go of or set aside"`
	Evidence     bool                   `json:"evidence" doc:"what the office returned is kept"`
	TakenAt      string                 `json:"taken_at" example:"2024-10-14T06:06:00.000Z"`
	ChangedAt    string                 `json:"changed_at" example:"2024-10-14T06:06:00.000Z"`
}

type adminSerialsData struct {
	Serials    []serialLine `json:"serials"`
	Pagination pagination   `json:"pagination"`
}

func (s *server) registerAdminSerials() {
	serveGet(s, endpoint{
		path: adminBase + "serials", id: "admin-serials", timeLimit: lengthy, group: groupAdmin, admin: contract.AdminSerials,
		params:  adminParams(choiceParam("state", "Only those in this state.", serialStates), documentParam()),
		summary: "Every serial that was ever bought", description: "Those that changed last come first. Serials that are nobody's so far are shown to an operator alone.",
	}, func(c *call) (found[adminSerialsData], error) {
		p, l, err := queryAdminPage(c, func(q *query, p page) store.SerialQuery {
			r := store.SerialQuery{Organisation: q.parseOrganisation(), Document: q.parseDocument(), Offset: p.skippedLines(), Limit: p.limit}
			if state := parseChoice(q, "state", serialStates); state != "" {
				r.States = []contract.SerialState{state}
			}
			return r
		}, c.Workflow.Serials)
		if err != nil {
			return found[adminSerialsData]{}, err
		}
		data := adminSerialsData{Serials: []serialLine{}, Pagination: paginate(p, l.Total, len(l.Lines))}
		for _, s := range l.Lines {
			data.Serials = append(data.Serials, serialLine{
				Serial: s.Serial, State: s.State, Organisation: organisationOrNull(s.Organisation),
				Document: documentOrNull(s.Document, s.Title), Former: documentOrNull(s.FormerDocument, s.FormerTitle),
				LetGo: s.ReleaseCount, Problem: text.Reason(c.language, s.Problem), Evidence: s.Evidence.Key != "", TakenAt: formatISO(s.RegisteredAt), ChangedAt: formatISO(s.ChangedAt),
			})
		}
		return foundAnswer(data), nil
	})
}
