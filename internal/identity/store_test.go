package identity

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// memory is a Store in memory.
type memory struct {
	tries              map[store.TryKey]time.Time
	store.APIKeys      // nil: the tests of keys use a database
	store.Invitations  // the same
	store.HeldEmbeds   // the same
	store.PersonalData // the same

	noFactors
	store.Logins             // nil but for RecordLogins and PurgeLogins
	mu            sync.Mutex // guards all below
	logins        []contract.Login
	organisations []store.Organisation
	users         []store.User
	tokens        map[[32]byte]store.Token
	links         map[[32]byte]store.GuestLink
	former        map[[32]byte]store.FormerGuestLink
	specimens     map[specimenKey][]byte
	documents     map[contract.DocumentID]contract.Document
	events        []contract.Event
	devices       map[contract.PersonID]map[[32]byte]time.Time
	addresses     map[contract.PersonID]map[string]time.Time
	sessions      map[string]contract.Session
	providers     map[string]contract.SSO // by mail domain
	requests      []store.PasswordRequest
	resets        []store.PasswordReset
	notices       []contract.Notice

	failCreateUser error  // instead of creating one
	failUse        error  // instead of recording the use of a session
	failNote       error  // instead of logging events outside of a commit
	beforeRotate   func() // runs between two steps of a refresh, as another request
	afterByEmail   func() // runs between two steps of a login
	afterGuestLink func() // runs between two steps of a guest login
}

func (m *memory) SSOOfDomain(_ context.Context, domain string) (contract.SSO, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if found, ok := m.providers[domain]; ok {
		return found, nil
	}
	return contract.SSO{}, store.ErrNotFound
}

func (m *memory) PurgeInvitations(context.Context, time.Time) error { return nil }

func (m *memory) CreateOrganisation(_ context.Context, o store.Organisation, _ ...contract.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.organisations = append(m.organisations, o)
	return nil
}

func (m *memory) findOrganisation(match func(store.Organisation) bool) (store.Organisation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.IndexFunc(m.organisations, match); i >= 0 {
		return m.organisations[i], nil
	}
	return store.Organisation{}, store.ErrNotFound
}

func (m *memory) Organisation(_ context.Context, id contract.OrganisationID) (store.Organisation, error) {
	return m.findOrganisation(func(o store.Organisation) bool { return o.ID == id })
}

func (m *memory) OrganisationByName(_ context.Context, name string) (store.Organisation, error) {
	return m.findOrganisation(func(o store.Organisation) bool { return o.Name == name })
}

func (m *memory) FirstOrganisation(context.Context) (store.Organisation, error) {
	return m.findOrganisation(func(store.Organisation) bool { return true })
}

func (m *memory) CreateUser(ctx context.Context, u store.User, events ...contract.Event) error {
	if m.failCreateUser != nil {
		return m.failCreateUser
	}
	if _, err := m.MemberByEmail(ctx, u.Organisation, u.Email); err == nil {
		return store.ErrExists
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.users, m.events = append(m.users, u), append(m.events, events...)
	return nil
}

func (m *memory) findUser(match func(store.User) bool) (store.User, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.IndexFunc(m.users, match); i >= 0 {
		return m.users[i], nil
	}
	return store.User{}, store.ErrNotFound
}

func (m *memory) User(_ context.Context, id contract.PersonID) (store.User, error) {
	return m.findUser(func(u store.User) bool { return u.ID == id })
}

func (m *memory) UsersByEmail(_ context.Context, emails ...string) ([]store.User, error) {
	m.mu.Lock()
	users, then := m.usersByEmail(emails), m.afterByEmail
	m.afterByEmail = nil
	m.mu.Unlock()
	if then != nil {
		then()
	}
	return users, nil
}

// usersByEmail implements UsersByEmail. The caller must hold the lock.
func (m *memory) usersByEmail(emails []string) []store.User {
	users := slices.DeleteFunc(slices.Clone(m.users), func(u store.User) bool {
		return !slices.ContainsFunc(emails, func(e string) bool { return strings.EqualFold(u.Email, e) })
	})
	slices.SortStableFunc(users, func(a, b store.User) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return users
}

func (m *memory) MemberByEmail(_ context.Context, o contract.OrganisationID, email string) (store.User, error) {
	return m.findUser(func(u store.User) bool { return u.Organisation == o && strings.EqualFold(u.Email, email) })
}

func (m *memory) FindMembers(_ context.Context, o contract.OrganisationID, asked ...store.MemberQuery) ([]store.User, error) {
	found := make([]store.User, len(asked))
	for i, a := range asked {
		found[i], _ = m.findUser(func(u store.User) bool {
			return u.Organisation == o && (u.ID == a.ID || a.ID == "" && a.Email != "" && strings.EqualFold(u.Email, a.Email))
		})
	}
	return found, nil
}

func (m *memory) SetPassword(_ context.Context, id contract.PersonID, was, encoded string, e contract.Event, told ...contract.Notice) error {
	return m.changeUser(id, e, func(u *store.User) error {
		if was != "" && u.Password != was {
			return store.ErrConflict
		}
		u.Password, u.MustReset, u.Given = encoded, false, false
		m.notices = append(m.notices, told...)
		m.endLogins(id)
		return nil
	})
}

func (m *memory) GivePassword(_ context.Context, id contract.PersonID, encoded string, e contract.Event) error {
	return m.changeUser(id, e, func(u *store.User) error {
		u.Password, u.MustReset, u.Given = encoded, true, true
		m.endLogins(id)
		return nil
	})
}

func (m *memory) RenameUser(_ context.Context, id contract.PersonID, name string, e contract.Event) error {
	return m.changeUser(id, e, func(u *store.User) error {
		u.Name = name
		return nil
	})
}

func (m *memory) DisableUser(_ context.Context, id contract.PersonID, e contract.Event) error {
	return m.changeUser(id, e, func(u *store.User) error {
		switch {
		case !u.DisabledAt.IsZero():
			return store.ErrConflict
		case u.Admin && !slices.ContainsFunc(m.users, func(o store.User) bool {
			return o.ID != id && o.Organisation == u.Organisation && o.Admin && o.DisabledAt.IsZero()
		}):
			return contract.ErrLastAdmin
		}
		u.DisabledAt = e.At
		m.endLogins(id)
		return nil
	})
}

func (m *memory) SetRole(_ context.Context, id contract.PersonID, role contract.AccountRole, e contract.Event) error {
	return m.changeUser(id, e, func(u *store.User) error {
		switch {
		case u.Role() == role:
			return store.ErrConflict
		case u.Admin && u.DisabledAt.IsZero() && !slices.ContainsFunc(m.users, func(o store.User) bool {
			return o.ID != id && o.Organisation == u.Organisation && o.Admin && o.DisabledAt.IsZero()
		}):
			return contract.ErrLastAdmin
		}
		u.Admin, u.Limited = role == contract.RoleAdmin, ""
		if role == contract.RoleMember || role == contract.RoleAuditor {
			u.Limited = role
		}
		return nil
	})
}

func (m *memory) EnableUser(_ context.Context, id contract.PersonID, e contract.Event) error {
	return m.changeUser(id, e, func(u *store.User) error {
		if u.DisabledAt.IsZero() {
			return store.ErrConflict
		}
		u.DisabledAt = time.Time{}
		return nil
	})
}

// changeUser changes a user and logs the event, unless change returns an error. Change runs with the lock.
func (m *memory) changeUser(id contract.PersonID, e contract.Event, change func(*store.User) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.users, func(u store.User) bool { return u.ID == id })
	if i < 0 {
		return store.ErrNotFound
	}
	if err := change(&m.users[i]); err != nil {
		return err
	}
	m.events = append(m.events, e)
	return nil
}

// endLogins ends a person's tokens and forgets their devices and addresses. The caller must hold the lock.
func (m *memory) endLogins(id contract.PersonID) {
	maps.DeleteFunc(m.tokens, func(_ [32]byte, t store.Token) bool { return t.Person == id })
	maps.DeleteFunc(m.sessions, func(_ string, s contract.Session) bool { return s.Person == id })
	m.resets = slices.DeleteFunc(m.resets, func(r store.PasswordReset) bool { return r.Person == id })
	delete(m.devices, id)
	delete(m.addresses, id)
}

func (m *memory) OwnedDocuments(_ context.Context, ids ...contract.PersonID) (map[contract.PersonID]int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	owned := map[contract.PersonID]int{}
	for _, d := range m.documents {
		if slices.Contains(ids, d.Owner.ID) {
			owned[d.Owner.ID]++
		}
	}
	return owned, nil
}

func (m *memory) OpenSignatures(_ context.Context, ids ...contract.PersonID) (map[contract.PersonID]int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	open := map[contract.PersonID]int{}
	for _, d := range m.documents {
		for _, p := range d.Participants {
			if slices.Contains(ids, p.ID) && d.State == contract.Processing && p.Role == contract.Signer && p.SignedAt.IsZero() {
				open[p.ID]++
			}
		}
	}
	return open, nil
}

func (m *memory) Organisations(context.Context) ([]store.Organisation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.organisations), nil
}

func (m *memory) Users(_ context.Context, q store.UserQuery) (store.UserPage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []store.User
	for _, u := range m.users {
		if disabled := !u.DisabledAt.IsZero(); q.Status != "" && disabled != (q.Status == store.AccountDisabled) || q.Status == store.AccountInitial && !u.MustReset {
			continue
		}
		if (q.Organisation == "" || u.Organisation == q.Organisation) && (strings.Contains(u.Name, q.Search) || strings.Contains(u.Email, q.Search)) {
			all = append(all, u)
		}
	}
	slices.SortFunc(all, func(a, b store.User) int { return cmp.Compare(a.Name, b.Name) })
	from := min(q.Offset, len(all))
	return store.UserPage{Users: all[from:min(from+q.Limit, len(all))], Total: len(all)}, nil
}

func (m *memory) AddTokens(_ context.Context, of contract.Session, tokens ...store.Token) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.addSession(of)
	for _, t := range tokens {
		m.tokens[t.Hash] = t
	}
	return nil
}

func (m *memory) Token(_ context.Context, hash [32]byte) (store.Token, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.tokens[hash]
	if !ok {
		return store.Token{}, store.ErrNotFound
	}
	return t, nil
}

func (m *memory) TokenWithHolder(ctx context.Context, hash [32]byte) (store.HeldToken, error) {
	t, err := m.Token(ctx, hash)
	if err != nil {
		return store.HeldToken{}, err
	}
	u, err := m.User(ctx, t.Person)
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	o, _ := m.Organisation(ctx, u.Organisation) // a guest's is zero
	m.mu.Lock()
	s := m.sessions[t.Family]
	m.mu.Unlock()
	return store.HeldToken{Token: t, User: u, Guest: m.guest(t.Document, t.Person), Session: s, Policy: o.Accounts}, err
}

// addSession stores the session of a family, unless it is zero. The caller must hold the lock.
func (m *memory) addSession(of contract.Session) {
	if of.Family != "" {
		m.sessions[of.Family] = of
	}
}

func (m *memory) Sessions(_ context.Context, id contract.PersonID, now time.Time) ([]contract.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := []contract.Session{}
	for _, s := range m.sessions {
		if s.Person == id && s.ExpiresAt.After(now) {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b contract.Session) int { return b.LastUsedAt.Compare(a.LastUsedAt) })
	return all, nil
}

func (m *memory) RevokeOtherFamilies(_ context.Context, id contract.PersonID, keep string) error {
	m.mu.Lock()
	maps.DeleteFunc(m.sessions, func(family string, s contract.Session) bool { return s.Person == id && family != keep })
	m.mu.Unlock()
	return m.revoke(func(t store.Token) bool { return t.Person == id && t.Document == 0 && t.Family != keep })
}

func (m *memory) AddPasswordRequest(ctx context.Context, r store.PasswordRequest, e contract.Event) error {
	if err := m.LogEvents(ctx, e); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, r)
	return nil
}

func (m *memory) PasswordRequests(_ context.Context, limit int) ([]store.PasswordRequest, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests[:min(limit, len(m.requests))]), nil
}

func (m *memory) AnswerPasswordRequest(_ context.Context, id string, resets []store.PasswordReset, notices []contract.Notice) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = slices.DeleteFunc(m.requests, func(r store.PasswordRequest) bool { return r.ID == id })
	m.resets, m.notices = append(m.resets, resets...), append(m.notices, notices...)
	return nil
}

func (m *memory) findReset(match func(store.PasswordReset) bool) (store.PasswordReset, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.IndexFunc(m.resets, match); i >= 0 {
		return m.resets[i], nil
	}
	return store.PasswordReset{}, store.ErrNotFound
}

func (m *memory) PasswordReset(_ context.Context, id string) (store.PasswordReset, error) {
	return m.findReset(func(r store.PasswordReset) bool { return r.ID == id })
}

func (m *memory) PasswordResetByHash(_ context.Context, hash [32]byte) (store.PasswordReset, error) {
	return m.findReset(func(r store.PasswordReset) bool { return r.Hash == hash })
}

func (m *memory) UsePasswordReset(ctx context.Context, r store.PasswordReset, was, encoded string, _ bool, e contract.Event, n contract.Notice) error {
	if _, err := m.PasswordReset(ctx, r.ID); err != nil {
		return err
	}
	err := m.SetPassword(ctx, r.Person, was, encoded, e)
	if err == nil {
		m.notices = append(m.notices, n)
	}
	return err
}

func (m *memory) RecordSessionUse(_ context.Context, family string, at time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.sessions[family]; ok {
		s.LastUsedAt = at
		m.sessions[family] = s
	}
	return m.failUse
}

func (m *memory) ChangeAccountPolicy(_ context.Context, id contract.OrganisationID, _ time.Time, change func(*contract.AccountPolicy) (contract.Event, error)) (contract.AccountPolicy, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.organisations, func(o store.Organisation) bool { return o.ID == id })
	if i < 0 {
		return contract.AccountPolicy{}, store.ErrNotFound
	}
	p := m.organisations[i].Accounts
	e, err := change(&p)
	if err == nil && p != m.organisations[i].Accounts {
		m.organisations[i].Accounts, m.events = p, append(m.events, e)
	}
	return p, err
}

// guest returns the guest of a document, or zero.
func (m *memory) guest(id contract.DocumentID, person contract.PersonID) store.Guest {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.documents[id]
	p := d.Participant(person)
	if p == nil || !p.Guest {
		return store.Guest{}
	}
	return store.Guest{Person: p.Person, State: d.State, EndedAt: d.EndedAt}
}

func (m *memory) AddGuestToken(ctx context.Context, link store.GuestLink, k store.Token) error {
	m.mu.Lock()
	l, ok := m.links[link.Hash]
	m.mu.Unlock()
	if !ok || l.Mailed != link.Mailed || l.Document != k.Document || l.Person != k.Person {
		return store.ErrNotFound
	}
	return m.AddTokens(ctx, contract.Session{}, k)
}

func (m *memory) RotateTokens(_ context.Context, used [32]byte, now, until time.Time, of contract.Session, tokens ...store.Token) error {
	if then := m.beforeRotate; then != nil {
		m.beforeRotate = nil
		then()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.tokens[used]
	switch {
	case !ok:
		return store.ErrNotFound
	case !t.UsedAt.IsZero():
		return store.ErrConflict
	}
	t.UsedAt = now
	m.tokens[used] = t
	for hash, k := range m.tokens {
		if k.Family == t.Family && k.Kind == store.AccessToken && k.ExpiresAt.After(until) {
			k.ExpiresAt = until
			m.tokens[hash] = k
		}
	}
	for _, k := range tokens {
		m.tokens[k.Hash] = k
	}
	m.addSession(of)
	return nil
}

func (m *memory) revoke(match func(store.Token) bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for hash, t := range m.tokens {
		if match(t) {
			delete(m.tokens, hash)
		}
	}
	return nil
}

func (m *memory) CountTry(_ context.Context, t store.Try, now time.Time) (time.Time, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	spent, ok := t.Next(m.tries[t.TryKey], now)
	if ok {
		if m.tries == nil {
			m.tries = map[store.TryKey]time.Time{}
		}
		m.tries[t.TryKey] = spent
	}
	return spent, ok, nil
}

func (m *memory) PurgeTries(_ context.Context, now time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.tries, func(_ store.TryKey, spent time.Time) bool { return !spent.After(now) })
	return nil
}

func (m *memory) RecordLogins(_ context.Context, all ...contract.Login) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.logins = append(m.logins, all...)
	return nil
}

func (m *memory) ListAPIKeys(context.Context, store.KeyQuery) (store.KeyPage, error) {
	return store.KeyPage{}, nil
}

func (m *memory) PurgeLogins(context.Context, time.Time) error { return nil }

func (m *memory) Admins(_ context.Context, of contract.OrganisationID, limit int) ([]store.User, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []store.User
	for _, u := range m.users {
		if u.Organisation == of && u.Admin && u.DisabledAt.IsZero() && len(all) < limit {
			all = append(all, u)
		}
	}
	return all, nil
}

func (m *memory) SessionOf(_ context.Context, family string) (contract.Session, contract.AccountPolicy, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.sessions[family]
	if !ok {
		return s, contract.AccountPolicy{}, store.ErrNotFound
	}
	return s, contract.AccountPolicy{}, nil
}

func (m *memory) SessionsBeside(context.Context, string, time.Time) ([]contract.Session, error) {
	return nil, nil
}

func (m *memory) AddTokensBeside(context.Context, string, contract.Session, ...store.Token) error {
	return store.ErrNotFound // the tests of switching use a database
}

func (m *memory) RenewTokensBeside(context.Context, string, time.Time, contract.Session, ...store.Token) error {
	return store.ErrNotFound // the same
}

func (m *memory) RevokeFamily(_ context.Context, family string) error {
	return m.revoke(func(t store.Token) bool { return t.Family == family })
}

func (m *memory) PurgeTokens(_ context.Context, before time.Time) error {
	return m.revoke(func(t store.Token) bool { return t.ExpiresAt.Before(before) })
}

func (m *memory) KnownCaller(_ context.Context, c store.Caller, since time.Time, emails ...string) ([]store.Known, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	users := m.usersByEmail(emails)
	known := []store.Known{}
	for _, u := range users {
		device, knowsDevice := m.devices[u.ID][c.Device]
		address, knowsAddress := m.addresses[u.ID][c.Address]
		k := store.Known{Account: u.ID, Organisation: u.Organisation, Device: knowsDevice && !device.Before(since), Address: knowsAddress && !address.Before(since)}
		if k.Device || k.Address {
			known = append(known, k)
		}
	}
	return known, nil
}

func (m *memory) RememberCaller(_ context.Context, id contract.PersonID, c store.Caller, now time.Time, _ int, unknown *contract.Notice, forgiven ...store.TryKey) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range forgiven {
		delete(m.tries, k)
	}
	if m.devices[id] != nil && unknown != nil {
		m.notices = append(m.notices, *unknown)
	}
	if m.devices[id] == nil {
		m.devices[id], m.addresses[id] = map[[32]byte]time.Time{}, map[string]time.Time{}
	}
	m.devices[id][c.Device], m.addresses[id][c.Address] = now, now
	return nil
}

func (m *memory) PurgeCallers(_ context.Context, before time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id := range m.devices {
		maps.DeleteFunc(m.devices[id], func(_ [32]byte, at time.Time) bool { return at.Before(before) })
		maps.DeleteFunc(m.addresses[id], func(_ string, at time.Time) bool { return at.Before(before) })
	}
	return nil
}

// setGuestLink replaces or removes the link of a guest, and revokes the tokens of the previous link, as a commit does.
func (m *memory) setGuestLink(l store.GuestLink) {
	m.mu.Lock()
	for hash, old := range m.links {
		if old.Document == l.Document && old.Person == l.Person && (!old.Mailed || l.Hash == [32]byte{}) {
			m.former[hash] = store.FormerGuestLink{Hash: hash, Document: l.Document, Person: l.Person, EndedAt: l.CreatedAt, Revoked: l.Hash == [32]byte{}}
			delete(m.links, hash)
		}
	}
	if l.Hash != [32]byte{} {
		m.links[l.Hash] = l
	}
	m.mu.Unlock()
	_ = m.revoke(func(t store.Token) bool { // never fails
		mailed := strings.HasPrefix(t.Family, store.MailedFamily)
		return t.Kind == store.GuestToken && t.Document == l.Document && t.Person == l.Person && (!mailed || l.Hash == [32]byte{})
	})
}

func (m *memory) GuestLink(_ context.Context, hash [32]byte) (store.GuestLink, store.Guest, error) {
	m.mu.Lock()
	l, ok := m.links[hash]
	then := m.afterGuestLink
	m.afterGuestLink = nil
	m.mu.Unlock()
	if then != nil {
		then()
	}
	if !ok || l.Mailed {
		return store.GuestLink{}, store.Guest{}, store.ErrNotFound
	}
	return l, m.guest(l.Document, l.Person), nil
}

func (m *memory) MailedLink(_ context.Context, hash [32]byte) (store.GuestLink, store.Guest, error) {
	m.mu.Lock()
	l, ok := m.links[hash]
	m.mu.Unlock()
	if !ok || !l.Mailed {
		return store.GuestLink{}, store.Guest{}, store.ErrNotFound
	}
	return l, m.guest(l.Document, l.Person), nil
}

func (m *memory) MailedLinkOf(_ context.Context, id contract.DocumentID, guest contract.PersonID) (store.GuestLink, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.links {
		if l.Mailed && l.Document == id && l.Person == guest {
			return l, nil
		}
	}
	return store.GuestLink{}, store.ErrNotFound
}

func (m *memory) AddMailedLink(ctx context.Context, l store.GuestLink) error {
	if _, err := m.MailedLinkOf(ctx, l.Document, l.Person); err == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.links[l.Hash] = l
	return nil
}

func (m *memory) GuestCode(context.Context, contract.DocumentID, contract.PersonID) (contract.GuestCode, error) {
	return contract.GuestCode{}, store.ErrNotFound
}

func (m *memory) TryGuestCode(context.Context, contract.DocumentID, contract.PersonID, time.Time) (contract.GuestCode, error) {
	return contract.GuestCode{}, store.ErrNotFound
}

func (m *memory) FormerGuestLink(_ context.Context, hash [32]byte) (store.FormerGuestLink, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l, ok := m.former[hash]
	if !ok {
		return store.FormerGuestLink{}, store.ErrNotFound
	}
	return l, nil
}

func (m *memory) GuestLinks(_ context.Context, id contract.DocumentID) ([]store.GuestLink, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	links := []store.GuestLink{}
	for _, l := range m.links {
		if l.Document == id && !l.Mailed {
			links = append(links, l)
		}
	}
	return links, nil
}

// specimenKey identifies a stored picture.
type specimenKey struct {
	person contract.PersonID
	kind   store.SpecimenKind
}

func (m *memory) SetSpecimen(_ context.Context, id contract.PersonID, kind store.SpecimenKind, image []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.specimens[specimenKey{id, kind}] = image
	return nil
}

func (m *memory) Specimen(_ context.Context, id contract.PersonID, kind store.SpecimenKind) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := specimenKey{id, kind}
	if m.specimens[key] == nil {
		return nil, store.ErrNotFound
	}
	return m.specimens[key], nil
}

func (m *memory) CreateMailboxAccount(ctx context.Context, o store.Organisation, a store.MailboxAccount, e contract.Event) error {
	return errors.ErrUnsupported
}

func (m *memory) HasMailboxAccount(context.Context, string) (bool, error) {
	return false, errors.ErrUnsupported
}

func (m *memory) DocumentNaming(context.Context, contract.DocumentID, string) (contract.Document, error) {
	return contract.Document{}, errors.ErrUnsupported
}

func (m *memory) LogEvents(_ context.Context, events ...contract.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failNote != nil {
		return m.failNote
	}
	m.events = append(m.events, events...)
	return nil
}

// noFactors is the store of accounts without second factors. Tests of factors use a database.
type noFactors struct{ store.Factors }

func (noFactors) FactorsOf(context.Context, contract.PersonID) (store.PersonFactors, error) {
	return store.PersonFactors{}, nil
}

func (noFactors) FactorSummaries(context.Context, ...contract.PersonID) (map[contract.PersonID]store.FactorSummary, error) {
	return nil, nil
}

func (noFactors) PurgeChallenges(context.Context, time.Time) error { return nil }

// fixture is a service with its store and a clock that only advance changes.
type fixture struct {
	*Service
	store *memory
	log   *bytes.Buffer
	now   time.Time
}

const (
	siti     = "Siti@contoh.id"
	password = "kata sandi yang panjang"
	home     = "203.0.113.7"
)

// at returns a client at that address without a device.
func at(ip string) Client { return Client{IP: ip} }

// cheap is a cost that is low enough for tests.
var cheap = Cost{Memory: 16, Passes: 1, Threads: 1}

func empty(t *testing.T, change ...func(*Options)) *fixture {
	t.Helper()
	h := &fixture{
		store: &memory{
			sessions: map[string]contract.Session{},
			tokens:   map[[32]byte]store.Token{}, links: map[[32]byte]store.GuestLink{}, former: map[[32]byte]store.FormerGuestLink{},
			specimens: map[specimenKey][]byte{}, documents: map[contract.DocumentID]contract.Document{},
			devices: map[contract.PersonID]map[[32]byte]time.Time{}, addresses: map[contract.PersonID]map[string]time.Time{},
		},
		log: &bytes.Buffer{},
		now: time.Date(2026, 8, 17, 10, 0, 0, 0, time.UTC),
	}
	o := Options{
		Store: h.store, Clock: func() time.Time { return h.now }, Random: rand.Reader, PublicURL: "https://segel.example",
		Cost: cheap, Log: slog.New(slog.NewTextHandler(h.log, nil)),
	}
	for _, c := range change {
		c(&o)
	}
	h.Service = New(o)
	return h
}

// inhabited returns a fixture with one organisation, in which Siti has an account.
func inhabited(t *testing.T, change ...func(*Options)) *fixture {
	t.Helper()
	h := empty(t, change...)
	if _, err := h.AddUser(t.Context(), NewUser{Name: "Siti", Email: siti, Password: password, Organisation: "Contoh"}); err != nil {
		t.Fatal(err)
	}
	return h
}

// Login logs in without naming an organisation.
func (h *fixture) Login(ctx context.Context, email, password, otp string, from Client) (Session, error) {
	return h.Service.Login(ctx, Credentials{Email: email, Password: password, Factor: contract.GivenFactor{OTP: otp}}, from)
}

func (h *fixture) advance(d time.Duration) { h.now = h.now.Add(d) }

func (h *fixture) login(t *testing.T) Session {
	t.Helper()
	s, err := h.Login(t.Context(), siti, password, "", at(home))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// alive fails the test unless the token is valid. dead fails the test if it is.
func (h *fixture) alive(t *testing.T, token string) contract.Actor {
	t.Helper()
	by, err := h.Authenticate(t.Context(), token)
	if err != nil {
		t.Errorf("token is dead: %v", err)
	}
	return by
}

func (h *fixture) dead(t *testing.T, token string) {
	t.Helper()
	if by, err := h.Authenticate(t.Context(), token); !errors.Is(err, contract.ErrUnauthenticated) || !reflect.DeepEqual(by, contract.Actor{}) {
		t.Errorf("token is of %+v, %v", by, err)
	}
}

func (*memory) PurgeKeys(context.Context, time.Time, time.Time) error { return nil }
