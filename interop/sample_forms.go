package main

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"encoding/asn1"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"segel/cms"
	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// signatureForm is a signature as others make them, and as we do not.
type signatureForm struct {
	name        string
	subFilter   pdf.Name
	more        pdf.Dict // of the signature dictionary
	contents    func(signedBytes) ([]byte, error)
	wantVerdict string // what we have to say of it: indication, sub-indication and level
}

const (
	detached    = pdf.Name("adbe.pkcs7.detached")
	cades       = pdf.Name("ETSI.CAdES.detached")
	pkcs7SHA1   = pdf.Name("adbe.pkcs7.sha1")
	x509RSASHA1 = pdf.Name("adbe.x509.rsa_sha1")
	timeStamp   = pdf.Name("ETSI.RFC3161")
)

// Indications.
const (
	totalPassed      = "TOTAL-PASSED"
	noRevocationData = "INDETERMINATE CERTIFICATE_CHAIN_GENERAL_FAILURE" // nobody has told whether a certificate was revoked
)

// writeForms writes a file for each form of signature that others make, and another in which a byte of what was signed is
// a different one.
func writeForms(h *pki, dir string) (made, tampered []item, err error) {
	if err := resetDir(dir); err != nil {
		return nil, nil, err
	}
	s := &containerBuilder{pki: h, signer: h.signers[rsaPKCS1]}
	for _, f := range s.buildForms() {
		p := h.newFile(pdftest.Table(2)).addFields(pades.FieldSpec{Name: "A"}).addForm(f.subFilter, f.more, f.contents)
		if err := errors.Join(p.err, s.err); err != nil {
			return nil, nil, fmt.Errorf("make %s: %w", f.name, err)
		}
		whole := item{name: "form-" + f.name + ".pdf", wantVerdict: f.wantVerdict}
		other := item{name: "form-" + f.name + "-flip.pdf"}
		at := bytes.Index(p.b, []byte("(Page 1)"))
		for it, b := range map[*item][]byte{&whole: p.b, &other: slices.Concat(p.b[:at], []byte("(Page 9)"), p.b[at+8:])} {
			it.path = filepath.Join(dir, it.name)
			if err := os.WriteFile(it.path, b, 0o600); err != nil {
				return nil, nil, err
			}
		}
		made, tampered = append(made, whole), append(tampered, other)
	}
	return made, tampered, nil
}

const (
	suffixPKCS7 = " adbe.pkcs7.detached"
	ambiguous   = "INDETERMINATE SIG_CONSTRAINTS_FAILURE" + suffixPKCS7
)

// buildForms all bring the proof that they can, so that they pass where their form lets them.
func (s *containerBuilder) buildForms() []signatureForm {
	archive := cms.Options{Attributes: []cms.Attribute{s.buildArchivalAttribute()}}
	return slices.Concat(
		[]signatureForm{
			{"detached", detached, nil, s.withTimestamp(cms.Options{}), noRevocationData + suffixPKCS7},
			{"archive", detached, nil, s.withTimestamp(archive), totalPassed + suffixPKCS7},
			{"archive-cades", cades, nil, s.withTimestamp(archive), totalPassed + " B-T"},
		},
		s.buildBERForms(archive), s.buildRevocationForms(), s.buildLegacyForms(archive), s.buildAmbiguousForms(archive),
	)
}

// withTimestamp makes a container with a timestamp, turned into something else by each step.
func (s *containerBuilder) withTimestamp(o cms.Options, turn ...func([]byte) []byte) func(signedBytes) ([]byte, error) {
	return func(b signedBytes) ([]byte, error) {
		der := s.buildContainer(b.computeDigest(crypto.SHA256), o, s.buildTimestamp)
		for _, t := range turn {
			der = t(der)
		}
		return der, s.err
	}
}

// withEdit is a step that changes a container.
func (s *containerBuilder) withEdit(edit func(*signedData)) func([]byte) []byte {
	return func(der []byte) []byte { return s.editContainer(der, edit) }
}

// withContent has content of its own in the container.
func withContent(o cms.Options, content []byte) cms.Options {
	o.Content = content
	return o
}

// withDigestContent signs the file's SHA-1, which is the content.
func (s *containerBuilder) withDigestContent(o cms.Options) func(signedBytes) ([]byte, error) {
	return func(b signedBytes) ([]byte, error) {
		content := b.computeDigest(crypto.SHA1)
		return s.withTimestamp(withContent(o, content))(content)
	}
}

// buildBERForms are written by the basic rules.
func (s *containerBuilder) buildBERForms(archive cms.Options) []signatureForm {
	flat := func(der []byte) []byte { return s.encodePieces(der, true) }
	deep := func(der []byte) []byte { return s.encodePieces(der, false) }
	attributes := func(der []byte) []byte { return collectError[[]byte](s)(encodeBER(der, s.listCertificates()...)) }
	return []signatureForm{
		{"ber-outside", detached, nil, s.withTimestamp(archive, s.useIndefiniteLength), totalPassed + suffixPKCS7},
		{"ber-pieces", detached, nil, s.withTimestamp(archive, flat), totalPassed + suffixPKCS7},
		{"ber-deep", detached, nil, s.withTimestamp(archive, deep), totalPassed + suffixPKCS7},
		{"ber-cades", cades, nil, s.withTimestamp(archive, flat), totalPassed + " PAdES"},
		{"ber-attributes", detached, nil, s.withTimestamp(archive, attributes), totalPassed + suffixPKCS7},
		{"ber-token", cades, nil, func(b signedBytes) ([]byte, error) {
			return s.buildContainer(b.computeDigest(crypto.SHA256), archive, s.buildBERTimestamp), s.err
		}, totalPassed + " PAdES"},
		{"ber-timestamp", timeStamp, pdf.Dict{"Type": pdf.Name("DocTimeStamp")}, func(b signedBytes) ([]byte, error) {
			return flat(s.issueToken(b.computeDigest(crypto.SHA256))), s.err
		}, noRevocationData},
	}
}

// buildRevocationForms have their proof elsewhere.
func (s *containerBuilder) buildRevocationForms() []signatureForm {
	values := func(b signedBytes) []byte {
		return s.buildContainer(b.computeDigest(crypto.SHA256), cms.Options{}, s.buildTimestamp, s.buildValuesAttributes)
	}
	lists := func(d *signedData) {
		var lists []byte
		for _, p := range s.collectRevocationData() {
			lists = append(lists, p.crl...)
		}
		d.CRLs = asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 1, IsCompound: true, Bytes: lists}
	}
	return []signatureForm{
		{"values", cades, nil, func(b signedBytes) ([]byte, error) { return values(b), s.err }, totalPassed + " B-T"},
		{"values-no-issuer", cades, nil, func(b signedBytes) ([]byte, error) {
			return s.editContainer(values(b), func(d *signedData) {
				d.Certificates.FullBytes, d.Certificates.Bytes = nil, s.signer.chain[0].Raw
			}), s.err
		}, totalPassed + " B-T"},
		{"lists", detached, nil, s.withTimestamp(cms.Options{}, s.withEdit(lists)), noRevocationData + suffixPKCS7}, // there is no list about the signer
	}
}

// buildLegacyForms sign no attributes, or rest on SHA-1.
func (s *containerBuilder) buildLegacyForms(archive cms.Options) []signatureForm {
	var dictionary pdf.Array
	for _, c := range s.signer.chain {
		dictionary = append(dictionary, pdf.String{Bytes: c.Raw})
	}
	return []signatureForm{
		{"bare", detached, nil, func(b signedBytes) ([]byte, error) { return s.signWithoutAttributes(b), s.err }, noRevocationData + suffixPKCS7},
		{"sha1-inside", pkcs7SHA1, nil, s.withDigestContent(archive), "INDETERMINATE CRYPTO_CONSTRAINTS_FAILURE adbe.pkcs7.sha1"},
		{"rsa-sha1", x509RSASHA1, pdf.Dict{"Cert": dictionary}, func(b signedBytes) ([]byte, error) {
			value := collectError[[]byte](s)(rsa.SignPKCS1v15(rand.Reader, s.signer.key.(*rsa.PrivateKey), crypto.SHA1, b.computeDigest(crypto.SHA1)))
			return collectError[[]byte](s)(asn1.Marshal(value)), s.err
		}, noRevocationData + " adbe.x509.rsa_sha1"},
	}
}

// buildAmbiguousForms are those that readers do not agree about.
func (s *containerBuilder) buildAmbiguousForms(archive cms.Options) []signatureForm {
	twice := func(d *signedData) { d.Signers = append(d.Signers, d.Signers[0]) }
	return []signatureForm{
		{"content-same", detached, nil, func(b signedBytes) ([]byte, error) { return s.withTimestamp(withContent(archive, b))(b) }, ambiguous},
		{"content-digest", detached, nil, s.withDigestContent(archive), "TOTAL-FAILED HASH_FAILURE"},
		{"content-other", detached, nil, s.withTimestamp(withContent(archive, []byte("lain"))), "TOTAL-FAILED FORMAT_FAILURE"},
		{"two-signers", detached, nil, s.withTimestamp(archive, s.withEdit(twice)), ambiguous},
	}
}
