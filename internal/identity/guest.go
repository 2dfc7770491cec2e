package identity

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// ErrLink is returned for every guest link that cannot be used: unknown, replaced by a newer one, revoked, expired, or of
// a deleted document. The caller cannot tell these apart.
var ErrLink = contract.Refuse(contract.NotFound, "guest.link_invalid")

// GuestPath is the page of the web app that a guest link leads to. The secret follows as the fragment, which
// browsers do not send: it appears in no access log and no Referer header.
const GuestPath = "/guest"

// GuestSession is the result of a login with a guest link. Token is in clear and cannot be read again later.
type GuestSession struct {
	Token     string
	ExpiresIn time.Duration
	Document  contract.DocumentID
	Person    contract.Person
}

// NewGuestLink returns a new guest link and its hash. The link works once the hash is stored.
func (s *Service) NewGuestLink() (url string, hash [32]byte, err error) {
	clear, hash, err := newSecret(s.random, prefixLink)
	if err != nil {
		return "", hash, err
	}
	return s.publicURL + GuestPath + "#" + clear, hash, nil
}

// GuestLogin exchanges a guest link, the whole URL or only its secret, for a token that is valid for that person and
// that document only. It returns ErrLink if the link cannot be used.
func (s *Service) GuestLogin(ctx context.Context, link string) (GuestSession, error) {
	hash, ok := checkSecret(secretOf(link), prefixLink)
	if !ok {
		return GuestSession{}, ErrLink
	}
	l, guest, err := s.store.GuestLink(ctx, hash)
	if err != nil {
		return GuestSession{}, refuseNotFound(fmt.Errorf("read a guest's link: %w", err), ErrLink)
	}
	expires, err := s.requireGuest(guest, l.CreatedAt)
	if err != nil {
		return GuestSession{}, refuseNotFound(err, ErrLink)
	}
	clear, token, err := s.newToken(store.GuestToken, l.Person, "link-"+hex.EncodeToString(hash[:]), s.lifetimes.Guest)
	if err != nil {
		return GuestSession{}, err
	}
	token.Document = l.Document
	if !expires.IsZero() && expires.Before(token.ExpiresAt) {
		token.ExpiresAt = expires
	}
	// ErrNotFound: the link was replaced or revoked after it was read above.
	if err := s.store.AddGuestToken(ctx, hash, token); err != nil {
		return GuestSession{}, refuseNotFound(fmt.Errorf("store the token of guest %s: %w", l.Person, err), ErrLink)
	}
	return GuestSession{Token: clear, ExpiresIn: token.ExpiresAt.Sub(token.CreatedAt), Document: l.Document, Person: guest.Person}, nil
}

// requireGuest returns when a link or token that was made for a guest at the given time expires. A zero time means that it
// does not expire. It returns store.ErrNotFound if there is no guest, or the link or token has expired.
func (s *Service) requireGuest(g store.Guest, made time.Time) (expires time.Time, err error) {
	if g.ID == "" {
		return time.Time{}, store.ErrNotFound
	}
	d := contract.Document{State: g.State, EndedAt: g.EndedAt}
	expires = d.LinkExpiry(made, s.lifetimes.Link)
	if !expires.IsZero() && !s.clock().Before(expires) {
		return time.Time{}, store.ErrNotFound
	}
	return expires, nil
}

// secretOf returns the secret in a link, at any position, or the text itself.
func secretOf(link string) string {
	link = strings.TrimSpace(link)
	if i := strings.LastIndex(link, prefixLink); i >= 0 {
		link = link[i:]
	}
	return link[:min(len(link), secretLen+1)] // the extra character makes checkSecret refuse a text that is too long
}
