package pades_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"math/big"
	"testing"
	"time"

	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
	"segel/tsp"
)

// newLargeResponder returns a time-stamp authority whose certificate has that many additional bytes.
func newLargeResponder(t testing.TB, bytes int) *tsp.Responder {
	t.Helper()
	key := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	usage := must[[]byte](t)(asn1.Marshal([]asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, 8}}))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Heavy"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature,
		ExtraExtensions: []pkix.Extension{
			{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: true, Value: usage},
			{Id: asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 99999, 1}, Value: make([]byte, bytes)},
		},
	}
	der := must[[]byte](t)(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))
	cert := must[*x509.Certificate](t)(x509.ParseCertificate(der))
	return &tsp.Responder{Key: key, Chain: []*x509.Certificate{cert}, Policy: asn1.ObjectIdentifier{1, 2, 3}, Clock: time.Now, Random: rand.Reader}
}

// sizelessTimestamper does not state the size of its tokens.
type sizelessTimestamper struct{ tsp.Timestamper }

func (sizelessTimestamper) TokenSize() int { return 0 }

// growingTimestamper returns a larger token each time.
type growingTimestamper struct {
	t     testing.TB
	sizes []int
}

func (g *growingTimestamper) TokenSize() int { return 0 }
func (g *growingTimestamper) Timestamp(ctx context.Context, digest []byte) ([]byte, error) {
	size := g.sizes[0]
	g.sizes = g.sizes[1:]
	return newLargeResponder(g.t, size).Timestamp(ctx, digest)
}

func TestTimestampsOfAnySizeFit(t *testing.T) {
	t.Parallel()
	who := signtest.NewSigner(t, "A")
	p := &testFile{Bytes: pdftest.Table(1)}
	p.AddFields(t, pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"}, pades.FieldSpec{Name: "C"})
	for field, by := range map[string]tsp.Timestamper{"A": sizelessTimestamper{newLargeResponder(t, 200_000)}, "B": newLargeResponder(t, 100_000), "C": &growingTimestamper{t, []int{9_000, 18_000, 20_000}}} {
		o := who.Options(t, field)
		o.Timestamper = by
		p.Sign(t, o)
		wantValid(t, p, field)
	}
	p.Append(t)(pades.DocumentTimestamp(t.Context(), p.Source(), sizelessTimestamper{newLargeResponder(t, 300_000)}, pades.Clock{}))
	runTool(t, "qpdf", "--check", writeTemp(t, p))
}

func TestTimestampsThatGrowForeverAreGivenUp(t *testing.T) {
	t.Parallel()
	o := signtest.NewSigner(t, "A").Options(t, "")
	o.NewField, o.Timestamper = &pades.FieldSpec{Name: "A"}, &growingTimestamper{t, []int{10_000, 20_000, 40_000, 80_000}}
	src := (&testFile{Bytes: pdftest.Table(1)}).Source()
	if _, err := pades.Sign(t.Context(), src, o); !errors.Is(err, pades.ErrContainerSize) {
		t.Error(err)
	}
}

// TestRemoteKeyAnswersAfterARestart stores a Prepared, and prepares again with the size that turned out to be needed.
func TestRemoteKeyAnswersAfterARestart(t *testing.T) {
	t.Parallel()
	who := signtest.NewSigner(t, "A")
	by := sizelessTimestamper{newLargeResponder(t, 60_000)}
	p := &testFile{Bytes: pdftest.Streams(1)}
	p.AddFields(t, pades.FieldSpec{Name: "A"})
	o := who.Options(t, "A")
	o.Key, o.Timestamper = nil, by
	// remote is the key in another process: it gets only what was stored.
	remote := func(stored []byte) (*pades.Result, error) {
		var again pades.Prepared
		if err := again.UnmarshalBinary(stored); err != nil {
			t.Fatal(err)
		}
		value := must[[]byte](t)(who.Key.Sign(rand.Reader, must[[]byte](t)(again.Signature.Digest()), again.Signature.Scheme.Hash))
		return again.Finish(value, must[[]byte](t)(again.Timestamp(t.Context(), by, value)))
	}
	prepare := func() []byte {
		prepared := must[*pades.Prepared](t)(pades.Prepare(p.Source(), o))
		return must[[]byte](t)(prepared.MarshalBinary())
	}
	_, err := remote(prepare())
	var small *pades.ContainerSizeError
	if !errors.As(err, &small) || small.Need < 60_000 || small.Have >= small.Need {
		t.Fatalf("too small: %v", err)
	}
	o.ReservedSize = small.Need + 16 // an ECDSA signature varies by some bytes
	p.Append(t)(remote(prepare()))
	wantValid(t, p, "A")
	for _, size := range []int{-1, 1 << 30} {
		o.ReservedSize = size
		if _, err := pades.Prepare(p.Source(), o); err == nil {
			t.Errorf("%d bytes were reserved", size)
		}
	}
}

func TestFiftySignaturesOnAThousandPagesToTheHighestLevel(t *testing.T) {
	t.Parallel()
	const pages, signatures = 1000, 50
	who := signtest.NewSigner(t, "Budi Santoso")
	for name, file := range map[string][]byte{"table": pdftest.Table(pages), "streams": pdftest.Streams(pages)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &testFile{Bytes: file}
			var fields []pades.FieldSpec
			var names []string
			for i := range signatures {
				spec, _ := newVisibleField(t, p, "S"+string(rune('A'+i/26))+string(rune('A'+i%26)))
				spec.Page = i*pages/signatures + 1
				fields, names = append(fields, spec), append(names, spec.Name)
			}
			p.AddFields(t, fields...)
			_, drawing := newVisibleField(t, p, "")
			for _, name := range names {
				o := who.Options(t, name)
				o.Appearance = drawing
				p.Sign(t, o)
			}
			wantValid(t, p, names...)
			p.Complete(t, signtest.Authority(t))
			runTool(t, "qpdf", "--check", writeTemp(t, p))
			d := p.Open(t)
			if n := must[int](t)(d.PageCount()); n != pages {
				t.Errorf("%d pages", n)
			}
			if s := must[[]*pdf.Signature](t)(d.Signatures()); len(s) != signatures+1 {
				t.Errorf("%d signatures", len(s))
			}
		})
	}
}
