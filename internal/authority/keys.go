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
	"time"

	"segel/cms"
	"segel/internal/credential"
)

// identity is a private key with its certificate.
type identity struct {
	key  crypto.Signer
	cert *x509.Certificate
}

// keySet holds the authority's keys. It is never changed: see [keySet.with].
type keySet struct {
	root  identity
	parts [partCount][]generation // in the order of their creation
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

// Validity periods of the authority's own certificates and of those that it issues.
const (
	rootYears   = 30
	partYears   = 20
	personYears = 2
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
	k := &keySet{}
	k.root, err = newIdentity(&x509.Certificate{
		Subject: nameOf("Root", fmt.Sprintf("%08X", mark.Bits()[0]&0xffffffff)), NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(rootYears, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}, elliptic.P384(), nil)
	if err != nil {
		return nil, err
	}
	for i, p := range parts {
		if !p.isFirst() {
			continue
		}
		g, err := p.create(1, k.root, a, now)
		if err != nil {
			return nil, err
		}
		k.parts[i] = []generation{g}
	}
	return k, nil
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

// storeMembers seals members and writes a file of the authority, unless it exists: if two processes create it at once,
// the first wins, and both read it. It reports whether this call created the file.
func storeMembers(ctx context.Context, files Files, name string, s *credential.Sealer, members map[string]*identity) (created bool, err error) {
	out := storedFile{Version: 1, Members: map[string]storedIdentity{}}
	for member, id := range members {
		if out.Members[member], err = id.sealMember(member, s); err != nil {
			return false, err
		}
	}
	b, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return false, err
	}
	err = files.CreateFile(ctx, name, b)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
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
	sealed, err := s.Seal(sealedFor(name), plain)
	if err != nil {
		return storedIdentity{}, err
	}
	return storedIdentity{sealed, id.cert.Raw}, nil
}

// openFirst opens the content of authority.json.
func openFirst(b []byte, s *credential.Sealer) (*keySet, error) {
	in, err := parseStored(b, "authority")
	if err != nil {
		return nil, err
	}
	k := &keySet{}
	if k.root, err = in.Members["root"].openMember("root", s); err != nil {
		return nil, err
	}
	if err := k.root.cert.CheckSignatureFrom(k.root.cert); err != nil {
		return nil, fmt.Errorf("certificate of the authority's root: %w", err)
	}
	for i, p := range parts {
		if !p.isFirst() {
			continue
		}
		g, err := p.open(in, 1, k.root.cert, s)
		if err != nil {
			return nil, err
		}
		k.parts[i] = []generation{g}
	}
	return k, nil
}

// openMember opens a member, which was sealed under its name.
func (m storedIdentity) openMember(name string, s *credential.Sealer) (identity, error) {
	plain, err := s.Open(sealedFor(name), m.Key)
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
