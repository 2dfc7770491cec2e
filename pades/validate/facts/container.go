package facts

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"slices"

	"segel/cms"
	"segel/der"
	"segel/pdf"
	"segel/tsp"
)

// parseContainer parses the container and requests the digests needed to verify it.
func (s *Signature) parseContainer(r *reader) {
	switch s.Form {
	case FormRSA:
		s.parseRSA(r)
		return
	case FormUnknown:
		s.Odd = append(s.Odd, Reason{UnknownForm, string(s.SubFilter)})
	}
	if s.Container, s.ContainerErr = cms.Parse(s.Contents); errors.Is(s.ContainerErr, cms.ErrMalformed) {
		s.parseBER()
	}
	if s.ContainerErr != nil {
		return
	}
	s.Certificates, s.Refused = s.Container.Certificates, s.Container.Refused
	if s.Form == FormRFC3161 { // with the certificates of the token alone
		s.Token, s.TokenErr = tsp.NewToken(s.Container)
	}
	if len(s.Container.Signers) > 0 {
		s.Info = &s.Container.Signers[0]
		s.Signer = s.Container.Certificate(*s.Info)
		if s.Signer == nil {
			s.findSignerCertificate(r)
		}
	}
	if len(s.Container.Signers) != 1 {
		s.Odd = append(s.Odd, Reason{SeveralSigners, fmt.Sprintf("%d signers", len(s.Container.Signers))})
	}
	switch {
	case s.Form == FormRFC3161:
		if s.Token != nil {
			s.Digest, s.Stated = s.Token.Hash, s.Token.Imprint
		}
	case s.Form == FormSHA1:
		s.Digest, s.Stated = crypto.SHA1, s.Container.Content
	case s.Info != nil:
		s.Digest = s.Info.Digest
		s.Stated = messageDigest(s.Info)
		if s.Container.Content != nil {
			s.Odd = append(s.Odd, Reason{EncapsulatedContent, fmt.Sprintf("%d bytes", len(s.Container.Content))})
		}
	}
	s.requestDigest(s.Digest)
}

// parseBER parses a container in BER, as older signers wrote it. The signed parts have to be DER and are verified as they
// are.
func (s *Signature) parseBER() {
	der, changed, err := cms.ConvertToDER(s.Contents)
	if err != nil || !changed {
		return
	}
	if s.Container, s.ContainerErr = cms.Parse(der); s.ContainerErr == nil {
		s.Odd = append(s.Odd, Reason{BasicEncoding, ""})
	}
}

// parseRSA reads the form with the certificate in the dictionary (ISO 32000-2 §12.8.3.2).
func (s *Signature) parseRSA(r *reader) {
	s.Digest = crypto.SHA1
	s.Certificates, s.Refused = r.dictionaryCertificates(s.dict)
	if len(s.Certificates) > 0 {
		s.Signer = s.Certificates[0]
	}
	if rest, err := asn1.Unmarshal(s.Contents, &s.rsaValue); err != nil || len(bytes.Trim(rest, "\x00")) > 0 {
		s.ContainerErr = fmt.Errorf("%w: no octet string", cms.ErrMalformed)
		return
	}
	s.requestDigest(s.Digest)
}

// dictionaryCertificates reads /Cert of a signature dictionary: one byte string, or an array of them, the signer's
// first. Refused says why certificates were left out.
func (r *reader) dictionaryCertificates(dict pdf.Dict) (certs []*x509.Certificate, refused []error) {
	list, err := r.d.Array(dict["Cert"])
	if err != nil {
		list = pdf.Array{dict["Cert"]}
	}
	for _, o := range list[:min(len(list), cms.MaxCertificates)] {
		v, err := r.d.String(o)
		if err != nil || len(v.Bytes) == 0 {
			continue
		}
		c, err := usableCertificate(bytes.TrimRight(v.Bytes, "\x00"))
		if err != nil {
			refused = append(refused, err)
			continue
		}
		certs = append(certs, c)
	}
	return certs, refused
}

// usableCertificate parses a certificate and refuses keys that are too expensive to verify with.
func usableCertificate(der []byte) (*x509.Certificate, error) {
	c, err := cms.ParseCertificate(der)
	if err == nil {
		err = cms.CheckKey(c.PublicKey)
	}
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	return c, nil
}

// findSignerCertificate looks for the signer's certificate in the dictionary and in the document security store, for a
// container without it.
func (s *Signature) findSignerCertificate(r *reader) {
	known, refused := r.dictionaryCertificates(s.dict)
	s.Refused = append(s.Refused, refused...)
	for _, p := range r.storedCertificates() {
		if c, err := usableCertificate(p.DER); err == nil {
			known = append(known, c)
		}
	}
	s.Signer = (&cms.SignedData{Certificates: known}).Certificate(*s.Info)
	if s.Signer != nil {
		s.Container.Certificates = append(s.Container.Certificates, s.Signer)
		s.Certificates = s.Container.Certificates
	}
}

// messageDigest returns the digest in the signed attributes, or nil.
func messageDigest(s *cms.Signer) []byte {
	value, ok, err := cms.FindAttributeValue(s.Signed, cms.OIDMessageDigest)
	if err != nil || !ok {
		return nil
	}
	r := der.NewReader(value)
	if digest := r.ReadContent(der.TagOctetString); r.Complete() {
		return digest
	}
	return nil
}

// verifySignatures verifies each signature with the computed digests.
func (r *reader) verifySignatures() error {
	for _, s := range r.file.Signatures {
		s.Computed = s.computedDigest(s.Digest)
		s.Integrity = s.verifyIntegrity()
		s.readTokens()
		if err := r.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// verifyIntegrity verifies the digest and the signature value.
func (s *Signature) verifyIntegrity() error {
	switch {
	case s.ContainerErr != nil:
		if errors.Is(s.ContainerErr, cms.ErrAlgorithm) {
			return fmt.Errorf("%w: %w", ErrAlgorithm, s.ContainerErr)
		}
		return fmt.Errorf("%w: %w", ErrContainer, s.ContainerErr)
	case s.Form == FormRFC3161 && s.Token == nil:
		return wrapVerifyError(s.TokenErr)
	case s.Signer == nil:
		return errors.Join(append([]error{ErrNoSigner}, s.Refused...)...)
	case s.Digest == 0 || !s.Digest.Available():
		return fmt.Errorf("%w: hash", ErrAlgorithm)
	case s.Computed == nil:
		return ErrNotComputed
	}
	switch s.Form {
	case FormRSA:
		return wrapVerifyError(cms.VerifyRSA(s.Signer, s.Computed, s.rsaValue))
	case FormRFC3161:
		if !bytes.Equal(s.Computed, s.Stated) {
			return ErrDigest
		}
		return wrapVerifyError(s.TokenErr)
	case FormSHA1:
		if !bytes.Equal(s.Computed, s.Stated) {
			return ErrDigest
		}
		return wrapVerifyError(s.Container.VerifyLegacy(*s.Info, hashBytes(s.Info.Digest, s.Container.Content)))
	}
	if s.Info.SignedDER != nil && !bytes.Equal(s.Computed, s.Stated) {
		return ErrDigest
	}
	if c := s.Container.Content; c != nil && !bytes.Equal(hashBytes(s.Digest, c), s.Computed) {
		return fmt.Errorf("%w: the content of the container differs from the file", ErrAttributes)
	}
	if s.Info.SignedDER == nil {
		s.Odd = append(s.Odd, Reason{BareSignature, ""})
	}
	return wrapVerifyError(s.Container.VerifyLegacy(*s.Info, s.Computed))
}

func hashBytes(h crypto.Hash, b []byte) []byte {
	if !h.Available() {
		return nil
	}
	d := h.New()
	d.Write(b)
	return d.Sum(nil)
}

// wrapVerifyError wraps a verification error in one of the errors of this package.
func wrapVerifyError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, cms.ErrAlgorithm):
		return fmt.Errorf("%w: %w", ErrAlgorithm, err)
	case errors.Is(err, cms.ErrSignature):
		return fmt.Errorf("%w: %w", ErrValue, err)
	case errors.Is(err, cms.ErrNoCertificate):
		return fmt.Errorf("%w: %w", ErrNoSigner, err)
	case errors.Is(err, cms.ErrMalformed), errors.Is(err, tsp.ErrMalformed):
		return fmt.Errorf("%w: %w", ErrContainer, err)
	}
	return fmt.Errorf("%w: %w", ErrAttributes, err)
}

// readTokens parses the signature timestamps and compares each with the signature value.
func (s *Signature) readTokens() {
	if s.Info == nil || s.Kind == Timestamp {
		return
	}
	for _, a := range s.Info.Unsigned {
		if !a.Type.Equal(cms.OIDSignatureTimestamp) {
			continue
		}
		for _, v := range a.Values {
			t := Token{DER: v.FullBytes}
			var basic bool
			if t.Token, basic, t.Err = tsp.ParseLenient(v.FullBytes); t.Err == nil && !bytes.Equal(hashBytes(t.Token.Hash, s.Info.Signature), t.Token.Imprint) {
				t.Err = ErrDigest
			}
			if basic && !slices.Contains(s.Odd, Reason{BasicEncoding, ""}) {
				s.Odd = append(s.Odd, Reason{BasicEncoding, ""})
			}
			s.Tokens = append(s.Tokens, t)
		}
	}
}
