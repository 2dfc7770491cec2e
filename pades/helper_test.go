package pades_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/pades"
	"segel/pdf"
)

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// sharedAuthority is the authority that certifies everybody in these tests.
var sharedAuthority = sync.OnceValues(func() (*authority.Authority, error) { return authority.NewEphemeral("http://localhost", time.Now) })

func newAuthority(t testing.TB) *authority.Authority {
	t.Helper()
	return must[*authority.Authority](t)(sharedAuthority())
}

// signer is somebody who can sign.
type signer struct {
	name  string
	key   crypto.Signer
	chain []*x509.Certificate
}

func newCertifiedSigner(t testing.TB, name string, key crypto.Signer) signer {
	t.Helper()
	chain := must[[]*x509.Certificate](t)(newAuthority(t).Certify(t.Context(), authority.Holder{ID: "1", Name: name, Organisation: "PT Contoh", Assurance: authority.Account}, key.Public()))
	return signer{name, key, chain}
}

func newSigner(t testing.TB, name string) signer {
	t.Helper()
	return newCertifiedSigner(t, name, must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)))
}

// newOptions sign a field as that person, with a timestamp.
func (p signer) newOptions(t testing.TB, field string) pades.Options {
	t.Helper()
	return pades.Options{
		Field: field, Key: p.key, Chain: p.chain, Time: time.Now(), Timestamper: newAuthority(t).Timestamper(), Name: p.name, Reason: "Menyetujui isi dokumen ini",
	}
}

// testFile is a file that grows by tails, with its midstate.
type testFile struct {
	b        []byte
	state    []byte
	password string
}

func (p *testFile) source() pades.Source {
	return pades.Source{R: bytes.NewReader(p.b), Size: int64(len(p.b)), State: p.state, File: pdf.Options{Password: p.password}}
}

func (p *testFile) openFile(t testing.TB) *pdf.Document {
	t.Helper()
	return must[*pdf.Document](t)(pdf.Open(bytes.NewReader(p.b), int64(len(p.b)), pdf.Options{Password: p.password}))
}

func (p *testFile) addFields(t testing.TB, fields ...pades.FieldSpec) {
	t.Helper()
	tail := must[*pdf.Tail](t)(pades.AddFields(p.openFile(t), fields))
	p.b, p.state = append(p.b, tail.Bytes...), nil
}

// appendResult appends what a step made.
func (p *testFile) appendResult(t testing.TB) func(r *pades.Result, err error) *pades.Result {
	return func(r *pades.Result, err error) *pades.Result {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		p.b, p.state = append(p.b, r.Tail...), r.State
		if int64(len(p.b)) != r.Size {
			t.Fatalf("result of %d bytes for %d", r.Size, len(p.b))
		}
		return r
	}
}

func (p *testFile) signField(t testing.TB, o pades.Options) *pades.Result {
	t.Helper()
	return p.appendResult(t)(pades.Sign(t.Context(), p.source(), o))
}

// completeBLTA takes the file to level B-LTA.
func (p *testFile) completeBLTA(t testing.TB) {
	t.Helper()
	p.appendResult(t)(pades.AddDSS(t.Context(), p.source(), pades.ValidationOptions{Source: newAuthority(t)}))
	p.appendResult(t)(pades.DocumentTimestamp(t.Context(), p.source(), newAuthority(t).Timestamper(), pades.Clock{}))
}

// writeTemp writes the file for other programs.
func (p *testFile) writeTemp(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "signed.pdf")
	if err := os.WriteFile(path, p.b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// runTool runs a program that is not ours, and returns what it said. Without the program the test is skipped.
func runTool(t testing.TB, program string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed", program)
	}
	out, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// pdfsigVerdict is what pdfsig says of one signature.
type pdfsigVerdict struct{ valid, total bool }

// runPdfsig asks pdfsig for the signatures by field. It knows nothing of document timestamps.
func runPdfsig(t testing.TB, path string) map[string]pdfsigVerdict {
	t.Helper()
	all := map[string]pdfsigVerdict{}
	for block := range strings.SplitSeq(runTool(t, "pdfsig", "-nocert", path), "Signature #") {
		_, rest, ok := strings.Cut(block, "Signature Field Name: ")
		if !ok {
			continue
		}
		name, rest, _ := strings.Cut(rest, "\n")
		all[name] = pdfsigVerdict{strings.Contains(rest, "Signature is Valid"), strings.Contains(rest, "\n  - Total document signed") || strings.HasPrefix(rest, "  - Total document signed")}
	}
	return all
}

// wantValid asks strangers: pdfsig calls each of the fields valid, the last one total, and qpdf finds nothing wrong.
func wantValid(t testing.TB, p *testFile, fields ...string) {
	t.Helper()
	path := p.writeTemp(t)
	runTool(t, "qpdf", "--check", path)
	got := runPdfsig(t, path)
	for _, f := range fields {
		if !got[f].valid {
			t.Errorf("pdfsig does not call %q valid: %+v", f, got)
		}
	}
	if len(fields) > 0 && !got[fields[len(fields)-1]].total {
		t.Errorf("pdfsig does not call %q total: %+v", fields[len(fields)-1], got)
	}
}

// failingTimestamper is a time-stamp authority that answers as the test wants.
type failingTimestamper struct {
	token []byte
	err   error
}

func (f failingTimestamper) Timestamp(context.Context, []byte) ([]byte, error) { return f.token, f.err }
func (f failingTimestamper) TokenSize() int                                    { return 0 }

// countingReader counts the bytes read through it.
type countingReader struct {
	io.ReaderAt
	bytes int64
}

func (c *countingReader) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.bytes += int64(n)
	return n, err
}

// editField applies an edit to the field of that name, as another program might have written it.
func editField(t testing.TB, p *testFile, name string, edit func(pdf.Dict)) {
	t.Helper()
	d := p.openFile(t)
	u := d.NewUpdate()
	for _, f := range must[[]*pdf.Field](t)(d.Fields()) {
		if f.Name == name {
			edit(must[pdf.Dict](t)(u.Edit(f.Ref)))
		}
	}
	p.b, p.state = append(p.b, must[*pdf.Tail](t)(u.Build()).Bytes...), nil
}
