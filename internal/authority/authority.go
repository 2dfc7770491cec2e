package authority

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"segel/certpath"
	"segel/cms"
	"segel/internal/credential"
	"segel/tsp"
)

// Options of an authority. All are required.
type Options struct {
	PublicURL string // stated in certificates permanently
	Clock     func() time.Time
	Sealer    *credential.Sealer // of the keys at rest
	Ledger    Ledger
}

// Authority issues certificates, states whether they are revoked, and issues timestamps.
type Authority struct {
	keys   *keySet
	urls   urlBuilder
	clock  func() time.Time
	ledger Ledger

	mu   sync.Mutex // guards lists
	crls map[string]cachedCRL
}

// authorityFile holds the authority's keys and certificates except those that are added later.
const authorityFile = "authority.json"

// Open reads the authority, or creates it at the first start. The authority is one file, authority.json,
// which is durable before it is used: a crash leaves all of it or nothing. The issuers of guests' certificates,
// guests.json and contacts.json, and later time-stamp authorities are separate files; a time-stamp authority replaces the
// previous one before its certificate expires.
func Open(ctx context.Context, files Files, o Options) (*Authority, error) {
	for {
		a, err := OpenExisting(ctx, files, o)
		if !errors.Is(err, ErrMissing) {
			return a, err
		}
		k, err := newKeySet(newURLBuilder(o), o.Clock())
		if err != nil {
			return nil, fmt.Errorf("create authority: %w", err)
		}
		if err := storeMembers(ctx, files, authorityFile, o.Sealer, k.listMembers()); err != nil {
			return nil, fmt.Errorf("store authority: %w", err)
		}
	}
}

// ErrMissing is a required file of the authority that does not exist.
var ErrMissing = errors.New("file of the authority does not exist")

// OpenExisting is [Open] for an authority that exists; without one it returns ErrMissing. It still creates the issuers
// for guests and later time-stamp authorities when they are due.
func OpenExisting(ctx context.Context, files Files, o Options) (*Authority, error) {
	a, err := readRootKeys(ctx, files, o)
	if err != nil {
		return nil, err
	}
	if err := a.openGuestIssuers(ctx, files, o); err != nil {
		return nil, err
	}
	return a, a.renewTSA(ctx, files, o)
}

// Read is [OpenExisting] without writing: a missing file that is due is ErrMissing, and a time-stamp authority whose
// certificate is about to expire is used as long as it is valid.
func Read(ctx context.Context, files Files, o Options) (*Authority, error) {
	a, err := readRootKeys(ctx, files, o)
	if err != nil {
		return nil, err
	}
	if err := a.readGuestIssuers(ctx, files, o); err != nil {
		return nil, err
	}
	return a, a.readSuccessors(ctx, files, o)
}

// readRootKeys reads authority.json.
func readRootKeys(ctx context.Context, files Files, o Options) (*Authority, error) {
	b, err := readRequired(ctx, files, authorityFile)
	if err != nil {
		return nil, err
	}
	a := newAuthority(o)
	a.keys = &keySet{}
	if err := a.keys.unmarshalFile(b, o.Sealer); err != nil {
		return nil, err
	}
	return a, nil
}

// readRequired reads a file of the authority; ErrMissing if it does not exist.
func readRequired(ctx context.Context, files Files, name string) ([]byte, error) {
	b, err := files.ReadFile(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %v", ErrMissing, err)
	}
	if err != nil {
		return nil, fmt.Errorf("read authority: %w", err)
	}
	return b, nil
}

// NewEphemeral creates an authority that exists only in memory. Do not rely on its certificates.
func NewEphemeral(publicURL string, clock func() time.Time) (*Authority, error) {
	a := newAuthority(Options{PublicURL: publicURL, Clock: clock, Ledger: &MemoryLedger{}})
	now := clock()
	var err error
	if a.keys, err = newKeySet(a.urls, now); err != nil {
		return nil, err
	}
	for _, g := range guestIssuers {
		i, err := g.create(a.keys.root, a.urls, now)
		if err != nil {
			return nil, err
		}
		a.keys.guests = append(a.keys.guests, i)
	}
	return a, nil
}

func newAuthority(o Options) *Authority {
	return &Authority{urls: newURLBuilder(o), clock: o.Clock, ledger: o.Ledger, crls: map[string]cachedCRL{}}
}

func newURLBuilder(o Options) urlBuilder { return urlBuilder(strings.TrimRight(o.PublicURL, "/")) }

// backdating is how long before its issue a certificate becomes valid. The clocks of readers and of the time-stamp
// authority may be behind by the tolerated difference: a certificate must be valid at the time of the signature's
// timestamp, and for a first signature it was issued seconds before. It is above [tsp.Skew], the largest tolerance that
// can be configured.
const backdating = 2 * tsp.Skew

// Certify issues a certificate for that key and returns its chain, leaf first. Guests, whose identity is not verified,
// have separate issuers. The certificate is in the ledger before it is returned. Errors: ErrHolder for a holder that
// does not fit the assurance, ErrNotYetValid, ErrExpired.
func (a *Authority) Certify(ctx context.Context, h Holder, key crypto.PublicKey) ([]*x509.Certificate, error) {
	chain, r, err := a.IssueUnrecorded(h, key)
	if err != nil {
		return nil, err
	}
	if err := a.ledger.RecordIssued(ctx, r); err != nil {
		return nil, fmt.Errorf("record certificate %s: %w", r.Serial, err)
	}
	return chain, nil
}

// IssueUnrecorded is [Authority.Certify] for a caller who adds the returned record to the ledger, such as in the transaction
// that records why the certificate was issued. The record must be durable before the key signs and before anyone else
// gets the certificate: until then its status is unknown here, and it cannot be revoked.
func (a *Authority) IssueUnrecorded(h Holder, key crypto.PublicKey) ([]*x509.Certificate, Record, error) {
	subject, err := h.buildSubject()
	if err != nil {
		return nil, Record{}, fmt.Errorf("certify: %w", err)
	}
	by := a.selectIssuer(h.Assurance)
	policy, err := certificatePolicies(a.urls.policiesURL(), h.Assurance)
	if err != nil {
		return nil, Record{}, err
	}
	serial, err := newSerial()
	if err != nil {
		return nil, Record{}, err
	}
	now := a.clock()
	if err := requireValid(now, a.keys.root, by.issuing); err != nil {
		return nil, Record{}, fmt.Errorf("certify %s: %w", h.ID, err)
	}
	end, last := now.AddDate(personYears, 0, 0), by.issuing.cert.NotAfter
	if end.After(last) {
		end = last // a certificate must not outlive its issuer's
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: subject, NotBefore: now.Add(-backdating), NotAfter: end,
		KeyUsage:   x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment,
		OCSPServer: []string{a.urls.ocspURL()}, IssuingCertificateURL: []string{a.urls.certificateURL(by.name)}, CRLDistributionPoints: []string{a.urls.crlURL(by.name)},
		ExtraExtensions: []pkix.Extension{policy}, EmailAddresses: h.listMailboxes(),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.issuing.cert, key, by.issuing.key)
	if err != nil {
		return nil, Record{}, fmt.Errorf("certify %s: %w", h.ID, err)
	}
	cert, err := cms.ParseStrictCertificate(der)
	if err != nil {
		return nil, Record{}, err
	}
	return []*x509.Certificate{cert, by.issuing.cert, a.keys.root.cert}, Record{
		Serial: formatSerial(cert), Subject: cert.Subject.String(), DER: der, IssuedAt: now, NotAfter: cert.NotAfter, Holder: h.ID,
		Assurance: h.Assurance, NamedBy: h.NamedBy, Organisation: h.Organisation, Email: h.Email,
	}, nil
}

// MatchesHolder reports whether a certificate is what Certify would issue for that holder now: same issuer, subject,
// mailbox and policy. Certificates of other holders, with other assurances, or from before policies were stated do not match.
func (a *Authority) MatchesHolder(cert *x509.Certificate, h Holder) bool {
	subject, err := h.buildSubject()
	if err != nil {
		return false
	}
	der, err := asn1.Marshal(subject.ToRDNSequence())
	return err == nil && bytes.Equal(der, cert.RawSubject) && hasOnlyPolicies(cert, h.Assurance) && slices.Equal(cert.EmailAddresses, h.listMailboxes()) &&
		certpath.CheckIssuedBy(cert, a.selectIssuer(h.Assurance).issuing.cert) == nil
}

func formatSerial(c *x509.Certificate) string { return fmt.Sprintf("%x", c.SerialNumber) }

// Root returns the root certificate, the trust anchor for readers.
func (a *Authority) Root() *x509.Certificate { return a.keys.root.cert }

// OwnCertificate is one of the authority's own certificates.
type OwnCertificate struct {
	Role        string // root, issuing, tsa, ocsp, guest_issuing, guest_ocsp, contact_issuing or contact_ocsp
	Certificate *x509.Certificate
}

// OwnCertificates returns the authority's own certificates.
func (a *Authority) OwnCertificates() []OwnCertificate {
	all := []OwnCertificate{{"root", a.keys.root.cert}, {"issuing", a.keys.issuing.cert}, {"tsa", a.keys.tsaAt(a.clock()).cert}, {"ocsp", a.keys.ocsp.cert}}
	for i, g := range guestIssuers {
		of := a.keys.guests[i]
		all = append(all, OwnCertificate{g.role + "_issuing", of.issuing.cert}, OwnCertificate{g.role + "_ocsp", of.ocsp.cert})
	}
	return all
}

// Issuers returns the issuing certificates, with the assurances of what they issued.
func (a *Authority) Issuers() []Issuer {
	all := []Issuer{describeIssuer(a.keys.issuing.cert)}
	for i, g := range guestIssuers {
		all = append(all, g.describe(a.keys.guests[i].issuing.cert))
	}
	return all
}

// RootPEM returns the root certificate as PEM.
func (a *Authority) RootPEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.keys.root.cert.Raw})
}

// tsaPolicy is the policy of the time-stamp authority. The OID is not registered and has no meaning elsewhere; it is
// shorter than the UUIDs below 2.25, whose arcs encoding/asn1 cannot parse. It is in every token issued so far, so it
// must not change.
var tsaPolicy = asn1.ObjectIdentifier{2, 25, 1879048192, 1}

// Timestamper returns the time-stamp authority, in process. It selects the key for each timestamp, because the clock
// may be set while the process runs.
func (a *Authority) Timestamper() *tsp.Responder {
	choose := func(at time.Time) (crypto.Signer, []*x509.Certificate) {
		id := a.keys.tsaAt(at)
		return id.key, []*x509.Certificate{id.cert, a.keys.root.cert}
	}
	r := &tsp.Responder{Select: choose, Policy: tsaPolicy, Clock: a.clock, Random: rand.Reader}
	r.Key, r.Chain = choose(a.clock())
	return r
}

// ReadRoot reads the root certificate of an authority, without any secret. Without an authority it is nil.
func ReadRoot(ctx context.Context, files Files) (*x509.Certificate, error) {
	found, err := readMembers(ctx, files, authorityFile, "root")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return found["root"], err
}

// OpenRoot checks that the sealer opens the keys of an authority, and returns its root certificate. It
// writes nothing. ErrMissing if there is no authority.
func OpenRoot(ctx context.Context, files Files, s *credential.Sealer) (*x509.Certificate, error) {
	a, err := readRootKeys(ctx, files, Options{Sealer: s})
	if err != nil {
		return nil, err
	}
	return a.Root(), nil
}

// FileName is the name of the file with the root. Without it there is no authority.
const FileName = authorityFile

// Exists reports whether there is an authority.
func Exists(ctx context.Context, files Files) (bool, error) { return exists(ctx, files, authorityFile) }

// ReadPublic reads the root certificate and the issuing certificates of an authority, without any secret.
// Without an authority the root is nil; an issuer of guests that does not exist yet is left out.
func ReadPublic(ctx context.Context, files Files) (root *x509.Certificate, issuers []Issuer, err error) {
	first, err := readMembers(ctx, files, authorityFile, "root", "issuing")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	root = first["root"]
	if err := first["issuing"].CheckSignatureFrom(root); err != nil {
		return nil, nil, fmt.Errorf("certificate of the authority's issuing: %w", err)
	}
	issuers = []Issuer{describeIssuer(first["issuing"])}
	for _, g := range guestIssuers {
		found, err := readMembers(ctx, files, g.file(), g.issuingMember())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		c := found[g.issuingMember()]
		if err := g.check(c, root); err != nil {
			return nil, nil, err
		}
		issuers = append(issuers, g.describe(c))
	}
	return root, issuers, nil
}

// readMembers reads certificates from one of the authority's files.
func readMembers(ctx context.Context, files Files, file string, names ...string) (map[string]*x509.Certificate, error) {
	b, err := files.ReadFile(ctx, file)
	if err != nil {
		return nil, fmt.Errorf("read authority: %w", err)
	}
	var in storedFile
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	found := map[string]*x509.Certificate{}
	for _, name := range names {
		if found[name], err = cms.ParseStrictCertificate(in.Members[name].Certificate); err != nil {
			return nil, fmt.Errorf("%s in %s: %w", name, file, err)
		}
	}
	return found, nil
}
