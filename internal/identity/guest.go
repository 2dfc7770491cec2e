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

// ErrLink is the same for a guest's link that is unknown, replaced by a newer one, revoked, expired, or of a document that is
// gone.
var ErrLink = contract.Refuse(contract.NotFound, "guest.link_invalid")

// GuestPath is the page of the web app that a guest's link leads to. The secret follows as the fragment, which
// browsers keep to themselves: it reaches no access log and no Referer.
const GuestPath = "/guest"

// GuestSession is what a guest's link opens. Token is in clear and can never be read again.
type GuestSession struct {
	Token     string
	ExpiresIn time.Duration
	Document  contract.DocumentID
	Person    contract.Person
}

// NewGuestLink returns a new guest's link and the hash under which it has to be stored before it opens anything.
func (s *Service) NewGuestLink() (url string, hash [32]byte, err error) {
	clear, hash, err := newSecret(s.random, prefixLink)
	if err != nil {
		return "", hash, err
	}
	return s.publicURL + GuestPath + "#" + clear, hash, nil
}

// GuestLogin opens a guest's link, given whole or as its secret alone, with a token for that person and that
// document only. ErrLink when it does not stand.
func (s *Service) GuestLogin(ctx context.Context, link string) (GuestSession, error) {
	hash, ok := checkSecret(secretOf(link), prefixLink)
	if !ok {
		return GuestSession{}, ErrLink
	}
	l, err := s.store.GuestLink(ctx, hash)
	if err != nil {
		return GuestSession{}, refuseNotFound(fmt.Errorf("read a guest's link: %w", err), ErrLink)
	}
	person, expires, err := s.loadGuest(ctx, l.Document, l.Person, l.CreatedAt)
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
	if err := s.store.AddTokens(ctx, token); err != nil {
		return GuestSession{}, fmt.Errorf("keep the token of guest %s: %w", l.Person, err)
	}
	// The link may have been taken back after it was read; the token would outlive it.
	if _, err := s.store.GuestLink(ctx, hash); err != nil {
		if err := s.store.RevokeFamily(ctx, token.Family); err != nil {
			return GuestSession{}, fmt.Errorf("revoke token family %s: %w", token.Family, err)
		}
		return GuestSession{}, refuseNotFound(fmt.Errorf("read a guest's link again: %w", err), ErrLink)
	}
	return GuestSession{Token: clear, ExpiresIn: token.ExpiresAt.Sub(token.CreatedAt), Document: l.Document, Person: person}, nil
}

// loadGuest returns the guest of that id on a document, and when what was made for them at that moment expires; zero: it does
// not. It is store.ErrNotFound when they are no guest there, the document does not exist, or that time has passed.
func (s *Service) loadGuest(ctx context.Context, id contract.DocumentID, person contract.PersonID, made time.Time) (contract.Person, time.Time, error) {
	d, err := s.store.Document(ctx, id)
	if err != nil {
		return contract.Person{}, time.Time{}, fmt.Errorf("read document %d: %w", id, err)
	}
	p := d.Participant(person)
	if p == nil || !p.Guest {
		return contract.Person{}, time.Time{}, store.ErrNotFound
	}
	expires := d.LinkExpiry(made, s.lifetimes.Link)
	if !expires.IsZero() && !s.clock().Before(expires) {
		return contract.Person{}, time.Time{}, store.ErrNotFound
	}
	return p.Person, expires, nil
}

// secretOf returns the secret in a link, wherever it stands, or the text itself.
func secretOf(link string) string {
	link = strings.TrimSpace(link)
	if i := strings.LastIndex(link, prefixLink); i >= 0 {
		link = link[i:]
	}
	return link[:min(len(link), secretLen+1)] // one more than a secret has is none
}
