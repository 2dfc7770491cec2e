package contract

// Assurance is what was verified about a holder before their certificate was issued.
type Assurance string

// The assurances. Values are stored and appear in the audit log; new ones are added, none is renamed. A stronger one,
// such as a verified mailbox, gets its own value, certificate policy and sentence.
const (
	// AssuranceGuest is a guest whose name and address the owner of the document entered. Nothing was verified.
	AssuranceGuest Assurance = "guest_unverified"
	// AssuranceAccount is a user: an account given by an administrator of the organisation, and its password.
	AssuranceAccount Assurance = "account_password"
	// AssuranceSeal is an organisation, as the operator of the service entered it.
	AssuranceSeal Assurance = "organisation_seal"
)

// Attestation is what is known about a signer, and from whom.
type Attestation struct {
	Assurance    Assurance
	NamedBy      string // name of who entered a guest: the owner, or a signer who passed their part on, " / " and the owner; empty for all others
	Organisation string // name of the organisation that gave the account, that seals, or that the owner belongs to
	Certificate  string // serial number of the certificate, lower-case hexadecimal; empty before it is issued
}

// AttestParticipant returns what is known about a participant of a document. Organisation is the name of the
// document's organisation.
func (d *Document) AttestParticipant(p Participant, organisation string) Attestation {
	if !HasVisibleText(organisation) {
		organisation = string(d.Organisation)
	}
	if p.Guest {
		namedBy := d.Owner.DisplayName()
		if g := d.DelegationTo(p.ID); g != nil {
			// The person who named them comes first: a certificate may cut the end. The owner allowed it.
			namedBy = d.Participant(g.From).DisplayName() + " / " + namedBy
		}
		return Attestation{Assurance: AssuranceGuest, NamedBy: namedBy, Organisation: organisation}
	}
	return Attestation{Assurance: AssuranceAccount, Organisation: organisation}
}

// DisplayName returns the person's name, or the identifier if the name has nothing visible.
func (p Person) DisplayName() string {
	if HasVisibleText(p.Name) {
		return p.Name
	}
	return string(p.ID)
}

// matchesParticipant reports whether the participant may sign with a certificate of this attestation.
func (a Attestation) matchesParticipant(p *Participant) bool {
	switch a.Assurance {
	case AssuranceGuest:
		return p.Guest && a.NamedBy != ""
	case AssuranceAccount:
		return !p.Guest
	}
	return false
}

// eventDetails returns the attestation as details of an event.
func (a Attestation) eventDetails() []string {
	return []string{"assurance", string(a.Assurance), "named_by", a.NamedBy, "organisation", a.Organisation, "certificate", a.Certificate}
}
