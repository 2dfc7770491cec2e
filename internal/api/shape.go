package api

import (
	"time"

	"segel/internal/contract"
	"segel/internal/text"
)

// specimenWord marks, in every language, what was stamped by the sandbox office and has no legal value.
const specimenWord = "SPESIMEN"

// statusInfo tells where a document stands, in a word or two.
func (c *call) statusInfo(d *contract.Document) string {
	s := text.StatusInfo(c.language, d)
	if d.Specimen {
		s += " (" + specimenWord + ")"
	}
	return s
}

// isExpired reports "1" for a document whose time has run out while something was owed by people.
func isExpired(d *contract.Document, now time.Time) string {
	waits := d.State == contract.Draft || d.State == contract.Processing && !d.FullySigned()
	if d.State == contract.Expired || waits && !d.ExpiresAt.IsZero() && !now.Before(d.ExpiresAt) {
		return "1"
	}
	return "0"
}

// progress tells how far the steps of a document have come, in their order.
type progress struct {
	Steps []step `json:"steps"`
}

type step struct {
	Step       string   `json:"step" enum:"converted,signed,stamped,sealed" doc:"converted: of Word documents only" example:"signed"`
	State      string   `json:"state" doc:"waiting: its turn has not come; active: it is being done; stopped: the document ended or failed here" enum:"waiting,active,done,stopped" example:"active"`
	Done       int      `json:"done" example:"1"`
	Total      int      `json:"total" example:"2"`
	WaitingFor []string `json:"waiting_for" doc:"names of those whose turn it is"`
	Reason     *string  `json:"reason" doc:"what it waits for or why it stopped, in the actor's or the stamp office's words"`
}

func progressOf(d *contract.Document, l text.Language) progress {
	signed := step{Step: "signed", WaitingFor: []string{}}
	if d.Mode != contract.Stamping {
		for _, p := range d.Signers() {
			signed.Total++
			if !p.SignedAt.IsZero() {
				signed.Done++
			}
			if d.InTurn(p.ID) {
				signed.WaitingFor = append(signed.WaitingFor, p.Name)
			}
		}
	}
	stamped := step{Step: "stamped", Total: stampsOf(d), Done: len(d.Serials()), WaitingFor: []string{}}
	if i := d.NextStamp(); i >= 0 {
		stamped.Reason = orNull(text.StampProblem(l, d.Stamps[i].Problem))
	}
	sealed := step{Step: "sealed", Total: 1, WaitingFor: []string{}}
	if d.State == contract.Completed {
		sealed.Done = 1
	}
	steps := []step{signed, stamped, sealed}
	settle(steps, d, l)
	if d.IsWord() {
		steps = append([]step{converted(d, l)}, steps...)
	}
	return progress{steps}
}

// converted is the step before all others of a document that was uploaded as a Word document.
func converted(d *contract.Document, l text.Language) step {
	s := step{Step: "converted", State: "active", Total: 1, WaitingFor: []string{}}
	switch {
	case d.Conversion.State == contract.ConvertedWell:
		s.State, s.Done = "done", 1
	case d.Conversion.State == contract.ConversionFailed:
		why := text.Sentence(l, d.Conversion.Problem, nil)
		s.State, s.Reason = "stopped", &why
	case d.State != contract.Draft:
		s.State = "stopped"
	}
	return s
}

// stampsOf counts the duty stamps that are ordered, or placed while the document is a draft.
func stampsOf(d *contract.Document) int {
	if d.State != contract.Draft {
		return len(d.Stamps)
	}
	n := 0
	for _, p := range d.Placements {
		if p.Kind == contract.PlaceStamp {
			n++
		}
	}
	return n
}

// settle gives each step its state: the first one that is not done is where the document stands.
func settle(steps []step, d *contract.Document, l text.Language) {
	reached := false
	for i := range steps {
		s := &steps[i]
		switch {
		case d.State == contract.Draft, reached:
			s.State = "waiting"
			continue
		case s.Done == s.Total:
			s.State = "done"
			continue
		case d.State == contract.Processing:
			s.State = "active"
		default:
			s.State = "stopped"
		}
		if d.Reason != "" {
			s.Reason = orNull(text.StampProblem(l, d.Reason))
		}
		reached = true
	}
}
