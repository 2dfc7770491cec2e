package pades

import (
	"bytes"
	"crypto"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"segel/cms"
	"segel/pdf"
	"segel/tsp"
)

// Check verifies the signature or document timestamp that a tail adds to the source: that the file with the tail
// opens and has the field, that /ByteRange is four numbers that go round /Contents and reach both ends, that the
// gap is nothing but hexadecimal digits, that the container signs the digest of these bytes, and that its
// timestamp is about its signature value. With Source.State it hashes the tail only.
//
// The times of a signature have to fit together, since nothing can put them right later: at the timestamp's time, and by
// the clock, the signing certificate and every issuer of it in the container is valid; the time-stamp authority's
// certificate is valid at the timestamp's time; and that time is near the clock's. Whom the certificates lead to, and
// whether one was revoked, is not looked at.
//
// What does not hold is ErrCheck; it is a [*ValidityError] or a [*tsp.ClockError] besides where times do not fit.
func Check(src Source, tail []byte, field string, clock Clock) error {
	if err := checkTail(src, tail, field, clock); err != nil {
		return fmt.Errorf("%w: field %q: %w", ErrCheck, field, err)
	}
	return nil
}

func checkTail(src Source, tail []byte, field string, clock Clock) error {
	d, err := openSource(src.WithTail(tail))
	if err != nil {
		return err
	}
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
	over := func(algorithm crypto.Hash) ([]byte, error) {
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
		return checkSignature(s, over, clock)
	case subFilterTimestamp:
		return checkTimestamp(s, over, clock)
	}
	return fmt.Errorf("/SubFilter is %s", s.SubFilter)
}

// findContentsGap returns where in the tail the container stands, brackets included.
func findContentsGap(src Source, tail []byte, s *pdf.Signature) (at, end int, err error) {
	r := s.ByteRange
	size := src.Size + int64(len(tail))
	if len(r) != 4 || r[0] != 0 || r[1] != s.ContentsAt || r[2] != s.ContentsEnd || r[2]+r[3] != size {
		return 0, 0, fmt.Errorf("/ByteRange %v does not go round /Contents from %d to %d in %d bytes", r, s.ContentsAt, s.ContentsEnd, size)
	}
	if r[1] < src.Size {
		return 0, 0, errors.New("signature is not in the tail")
	}
	at, end = int(r[1]-src.Size), int(r[2]-src.Size)
	digits := bytes.TrimSuffix(bytes.TrimPrefix(tail[at:end], []byte("<")), []byte(">"))
	if len(digits) != end-at-2 {
		return 0, 0, errors.New("/Contents is no hexadecimal string")
	}
	contents := make([]byte, hex.DecodedLen(len(digits)))
	if _, err := hex.Decode(contents, digits); err != nil || !bytes.Equal(contents, s.Contents) {
		return 0, 0, errors.New("the gap is not the hexadecimal digits of /Contents alone")
	}
	return at, end, nil
}

func checkSignature(s *pdf.Signature, over func(crypto.Hash) ([]byte, error), clock Clock) error {
	sd, err := cms.Parse(s.Contents)
	if err != nil {
		return err
	}
	token, err := verifyContainer(sd, over)
	if err != nil {
		return err
	}
	return clock.checkTimes(sd, token)
}

// verifyContainer verifies the one signature of a detached container and its timestamp, which is nil if there is
// none. Over computes the digest of the content; if it is nil the digest that the attributes name is taken.
func verifyContainer(sd *cms.SignedData, over func(crypto.Hash) ([]byte, error)) (*tsp.Token, error) {
	if len(sd.Signers) != 1 || sd.Content != nil || !sd.ContentType.Equal(cms.OIDData) {
		return nil, errors.New("not a detached signature of one signer")
	}
	signer := sd.Signers[0]
	if over == nil {
		over = func(crypto.Hash) ([]byte, error) { return parseMessageDigest(signer) }
	}
	digest, err := over(signer.Digest)
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

// parseMessageDigest returns the message digest among the signed attributes.
func parseMessageDigest(s cms.Signer) ([]byte, error) {
	der, ok, err := cms.FindAttributeValue(s.Signed, cms.OIDMessageDigest)
	if err != nil || !ok || len(der) < 2 || int(der[1]) != len(der)-2 {
		return nil, errors.Join(errors.New("no message digest"), err)
	}
	return der[2:], nil
}

// parseSignatureTimestamp returns the token about a signature value, or nil if there is none.
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
		return nil, errors.New("timestamp is about something else")
	}
	return token, nil
}

func checkTimestamp(s *pdf.Signature, over func(crypto.Hash) ([]byte, error), clock Clock) error {
	if s.Type != "DocTimeStamp" {
		return fmt.Errorf("timestamp of type %s", s.Type)
	}
	token, err := tsp.Parse(s.Contents)
	if err != nil {
		return err
	}
	digest, err := over(crypto.SHA256)
	if err != nil {
		return err
	}
	if !token.Covers(digest) {
		return errors.New("document timestamp is about something else")
	}
	return clock.checkTokenTime(token)
}
