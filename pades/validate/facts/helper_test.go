package facts_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"sync"
	"testing"
	"time"

	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pades/appearance"
	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
	"segel/pdf"
)

func must[T any](t testing.TB) func(v T, err error) T { return signtest.Must[T](t) }

// sari signs most of what is signed here.
var sari = sync.OnceValue(func() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // crypto/rand does not fail
	}
	return key
})

// testFile is a file that grows by tails.
type testFile struct {
	t testing.TB
	b []byte
}

func on(t testing.TB, b []byte) *testFile { return &testFile{t, bytes.Clone(b)} }

func (p *testFile) source() pades.Source {
	return pades.Source{R: bytes.NewReader(p.b), Size: int64(len(p.b))}
}

func (p *testFile) open() *pdf.Document {
	p.t.Helper()
	return must[*pdf.Document](p.t)(pdf.Open(bytes.NewReader(p.b), int64(len(p.b)), pdf.Options{}))
}

func (p *testFile) fields(fields ...pades.FieldSpec) *testFile {
	p.t.Helper()
	tail := must[*pdf.Tail](p.t)(pades.AddFields(p.open(), fields))
	p.b = append(p.b, tail.Bytes...)
	return p
}

// extend appends what a step made.
func (p *testFile) extend(r *pades.Result, err error) *testFile {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
	p.b = append(p.b, r.Tail...)
	return p
}

func (p *testFile) options(field string, change ...func(*pades.Options)) pades.Options {
	p.t.Helper()
	who := signtest.Certify(p.t, signtest.Authority(p.t), "Sari", sari())
	o := pades.Options{Field: field, Key: who.Key, Chain: who.Chain, Time: time.Date(2026, 11, 21, 9, 0, 0, 0, time.FixedZone("WIB", 7*3600)), Name: "Sari", Reason: "Menyetujui"}
	for _, c := range change {
		c(&o)
	}
	return o
}

func (p *testFile) sign(field string, change ...func(*pades.Options)) *testFile {
	p.t.Helper()
	return p.extend(pades.Sign(p.t.Context(), p.source(), p.options(field, change...)))
}

func (p *testFile) addValidationData() *testFile {
	p.t.Helper()
	o := signtest.Authority(p.t)
	return p.extend(pades.AddDSS(p.t.Context(), p.source(), pades.ValidationOptions{Source: o}))
}

func (p *testFile) addTimestamp() *testFile {
	p.t.Helper()
	o := signtest.Authority(p.t)
	return p.extend(pades.DocumentTimestamp(p.t.Context(), p.source(), o.Timestamper(), pades.Clock{}))
}

// update appends a revision.
func (p *testFile) update(edit func(d *pdf.Document, u *pdf.Update)) *testFile {
	p.t.Helper()
	d := p.open()
	u := d.NewUpdate()
	edit(d, u)
	p.b = append(p.b, must[*pdf.Tail](p.t)(u.Build()).Bytes...)
	return p
}

func timed(t testing.TB) func(*pades.Options) {
	o := signtest.Authority(t)
	return func(p *pades.Options) { p.Timestamper = o.Timestamper() }
}

func certify(level pdf.Permission) func(*pades.Options) {
	return func(p *pades.Options) { p.Certify = level }
}

// shown gives a signature a look that needs no font.
func shown(p *pades.Options) { p.Appearance = plain{} }

// plain is a grey box.
type plain struct{}

func (plain) Form(u *pdf.Update, f appearance.Frame) (pdf.Ref, error) {
	return u.Add(&pdf.Stream{
		Dict: pdf.Dict{"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: f.Width, URY: f.Height}.Array(), "Resources": pdf.Dict{}},
		Data: fmt.Appendf(nil, "0.8 g 0 0 %g %g re f", f.Width, f.Height),
	}), nil
}

var (
	boxA = pdf.Rect{LLX: 72, LLY: 100, URX: 172, URY: 140}
	boxB = pdf.Rect{LLX: 300, LLY: 100, URX: 400, URY: 140}
)

func runSteps(t testing.TB, b []byte) *facts.File {
	t.Helper()
	return must[*facts.File](t)(facts.Read(t.Context(), bytes.NewReader(b), int64(len(b)), facts.Options{}))
}

// troubles names all that keeps a signature from being intact: reasons of its coverage, the error of its integrity and
// the codes of changes that it does not permit.
func troubles(s *facts.Signature) []string {
	var all []string
	for _, r := range s.Coverage.Reasons {
		all = append(all, string(r.Code))
	}
	for name, err := range map[string]error{
		"digest": facts.ErrDigest, "value": facts.ErrValue, "algorithm": facts.ErrAlgorithm, "container": facts.ErrContainer, "signer": facts.ErrNoSigner,
		"attributes": facts.ErrAttributes, "not computed": facts.ErrNotComputed,
	} {
		if isErr(s.Integrity, err) {
			all = append(all, name)
		}
	}
	if s.Integrity != nil && len(all) == 0 {
		all = append(all, s.Integrity.Error())
	}
	for _, l := range s.Later {
		for _, i := range l.Denied {
			all = append(all, string(l.Changes[i].Code))
		}
	}
	return all
}

// wantIntact demands that all signatures hold and that nothing forbidden followed.
func wantIntact(t testing.TB, f *facts.File, fields ...string) {
	t.Helper()
	if len(f.Signatures) != len(fields) {
		t.Fatalf("%d signatures, want %v", len(f.Signatures), fields)
	}
	for i, s := range f.Signatures {
		if s.Field != fields[i] || len(troubles(s)) > 0 || s.Coverage.State == facts.Broken || s.Coverage.State == "" {
			t.Errorf("signature %q, want %q: %s", s.Field, fields[i], summary(f))
		}
	}
}

// levels are those of the revisions behind the first signature.
func levels(f *facts.File) []diff.Level {
	var all []diff.Level
	for _, l := range f.Signatures[0].Later {
		all = append(all, l.Level)
	}
	return all
}
