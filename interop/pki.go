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
	"segel/internal/authstatement"
	"segel/pades"
	"segel/pades/appearance"
	"segel/pdf"
)

// pki is an authority with the signers of all files made here.
type pki struct {
	authority *authority.Authority
	signers   []signer
}

// signer is a person with a key and a certificate chain.
type signer struct {
	name   string
	key    crypto.Signer
	chain  []*x509.Certificate
	scheme cms.Scheme
}

func newPKI() (*pki, error) {
	ca, err := authority.NewEphemeral("http://localhost", time.Now)
	if err != nil {
		return nil, err
	}
	k := &pki{authority: ca}
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
		{name: "Tamu Bersurat", key: p256},
		{name: "Hadi Berponsel", key: rsaKey},
	} {
		holder := authority.Holder{ID: p.name[:4], Name: p.name, Organisation: "PT Contoh", Assurance: authority.Account}
		if i >= guestP256 {
			holder.Assurance, holder.NamedBy = authority.Guest, "Sari Wulandari"
		}
		switch i {
		case mailboxP256:
			holder.Assurance, holder.Contact = authority.GuestMailbox, "tamu@example.test"
		case phoneRSA:
			holder.Assurance, holder.Contact = authority.GuestPhone, "+628123456789"
		}
		p.chain, err = ca.Certify(context.Background(), holder, p.key.Public())
		if err != nil {
			return nil, err
		}
		p.name = p.chain[0].Subject.CommonName
		k.signers = append(k.signers, p)
	}
	return k, nil
}

// Indexes of pki.signers, by key. Guests, whose identity is not verified, have separate issuers.
const (
	rsaPKCS1 = iota
	rsaPSS
	ecP256
	ecP384
	ed25519Key
	guestP256
	guestRSA
	mailboxP256
	phoneRSA
)

// writeTrust writes the root certificate, and revocation data about all signers for files that contain none. It returns
// the validators' arguments for them.
func (k *pki) writeTrust(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var args []string
	keep := func(flag, name string, b []byte) error {
		path := filepath.Join(dir, name)
		args = append(args, flag, path)
		return os.WriteFile(path, b, 0o600)
	}
	if err := keep("--trust", "root.pem", k.authority.RootPEM()); err != nil {
		return nil, err
	}
	root := k.authority.Root()
	for i, p := range k.signers {
		m, err := k.authority.Revocation(context.Background(), p.chain[0], p.chain[1])
		if err != nil {
			return nil, fmt.Errorf("revocation data of %s: %w", p.name, err)
		}
		if err := keep("--ocsp", fmt.Sprintf("%d.ocsp", i), m.OCSP); err != nil {
			return nil, err
		}
	}
	m, err := k.authority.Revocation(context.Background(), k.signers[0].chain[1], root)
	if err != nil {
		return nil, fmt.Errorf("revocation data of the issuer: %w", err)
	}
	return args, keep("--crl", "root.crl", m.CRL)
}

// writeRoots writes a folder with the root certificate for our own program.
func (k *pki) writeRoots(work string) (string, error) {
	dir := filepath.Join(work, "roots")
	if err := resetDir(dir); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "root.pem"), k.authority.RootPEM(), 0o644)
}

// testFile is a file to which steps append tails. It keeps the first error; later steps then do nothing.
type testFile struct {
	pki         *pki
	b           []byte
	state       []byte
	err         error
	signerNames map[string]string // names of the signers, by field
}

func (k *pki) newFile(b []byte) *testFile {
	return &testFile{pki: k, b: bytes.Clone(b), signerNames: map[string]string{}}
}

// openPDF opens a file that is in memory.
func openPDF(b []byte) (*pdf.Document, error) {
	return pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{})
}

func (p *testFile) toSource() pades.Source {
	return pades.Source{R: bytes.NewReader(p.b), Size: int64(len(p.b)), Midstate: p.state}
}

// appendResult runs a step and appends its tail.
func (p *testFile) appendResult(step func() (*pades.Result, error)) *testFile {
	if p.err != nil {
		return p
	}
	r, err := step()
	if err != nil {
		p.err = err
		return p
	}
	p.b, p.state = append(p.b, r.Tail...), r.Midstate
	return p
}

// addFields adds empty fields; those with a rectangle are on page 1.
func (p *testFile) addFields(specs ...pades.FieldSpec) *testFile {
	if p.err != nil {
		return p
	}
	d, err := openPDF(p.b)
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

// signField signs a field as one of the signers; edit changes the options first.
func (p *testFile) signField(field string, who int, edit ...func(*pades.Options)) *testFile {
	return p.appendResult(func() (*pades.Result, error) {
		s := p.pki.signers[who]
		p.signerNames[field] = s.name
		o := pades.Options{
			Field: field, Key: s.key, Chain: s.chain, Scheme: s.scheme, Timestamper: p.pki.authority.Timestamper(), Time: time.Now(),
			Name: s.name, Reason: "Menyetujui isi dokumen ini", Location: "Jakarta",
		}
		if who < guestP256 { // as the service signs for people with accounts
			stated, err := authstatement.Statement{Factor: "totp", ForSignature: true}.Attribute()
			if err != nil {
				return nil, err
			}
			o.Attributes = []cms.Attribute{stated}
		}
		for _, e := range edit {
			if e(&o); p.err != nil {
				return nil, p.err
			}
		}
		return pades.Sign(context.Background(), p.toSource(), o)
	})
}

// addValidationData adds certificates and revocation data.
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

// withoutTimestamp signs at level B-B.
func withoutTimestamp(o *pades.Options) { o.Timestamper = nil }

// withNewField adds the field in the same update.
func withNewField(o *pades.Options) { o.NewField, o.Field = &pades.FieldSpec{Name: o.Field}, "" }

// withCertification makes the signature a certification.
func withCertification(permission pdf.Permission) func(*pades.Options) {
	return func(o *pades.Options) { o.Certify = permission }
}

// withGuestAppearance is withAppearance with the notice that the identity was not verified.
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

// withAppearance draws the signature in its box, with a picture and a QR code if they are given.
func withAppearance(box pdf.Rect, specimen *appearance.Strokes, qr string) func(*pades.Options) {
	return func(o *pades.Options) {
		o.Appearance = appearance.Signature(appearance.SignatureText{Name: o.Name, Time: o.Time, Reason: o.Reason, Specimen: specimen, QR: qr}, box.Width(), box.Height())
	}
}
