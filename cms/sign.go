package cms

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Signature is a SignedData whose signed attributes are fixed and whose signature value is still missing. The exported
// fields are its complete state, so another process can store and finish it.
type Signature struct {
	ContentType asn1.ObjectIdentifier
	Content     []byte // encapsulated; nil for a detached signature
	Chain       [][]byte
	Scheme      Scheme
	Attributes  []byte // DER SET OF, the bytes that are signed

	OmitCertificates bool // leave the chain out of the container; a time-stamp client may request that
}

// Options of a new signature. The zero value is for PAdES: detached, content type id-data, the default scheme of the
// key.
type Options struct {
	Scheme      Scheme                // zero: SchemeFor the certificate's key
	ContentType asn1.ObjectIdentifier // nil: id-data
	Content     []byte                // encapsulated content; nil: detached
	Attributes  []Attribute           // further signed attributes

	OmitCertificates bool // leave the chain out of the container
}

// Sign builds a complete container with a local key. Digest is the content's, by the scheme's hash, as for
// [NewSignature].
func Sign(random io.Reader, digest []byte, key crypto.Signer, chain []*x509.Certificate, o Options) ([]byte, error) {
	s, err := NewSignature(digest, chain, o)
	if err != nil {
		return nil, err
	}
	value, err := s.Sign(random, key)
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	return s.Finish(value)
}

// NewSignature fixes what will be signed. Digest is the content's, by the scheme's hash; chain begins with the signer's
// certificate and is included completely.
//
// The signed attributes are content-type, message-digest, signing-certificate-v2 and algorithm protection. There is no
// signing-time: PAdES has it in the signature dictionary (ETSI EN 319 142-1).
func NewSignature(digest []byte, chain []*x509.Certificate, o Options) (*Signature, error) {
	if len(chain) == 0 {
		return nil, errors.New("no certificate to sign with")
	}
	scheme := o.Scheme
	if scheme.Hash == 0 {
		usual, err := SchemeFor(chain[0].PublicKey)
		if err != nil {
			return nil, err
		}
		usual.PSS = scheme.PSS
		scheme = usual
	}
	if len(digest) != scheme.Hash.Size() {
		return nil, fmt.Errorf("digest of %d bytes is not a %v", len(digest), scheme.Hash)
	}
	contentType := o.ContentType
	if contentType == nil {
		contentType = OIDData
	}
	s := &Signature{ContentType: contentType, Content: o.Content, Scheme: scheme, OmitCertificates: o.OmitCertificates}
	for _, c := range chain {
		s.Chain = append(s.Chain, c.Raw)
	}
	attrs, err := s.signedAttributes(digest, chain[0])
	if err != nil {
		return nil, err
	}
	s.Attributes, err = encodeSet(append(attrs, o.Attributes...))
	return s, err
}

func (s *Signature) signedAttributes(digest []byte, cert *x509.Certificate) ([]Attribute, error) {
	contentType, err := asn1.Marshal(s.ContentType)
	if err != nil {
		return nil, err
	}
	messageDigest, err := asn1.Marshal(digest)
	if err != nil {
		return nil, err
	}
	signingCertificate, err := newSigningCertificateAttribute(cert)
	if err != nil {
		return nil, err
	}
	hashID, signID, err := s.Scheme.buildIdentifiers(cert.PublicKey)
	if err != nil {
		return nil, err
	}
	protection, err := newAlgorithmProtectionAttribute(hashID, signID)
	if err != nil {
		return nil, err
	}
	return []Attribute{
		NewAttribute(OIDContentType, contentType), NewAttribute(OIDMessageDigest, messageDigest), signingCertificate, protection,
	}, nil
}

// Digest returns what the key signs: the hash of the attributes, or the attributes themselves for Ed25519.
func (s *Signature) Digest() ([]byte, error) {
	cert, err := s.parseSigningCertificate()
	if err != nil {
		return nil, err
	}
	if isEd25519(cert.PublicKey) {
		return s.Attributes, nil
	}
	h := s.Scheme.Hash.New()
	h.Write(s.Attributes)
	return h.Sum(nil), nil
}

// Sign signs with the key and returns the signature value.
func (s *Signature) Sign(random io.Reader, key crypto.Signer) ([]byte, error) {
	cert, err := s.parseSigningCertificate()
	if err != nil {
		return nil, err
	}
	if pub, ok := key.Public().(interface{ Equal(crypto.PublicKey) bool }); !ok || !pub.Equal(cert.PublicKey) {
		return nil, errors.New("the key is not the certificate's")
	}
	digest, err := s.Digest()
	if err != nil {
		return nil, err
	}
	return key.Sign(random, digest, s.Scheme.signerOptions(cert.PublicKey))
}

func (s *Signature) parseSigningCertificate() (*x509.Certificate, error) {
	if len(s.Chain) == 0 {
		return nil, errors.New("no certificate to sign with")
	}
	return ParseCertificate(s.Chain[0])
}

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

// Finish builds the DER container from the signature value and unsigned attributes such as a timestamp.
func (s *Signature) Finish(value []byte, unsigned ...Attribute) ([]byte, error) {
	cert, err := s.parseSigningCertificate()
	if err != nil {
		return nil, err
	}
	info, err := s.signerInfo(cert, value, unsigned)
	if err != nil {
		return nil, err
	}
	hashID, err := HashIdentifier(s.Scheme.Hash)
	if err != nil {
		return nil, err
	}
	sd := signedData{
		Version: 1, DigestAlgorithms: []pkix.AlgorithmIdentifier{hashID}, EncapContent: encapsulated{ContentType: s.ContentType},
		SignerInfos: []asn1.RawValue{{FullBytes: info}},
	}
	if !s.ContentType.Equal(OIDData) {
		sd.Version = 3 // RFC 5652 §5.1: content of another type than id-data
	}
	if s.Content != nil {
		octets, err := asn1.Marshal(s.Content)
		if err != nil {
			return nil, err
		}
		sd.EncapContent.Content = asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: octets}
	}
	if !s.OmitCertificates {
		// CertificateSet is a SET OF, so in DER it is sorted.
		certs := slices.Clone(s.Chain)
		slices.SortFunc(certs, bytes.Compare)
		sd.Certificates = asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: bytes.Join(certs, nil)}
	}
	der, err := asn1.Marshal(sd)
	if err != nil {
		return nil, fmt.Errorf("encode signed data: %w", err)
	}
	return asn1.Marshal(contentInfo{OIDSignedData, asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: der}})
}

func (s *Signature) signerInfo(cert *x509.Certificate, value []byte, unsigned []Attribute) ([]byte, error) {
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
		// Signed with the universal tag, sent as [0] IMPLICIT: only the first byte differs (RFC 5652 §5.4).
		SignedAttrs: asn1.RawValue{FullBytes: append([]byte{0xA0}, s.Attributes[1:]...)},
	}
	if len(unsigned) > 0 {
		set, err := encodeSet(unsigned)
		if err != nil {
			return nil, err
		}
		si.UnsignedAttrs = asn1.RawValue{FullBytes: append([]byte{0xA1}, set[1:]...)}
	}
	return asn1.Marshal(si)
}

// Size returns the maximum size of the container with unsigned attributes whose values have that many bytes in total.
// It is computed from the chain, the attributes and the key type.
func (s *Signature) Size(unsigned int) (int, error) {
	cert, err := s.parseSigningCertificate()
	if err != nil {
		return 0, err
	}
	n, err := signatureLen(cert.PublicKey)
	if err != nil {
		return 0, err
	}
	der, err := s.Finish(make([]byte, n))
	if err != nil {
		return 0, err
	}
	// Lengths of the enclosing elements may each grow by two bytes; an attribute has an identifier and a set.
	const nesting, attribute = 16, 32
	if unsigned > 0 {
		unsigned += attribute
	}
	return len(der) + nesting + unsigned, nil
}

// signatureLen returns the maximum length of a signature value. An ECDSA value is a sequence of two integers.
func signatureLen(pub crypto.PublicKey) (int, error) {
	switch k := pub.(type) {
	case *rsa.PublicKey:
		return k.Size(), nil
	case *ecdsa.PublicKey:
		return 2*((k.Curve.Params().BitSize+7)/8) + 9, nil
	case ed25519.PublicKey:
		return ed25519.SignatureSize, nil
	}
	return 0, fmt.Errorf("%w: key of type %T", ErrAlgorithm, pub)
}
