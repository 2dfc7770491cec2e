// Package evidence writes the evidence certificate of a completed document: a PDF that says who was invited how, what each person signed, when
// and from where, what was verified about them, and how the file grew. The same facts are attached for programs, with a proof that the events
// are in the audit log (docs/formats/evidence.md). It also reads what is attached and compares it with the contract.
//
// The package knows no storage and no keys: facts in, an unsigned PDF/A-3 file out. Its caller seals it.
package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"segel/internal/contract"
)

// formatV1 names version 1 of the attached facts.
const formatV1 = "segel-evidence-1"

// Names of the attached files.
const (
	FactsFile = "evidence.json"
	ProofFile = "audit-proof.json"
)

// Facts is what an evidence certificate says, in the order of its members as JSON. Digests are SHA-256 in lower-case hexadecimal.
type Facts struct {
	Format    string     `json:"format"`
	MadeAt    time.Time  `json:"made_at"`
	Document  Document   `json:"document"`
	People    []Person   `json:"people"`
	Stamps    []Stamp    `json:"stamps"`
	Revisions []Revision `json:"revisions"`
	Consents  []Consent  `json:"consents"` // the consent texts that signers accepted
	LogKey    string     `json:"log_key"`  // of the audit log, as [audit.VerifierKey] writes it
}

// Document is the completed document.
type Document struct {
	Number       int64     `json:"number"`
	Title        string    `json:"title"`
	Filename     string    `json:"filename"` // as uploaded
	Pages        int       `json:"pages"`
	Digest       string    `json:"digest"` // of the completed file
	Size         int64     `json:"size"`   // bytes of the completed file
	Specimen     bool      `json:"specimen"`
	Owner        string    `json:"owner"`
	OwnerEmail   string    `json:"owner_email"`
	Organisation string    `json:"organisation"`
	CreatedAt    time.Time `json:"created_at"`
	FinalizedAt  time.Time `json:"finalized_at"`
	CompletedAt  time.Time `json:"completed_at"`
}

// Person is a participant. Members that are unknown or did not happen are missing.
type Person struct {
	Role        string       `json:"role"`               // signer or viewer
	Capacity    string       `json:"capacity,omitempty"` // one of [contract.Capacities]
	Group       int          `json:"group,omitempty"`    // of whom any one acted for all, by number; the others are viewers
	Number      int          `json:"number"`
	Name        string       `json:"name"`
	Email       string       `json:"email"`
	Phone       string       `json:"phone,omitempty"` // if messages went there
	Guest       bool         `json:"guest"`
	Invitations []Invitation `json:"invitations"`
	Delegated   *Delegation  `json:"delegated,omitempty"` // they passed their part to another person
	ViewedAt    time.Time    `json:"viewed_at,omitzero"`
	Signature   *Signature   `json:"signature,omitempty"`
	Approval    *Signature   `json:"approval,omitempty"` // of an approver: SignedAt is when they approved, Seen and Digest are the approved revision, and there is no certificate
}

// Delegation is the passing of a signer's part to another person.
type Delegation struct {
	At      time.Time `json:"at"`
	Name    string    `json:"name"`  // of the other person
	Address string    `json:"email"` // the same
	Reason  string    `json:"reason,omitempty"`
	IP      string    `json:"ip,omitempty"` // of the request
}

// Invitation is a way in which a person was given access, or was reminded of it.
type Invitation struct {
	At      time.Time `json:"at"`
	How     string    `json:"how"`               // one of the constants below
	Address string    `json:"address,omitempty"` // the address or phone number to which a message was sent
	Channel string    `json:"channel,omitempty"` // of a text message: whatsapp or sms
	Proof   string    `json:"proof,omitempty"`   // what the audit log says was verified when a link was handed out
}

// Ways of an invitation.
const (
	ByMail         = "mail"              // a mail server accepted a mail to the person
	ByReminder     = "reminder_mail"     // a mail server accepted a reminder
	ByOwner        = "link_by_sender"    // the owner of the document got the link, to hand it out
	ByOperator     = "link_by_operator"  // an operator of the service read the message with the link, to hand it out
	ByLink         = "link"              // a link was made in another way
	ByLinkRevoked  = "link_revoked"      // the owner revoked the link
	ByMailRejected = "mail_not_accepted" // no mail server accepted the mail
	ByText         = "text_message"      // a provider accepted a text message to the person
	ByTextReminder = "reminder_text_message"
	ByTextRejected = "text_message_not_accepted"
)

// Signature is one person's signature.
type Signature struct {
	ConsentedAt time.Time `json:"consented_at,omitzero"` // when the request to sign arrived
	SignedAt    time.Time `json:"signed_at"`
	IP          string    `json:"ip,omitempty"`
	Revision    int       `json:"revision"` // number of the revision that was seen and signed, from 1
	Seen        string    `json:"seen"`     // digest of that revision
	Digest      string    `json:"digest"`   // digest of the file with the signature

	PagesShown       string `json:"pages_shown,omitempty"`       // as ranges; none: the service showed no page
	PagesAsPictures  string `json:"pages_as_pictures,omitempty"` // those of them that it showed as pictures that it drew
	ConsentDocuments int    `json:"consent_documents,omitempty"` // in the list of the consent, if it covered several documents
	ConsentDigest    string `json:"consent_digest,omitempty"`    // of that list (docs/formats/consent.md)

	ConsentText       string    `json:"consent_text,omitempty"` // version of the text that they accepted; none: the service showed no text
	ConsentLanguage   string    `json:"consent_language,omitempty"`
	ConsentTextDigest string    `json:"consent_text_digest,omitempty"`
	ConsentTextAt     time.Time `json:"consent_text_at,omitzero"`        // if they accepted it before, with another document
	ConsentTextWith   string    `json:"consent_text_document,omitempty"` // number of that document

	Assurance    string `json:"assurance,omitempty"` // what was verified about the person
	NamedBy      string `json:"named_by,omitempty"`  // who entered the name of a guest
	Organisation string `json:"organisation,omitempty"`
	Link         string `json:"link,omitempty"`          // how a guest got the link with which they signed: mailed, texted or handed_out
	Mailbox      string `json:"mailbox,omitempty"`       // the address whose mailbox a guest verified with a code
	MailboxAt    string `json:"mailbox_at,omitempty"`    // when (RFC 3339)
	Phone        string `json:"phone,omitempty"`         // the phone number that a guest verified with a code
	PhoneChannel string `json:"phone_channel,omitempty"` // whatsapp or sms
	PhoneAt      string `json:"phone_at,omitempty"`      // when (RFC 3339)

	Key string `json:"api_key,omitempty"` // name of the API key with which a program signed as the person

	// Page is the origin of the page of an organisation in which the person signed, EmbeddedBy who asked for its address, and EmbeddedKey the name of
	// the API key with which they did. Missing: in the service itself, or without a key.
	Page        string `json:"page,omitempty"`
	EmbeddedBy  string `json:"embedded_by,omitempty"`
	EmbeddedKey string `json:"embedded_key,omitempty"`

	// Factor is how a person with an account was authenticated, one of [contract.Factors]; missing: by their password. FactorFor is "signature"
	// if they proved it for this signature; missing: at the login of their session.
	Factor    string `json:"factor,omitempty"`
	FactorFor string `json:"factor_for,omitempty"`

	Certificate Certificate `json:"certificate"`
}

// Certificate is the certificate of a signature. All members but the serial are missing if it is not recorded.
type Certificate struct {
	Serial  string `json:"serial"` // lower-case hexadecimal
	Subject string `json:"subject,omitempty"`
	Issuer  string `json:"issuer,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
}

// Consent is a version of a consent text (docs/formats/consent-text.md).
type Consent struct {
	Version string `json:"version"`
	ID      string `json:"id"` // the text in Indonesian
	EN      string `json:"en"`
}

// Stamp is an affixed duty stamp.
type Stamp struct {
	Page      int       `json:"page"`
	Serial    string    `json:"serial"`
	AffixedAt time.Time `json:"affixed_at"`
}

// Revision is one state of the file; each is a prefix of the next.
type Revision struct {
	Kind   string    `json:"kind"`
	Size   int64     `json:"size"`   // bytes of the file up to and including this revision
	Digest string    `json:"digest"` // of these bytes
	At     time.Time `json:"at"`
	By     string    `json:"by,omitempty"` // name of the person who signed
}

// ErrForm is the error of [ParseFacts] for bytes that are not facts of this version.
var ErrForm = errors.New("not the facts of an evidence certificate")

// MaxFacts bounds the bytes of the attached facts.
const MaxFacts = 16 << 20

// Marshal returns the facts as they are attached.
func (f *Facts) Marshal() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	if err := enc.Encode(f); err != nil {
		return nil, fmt.Errorf("write facts: %w", err)
	}
	if b.Len() > MaxFacts {
		return nil, fmt.Errorf("write facts: %d bytes are more than %d", b.Len(), MaxFacts)
	}
	return b.Bytes(), nil
}

// ParseFacts parses what [Facts.Marshal] returned, which is the only encoding.
func ParseFacts(b []byte) (*Facts, error) {
	if len(b) > MaxFacts {
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrForm, MaxFacts)
	}
	var f Facts
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForm, err)
	}
	if f.Format != formatV1 {
		return nil, fmt.Errorf("%w: format %q", ErrForm, f.Format)
	}
	again, err := f.Marshal()
	if err != nil || !bytes.Equal(again, b) {
		return nil, fmt.Errorf("%w: not canonical", ErrForm)
	}
	if err := f.checkConsents(); err != nil {
		return nil, err
	}
	if err := f.checkFactors(); err != nil {
		return nil, err
	}
	return &f, nil
}

// checkConsents compares the digests of the texts that signers accepted with the texts.
func (f *Facts) checkConsents() error {
	for _, c := range f.Consents {
		digests := map[string]string{"id": fmt.Sprintf("%x", sha256.Sum256([]byte(c.ID))), "en": fmt.Sprintf("%x", sha256.Sum256([]byte(c.EN)))}
		for _, p := range f.People {
			if s := p.act(); s != nil && s.ConsentText == c.Version && digests[s.ConsentLanguage] != s.ConsentTextDigest {
				return fmt.Errorf("%w: consent text %s is not the one that %s accepted", ErrForm, c.Version, p.Name)
			}
		}
	}
	return nil
}

// checkFactors refuses a factor that contradicts what else the facts say of a signature: guests have none. A password is one only if it was
// entered for the signature, in an embedded page.
func (f *Facts) checkFactors() error {
	for _, p := range f.People {
		s := p.act()
		switch {
		case s == nil || s.Factor == "" && s.FactorFor == "":
		case p.Guest || s.Assurance != string(contract.AssuranceAccount):
			return fmt.Errorf("%w: %s has no account that a factor belongs to", ErrForm, p.Name)
		case !slices.Contains(contract.Factors, contract.Factor(s.Factor)) || s.Factor == string(contract.FactorPassword) && s.FactorFor == "":
			return fmt.Errorf("%w: %s signed with factor %q", ErrForm, p.Name, s.Factor)
		case s.FactorFor != "" && (s.FactorFor != contract.ForSignature || !contract.Factor(s.Factor).IsStrong() && s.Factor != string(contract.FactorPassword)):
			return fmt.Errorf("%w: %s proved factor %q for %q", ErrForm, p.Name, s.Factor, s.FactorFor)
		}
	}
	return nil
}

// Records is what the facts of a document are taken from.
type Records struct {
	Document     contract.Document
	Organisation string                          // name
	Events       []contract.Event                // of the document, oldest first
	Certificates map[string]contract.Certificate // by serial; those that are not recorded are missing
	Consents     []contract.ConsentText          // those that the events name
	MadeAt       time.Time
	LogKey       string
	Describe     func(contract.Certificate) Certificate // reads the recorded bytes of a certificate
}

// Collect returns the facts of a completed document.
func Collect(r Records) *Facts {
	d := &r.Document
	n := CompletedRevision(d)
	f := &Facts{
		Format: formatV1, MadeAt: r.MadeAt.UTC().Truncate(time.Microsecond), LogKey: r.LogKey,
		Document: Document{
			Number: int64(d.ID), Title: d.Title, Filename: d.Filename, Pages: d.Pages, Specimen: d.Specimen,
			Digest: fmt.Sprintf("%x", d.Revisions[n].Digest), Size: d.Revisions[n].End,
			Owner: d.Owner.Name, OwnerEmail: d.Owner.Email, Organisation: r.Organisation,
			CreatedAt: d.CreatedAt.UTC(), FinalizedAt: d.FinalizedAt.UTC(), CompletedAt: d.EndedAt.UTC(),
		},
		People: []Person{}, Stamps: []Stamp{}, Revisions: []Revision{}, Consents: []Consent{},
	}
	for _, p := range d.Participants {
		f.People = append(f.People, r.describePerson(p))
	}
	for _, s := range d.Stamps {
		if s.State == contract.StampAffixed {
			f.Stamps = append(f.Stamps, Stamp{Page: d.Placements[s.Placement].Page, Serial: s.Serial, AffixedAt: s.AffixedAt.UTC()})
		}
	}
	for _, v := range d.Revisions[:n+1] {
		line := Revision{Kind: string(v.Kind), Size: v.End, Digest: fmt.Sprintf("%x", v.Digest), At: v.At.UTC()}
		if p := d.Participant(v.By); p != nil {
			line.By = p.Name
		}
		f.Revisions = append(f.Revisions, line)
	}
	for _, t := range r.Consents {
		f.Consents = append(f.Consents, Consent{Version: t.Name(), ID: t.Texts["id"], EN: t.Texts["en"]})
	}
	return f
}

// CompletedRevision returns the index of the revision with which the document was completed: the first document timestamp of the service.
// Renewals append to it later.
func CompletedRevision(d *contract.Document) int {
	for i, r := range d.Revisions {
		if r.Kind == contract.RevisionTimestamp {
			return i
		}
	}
	return len(d.Revisions) - 1
}

func (r *Records) describePerson(p contract.Participant) Person {
	person := Person{
		Role: string(p.Role), Capacity: string(p.Capacity), Group: p.Group, Number: p.Number, Name: p.Name, Email: p.Email, Guest: p.Guest, ViewedAt: p.ViewedAt.UTC(), Invitations: []Invitation{},
	}
	if channel, number := r.Document.Reach(p.ID); channel.IsPhone() {
		person.Phone = number
	}
	for _, e := range r.Events {
		if e.Type == contract.EventDelegated && e.Person.ID == p.ID {
			person.Delegated = &Delegation{At: e.At.UTC(), Name: e.Details["name"], Address: e.Details["address"], Reason: e.Details["reason"], IP: e.IP}
		}
		if i, ok := invitationOf(e, p.ID); ok {
			person.Invitations = append(person.Invitations, i)
		}
	}
	d := &r.Document
	if p.MustApprove() && !p.SignedAt.IsZero() {
		person.Approval = r.describeApproval(p)
	}
	for i, v := range d.Revisions {
		if i == 0 || v.Kind != contract.RevisionSignature || v.By != p.ID {
			continue
		}
		s := &Signature{
			SignedAt: p.SignedAt.UTC(), Revision: i, Seen: fmt.Sprintf("%x", d.Revisions[i-1].Digest), Digest: fmt.Sprintf("%x", v.Digest),
		}
		r.addEventDetails(s, p.ID)
		person.Signature = s
	}
	return person
}

// describeApproval returns the approval that the events tell of; nil if none does.
func (r *Records) describeApproval(p contract.Participant) *Signature {
	for _, e := range r.Events {
		if e.Type != contract.EventApproved || e.Person.ID != p.ID {
			continue
		}
		a := &Signature{SignedAt: p.SignedAt.UTC(), Seen: e.Details["digest"], Digest: e.Details["digest"]}
		for i, v := range r.Document.Revisions {
			if fmt.Sprintf("%x", v.Digest) == a.Seen {
				a.Revision = i + 1
			}
		}
		r.addEventDetails(a, p.ID)
		return a
	}
	return nil
}

// act returns what the person did: their signature, or their approval; nil if neither.
func (p *Person) act() *Signature {
	if p.Approval != nil {
		return p.Approval
	}
	return p.Signature
}

// addEventDetails adds what the events of a signature or an approval say.
func (r *Records) addEventDetails(s *Signature, id contract.PersonID) {
	for _, e := range r.Events {
		if e.Person.ID != id {
			continue
		}
		switch {
		case e.Type == contract.EventSignIntended && e.Details["digest"] == s.Seen:
			s.ConsentedAt = e.At.UTC() // the last one: an earlier request did not lead to a signature
		case (e.Type == contract.EventSigned || e.Type == contract.EventApproved) && e.Details["digest"] == s.Digest:
			s.IP, s.PagesShown, s.PagesAsPictures = e.IP, e.Details["pages_shown"], e.Details["pages_as_pictures"]
			s.Assurance, s.NamedBy, s.Organisation = e.Details["assurance"], e.Details["named_by"], e.Details["organisation"]
			s.Link, s.Mailbox, s.MailboxAt = e.Details["link"], e.Details["mailbox"], e.Details["mailbox_verified_at"]
			s.Factor, s.FactorFor = e.Details["factor"], e.Details["factor_for"]
			s.Phone, s.PhoneChannel, s.PhoneAt = e.Details["phone"], e.Details["phone_channel"], e.Details["phone_verified_at"]
			s.Key = e.Details["key_name"]
			s.Page, s.EmbeddedBy, s.EmbeddedKey = e.Details["embed_origin"], e.Details["embed_by"], e.Details["embed_key_name"]
			if _, err := fmt.Sscan(e.Details["consent_documents"], &s.ConsentDocuments); err == nil {
				s.ConsentDigest = e.Details["consent_digest"]
			}
			s.ConsentText, s.ConsentLanguage, s.ConsentTextDigest = e.Details["consent_text"], e.Details["consent_language"], e.Details["consent_text_digest"]
			if at, err := time.Parse(time.RFC3339, e.Details["consent_at"]); err == nil {
				s.ConsentTextAt, s.ConsentTextWith = at.UTC(), e.Details["consent_document"]
			}
			s.Certificate.Serial = e.Details["certificate"]
			if c, ok := r.Certificates[s.Certificate.Serial]; ok {
				s.Certificate = r.Describe(c)
			}
		}
	}
}

// textInvitations are the ways of an invitation by text message that correspond to those by mail.
var textInvitations = map[string]string{ByMail: ByText, ByReminder: ByTextReminder, ByMailRejected: ByTextRejected}

// invitationOf returns the invitation that an event tells of, if it is one of that person.
func invitationOf(e contract.Event, id contract.PersonID) (i Invitation, ok bool) {
	i = Invitation{At: e.At.UTC(), Address: e.Details["address"], Proof: e.Details["proof"]}
	switch e.Type {
	case contract.EventNoticeSent, contract.EventNoticeRefused:
		i.Channel = e.Details["channel"]
		switch contract.NoticeKind(e.Details["notice"]) {
		case contract.NoticeInviteSigner, contract.NoticeInviteViewer:
			i.How = ByMail
		case contract.NoticeReminder:
			i.How = ByReminder
		default:
			return i, false
		}
		if e.Type == contract.EventNoticeRefused {
			i.How = ByMailRejected
		}
		if i.Channel != "" {
			i.How = textInvitations[i.How]
		}
		return i, e.Details["recipient"] == string(id)
	case contract.EventGuestLink:
		switch i.Proof {
		case "none: handed out by the owner":
			i.How = ByOwner
		case "none: handed out by the operator":
			i.How = ByOperator
		default:
			i.How = ByLink
		}
		return i, e.Details["guest"] == string(id)
	case contract.EventGuestRevoked:
		i.How = ByLinkRevoked
		return i, e.Details["guest"] == string(id)
	}
	return i, false
}
