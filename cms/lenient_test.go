package cms

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"
)

// encodeDER prepends an identifier and a length to the content.
func encodeDER(tag byte, content ...[]byte) []byte {
	return appendHeaderTo(tag, bytes.Join(content, nil))
}

func appendHeaderTo(tag byte, content []byte) []byte {
	return append(appendHeader(nil, []byte{tag}, len(content)), content...)
}

// encodeLongForm is encodeDER with a length in more bytes than necessary.
func encodeLongForm(tag byte, content ...[]byte) []byte {
	all := bytes.Join(content, nil)
	return append([]byte{tag, 0x84, 0, byte(len(all) >> 16), byte(len(all) >> 8), byte(len(all))}, all...)
}

var (
	oidCommonName = []byte{6, 3, 0x55, 4, 3}
	ecdsaSHA256   = encodeDER(0x30, []byte{6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2})
)

func encodeName(tag byte, value string) []byte {
	return encodeDER(0x30, encodeDER(0x31, encodeDER(0x30, oidCommonName, encodeDER(tag, []byte(value)))))
}

func encodeExtension(id []byte, critical bool, value []byte) []byte {
	parts := [][]byte{id}
	if critical {
		parts = append(parts, []byte{1, 1, 0xff})
	}
	return encodeDER(0x30, append(parts, encodeDER(4, value))...)
}

// parts are the parts of a certificate, each a complete element.
type parts struct {
	version, serial, algorithm, issuer, validity, subject, key []byte
	extensions                                                 [][]byte
	outer                                                      []byte // the outer signature algorithm
	more                                                       []byte // after the extensions
	wrap                                                       func(tag byte, content ...[]byte) []byte
}

// testIssuer is an authority that signs anything.
type testIssuer struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newIssuer(t testing.TB) testIssuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "CA"}, NotBefore: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter: time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	b, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(b)
	if err != nil {
		t.Fatal(err)
	}
	return testIssuer{key, cert}
}

// certify issues a certificate for a key, with parts that change edits.
func (ca testIssuer) certify(t testing.TB, pub crypto.PublicKey, change func(p *parts)) []byte {
	t.Helper()
	spki, err := x509.MarshalPKIXPublicKey(pub)
	if err != nil {
		t.Fatal(err)
	}
	p := parts{
		version: []byte{0xa0, 3, 2, 1, 2}, serial: []byte{2, 1, 5}, algorithm: ecdsaSHA256, issuer: ca.cert.RawSubject,
		validity: encodeDER(0x30, encodeDER(0x17, []byte("210101000000Z")), encodeDER(0x17, []byte("390101000000Z"))),
		subject:  encodeName(12, "Sari"), key: spki, wrap: encodeDER,
		extensions: [][]byte{encodeExtension([]byte{6, 3, 0x55, 0x1d, 15}, true, []byte{3, 2, 6, 0x40})}, // nonRepudiation
	}
	change(&p)
	if p.outer == nil {
		p.outer = p.algorithm
	}
	body := [][]byte{p.version, p.serial, p.algorithm, p.issuer, p.validity, p.subject, p.key}
	if p.extensions != nil {
		body = append(body, encodeDER(0xa3, encodeDER(0x30, p.extensions...)))
	}
	tbs := p.wrap(0x30, append(body, p.more)...)
	sum := sha256.Sum256(tbs)
	value, err := ecdsa.SignASN1(rand.Reader, ca.key, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return p.wrap(0x30, tbs, p.outer, encodeDER(3, append([]byte{0}, value...)))
}

// signedBy signs the content with a key, in a container with the certificate.
func signedBy(t testing.TB, key crypto.Signer, certificate []byte, o Options) (*SignedData, *x509.Certificate) {
	t.Helper()
	cert, err := ParseCertificate(certificate)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSignature(computeHash(crypto.SHA256, content), []*x509.Certificate{cert}, o)
	if err != nil {
		t.Fatal(err)
	}
	value, err := s.Sign(rand.Reader, key)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Finish(value)
	if err != nil {
		t.Fatal(err)
	}
	sd, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	return sd, cert
}

// wantSignature checks that a signature verifies, and that it does not for other content.
func wantSignature(t testing.TB, sd *SignedData) {
	t.Helper()
	s := sd.Signers[0]
	if err := sd.Verify(s, computeHash(s.Digest, content)); err != nil {
		t.Error(err)
	}
	if !sd.NamesCertificate(s) {
		t.Error("the certificate is not bound")
	}
	s.Signature = bytes.Clone(s.Signature)
	s.Signature[len(s.Signature)-1] ^= 1
	if err := sd.Verify(s, computeHash(s.Digest, content)); !errors.Is(err, ErrSignature) {
		t.Errorf("another value: %v", err)
	}
}

func TestSignatureVerifiesWithAnIrregularCertificate(t *testing.T) {
	t.Parallel()
	ca := newIssuer(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	validity := func(tag byte, from, to string) func(p *parts) {
		return func(p *parts) { p.validity = encodeDER(0x30, encodeDER(tag, []byte(from)), encodeDER(tag, []byte(to))) }
	}
	with := func(x ...[]byte) func(p *parts) {
		return func(p *parts) { p.extensions = append(p.extensions, x...) }
	}
	san, basic, usage, aki := []byte{6, 3, 0x55, 0x1d, 17}, []byte{6, 3, 0x55, 0x1d, 19}, []byte{6, 3, 0x55, 0x1d, 15}, []byte{6, 3, 0x55, 0x1d, 35}
	uri := func(s string) []byte { return encodeDER(0x30, encodeDER(0x86, []byte(s))) }
	for name, c := range map[string]struct {
		change func(p *parts)
		chain  bool // crypto/x509 builds a chain with it
	}{
		"negative serial number":           {func(p *parts) { p.serial = []byte{2, 2, 0x80, 1} }, true},
		"serial number with leading zeros": {func(p *parts) { p.serial = []byte{2, 4, 0, 0, 0, 5} }, true},
		"sequence for a string":            {func(p *parts) { p.subject = encodeName(48, "\x0c\x04Sari") }, true},
		"string of two types":              {func(p *parts) { p.subject = encodeName(0x2c, "\x0c\x04Sari") }, true},
		"UTF-8 that is none":               {func(p *parts) { p.subject = encodeName(12, "Sar\xff") }, true},
		"printable string with @":          {func(p *parts) { p.subject = encodeName(19, "sari@x") }, true},
		"numeric string with letters":      {func(p *parts) { p.subject = encodeName(18, "Sari") }, true},
		"IA5 string with umlauts":          {func(p *parts) { p.subject = encodeName(22, "S\xe4ri") }, true},
		"half a BMP string":                {func(p *parts) { p.subject = encodeName(30, "\x00S\x00") }, true},
		"universal string":                 {func(p *parts) { p.subject = encodeName(28, "\x00\x00\x00S") }, true},
		"general string":                   {func(p *parts) { p.subject = encodeName(27, "Sari") }, true},
		"attribute without a value":        {func(p *parts) { p.subject = encodeDER(0x30, encodeDER(0x31, encodeDER(0x30, oidCommonName))) }, true},
		"time with parts of a second":      {validity(0x18, "20210101000000.5Z", "20390101000000.5Z"), true},
		"time without a zone":              {validity(0x18, "20210101000000", "20390101000000"), true},
		"times that are none":              {validity(0x17, "soon", "later"), false},
		"beginning that is none":           {validity(0x17, "soon", "390101000000Z"), false},
		"end that is none":                 {validity(0x17, "210101000000Z", "later"), false},
		"name that is no address":          {with(encodeExtension(san, false, encodeDER(0x30, encodeDER(0x81, []byte("s\xe4ri@x"))))), true},
		"address that is none":             {with(encodeExtension(san, false, uri("http://[::1"))), true},
		"address of three bytes":           {with(encodeExtension(san, false, encodeDER(0x30, encodeDER(0x87, []byte{1, 2, 3})))), true},
		"alternative name that is none":    {with(encodeExtension(san, true, []byte{5, 0})), false},
		"constraints that are none":        {with(encodeExtension(basic, false, []byte{5, 0})), false},
		"usage stated twice":               {with(encodeExtension(usage, true, []byte{3, 2, 7, 0x80})), false},
		"critical key identifier":          {with(encodeExtension(aki, true, encodeDER(0x30, encodeDER(0x80, []byte{1})))), false},
		"extension that is none":           {with([]byte{5, 0}), false},
		"extension without a value":        {with(encodeDER(0x30, basic)), false},
		"extensions that are none":         {func(p *parts) { p.extensions, p.more = nil, encodeDER(0xa3, []byte{5, 0}) }, false},
		"extensions that are cut off":      {func(p *parts) { p.extensions, p.more = nil, encodeDER(0xa3, []byte{0x30, 9, 0x30}) }, false},
		"something behind the extensions": {func(p *parts) {
			p.serial, p.extensions, p.more = []byte{2, 2, 0x80, 1}, nil, encodeDER(0xa3, encodeDER(0x30), []byte{5, 0})
		}, false},
		"extensions stated twice": {func(p *parts) {
			p.serial, p.more = []byte{2, 2, 0x80, 1}, encodeDER(0xa3, encodeDER(0x30, encodeExtension(usage, true, []byte{3, 2, 7, 0x80})))
		}, false},
		"extensions behind what cannot be read": {func(p *parts) { p.extensions, p.more = nil, []byte{0x81, 0x83, 0xa3} }, false},
		"extensions in the first version":       {func(p *parts) { p.version, p.serial = nil, []byte{2, 2, 0x80, 1} }, true},
		"no such version":                       {func(p *parts) { p.version = []byte{0xa0, 3, 2, 1, 9} }, true},
		"two algorithms":                        {func(p *parts) { p.outer = ed25519Identifier }, false},
		"lengths that are too long":             {func(p *parts) { p.wrap = encodeLongForm }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := ca.certify(t, key.Public(), c.change)
			_, strict := x509.ParseCertificate(b)
			sd, cert := signedBy(t, key, b, Options{})
			wantSignature(t, sd)
			if odd := CheckEncoding(cert); odd == nil || strict == nil {
				t.Errorf("nothing is odd about it: %v, %v", odd, strict)
			}
			roots := x509.NewCertPool()
			roots.AddCert(ca.cert)
			_, err := cert.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
			if (err == nil) != c.chain {
				t.Errorf("chain: %v", err)
			}
		})
	}
}

func TestPartsOfAnOddCertificateAreRead(t *testing.T) {
	t.Parallel()
	ca := newIssuer(t)
	b := ca.certify(t, ca.key.Public(), func(p *parts) {
		p.serial = []byte{2, 2, 0x80, 1}
		p.subject = encodeDER(0x30,
			encodeDER(0x31, encodeDER(0x30, oidCommonName, encodeDER(30, []byte("\x00S\x00a\x00r\x00i")))),
			encodeDER(0x31, encodeDER(0x30, []byte{6, 3, 0x55, 4, 10}, encodeDER(20, []byte("J\xe4ger"))), encodeDER(0x30, []byte{6, 3, 0x55, 4, 11}, []byte{5, 0})))
		p.validity = encodeDER(0x30, encodeDER(0x17, []byte("9912312359Z")), encodeDER(0x18, []byte("2050010100Z")))
		p.extensions = append(p.extensions, encodeExtension([]byte{6, 3, 0x55, 0x1d, 37}, false, encodeDER(0x30, []byte{6, 8, 0x2b, 6, 1, 5, 5, 7, 3, 9})))
	})
	c, err := ParseCertificate(b)
	if err != nil {
		t.Fatal(err)
	}
	if c.SerialNumber.Int64() != -32767 || c.Subject.CommonName != "Sari" || c.Subject.Organization[0] != "Jäger" || c.Subject.OrganizationalUnit[0] != "#0500" {
		t.Errorf("serial %v, subject %v", c.SerialNumber, c.Subject)
	}
	if !c.NotBefore.Equal(time.Date(1999, 12, 31, 23, 59, 0, 0, time.UTC)) || !c.NotAfter.Equal(time.Date(2050, 1, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("from %v to %v", c.NotBefore, c.NotAfter)
	}
	if c.KeyUsage != x509.KeyUsageContentCommitment || !slices.Contains(c.ExtKeyUsage, x509.ExtKeyUsageOCSPSigning) || c.IsCA || len(c.UnhandledCriticalExtensions) > 0 {
		t.Errorf("usage %b, %v", c.KeyUsage, c.ExtKeyUsage)
	}
	if c.SignatureAlgorithm != x509.ECDSAWithSHA256 || c.CheckSignatureFrom(ca.cert) != nil {
		t.Errorf("%v: %v", c.SignatureAlgorithm, c.CheckSignatureFrom(ca.cert))
	}
	if err := CheckEncoding(c); err == nil || !strings.Contains(err.Error(), "negative serial number") {
		t.Error(err)
	}
	if again, err := ParseCertificate(bytes.Clone(b)); err != nil || again != c {
		t.Errorf("another one: %v", err)
	}
	if CheckEncoding(ca.cert) != nil {
		t.Error("a regular certificate is reported as irregular")
	}
}

func TestOddAuthorityCertifiesNoMoreThanItMay(t *testing.T) {
	t.Parallel()
	ca := newIssuer(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sub := testIssuer{key: key}
	basic, usage := []byte{6, 3, 0x55, 0x1d, 19}, []byte{6, 3, 0x55, 0x1d, 15}
	certSign, isCA := encodeExtension(usage, true, []byte{3, 2, 2, 4}), encodeExtension(basic, true, encodeDER(0x30, []byte{1, 1, 0xff}))
	nowhere := encodeExtension([]byte{6, 3, 0x55, 0x1d, 30}, true, encodeDER(0x30, encodeDER(0xa0, encodeDER(0x30, encodeDER(0x82, []byte("nowhere.test"))))))
	for name, c := range map[string]struct {
		extensions [][]byte
		holds      bool
	}{
		"an authority":                     {[][]byte{certSign, isCA}, true},
		"no authority":                     {[][]byte{certSign}, false},
		"that may not sign certificates":   {[][]byte{encodeExtension(usage, true, []byte{3, 2, 6, 0x40}), isCA}, false},
		"constraints that cannot be read":  {[][]byte{certSign, isCA, encodeExtension([]byte{6, 3, 0x55, 0x1d, 30}, false, []byte{5, 0})}, false},
		"authority stated twice":           {[][]byte{certSign, encodeExtension(basic, true, encodeDER(0x30)), isCA}, false},
		"authority for other names":        {[][]byte{certSign, isCA, nowhere}, false},
		"more extensions than are read":    {append([][]byte{certSign, isCA}, slices.Repeat([][]byte{encodeExtension([]byte{6, 1, 42}, false, nil)}, maxExtensions)...), false},
		"more extensions than there is of": {append(slices.Repeat([][]byte{encodeExtension([]byte{6, 1, 42}, false, nil)}, maxExtensions), certSign, isCA), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			middle, err := ParseCertificate(ca.certify(t, key.Public(), func(p *parts) {
				p.serial, p.subject, p.extensions = []byte{2, 1, 0x85}, encodeName(12, "Sub"), c.extensions
			}))
			if err != nil {
				t.Fatal(err)
			}
			own := sub
			own.cert = middle
			leaf, err := ParseCertificate(own.certify(t, key.Public(), func(p *parts) {
				p.extensions = append(p.extensions, encodeExtension([]byte{6, 3, 0x55, 0x1d, 17}, false, encodeDER(0x30, encodeDER(0x82, []byte("here.test")))))
			}))
			if err != nil {
				t.Fatal(err)
			}
			roots, between := x509.NewCertPool(), x509.NewCertPool()
			roots.AddCert(ca.cert)
			between.AddCert(middle)
			_, err = leaf.Verify(x509.VerifyOptions{Roots: roots, Intermediates: between, CurrentTime: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
			if (err == nil) != c.holds {
				t.Error(err)
			}
		})
	}
}

func TestMalformedCertificateIsLeftOutOfItsContainer(t *testing.T) {
	t.Parallel()
	ca := newIssuer(t)
	good := ca.certify(t, ca.key.Public(), func(*parts) {})
	for name, bad := range map[string][]byte{
		"no certificate": encodeDER(0x30, []byte{2, 1, 1}), "no sequence": {2, 1, 1}, "no key": ca.certify(t, ca.key.Public(), func(p *parts) { p.key = []byte{5, 0} }),
		"no serial number": ca.certify(t, ca.key.Public(), func(p *parts) { p.serial = nil }), "no issuer": ca.certify(t, ca.key.Public(), func(p *parts) { p.issuer = nil }),
		"too long": ca.certify(t, ca.key.Public(), func(p *parts) { p.serial, p.more = []byte{2, 1, 0x80}, encodeDER(0x85, make([]byte, maxLenient)) }),
	} {
		certs, refused, err := parseCertificates(slices.Concat(bad, good))
		if err != nil || len(refused) != 1 || len(certs) != 1 || !bytes.Equal(certs[0].Raw, good) {
			t.Errorf("%s: %d certificates, refused %v: %v", name, len(certs), refused, err)
		}
	}
	if _, _, err := parseCertificates(append(good, 0x30, 9)); !errors.Is(err, ErrMalformed) {
		t.Errorf("a set that is cut off: %v", err)
	}
	sd, _ := signedBy(t, ca.key, good, Options{})
	sd.Certificates, sd.Refused = nil, []error{errors.New("certificate: x509: malformed")}
	if err := sd.Verify(sd.Signers[0], computeHash(crypto.SHA256, content)); !errors.Is(err, ErrNoCertificate) || !strings.Contains(err.Error(), "malformed") {
		t.Error(err)
	}
}

func TestSignerIsFoundUnderAnotherSpellingOfTheName(t *testing.T) {
	t.Parallel()
	_, cert := newCredential(t, "P-256")
	signer := Signer{Serial: cert.SerialNumber, Digest: crypto.SHA256}
	sd := &SignedData{Certificates: []*x509.Certificate{cert}}
	for name, c := range map[string]struct {
		issuer []byte
		found  bool
	}{
		"its own":             {cert.RawIssuer, true},
		"another string type": {encodeName(30, "\x00S\x00a\x00r\x00i\x00 \x00P\x00-\x002\x005\x006"), true},
		"letters and spaces":  {encodeName(12, "sari   p-256 "), true},
		"another name":        {encodeName(12, "Budi"), false},
		"another attribute":   {encodeDER(0x30, encodeDER(0x31, encodeDER(0x30, []byte{6, 3, 0x55, 4, 10}, encodeDER(12, []byte("Sari P-256"))))), false},
		"no attributes":       {encodeDER(0x30), false},
		"no name":             {[]byte{5, 0}, false},
	} {
		signer.Issuer = c.issuer
		if got := sd.Certificate(signer); (got != nil) != c.found {
			t.Errorf("%s: %v", name, got)
		}
	}
	// A certificate with the identical name is preferred.
	twin := *cert
	twin.RawIssuer = encodeName(12, "sari p-256")
	sd.Certificates = []*x509.Certificate{&twin, cert}
	signer.Issuer = cert.RawIssuer
	if sd.Certificate(signer) != cert {
		t.Error("another certificate than the one of that name")
	}
	// The attribute may encode the certificate's issuer differently, since it also has the certificate's hash.
	value, err := asn1.Marshal(signingCertificateV2{Certs: []essCertIDv2{{CertHash: computeHash(crypto.SHA256, cert.Raw), IssuerSerial: issuerSerial{
		Issuer: []asn1.RawValue{{Class: asn1.ClassContextSpecific, Tag: 4, IsCompound: true, Bytes: encodeName(12, "SARI P-256")}},
		Serial: asn1.RawValue{FullBytes: []byte{2, 4, 0, 0, 0x12, 0x67}},
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := checkSigningCertificate([]Attribute{NewAttribute(OIDSigningCertificateV2, value)}, cert); !ok || err != nil {
		t.Errorf("named by an attribute: %v %v", ok, err)
	}
}

func TestTimesAreReadInEveryFormThatWasEverAllowed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tag        byte
		text, want string
	}{
		{0x17, "260102030405Z", "2026-01-02T03:04:05Z"}, {0x17, "2601020304Z", "2026-01-02T03:04:00Z"}, {0x17, "500102030405Z", "1950-01-02T03:04:05Z"},
		{0x17, "260102030405+0700", "2026-01-01T20:04:05Z"}, {0x17, "260102030405", "2026-01-02T03:04:05Z"}, {0x17, "680102030405Z", "1968-01-02T03:04:05Z"},
		{0x18, "20260102030405Z", "2026-01-02T03:04:05Z"}, {0x18, "20260102030405.25Z", "2026-01-02T03:04:05.25Z"}, {0x18, "2026010203-0100", "2026-01-02T04:00:00Z"},
		{0x18, "20500102030405", "2050-01-02T03:04:05Z"}, {0x17, "20260102030405Z", ""}, {0x18, "2601020304056Z", ""}, {0x17, "261302030405Z", ""}, {0x04, "260102030405Z", ""}, {0x17, "", ""},
	} {
		got := parseTime(element{tag: c.tag, content: []byte(c.text)})
		if c.want == "" && !got.IsZero() || c.want != "" && got.Format(time.RFC3339Nano) != c.want {
			t.Errorf("%x %s: %v, want %s", c.tag, c.text, got, c.want)
		}
	}
}

func FuzzParseCertificate(f *testing.F) {
	ca := newIssuer(f)
	f.Add(ca.cert.Raw)
	for _, change := range []func(p *parts){
		func(p *parts) { p.serial = []byte{2, 2, 0x80, 1} },
		func(p *parts) { p.subject = encodeName(48, "\x0c\x04Sari") },
		func(p *parts) { p.wrap = encodeLongForm },
		func(p *parts) { p.extensions = append(p.extensions, []byte{5, 0}) },
		func(p *parts) {
			p.key = encodeDER(0x30, encodeDER(0x30, []byte{6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1}, encodeDER(0x30)), []byte{3, 2, 0, 4})
		},
	} {
		f.Add(ca.certify(f, ca.key.Public(), change))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := ParseCertificate(b)
		if err != nil {
			return
		}
		if !bytes.Equal(c.Raw, b) || c.SerialNumber == nil || c.PublicKey == nil {
			t.Errorf("serial %v, key %T", c.SerialNumber, c.PublicKey)
		}
		// Every use of the certificate must return for any input.
		KeySize(c.PublicKey)
		if CheckKey(c.PublicKey) == nil {
			for _, h := range hashes {
				_ = Scheme{Hash: h.hash}.verifyMessage(c.PublicKey, b, c.Signature)
			}
			_ = c.CheckSignatureFrom(c)
		}
		_ = CheckEncoding(c)
	})
}
