package identity

import (
	"bytes"
	"context"
	"crypto/hkdf"
	"crypto/sha256"
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

// MailedLink returns the link that is mailed to a guest of a document. All mails to the guest have the same one, until it is revoked:
// its secret is derived from the master key, the guest and the time at which the link was made, and only its hash is stored. So a
// copy of the database gives no access, and a row that is added to it does not either. It returns ErrLinkRevoked after the owner
// revoked the guest's links, until they hand out a link again.
func (s *Service) MailedLink(ctx context.Context, id contract.DocumentID, guest contract.PersonID) (url string, err error) {
	l, err := s.store.MailedLinkOf(ctx, id, guest)
	if errors.Is(err, store.ErrNotFound) {
		made := store.GuestLink{Document: id, Person: guest, CreatedAt: s.clock().UTC().Truncate(time.Microsecond), Mailed: true}
		if _, made.Hash, err = s.deriveLink(made); err != nil {
			return "", err
		}
		if err := s.store.AddMailedLink(ctx, made); err != nil {
			return "", fmt.Errorf("store a guest's mailed link: %w", err)
		}
		l, err = s.store.MailedLinkOf(ctx, id, guest) // that of another process, if it was first
	}
	if err != nil {
		return "", fmt.Errorf("read a guest's mailed link: %w", err)
	}
	if l.CreatedAt.IsZero() {
		return "", ErrLinkRevoked
	}
	clear, hash, err := s.deriveLink(l)
	if err != nil {
		return "", err
	}
	if hash != l.Hash {
		return "", fmt.Errorf("the mailed link of guest %s on document %d was made with another master key", guest, id)
	}
	return s.publicURL + GuestPath + "#" + clear, nil
}

// deriveLink derives the secret of a mailed link.
func (s *Service) deriveLink(l store.GuestLink) (clear string, hash [32]byte, err error) {
	if s.linkKey == ([32]byte{}) {
		return "", hash, errors.New("no key for mailed links")
	}
	info := fmt.Sprintf("mailed link %d %s %d", l.Document, l.Person, l.CreatedAt.UnixMicro())
	secret, err := hkdf.Expand(sha256.New, s.linkKey[:], info, 32)
	if err != nil {
		return "", hash, fmt.Errorf("derive a guest's link: %w", err)
	}
	return newSecret(bytes.NewReader(secret), prefixMailed)
}

// readLink reads a current link of either kind. ErrLink: it is neither.
func (s *Service) readLink(ctx context.Context, secret string) (store.GuestLink, store.Guest, error) {
	if hash, ok := checkSecret(secret, prefixLink); ok {
		l, guest, err := s.store.GuestLink(ctx, hash)
		return l, guest, s.refuseLink(ctx, hash, err)
	}
	hash, ok := checkSecret(secret, prefixMailed)
	if !ok {
		return store.GuestLink{}, store.Guest{}, ErrLink
	}
	l, guest, err := s.store.MailedLink(ctx, hash)
	if err != nil {
		return l, guest, s.refuseLink(ctx, hash, err)
	}
	if _, derived, err := s.deriveLink(l); err != nil || derived != hash {
		return l, guest, ErrLink
	}
	return l, guest, nil
}

// GuestLogin exchanges a guest link, the whole URL or only its secret, for a token that is valid for that person and
// that document only. It returns ErrLink, ErrLinkReplaced, ErrLinkRevoked or ErrLinkExpired if the link cannot be used.
func (s *Service) GuestLogin(ctx context.Context, link string) (GuestSession, error) {
	l, guest, err := s.readLink(ctx, secretOf(link))
	if err != nil {
		return GuestSession{}, err
	}
	expires, err := s.requireGuest(guest, l.CreatedAt)
	if err != nil {
		return GuestSession{}, refuseNotFound(err, ErrLink)
	}
	if err := guest.OrganisationState.RequireActive(); err != nil { // the link works again when the organisation is
		return GuestSession{}, err
	}
	clear, token, err := s.newToken(store.GuestToken, contract.Session{Person: l.Person, Family: familyOf(l)}, s.lifetimes.Guest, contract.AccountPolicy{})
	if err != nil {
		return GuestSession{}, err
	}
	token.Document = l.Document
	if !expires.IsZero() && expires.Before(token.ExpiresAt) {
		token.ExpiresAt = expires
	}
	// ErrNotFound: the link was replaced or revoked after it was read above.
	if err := s.store.AddGuestToken(ctx, l, token); err != nil {
		return GuestSession{}, s.refuseLink(ctx, l.Hash, fmt.Errorf("store the token of guest %s: %w", l.Person, err))
	}
	return GuestSession{Token: clear, ExpiresIn: token.ExpiresAt.Sub(token.CreatedAt), Document: l.Document, Person: guest.Person}, nil
}

// familyOf returns the family of the tokens that are opened with a link.
func familyOf(l store.GuestLink) string {
	if l.Mailed {
		return store.MailedFamily + hex.EncodeToString(l.Hash[:])
	}
	return "link-" + hex.EncodeToString(l.Hash[:])
}

// refuseLink returns the refusal of a link that is not a current one: what became of it, if that is recorded. Other
// errors of the store are returned as they are, and nil for nil.
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
	if i := max(strings.LastIndex(link, prefixLink), strings.LastIndex(link, prefixMailed)); i >= 0 {
		link = link[i:]
	}
	return link[:min(len(link), secretLen+1)] // the extra character makes checkSecret refuse a text that is too long
}
