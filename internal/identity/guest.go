package identity

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// ErrLink is returned for a guest link that is unknown, of a deleted document, or of a person who is no longer a guest on
// it. The caller cannot tell these apart.
var ErrLink = contract.Refuse(contract.NotFound, "guest.link_invalid")

// Refusals of a link that was created here. The person who presents it has its secret, so they may learn what happened to it,
// and nothing else.
var (
	ErrLinkReplaced = contract.Refuse(contract.NotFound, "guest.link_replaced") // by a newer one
	ErrLinkRevoked  = contract.Refuse(contract.NotFound, "guest.link_revoked")
	ErrLinkExpired  = contract.Refuse(contract.NotFound, "guest.link_expired")
)

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
// that document only. It returns ErrLink, ErrLinkReplaced, ErrLinkRevoked or ErrLinkExpired if the link cannot be used.
func (s *Service) GuestLogin(ctx context.Context, link string) (GuestSession, error) {
	hash, ok := checkSecret(secretOf(link), prefixLink)
	if !ok {
		return GuestSession{}, ErrLink
	}
	l, guest, err := s.store.GuestLink(ctx, hash)
	if err != nil {
		return GuestSession{}, s.refuseLink(ctx, hash, fmt.Errorf("read a guest's link: %w", err))
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
		return GuestSession{}, s.refuseLink(ctx, hash, fmt.Errorf("store the token of guest %s: %w", l.Person, err))
	}
	return GuestSession{Token: clear, ExpiresIn: token.ExpiresAt.Sub(token.CreatedAt), Document: l.Document, Person: guest.Person}, nil
}

// refuseLink returns the refusal of a link that is not a current one: what became of it, if that is recorded. Other
// errors of the store are returned as they are.
func (s *Service) refuseLink(ctx context.Context, hash [32]byte, err error) error {
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	former, err := s.store.FormerGuestLink(ctx, hash)
	switch {
	case err != nil:
		return refuseNotFound(fmt.Errorf("read a guest's former link: %w", err), ErrLink)
	case former.Revoked:
		return ErrLinkRevoked
	}
	return ErrLinkReplaced
}

// GuestLinkTimes returns when the current links of the guests of a document were created, by guest. A guest without a link
// is missing.
func (s *Service) GuestLinkTimes(ctx context.Context, id contract.DocumentID) (map[contract.PersonID]time.Time, error) {
	links, err := s.store.GuestLinks(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read guests' links: %w", err)
	}
	times := make(map[contract.PersonID]time.Time, len(links))
	for _, l := range links {
		times[l.Person] = l.CreatedAt
	}
	return times, nil
}

// requireGuest returns when a link or token that was made for a guest at the given time expires. A zero time means that it
// does not expire. It returns store.ErrNotFound if there is no guest, and ErrLinkExpired if the link or token has expired.
func (s *Service) requireGuest(g store.Guest, made time.Time) (expires time.Time, err error) {
	if g.ID == "" {
		return time.Time{}, store.ErrNotFound
	}
	d := contract.Document{State: g.State, EndedAt: g.EndedAt}
	expires = d.LinkExpiry(made, s.lifetimes.Link)
	if !expires.IsZero() && !s.clock().Before(expires) {
		return time.Time{}, ErrLinkExpired
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
