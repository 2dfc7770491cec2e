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

// office is the authority that certifies everybody in these tests.
var office = sync.OnceValues(func() (*authority.Authority, error) { return authority.Ephemeral("http://localhost", time.Now) })

func newOffice(t testing.TB) *authority.Authority {
	t.Helper()
	return must[*authority.Authority](t)(office())
}

// person is somebody who can sign.
type person struct {
	name  string
	key   crypto.Signer
	chain []*x509.Certificate
}

func certified(t testing.TB, name string, key crypto.Signer) person {
	t.Helper()
	chain := must[[]*x509.Certificate](t)(newOffice(t).Certify(t.Context(), authority.Holder{ID: "1", Name: name, Organisation: "PT Contoh", Assurance: authority.Account}, key.Public()))
	return person{name, key, chain}
}

func newPerson(t testing.TB, name string) person {
	t.Helper()
	return certified(t, name, must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)))
}

// options sign a field as that person, with a timestamp.
func (p person) options(t testing.TB, field string) pades.Options {
	t.Helper()
	return pades.Options{
		Field: field, Key: p.key, Chain: p.chain, Time: time.Now(), Timestamper: newOffice(t).Timestamper(), Name: p.name, Reason: "Menyetujui isi dokumen ini",
	}
}

// paper is a file that grows by tails, with its midstate.
type paper struct {
	b        []byte
	state    []byte
	password string
}

func (p *paper) source() pades.Source {
	return pades.Source{R: bytes.NewReader(p.b), Size: int64(len(p.b)), State: p.state, File: pdf.Options{Password: p.password}}
}

func (p *paper) open(t testing.TB) *pdf.Document {
	t.Helper()
	return must[*pdf.Document](t)(pdf.Open(bytes.NewReader(p.b), int64(len(p.b)), pdf.Options{Password: p.password}))
}

func (p *paper) add(t testing.TB, fields ...pades.FieldSpec) {
	t.Helper()
	tail := must[*pdf.Tail](t)(pades.AddFields(p.open(t), fields))
	p.b, p.state = append(p.b, tail.Bytes...), nil
}

// extend appends what a step made.
func (p *paper) extend(t testing.TB) func(r *pades.Result, err error) *pades.Result {
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

func (p *paper) sign(t testing.TB, o pades.Options) *pades.Result {
	t.Helper()
	return p.extend(t)(pades.Sign(t.Context(), p.source(), o))
}

// complete takes the file to level B-LTA.
func (p *paper) complete(t testing.TB) {
	t.Helper()
	p.extend(t)(pades.AddDSS(t.Context(), p.source(), pades.ValidationOptions{Source: newOffice(t)}))
	p.extend(t)(pades.DocumentTimestamp(t.Context(), p.source(), newOffice(t).Timestamper()))
}

// save writes the file for other programs.
func (p *paper) save(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "signed.pdf")
	if err := os.WriteFile(path, p.b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// judge runs a program that is not ours, and returns what it said. Without the program the test is skipped.
func judge(t testing.TB, program string, args ...string) string {
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

// verdict is what pdfsig says of one signature.
type verdict struct{ valid, total bool }

// verdicts asks pdfsig for the signatures by field. It knows nothing of document timestamps.
func verdicts(t testing.TB, path string) map[string]verdict {
	t.Helper()
	all := map[string]verdict{}
	for block := range strings.SplitSeq(judge(t, "pdfsig", "-nocert", path), "Signature #") {
		_, rest, ok := strings.Cut(block, "Signature Field Name: ")
		if !ok {
			continue
		}
		name, rest, _ := strings.Cut(rest, "\n")
		all[name] = verdict{strings.Contains(rest, "Signature is Valid"), strings.Contains(rest, "\n  - Total document signed") || strings.HasPrefix(rest, "  - Total document signed")}
	}
	return all
}

// wantValid asks strangers: pdfsig calls each of the fields valid, the last one total, and qpdf finds nothing wrong.
func wantValid(t testing.TB, p *paper, fields ...string) {
	t.Helper()
	path := p.save(t)
	judge(t, "qpdf", "--check", path)
	got := verdicts(t, path)
	for _, f := range fields {
		if !got[f].valid {
			t.Errorf("pdfsig does not call %q valid: %+v", f, got)
		}
	}
	if len(fields) > 0 && !got[fields[len(fields)-1]].total {
		t.Errorf("pdfsig does not call %q total: %+v", fields[len(fields)-1], got)
	}
}

// failing is a time-stamp authority that answers as the test wants.
type failing struct {
	token []byte
	err   error
}

func (f failing) Timestamp(context.Context, []byte) ([]byte, error) { return f.token, f.err }
func (f failing) TokenSize() int                                    { return 0 }

// counting counts the bytes read through it.
type counting struct {
	io.ReaderAt
	bytes int64
}

func (c *counting) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.bytes += int64(n)
	return n, err
}

// change applies an edit to the field of that name, as another program might have written it.
func change(t testing.TB, p *paper, name string, edit func(pdf.Dict)) {
	t.Helper()
	d := p.open(t)
	u := d.NewUpdate()
	for _, f := range must[[]*pdf.Field](t)(d.Fields()) {
		if f.Name == name {
			edit(must[pdf.Dict](t)(u.Edit(f.Ref)))
		}
	}
	p.b, p.state = append(p.b, must[*pdf.Tail](t)(u.Build()).Bytes...), nil
}
