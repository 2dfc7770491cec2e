package cms_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"testing"
	"time"

	"segel/cms"
)

// parseParts returns the elements of a constructed one.
func parseParts(t *testing.T, der []byte) (whole asn1.RawValue, parts []asn1.RawValue) {
	t.Helper()
	if _, err := asn1.Unmarshal(der, &whole); err != nil {
		t.Fatal(err)
	}
	for rest := whole.Bytes; len(rest) > 0; {
		var part asn1.RawValue
		var err error
		if rest, err = asn1.Unmarshal(rest, &part); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part)
	}
	return whole, parts
}

func encodeTagged(t *testing.T, class, tag int, parts ...[]byte) []byte {
	t.Helper()
	der, err := asn1.Marshal(asn1.RawValue{Class: class, Tag: tag, IsCompound: true, Bytes: bytes.Join(parts, nil)})
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func TestRevocationListsInAContainerAreHandedOut(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Budi"}, NotBefore: time.Now(), NotAfter: time.Now().Add(time.Hour),
		SubjectKeyId: []byte{1}, KeyUsage: x509.KeyUsageCRLSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	list, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: time.Now(), NextUpdate: time.Now()}, cert, key)
	if err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256([]byte("isi"))
	made, err := cms.Sign(rand.Reader, digest[:], key, []*x509.Certificate{cert}, cms.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, outer := parseParts(t, made)
	_, inner := parseParts(t, outer[1].Bytes)
	other := encodeTagged(t, asn1.ClassContextSpecific, 1, []byte{0x05, 0x00}) // another choice than a list
	lists := encodeTagged(t, asn1.ClassContextSpecific, 1, list, other)
	signed := encodeTagged(t, asn1.ClassUniversal, asn1.TagSequence, inner[0].FullBytes, inner[1].FullBytes, inner[2].FullBytes, inner[3].FullBytes, lists, inner[4].FullBytes)
	sd, err := cms.Parse(encodeTagged(t, asn1.ClassUniversal, asn1.TagSequence, outer[0].FullBytes, encodeTagged(t, asn1.ClassContextSpecific, 0, signed)))
	if err != nil {
		t.Fatal(err)
	}
	if len(sd.CRLs) != 1 || !bytes.Equal(sd.CRLs[0], list) {
		t.Errorf("%d lists", len(sd.CRLs))
	}
	if err := sd.Verify(sd.Signers[0], digest[:]); err != nil {
		t.Error(err)
	}
}
