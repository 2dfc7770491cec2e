package main

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"segel/cms"
	"segel/pdf"
)

// containerBuilder builds CMS containers in unusual forms. It keeps its first error.
type containerBuilder struct {
	pki    *pki
	signer signer
	err    error
}

func collectError[T any](s *containerBuilder) func(v T, err error) T {
	return func(v T, err error) T {
		s.err = errors.Join(s.err, err)
		return v
	}
}

// signedData is a SignedData with the parts that are edited here.
type signedData struct {
	Version      int
	Digests      []pkix.AlgorithmIdentifier `asn1:"set"`
	Content      asn1.RawValue
	Certificates asn1.RawValue   `asn1:"optional,tag:0"`
	CRLs         asn1.RawValue   `asn1:"optional,tag:1"`
	Signers      []asn1.RawValue `asn1:"set"`
}

type contentInfo struct {
	Type asn1.ObjectIdentifier
	Data signedData `asn1:"explicit,tag:0"`
}

// buildContainer signs a digest and adds unsigned attributes.
func (s *containerBuilder) buildContainer(digest []byte, o cms.Options, with ...func(*cms.Signature, []byte) []cms.Attribute) []byte {
	if s.err != nil {
		return nil
	}
	c := collectError[*cms.Signature](s)(cms.NewSignature(digest, s.signer.chain, o))
	if s.err != nil {
		return nil
	}
	value := collectError[[]byte](s)(c.Sign(rand.Reader, s.signer.key))
	var unsigned []cms.Attribute
	for _, w := range with {
		unsigned = append(unsigned, w(c, value)...)
	}
	return collectError[[]byte](s)(c.Finish(value, unsigned...))
}

// editContainer edits a container.
func (s *containerBuilder) editContainer(der []byte, edit func(*signedData)) []byte {
	var c contentInfo
	_, err := asn1.Unmarshal(der, &c)
	s.err = errors.Join(s.err, err)
	edit(&c.Data)
	return collectError[[]byte](s)(asn1.Marshal(c))
}

// signWithoutAttributes signs the file itself, without signed attributes.
func (s *containerBuilder) signWithoutAttributes(b signedBytes) []byte {
	value := collectError[[]byte](s)(s.signer.key.Sign(rand.Reader, b.computeDigest(crypto.SHA256), crypto.SHA256))
	return s.editContainer(s.buildContainer(b.computeDigest(crypto.SHA256), cms.Options{}), func(d *signedData) {
		type signerInfo struct {
			Version   int
			ID        asn1.RawValue
			Digest    pkix.AlgorithmIdentifier
			Signed    asn1.RawValue `asn1:"optional,tag:0"`
			Algorithm pkix.AlgorithmIdentifier
			Value     []byte
		}
		var i signerInfo
		_, err := asn1.Unmarshal(d.Signers[0].FullBytes, &i)
		s.err = errors.Join(s.err, err)
		i.Signed, i.Value = asn1.RawValue{}, value
		d.Signers = []asn1.RawValue{{FullBytes: collectError[[]byte](s)(asn1.Marshal(i))}}
	})
}

// issueToken issues a timestamp token over a digest.
func (s *containerBuilder) issueToken(digest []byte) []byte {
	return collectError[[]byte](s)(s.pki.authority.Timestamper().Timestamp(context.Background(), digest))
}

// buildTimestamp returns the attribute with a token over a signature value.
func (s *containerBuilder) buildTimestamp(_ *cms.Signature, value []byte) []cms.Attribute {
	return []cms.Attribute{cms.NewAttribute(cms.OIDSignatureTimestamp, s.issueToken(signedBytes(value).computeDigest(crypto.SHA256)))}
}

// useIndefiniteLength gives the outer elements of a container indefinite lengths.
func (s *containerBuilder) useIndefiniteLength(der []byte) []byte {
	var outer struct {
		Type    asn1.RawValue
		Content asn1.RawValue `asn1:"tag:0"`
	}
	var inner asn1.RawValue
	_, err := asn1.Unmarshal(der, &outer)
	if err == nil {
		_, err = asn1.Unmarshal(outer.Content.Bytes, &inner)
	}
	s.err = errors.Join(s.err, err)
	return slices.Concat([]byte{0x30, 0x80}, outer.Type.FullBytes, []byte{0xa0, 0x80, 0x30, 0x80}, inner.Bytes, make([]byte, 6))
}

// buildBERTimestamp returns a timestamp attribute whose token is BER except for its outermost length, so that the
// container around it stays DER.
func (s *containerBuilder) buildBERTimestamp(c *cms.Signature, value []byte) []cms.Attribute {
	a := s.buildTimestamp(c, value)[0]
	b := s.useIndefiniteLength(a.Values[0].FullBytes)
	whole := collectError[[]byte](s)(asn1.Marshal(asn1.RawValue{Tag: asn1.TagSequence, IsCompound: true, Bytes: b[2 : len(b)-2]}))
	return []cms.Attribute{cms.NewAttribute(a.Type, whole)}
}

// encodePieces encodes a container as BER, except for the parts that must be DER: certificates and signed attributes.
// With flat, the signer's name and the token stay DER too: pyHanko's parser accepts neither an indefinite length there
// nor ten nested ones.
func (s *containerBuilder) encodePieces(der []byte, flat bool) []byte {
	keep := s.listCertificates()
	sd := collectError[*cms.SignedData](s)(cms.Parse(der))
	for sd != nil && len(sd.Signers) > 0 {
		for _, c := range sd.Certificates {
			keep = append(keep, c.Raw)
		}
		keep = append(keep, append([]byte{0xa0}, sd.Signers[0].SignedDER[1:]...))
		if flat {
			id := struct {
				Issuer asn1.RawValue
				Serial *big.Int
			}{asn1.RawValue{FullBytes: sd.Signers[0].Issuer}, sd.Signers[0].Serial}
			keep = append(keep, collectError[[]byte](s)(asn1.Marshal(id)))
		}
		token, ok, err := cms.FindAttributeValue(sd.Signers[0].Unsigned, cms.OIDSignatureTimestamp)
		if err != nil || !ok {
			break
		}
		if flat {
			keep = append(keep, token)
			break
		}
		sd = collectError[*cms.SignedData](s)(cms.Parse(token))
	}
	return collectError[[]byte](s)(encodeBER(der, keep...))
}

func (s *containerBuilder) listCertificates() (all [][]byte) {
	for _, c := range s.signer.chain {
		all = append(all, c.Raw)
	}
	return all
}

// revocationData is revocation data about one certificate: either an OCSP response or a CRL.
type revocationData struct{ ocsp, crl []byte }

// collectRevocationData returns revocation data about all certificates of a signature with a timestamp.
func (s *containerBuilder) collectRevocationData() (all []revocationData) {
	about := func(chain []*x509.Certificate) {
		chain = append(slices.Clone(chain), s.pki.authority.Root())
		for i, c := range chain[:len(chain)-1] {
			if bytes.Equal(c.Raw, chain[i+1].Raw) {
				break
			}
			m, err := s.pki.authority.Revocation(context.Background(), c, chain[i+1])
			s.err = errors.Join(s.err, err)
			all = append(all, revocationData{m.OCSP, m.CRL})
		}
	}
	about(s.signer.chain)
	about(s.pki.authority.Timestamper().Chain)
	return all
}

// encodeRevocationValues encodes all revocation data as [0] CRLs and [1] OCSP responses.
func (s *containerBuilder) encodeRevocationValues(response func(ocsp []byte) []byte) []byte {
	var v struct {
		CRLs      []asn1.RawValue `asn1:"optional,explicit,tag:0"`
		Responses []asn1.RawValue `asn1:"optional,explicit,tag:1"`
	}
	for _, p := range s.collectRevocationData() {
		if p.crl != nil {
			v.CRLs = append(v.CRLs, asn1.RawValue{FullBytes: p.crl})
		}
		if p.ocsp != nil {
			v.Responses = append(v.Responses, asn1.RawValue{FullBytes: response(p.ocsp)})
		}
	}
	return collectError[[]byte](s)(asn1.Marshal(v))
}

// buildArchivalAttribute returns the signed attribute adbe-revocationInfoArchival.
func (s *containerBuilder) buildArchivalAttribute() cms.Attribute {
	all := s.encodeRevocationValues(func(ocsp []byte) []byte { return ocsp })
	return cms.NewAttribute(asn1.ObjectIdentifier{1, 2, 840, 113583, 1, 1, 8}, all)
}

// buildValuesAttributes returns the unsigned attributes certificate-values and revocation-values.
func (s *containerBuilder) buildValuesAttributes(*cms.Signature, []byte) []cms.Attribute {
	var certs []asn1.RawValue
	for _, c := range append(slices.Clone(s.signer.chain[1:]), s.pki.authority.Timestamper().Chain...) {
		certs = append(certs, asn1.RawValue{FullBytes: c.Raw})
	}
	all := s.encodeRevocationValues(func(ocsp []byte) []byte {
		var response struct { // OCSPResponse without its wrapper (RFC 5126 §6.3.4)
			Status asn1.Enumerated
			Bytes  struct {
				Type  asn1.ObjectIdentifier
				Basic []byte
			} `asn1:"explicit,tag:0"`
		}
		_, err := asn1.Unmarshal(ocsp, &response)
		s.err = errors.Join(s.err, err)
		return response.Bytes.Basic
	})
	return []cms.Attribute{
		cms.NewAttribute(asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 23}, collectError[[]byte](s)(asn1.Marshal(certs))),
		cms.NewAttribute(asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 24}, all),
	}
}

// signedBytes are the bytes of a file that a signature covers.
type signedBytes []byte

func (s signedBytes) computeDigest(h crypto.Hash) []byte {
	d := h.New()
	d.Write(s)
	return d.Sum(nil)
}

// addForm signs field A with any form of signature dictionary; contents builds the value of /Contents.
func (p *testFile) addForm(subFilter pdf.Name, more pdf.Dict, contents func(signedBytes) ([]byte, error)) *testFile {
	if p.err != nil {
		return p
	}
	tail, err := p.buildFormTail(subFilter, more, contents)
	if err != nil {
		p.err = fmt.Errorf("form %s: %w", subFilter, err)
		return p
	}
	p.b, p.state = append(p.b, tail...), nil
	return p
}

func (p *testFile) buildFormTail(subFilter pdf.Name, more pdf.Dict, contents func(signedBytes) ([]byte, error)) ([]byte, error) {
	d, err := openPDF(p.b)
	if err != nil {
		return nil, err
	}
	fields, err := d.Fields()
	if err != nil {
		return nil, err
	}
	u := d.NewUpdate()
	byteRange, hole := &pdf.Hole{Len: 60}, &pdf.Hole{Len: 30002, Hex: true}
	value := pdf.Dict{
		"Type": pdf.Name("Sig"), "Filter": pdf.Name("Adobe.PPKLite"), "SubFilter": subFilter, "ByteRange": byteRange, "Contents": hole,
		"M": pdf.String{Bytes: []byte(time.Now().UTC().Format("D:20060102150405Z"))},
	}
	for k, v := range more {
		value[k] = v
	}
	if value["Type"] == pdf.Name("DocTimeStamp") {
		delete(value, "M")
	}
	field, err := u.Edit(fields[0].Ref)
	if err != nil {
		return nil, err
	}
	field["V"] = u.Add(value)
	tail, err := u.Build()
	if err != nil {
		return nil, err
	}
	at, length, err := tail.Hole(hole)
	if err != nil {
		return nil, err
	}
	end, after := tail.At+int64(len(tail.Bytes)), at+int64(length)
	if err := tail.Fill(byteRange, fmt.Appendf(nil, "[0 %d %d %d]", at, after, end-after)); err != nil {
		return nil, err
	}
	whole := append(slices.Clone(p.b), tail.Bytes...)
	b, err := contents(slices.Concat(whole[:at], whole[after:]))
	if err != nil {
		return nil, err
	}
	return tail.Bytes, tail.Fill(hole, b)
}

// encodeBER converts DER to BER: indefinite or overlong lengths, and segmented octet strings. Elements listed in keep
// stay as they are.
func encodeBER(der []byte, keep ...[]byte) ([]byte, error) {
	var out []byte
	for len(der) > 0 {
		var v asn1.RawValue
		rest, err := asn1.Unmarshal(der, &v)
		if err != nil {
			return nil, err
		}
		der = rest
		switch first := v.FullBytes[0]; {
		case slices.ContainsFunc(keep, func(k []byte) bool { return bytes.Equal(k, v.FullBytes) }):
			out = append(out, v.FullBytes...)
		case v.IsCompound:
			inner, err := encodeBER(v.Bytes, keep...)
			if err != nil {
				return nil, err
			}
			out = slices.Concat(out, []byte{first, 0x80}, inner, []byte{0, 0})
		case v.Class == asn1.ClassUniversal && v.Tag == asn1.TagOctetString && len(v.Bytes) > 1:
			half := len(v.Bytes) / 2
			out = append(out, 0x24, 0x80)
			for _, piece := range [][]byte{v.Bytes[:half], v.Bytes[half:]} {
				out = append(out, 0x04, 0x82, byte(len(piece)>>8), byte(len(piece)))
				out = append(out, piece...)
			}
			out = append(out, 0, 0)
		default:
			out = append(out, first, 0x82, byte(len(v.Bytes)>>8), byte(len(v.Bytes)))
			out = append(out, v.Bytes...)
		}
	}
	return out, nil
}
