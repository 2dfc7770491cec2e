package identity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// keyUseEvery is how old the recorded last use of an API key may become while the key is in use, and refusedUseEvery the same of refused uses.
const (
	keyUseEvery     = 5 * time.Minute
	refusedUseEvery = time.Hour
)

// maxKeyNetworks is how many networks of a key are remembered: so many where it was used, and as many where it was refused.
const maxKeyNetworks = 50

// newNetworks bounds how often a use from an unknown network is recorded for one key, so that a stolen key that is presented from a million
// addresses does not fill the database. Each process counts for itself.
var newNetworks = Rate{Burst: 20, Every: 3 * time.Minute}

const maxNetworkCounts = 10_000

// newKeyMails bounds how often people get a message about a new network of one key. Each process counts for itself; the audit log has all of them.
var newKeyMails = Rate{Burst: 2, Every: 6 * time.Hour}

// newTokens bounds how often an access token is issued for one key, because each is a row until it expires. Each process counts for itself.
var newTokens = Rate{Burst: 60, Every: time.Second}

// hintLen is how much of a key its list shows: the prefix, and 4 of its 43 random characters.
const hintLen = prefixLen + 4

// ErrClient refuses a client of OAuth 2.0: an unknown identifier, a wrong secret, or a key that has ended or may not be used from its network.
var ErrClient = contract.Refuse(contract.Unauthenticated, "key.client")

// ErrClientScope refuses scopes that the key lacks.
var ErrClientScope = contract.Refuse(contract.Invalid, "key.client_scope")

// IsAPIKey reports whether a secret is meant to be an API key or an access token of one. It may be wrong in any other way.
func IsAPIKey(secret string) bool {
	return strings.HasPrefix(secret, prefixKey) || strings.HasPrefix(secret, prefixTestKey) || strings.HasPrefix(secret, prefixKeyToken)
}

// checkAPIKey returns the hash of an API key.
func checkAPIKey(secret string) (hash [32]byte, ok bool) {
	if hash, ok = checkSecret(secret, prefixKey); ok {
		return hash, true
	}
	return checkSecret(secret, prefixTestKey)
}

// AuthenticateKey returns the person as whom an API key, or an access token of one, acts, presented from an IP address. It reads the key with each
// request, so that a revocation takes effect at once. Errors are refusals: contract.ErrUnauthenticated, contract.ErrKeyEnded and
// contract.ErrKeyNetwork.
func (s *Service) AuthenticateKey(ctx context.Context, secret, ip string) (contract.Actor, error) {
	read, hash := s.store.PresentedKey, [32]byte{}
	var ok bool
	if hash, ok = checkAPIKey(secret); !ok {
		if hash, ok = checkSecret(secret, prefixKeyToken); !ok {
			return contract.Actor{}, contract.ErrUnauthenticated
		}
		read = s.store.PresentedToken
	}
	p, err := read(ctx, hash, Network(ip))
	if err != nil {
		return contract.Actor{}, refuseNotFound(fmt.Errorf("read an API key: %w", err), contract.ErrUnauthenticated)
	}
	return s.admitKey(ctx, p, ip)
}

// admitKey decides whether a key may be used now and from an IP address, and records the use or the refusal.
func (s *Service) admitKey(ctx context.Context, p store.PresentedKey, ip string) (contract.Actor, error) {
	now := s.clock()
	switch {
	case !p.Until.IsZero() && !now.Before(p.Until):
		return contract.Actor{}, contract.ErrUnauthenticated
	case p.Key.HasEnded(now):
		return contract.Actor{}, contract.ErrKeyEnded
	}
	u, err := s.store.User(ctx, p.Key.Person)
	if err != nil {
		return contract.Actor{}, refuseNotFound(fmt.Errorf("read user %s: %w", p.Key.Person, err), contract.ErrUnauthenticated)
	}
	if !u.DisabledAt.IsZero() || u.Organisation != p.Key.Organisation {
		return contract.Actor{}, contract.ErrUnauthenticated
	}
	by, err := s.loadActor(ctx, u)
	if err != nil {
		return contract.Actor{}, err
	}
	by.Key = p.Key.Grant()
	by.Key.Scopes = slices.DeleteFunc(slices.Clone(p.Scopes), func(s contract.KeyScope) bool { return !slices.Contains(p.Key.Scopes, s) }) // a token has no more than its key
	if !p.Key.AllowsAddress(ip) {
		s.recordKeyUse(ctx, p, by, ip, true, now)
		return contract.Actor{}, contract.ErrKeyNetwork
	}
	s.recordKeyUse(ctx, p, by, ip, false, now)
	return by, nil
}

// recordKeyUse records a use of a key, at most every few minutes, and the first one from a network with an event that admins see. It does not fail
// the request if the use cannot be recorded: a full disk must not stop reading.
func (s *Service) recordKeyUse(ctx context.Context, p store.PresentedKey, by contract.Actor, ip string, refused bool, now time.Time) {
	last, every, event := p.UsedAt, keyUseEvery, contract.EventKeyNetwork
	if refused {
		last, every, event = p.RefusedAt, refusedUseEvery, contract.EventKeyRefused
	}
	if !last.IsZero() && now.Sub(last) < every {
		return
	}
	network := Network(ip)
	if last.IsZero() && s.networks.takeToken(string(p.Key.ID)+fmt.Sprint(refused), now) > 0 {
		return
	}
	e := keyEvent(event, p.Key, by.Person, now)
	e.Person, e.IP = by.Person, ip
	e.Details["network"] = network
	if !refused && !p.Used {
		e.Details["first"] = "true" // the first use of the key: no reason for suspicion
	}
	var notices []contract.Notice
	if last.IsZero() && !refused && p.Used && s.keyMails.takeToken(string(p.Key.ID), now) == 0 {
		var err error
		if notices, err = s.newKeyNetworkNotices(ctx, p.Key, by, ip); err != nil {
			s.log.WarnContext(ctx, "no message about a new network of an API key", "key", p.Key.ID, "error", err)
		}
	}
	if err := s.store.RecordKeyUse(ctx, store.KeyUse{Key: p.Key.ID, Network: network, Refused: refused, At: now}, maxKeyNetworks, e, notices...); err != nil {
		s.log.WarnContext(ctx, "a use of an API key is not recorded", "key", p.Key.ID, "error", err)
	}
}

// newKeyNetworkNotices returns the messages about a use of a key from a new network: to its person and the administrators of their organisation.
func (s *Service) newKeyNetworkNotices(ctx context.Context, k contract.APIKey, by contract.Actor, ip string) ([]contract.Notice, error) {
	all, err := s.newAdminNotices(ctx, k.Organisation, contract.NoticeKeyNetwork, string(k.ID), Client{IP: ip})
	if err != nil || slices.ContainsFunc(all, func(n contract.Notice) bool { return n.Person == by.ID }) {
		return all, err
	}
	n := s.newAccountNotice(contract.NoticeKeyNetwork, store.User{Person: by.Person, Organisation: k.Organisation}, Client{IP: ip})
	n.Account.Reference = string(k.ID)
	return append(all, n), nil
}

// CreateKey makes an API key that acts as the caller, and returns its secret, which is never shown again.
//
// If the process dies after the commit, the key exists and its secret was never shown. It is in the list, and can be revoked.
func (s *Service) CreateKey(ctx context.Context, by contract.Actor, in contract.KeySettings) (contract.APIKey, string, error) {
	now := s.clock()
	k, err := contract.NewAPIKey(in, by, now)
	if err != nil {
		return contract.APIKey{}, "", err
	}
	id, err := newUUID(s.random)
	if err != nil {
		return contract.APIKey{}, "", err
	}
	prefix := prefixKey
	if k.Test {
		prefix = prefixTestKey
	}
	secret, hash, err := newSecret(s.random, prefix)
	if err != nil {
		return contract.APIKey{}, "", err
	}
	k.ID, k.Hint = contract.KeyID(id), secret[:hintLen]
	e := keyEvent(contract.EventKeyCreated, k, by.Person, now)
	e.Person, e.IP = by.Person, by.IP
	n := s.newAccountNotice(contract.NoticeKeyCreated, store.User{Person: by.Person, Organisation: k.Organisation}, clientOf(by))
	n.Account.Reference = string(k.ID)
	// Durable with this commit: the key, and the message to its person.
	if err := s.store.AddAPIKey(ctx, k, hash, e, n); err != nil {
		return contract.APIKey{}, "", refuseNotFound(err, contract.ErrUnauthenticated)
	}
	return k, secret, nil
}

// keyEvent returns an event about a key of a person.
func keyEvent(t contract.EventType, k contract.APIKey, holder contract.Person, now time.Time) contract.Event {
	e := contract.Event{Type: t, At: now, Details: map[string]string{
		"organisation": string(k.Organisation), "person": string(k.Person), "name": holder.Name, "email": holder.Email, "key": string(k.ID), "key_name": k.Name,
	}}
	if t != contract.EventKeyCreated {
		return e
	}
	for name, value := range map[string]string{"scopes": contract.JoinScopes(k.Scopes), "networks": contract.JoinNetworks(k.Networks)} {
		if value != "" {
			e.Details[name] = value
		}
	}
	if !k.ExpiresAt.IsZero() {
		e.Details["expires"] = k.ExpiresAt.UTC().Format(time.RFC3339)
	}
	if k.Test {
		e.Details["test"] = "true"
	}
	return e
}

// KeySelection is a page of API keys, counted from 1, and filters. An empty filter selects all.
type KeySelection struct {
	Search      string // as in [store.KeyQuery]
	Status      contract.KeyStatus
	Page, Limit int
}

// selectKeys returns the query for a selection.
func (s *Service) selectKeys(sel KeySelection) store.KeyQuery {
	return store.KeyQuery{Search: sel.Search, Status: sel.Status, Now: s.clock(), Offset: (sel.Page - 1) * sel.Limit, Limit: sel.Limit}
}

// ListKeys returns one page of the caller's API keys, the newest first, and how many match.
func (s *Service) ListKeys(ctx context.Context, by contract.Actor, sel KeySelection) ([]contract.APIKey, int, error) {
	if by.Guest != 0 || by.IsSystem() {
		return nil, 0, contract.ErrNotAllowed
	}
	q := s.selectKeys(sel)
	q.Person = by.ID
	p, err := s.store.ListAPIKeys(ctx, q)
	return p.Keys, p.Total, err
}

// RevokeKey ends a key of the caller. Revoking it again changes nothing. A key of another person is contract.ErrNoKey, like an unknown one.
func (s *Service) RevokeKey(ctx context.Context, by contract.Actor, id contract.KeyID) (contract.APIKey, error) {
	k, err := s.store.APIKey(ctx, id)
	if err != nil {
		return contract.APIKey{}, refuseNotFound(err, contract.ErrNoKey)
	}
	if by.ID == "" || k.Person != by.ID {
		return contract.APIKey{}, contract.ErrNoKey
	}
	return s.revokeKey(ctx, by, k, by.Person)
}

// MemberKey is an API key as administrators see it.
type MemberKey struct {
	contract.APIKey
	Holder           contract.Person
	OrganisationName string
}

// ListMemberKeys returns one page of the API keys of an organisation that the caller administers, the newest first, and how many match.
// Without an organisation, operators see the keys of all organisations.
func (s *Service) ListMemberKeys(ctx context.Context, by contract.Actor, of contract.OrganisationID, sel KeySelection) ([]MemberKey, int, error) {
	of, names, err := s.authoriseList(ctx, by, contract.AdminKeys, of)
	if err != nil {
		return nil, 0, err
	}
	q := s.selectKeys(sel)
	q.Organisation = of
	p, err := s.store.ListAPIKeys(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	people := map[contract.PersonID]contract.Person{}
	keys := make([]MemberKey, len(p.Keys))
	for i, k := range p.Keys {
		holder, known := people[k.Person]
		if !known {
			u, err := s.store.User(ctx, k.Person)
			if err != nil {
				return nil, 0, fmt.Errorf("read user %s: %w", k.Person, err)
			}
			holder, people[k.Person] = u.Person, u.Person
		}
		keys[i] = MemberKey{APIKey: k, Holder: holder, OrganisationName: names[k.Organisation]}
	}
	return keys, p.Total, nil
}

// RevokeMemberKey ends a key of a person whom the caller administers. Revoking it again changes nothing.
func (s *Service) RevokeMemberKey(ctx context.Context, by contract.Actor, id contract.KeyID) (MemberKey, error) {
	of, err := by.AuthoriseAdmin(contract.AdminRevokeKey, "")
	if err != nil {
		return MemberKey{}, err
	}
	k, err := s.store.APIKey(ctx, id)
	if err != nil {
		return MemberKey{}, refuseNotFound(err, contract.ErrNoKey)
	}
	if of != "" && k.Organisation != of {
		return MemberKey{}, contract.ErrNoKey
	}
	u, err := s.store.User(ctx, k.Person)
	if err != nil {
		return MemberKey{}, fmt.Errorf("read user %s: %w", k.Person, err)
	}
	o, err := s.store.Organisation(ctx, k.Organisation)
	if err != nil {
		return MemberKey{}, fmt.Errorf("read organisation %s: %w", k.Organisation, err)
	}
	k, err = s.revokeKey(ctx, by, k, u.Person)
	return MemberKey{APIKey: k, Holder: u.Person, OrganisationName: o.Name}, err
}

func (s *Service) revokeKey(ctx context.Context, by contract.Actor, k contract.APIKey, holder contract.Person) (contract.APIKey, error) {
	if !k.RevokedAt.IsZero() {
		return k, nil
	}
	e := keyEvent(contract.EventKeyRevoked, k, holder, s.clock())
	e.Person, e.IP = by.Person, by.IP
	if by.Key != nil { // an admin's program revoked it
		e.Details["by_key"], e.Details["by_key_name"] = string(by.Key.ID), by.Key.Name
	}
	if err := s.store.RevokeAPIKey(ctx, k.ID, e); err != nil && !errors.Is(err, store.ErrConflict) {
		return contract.APIKey{}, refuseNotFound(err, contract.ErrNoKey)
	}
	return s.store.APIKey(ctx, k.ID)
}

// KeyToken is an access token of an API key, in clear.
type KeyToken struct {
	Token     string
	ExpiresIn time.Duration
	Scopes    []contract.KeyScope
}

// IssueKeyToken issues an access token to a client that presents an API key with its identifier (RFC 6749 §4.4). The token has the requested
// scopes, or all of the key if none are requested, and ends with the key. An unknown identifier takes the same work as a wrong secret, because the
// key is looked up by its secret alone. Errors are ErrClient, ErrClientScope, and a refusal of kind TooMany.
func (s *Service) IssueKeyToken(ctx context.Context, client contract.KeyID, secret, ip string, scopes []string) (KeyToken, error) {
	hash, ok := checkAPIKey(secret)
	if !ok {
		return KeyToken{}, ErrClient
	}
	p, err := s.store.PresentedKey(ctx, hash, Network(ip))
	if err == nil && p.Key.ID != client {
		err = store.ErrNotFound
	}
	if err != nil {
		return KeyToken{}, refuseNotFound(fmt.Errorf("read an API key: %w", err), ErrClient)
	}
	by, err := s.admitKey(ctx, p, ip)
	if err == nil {
		err = by.OrganisationState.RequireActive()
	}
	if err != nil {
		var refused *contract.Error
		if errors.As(err, &refused) {
			return KeyToken{}, ErrClient.WithCause(err)
		}
		return KeyToken{}, err
	}
	if err := tooMany(s.tokens.takeToken(string(p.Key.ID), s.clock())); err != nil {
		return KeyToken{}, err
	}
	granted, ok := contract.NarrowScopes(p.Key.Scopes, scopes)
	if !ok {
		return KeyToken{}, ErrClientScope
	}
	now, life := s.clock(), s.lifetimes.Key
	if !p.Key.ExpiresAt.IsZero() {
		life = min(life, p.Key.ExpiresAt.Sub(now))
	}
	clear, hash, err := newSecret(s.random, prefixKeyToken)
	if err != nil {
		return KeyToken{}, err
	}
	t := store.KeyToken{Hash: hash, Key: p.Key.ID, Scopes: granted, CreatedAt: now, ExpiresAt: now.Add(life)}
	if err := s.store.AddKeyToken(ctx, t); err != nil {
		return KeyToken{}, refuseNotFound(fmt.Errorf("store an access token: %w", err), ErrClient)
	}
	return KeyToken{Token: clear, ExpiresIn: life, Scopes: granted}, nil
}
