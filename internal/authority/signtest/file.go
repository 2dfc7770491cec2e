// Package signtest signs files in tests, with an authority that lives as long as the test program.
package signtest

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"sync"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/pades"
	"segel/pdf"
)

// Must returns a function that returns its first argument, and fails the test if the second is an error.
func Must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

var shared = sync.OnceValues(func() (*authority.Authority, error) { return authority.NewEphemeral("http://localhost", time.Now) })

// Authority returns the authority of the test program.
func Authority(t testing.TB) *authority.Authority {
	t.Helper()
	return Must[*authority.Authority](t)(shared())
}

// Signer is a person with a key and a certificate chain.
type Signer struct {
	Name  string
	Key   crypto.Signer
	Chain []*x509.Certificate
}

// Certify issues a certificate of an authority for a key.
func Certify(t testing.TB, by *authority.Authority, name string, key crypto.Signer) Signer {
	t.Helper()
	h := authority.Holder{ID: "1", Name: name, Organisation: "PT Contoh", Assurance: authority.Account}
	return Signer{name, key, Must[[]*x509.Certificate](t)(by.Certify(t.Context(), h, key.Public()))}
}

// NewSigner returns a person with a new P-256 key and a certificate of Authority.
func NewSigner(t testing.TB, name string) Signer {
	t.Helper()
	return Certify(t, Authority(t), name, Must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)))
}

// Options returns the options to sign a field as that person, with a timestamp of Authority.
func (s Signer) Options(t testing.TB, field string) pades.Options {
	t.Helper()
	return pades.Options{
		Field: field, Key: s.Key, Chain: s.Chain, Time: time.Now(), Timestamper: Authority(t).Timestamper(), Name: s.Name, Reason: "Menyetujui isi dokumen ini",
	}
}

// File is a file to which tails are appended, with its midstate.
type File struct {
	Bytes    []byte
	State    []byte // nil: unknown
	Password string
}

// Source returns the file as it is now.
func (f *File) Source() pades.Source {
	return pades.Source{R: bytes.NewReader(f.Bytes), Size: int64(len(f.Bytes)), Midstate: f.State, OpenOptions: pdf.Options{Password: f.Password}}
}

// Open opens the file as it is now.
func (f *File) Open(t testing.TB) *pdf.Document {
	t.Helper()
	return Must[*pdf.Document](t)(pdf.Open(bytes.NewReader(f.Bytes), int64(len(f.Bytes)), pdf.Options{Password: f.Password}))
}

// AddFields adds empty fields.
func (f *File) AddFields(t testing.TB, fields ...pades.FieldSpec) {
	t.Helper()
	tail := Must[*pdf.Tail](t)(pades.AddFields(f.Open(t), fields))
	f.Bytes, f.State = append(f.Bytes, tail.Bytes...), nil
}

// Update appends a revision with any changes.
func (f *File) Update(t testing.TB, edit func(d *pdf.Document, u *pdf.Update)) {
	t.Helper()
	d := f.Open(t)
	u := d.NewUpdate()
	edit(d, u)
	f.Bytes, f.State = append(f.Bytes, Must[*pdf.Tail](t)(u.Build()).Bytes...), nil
}

// Append appends the tail of a step.
func (f *File) Append(t testing.TB) func(r *pades.Result, err error) *pades.Result {
	return func(r *pades.Result, err error) *pades.Result {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		f.Bytes, f.State = append(f.Bytes, r.Tail...), r.Midstate
		if int64(len(f.Bytes)) != r.Size {
			t.Fatalf("result of %d bytes for %d", r.Size, len(f.Bytes))
		}
		return r
	}
}

// Sign signs a field.
func (f *File) Sign(t testing.TB, o pades.Options) *pades.Result {
	t.Helper()
	return f.Append(t)(pades.Sign(t.Context(), f.Source(), o))
}

// Complete takes the file to level B-LTA, with data and a timestamp of an authority.
func (f *File) Complete(t testing.TB, a *authority.Authority) {
	t.Helper()
	f.Append(t)(pades.AddDSS(t.Context(), f.Source(), pades.ValidationOptions{Source: a}))
	f.Append(t)(pades.DocumentTimestamp(t.Context(), f.Source(), a.Timestamper(), pades.Clock{}))
}
