package cms

import (
	"bytes"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"slices"
)

// The structures of RFC 5652, RFC 5035, RFC 6211 and RFC 4055 as encoding/asn1 encodes and parses them. Tests build attacks
// with them, and compare what this package writes and accepts.

type contentInfo struct {
	ContentType asn1.ObjectIdentifier
	Content     asn1.RawValue `asn1:"explicit,tag:0"`
}

type signedData struct {
	Version          int
	DigestAlgorithms []pkix.AlgorithmIdentifier `asn1:"set"`
	EncapContent     encapsulated
	Certificates     asn1.RawValue   `asn1:"optional,tag:0"`
	SignerInfos      []asn1.RawValue `asn1:"set"`
}

type encapsulated struct {
	ContentType asn1.ObjectIdentifier
	Content     asn1.RawValue `asn1:"optional,explicit,tag:0"`
}

type signerInfo struct {
	Version            int
	IssuerSerial       issuerAndSerial
	DigestAlgorithm    pkix.AlgorithmIdentifier
	SignedAttrs        asn1.RawValue `asn1:"optional"`
	SignatureAlgorithm pkix.AlgorithmIdentifier
	Signature          []byte
	UnsignedAttrs      asn1.RawValue `asn1:"optional"`
}

type issuerAndSerial struct {
	Issuer asn1.RawValue
	Serial asn1.RawValue
}

type essCertIDv2 struct {
	HashAlgorithm pkix.AlgorithmIdentifier `asn1:"optional"`
	CertHash      []byte
	IssuerSerial  issuerSerial `asn1:"optional"`
}

type essCertID struct {
	CertHash     []byte
	IssuerSerial issuerSerial `asn1:"optional"`
}

type issuerSerial struct {
	Issuer []asn1.RawValue
	Serial asn1.RawValue
}

type signingCertificateV2 struct {
	Certs    []essCertIDv2
	Policies asn1.RawValue `asn1:"optional"`
}

type signingCertificateV1 struct {
	Certs    []essCertID
	Policies asn1.RawValue `asn1:"optional"`
}

type algorithmProtection struct {
	Digest    pkix.AlgorithmIdentifier
	Signature pkix.AlgorithmIdentifier `asn1:"optional,tag:1"`
}

// marshalSet encodes attributes as encodeSet does.
func marshalSet(attrs []Attribute) ([]byte, error) {
	elements := make([][]byte, len(attrs))
	for i, a := range attrs {
		var err error
		if elements[i], err = asn1.Marshal(a); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(elements, bytes.Compare)
	return asn1.Marshal(asn1.RawValue{Tag: asn1.TagSet, IsCompound: true, Bytes: bytes.Join(elements, nil)})
}

// marshalContainer encodes a container as Finish does.
func (s *Signature) marshalContainer(value []byte, unsigned ...Attribute) ([]byte, error) {
	cert, err := x509.ParseCertificate(s.Chain[0])
	if err != nil {
		return nil, err
	}
	hashID, signID, err := s.Scheme.buildIdentifiers(cert.PublicKey)
	if err != nil {
		return nil, err
	}
	serial, err := asn1.Marshal(cert.SerialNumber)
	if err != nil {
		return nil, err
	}
	si := signerInfo{
		Version: 1, IssuerSerial: issuerAndSerial{asn1.RawValue{FullBytes: cert.RawIssuer}, asn1.RawValue{FullBytes: serial}},
		DigestAlgorithm: hashID, SignatureAlgorithm: signID, Signature: value,
		SignedAttrs: asn1.RawValue{FullBytes: append([]byte{0xA0}, s.Attributes[1:]...)},
	}
	if len(unsigned) > 0 {
		set, err := marshalSet(unsigned)
		if err != nil {
			return nil, err
		}
		si.UnsignedAttrs = asn1.RawValue{FullBytes: append([]byte{0xA1}, set[1:]...)}
	}
	info, err := asn1.Marshal(si)
	if err != nil {
		return nil, err
	}
	sd := signedData{
		Version: 1, DigestAlgorithms: []pkix.AlgorithmIdentifier{hashID}, EncapContent: encapsulated{ContentType: s.ContentType},
		SignerInfos: []asn1.RawValue{{FullBytes: info}},
	}
	if !s.ContentType.Equal(OIDData) {
		sd.Version = 3
	}
	if s.Content != nil {
		octets, err := asn1.Marshal(s.Content)
		if err != nil {
			return nil, err
		}
		sd.EncapContent.Content = asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: octets}
	}
	if !s.OmitCertificates {
		certs := slices.Clone(s.Chain)
		slices.SortFunc(certs, bytes.Compare)
		sd.Certificates = asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: bytes.Join(certs, nil)}
	}
	body, err := asn1.Marshal(sd)
	if err != nil {
		return nil, err
	}
	return asn1.Marshal(contentInfo{OIDSignedData, asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: body}})
}

var errReference = errors.New("encoding/asn1 refuses it")

// referenceParse parses a container with encoding/asn1, as Parse does. It does not parse certificates.
func referenceParse(der []byte) (*SignedData, error) {
	var ci contentInfo
	rest, err := asn1.Unmarshal(der, &ci)
	if err != nil || !ci.ContentType.Equal(OIDSignedData) || len(bytes.Trim(rest, "\x00")) > 0 {
		return nil, errReference
	}
	var sd struct {
		Version          int
		DigestAlgorithms asn1.RawValue
		EncapContent     encapsulated
		Certificates     asn1.RawValue `asn1:"optional,tag:0"`
		CRLs             asn1.RawValue `asn1:"optional,tag:1"`
		SignerInfos      asn1.RawValue
	}
	if rest, err := asn1.Unmarshal(ci.Content.Bytes, &sd); err != nil || len(rest) > 0 || !isSet(sd.DigestAlgorithms) || !isSet(sd.SignerInfos) {
		return nil, errReference
	}
	out := &SignedData{ContentType: sd.EncapContent.ContentType, Size: len(der) - len(rest)}
	if c := sd.EncapContent.Content; len(c.FullBytes) > 0 {
		var octets []byte
		if rest, err := asn1.Unmarshal(c.Bytes, &octets); err != nil || len(rest) > 0 {
			return nil, errReference
		}
		out.Content = append([]byte{}, octets...)
	}
	lists, err := referenceSplit(sd.CRLs.Bytes, MaxCertificates)
	if err != nil {
		return nil, err
	}
	for _, raw := range lists {
		if raw.Class == asn1.ClassUniversal {
			out.CRLs = append(out.CRLs, raw.FullBytes)
		}
	}
	infos, err := referenceSplit(sd.SignerInfos.Bytes, MaxSigners)
	if err != nil {
		return nil, err
	}
	for _, raw := range infos {
		s, err := referenceSigner(raw.FullBytes)
		if err != nil {
			return nil, err
		}
		out.Signers = append(out.Signers, s)
	}
	return out, nil
}

func isSet(v asn1.RawValue) bool {
	return v.Class == asn1.ClassUniversal && v.Tag == asn1.TagSet && v.IsCompound
}

func referenceSplit(der []byte, most int) ([]asn1.RawValue, error) {
	var all []asn1.RawValue
	for len(der) > 0 {
		var raw asn1.RawValue
		rest, err := asn1.Unmarshal(der, &raw)
		if err != nil || len(all) == most {
			return nil, errReference
		}
		all, der = append(all, raw), rest
	}
	return all, nil
}

func referenceSigner(der []byte) (Signer, error) {
	var v struct {
		Version   int
		ID        asn1.RawValue
		Digest    pkix.AlgorithmIdentifier
		Attrs     asn1.RawValue `asn1:"optional,tag:0"`
		Algorithm pkix.AlgorithmIdentifier
		Signature []byte
		Unsigned  asn1.RawValue `asn1:"optional,tag:1"`
	}
	if rest, err := asn1.Unmarshal(der, &v); err != nil || len(rest) > 0 {
		return Signer{}, errReference
	}
	s := Signer{DigestID: v.Digest, SignatureID: v.Algorithm, Signature: v.Signature}
	var err error
	if s.Digest, err = parseHash(v.Digest); err != nil {
		return Signer{}, errReference
	}
	switch {
	case v.ID.Class == asn1.ClassUniversal && v.ID.Tag == asn1.TagSequence:
		id := splitElements(v.ID.Bytes, 3)
		if len(id) != 2 || id[0].tag != tagSequence || id[1].tag != asn1.TagInteger || len(id[1].content) == 0 {
			return Signer{}, errReference
		}
		s.Issuer, s.Serial = id[0].full, parseInteger(id[1].content)
	case v.ID.Class == asn1.ClassContextSpecific && v.ID.Tag == 0:
		s.KeyID = v.ID.Bytes
	default:
		return Signer{}, errReference
	}
	if len(v.Attrs.FullBytes) > 0 {
		s.SignedDER = append([]byte{0x31}, v.Attrs.FullBytes[1:]...)
		if s.Signed, err = referenceAttributes(v.Attrs.Bytes); err != nil {
			return Signer{}, err
		}
	}
	s.Unsigned, err = referenceAttributes(v.Unsigned.Bytes)
	return s, err
}

func referenceAttributes(der []byte) ([]Attribute, error) {
	all, err := referenceSplit(der, MaxAttributes)
	if err != nil {
		return nil, err
	}
	var attrs []Attribute
	for _, raw := range all {
		var a struct {
			Type   asn1.ObjectIdentifier
			Values asn1.RawValue
		}
		if _, err := asn1.Unmarshal(raw.FullBytes, &a); err != nil || !isSet(a.Values) {
			return nil, errReference
		}
		values, err := referenceSplit(a.Values.Bytes, MaxAttributes)
		if err != nil {
			return nil, err
		}
		attrs = append(attrs, Attribute{a.Type, values})
	}
	return attrs, nil
}
