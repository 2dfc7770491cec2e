package api

import (
	"time"

	"segel/internal/contract"
	"segel/internal/text"
)

// specimenWord marks, in every language, documents stamped by the sandbox stamp office, which have no legal value.
const specimenWord = "SPESIMEN"

// statusInfo is the short status of a document.
func (c *call) statusInfo(d *contract.Document) string {
	s := text.StatusInfo(c.language, d)
	if d.Specimen {
		s += " (" + specimenWord + ")"
	}
	return s
}

// isExpired returns "1" for a document that expired while participants still had to act.
func isExpired(d *contract.Document, now time.Time) string {
	waits := d.State == contract.Draft || d.State == contract.Processing && !d.FullySigned()
	if d.State == contract.Expired || waits && !d.ExpiresAt.IsZero() && !now.Before(d.ExpiresAt) {
		return "1"
	}
	return "0"
}

// progress lists the steps of a document in order, each with its state.
type progress struct {
	Steps []step `json:"steps"`
}

type step struct {
	Step       string   `json:"step" enum:"converted,signed,timestamped,stamped,sealed,logged" doc:"converted: of Word documents only; timestamped: each signature, by the time-stamp authority; logged: in the audit log" example:"signed"`
	State      string   `json:"state" doc:"waiting: its turn has not come; active: it is being done; stopped: the document ended or failed here" enum:"waiting,active,done,stopped" example:"active"`
	Done       int      `json:"done" example:"1"`
	Total      int      `json:"total" example:"2"`
	WaitingFor []string `json:"waiting_for" doc:"names of those whose turn it is"`
	Reason     *string  `json:"reason" doc:"what it waits for or why it stopped; of a refusal also the actor's or the stamp office's words"`
	At         *string  `json:"at" doc:"when the last of it was done; null: nothing was yet" example:"2024-10-14T06:06:00.000Z"`
	Serials    []string `json:"serials" doc:"of the duty stamps that were affixed"`
}

func progressOf(d *contract.Document, l text.Language) progress {
	steps := []step{signedStep(d), timestampedStep(d), stampedStep(d, l), closingStep(d, "sealed", sealedAt(d)), closingStep(d, "logged", d.EndedAt)}
	setStepStates(steps, d, l)
	if d.IsWord() {
		steps = append([]step{convertedStep(d, l)}, steps...)
	}
	return progress{steps}
}

func newStep(name string) step { return step{Step: name, WaitingFor: []string{}, Serials: []string{}} }

func signedStep(d *contract.Document) step {
	s := newStep("signed")
	if d.Mode == contract.Stamping {
		return s
	}
	var at time.Time
	for _, p := range d.Signers() {
		s.Total++
		if !p.SignedAt.IsZero() {
			s.Done++
		}
		if p.SignedAt.After(at) {
			at = p.SignedAt
		}
		if d.InTurn(p.ID) {
			s.WaitingFor = append(s.WaitingFor, p.Name)
		}
	}
	s.At = isoOrNull(at)
	return s
}

// timestampedStep has the same state as signed: a signature is never committed without a timestamp.
func timestampedStep(d *contract.Document) step {
	of, s := signedStep(d), newStep("timestamped")
	s.Done, s.Total, s.At = of.Done, of.Total, of.At
	return s
}

func stampedStep(d *contract.Document, l text.Language) step {
	s := newStep("stamped")
	s.Serials, s.Total = d.Serials(), stampsOf(d)
	s.Done = len(s.Serials)
	var at time.Time
	for _, e := range d.Stamps {
		if e.AffixedAt.After(at) {
			at = e.AffixedAt
		}
	}
	s.At = isoOrNull(at)
	if i := d.NextStamp(); i >= 0 {
		s.Reason = orNull(text.Reason(l, d.Stamps[i].Problem))
	}
	return s
}

// closingStep is a step of closing a document. Closing commits its revisions and its event of the audit log together.
func closingStep(d *contract.Document, name string, at time.Time) step {
	s := newStep(name)
	s.Total = 1
	if d.State == contract.Completed {
		s.Done, s.At = 1, isoOrNull(at)
	}
	return s
}

func sealedAt(d *contract.Document) time.Time {
	for _, r := range d.Revisions {
		if r.Kind == contract.RevisionSeal {
			return r.At
		}
	}
	return d.EndedAt
}

// convertedStep is the first step of a document that was uploaded as a Word document.
func convertedStep(d *contract.Document, l text.Language) step {
	s := newStep("converted")
	s.State, s.Total = "active", 1
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

// stampsOf counts the duty stamps that are ordered or, for a draft, placed.
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

// setStepStates gives each step its state: the first step that is not done is the current one.
func setStepStates(steps []step, d *contract.Document, l text.Language) {
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
			s.Reason = orNull(text.Reason(l, d.Reason))
		}
		reached = true
	}
}
