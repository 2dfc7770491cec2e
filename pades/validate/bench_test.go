package validate_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/pades"
	"segel/pades/validate"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// crowded is a file with that many signatures, taken to level B-LTA, and so many bytes that no page shows.
func crowded(tb testing.TB, a *authority.Authority, signatures, size int) []byte {
	tb.Helper()
	check := func(err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
	file := pdftest.Table(1)
	grow := func(edit func(d *pdf.Document) (*pdf.Tail, error)) {
		d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
		check(err)
		tail, err := edit(d)
		check(err)
		file = append(file, tail.Bytes...)
	}
	if size > 0 {
		grow(func(d *pdf.Document) (*pdf.Tail, error) {
			noise := make([]byte, size) // that cannot be squeezed
			if _, err := rand.Read(noise); err != nil {
				return nil, err
			}
			u := d.NewUpdate()
			u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: noise})
			return u.Build()
		})
	}
	var fields []pades.FieldSpec
	for i := range signatures {
		fields = append(fields, pades.FieldSpec{Name: fmt.Sprint("S", i)})
	}
	grow(func(d *pdf.Document) (*pdf.Tail, error) { return pades.AddFields(d, fields) })
	var state []byte
	source := func() pades.Source {
		return pades.Source{R: bytes.NewReader(file), Size: int64(len(file)), State: state}
	}
	add := func(r *pades.Result, err error) {
		tb.Helper()
		check(err)
		file, state = append(file, r.Tail...), r.State
	}
	for _, f := range fields {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		check(err)
		chain, err := a.Certify(tb.Context(), authority.Holder{ID: f.Name, Name: f.Name}, key.Public())
		check(err)
		add(pades.Sign(tb.Context(), source(), pades.Options{Field: f.Name, Key: key, Chain: chain, Time: time.Now(), Timestamper: a.Timestamper()}))
	}
	add(pades.AddDSS(tb.Context(), source(), pades.ValidationOptions{Source: a}))
	add(pades.DocumentTimestamp(tb.Context(), source(), a.Timestamper()))
	return file
}

// BenchmarkValidate judges files with fifty signatures, beside the hash of their bytes, which nobody can do without.
func BenchmarkValidate(b *testing.B) {
	a, err := authority.Ephemeral("http://localhost", time.Now)
	if err != nil {
		b.Fatal(err)
	}
	var trust validate.Trust
	trust.Add(validate.ForAll, "office", a.Root())
	for name, size := range map[string]int{"small": 0, "100MiB": 100 << 20} {
		file := crowded(b, a, 50, size)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			for b.Loop() {
				r, err := validate.Validate(b.Context(), bytes.NewReader(file), int64(len(file)), validate.Options{At: time.Now(), Trust: &trust})
				if err != nil || !r.Passed() {
					b.Fatal(err, r)
				}
			}
		})
		b.Run(name+"-hash", func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			for b.Loop() {
				sha256.Sum256(file)
			}
		})
	}
}
