package revocation

import (
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/cryptobyte"
	"golang.org/x/crypto/cryptobyte/asn1"
)

// encodeDistributionPoint encodes an IssuingDistributionPoint with flags, each by its tag, after the addresses of a
// full name.
func encodeDistributionPoint(flags []uint8, addresses ...string) []byte {
	var b cryptobyte.Builder
	b.AddASN1(asn1.SEQUENCE, func(b *cryptobyte.Builder) {
		if len(addresses) > 0 {
			b.AddASN1(asn1.Tag(0).Constructed().ContextSpecific(), func(b *cryptobyte.Builder) {
				b.AddASN1(asn1.Tag(0).Constructed().ContextSpecific(), func(b *cryptobyte.Builder) {
					for _, a := range addresses {
						b.AddASN1(asn1.Tag(6).ContextSpecific(), func(b *cryptobyte.Builder) { b.AddBytes([]byte(a)) })
					}
				})
			})
		}
		for _, f := range flags {
			b.AddASN1(asn1.Tag(f).ContextSpecific(), func(b *cryptobyte.Builder) { b.AddUint8(0xff) })
		}
	})
	return b.BytesOrPanic()
}

func TestListCountsForTheCertificatesThatItSpeaksOf(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	person := newCertificate(t, "Leaf", 7, &ca)
	person.cert.CRLDistributionPoints = []string{"http://a.test/1.crl", "http://a.test/2.crl"}
	authority := *person.cert
	authority.IsCA = true
	relative := []byte{0x30, 4, 0xa0, 2, 0xa1, 0}
	for name, c := range map[string]struct {
		idp    []byte
		person bool // usable for a person's certificate
		sub    bool // usable for an authority's certificate
	}{
		"everything":                {encodeDistributionPoint(nil), true, true},
		"this point":                {encodeDistributionPoint(nil, "http://a.test/2.crl"), true, true},
		"this point among others":   {encodeDistributionPoint(nil, "ldap://a", "http://a.test/1.crl"), true, true},
		"another point":             {encodeDistributionPoint(nil, "http://a.test/3.crl"), false, false},
		"a point by relative name":  {relative, false, false},
		"bytes behind the name":     {append([]byte{0x30, 27, 0xa0, 25, 0xa0, 21, 0x86, 19}, "http://a.test/1.crl\x05\x00"...), false, false},
		"this point as a mail box":  {append([]byte{0x30, 25, 0xa0, 23, 0xa0, 21, 0x81, 19}, "http://a.test/1.crl"...), false, false},
		"persons only":              {encodeDistributionPoint([]uint8{1}), true, false},
		"persons at another point":  {encodeDistributionPoint([]uint8{1}, "http://a.test/3.crl"), false, false},
		"authorities only":          {encodeDistributionPoint([]uint8{2}), false, true},
		"some reasons":              {encodeDistributionPoint([]uint8{3}), false, false},
		"other issuers too":         {encodeDistributionPoint([]uint8{4}), false, false},
		"attribute certificates":    {encodeDistributionPoint([]uint8{5}), false, false},
		"something new":             {encodeDistributionPoint([]uint8{6}), false, false},
		"no sequence":               {[]byte{5, 0}, false, false},
		"bytes behind the sequence": {append(encodeDistributionPoint(nil), 0), false, false},
		"cut off":                   {[]byte{0x30, 3, 0x81, 9, 0xff}, false, false},
	} {
		for _, critical := range []bool{true, false} {
			l := buildList(t, ca, pkix.Extension{Id: []int{2, 5, 29, 28}, Critical: critical, Value: c.idp})
			for _, cert := range []*x509.Certificate{person.cert, &authority} {
				good := c.person
				if cert.IsCA {
					good = c.sub
				}
				if _, err := validateCRL(l, cert, ca.cert, now); (err == nil) != good || err != nil && !errors.Is(err, ErrUnusable) {
					t.Errorf("%s, critical %t, authority %t: %v", name, critical, cert.IsCA, err)
				}
			}
		}
	}
}

func TestExtensionThatIsNotUnderstoodSpoilsAListWhenItIsCritical(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca)
	for _, c := range []struct {
		name string
		x    pkix.Extension
		want error
	}{
		{"unknown", pkix.Extension{Id: []int{1, 2, 3}, Value: []byte{5, 0}}, nil},
		{"unknown and critical", pkix.Extension{Id: []int{1, 2, 3}, Critical: true, Value: []byte{5, 0}}, ErrUnusable},
		{"delta that does not say it is critical", pkix.Extension{Id: []int{2, 5, 29, 27}, Value: []byte{2, 1, 1}}, ErrUnusable},
	} {
		if _, err := validateCRL(buildList(t, ca, c.x), leaf.cert, ca.cert, now); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	for critical, want := range map[bool]error{true: ErrUnusable, false: nil} {
		entry := x509.RevocationListEntry{SerialNumber: big.NewInt(99), RevocationTime: now.Add(-time.Hour),
			ExtraExtensions: []pkix.Extension{{Id: []int{2, 5, 29, 29}, Critical: critical, Value: []byte{0x30, 0}}}}
		der, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: now, NextUpdate: now.Add(time.Hour),
			RevokedCertificateEntries: []x509.RevocationListEntry{entry}}, ca.cert, ca.key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := validateCRL(der, leaf.cert, ca.cert, now); !errors.Is(err, want) {
			t.Errorf("entry of another issuer, critical %t: %v, want %v", critical, err, want)
		}
	}
}

func TestListThatIsLongerThanTheLimitIsNotParsed(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca)
	if _, err := validateCRL(make([]byte, MaxSize+1), leaf.cert, ca.cert, now); err == nil || !strings.Contains(err.Error(), "of 33554433 bytes") {
		t.Error(err)
	}
}

func TestListSpeaksOfItsIssuersCertificatesAndOfRevocationsThatHaveBegun(t *testing.T) {
	t.Parallel()
	ca, other := newCertificate(t, "CA", 1, nil), newCertificate(t, "Other", 1, nil)
	renamed := identity{ca.key, newNamesake(t, other.cert.Subject, ca)}
	renamed.cert.KeyUsage, renamed.cert.SubjectKeyId = x509.KeyUsageCRLSign, []byte{1}
	leaf, foreign := newCertificate(t, "Leaf", 7, &ca), newCertificate(t, "Leaf", 7, &other)
	plain := pkix.Extension{Id: []int{1, 2, 3}, Value: []byte{5, 0}}
	for name, c := range map[string]struct {
		by   identity
		cert *x509.Certificate
		want error
	}{
		"its own": {ca, leaf.cert, nil}, "by the same key under another name": {renamed, leaf.cert, ErrUnusable}, "about another issuer's": {ca, foreign.cert, ErrUnusable},
	} {
		if _, err := validateCRL(buildList(t, c.by, plain), c.cert, ca.cert, now); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	entry := x509.RevocationListEntry{SerialNumber: big.NewInt(7), RevocationTime: now}
	der, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: now, NextUpdate: now.Add(time.Hour),
		RevokedCertificateEntries: []x509.RevocationListEntry{entry}}, ca.cert, ca.key)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[time.Time]error{now: ErrRevoked, now.Add(-time.Second): nil} {
		if _, err := validateCRL(der, leaf.cert, ca.cert, at); !errors.Is(err, want) {
			t.Errorf("at %s, revoked at %s: %v, want %v", at, now, err, want)
		}
	}
}

func buildList(t testing.TB, by identity, extension pkix.Extension) []byte {
	t.Helper()
	der, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{
		Number: big.NewInt(1), ThisUpdate: now.Add(-time.Hour), NextUpdate: now.Add(time.Hour), ExtraExtensions: []pkix.Extension{extension},
	}, by.cert, by.key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// The scope of a list is read after its signature was verified, so FuzzValidateData does not reach it.
func FuzzDistributionPoint(f *testing.F) {
	person := &x509.Certificate{CRLDistributionPoints: []string{"http://a.test/1.crl"}}
	f.Add(encodeDistributionPoint([]uint8{1}, "http://a.test/1.crl"))
	f.Fuzz(func(t *testing.T, der []byte) {
		if err := checkDistributionPoint(der, person); err != nil && !errors.Is(err, ErrUnusable) {
			t.Error(err)
		}
	})
}
