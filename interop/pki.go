package main

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"segel/cms"
	"segel/internal/authority"
	"segel/pades"
	"segel/pades/appearance"
	"segel/pdf"
)

// pki is an authority with the people it certified, who sign all files here.
type pki struct {
	authority *authority.Authority
	signers   []signer
}

// signer is somebody who can sign.
type signer struct {
	name   string
	key    crypto.Signer
	chain  []*x509.Certificate
	scheme cms.Scheme
}

func newPKI() (*pki, error) {
	office, err := authority.NewEphemeral("http://localhost", time.Now)
	if err != nil {
		return nil, err
	}
	h := &pki{authority: office}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	p256, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		return nil, err
	}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	for i, p := range []signer{
		{name: "Budi Santoso", key: rsaKey},
		{name: "Siti Rahayu", key: rsaKey, scheme: cms.Scheme{PSS: true}},
		{name: "Agus Wijaya", key: p256},
		{name: "Dewi Lestari", key: p384},
		{name: "Joko Susilo", key: ed},
		{name: "Tamu Undangan", key: p256},
		{name: "Raden Mas Kangjeng Gusti Pangeran Haryo Suryodiningrat, S.H., M.Kn.", key: rsaKey},
	} {
		holder := authority.Holder{ID: p.name[:4], Name: p.name, Organisation: "PT Contoh", Assurance: authority.Account}
		if i >= guestP256 {
			holder.Assurance, holder.NamedBy = authority.Guest, "Sari Wulandari"
		}
		p.chain, err = office.Certify(context.Background(), holder, p.key.Public())
		if err != nil {
			return nil, err
		}
		p.name = p.chain[0].Subject.CommonName
		h.signers = append(h.signers, p)
	}
	return h, nil
}

// The people by what they sign with. Guests, whose identity is not verified, have an issuer of their own.
const (
	rsaPKCS1 = iota
	rsaPSS
	ecP256
	ecP384
	ed25519Key
	guestP256
	guestRSA
)

// writeTrust writes the root, and proof that everybody is in good standing, for the judges of files that bring none. It
// returns the arguments that tell a judge so.
func (h *pki) writeTrust(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var args []string
	keep := func(flag, name string, b []byte) error {
		path := filepath.Join(dir, name)
		args = append(args, flag, path)
		return os.WriteFile(path, b, 0o600)
	}
	if err := keep("--trust", "root.pem", h.authority.RootPEM()); err != nil {
		return nil, err
	}
	root := h.authority.Root()
	for i, p := range h.signers {
		m, err := h.authority.Revocation(context.Background(), p.chain[0], p.chain[1])
		if err != nil {
			return nil, fmt.Errorf("standing of %s: %w", p.name, err)
		}
		if err := keep("--ocsp", fmt.Sprintf("%d.ocsp", i), m.OCSP); err != nil {
			return nil, err
		}
	}
	m, err := h.authority.Revocation(context.Background(), h.signers[0].chain[1], root)
	if err != nil {
		return nil, fmt.Errorf("standing of the issuer: %w", err)
	}
	return args, keep("--crl", "root.crl", m.CRL)
}

// writeRoots is a folder with the root, for our own program.
func (h *pki) writeRoots(work string) (string, error) {
	dir := filepath.Join(work, "roots")
	if err := resetDir(dir); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "root.pem"), h.authority.RootPEM(), 0o644)
}

// testFile is a file that grows by tails. The first error of its steps stays; the steps after it do nothing.
type testFile struct {
	pki         *pki
	b           []byte
	state       []byte
	err         error
	signerNames map[string]string // of who signed, by field
}

func (h *pki) newFile(b []byte) *testFile {
	return &testFile{pki: h, b: bytes.Clone(b), signerNames: map[string]string{}}
}

func (p *testFile) toSource() pades.Source {
	return pades.Source{R: bytes.NewReader(p.b), Size: int64(len(p.b)), State: p.state}
}

// appendResult appends the tail of a step.
func (p *testFile) appendResult(step func() (*pades.Result, error)) *testFile {
	if p.err != nil {
		return p
	}
	r, err := step()
	if err != nil {
		p.err = err
		return p
	}
	p.b, p.state = append(p.b, r.Tail...), r.State
	return p
}

// addFields adds empty fields; those with a rectangle are on page 1.
func (p *testFile) addFields(specs ...pades.FieldSpec) *testFile {
	if p.err != nil {
		return p
	}
	d, err := pdf.Open(bytes.NewReader(p.b), int64(len(p.b)), pdf.Options{})
	if err != nil {
		p.err = err
		return p
	}
	tail, err := pades.AddFields(d, specs)
	if err != nil {
		p.err = err
		return p
	}
	p.b, p.state = append(p.b, tail.Bytes...), nil
	return p
}

// signField signs a field as one of the people; edit changes the options before.
func (p *testFile) signField(field string, who int, edit ...func(*pades.Options)) *testFile {
	return p.appendResult(func() (*pades.Result, error) {
		s := p.pki.signers[who]
		p.signerNames[field] = s.name
		o := pades.Options{
			Field: field, Key: s.key, Chain: s.chain, Scheme: s.scheme, Timestamper: p.pki.authority.Timestamper(), Time: time.Now(),
			Name: s.name, Reason: "Menyetujui isi dokumen ini", Location: "Jakarta",
		}
		for _, e := range edit {
			if e(&o); p.err != nil {
				return nil, p.err
			}
		}
		return pades.Sign(context.Background(), p.toSource(), o)
	})
}

// addValidationData adds certificates and proof of good standing.
func (p *testFile) addValidationData() *testFile {
	return p.appendResult(func() (*pades.Result, error) {
		return pades.AddDSS(context.Background(), p.toSource(), pades.ValidationOptions{Source: p.pki.authority})
	})
}

// addTimestamp adds a document timestamp.
func (p *testFile) addTimestamp() *testFile {
	return p.appendResult(func() (*pades.Result, error) {
		return pades.DocumentTimestamp(context.Background(), p.toSource(), p.pki.authority.Timestamper(), pades.Clock{})
	})
}

// withoutTimestamp signs without trusted time.
func withoutTimestamp(o *pades.Options) { o.Timestamper = nil }

// withNewField adds a field in the same update that signs it.
func withNewField(o *pades.Options) { o.NewField, o.Field = &pades.FieldSpec{Name: o.Field}, "" }

// withCertification makes the signature a certification.
func withCertification(permission int) func(*pades.Options) {
	return func(o *pades.Options) { o.Certify = permission }
}

// withGuestAppearance is seen with the notice that the identity was not verified.
func withGuestAppearance(box pdf.Rect, specimen *appearance.Strokes) func(*pades.Options) {
	return func(o *pades.Options) {
		n := appearance.Notice{
			Text:        "Tamu, dicantumkan oleh Sari Wulandari (PT Contoh); identitas tidak diverifikasi",
			Translation: "Guest, named by Sari Wulandari (PT Contoh); identity not verified",
			Short:       "Tamu — identitas tidak diverifikasi",
		}
		o.Appearance = appearance.WithNotice(n, box.Width(), box.Height(), func(w, h float64) *appearance.Drawing {
			return appearance.Signature(appearance.SignatureText{Name: "Tamu Undangan", Time: o.Time, Reason: o.Reason, Specimen: specimen}, w, h)
		})
	}
}

// withAppearance shows the signature in its box, with a picture and a code if they are given.
func withAppearance(box pdf.Rect, specimen *appearance.Strokes, qr string) func(*pades.Options) {
	return func(o *pades.Options) {
		o.Appearance = appearance.Signature(appearance.SignatureText{Name: o.Name, Time: o.Time, Reason: o.Reason, Specimen: specimen, QR: qr}, box.Width(), box.Height())
	}
}
