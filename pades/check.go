package pades

import (
	"bytes"
	"cmp"
	"context"
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"segel/certpath"
	"segel/cms"
	"segel/pdf"
	"segel/tsp"
)

// VerifyTail verifies the signature or document timestamp that a tail adds to the source. The file with the tail must open
// and have the field; /ByteRange must be four numbers that enclose /Contents and reach both ends of the file; the gap
// must hold only hexadecimal digits; the container must sign the digest of these bytes; and its timestamp must cover
// its signature value. With Source.Midstate, VerifyTail hashes the tail only.
//
// The times of a signature must be consistent, because they cannot be corrected later: at the timestamp's time, and by
// the clock, the signing certificate and each of its issuers in the container must be valid; the time-stamp authority's
// certificate must be valid at the timestamp's time; and that time must be near the clock's. VerifyTail does not look at
// trust anchors or at revocation.
//
// Errors: ErrCheck; where times are inconsistent, also a [*ValidityError] or a [*tsp.ClockError].
func VerifyTail(src Source, tail []byte, field string, clock Clock) error {
	_, err := openVerified(src, tail, field, clock)
	return err
}

// openVerified opens the source with the tail, and verifies it; see VerifyTail.
func openVerified(src Source, tail []byte, field string, clock Clock) (*pdf.Document, error) {
	d, err := openSource(src.WithTail(tail))
	if err == nil {
		err = verifyOpened(d, src, tail, field, clock)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: field %q: %w", ErrCheck, field, err)
	}
	return d, nil
}

func verifyOpened(d *pdf.Document, src Source, tail []byte, field string, clock Clock) error {
	signatures, err := d.Signatures()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(signatures, func(s *pdf.Signature) bool { return s.Field.Name == field })
	if i < 0 {
		return errors.New("not signed")
	}
	s := signatures[i]
	at, end, err := findContentsGap(src, tail, s)
	if err != nil {
		return err
	}
	digestOf := func(algorithm crypto.Hash) ([]byte, error) {
		_, h, err := src.hashFile(algorithm)
		if err != nil {
			return nil, err
		}
		h.Write(tail[:at])
		h.Write(tail[end:])
		return h.Sum(nil), nil
	}
	switch s.SubFilter {
	case subFilterSignature:
		return checkSignature(s, digestOf, clock)
	case subFilterTimestamp:
		return checkTimestamp(s, digestOf, clock)
	}
	return fmt.Errorf("/SubFilter is %s", s.SubFilter)
}

// findContentsGap returns the position of the container in the tail, angle brackets included.
func findContentsGap(src Source, tail []byte, s *pdf.Signature) (at, end int, err error) {
	r := s.ByteRange
	size := src.Size + int64(len(tail))
	if len(r) != 4 || r[0] != 0 || r[1] != s.ContentsAt || r[2] != s.ContentsEnd || r[2]+r[3] != size {
		return 0, 0, fmt.Errorf("/ByteRange %v does not enclose /Contents at %d to %d in %d bytes", r, s.ContentsAt, s.ContentsEnd, size)
	}
	if r[1] < src.Size {
		return 0, 0, errors.New("signature is not in the tail")
	}
	at, end = int(r[1]-src.Size), int(r[2]-src.Size)
	digits := bytes.TrimSuffix(bytes.TrimPrefix(tail[at:end], []byte("<")), []byte(">"))
	if len(digits) != end-at-2 {
		return 0, 0, errors.New("/Contents is not a hexadecimal string")
	}
	contents := make([]byte, hex.DecodedLen(len(digits)))
	if _, err := hex.Decode(contents, digits); err != nil || !bytes.Equal(contents, s.Contents) {
		return 0, 0, errors.New("the gap holds more than the hexadecimal digits of /Contents")
	}
	return at, end, nil
}

func checkSignature(s *pdf.Signature, digestOf func(crypto.Hash) ([]byte, error), clock Clock) error {
	sd, err := cms.Parse(s.Contents)
	if err != nil {
		return err
	}
	token, err := verifySignedData(sd, digestOf)
	if err != nil {
		return err
	}
	return clock.checkTimes(sd, token)
}

// verifyOverOwnDigest verifies a container over the digest in its signed attributes, not over the file.
func verifyOverOwnDigest(sd *cms.SignedData) error {
	_, err := verifySignedData(sd, func(crypto.Hash) ([]byte, error) {
		der, ok, err := cms.FindAttributeValue(sd.Signers[0].Signed, cms.OIDMessageDigest)
		if err != nil || !ok || len(der) < 2 || int(der[1]) != len(der)-2 {
			return nil, errors.Join(errors.New("no message digest"), err)
		}
		return der[2:], nil
	})
	return err
}

// verifySignedData verifies the single signature of a detached container and its timestamp, which is nil if there is
// none. DigestOf computes the digest of the content.
func verifySignedData(sd *cms.SignedData, digestOf func(crypto.Hash) ([]byte, error)) (*tsp.Token, error) {
	if len(sd.Signers) != 1 || sd.Content != nil || !sd.ContentType.Equal(cms.OIDData) {
		return nil, errors.New("not a detached signature of one signer")
	}
	signer := sd.Signers[0]
	digest, err := digestOf(signer.Digest)
	if err != nil {
		return nil, err
	}
	if err := sd.Verify(signer, digest); err != nil {
		return nil, err
	}
	if !sd.NamesCertificate(signer) {
		return nil, errors.New("attributes do not name the signer's certificate")
	}
	return parseSignatureTimestamp(signer)
}

// parseSignatureTimestamp returns the token over a signature value, or nil if there is none.
func parseSignatureTimestamp(s cms.Signer) (*tsp.Token, error) {
	der, ok, err := cms.FindAttributeValue(s.Unsigned, cms.OIDSignatureTimestamp)
	if err != nil || !ok {
		return nil, err
	}
	token, err := tsp.Parse(der)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(s.Signature)
	if !token.Covers(digest[:]) {
		return nil, errors.New("timestamp covers something else")
	}
	return token, nil
}

// parseContainer parses the container of one signer, and the timestamp that it is or contains, which is nil if there is
// none. It verifies nothing.
func parseContainer(contents []byte) (*cms.SignedData, *tsp.Token, error) {
	sd, err := cms.Parse(contents)
	if err != nil {
		return nil, nil, err
	}
	if len(sd.Signers) != 1 {
		return sd, nil, fmt.Errorf("%d signers", len(sd.Signers))
	}
	if sd.ContentType.Equal(cms.OIDTSTInfo) {
		token, err := tsp.NewToken(sd)
		return sd, token, err
	}
	token, err := parseSignatureTimestamp(sd.Signers[0])
	return sd, token, err
}

func checkTimestamp(s *pdf.Signature, digestOf func(crypto.Hash) ([]byte, error), clock Clock) error {
	if s.Type != "DocTimeStamp" {
		return fmt.Errorf("timestamp of type %s", s.Type)
	}
	token, err := tsp.Parse(s.Contents)
	if err != nil {
		return err
	}
	digest, err := digestOf(crypto.SHA256)
	if err != nil {
		return err
	}
	if !token.Covers(digest) {
		return errors.New("document timestamp covers something else")
	}
	return clock.checkTokenTime(token)
}

// Clock is the reference for the times of a new signature.
type Clock struct {
	Now       func() time.Time // nil: times are not compared with a clock
	Tolerance time.Duration    // maximum difference between a timestamp and Now; 0 is [cms.ClockSkew]
}

// ValidityError is a certificate that is not valid at a time at which the signature needs it.
type ValidityError struct {
	Certificate *x509.Certificate
	At          time.Time
	Local       bool // At is the local clock's time, not a timestamp's
}

func (e *ValidityError) Error() string {
	by := "its timestamp"
	if e.Local {
		by = "the local clock"
	}
	c := e.Certificate
	return fmt.Sprintf("certificate of %q is valid from %s to %s, not at %s by %s", c.Subject.CommonName,
		c.NotBefore.UTC().Format(time.RFC3339), c.NotAfter.UTC().Format(time.RFC3339), e.At.UTC().Format(time.RFC3339), by)
}

// requireValidAt returns an error unless all certificates are valid at the given time.
func requireValidAt(at time.Time, local bool, chain ...*x509.Certificate) error {
	for _, c := range chain {
		if at.Before(c.NotBefore) || at.After(c.NotAfter) {
			return &ValidityError{c, at, local}
		}
	}
	return nil
}

// checkTimes checks that the times of a signature are consistent. Token is nil if there is none.
func (c Clock) checkTimes(sd *cms.SignedData, token *tsp.Token) error {
	paths := certpath.NewBuilder(&certpath.Anchors{}, certpath.Limits{})
	paths.Add(sd.Certificates...)
	chain := paths.BuildPath(context.Background(), sd.Certificate(sd.Signers[0]), nil) // without a source, nothing is fetched
	if token != nil {
		if err := c.checkTokenTime(token); err != nil {
			return err
		}
		if err := requireValidAt(token.Time, false, chain...); err != nil {
			return err
		}
	}
	if c.Now == nil {
		return nil
	}
	return requireValidAt(c.Now(), true, chain...)
}

// checkTokenTime checks that a timestamp is recent and that its authority's certificate was valid at its time.
func (c Clock) checkTokenTime(t *tsp.Token) error {
	if err := requireValidAt(t.Time, false, t.Authority); err != nil {
		return err
	}
	if c.Now == nil {
		return nil
	}
	return t.CheckClock(c.Now(), cmp.Or(c.Tolerance, cms.ClockSkew))
}
