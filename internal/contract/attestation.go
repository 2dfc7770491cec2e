package contract

// Assurance is what was verified about a holder before their certificate was issued.
type Assurance string

// The assurances. Values are stored and appear in the audit log; new ones are added, none is renamed. Each has a certificate policy
// and a sentence.
const (
	// AssuranceGuest is a guest whose name and address the owner of the document entered. Nothing was verified.
	AssuranceGuest Assurance = "guest_unverified"
	// AssuranceGuestMailbox and AssuranceGuestPhone are guests who entered, for the revision that they sign, a code that was sent to
	// their mailbox or phone. Their identity was not verified.
	AssuranceGuestMailbox Assurance = "guest_mailbox_code"
	AssuranceGuestPhone   Assurance = "guest_phone_code"
	// AssuranceAccount is a user: an account given by an administrator of the organisation, and its password.
	AssuranceAccount Assurance = "account_password"
	// AssuranceSeal is an organisation, as the operator of the service entered it.
	AssuranceSeal Assurance = "organisation_seal"
)

// IsGuest reports whether the holder is a guest, whose name somebody else entered and whose identity was not verified.
func (a Assurance) IsGuest() bool {
	return a == AssuranceGuest || a == AssuranceGuestMailbox || a == AssuranceGuestPhone
}

// Attestation is what is known about a signer, and from whom.
type Attestation struct {
	Assurance    Assurance
	NamedBy      string // name of who entered a guest: the owner, or a signer who passed their part on, " / " and the owner; empty for all others
	Organisation string // name of the organisation that gave the account, that seals, or that the owner belongs to
	Contact      string // address of the mailbox, or phone number, that a guest verified; empty: none
	Certificate  string // serial number of the certificate, lower-case hexadecimal; empty before it is issued
}

// AttestParticipant returns what is known about a participant of a document who signs its current revision. Organisation is the name of
// the document's organisation. Proved is what a guest proved in their session.
func (d *Document) AttestParticipant(p Participant, organisation string, proved Contact) Attestation {
	if !HasVisibleText(organisation) {
		organisation = string(d.Organisation)
	}
	if p.Guest {
		namedBy := d.Owner.DisplayName()
		if g := d.DelegationTo(p.ID); g != nil {
			// The person who named them comes first: a certificate may cut the end. The owner allowed it.
			namedBy = d.Participant(g.From).DisplayName() + " / " + namedBy
		}
		a := Attestation{Assurance: AssuranceGuest, NamedBy: namedBy, Organisation: organisation}
		if d.isProvedNow(p.ID, proved) {
			a.Assurance, a.Contact = AssuranceGuestMailbox, proved.Address
			if proved.Channel.IsPhone() {
				a.Assurance = AssuranceGuestPhone
			}
		}
		return a
	}
	return Attestation{Assurance: AssuranceAccount, Organisation: organisation}
}

// isProvedNow reports whether a guest proved, for the current revision, that they read what is sent to where they are reached now.
func (d *Document) isProvedNow(id PersonID, proved Contact) bool {
	channel, address := d.Reach(id)
	return !proved.At.IsZero() && proved.Digest == d.Current().Digest && address != "" && proved.Address == address && proved.Channel == channel
}

// DisplayName returns the person's name, or the identifier if the name has nothing visible.
func (p Person) DisplayName() string {
	if HasVisibleText(p.Name) {
		return p.Name
	}
	return string(p.ID)
}

// matchesParticipant reports whether a participant of the document may sign with a certificate of this attestation.
func (a Attestation) matchesParticipant(d *Document, p *Participant, proved Contact) bool {
	switch want := d.AttestParticipant(*p, a.Organisation, proved); {
	case a.Assurance.IsGuest():
		return p.Guest && a.NamedBy != "" && a.Assurance == want.Assurance && a.Contact == want.Contact
	case a.Assurance == AssuranceAccount:
		return !p.Guest
	}
	return false
}

// eventDetails returns the attestation as details of an event.
func (a Attestation) eventDetails() []string {
	return append(a.personDetails(), "certificate", a.Certificate)
}

// personDetails returns what the attestation says about the person as details of an event.
func (a Attestation) personDetails() []string {
	return []string{"assurance", string(a.Assurance), "named_by", a.NamedBy, "organisation", a.Organisation}
}
