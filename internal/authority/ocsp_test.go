package authority

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"io"
	"math/big"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"
)

// fixedSigner signs everything with the same value.
type fixedSigner struct{ crypto.Signer }

func (fixedSigner) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) {
	return []byte("the value of the signature"), nil
}

func TestOCSPResponsesAreEncodedAsInTheStandardLibrary(t *testing.T) {
	t.Parallel()
	a := openAuthority(t, t.TempDir(), &MemoryLedger{})
	at := time.Date(2026, 11, 23, 1, 2, 3, 0, time.FixedZone("WIB", 7*60*60))
	for _, curve := range []elliptic.Curve{elliptic.P256(), elliptic.P384(), elliptic.P521()} {
		key, err := ecdsa.GenerateKey(curve, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		for _, by := range a.keys().listIssuers() {
			by.ocsp.key = fixedSigner{key}
			for name, r := range map[string]ocsp.Response{
				"good": {Status: ocsp.Good}, "unknown": {Status: ocsp.Unknown}, "revoked": {Status: ocsp.Revoked, RevokedAt: at.Add(-time.Hour)},
				"revoked for a reason": {Status: ocsp.Revoked, RevokedAt: at, RevocationReason: ocsp.KeyCompromise},
			} {
				for _, hash := range []crypto.Hash{crypto.SHA1, crypto.SHA256, crypto.SHA384, crypto.SHA512} {
					for _, serial := range []*big.Int{new(big.Int), big.NewInt(128), new(big.Int).Lsh(big.NewInt(3), 150)} {
						r.SerialNumber, r.IssuerHash, r.ThisUpdate, r.NextUpdate, r.Certificate = serial, hash, at, at.Add(ocspValidity), by.ocsp.cert
						want, err := ocsp.CreateResponse(by.id.cert, by.ocsp.cert, r, by.ocsp.key)
						if err != nil {
							t.Fatal(err)
						}
						got, err := signOCSPResponse(by, r, producedAt(t, want))
						if err != nil || !bytes.Equal(got, want) {
							t.Errorf("%s, %v, %v is %x, not %x: %v", name, hash, curve.Params().Name, got, want, err)
						}
					}
				}
			}
		}
	}
}

// producedAt reads the only time that the caller of ocsp.CreateResponse does not choose.
func producedAt(t *testing.T, der []byte) time.Time {
	t.Helper()
	const format = "20060102150405Z"
	at := bytes.Index(der, append([]byte{0x18, byte(len(format))}, time.Now().UTC().Format("2006")...))
	if at < 0 {
		t.Fatal("the response was not produced this year")
	}
	produced, err := time.Parse(format, string(der[at+2:at+2+len(format)]))
	if err != nil {
		t.Fatal(err)
	}
	return produced
}

func TestAListExpiresAfterTheResponsesBesideIt(t *testing.T) {
	t.Parallel()
	now := time.Now()
	a, err := NewEphemeral(publicURL, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := a.Certify(t.Context(), Holder{ID: "1", Name: "Budi", Organisation: "PT Contoh", Assurance: Account}, key.Public())
	if err != nil {
		t.Fatal(err)
	}
	made, err := a.Revocation(t.Context(), chain[1], chain[2])
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(crlReuse - time.Second)
	list, err := a.Revocation(t.Context(), chain[1], chain[2])
	if err != nil || !bytes.Equal(list.CRL, made.CRL) {
		t.Fatalf("another list: %v", err)
	}
	response, err := a.Revocation(t.Context(), chain[0], chain[1])
	if err != nil {
		t.Fatal(err)
	}
	crl, err := x509.ParseRevocationList(list.CRL)
	if err != nil {
		t.Fatal(err)
	}
	status, err := ocsp.ParseResponse(response.OCSP, chain[1])
	if err != nil {
		t.Fatal(err)
	}
	if !crl.NextUpdate.After(status.NextUpdate) {
		t.Errorf("the list expires at %s, the response at %s", crl.NextUpdate, status.NextUpdate)
	}
}
