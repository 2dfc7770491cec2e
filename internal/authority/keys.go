package authority

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"slices"
	"time"

	"segel/cms"
	"segel/internal/credential"
)

// identity is a private key with its certificate.
type identity struct {
	key  crypto.Signer
	cert *x509.Certificate
}

// keySet holds the authority's keys. The issuers of guests' certificates are in separate files; see openGuestIssuers.
type keySet struct {
	root, issuing, tsa, ocsp identity

	guests []issuer // in the order of guestIssuers

	successors []identity // of tsa, in the order of their creation
}

// ErrNotYetValid is a certificate of the authority that is not valid yet: the clock was ahead when it was issued, or is
// behind now. Its key does not sign before it is valid.
var ErrNotYetValid = errors.New("certificate of the authority is not valid yet")

// ErrExpired is a certificate of the authority that has expired.
var ErrExpired = errors.New("certificate of the authority has expired")

// requireValid returns an error unless all certificates are valid at that time.
func requireValid(at time.Time, all ...identity) error {
	rfc3339 := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
	for _, id := range all {
		switch c := id.cert; {
		case at.Before(c.NotBefore):
			return fmt.Errorf("%w: %q is valid from %s, now it is %s", ErrNotYetValid, c.Subject.CommonName, rfc3339(c.NotBefore), rfc3339(at))
		case at.After(c.NotAfter):
			return fmt.Errorf("%w: %q expired at %s, now it is %s", ErrExpired, c.Subject.CommonName, rfc3339(c.NotAfter), rfc3339(at))
		}
	}
	return nil
}

// tsaAt returns the time-stamp authority for a time: the last one that is valid then. One that was created while the
// clock was ahead is not used before it is valid. If none is valid it returns the first, which then refuses.
func (k *keySet) tsaAt(at time.Time) identity {
	for _, id := range slices.Backward(k.successors) {
		if requireValid(at, id) == nil {
			return id
		}
	}
	return k.tsa
}

// issuer is an issuing certificate with its OCSP responder. Name is used in the URLs of its certificate and CRL.
type issuer struct {
	name          string
	issuing, ocsp identity
}

// listIssuers returns the issuers of the certificates in the ledger.
func (a *Authority) listIssuers() []issuer {
	return append([]issuer{{issuingName, a.keys.issuing, a.keys.ocsp}}, a.keys.guests...)
}

// selectIssuer returns the issuer for an assurance: guests have separate ones.
func (a *Authority) selectIssuer(x Assurance) issuer {
	for i, g := range guestIssuers {
		if slices.Contains(g.assurances, x) {
			return a.keys.guests[i]
		}
	}
	return a.listIssuers()[0]
}

// Validity periods of the authority's own certificates and of those that it issues.
const (
	rootYears    = 30
	issuingYears = 20
	tsaYears     = 20
	ocspYears    = 20
	personYears  = 2
)

var (
	oidExtKeyUsage  = asn1.ObjectIdentifier{2, 5, 29, 37}
	oidTimeStamping = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 8}
	oidOCSPNoCheck  = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 5}
)

// newKeySet creates an authority. Its name contains random digits, so that installations can be told apart.
func newKeySet(a urlBuilder, now time.Time) (*keySet, error) {
	mark, err := newSerial()
	if err != nil {
		return nil, err
	}
	name := func(role string) pkix.Name {
		return nameOf(role, fmt.Sprintf("%08X", mark.Bits()[0]&0xffffffff))
	}
	k := &keySet{}
	begin := now.Add(-time.Hour) // clocks of readers may be behind ours
	k.root, err = newIdentity(&x509.Certificate{
		Subject: name("Root"), NotBefore: begin, NotAfter: now.AddDate(rootYears, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}, elliptic.P384(), nil)
	if err != nil {
		return nil, err
	}
	k.issuing, err = newIssuingIdentity(name("Issuing"), a, begin, now.AddDate(issuingYears, 0, 0), &k.root, accountAssurances...)
	if err != nil {
		return nil, err
	}
	if k.tsa, err = newTSAIdentity(name("Time-Stamp Authority"), a, begin, now.AddDate(tsaYears, 0, 0), &k.root); err != nil {
		return nil, err
	}
	k.ocsp, err = newOCSPIdentity(name("OCSP Responder"), begin, now.AddDate(ocspYears, 0, 0), &k.issuing)
	return k, err
}

// nameOf returns the name of a part of the authority with that mark.
func nameOf(role, mark string) pkix.Name {
	return pkix.Name{CommonName: "Segel " + role + " " + mark, Organization: []string{"Segel embedded authority"}}
}

// newIssuingIdentity creates an issuing certificate below which only the policies of these assurances are valid.
func newIssuingIdentity(subject pkix.Name, a urlBuilder, begin, end time.Time, root *identity, list ...Assurance) (identity, error) {
	policy, err := certificatePolicies("", list...)
	if err != nil {
		return identity{}, err
	}
	return newIdentity(&x509.Certificate{
		Subject: subject, NotBefore: begin, NotAfter: end,
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		CRLDistributionPoints: []string{a.rootCRLURL()}, IssuingCertificateURL: []string{a.rootURL()}, ExtraExtensions: []pkix.Extension{policy},
	}, elliptic.P256(), root)
}

func newOCSPIdentity(subject pkix.Name, begin, end time.Time, issuing *identity) (identity, error) {
	return newIdentity(&x509.Certificate{
		Subject: subject, NotBefore: begin, NotAfter: end, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageOCSPSigning},
		// The revocation of the responder is not checked (RFC 6960 §4.2.2.2.1).
		ExtraExtensions: []pkix.Extension{{Id: oidOCSPNoCheck, Value: asn1.NullBytes}},
	}, elliptic.P256(), issuing)
}

func newTSAIdentity(subject pkix.Name, a urlBuilder, begin, end time.Time, root *identity) (identity, error) {
	purpose, err := asn1.Marshal([]asn1.ObjectIdentifier{oidTimeStamping})
	if err != nil {
		return identity{}, err
	}
	return newIdentity(&x509.Certificate{
		Subject: subject, NotBefore: begin, NotAfter: end, KeyUsage: x509.KeyUsageDigitalSignature,
		// The usage must be critical (RFC 3161 §2.3), which the ExtKeyUsage field cannot express.
		ExtraExtensions:       []pkix.Extension{{Id: oidExtKeyUsage, Critical: true, Value: purpose}},
		CRLDistributionPoints: []string{a.rootCRLURL()}, IssuingCertificateURL: []string{a.rootURL()},
	}, elliptic.P256(), root)
}

// newIdentity creates a key and its certificate; with a nil issuer it is self-signed.
func newIdentity(template *x509.Certificate, curve elliptic.Curve, issuer *identity) (identity, error) {
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		return identity{}, err
	}
	if template.SerialNumber, err = newSerial(); err != nil {
		return identity{}, err
	}
	parent, signer := template, crypto.Signer(key)
	if issuer != nil {
		parent, signer = issuer.cert, issuer.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return identity{}, fmt.Errorf("certify %s: %w", template.Subject.CommonName, err)
	}
	cert, err := cms.ParseStrictCertificate(der)
	return identity{key, cert}, err
}

// newSerial returns a random positive serial of 159 bits (RFC 5280 §4.1.2.2 allows 20 bytes).
func newSerial() (*big.Int, error) {
	b := make([]byte, 20)
	if _, err := rand.Read(b); err != nil {
		return nil, err
	}
	b[0] = b[0]&0x7f | 0x40
	return new(big.Int).SetBytes(b), nil
}

// storedFile is a file of the authority. One file is written atomically, so it is complete or absent. Keys are sealed.
type storedFile struct {
	Version int                       `json:"version"`
	Members map[string]storedIdentity `json:"members"`
}

type storedIdentity struct {
	Key         []byte `json:"key"`         // sealed PKCS #8
	Certificate []byte `json:"certificate"` // DER
}

func (k *keySet) listMembers() map[string]*identity {
	return map[string]*identity{"root": &k.root, "issuing": &k.issuing, "tsa": &k.tsa, "ocsp": &k.ocsp}
}

// storeMembers seals members and writes a file of the authority, unless it exists: if two processes create it at once,
// the first wins, and both read it.
func storeMembers(ctx context.Context, files Files, name string, s *credential.Sealer, members map[string]*identity) error {
	out := storedFile{Version: 1, Members: map[string]storedIdentity{}}
	for member, id := range members {
		var err error
		if out.Members[member], err = id.sealMember(member, s); err != nil {
			return err
		}
	}
	b, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	if err := files.CreateFile(ctx, name, b); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// parseStored parses a file of the authority, which errors call by that name.
func parseStored(b []byte, name string) (storedFile, error) {
	var in storedFile
	if err := json.Unmarshal(b, &in); err != nil {
		return in, fmt.Errorf("read %s: %w", name, err)
	}
	if in.Version != 1 {
		return in, fmt.Errorf("%s of version %d", name, in.Version)
	}
	return in, nil
}

// sealMember seals the key for storage.
func (id *identity) sealMember(name string, s *credential.Sealer) (storedIdentity, error) {
	plain, err := x509.MarshalPKCS8PrivateKey(id.key)
	if err != nil {
		return storedIdentity{}, err
	}
	sealed, err := s.Seal("authority/"+name, plain)
	if err != nil {
		return storedIdentity{}, err
	}
	return storedIdentity{sealed, id.cert.Raw}, nil
}

func (k *keySet) unmarshalFile(b []byte, s *credential.Sealer) error {
	in, err := parseStored(b, "authority")
	if err != nil {
		return err
	}
	for name, id := range k.listMembers() {
		if *id, err = in.Members[name].openMember(name, s); err != nil {
			return err
		}
	}
	return k.checkChain()
}

// openMember opens a member, which was sealed under its name.
func (m storedIdentity) openMember(name string, s *credential.Sealer) (identity, error) {
	plain, err := s.Open("authority/"+name, m.Key)
	if err != nil {
		return identity{}, fmt.Errorf("key of the authority's %s: %w", name, err)
	}
	key, err := x509.ParsePKCS8PrivateKey(plain)
	if err != nil {
		return identity{}, fmt.Errorf("key of the authority's %s: %w", name, err)
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return identity{}, fmt.Errorf("key of the authority's %s cannot sign", name)
	}
	cert, err := cms.ParseStrictCertificate(m.Certificate)
	if err != nil {
		return identity{}, fmt.Errorf("certificate of the authority's %s: %w", name, err)
	}
	// The seal binds the key to its name, but not the certificate beside it.
	if pub, ok := signer.Public().(interface{ Equal(crypto.PublicKey) bool }); !ok || !pub.Equal(cert.PublicKey) {
		return identity{}, fmt.Errorf("key and certificate of the authority's %s do not belong together", name)
	}
	return identity{signer, cert}, nil
}

// checkChain checks that the certificates form one authority, as newKeySet creates it.
func (k *keySet) checkChain() error {
	for _, c := range []struct {
		name       string
		id, issuer identity
	}{{"root", k.root, k.root}, {"issuing", k.issuing, k.root}, {"tsa", k.tsa, k.root}, {"ocsp", k.ocsp, k.issuing}} {
		if err := c.id.cert.CheckSignatureFrom(c.issuer.cert); err != nil {
			return fmt.Errorf("certificate of the authority's %s: %w", c.name, err)
		}
	}
	return nil
}

const (
	// minTSARemaining is the validity that a time-stamp authority must have left. It is longer than the notice with
	// which documents are renewed, so that a renewal gains time.
	minTSARemaining = 2 * 365 * 24 * time.Hour
	// minTSAExtension is how much longer a successor must be valid. It cannot outlast the root.
	minTSAExtension = 365 * 24 * time.Hour
)

// renewTSA reads the later time-stamp authorities, and creates another with a new key when the certificate
// of the current one is about to expire. Existing tokens are not affected.
//
// A successor is durable before it is used. If two processes create one at once, the first wins, and both use it. One
// that was created while the clock was ahead is used once it is valid; until then it is ignored, so that another is
// created beside it if necessary.
func (a *Authority) renewTSA(ctx context.Context, files Files, o Options) error {
	for {
		if err := a.readSuccessors(ctx, files, o); err != nil {
			return err
		}
		n := len(a.keys.successors) + firstSuccessor
		now := o.Clock()
		end := now.AddDate(tsaYears, 0, 0)
		if root := a.keys.root.cert.NotAfter; end.After(root) {
			end = root
		}
		last := a.keys.tsaAt(now).cert.NotAfter
		if requireValid(now, a.keys.root) != nil || last.Sub(now) > minTSARemaining || end.Sub(last) < minTSAExtension {
			return nil
		}
		next, err := newTSAIdentity(a.keys.tsa.cert.Subject, a.urls, now.Add(-time.Hour), end, &a.keys.root)
		if err == nil {
			err = storeMembers(ctx, files, successorFile(n), o.Sealer, map[string]*identity{successorName(n): &next})
		}
		if err != nil {
			return fmt.Errorf("create time-stamp authority %d: %w", n, err)
		}
	}
}

// firstSuccessor is the number of the first successor.
const firstSuccessor = 2

func successorName(n int) string { return fmt.Sprintf("tsa-%d", n) }

func successorFile(n int) string { return successorName(n) + ".json" }

// readSuccessors reads the successors that have not been read yet.
func (a *Authority) readSuccessors(ctx context.Context, files Files, o Options) error {
	for {
		n := len(a.keys.successors) + firstSuccessor
		b, err := files.ReadFile(ctx, successorFile(n))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read time-stamp authority %d: %w", n, err)
		}
		if err := a.addSuccessor(b, successorName(n), o.Sealer); err != nil {
			return err
		}
	}
}

func (a *Authority) addSuccessor(b []byte, name string, s *credential.Sealer) error {
	in, err := parseStored(b, "authority's "+name)
	if err != nil {
		return err
	}
	next, err := in.Members[name].openMember(name, s)
	if err != nil {
		return err
	}
	if err := next.cert.CheckSignatureFrom(a.keys.root.cert); err != nil {
		return fmt.Errorf("certificate of the authority's %s: %w", name, err)
	}
	a.keys.successors = append(a.keys.successors, next)
	return nil
}
