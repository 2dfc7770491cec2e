package main

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"encoding/asn1"
	"errors"
	"slices"

	"segel/cms"
	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// signatureForm is a form of signature that other programs make and ours does not.
type signatureForm struct {
	name        string
	subFilter   pdf.Name
	more        pdf.Dict // of the signature dictionary
	contents    func(signedBytes) ([]byte, error)
	wantVerdict string // expected in our report: indication, sub-indication and level
}

const (
	detached    = pdf.Name("adbe.pkcs7.detached")
	cades       = pdf.Name("ETSI.CAdES.detached")
	pkcs7SHA1   = pdf.Name("adbe.pkcs7.sha1")
	x509RSASHA1 = pdf.Name("adbe.x509.rsa_sha1")
	timeStamp   = pdf.Name("ETSI.RFC3161")
)

// Expected indications.
const (
	totalPassed      = "TOTAL-PASSED"
	noRevocationData = "INDETERMINATE CERTIFICATE_CHAIN_GENERAL_FAILURE" // there is no revocation data about a certificate
)

// writeForms writes a file for each signature form of other programs, and a copy with one signed byte changed.
func writeForms(k *pki, dir string) (made, tampered []item, err error) {
	whole, flipped := newItemWriter(dir), &itemWriter{dir: dir}
	s := &containerBuilder{pki: k, signer: k.signers[rsaPKCS1]}
	for _, f := range s.buildForms() {
		p := k.newFile(pdftest.Table(2)).addFields(pades.FieldSpec{Name: "A"}).addForm(f.subFilter, f.more, f.contents)
		err := errors.Join(p.err, s.err)
		whole.addFile(item{name: "form-" + f.name + ".pdf", wantVerdict: f.wantVerdict}, p.b, err)
		flipped.addFile(item{name: "form-" + f.name + "-flip.pdf"}, bytes.Replace(p.b, []byte("(Page 1)"), []byte("(Page 9)"), 1), err)
	}
	return whole.items, flipped.items, errors.Join(whole.err, flipped.err)
}

const (
	suffixPKCS7 = " adbe.pkcs7.detached"
	ambiguous   = "INDETERMINATE SIG_CONSTRAINTS_FAILURE" + suffixPKCS7
)

// buildForms returns the forms, with as much validation data as each can carry.
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

// withTimestamp returns a function that builds a container with a timestamp and applies each step to it.
func (s *containerBuilder) withTimestamp(o cms.Options, turn ...func([]byte) []byte) func(signedBytes) ([]byte, error) {
	return func(b signedBytes) ([]byte, error) {
		der := s.buildContainer(b.computeDigest(crypto.SHA256), o, s.buildTimestamp)
		for _, t := range turn {
			der = t(der)
		}
		return der, s.err
	}
}

// withEdit returns a step that edits a container.
func (s *containerBuilder) withEdit(edit func(*signedData)) func([]byte) []byte {
	return func(der []byte) []byte { return s.editContainer(der, edit) }
}

// withContent adds encapsulated content to the options.
func withContent(o cms.Options, content []byte) cms.Options {
	o.Content = content
	return o
}

// withDigestContent signs the file's SHA-1 as the encapsulated content.
func (s *containerBuilder) withDigestContent(o cms.Options) func(signedBytes) ([]byte, error) {
	return func(b signedBytes) ([]byte, error) {
		content := b.computeDigest(crypto.SHA1)
		return s.withTimestamp(withContent(o, content))(content)
	}
}

// buildBERForms returns the forms in BER.
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

// buildRevocationForms returns the forms with validation data in other places.
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
		{"lists", detached, nil, s.withTimestamp(cms.Options{}, s.withEdit(lists)), noRevocationData + suffixPKCS7}, // no list covers the signer's certificate
	}
}

// buildLegacyForms returns the forms without signed attributes or with SHA-1.
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

// buildAmbiguousForms returns the forms on which readers disagree.
func (s *containerBuilder) buildAmbiguousForms(archive cms.Options) []signatureForm {
	twice := func(d *signedData) { d.Signers = append(d.Signers, d.Signers[0]) }
	return []signatureForm{
		{"content-same", detached, nil, func(b signedBytes) ([]byte, error) { return s.withTimestamp(withContent(archive, b))(b) }, ambiguous},
		{"content-digest", detached, nil, s.withDigestContent(archive), "TOTAL-FAILED HASH_FAILURE"},
		{"content-other", detached, nil, s.withTimestamp(withContent(archive, []byte("lain"))), "TOTAL-FAILED FORMAT_FAILURE"},
		{"two-signers", detached, nil, s.withTimestamp(archive, s.withEdit(twice)), ambiguous},
	}
}
