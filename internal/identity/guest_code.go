package identity

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"segel/internal/contract"
)

// DeriveCode returns the code of a guest: six digits, derived from the values in the database and the key for mailed links. Without
// that key the values do not tell the code.
func (s *Service) DeriveCode(g contract.GuestCode) (string, error) {
	if s.linkKey == ([32]byte{}) {
		return "", errors.New("no key for codes")
	}
	mac := hmac.New(sha256.New, s.linkKey[:])
	fmt.Fprintf(mac, "guest code %d %s %x %x %d %q", g.Document, g.Person, g.Digest, g.Nonce, g.CreatedAt.UnixMicro(), g.Address)
	const codes = 1_000_000 // the remainder of 64 bits is as good as uniform
	return fmt.Sprintf("%06d", binary.BigEndian.Uint64(mac.Sum(nil))%codes), nil
}

// MailedCode returns the code of a guest for the mail that was ordered with it, and until when it can be entered. It returns
// [contract.ErrCodeEnded] if another one was ordered since, or it cannot be entered any more.
func (s *Service) MailedCode(ctx context.Context, d *contract.Document, guest contract.PersonID, ordered time.Time) (code string, until time.Time, err error) {
	g, err := s.store.GuestCode(ctx, d.ID, guest)
	if err != nil {
		return "", time.Time{}, refuseNotFound(err, contract.ErrCodeEnded)
	}
	if !g.CreatedAt.Equal(ordered) {
		return "", time.Time{}, contract.ErrCodeEnded
	}
	if err := g.CheckCodeValid(d, s.clock()); err != nil {
		return "", time.Time{}, err
	}
	code, err = s.DeriveCode(g)
	return code, g.CreatedAt.Add(contract.CodeLifetime), err
}
