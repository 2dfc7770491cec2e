package contract

// Assurance is what was verified about a holder before a certificate was made out to them.
type Assurance string

// The assurances. Values are stored and stand in the audit log; new ones are added, none is renamed. A stronger one,
// such as a mailbox that was proven, gets a value, a certificate policy and a sentence of its own.
const (
	// AssuranceGuest is a guest whose name and address the owner of the document entered. Nothing was verified.
	AssuranceGuest Assurance = "guest_unverified"
	// AssuranceAccount is a user: an account given by an administrator of the organisation, and its password.
	AssuranceAccount Assurance = "account_password"
	// AssuranceSeal is an organisation, as the operator of the service entered it.
	AssuranceSeal Assurance = "organisation_seal"
)

// Attestation is what is known about who signs, and who said it.
type Attestation struct {
	Assurance    Assurance
	NamedBy      string // name of the owner who entered a guest; empty for all others
	Organisation string // name of the one that gave the account, whose seal it is, or that the owner belongs to
	Certificate  string // serial of the certificate that says so, in lower-case hexadecimal; empty before it is issued
}

// AttestParticipant says what is known about a participant of a document of an organisation.
func (d *Document) AttestParticipant(p Participant, organisation string) Attestation {
	if !HasVisibleText(organisation) {
		organisation = string(d.Organisation)
	}
	if p.Guest {
		return Attestation{Assurance: AssuranceGuest, NamedBy: d.Owner.DisplayName(), Organisation: organisation}
	}
	return Attestation{Assurance: AssuranceAccount, Organisation: organisation}
}

// DisplayName is the person's name, or the identifier where the name shows nothing.
func (p Person) DisplayName() string {
	if HasVisibleText(p.Name) {
		return p.Name
	}
	return string(p.ID)
}

// matchesParticipant reports whether a participant may sign with a certificate that says so.
func (a Attestation) matchesParticipant(p *Participant) bool {
	switch a.Assurance {
	case AssuranceGuest:
		return p.Guest && a.NamedBy != ""
	case AssuranceAccount:
		return !p.Guest
	}
	return false
}

// eventDetails are what an event says of it.
func (a Attestation) eventDetails() []string {
	return []string{"assurance", string(a.Assurance), "named_by", a.NamedBy, "organisation", a.Organisation, "certificate", a.Certificate}
}
