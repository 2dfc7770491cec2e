// Package workflow defines the order in which rules, stores and files are used: one file per operation. An operation
// reads the document, gets a change from the rule in package contract, does what the rule cannot do itself (bytes,
// keys, the stamp office), and commits the change. It uses interfaces, never their implementations.
//
// Bytes are written before the commit that refers to them. If the process dies between the two, nothing refers to the
// bytes, and fsck finds them. A reference without bytes cannot occur.
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
	sealing "segel/internal/credential"
	"segel/internal/emeterai"
	"segel/internal/store"
	"segel/pades/validate"
	"segel/revocation"
	"segel/tsp"
)

// Store is the durable storage of the operations.
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
	// Certify returns the certificate chain for a key and its holder, leaf first.
	Certify(ctx context.Context, h Holder, key crypto.PublicKey) ([]*x509.Certificate, error)
	// Certifies reports whether a certificate equals what Certify would issue to the holder now.
	Certifies(cert *x509.Certificate, h Holder) bool
	// Revoked reports whether a certificate of this issuer is revoked.
	Revoked(ctx context.Context, cert *x509.Certificate) (bool, error)
}

// Holder is the subject of a certificate, with what is known about it.
type Holder struct {
	ID    string // of the person or the organisation
	Name  string
	Email string // for the issuer's records, not in the certificate, because it is not verified; empty for a seal
	contract.Attestation
}

// Links creates the secrets of guest links.
type Links interface {
	// NewGuestLink returns a new link and the hash under which it is stored.
	NewGuestLink() (url string, hash [32]byte, err error)
}

// Service holds the dependencies of the operations. All fields except Links, Certificates, FileRevocation and Alarm are
// required, unless they say otherwise.
type Service struct {
	Store   Store
	Blobs   blob.Store
	Scratch func() (blob.Scratch, error) // creates temporary files for uploads that are checked and not stored
	// RequireDiskSpace checks that the disk has space for that many more bytes of refusable uploads, beyond the reserve
	// for signatures, stamps and seals. Its error is an outage. Nil: unlimited.
	RequireDiskSpace func(bytes int64) error
	Office           emeterai.Stamper
	Issuer           Issuer
	Sealer           *sealing.Sealer // of private keys at rest
	Timestamper      tsp.Timestamper
	Revocation       revocation.Source
	// Certificates are issuers that files may lack, such as the roots of time-stamp authorities.
	Certificates []*x509.Certificate
	// AuthorityCertificates are the embedded authority's own certificates, shown to administrators.
	AuthorityCertificates []CertificateLine
	// Trust holds the trust anchors for files. With nil no file passes, so no document completes. FileRevocation is
	// asked about certificates in checked files. Such files are untrusted, so it must not connect to addresses that
	// they name; nil asks nothing.
	Trust          *validate.Trust
	FileRevocation revocation.Source
	Links          Links
	Converter      convert.Converter // nil: Word documents are refused
	Turns          *admission.Queue  // for conversions, by organisation; nil without a converter
	Limits         contract.Limits
	StampOnly      bool // finalize requires a stamping order if all placements are stamps
	Clock          func() time.Time
	// ClockTolerance is how far other clocks may be from Clock; 0 is [contract.ClockTolerance].
	ClockTolerance time.Duration
	Random         io.Reader
	Log            *slog.Logger
	Alarm          func(Alarm) // counts alarms, which are also logged; nil counts none

	InDoubtPeriod time.Duration // how long after a call the stamp office may still carry it out
	RenewBefore   time.Duration // how long before its expiry a timestamp is renewed; 0 is a year

	documentLocks documentLocks // one builder of a document's next revision at a time
	watch         watchers
	specimens     specimenCache
	fileSlots     fileSlots
	trials        trialCache
	pageCache     pageCache
	alarm         clockAlarm

	reconciling sync.Mutex // held by the running reconciliation
}
