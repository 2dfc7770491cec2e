package pades_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"fmt"
	"io"
	"testing"
	"time"

	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pades/appearance"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// layered is a file of any size with tails.
type layered struct {
	base  io.ReaderAt
	size  int64
	tails []byte
}

func (l *layered) ReadAt(p []byte, at int64) (int, error) {
	n := 0
	if at < l.size {
		var err error
		want := p[:min(int64(len(p)), l.size-at)]
		if n, err = l.base.ReadAt(want, at); n < len(want) {
			return n, err
		}
	}
	if from := at + int64(n) - l.size; from >= 0 && from < int64(len(l.tails)) {
		n += copy(p[n:], l.tails[from:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (l *layered) source(state []byte) pades.Source {
	return pades.Source{R: l, Size: l.size + int64(len(l.tails)), Midstate: state}
}

// stateOf returns a midstate after that many bytes, though not of any file; signing trusts it.
func stateOf(t testing.TB, size int64) []byte {
	t.Helper()
	h := sha256.New()
	h.Write([]byte("the file so far"))
	state := must[[]byte](t)(h.(encoding.BinaryMarshaler).MarshalBinary())
	binary.BigEndian.PutUint64(state[len(state)-8:], uint64(size))
	return state
}

func TestSigningReadsNoMoreOfALargerFile(t *testing.T) {
	t.Parallel()
	who := signtest.NewSigner(t, "A")
	read := map[int64]int64{}
	for _, size := range []int64{100 << 10, 5 << 30} {
		base := pdftest.NewLarge(size, 4)
		count := &countingReader{ReaderAt: base}
		l := &layered{base: count, size: base.Size()}
		o := who.Options(t, "")
		o.NewField = &pades.FieldSpec{Name: "A"}
		r := must[*pades.Result](t)(pades.Sign(t.Context(), l.source(stateOf(t, l.size)), o))
		read[size] = count.bytes
		if r.Size != base.Size()+int64(len(r.Tail)) {
			t.Errorf("size %d", r.Size)
		}
	}
	if small, large := read[100<<10], read[5<<30]; large > small+small/2 {
		t.Errorf("%d bytes read of the small file, %d of the large one", small, large)
	}
}

func TestStateOfAnotherRevisionIsRefused(t *testing.T) {
	t.Parallel()
	p := &testFile{Bytes: pdftest.Table(1)}
	p.AddFields(t, pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"}, pades.FieldSpec{Name: "C"})
	who := signtest.NewSigner(t, "A")
	earlier := p.Sign(t, who.Options(t, "A")).Midstate
	r := p.Sign(t, who.Options(t, "B"))
	for name, state := range map[string][]byte{"earlier revision": earlier, "no state": []byte("sha"), "cut off": r.Midstate[:100]} {
		src := p.Source()
		src.Midstate = state
		if _, err := pades.Sign(t.Context(), src, who.Options(t, "C")); err == nil {
			t.Errorf("%s: signed", name)
		}
		if _, err := pades.DocumentTimestamp(t.Context(), src, signtest.Authority(t).Timestamper(), pades.Clock{}); err == nil {
			t.Errorf("%s: timestamped", name)
		}
		if _, err := pades.AddDSS(t.Context(), src, pades.ValidationOptions{Source: signtest.Authority(t)}); err == nil {
			t.Errorf("%s: revocation data added", name)
		}
	}
	p.Sign(t, who.Options(t, "C"))
}

func TestFileIsHashedOnceWhateverTheHashOfTheKey(t *testing.T) {
	t.Parallel()
	const size = 4 << 20
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]crypto.Signer{
		"P-256": must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)),
		"P-384": must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P384(), rand.Reader)),
		"P-521": must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P521(), rand.Reader)), "Ed25519": ed,
	} {
		who := signtest.Certify(t, signtest.Authority(t), name, key)
		count := &countingReader{ReaderAt: pdftest.NewLarge(size, 4)}
		src := pades.Source{R: count, Size: count.ReaderAt.(*pdftest.Large).Size()}
		for i := range 3 {
			o := who.Options(t, "")
			o.NewField = &pades.FieldSpec{Name: fmt.Sprintf("F%d", i)}
			count.bytes = 0
			r := must[*pades.Result](t)(pades.Sign(t.Context(), src, o))
			limit := int64(size / 4)
			if i == 0 {
				limit += size
			}
			if count.bytes > limit {
				t.Errorf("%s, signature %d: %d bytes read", name, i+1, count.bytes)
			}
			src = src.WithResult(r)
		}
		// Validation data and a timestamp between two signatures keep the midstates.
		src = src.WithResult(must[*pades.Result](t)(pades.AddDSS(t.Context(), src, pades.ValidationOptions{Source: signtest.Authority(t)})))
		src = src.WithResult(must[*pades.Result](t)(pades.DocumentTimestamp(t.Context(), src, signtest.Authority(t).Timestamper(), pades.Clock{})))
		o := who.Options(t, "")
		o.NewField = &pades.FieldSpec{Name: "Last"}
		count.bytes = 0
		r := must[*pades.Result](t)(pades.Sign(t.Context(), src, o))
		if count.bytes > size/4 {
			t.Errorf("%s, after the archive: %d bytes read", name, count.bytes)
		}
		if err := pades.VerifyTail(pades.Source{R: src.R, Size: src.Size}, r.Tail, r.Field, pades.Clock{}); err != nil {
			t.Errorf("%s: looked at from end to end: %v", name, err)
		}
		for algorithm, state := range src.Midstates {
			wrong := src
			wrong.Midstates = map[crypto.Hash][]byte{algorithm: state[:len(state)-1]}
			if _, err := pades.Sign(t.Context(), wrong, o); err == nil {
				t.Errorf("%s: signed over half a midstate", name)
			}
		}
	}
}

func TestInvisibleSignatureIsSmall(t *testing.T) {
	t.Parallel()
	rsaKey := must[*rsa.PrivateKey](t)(rsa.GenerateKey(rand.Reader, 2048))
	for name, file := range map[string][]byte{"table": pdftest.Table(1), "streams": pdftest.Streams(1), "form": pdftest.Form()} {
		o := signtest.Certify(t, signtest.Authority(t), "Budi Santoso", rsaKey).Options(t, "")
		o.Timestamper, o.NewField = nil, &pades.FieldSpec{Name: "A"}
		p := &testFile{Bytes: file}
		if r := p.Sign(t, o); len(r.Tail) > 8<<10 {
			t.Errorf("%s: a tail of %d bytes", name, len(r.Tail))
		}
		wantValid(t, p, "A")
	}
}

func TestByteRangeHoldsTheLargestOffsets(t *testing.T) {
	t.Parallel()
	base := pdftest.NewLarge(9_900_000_000, 2) // a cross-reference table ends at ten digits
	l := &layered{base: base, size: base.Size()}
	o := signtest.NewSigner(t, "A").Options(t, "")
	o.NewField = &pades.FieldSpec{Name: "A"}
	r := must[*pades.Result](t)(pades.Sign(t.Context(), l.source(stateOf(t, l.size)), o))
	l.tails = r.Tail
	d := must[*pdf.Document](t)(pdf.Open(l, r.Size, pdf.Options{}))
	s := must[[]*pdf.Signature](t)(d.Signatures())[0]
	if end := s.ByteRange[2] + s.ByteRange[3]; end != r.Size || s.ByteRange[1] < base.Size() {
		t.Errorf("/ByteRange %v in %d bytes", s.ByteRange, r.Size)
	}
}

func TestFiftiethVisibleSignatureIsSmall(t *testing.T) {
	t.Parallel()
	p := &testFile{Bytes: pdftest.Table(1)}
	var fields []pades.FieldSpec
	for i := range 50 {
		fields = append(fields, pades.FieldSpec{Name: fmt.Sprintf("S%d", i), Page: 1, Rect: pdf.Rect{LLX: float64(i), LLY: float64(10 * i), URX: float64(i + 180), URY: float64(10*i + 60)}})
	}
	p.AddFields(t, fields...)
	who := signtest.NewSigner(t, "Budi Santoso")
	specimen := must[*appearance.Strokes](t)(appearance.ExtractStrokes(drawSignature(t)))
	for i, f := range fields {
		o := who.Options(t, f.Name)
		o.Appearance = appearance.Signature(appearance.SignatureText{
			Name: fmt.Sprintf("Budi Santoso, S.H. %d", i), Time: time.Now(), Reason: "Menyetujui", Specimen: specimen, QR: "https://segel.example/verify/0123456789",
		}, 180, 60)
		r := p.Sign(t, o)
		if i < 49 {
			continue
		}
		s := bytes.Index(r.Tail, []byte("/Contents <"))
		contents := bytes.IndexByte(r.Tail[s:], '>')
		if beyond := len(r.Tail) - contents; beyond > 2048 {
			t.Errorf("%d bytes beyond /Contents", beyond)
		}
	}
	runTool(t, "qpdf", "--check", writeTemp(t, p))
}

// BenchmarkSign measures the fifth signature of a file, with an appearance and without a timestamp.
func BenchmarkSign(b *testing.B) {
	for name, size := range map[string]int64{"100KB": 100 << 10, "100MB": 100 << 20, "1GB": 1 << 30} {
		b.Run(name, func(b *testing.B) {
			base := pdftest.NewLarge(size, 20)
			l := &layered{base: base, size: base.Size()}
			who := signtest.NewSigner(b, "Budi")
			state := stateOf(b, l.size)
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
			b.ReportAllocs()
			for b.Loop() {
				if _, err := pades.Sign(b.Context(), l.source(state), options(4)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
