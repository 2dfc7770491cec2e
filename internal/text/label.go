package text

import (
	"slices"
	"strings"
	"time"

	"segel/internal/contract"
)

// documentStage names where a document stands, finer than its state: what a processing one waits for.
func documentStage(d *contract.Document) string {
	switch {
	case d.State == contract.Draft && d.Conversion.State == contract.Converting:
		return "converting"
	case d.State == contract.Draft && d.Conversion.State == contract.ConversionFailed:
		return "unconvertible"
	case d.State != contract.Processing:
		return string(d.State)
	case !d.FullySigned():
		return "signing"
	case d.NextStamp() >= 0:
		return "stamping"
	}
	return "sealing"
}

// StatusInfo tells where a document stands, in a word or two.
func StatusInfo(l Language, d *contract.Document) string {
	return Sentence(l, "status."+documentStage(d), nil)
}

// Description tells where a document stands in a sentence, with the reason where it ended badly.
func Description(l Language, d *contract.Document) string {
	return Sentence(l, "description."+documentStage(d), map[string]any{"reason": Reason(l, d.Reason)})
}

// ButtonLabel labels what that person would do with a document next.
func ButtonLabel(l Language, d *contract.Document, id contract.PersonID) string {
	code := "button.view"
	switch {
	case d.State == contract.Draft:
		code = "button.continue" // a draft is seen by its owner alone
	case d.InTurn(id):
		code = "button.sign"
	case d.State == contract.Completed:
		code = "button.download"
	case d.State == contract.Failed:
		code = "button.restamp"
	}
	return Sentence(l, code, nil)
}

// State labels a state, as a choice of the list's filter.
func State(l Language, s contract.State) string { return Sentence(l, "status."+string(s), nil) }

// Event tells one line of the audit trail.
func Event(l Language, e contract.Event) string {
	args := make(map[string]any, len(e.Details))
	for name, v := range e.Details {
		args[name] = v
	}
	if p := e.Details["problem"]; p != "" {
		args["problem"] = Reason(l, p)
	}
	if code := "identity." + e.Details["assurance"]; sentences[code] != (sentence{}) {
		args["identity"] = Sentence(l, code, args)
	}
	if r := e.Details["reason"]; e.Type == contract.EventCertificateRevoked && r != "" {
		args["reason"] = RevocationReason(l, r)
	}
	if e.Type == contract.EventFindingAccepted {
		args["finding"] = Sentence(l, e.Details["code"], args)
	}
	return Sentence(l, eventCode(e), args)
}

// eventCode is the code of the sentence about an event. What is said of a signature depends on whether the service showed
// the signer the pages; events of before it was recorded say nothing of it.
func eventCode(e contract.Event) string {
	shown := e.Details["pages_shown"]
	switch {
	case e.Type == contract.EventSignIntended && shown == contract.PagesNone:
		return "event.sign_intended_unshown"
	case e.Type == contract.EventSignIntended && shown != "":
		return "event.sign_intended_shown"
	case e.Type == contract.EventSigned && shown == contract.PagesNone:
		return "event.signed_unshown"
	case e.Type == contract.EventSigned && shown != "":
		return "event.signed_shown"
	}
	return "event." + string(e.Type)
}

// Field is the sentence for one member of the input.
func Field(l Language, f contract.FieldError) string { return Sentence(l, f.Code, f.Args) }

// Warning is the sentence for something that was accepted and may not be what was meant.
func Warning(l Language, w contract.Warning) string { return Sentence(l, w.Code, w.Args) }

// Reason is why a document waits or ended: the sentence for a code of ours, with the words behind it that are given after
// ": ", or the words of whoever ended it.
func Reason(l Language, reason string) string {
	code, words, _ := strings.Cut(reason, ": ")
	kind, _, _ := strings.Cut(code, ".")
	if _, ours := sentences[code]; ours && slices.Contains([]string{"stamp", "file", "closing"}, kind) {
		switch code {
		case "closing.revoked":
			return Sentence(l, code, revocationArguments(l, words))
		case contract.WaitsForTime, contract.FailedForFuture:
			return Sentence(l, code, timeArguments(words))
		}
		return Sentence(l, code, map[string]any{"words": words})
	}
	return reason
}

// ClockProblem tells administrators what is wrong with the clock; empty where nothing is.
func ClockProblem(l Language, f contract.ClockFinding) string {
	code := ""
	switch {
	case f.State == contract.ClockUnconfirmed:
		code = "clock.unconfirmed"
	case f.State == contract.ClockDisagrees && f.With == "database":
		code = "clock.database"
	case f.State == contract.ClockDisagrees:
		code = "clock.timestamps"
	default:
		return ""
	}
	return Sentence(l, code, map[string]any{"by": int(f.Ahead.Abs().Seconds())})
}

// timeArguments reads the moment behind the code of a document that waits for it. Other words are no arguments, and the sentence does
// without.
func timeArguments(words string) map[string]any {
	at, err := time.Parse(time.RFC3339, words)
	if err != nil {
		return nil
	}
	return map[string]any{"until": at}
}

// EventType labels a type of event, as a choice of the audit log's filter.
func EventType(l Language, t contract.EventType) string { return Sentence(l, "event."+string(t), nil) }

// Difference is the sentence for one difference of a reconciliation.
func Difference(l Language, d contract.Difference) string {
	return Sentence(l, "reconciliation."+string(d.Kind), map[string]any{
		"serial": d.Serial, "document": d.Document, "file": d.File, "there": d.OfficeState, "here": d.RegisterState,
	})
}
