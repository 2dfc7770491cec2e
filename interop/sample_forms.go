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

const (
	older = " adbe.pkcs7.detached"
	odd   = "INDETERMINATE SIG_CONSTRAINTS_FAILURE" + older
)

// forms all bring the proof that they can, so that they pass where their form lets them.
func (s *scribe) forms() []form {
	archive := cms.Options{Attributes: []cms.Attribute{s.archive()}}
	return slices.Concat(
		[]form{
			{"detached", detached, nil, s.stamped(cms.Options{}), unproved + older},
			{"archive", detached, nil, s.stamped(archive), passed + older},
			{"archive-cades", cades, nil, s.stamped(archive), passed + " B-T"},
		},
		s.looseForms(archive), s.proofForms(), s.olderForms(archive), s.oddForms(archive),
	)
}

// stamped makes a container with a timestamp, turned into something else by each step.
func (s *scribe) stamped(o cms.Options, turn ...func([]byte) []byte) func(signed) ([]byte, error) {
	return func(b signed) ([]byte, error) {
		der := s.container(b.digest(crypto.SHA256), o, s.timestamp)
		for _, t := range turn {
			der = t(der)
		}
		return der, s.err
	}
}

// editing is a step that changes a container.
func (s *scribe) editing(edit func(*signedData)) func([]byte) []byte {
	return func(der []byte) []byte { return s.edited(der, edit) }
}

// carrying has content of its own in the container.
func carrying(o cms.Options, content []byte) cms.Options {
	o.Content = content
	return o
}

// carryingDigest signs the file's SHA-1, which is the content.
func (s *scribe) carryingDigest(o cms.Options) func(signed) ([]byte, error) {
	return func(b signed) ([]byte, error) {
		content := b.digest(crypto.SHA1)
		return s.stamped(carrying(o, content))(content)
	}
}

// looseForms are written by the basic rules.
func (s *scribe) looseForms(archive cms.Options) []form {
	flat := func(der []byte) []byte { return s.pieces(der, true) }
	deep := func(der []byte) []byte { return s.pieces(der, false) }
	attributes := func(der []byte) []byte { return did[[]byte](s)(byBasicRules(der, s.certificates()...)) }
	return []form{
		{"ber-outside", detached, nil, s.stamped(archive, s.loose), passed + older},
		{"ber-pieces", detached, nil, s.stamped(archive, flat), passed + older},
		{"ber-deep", detached, nil, s.stamped(archive, deep), passed + older},
		{"ber-cades", cades, nil, s.stamped(archive, flat), passed + " PAdES"},
		{"ber-attributes", detached, nil, s.stamped(archive, attributes), passed + older},
		{"ber-token", cades, nil, func(b signed) ([]byte, error) {
			return s.container(b.digest(crypto.SHA256), archive, s.looseTimestamp), s.err
		}, passed + " PAdES"},
		{"ber-timestamp", timeStamp, pdf.Dict{"Type": pdf.Name("DocTimeStamp")}, func(b signed) ([]byte, error) {
			return flat(s.token(b.digest(crypto.SHA256))), s.err
		}, unproved},
	}
}

// proofForms have their proof elsewhere.
func (s *scribe) proofForms() []form {
	values := func(b signed) []byte {
		return s.container(b.digest(crypto.SHA256), cms.Options{}, s.timestamp, s.values)
	}
	lists := func(d *signedData) {
		var lists []byte
		for _, p := range s.proof() {
			lists = append(lists, p.crl...)
		}
		d.CRLs = asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 1, IsCompound: true, Bytes: lists}
	}
	return []form{
		{"values", cades, nil, func(b signed) ([]byte, error) { return values(b), s.err }, passed + " B-T"},
		{"values-no-issuer", cades, nil, func(b signed) ([]byte, error) {
			return s.edited(values(b), func(d *signedData) {
				d.Certificates.FullBytes, d.Certificates.Bytes = nil, s.who.chain[0].Raw
			}), s.err
		}, passed + " B-T"},
		{"lists", detached, nil, s.stamped(cms.Options{}, s.editing(lists)), unproved + older}, // there is no list about the signer
	}
}

// olderForms sign no attributes, or rest on SHA-1.
func (s *scribe) olderForms(archive cms.Options) []form {
	var dictionary pdf.Array
	for _, c := range s.who.chain {
		dictionary = append(dictionary, pdf.String{Bytes: c.Raw})
	}
	return []form{
		{"bare", detached, nil, func(b signed) ([]byte, error) { return s.bare(b), s.err }, unproved + older},
		{"sha1-inside", insideSHA1, nil, s.carryingDigest(archive), "INDETERMINATE CRYPTO_CONSTRAINTS_FAILURE adbe.pkcs7.sha1"},
		{"rsa-sha1", bareRSA, pdf.Dict{"Cert": dictionary}, func(b signed) ([]byte, error) {
			value := did[[]byte](s)(rsa.SignPKCS1v15(rand.Reader, s.who.key.(*rsa.PrivateKey), crypto.SHA1, b.digest(crypto.SHA1)))
			return did[[]byte](s)(asn1.Marshal(value)), s.err
		}, unproved + " adbe.x509.rsa_sha1"},
	}
}

// oddForms are those that readers do not agree about.
func (s *scribe) oddForms(archive cms.Options) []form {
	twice := func(d *signedData) { d.Signers = append(d.Signers, d.Signers[0]) }
	return []form{
		{"content-same", detached, nil, func(b signed) ([]byte, error) { return s.stamped(carrying(archive, b))(b) }, odd},
		{"content-digest", detached, nil, s.carryingDigest(archive), "TOTAL-FAILED HASH_FAILURE"},
		{"content-other", detached, nil, s.stamped(carrying(archive, []byte("lain"))), "TOTAL-FAILED FORMAT_FAILURE"},
		{"two-signers", detached, nil, s.stamped(archive, s.editing(twice)), odd},
	}
}
