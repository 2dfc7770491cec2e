package validate_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"segel/cms"
	"segel/internal/authority"
	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pades/validate"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// crowded is a file with that many signatures, taken to level B-LTA, and so many bytes that no page shows.
func crowded(tb testing.TB, a *authority.Authority, signatures, size int) []byte {
	tb.Helper()
	file := pdftest.Table(1)
	if size > 0 {
		file = grown(tb, file, func(d *pdf.Document) (*pdf.Tail, error) {
			noise := make([]byte, size) // that cannot be squeezed
			if _, err := rand.Read(noise); err != nil {
				return nil, err
			}
			u := d.NewUpdate()
			u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: noise})
			return u.Build()
		})
	}
	return sealed(tb, a, file, signatures)
}

// grown is a file with an update behind it.
func grown(tb testing.TB, file []byte, edit func(d *pdf.Document) (*pdf.Tail, error)) []byte {
	tb.Helper()
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tail, err := edit(d)
	if err != nil {
		tb.Fatal(err)
	}
	return append(file, tail.Bytes...)
}

// sealed is a file with so many signatures behind it, and what takes them to level B-LTA.
func sealed(tb testing.TB, a *authority.Authority, file []byte, signatures int) []byte {
	tb.Helper()
	f := &signtest.File{Bytes: file}
	var fields []pades.FieldSpec
	for i := range signatures {
		fields = append(fields, pades.FieldSpec{Name: fmt.Sprint("S", i)})
	}
	f.AddFields(tb, fields...)
	for _, spec := range fields {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			tb.Fatal(err)
		}
		who := signtest.Certify(tb, a, spec.Name, key)
		f.Sign(tb, pades.Options{Field: spec.Name, Key: key, Chain: who.Chain, Time: time.Now(), Timestamper: a.Timestamper()})
	}
	f.Complete(tb, a)
	return f.Bytes
}

// bare returns the public-key operations that a verdict on a file cannot do without, each once: the signature values,
// the tokens, the certificates below others, and the answers about them. None of them parses anything.
func bare(tb testing.TB, file []byte) (work []func() error) {
	tb.Helper()
	f, err := facts.Read(tb.Context(), bytes.NewReader(file), int64(len(file)), facts.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	known := map[string]bool{}
	once := func(key []byte, op func() error) {
		if !known[string(key)] {
			known[string(key)] = true
			work = append(work, op)
		}
	}
	var all []*x509.Certificate
	container := func(sd *cms.SignedData) {
		for _, s := range sd.Signers {
			key := sd.Certificate(s).PublicKey.(*ecdsa.PublicKey)
			work = append(work, func() error {
				h := s.Digest.New()
				h.Write(s.SignedDER)
				if !ecdsa.VerifyASN1(key, h.Sum(nil), s.Signature) {
					return cms.ErrSignature
				}
				return nil
			})
		}
		all = append(all, sd.Certificates...)
	}
	for _, s := range f.Signatures {
		container(s.Container)
		for _, t := range s.Tokens {
			sd, err := cms.Parse(t.DER)
			if err != nil {
				tb.Fatal(err)
			}
			container(sd)
		}
	}
	for _, p := range f.DSS.Certs {
		c, err := x509.ParseCertificate(p.DER)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, c)
	}
	issuer := func(c *x509.Certificate) *x509.Certificate {
		i := slices.IndexFunc(all, func(i *x509.Certificate) bool { return i.IsCA && bytes.Equal(i.RawSubject, c.RawIssuer) })
		if i < 0 {
			tb.Fatalf("%s has no issuer", c.Subject)
		}
		return all[i]
	}
	below := func(c *x509.Certificate) {
		if i := issuer(c); !i.Equal(c) {
			once(c.Raw, func() error { return i.CheckSignature(c.SignatureAlgorithm, c.RawTBSCertificate, c.Signature) })
		}
	}
	for _, c := range all {
		below(c)
	}
	for _, p := range f.DSS.OCSPs {
		r, err := ocsp.ParseResponse(p.DER, nil)
		if err != nil {
			tb.Fatal(err)
		}
		by := r.Certificate
		if by == nil {
			by = all[slices.IndexFunc(all, func(c *x509.Certificate) bool {
				return c.IsCA && by.CheckSignature(r.SignatureAlgorithm, r.TBSResponseData, r.Signature) == nil
			})]
		} else {
			below(by)
		}
		once(p.DER, func() error { return by.CheckSignature(r.SignatureAlgorithm, r.TBSResponseData, r.Signature) })
	}
	for _, p := range f.DSS.CRLs {
		l, err := x509.ParseRevocationList(p.DER)
		if err != nil {
			tb.Fatal(err)
		}
		i := slices.IndexFunc(all, func(c *x509.Certificate) bool { return bytes.Equal(c.RawSubject, l.RawIssuer) })
		once(p.DER, func() error { return l.CheckSignatureFrom(all[i]) })
	}
	return work
}

// BenchmarkVerdict validates files with fifty signatures of level B-LTA, in turn with the least possible work: the SHA-256
// of the file as it is read from the disk, and each public-key operation once. It measures the processor time of this
// process, including the garbage collector; the ratio is that of the minima.
func BenchmarkVerdict(b *testing.B) {
	a, err := authority.NewEphemeral("http://localhost", time.Now)
	if err != nil {
		b.Fatal(err)
	}
	var trust validate.Trust
	trust.Add(validate.ForAll, "office", a.Root())
	for _, size := range []struct {
		name  string
		bytes int
	}{{"100KB", 100 << 10}, {"100MB", 100 << 20}} {
		b.Run(size.name, func(b *testing.B) {
			whole := crowded(b, a, 50, size.bytes)
			work, length := bare(b, whole), int64(len(whole))
			file := onDisk(b, whole)
			whole = nil
			runtime.GC()
			least := map[string]time.Duration{}
			timed := func(what string, do func() error) {
				began := processor(b)
				if err := do(); err != nil {
					b.Fatal(err)
				}
				if took := processor(b) - began; least[what] == 0 || took < least[what] {
					least[what] = took
				}
			}
			for b.Loop() {
				timed("hash", func() error {
					_, err := io.CopyBuffer(struct{ io.Writer }{sha256.New()}, io.NewSectionReader(file, 0, length), make([]byte, 256<<10))
					return err
				})
				timed("keys", func() error {
					for _, op := range work {
						if err := op(); err != nil {
							return err
						}
					}
					return nil
				})
				timed("verdict", func() error {
					r, err := validate.Validate(b.Context(), file, length, validate.Options{At: time.Now(), Trust: &trust})
					if err == nil && !r.Passed() {
						err = fmt.Errorf("%s %s", r.Indication, r.SubIndication)
					}
					return err
				})
			}
			ms := func(what string) float64 { return float64(least[what]) / 1e6 }
			b.ReportMetric(ms("verdict"), "ms/verdict")
			b.ReportMetric(ms("hash"), "ms/hash")
			b.ReportMetric(ms("keys"), "ms/keys")
			b.ReportMetric(ms("verdict")/(ms("hash")+ms("keys")), "x-floor")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func onDisk(tb testing.TB, content []byte) *os.File {
	tb.Helper()
	f, err := os.Create(filepath.Join(tb.TempDir(), "file.pdf"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = f.Close() })
	if _, err := f.Write(content); err != nil {
		tb.Fatal(err)
	}
	return f
}

// processor returns the processor time that this process has had.
func processor(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
