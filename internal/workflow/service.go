// Package workflow is the order in which rules, stores and paper are used: one file a verb. A verb reads the
// document, asks the rule of package contract for a change, does what the rule cannot do itself (bytes, keys,
// the stamp office), and commits the change. It sees the contracts of rooms, never their implementations.
//
// Bytes are written before the commit that refers to them. A crash between the two leaves bytes that nothing
// refers to, which fsck finds; the other way round cannot happen.
package workflow

import (
	"context"
	"crypto"
	"crypto/x509"
	"io"
	"log/slog"
	"sync"
	"time"

	"segel/internal/admission"
	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/convert"
	"segel/internal/emeterai"
	"segel/internal/store"
	"segel/pades/validate"
	"segel/revocation"
	"segel/tsp"
)

// Store is what the verbs need to be durable.
type Store interface {
	store.Documents
	store.Quotas
	store.Serials
	store.Administration
	store.Clocks
	store.Credentials
	User(ctx context.Context, id contract.PersonID) (store.User, error)
	MemberByEmail(ctx context.Context, o contract.OrganisationID, email string) (store.User, error)
	Organisation(ctx context.Context, id contract.OrganisationID) (store.Organisation, error)
	Specimen(ctx context.Context, id contract.PersonID) ([]byte, error)
}

// Issuer certifies keys, as the embedded authority does.
type Issuer interface {
	// Certify returns the chain, leaf first, of a certificate for that key and holder.
	Certify(ctx context.Context, h Holder, key crypto.PublicKey) ([]*x509.Certificate, error)
	// Certifies reports whether a certificate is what Certify would make out to that holder now.
	Certifies(cert *x509.Certificate, h Holder) bool
	// Revoked reports whether a certificate that it issued is revoked by now.
	Revoked(ctx context.Context, cert *x509.Certificate) (bool, error)
}

// Holder is whom a certificate is made out to, and what is known about them.
type Holder struct {
	ID    string // of the person or the organisation
	Name  string
	Email string // for the issuer's records, not for the certificate: it is not verified. Empty for a seal
	contract.Attestation
}

// Sealer protects private keys at rest. The id is bound to the sealed bytes.
type Sealer interface {
	Seal(id string, plain []byte) ([]byte, error)
	Open(id string, sealed []byte) ([]byte, error)
}

// Links draws the secrets of guests' links.
type Links interface {
	// NewGuestLink returns a new link, and the hash under which it is stored.
	NewGuestLink() (url string, hash [32]byte, err error)
}

// Service holds what the verbs work with. All members but Links, Certificates, Standing and Alarm are required.
type Service struct {
	Store   Store
	Blobs   blob.Store
	Scratch func() (blob.Scratch, error) // makes room for files that are judged and not kept
	// RequireDiskSpace demands that the disk has room for so many bytes more of what may be refused, and keeps the reserve that is left for
	// signatures, stamps and seals. Its error is an outage. Nil: any number.
	RequireDiskSpace func(bytes int64) error
	Office           emeterai.Stamper
	Issuer           Issuer
	Sealer           Sealer
	Timestamper      tsp.Timestamper
	Revocation       revocation.Source
	// Certificates are issuers that files may lack, such as the roots of time-stamp authorities.
	Certificates []*x509.Certificate
	// AuthorityCertificates is the embedded authority's own certificates, for administrators to see.
	AuthorityCertificates []CertificateLine
	// Trust is the roots that files are judged by; with nil no file passes, so that no document completes. Standing is asked about certificates that a
	// judged file brings along, so it must reach nothing that a stranger could point it at; nil asks nobody.
	Trust          *validate.Trust
	FileRevocation revocation.Source
	Links          Links
	Converter      convert.Converter // nil: Word documents are refused
	Turns          *admission.Queue  // of conversions, by organisation; nil where there is no converter
	Limits         contract.Limits
	StampOnly      bool // finalize demands a stamping order where all placements are stamps
	Clock          func() time.Time
	// ClockTolerance is how far other clocks may be from Clock; 0 is [contract.ClockTolerance].
	ClockTolerance time.Duration
	Random         io.Reader
	Log            *slog.Logger
	Alarm          func(Alarm) // counts alarms, which are logged as well; nil counts none

	InDoubtPeriod time.Duration // for how long after a call the office may still carry it out
	RenewBefore   time.Duration // how long before a timestamp loses its strength it is renewed; 0 is a year

	documentLocks documentLocks // one builder of a document's next revision at a time
	watch         watchers
	specimens     specimenCache
	fileSlots     fileSlots
	trials        trialCache
	pageCache     pageCache
	alarm         clockAlarm

	reconciling sync.Mutex // held by the one reconciliation that is under way
}
