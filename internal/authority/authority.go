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
	"sync/atomic"
	"time"

	"segel/certpath"
	"segel/cms"
	"segel/internal/credential"
	"segel/tsp"
)

// Options of an authority. All but Created are required.
type Options struct {
	PublicURL string // stated in certificates permanently
	Clock     func() time.Time
	Sealer    *credential.Sealer // of the keys at rest
	Ledger    Ledger
	Created   func(OwnCertificate) // is told of each certificate that this process adds to an authority that exists, once it is durable; nil: nothing is
}

// Authority issues certificates, states whether they are revoked, and issues timestamps.
type Authority struct {
	current atomic.Pointer[keySet]
	urls    urlBuilder
	clock   func() time.Time
	ledger  Ledger
	created func(OwnCertificate)

	files    Files // nil: the authority exists only in memory
	sealer   *credential.Sealer
	changing sync.Mutex // held by who replaces current

	mu       sync.Mutex // guards what follows
	crls     map[string]cachedCRL
	missedAt time.Time // see refreshAfterMiss
}

// keys returns the keys as they are now. A caller that needs several that belong together calls it once.
func (a *Authority) keys() *keySet { return a.current.Load() }

// authorityFile holds the authority's root and the first keys and certificates; see [part.file] for the others.
const authorityFile = "authority.json"

// Open reads the authority, or creates it at the first start. The authority is one file, authority.json,
// which is durable before it is used: a crash leaves all of it or nothing. The issuers of guests' certificates,
// guests.json and contacts.json, and the successors of all parts are separate files: see [Authority.Succeed].
func Open(ctx context.Context, files Files, o Options) (*Authority, error) {
	created := o.Created
	for {
		a, err := OpenExisting(ctx, files, o)
		if err == nil {
			a.created = created
		}
		if !errors.Is(err, ErrMissing) {
			return a, err
		}
		k, err := newKeySet(newURLBuilder(o), o.Clock())
		if err != nil {
			return nil, fmt.Errorf("create authority: %w", err)
		}
		if _, err := storeMembers(ctx, files, authorityFile, o.Sealer, k.firstMembers()); err != nil {
			return nil, fmt.Errorf("store authority: %w", err)
		}
		o.Created = nil // until it is open: all certificates are new
	}
}

// ErrMissing is a required file of the authority that does not exist.
var ErrMissing = errors.New("file of the authority does not exist")

// OpenExisting is [Open] for an authority that exists; without one it returns ErrMissing. It still creates what is due.
func OpenExisting(ctx context.Context, files Files, o Options) (*Authority, error) {
	a, err := readRootKeys(ctx, files, o)
	if err != nil {
		return nil, err
	}
	if err := a.Succeed(ctx); err != nil {
		return nil, err
	}
	return a, nil
}

// Read is [OpenExisting] without writing: if the first keys of a part are missing it is ErrMissing, and what is about to expire is
// used as long as it is valid.
func Read(ctx context.Context, files Files, o Options) (*Authority, error) {
	a, err := readRootKeys(ctx, files, o)
	if err != nil {
		return nil, err
	}
	if err := a.Refresh(ctx); err != nil {
		return nil, err
	}
	if err := a.keys().requireParts(); err != nil {
		return nil, err
	}
	return a, nil
}

// readRootKeys reads authority.json.
func readRootKeys(ctx context.Context, files Files, o Options) (*Authority, error) {
	b, err := readRequired(ctx, files, authorityFile)
	if err != nil {
		return nil, err
	}
	k, err := openFirst(b, o.Sealer)
	if err != nil {
		return nil, err
	}
	a := newAuthority(o, k)
	a.files, a.sealer, a.created = files, o.Sealer, o.Created
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
	o := Options{PublicURL: publicURL, Clock: clock, Ledger: &MemoryLedger{}}
	now := clock()
	k, err := newKeySet(newURLBuilder(o), now)
	if err != nil {
		return nil, err
	}
	for i, p := range parts {
		if p.isFirst() {
			continue
		}
		g, err := p.create(1, k.root, newURLBuilder(o), now)
		if err != nil {
			return nil, err
		}
		k = k.with(i, g)
	}
	return newAuthority(o, k), nil
}

func newAuthority(o Options, k *keySet) *Authority {
	a := &Authority{urls: newURLBuilder(o), clock: o.Clock, ledger: o.Ledger, crls: map[string]cachedCRL{}}
	a.current.Store(k)
	return a
}

func newURLBuilder(o Options) urlBuilder { return urlBuilder(strings.TrimRight(o.PublicURL, "/")) }

// backdating is how long before its issue a certificate becomes valid. The clocks of readers and of the time-stamp
// authority may be behind by the tolerated difference: a certificate must be valid at the time of the signature's
// timestamp, and for a first signature it was issued seconds before. It is above [cms.ClockSkew], the largest tolerance that
// can be configured.
const backdating = 2 * cms.ClockSkew

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
	policy, err := certificatePolicies(a.urls.policiesURL(), h.Assurance)
	if err != nil {
		return nil, Record{}, err
	}
	serial, err := newSerial()
	if err != nil {
		return nil, Record{}, err
	}
	k, now := a.keys(), a.clock()
	by := k.current(partOf(h.Assurance), now)
	if err := requireValid(now, k.root, by.id); err != nil {
		return nil, Record{}, fmt.Errorf("certify %s: %w", h.ID, err)
	}
	end, last := now.AddDate(personYears, 0, 0), by.id.cert.NotAfter
	if end.After(last) {
		end = last // a certificate must not outlive its issuer's
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: subject, NotBefore: now.Add(-backdating), NotAfter: end,
		KeyUsage:   x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment,
		OCSPServer: []string{a.urls.ocspURL()}, IssuingCertificateURL: []string{a.urls.certificateURL(by.name)}, CRLDistributionPoints: []string{a.urls.crlURL(by.name)},
		ExtraExtensions: []pkix.Extension{policy}, EmailAddresses: h.listMailboxes(),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.id.cert, key, by.id.key)
	if err != nil {
		return nil, Record{}, fmt.Errorf("certify %s: %w", h.ID, err)
	}
	cert, err := cms.ParseStrictCertificate(der)
	if err != nil {
		return nil, Record{}, err
	}
	return []*x509.Certificate{cert, by.id.cert, k.root.cert}, Record{
		Serial: formatSerial(cert), Subject: cert.Subject.String(), DER: der, IssuedAt: now, NotAfter: cert.NotAfter, Holder: h.ID,
		Assurance: h.Assurance, NamedBy: h.NamedBy, Organisation: h.Organisation, Email: h.Email,
	}, nil
}

// MatchesHolder reports whether a certificate is what Certify would issue for that holder now: same subject, mailbox and policy, by the
// same issuer. A former generation of the issuer is as good as long as it states the status of the certificate for at least a year:
// documents are completed long after they were signed. Certificates of other holders, with other assurances, or from before policies
// were stated do not match.
func (a *Authority) MatchesHolder(cert *x509.Certificate, h Holder) bool {
	subject, err := h.buildSubject()
	if err != nil {
		return false
	}
	der, err := asn1.Marshal(subject.ToRDNSequence())
	if err != nil || !bytes.Equal(der, cert.RawSubject) || !hasOnlyPolicies(cert, h.Assurance) || !slices.Equal(cert.EmailAddresses, h.listMailboxes()) {
		return false
	}
	k, now, part := a.keys(), a.clock(), partOf(h.Assurance)
	current := k.current(part, now).id.cert
	return slices.ContainsFunc(k.parts[part], func(g generation) bool {
		by := g.id.cert
		return (by.Equal(current) || by.NotAfter.Sub(now) >= minExtension) && bytes.Equal(cert.RawIssuer, by.RawSubject) && certpath.CheckIssuedBy(cert, by) == nil
	})
}

func formatSerial(c *x509.Certificate) string { return fmt.Sprintf("%x", c.SerialNumber) }

// Root returns the root certificate, the trust anchor for readers.
func (a *Authority) Root() *x509.Certificate { return a.keys().root.cert }

// OwnCertificate is one of the authority's own certificates.
type OwnCertificate struct {
	Role        string // root, issuing, tsa, ocsp, guest_issuing, guest_ocsp, contact_issuing or contact_ocsp
	Certificate *x509.Certificate
}

// OwnCertificates returns the authority's own certificates that are in use: one of each role. Former ones, which state the status of
// what they issued, are left out.
func (a *Authority) OwnCertificates() []OwnCertificate {
	k, now := a.keys(), a.clock()
	all := []OwnCertificate{{"root", k.root.cert}}
	for _, i := range []int{accountIssuer, timeStamping, guestIssuer, contactIssuer} {
		all = append(all, parts[i].own(k.current(i, now))...)
	}
	return all
}

// Issuers returns the issuing certificates, all generations, with the assurances of what they issued.
func (a *Authority) Issuers() (all []Issuer) {
	k := a.keys()
	for i, p := range parts {
		if !p.isIssuer() {
			continue
		}
		for n, g := range k.parts[i] {
			all = append(all, p.describe(n+1, g.id.cert))
		}
	}
	return all
}

// RootPEM returns the root certificate as PEM.
func (a *Authority) RootPEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.Root().Raw})
}

// tsaPolicy is the policy of the time-stamp authority. The OID is not registered and has no meaning elsewhere; it is
// shorter than the UUIDs below 2.25, whose arcs encoding/asn1 cannot parse. It is in every token issued so far, so it
// must not change.
var tsaPolicy = asn1.ObjectIdentifier{2, 25, 1879048192, 1}

// Timestamper returns the time-stamp authority, in process. It selects the key for each timestamp, because the clock
// may be set while the process runs.
func (a *Authority) Timestamper() *tsp.Responder {
	choose := func(at time.Time) (crypto.Signer, []*x509.Certificate) {
		k := a.keys()
		id := k.current(timeStamping, at).id
		return id.key, []*x509.Certificate{id.cert, k.root.cert}
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

// ReadPublic reads the root certificate and the issuing certificates of an authority, all generations, without any secret.
// Without an authority the root is nil; an issuer of guests that does not exist yet is left out.
func ReadPublic(ctx context.Context, files Files) (root *x509.Certificate, issuers []Issuer, err error) {
	first, err := readMembers(ctx, files, authorityFile, "root")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	root = first["root"]
	for _, p := range parts {
		for n := 1; p.isIssuer(); n++ {
			name, _ := p.memberNames(n)
			found, err := readMembers(ctx, files, p.file(n), name)
			if errors.Is(err, fs.ErrNotExist) {
				break
			}
			if err != nil {
				return nil, nil, err
			}
			if err := p.check(n, found[name], root); err != nil {
				return nil, nil, err
			}
			issuers = append(issuers, p.describe(n, found[name]))
		}
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
