package pades_test

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"
	"time"

	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pades/appearance"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// measureFloor does the minimum that signing a file can cost: it copies and hashes the file and uses the key once.
// Files are in memory, so that a busy disk does not count.
func measureFloor(b *testing.B, in, out []byte, key crypto.Signer) {
	copy(out, in)
	digest := sha256.Sum256(in)
	must[[]byte](b)(key.Sign(rand.Reader, digest[:], crypto.SHA256))
}

// signCold signs a file without a known midstate into another.
func signCold(b *testing.B, in, out []byte, o pades.Options) {
	r := must[*pades.Result](b)(pades.Sign(b.Context(), pades.Source{R: bytes.NewReader(in), Size: int64(len(in))}, o))
	n := copy(out, in)
	copy(out[n:], r.Tail)
}

// measureInTurn runs two functions in turn and reports the ratio of their shortest times: other load can only add to
// them.
func measureInTurn(b *testing.B, unit string, this, other func()) {
	b.Helper()
	var times [2][]time.Duration
	for b.Loop() {
		for i, f := range []func(){this, other} {
			start := time.Now()
			f()
			times[i] = append(times[i], time.Since(start))
		}
	}
	least := func(i int) float64 { return float64(slices.Min(times[i])) }
	b.ReportMetric(least(0)/least(1), unit)
	b.ReportMetric(least(0)/1e6, "ms/signature")
	b.ReportMetric(0, "ns/op") // the sum of both is meaningless
}

// BenchmarkFirstSignature compares an invisible signature with RSA-2048, without a timestamp and without a known
// midstate, with copying and hashing the file and one use of the key.
func BenchmarkFirstSignature(b *testing.B) {
	for name, c := range map[string]struct {
		size    int64
		objects int
	}{"100MB": {100 << 20, 23_000}, "100KB": {100 << 10, 20}} {
		b.Run(name, func(b *testing.B) {
			var large bytes.Buffer
			must[int64](b)(pdftest.NewLarge(c.size, c.objects).WriteTo(&large))
			in, out := large.Bytes(), make([]byte, large.Len()+1<<20)
			who := signtest.Certify(b, signtest.Authority(b), "Budi", must[*rsa.PrivateKey](b)(rsa.GenerateKey(rand.Reader, 2048)))
			o := who.Options(b, "")
			o.Timestamper, o.NewField = nil, &pades.FieldSpec{Name: "A"}
			measureInTurn(b, "x-floor", func() { signCold(b, in, out, o) }, func() { measureFloor(b, in, out, who.Key) })
		})
	}
}

// BenchmarkLaterSignature compares the fifth signature of a file of 100 MB with that of one of 100 KB.
func BenchmarkLaterSignature(b *testing.B) {
	who := signtest.NewSigner(b, "Budi")
	fifth := func(size int64) func() {
		base := pdftest.NewLarge(size, 20)
		l, state := &layered{base: base, size: base.Size()}, stateOf(b, base.Size())
		options := func(i int) pades.Options {
			o := who.Options(b, "")
			o.Timestamper = nil
			o.NewField = &pades.FieldSpec{Name: fmt.Sprintf("F%d", i), Page: 1, Rect: pdf.Rect{URX: 180, URY: 60}}
			o.Appearance = appearance.Signature(appearance.SignatureText{Name: "Budi", Time: o.Time}, 180, 60)
			return o
		}
		for i := range 4 {
			r := must[*pades.Result](b)(pades.Sign(b.Context(), l.source(state), options(i)))
			l.tails, state = append(l.tails, r.Tail...), r.Midstate
		}
		return func() { must[*pades.Result](b)(pades.Sign(b.Context(), l.source(state), options(4))) }
	}
	measureInTurn(b, "x-100KB", fifth(100<<20), fifth(100<<10))
}
