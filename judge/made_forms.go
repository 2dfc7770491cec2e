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

// form is a signature as others make them, and as we do not.
type form struct {
	name      string
	subFilter pdf.Name
	more      pdf.Dict // of the signature dictionary
	contents  func(signed) ([]byte, error)
	says      string // what we have to say of it: indication, sub-indication and level
}

const (
	detached   = pdf.Name("adbe.pkcs7.detached")
	cades      = pdf.Name("ETSI.CAdES.detached")
	insideSHA1 = pdf.Name("adbe.pkcs7.sha1")
	bareRSA    = pdf.Name("adbe.x509.rsa_sha1")
	timeStamp  = pdf.Name("ETSI.RFC3161")
)

// Indications.
const (
	passed   = "TOTAL-PASSED"
	unproved = "INDETERMINATE CERTIFICATE_CHAIN_GENERAL_FAILURE" // nobody has told whether a certificate was revoked
)

// makeForms writes a file for each form of signature that others make, and another in which a byte of what was signed is
// a different one.
func makeForms(h *house, dir string) (made, tampered []item, err error) {
	if err := emptied(dir); err != nil {
		return nil, nil, err
	}
	s := &scribe{h: h, who: h.people[rsaPKCS1]}
	for _, f := range s.forms() {
		p := h.paper(pdftest.Table(2)).fields(pades.FieldSpec{Name: "A"}).form(f.subFilter, f.more, f.contents)
		if err := errors.Join(p.err, s.err); err != nil {
			return nil, nil, fmt.Errorf("make %s: %w", f.name, err)
		}
		whole := item{name: "form-" + f.name + ".pdf", says: f.says}
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

// forms all bring the proof that they can, so that they pass where their form lets them.
func (s *scribe) forms() []form {
	archive := cms.Options{Attributes: []cms.Attribute{s.archive()}}
	carrying := func(content []byte) cms.Options {
		o := archive
		o.Content = content
		return o
	}
	container := func(b signed, o cms.Options) []byte {
		return s.container(b.digest(crypto.SHA256), o, s.timestamp)
	}
	as := func(o cms.Options, turn ...func([]byte) []byte) func(signed) ([]byte, error) {
		return func(b signed) ([]byte, error) {
			der := container(b, o)
			for _, t := range turn {
				der = t(der)
			}
			return der, s.err
		}
	}
	edited := func(edit func(*signedData)) func([]byte) []byte {
		return func(der []byte) []byte { return s.edited(der, edit) }
	}
	flat := func(der []byte) []byte { return s.pieces(der, true) }
	deep := func(der []byte) []byte { return s.pieces(der, false) }
	var dictionary pdf.Array
	for _, c := range s.who.chain {
		dictionary = append(dictionary, pdf.String{Bytes: c.Raw})
	}
	const (
		older = " adbe.pkcs7.detached"
		odd   = "INDETERMINATE SIG_CONSTRAINTS_FAILURE" + older
	)
	return []form{
		{"detached", detached, nil, as(cms.Options{}), unproved + older},
		{"archive", detached, nil, as(archive), passed + older},
		{"archive-cades", cades, nil, as(archive), passed + " B-T"},
		{"ber-outside", detached, nil, as(archive, s.loose), passed + older},
		{"ber-pieces", detached, nil, as(archive, flat), passed + older},
		{"ber-deep", detached, nil, as(archive, deep), passed + older},
		{"ber-cades", cades, nil, as(archive, flat), passed + " PAdES"},
		{"ber-attributes", detached, nil, as(archive, func(der []byte) []byte {
			return did[[]byte](s)(byBasicRules(der, s.certificates()...))
		}), passed + older},
		{"ber-token", cades, nil, func(b signed) ([]byte, error) {
			return s.container(b.digest(crypto.SHA256), archive, s.looseTimestamp), s.err
		}, passed + " PAdES"},
		{"ber-timestamp", timeStamp, pdf.Dict{"Type": pdf.Name("DocTimeStamp")}, func(b signed) ([]byte, error) {
			return flat(s.token(b.digest(crypto.SHA256))), s.err
		}, unproved},
		{"values", cades, nil, func(b signed) ([]byte, error) {
			return s.container(b.digest(crypto.SHA256), cms.Options{}, s.timestamp, s.values), s.err
		}, passed + " B-T"},
		{"values-no-issuer", cades, nil, func(b signed) ([]byte, error) {
			der := s.container(b.digest(crypto.SHA256), cms.Options{}, s.timestamp, s.values)
			return s.edited(der, func(d *signedData) { d.Certificates.FullBytes, d.Certificates.Bytes = nil, s.who.chain[0].Raw }), s.err
		}, passed + " B-T"},
		{"lists", detached, nil, as(cms.Options{}, edited(func(d *signedData) {
			var lists []byte
			for _, p := range s.proof() {
				lists = append(lists, p.crl...)
			}
			d.CRLs = asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 1, IsCompound: true, Bytes: lists}
		})), unproved + older}, // there is no list about the signer
		{"bare", detached, nil, func(b signed) ([]byte, error) { return s.bare(b), s.err }, unproved + older},
		{"sha1-inside", insideSHA1, nil, func(b signed) ([]byte, error) {
			content := b.digest(crypto.SHA1)
			return container(content, carrying(content)), s.err
		}, "INDETERMINATE CRYPTO_CONSTRAINTS_FAILURE adbe.pkcs7.sha1"},
		{"rsa-sha1", bareRSA, pdf.Dict{"Cert": dictionary}, func(b signed) ([]byte, error) {
			value := did[[]byte](s)(rsa.SignPKCS1v15(rand.Reader, s.who.key.(*rsa.PrivateKey), crypto.SHA1, b.digest(crypto.SHA1)))
			return did[[]byte](s)(asn1.Marshal(value)), s.err
		}, unproved + " adbe.x509.rsa_sha1"},
		{"content-same", detached, nil, func(b signed) ([]byte, error) { return container(b, carrying(b)), s.err }, odd},
		{"content-digest", detached, nil, func(b signed) ([]byte, error) {
			content := b.digest(crypto.SHA1)
			return container(content, carrying(content)), s.err
		}, "TOTAL-FAILED HASH_FAILURE"},
		{"content-other", detached, nil, as(carrying([]byte("lain"))), "TOTAL-FAILED FORMAT_FAILURE"},
		{"two-signers", detached, nil, as(archive, edited(func(d *signedData) { d.Signers = append(d.Signers, d.Signers[0]) })), odd},
	}
}
