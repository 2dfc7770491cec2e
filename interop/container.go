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
	"math/big"
	"slices"

	"segel/cms"
)

// containerBuilder writes containers. Its first error stays.
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

// signedData is a container as far as it is edited here.
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

// buildContainer signs a digest, with unsigned attributes.
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

// editContainer changes a container.
func (s *containerBuilder) editContainer(der []byte, edit func(*signedData)) []byte {
	var c contentInfo
	_, err := asn1.Unmarshal(der, &c)
	s.err = errors.Join(s.err, err)
	edit(&c.Data)
	return collectError[[]byte](s)(asn1.Marshal(c))
}

// signWithoutAttributes signs the file itself: no attributes are signed.
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

// issueToken is a timestamp of a digest.
func (s *containerBuilder) issueToken(digest []byte) []byte {
	return collectError[[]byte](s)(s.pki.authority.Timestamper().Timestamp(context.Background(), digest))
}

// buildTimestamp is the attribute with a token about a signature value.
func (s *containerBuilder) buildTimestamp(_ *cms.Signature, value []byte) []cms.Attribute {
	return []cms.Attribute{cms.NewAttribute(cms.OIDSignatureTimestamp, s.issueToken(signedBytes(value).computeDigest(crypto.SHA256)))}
}

// useIndefiniteLength marks the ends of the outer elements of a container instead of telling their lengths.
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

// buildBERTimestamp has a token of which the outermost element alone tells its length, so that the container around it is
// DER.
func (s *containerBuilder) buildBERTimestamp(c *cms.Signature, value []byte) []cms.Attribute {
	a := s.buildTimestamp(c, value)[0]
	b := s.useIndefiniteLength(a.Values[0].FullBytes)
	whole := collectError[[]byte](s)(asn1.Marshal(asn1.RawValue{Tag: asn1.TagSequence, IsCompound: true, Bytes: b[2 : len(b)-2]}))
	return []cms.Attribute{cms.NewAttribute(a.Type, whole)}
}

// encodePieces writes a container by the basic rules, but for what has to be DER: certificates and signed attributes. Flat, it
// leaves the signer's name and the token as they are too: pyHanko's reader takes no marked end there, nor ten of them within
// each other.
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

// revocationData is proof about one certificate: one of the two.
type revocationData struct{ ocsp, crl []byte }

// collectRevocationData is about everybody that a signature with a timestamp rests on.
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

// buildArchivalAttribute is the attribute adbe-revocationInfoArchival: proof that is signed along.
func (s *containerBuilder) buildArchivalAttribute() cms.Attribute {
	var v struct {
		CRLs      []asn1.RawValue `asn1:"optional,explicit,tag:0"`
		Responses []asn1.RawValue `asn1:"optional,explicit,tag:1"`
	}
	for _, p := range s.collectRevocationData() {
		if p.ocsp != nil {
			v.Responses = append(v.Responses, asn1.RawValue{FullBytes: p.ocsp})
		}
		if p.crl != nil {
			v.CRLs = append(v.CRLs, asn1.RawValue{FullBytes: p.crl})
		}
	}
	return cms.NewAttribute(asn1.ObjectIdentifier{1, 2, 840, 113583, 1, 1, 8}, collectError[[]byte](s)(asn1.Marshal(v)))
}

// buildValuesAttributes are the unsigned attributes certificate-values and revocation-values.
func (s *containerBuilder) buildValuesAttributes(*cms.Signature, []byte) []cms.Attribute {
	var certs []asn1.RawValue
	for _, c := range append(slices.Clone(s.signer.chain[1:]), s.pki.authority.Timestamper().Chain...) {
		certs = append(certs, asn1.RawValue{FullBytes: c.Raw})
	}
	var v struct {
		CRLs      []asn1.RawValue `asn1:"optional,explicit,tag:0"`
		Responses []asn1.RawValue `asn1:"optional,explicit,tag:1"`
	}
	for _, p := range s.collectRevocationData() {
		if p.crl != nil {
			v.CRLs = append(v.CRLs, asn1.RawValue{FullBytes: p.crl})
		}
		if p.ocsp == nil {
			continue
		}
		var response struct { // without what the responder sent it in (RFC 5126 §6.3.4)
			Status asn1.Enumerated
			Bytes  struct {
				Type  asn1.ObjectIdentifier
				Basic []byte
			} `asn1:"explicit,tag:0"`
		}
		_, err := asn1.Unmarshal(p.ocsp, &response)
		s.err = errors.Join(s.err, err)
		v.Responses = append(v.Responses, asn1.RawValue{FullBytes: response.Bytes.Basic})
	}
	return []cms.Attribute{
		cms.NewAttribute(asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 23}, collectError[[]byte](s)(asn1.Marshal(certs))),
		cms.NewAttribute(asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 24}, collectError[[]byte](s)(asn1.Marshal(v))),
	}
}
