// Package workflow defines the order in which rules, stores and files are used. An operation reads the document, gets a
// change from the rule in package contract, does what the rule cannot do itself (bytes, keys), and commits the change
// through package documents. It uses interfaces, never their implementations.
package workflow

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/x509"
	"sync/atomic"
	"time"

	"segel/internal/admission"
	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/convert"
	"segel/internal/credential"
	"segel/internal/documents"
	"segel/internal/stamping"
	"segel/internal/store"
	"segel/revocation"
	"segel/tsp"
)

// Store is the durable storage of the operations.
type Store interface {
	stamping.Store
	store.Quotas
	store.Administration
	store.Logins
	store.Credentials
	store.Signings
	store.ResumableUploads
	EvidenceStore
	Storage(ctx context.Context, o contract.OrganisationID) (contract.Storage, error)
	store.Brandings
	store.Consents
	store.Schedules
	store.Locales
	store.Labels
	store.Folders
	store.Templates
	store.Teams
	store.Embeds
	store.Erasures
	store.Retentions
	store.Organisations
	HoldsDeletions(ctx context.Context) (bool, error)
	CreateOrganisation(ctx context.Context, o store.Organisation, events ...contract.Event) error
	FirstOrganisation(ctx context.Context) (store.Organisation, error)
	User(ctx context.Context, id contract.PersonID) (store.User, error)
	MemberByEmail(ctx context.Context, o contract.OrganisationID, email string) (store.User, error)
	FindMembers(ctx context.Context, o contract.OrganisationID, asked ...store.MemberQuery) ([]store.User, error)
	Specimen(ctx context.Context, id contract.PersonID, kind store.SpecimenKind) ([]byte, error)
	GuestCode(ctx context.Context, id contract.DocumentID, guest contract.PersonID) (contract.GuestCode, error)
	TryGuestCode(ctx context.Context, id contract.DocumentID, guest contract.PersonID, now time.Time) (contract.GuestCode, error)
}

// Issuer certifies keys, as the embedded authority does.
type Issuer interface {
	// Certify returns the certificate chain for a key and its holder, leaf first. The certificate is recorded.
	Certify(ctx context.Context, h Holder, key crypto.PublicKey) ([]*x509.Certificate, error)
	// IssueUnrecorded is Certify for a caller who records the certificate: Change.Certificate does. The key must not sign before
	// the record is durable.
	IssueUnrecorded(h Holder, key crypto.PublicKey) ([]*x509.Certificate, contract.Certificate, error)
	// MatchesHolder reports whether a certificate equals what Certify would issue to the holder now.
	MatchesHolder(cert *x509.Certificate, h Holder) bool
	// IsRevoked reports whether a certificate of this issuer is revoked.
	IsRevoked(ctx context.Context, cert *x509.Certificate) (bool, error)
}

// Holder is the subject of a certificate, with what is known about it.
type Holder struct {
	ID    string // of the person or the organisation
	Name  string
	Email string // for the issuer's records, not in the certificate, because it is not verified; empty for a seal
	contract.Attestation
}

// Links creates the secrets of guests.
type Links interface {
	// NewGuestLink returns a new link and the hash under which it is stored.
	NewGuestLink() (url string, hash [32]byte, err error)
	// NewEmbedAddress returns a new address of an embedded page of an organisation, and the hash under which it is stored.
	NewEmbedAddress(o contract.OrganisationID) (url string, hash [32]byte, err error)
	// NewEmbedToken returns a new token of an embedded page, and the hash under which it is stored.
	NewEmbedToken() (clear string, hash [32]byte, err error)
	// DeriveCode returns the code that is sent to a guest's mailbox: six digits.
	DeriveCode(g contract.GuestCode) (string, error)
}

// Factors checks what signers present.
type Factors interface {
	// ProveSigning returns what stands behind signatures of one consent; empty if nothing is presented, or the account has no second factor. What
	// is accepted is used up durably, and is accepted again only for the same consent, by a repeat of the request.
	ProveSigning(ctx context.Context, by contract.Actor, given contract.GivenFactor, c contract.Consent) (contract.Factor, error)
	// ProveEmbedded returns what a person with an account gives in an embedded page, for which they did not log in; empty if they give nothing.
	ProveEmbedded(ctx context.Context, by contract.Actor, given contract.GivenFactor) (contract.Factor, error)
}

// Content is a file to be read; see [documents.Content].
type Content = documents.Content

// Service holds the dependencies of the operations. A field is required unless its comment says what its zero value means.
type Service struct {
	*documents.Documents
	*stamping.Stamping

	Store       Store
	Scratch     func() (blob.Scratch, error) // creates temporary files for uploads that are checked and not stored
	Issuer      Issuer
	Sealer      *credential.Sealer // of private keys at rest
	LogKey      ed25519.PrivateKey // signs checkpoints of the audit log
	Timestamper tsp.Timestamper
	Revocation  revocation.Source
	// Certificates are issuers that files may lack, such as the roots of time-stamp authorities; nil: none.
	Certificates []*x509.Certificate
	// AuthorityCertificates returns the embedded authority's own certificates in use, shown to administrators.
	AuthorityCertificates func() []CertificateLine
	// FileRevocation is asked about certificates in checked files. Such files are untrusted, so it must not connect to
	// addresses that they name; nil asks nothing.
	FileRevocation revocation.Source
	Links          Links
	Factors        Factors                     // nil: accounts have no second factors
	QuietHours     contract.QuietHours         // without scheduled reminders; zero: none
	Converter      convert.Converter           // nil: Word documents are refused
	Turns          *admission.Queue            // for conversions, by organisation; nil without a converter
	PagePictures   *PagePictures               // nil: pages are not drawn here
	StampOnly      bool                        // finalize requires a stamping order if all placements are stamps
	DiskSpace      func() contract.DiskFinding // of the disks of the data; nil: not watched
	LeastRetention int                         // years: the shortest retention that an organisation can choose; 0 is 1
	RenewBefore    time.Duration               // how long before its expiry a timestamp is renewed; 0 is a year
	ConsentTexts   []map[string]string         // versions of the text of the service, from 1, each by language; the last one is the current one
	VerifyURL      string                      // of the page that verifies files, for the code of signatures; empty: they show none

	specimens  specimenCache
	fileSlots  fileSlots
	throwaways throwawayCache
	pageCache  pageCache
	evidence   evidenceQueue

	newestToken atomic.Pointer[tsp.Token] // that this process obtained; nil: none yet

	organisations organisationCache
	logos         logoCache
}
