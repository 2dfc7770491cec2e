package cms

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"io"
	"slices"

	"segel/der"
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
	s.Attributes, err = encodeSet(der.TagSet, append(attrs, o.Attributes...))
	return s, err
}

func (s *Signature) signedAttributes(digest []byte, cert *x509.Certificate) ([]Attribute, error) {
	contentType, err := der.EncodeOID(s.ContentType)
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
		NewAttribute(OIDContentType, contentType), NewAttribute(OIDMessageDigest, der.EncodeElement(der.TagOctetString, digest)),
		newSigningCertificateAttribute(cert), protection,
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

// Finish builds the DER container from the signature value and unsigned attributes such as a timestamp.
func (s *Signature) Finish(value []byte, unsigned ...Attribute) ([]byte, error) {
	cert, err := s.parseSigningCertificate()
	if err != nil {
		return nil, err
	}
	info, hash, err := s.encodeSignerInfo(cert, value, unsigned)
	if err != nil {
		return nil, err
	}
	contentType, err := der.EncodeOID(s.ContentType)
	if err != nil {
		return nil, fmt.Errorf("encode signed data: %w", err)
	}
	version := byte(1)
	if !s.ContentType.Equal(OIDData) {
		version = 3 // RFC 5652 §5.1: content of another type than id-data
	}
	var content, certificates []byte
	if s.Content != nil {
		content = der.EncodeElement(der.TagContext, der.EncodeElement(der.TagOctetString, s.Content))
	}
	if !s.OmitCertificates {
		certificates = der.EncodeSetOf(der.TagContext, slices.Clone(s.Chain))
	}
	return der.EncodeElement(der.TagSequence, // ContentInfo
		derSignedData,
		der.EncodeElement(der.TagContext, der.EncodeElement(der.TagSequence, // SignedData
			encodeVersion(version),
			der.EncodeElement(der.TagSet, hash),
			der.EncodeElement(der.TagSequence, contentType, content),
			certificates,
			der.EncodeElement(der.TagSet, info)))), nil
}

// encodeSignerInfo returns the SignerInfo, and the identifier of its hash.
func (s *Signature) encodeSignerInfo(cert *x509.Certificate, value []byte, unsigned []Attribute) (info, hash []byte, err error) {
	hashID, signatureID, err := s.Scheme.buildIdentifiers(cert.PublicKey)
	if err != nil {
		return nil, nil, err
	}
	if hash, err = der.EncodeAlgorithm(der.TagSequence, hashID); err != nil {
		return nil, nil, err
	}
	signature, err := der.EncodeAlgorithm(der.TagSequence, signatureID)
	if err != nil {
		return nil, nil, err
	}
	var further []byte
	if len(unsigned) > 0 {
		if further, err = encodeSet(der.TagContext|1, unsigned); err != nil {
			return nil, nil, err
		}
	}
	return der.EncodeElement(der.TagSequence,
		encodeVersion(1),
		der.EncodeElement(der.TagSequence, cert.RawIssuer, der.EncodeInteger(cert.SerialNumber)),
		hash,
		// Signed with the universal tag, sent as [0] IMPLICIT: only the first byte differs (RFC 5652 §5.4).
		[]byte{der.TagContext}, s.Attributes[1:],
		signature,
		der.EncodeElement(der.TagOctetString, value),
		further), hash, nil
}

func encodeVersion(n byte) []byte { return []byte{der.TagInteger, 1, n} }

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
	container, err := s.Finish(make([]byte, n))
	if err != nil {
		return 0, err
	}
	// Lengths of the enclosing elements may each grow by two bytes; an attribute has an identifier and a set.
	const nesting, attribute = 16, 32
	if unsigned > 0 {
		unsigned += attribute
	}
	return len(container) + nesting + unsigned, nil
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
