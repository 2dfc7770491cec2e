package text

import (
	"slices"
	"strconv"
	"strings"

	"segel/internal/contract"
)

// documentStage returns the stage of a document, which is finer than its state: what a processing document waits for.
func documentStage(d *contract.Document) string {
	switch d.NextJob() {
	case contract.JobConvert:
		return "converting"
	case contract.JobStamp:
		return "stamping"
	case contract.JobComplete:
		return "sealing"
	}
	switch {
	case d.AwaitsSigners():
		return waitingStage(d)
	case d.State == contract.Draft && d.Conversion.State == contract.ConversionFailed:
		return "unconvertible"
	}
	return string(d.State)
}

// waitingStage returns what those whose turn it is are asked for.
func waitingStage(d *contract.Document) string {
	inTurn := func(must func(contract.Participant) bool) bool {
		return slices.ContainsFunc(d.Participants, func(p contract.Participant) bool { return must(p) && d.InTurn(p.ID) })
	}
	switch {
	case !inTurn(contract.Participant.MustApprove):
		return "signing"
	case !inTurn(contract.Participant.MustSign):
		return "approving"
	}
	return "signing_approving"
}

// AnyOf names people of whom any one acts; a person alone by their name.
func AnyOf(l Language, names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return Sentence(l, "people.any_of", map[string]any{"names": names})
}

// StatusInfo returns the stage of a document in one or two words.
func StatusInfo(l Language, d *contract.Document) string {
	return Sentence(l, "status."+documentStage(d), nil)
}

// Description returns the stage of a document in a sentence, with the reason if it ended badly.
func Description(l Language, d *contract.Document) string {
	return Sentence(l, "description."+documentStage(d), map[string]any{"reason": Reason(l, d.Reason)})
}

// ButtonLabel returns the label of what that person would do with a document next.
func ButtonLabel(l Language, d *contract.Document, id contract.PersonID) string {
	code := "button.view"
	switch {
	case d.State == contract.Draft:
		code = "button.continue" // a draft is visible to its owner only
	case d.MayApprove(id):
		code = "button.approve"
	case d.InTurn(id):
		code = "button.sign"
	case d.State == contract.Completed:
		code = "button.download"
	case d.State == contract.Failed:
		code = "button.restamp"
	}
	return Sentence(l, code, nil)
}

// State returns the label of a state, for the filter of the list.
func State(l Language, s contract.State) string { return Sentence(l, "status."+string(s), nil) }

// Event returns one line of the audit trail.
func Event(l Language, e contract.Event) string {
	args := make(map[string]any, len(e.Details))
	for name, v := range e.Details {
		args[name] = v
	}
	if c := e.Details["channel"] + e.Details["phone_channel"]; c != "" { // no event has both
		args["channel_name"] = ChannelName(contract.Channel(c))
	}
	for _, name := range []string{"role", "former_role"} {
		if r := e.Details[name]; r != "" {
			args[name] = Sentence(l, "role."+r, nil)
		}
	}
	if c := e.Details["capacity"]; c != "" {
		args["capacity_name"] = Sentence(l, "capacity."+c, nil)
	}
	if names := e.Details["group"]; names != "" && (e.Type == contract.EventSigned || e.Type == contract.EventApproved) {
		args["group_name"] = AnyOf(l, strings.Split(names, ", "))
	}
	if p := e.Details["problem"]; p != "" {
		args["problem"] = Reason(l, p)
	}
	if code := "identity." + e.Details["assurance"]; sentences[code] != (sentence{}) {
		args["identity"] = Sentence(l, code, args)
	}
	switch version := e.Details["consent_text"]; {
	case version == contract.NoConsentText:
		args["consent_text"] = Sentence(l, "event.consent_unshown", nil)
	case version != "" && e.Details["consent_document"] != "":
		args["consent_text"] = Sentence(l, "event.consent_before", map[string]any{"version": version, "document": e.Details["consent_document"]})
	case version != "":
		args["consent_text"] = Sentence(l, "event.consent_accepted", map[string]any{"version": version})
	}
	switch n, _ := strconv.Atoi(e.Details["consent_documents"]); {
	case n == 2:
		args["consent"] = Sentence(l, "event.consent_with_one", nil)
	case n > 2:
		args["consent"] = Sentence(l, "event.consent_with_many", map[string]any{"others": n - 1})
	}
	switch {
	case contract.Assurance(e.Details["assurance"]) == contract.AssuranceGuestMailbox:
		// The identity says it already; that of a phone does not say the channel.
	case e.Details["mailbox"] != "":
		args["proof"] = Sentence(l, "event.proof_mailbox", args)
	case e.Details["phone_verified_at"] != "":
		args["proof"] = Sentence(l, "event.proof_phone", args)
	case e.Details["link"] == string(contract.LinkHandedOut):
		args["proof"] = Sentence(l, "event.proof_handed_out", nil)
	}
	switch f := e.Details["factor"]; {
	case e.Type == contract.EventFactorAdded || e.Type == contract.EventFactorRemoved:
		args["factor_kind"] = Sentence(l, factorKinds[f], nil)
	case f != "" && e.Details["factor_for"] == contract.ForSignature:
		args["proof"] = Sentence(l, "event.factor_signature", map[string]any{"factor": FactorName(l, contract.Factor(f))})
	case f != "":
		args["proof"] = Sentence(l, "event.factor_session", map[string]any{"factor": FactorName(l, contract.Factor(f))})
	}
	if r := e.Details["reason"]; e.Type == contract.EventCertificateRevoked && r != "" {
		args["reason"] = RevocationReason(l, r)
	}
	if e.Type == contract.EventFindingAccepted {
		args["finding"] = Sentence(l, e.Details["code"], args)
	}
	if p := e.Details["purpose"]; p != "" {
		args["purpose_name"] = Sentence(l, "purpose."+p, nil)
	}
	what := Sentence(l, eventCode(e), args)
	name := e.Details["key_name"]
	if slices.Contains(keyEvents, e.Type) {
		name = e.Details["by_key_name"]
	}
	if name != "" {
		what = Sentence(l, "event.by_key", map[string]any{"what": what, "key_name": name, "person": e.Person.DisplayName()})
	}
	if origin := e.Details["embed_origin"]; origin != "" {
		in := map[string]any{"what": what, "origin": origin, "by": e.Details["embed_by"]}
		if key := e.Details["embed_key_name"]; key != "" {
			in["key_name"] = key
		}
		what = Sentence(l, "event.in_page", in)
	}
	return what
}

// keyEvents are about an API key themselves. Others that name one were caused with it.
var keyEvents = []contract.EventType{contract.EventKeyCreated, contract.EventKeyRevoked, contract.EventKeyNetwork, contract.EventKeyRefused}

// phoneEvents are the codes of sentences about messages and codes to a phone.
var phoneEvents = map[contract.EventType]string{
	contract.EventNoticeSent:    "event.notice_sent_phone",
	contract.EventNoticeRefused: "event.notice_refused_phone",
	contract.EventCodeOrdered:   "event.code_ordered_phone",
}

// ChannelName returns the name of a channel that needs a phone number, the same in both languages.
func ChannelName(c contract.Channel) string {
	switch c {
	case contract.ChannelWhatsApp:
		return "WhatsApp"
	case contract.ChannelSMS:
		return "SMS"
	}
	return string(c)
}

// factorKinds names the factors that a person adds to an account.
var factorKinds = map[string]string{"totp": "event.factor_app", "passkey": "event.factor_passkey"}

// FactorName returns how a person was authenticated.
func FactorName(l Language, f contract.Factor) string {
	return Sentence(l, "authenticated."+string(f), nil)
}

// eventCode returns the code of the sentence about an event. The sentence about a signature depends on whether the
// service showed the pages to the signer; older events do not record it.
func eventCode(e contract.Event) string {
	shown := e.Details["pages_shown"]
	switch {
	case e.Details["channel"] != "" && phoneEvents[e.Type] != "":
		return phoneEvents[e.Type]
	case e.Type == contract.EventSignIntended && shown == contract.PagesNone:
		return "event.sign_intended_unshown"
	case e.Type == contract.EventSignIntended && shown != "":
		return "event.sign_intended_shown"
	case e.Type == contract.EventApproved && shown != "" && shown != contract.PagesNone:
		return "event.approved_shown"
	case e.Type == contract.EventSigned && shown == contract.PagesNone:
		return "event.signed_unshown"
	case e.Type == contract.EventSigned && shown != "":
		return "event.signed_shown"
	}
	return "event." + string(e.Type)
}

// Field returns the sentence for one member of the input.
func Field(l Language, f contract.FieldError) string { return Sentence(l, f.Code, f.Args) }

// Warning returns the sentence for something that was accepted but may not be what was meant.
func Warning(l Language, w contract.Warning) string { return Sentence(l, w.Code, w.Args) }

// Reason returns why a document waits or ended: the sentence for the code of a [contract.Problem], with what its detail says, or the words of the
// person who ended it.
func Reason(l Language, reason string) string {
	p := contract.ParseProblem(reason)
	if _, known := sentences[string(p.Code)]; !known {
		return reason
	}
	args := map[string]any{"words": p.Detail}
	switch p.Code {
	case contract.ProblemRevoked:
		args = revocationArguments(l, p)
	case contract.ProblemSignedAhead, contract.ProblemSignedFarAhead:
		args = timeArguments(p)
	}
	return Sentence(l, string(p.Code), args)
}

// ReasonForOperator is [Reason] with the words of the mail server that follow a code of ours, which only operators see.
func ReasonForOperator(l Language, reason string) string {
	sentence := Reason(l, reason)
	if p := contract.ParseProblem(reason); p.Code.ConcernsNotice() && p.Detail != "" && sentence != reason {
		return sentence + " (" + p.Detail + ")"
	}
	return sentence
}

// ClockProblem describes to administrators what is wrong with the clock; empty if nothing is.
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

// DiskProblem describes to administrators what is wrong with the free space; empty if nothing is.
func DiskProblem(l Language, f contract.DiskFinding) string {
	code := map[contract.DiskState]string{contract.DiskScarce: "disk.scarce", contract.DiskLow: "disk.low", contract.DiskFull: "disk.full"}[f.State]
	if code == "" {
		return ""
	}
	return Sentence(l, code, nil)
}

// timeArguments returns the time that a document waits for. Without it there are no arguments, and the sentence leaves it out.
func timeArguments(p contract.Problem) map[string]any {
	at, ok := p.Until()
	if !ok {
		return nil
	}
	return map[string]any{"until": at}
}

// EventType returns the label of a type of event, for the filter of the audit log.
func EventType(l Language, t contract.EventType) string { return Sentence(l, "event."+string(t), nil) }

// Difference returns the sentence for one difference of a reconciliation.
func Difference(l Language, d contract.Difference) string {
	return Sentence(l, "reconciliation."+string(d.Kind), map[string]any{
		"serial": d.Serial, "document": d.Document, "file": d.File, "there": d.OfficeState, "here": d.RegisterState,
	})
}

// revocations give the reason of a revocation, by the names of RFC 5280 §5.3.1.
var revocations = map[string]sentence{
	"revocation.unspecified":          {"alasannya tidak disebutkan", "no reason was given"},
	"revocation.keyCompromise":        {"kuncinya bocor", "its key was compromised"},
	"revocation.cACompromise":         {"kunci penerbitnya bocor", "its issuer's key was compromised"},
	"revocation.affiliationChanged":   {"pemiliknya tidak lagi berada di organisasi itu", "its holder has left the organisation"},
	"revocation.superseded":           {"telah digantikan oleh sertifikat lain", "it was superseded by another certificate"},
	"revocation.cessationOfOperation": {"tidak digunakan lagi", "it is no longer used"},
	"revocation.certificateHold":      {"ditangguhkan", "it is on hold"},
	"revocation.removeFromCRL":        {"penangguhannya diakhiri", "it is no longer on hold"},
	"revocation.privilegeWithdrawn":   {"wewenang pemiliknya dicabut", "its holder's authorisation was withdrawn"},
	"revocation.aACompromise":         {"kunci otoritas atributnya bocor", "the attribute authority's key was compromised"},
}

// RevocationReason returns why a certificate was revoked. A name that is not in RFC 5280 §5.3.1 is returned unchanged.
func RevocationReason(l Language, reason string) string {
	if _, ok := revocations["revocation."+reason]; !ok {
		return reason
	}
	return Sentence(l, "revocation."+reason, nil)
}

// revocationArguments returns what the sentence about a revoked certificate says. Without it there are no arguments, and the sentence leaves them out.
func revocationArguments(l Language, p contract.Problem) map[string]any {
	serial, at, why, ok := p.Revocation()
	if !ok {
		return nil
	}
	return map[string]any{"serial": serial, "when": ShortTime(l, at), "why": RevocationReason(l, why)}
}

// LoginKind returns the name of a kind of recorded login.
func LoginKind(l Language, k contract.LoginKind) string {
	return Sentence(l, "login_kind."+string(k), nil)
}

// Login returns the sentence of a recorded login.
func Login(l Language, r contract.Login) string {
	if r.Factor == "" {
		return LoginKind(l, r.Kind)
	}
	return LoginKind(l, r.Kind) + ": " + FactorName(l, r.Factor)
}
