package authority

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/json"
	"fmt"
	"math/big"
	"time"
)

// identity is a private key with its certificate.
type identity struct {
	key  crypto.Signer
	cert *x509.Certificate
}

// keys are the authority's own. The issuer of guests' certificates is in a file of its own; see openGuests.
type keys struct {
	root, issuing, tsa, ocsp identity
	guestIssuing, guestOCSP  identity
}

// issuer is an issuing certificate with the OCSP responder it delegates to. Name is what its certificate and list are
// called below /authority/.
type issuer struct {
	name          string
	issuing, ocsp identity
}

// issuers are those whose certificates are in the ledger.
func (a *Authority) issuers() []issuer {
	return []issuer{{issuingName, a.keys.issuing, a.keys.ocsp}, {guestsName, a.keys.guestIssuing, a.keys.guestOCSP}}
}

// issuerOf returns the issuer of certificates with an assurance: unverified guests have one of their own.
func (a *Authority) issuerOf(x Assurance) issuer {
	all := a.issuers()
	if x == Guest {
		return all[1]
	}
	return all[0]
}

// Validities of the authority's own certificates and of what it issues.
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

// newKeys makes an authority. Its name carries random digits, so that no two installs are taken for another.
func newKeys(a addresses, now time.Time) (*keys, error) {
	mark, err := newSerial()
	if err != nil {
		return nil, err
	}
	name := func(role string) pkix.Name {
		return nameOf(role, fmt.Sprintf("%08X", mark.Bits()[0]&0xffffffff))
	}
	k := &keys{}
	begin := now.Add(-time.Hour) // clocks of readers may be behind ours
	k.root, err = certify(&x509.Certificate{
		Subject: name("Root"), NotBefore: begin, NotAfter: now.AddDate(rootYears, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}, elliptic.P384(), nil)
	if err != nil {
		return nil, err
	}
	k.issuing, err = certifyIssuing(name("Issuing"), a, begin, now.AddDate(issuingYears, 0, 0), &k.root, verified...)
	if err != nil {
		return nil, err
	}
	if k.tsa, err = certifyTSA(name("Time-Stamp Authority"), a, begin, now.AddDate(tsaYears, 0, 0), &k.root); err != nil {
		return nil, err
	}
	k.ocsp, err = certifyOCSP(name("OCSP Responder"), begin, now.AddDate(ocspYears, 0, 0), &k.issuing)
	return k, err
}

// nameOf is the name of a part of the authority that has that mark.
func nameOf(role, mark string) pkix.Name {
	return pkix.Name{CommonName: "Segel " + role + " " + mark, Organization: []string{"Segel embedded authority"}}
}

// certifyIssuing makes an issuing certificate below which the policies of these assurances are valid and no others.
func certifyIssuing(subject pkix.Name, a addresses, begin, end time.Time, root *identity, list ...Assurance) (identity, error) {
	policy, err := certificatePolicies("", list...)
	if err != nil {
		return identity{}, err
	}
	return certify(&x509.Certificate{
		Subject: subject, NotBefore: begin, NotAfter: end,
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		CRLDistributionPoints: []string{a.rootCRL()}, IssuingCertificateURL: []string{a.root()}, ExtraExtensions: []pkix.Extension{policy},
	}, elliptic.P256(), root)
}

func certifyOCSP(subject pkix.Name, begin, end time.Time, issuing *identity) (identity, error) {
	return certify(&x509.Certificate{
		Subject: subject, NotBefore: begin, NotAfter: end, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageOCSPSigning},
		// Nobody needs to ask whether the responder is revoked (RFC 6960 §4.2.2.2.1).
		ExtraExtensions: []pkix.Extension{{Id: oidOCSPNoCheck, Value: asn1.NullBytes}},
	}, elliptic.P256(), issuing)
}

func certifyTSA(subject pkix.Name, a addresses, begin, end time.Time, root *identity) (identity, error) {
	purpose, err := asn1.Marshal([]asn1.ObjectIdentifier{oidTimeStamping})
	if err != nil {
		return identity{}, err
	}
	return certify(&x509.Certificate{
		Subject: subject, NotBefore: begin, NotAfter: end, KeyUsage: x509.KeyUsageDigitalSignature,
		// The one purpose has to be critical (RFC 3161 §2.3), which the ExtKeyUsage member cannot say.
		ExtraExtensions:       []pkix.Extension{{Id: oidExtKeyUsage, Critical: true, Value: purpose}},
		CRLDistributionPoints: []string{a.rootCRL()}, IssuingCertificateURL: []string{a.root()},
	}, elliptic.P256(), root)
}

// certify makes a key and its certificate; a nil issuer signs itself.
func certify(template *x509.Certificate, curve elliptic.Curve, issuer *identity) (identity, error) {
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
	cert, err := x509.ParseCertificate(der)
	return identity{key, cert}, err
}

// newSerial draws a positive serial of 159 bits (RFC 5280 §4.1.2.2 allows 20 bytes).
func newSerial() (*big.Int, error) {
	b := make([]byte, 20)
	if _, err := rand.Read(b); err != nil {
		return nil, err
	}
	b[0] = b[0]&0x7f | 0x40
	return new(big.Int).SetBytes(b), nil
}

// stored is the authority as one file, so that it is there whole or not at all. Keys are sealed.
type stored struct {
	Version int                       `json:"version"`
	Members map[string]storedIdentity `json:"members"`
}

type storedIdentity struct {
	Key         []byte `json:"key"`         // sealed PKCS #8
	Certificate []byte `json:"certificate"` // DER
}

func (k *keys) members() map[string]*identity {
	return map[string]*identity{"root": &k.root, "issuing": &k.issuing, "tsa": &k.tsa, "ocsp": &k.ocsp}
}

func (k *keys) marshal(s Sealer) ([]byte, error) {
	out := stored{Version: 1, Members: map[string]storedIdentity{}}
	for name, id := range k.members() {
		var err error
		if out.Members[name], err = id.seal(name, s); err != nil {
			return nil, err
		}
	}
	return json.MarshalIndent(out, "", "  ")
}

// seal makes one part fit to be kept.
func (id *identity) seal(name string, s Sealer) (storedIdentity, error) {
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

func (k *keys) unmarshal(b []byte, s Sealer) error {
	var in stored
	if err := json.Unmarshal(b, &in); err != nil {
		return fmt.Errorf("read authority: %w", err)
	}
	if in.Version != 1 {
		return fmt.Errorf("authority of version %d", in.Version)
	}
	for name, id := range k.members() {
		var err error
		if *id, err = in.Members[name].open(name, s); err != nil {
			return err
		}
	}
	return k.checkChain()
}

// open reads one part, which was sealed under its name.
func (m storedIdentity) open(name string, s Sealer) (identity, error) {
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
	cert, err := x509.ParseCertificate(m.Certificate)
	if err != nil {
		return identity{}, fmt.Errorf("certificate of the authority's %s: %w", name, err)
	}
	// The seal binds the key to its place, but not the certificate beside it.
	if pub, ok := signer.Public().(interface{ Equal(crypto.PublicKey) bool }); !ok || !pub.Equal(cert.PublicKey) {
		return identity{}, fmt.Errorf("key and certificate of the authority's %s do not belong together", name)
	}
	return identity{signer, cert}, nil
}

// checkChain demands that the certificates are of one authority, as newKeys makes it.
func (k *keys) checkChain() error {
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
