package identity

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"segel/internal/contract"
	"segel/internal/store"
)

// InvitationPath is the page of the web app to which an invitation leads.
const InvitationPath = "/invitation"

// invitationsKept is how long the link of an invitation that has expired still says why it opens nothing.
const invitationsKept = 90 * 24 * time.Hour

// NewInvitation describes a person whom an administrator invites.
type NewInvitation struct {
	Name         string // may be empty
	Email        string
	Role         contract.AccountRole    // empty: RoleSender
	Language     string                  // of the message; empty: that of the organisation
	Organisation contract.OrganisationID // empty: the caller's own
}

// Invite invites a person to become a member of an organisation, with a message to their address. An invitation of the same address that is open is
// replaced: its link ends. All errors of the input are returned together. The answer is the same, after the same work, whether the address has accounts in
// other organisations or not.
func (s *Service) Invite(ctx context.Context, by contract.Actor, n NewInvitation) (contract.Invitation, error) {
	of, err := by.AuthoriseAdmin(contract.AdminInvite, cmp.Or(n.Organisation, by.Organisation))
	if err != nil {
		return contract.Invitation{}, err
	}
	i := contract.Invitation{Organisation: of, Name: contract.CleanText(n.Name), Email: n.Email, Role: cmp.Or(n.Role, contract.RoleSender), Language: n.Language}
	address, code := contract.ParseEmail(n.Email)
	if code == "" {
		i.Email = address
	}
	var bad []contract.FieldError
	if code != "" {
		bad = append(bad, contract.NewFieldError("email", code))
	}
	if utf8.RuneCountInString(i.Name) > maxName {
		bad = append(bad, contract.NewFieldError("name", "text.too_long", "limit", maxName))
	}
	if i.Language != "" && !slices.Contains(contract.MessageLanguages, i.Language) {
		bad = append(bad, contract.NewFieldError("language", "value.not_one_of", "allowed", strings.Join(contract.MessageLanguages, ", ")))
	}
	if err := contract.InvalidInput(bad...); err != nil {
		return contract.Invitation{}, err
	}
	return s.sendInvitation(store.WithFinalAnswer(ctx, func(i contract.Invitation) any { return i }), by, i, "")
}

// ResendInvitation replaces an open invitation by one with another link and another seven days. The caller becomes its inviter. If it is revoked,
// accepted or replaced at the same moment, no other one is made.
func (s *Service) ResendInvitation(ctx context.Context, by contract.Actor, id contract.InvitationID) (contract.Invitation, error) {
	i, err := s.openInvitation(ctx, by, contract.AdminInvite, id)
	if err != nil {
		return contract.Invitation{}, err
	}
	return s.sendInvitation(ctx, by, i, i.ID)
}

// sendInvitation stores an invitation with another link, and orders the message. Organisation, address, name, role and language are given. Former is the
// one that it has to replace; empty: any open one of the address.
func (s *Service) sendInvitation(ctx context.Context, by contract.Actor, i contract.Invitation, former contract.InvitationID) (contract.Invitation, error) {
	o, err := s.store.Organisation(ctx, i.Organisation)
	if err != nil {
		return i, refuseNotFound(fmt.Errorf("read organisation %s: %w", i.Organisation, err), contract.ErrNoOrganisation)
	}
	if err := o.State.RequireActive(); err != nil { // of an operator's request about it
		return i, err
	}
	if err := s.refuseMember(ctx, i); err != nil {
		return i, err
	}
	id, err := newUUID(s.random)
	if err != nil {
		return i, err
	}
	i.ID, i.CreatedAt = contract.InvitationID(id), s.clock().Truncate(time.Microsecond) // as it is stored, because the secret is derived from it
	i.Inviter = contract.Person{}
	if !by.IsSystem() {
		i.Inviter = contract.Person{ID: by.ID, Name: by.Name}
	}
	i.ExpiresAt = i.CreatedAt.Add(contract.InvitationLifetime)
	if _, i.Hash, err = s.deriveInvitation(i); err != nil {
		return i, err
	}
	// The rates are those of an organisation alone: what others invite neither shows here nor is in the way.
	for _, count := range []struct {
		tryCount
		key string
	}{{s.throttle.invited, string(i.Organisation) + " " + emailSpellings(i.Email)[0]}, {s.throttle.inviting, string(i.Organisation)}} {
		if wait, err := count.takeToken(ctx, count.key, i.CreatedAt); err != nil || wait > 0 {
			return i, refuseWait(wait, err)
		}
	}
	n := s.newAccountNotice(contract.NoticeInvitation, store.User{Organisation: i.Organisation}, Client{Language: i.Language})
	n.By, n.Account.Email, n.Account.Reference = i.Inviter.Name, i.Email, id
	// Durable with this commit: the invitation, the end of a former one, the message, and the answer to a request with a key.
	err = s.store.AddInvitation(ctx, i, former, n, s.invitationEvent(contract.EventInvitationSent, by, i))
	switch {
	case errors.Is(err, store.ErrExists): // the account was created meanwhile
		return i, contract.ErrInvitationExists.With("email", i.Email)
	case errors.Is(err, store.ErrConflict): // the former one was accepted, revoked or replaced meanwhile
		return i, contract.ErrNoInvitation
	case errors.Is(err, store.ErrClaimLost):
		return i, contract.ErrKeyRunning.WithCause(err)
	}
	return i, err
}

// refuseMember refuses to invite an address that has an account in the organisation.
func (s *Service) refuseMember(ctx context.Context, i contract.Invitation) error {
	u, err := s.store.MemberByEmail(ctx, i.Organisation, i.Email)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return fmt.Errorf("read a member: %w", err)
	case !u.DisabledAt.IsZero():
		return contract.ErrInvitationDisabled.With("email", i.Email)
	}
	return contract.ErrInvitationExists.With("email", i.Email)
}

// invitationEvent returns an event about an invitation.
func (s *Service) invitationEvent(t contract.EventType, by contract.Actor, i contract.Invitation) contract.Event {
	e := contract.Event{Type: t, At: s.clock(), Details: map[string]string{
		"invitation": string(i.ID), "organisation": string(i.Organisation), "email": i.Email, "role": string(i.Role),
	}}
	if i.Name != "" {
		e.Details["name"] = i.Name
	}
	return by.SignEvent(e)
}

// Invitations returns one page of the open invitations that a query selects, also those that have expired, and how many there are in all.
func (s *Service) Invitations(ctx context.Context, by contract.Actor, q store.InvitationQuery) (store.InvitationPage, error) {
	of, err := by.AuthoriseAdmin(contract.AdminInvitations, q.Organisation)
	if err != nil {
		return store.InvitationPage{}, err
	}
	q.Organisation = of
	if of != "" {
		if _, err := s.store.Organisation(ctx, of); err != nil {
			return store.InvitationPage{}, refuseNotFound(fmt.Errorf("read organisation %s: %w", of, err), contract.ErrNoOrganisation)
		}
	}
	return s.store.ListInvitations(ctx, q)
}

// RevokeInvitation ends an open invitation: its link opens nothing from then on.
func (s *Service) RevokeInvitation(ctx context.Context, by contract.Actor, id contract.InvitationID) error {
	i, err := s.openInvitation(ctx, by, contract.AdminRevokeInvitation, id)
	if err != nil {
		return err
	}
	err = s.store.RevokeInvitation(ctx, id, s.invitationEvent(contract.EventInvitationRevoked, by, i))
	if errors.Is(err, store.ErrConflict) { // accepted, revoked or replaced meanwhile
		return contract.ErrNoInvitation
	}
	return err
}

// openInvitation returns an open invitation, also one that has expired, of an organisation that the caller administers. Every other one is
// contract.ErrNoInvitation, as one that does not exist.
func (s *Service) openInvitation(ctx context.Context, by contract.Actor, op contract.AdminOperation, id contract.InvitationID) (contract.Invitation, error) {
	of, err := by.AuthoriseAdmin(op, "")
	if err != nil {
		return contract.Invitation{}, err
	}
	i, err := s.store.Invitation(ctx, id)
	if err != nil {
		return i, refuseNotFound(err, contract.ErrNoInvitation)
	}
	if of != "" && i.Organisation != of || i.Ending != contract.InvitationOpen {
		return contract.Invitation{}, contract.ErrNoInvitation
	}
	return i, nil
}

// deriveInvitation derives the secret of an invitation from its row and the master key. A row that was written or changed without the master key, for
// example to another role, opens nothing.
func (s *Service) deriveInvitation(i contract.Invitation) (clear string, hash [32]byte, err error) {
	if s.linkKey == ([32]byte{}) {
		return "", hash, errors.New("no key for mailed links")
	}
	info := fmt.Sprintf("invitation %s %s %q %s %q %d %d", i.ID, i.Organisation, i.Email, i.Role, i.Inviter.ID, i.CreatedAt.UnixMicro(), i.ExpiresAt.UnixMicro())
	secret, err := hkdf.Expand(sha256.New, s.linkKey[:], info, 32)
	if err != nil {
		return "", hash, fmt.Errorf("derive an invitation: %w", err)
	}
	return newSecret(bytes.NewReader(secret), prefixInvitation)
}

// Invited is what the link of an invitation shows.
type Invited struct {
	Invitation       contract.Invitation
	OrganisationName string
	Provider         bool // the person logs in at the provider of the organisation, and cannot set a password
}

// LookUpInvitation returns what an invitation that can be accepted says. Link is the URL or only its secret. A refusal says why it cannot.
func (s *Service) LookUpInvitation(ctx context.Context, link string) (Invited, error) {
	i, err := s.readInvitation(ctx, link)
	if err != nil {
		return Invited{}, err
	}
	o, err := s.store.Organisation(ctx, i.Organisation)
	if err != nil {
		return Invited{}, fmt.Errorf("read organisation %s: %w", i.Organisation, err)
	}
	if err := o.State.RequireActive(); err != nil {
		return Invited{}, err
	}
	if err := s.requireInviter(ctx, i); err != nil {
		return Invited{}, err
	}
	provider, err := s.demandsProvider(ctx, i)
	return Invited{Invitation: i, OrganisationName: o.Name, Provider: provider}, err
}

// readInvitation reads the invitation of a link, and says why it cannot be accepted. It does not check organisation and inviter.
func (s *Service) readInvitation(ctx context.Context, link string) (contract.Invitation, error) {
	link = strings.TrimSpace(link)
	if at := strings.LastIndex(link, prefixInvitation); at >= 0 {
		link = link[at:]
	}
	hash, ok := checkSecret(link, prefixInvitation)
	if !ok {
		return contract.Invitation{}, contract.ErrInvitationLink
	}
	i, err := s.store.InvitationByHash(ctx, hash)
	if err != nil {
		return i, refuseNotFound(err, contract.ErrInvitationLink)
	}
	if _, derived, err := s.deriveInvitation(i); err != nil || derived != hash {
		return i, contract.ErrInvitationLink
	}
	return i, i.RequireOpen(s.clock())
}

// requireInviter refuses an invitation whose inviter does not administer the organisation any more: else a dismissed admin could have invited
// themselves in time. [store.Invitations.AcceptInvitation] decides the same in its transaction.
func (s *Service) requireInviter(ctx context.Context, i contract.Invitation) error {
	if i.Inviter.ID == "" { // the command line
		return nil
	}
	u, err := s.store.User(ctx, i.Inviter.ID)
	if err != nil {
		return refuseNotFound(fmt.Errorf("read user %s: %w", i.Inviter.ID, err), contract.ErrInvitationLapsed)
	}
	operator, err := s.isOperator(ctx, u)
	switch {
	case err != nil:
		return err
	case !u.DisabledAt.IsZero() || !u.Admin || u.Organisation != i.Organisation && !operator:
		return contract.ErrInvitationLapsed
	}
	return nil
}

// demandsProvider reports whether the organisation of an invitation accepts no password from the invited person.
func (s *Service) demandsProvider(ctx context.Context, i contract.Invitation) (bool, error) {
	refuses, err := s.passwordRefusal(ctx, i.Email)
	return err == nil && refuses != nil && refuses(store.User{Organisation: i.Organisation, Admin: i.Role == contract.RoleAdmin}), err
}

// AcceptInvitation creates the account that an invitation asked for, with a name and a password that the person chose. Refusals of the password name
// the field "password"; those of the link are as in LookUpInvitation. An address that has got an account meanwhile is ErrInvitationUsed.
func (s *Service) AcceptInvitation(ctx context.Context, link, name, password string, from Client) (Account, error) {
	found, err := s.LookUpInvitation(ctx, link)
	if err != nil {
		return Account{}, err
	}
	i := found.Invitation
	if found.Provider {
		return Account{}, contract.ErrInvitationProvider
	}
	n := NewUser{Name: cmp.Or(contract.CleanText(name), i.Name), Email: i.Email, Password: password, Role: i.Role, Organisation: found.OrganisationName}.withDefaults()
	if err := s.checkUser(n); err != nil {
		return Account{}, err
	}
	if err := s.throttle.admitHolder(ctx, contract.PersonID(i.ID), s.clock()); err != nil { // each try takes a hash
		return Account{}, err
	}
	return s.acceptAs(ctx, i, n, store.Organisation{ID: i.Organisation, Name: found.OrganisationName}, from.IP)
}

// AcceptInvited creates the account of a person whom the provider of their organisation named, if there is an open invitation of their address.
// Role is that of their groups, or empty: that of the invitation. The password is random and not kept. [store.ErrNotFound]: they are not invited.
func (s *Service) AcceptInvited(ctx context.Context, p Provisioned) (store.User, error) {
	open, err := s.store.ListInvitations(ctx, store.InvitationQuery{Organisation: p.Organisation, Email: p.Email, Limit: 1})
	if err != nil {
		return store.User{}, err
	}
	if len(open.Invitations) == 0 {
		return store.User{}, store.ErrNotFound
	}
	i := open.Invitations[0]
	_, derived, err := s.deriveInvitation(i)
	if err != nil || derived != i.Hash || i.RequireOpen(s.clock()) != nil {
		return store.User{}, errors.Join(err, store.ErrNotFound)
	}
	password, err := newPassword(s.random)
	if err != nil {
		return store.User{}, err
	}
	o, err := s.store.Organisation(ctx, i.Organisation)
	if err != nil {
		return store.User{}, fmt.Errorf("read organisation %s: %w", i.Organisation, err)
	}
	n := NewUser{Name: cmp.Or(p.Name, i.Name), Email: i.Email, Password: password, Role: cmp.Or(p.Role, i.Role)}.withDefaults()
	if err := s.checkUser(n); err != nil {
		return store.User{}, err
	}
	a, err := s.acceptAs(ctx, i, n, o, p.IP)
	switch {
	case errors.Is(err, contract.ErrInvitationLapsed), errors.Is(err, contract.ErrInvitationLink), errors.Is(err, contract.ErrInvitationReplaced), errors.Is(err, contract.ErrInvitationRevoked), errors.Is(err, contract.ErrInvitationExpired):
		return store.User{}, store.ErrNotFound // as without an invitation
	case err != nil:
		return store.User{}, err
	}
	u, err := s.store.User(ctx, a.ID)
	if err != nil {
		return store.User{}, fmt.Errorf("read user %s: %w", a.ID, err)
	}
	return u, nil
}

// acceptAs creates the account of an invitation.
func (s *Service) acceptAs(ctx context.Context, i contract.Invitation, n NewUser, o store.Organisation, ip string) (Account, error) {
	u, err := s.newUser(ctx, n, o)
	if err != nil {
		return Account{}, err
	}
	e := s.invitationEvent(contract.EventInvitationAccepted, contract.Actor{Person: u.Person, IP: ip}, i)
	e.Details["person"], e.Details["name"], e.Details["role"] = string(u.ID), u.Name, string(n.Role)
	// Durable with this commit: the account, and that the invitation was accepted. If the process dies before it, the link can still be used.
	err = s.store.AcceptInvitation(ctx, i, u, e)
	switch {
	case errors.Is(err, store.ErrExists):
		return Account{}, contract.ErrInvitationUsed
	case errors.Is(err, store.ErrConflict): // accepted, revoked or replaced meanwhile
		now, err := s.store.Invitation(ctx, i.ID)
		if err == nil {
			err = now.RequireOpen(s.clock())
		}
		if err == nil {
			err = contract.ErrInvitationLink // its row was changed
		}
		return Account{}, refuseNotFound(err, contract.ErrInvitationLink)
	case err != nil:
		return Account{}, err
	}
	return accountOf(u, o), nil
}

// invitationMessage is AccountMessage for an invitation.
func (s *Service) invitationMessage(ctx context.Context, n contract.Notice) (contract.AccountMessage, error) {
	i, err := s.store.Invitation(ctx, contract.InvitationID(n.Account.Reference))
	if err != nil {
		return contract.AccountMessage{}, refuseNotFound(err, contract.ErrNoInvitation)
	}
	o, err := s.store.Organisation(ctx, i.Organisation)
	if err != nil {
		return contract.AccountMessage{}, fmt.Errorf("read organisation %s: %w", i.Organisation, err)
	}
	for _, err := range []error{i.RequireOpen(s.clock()), o.State.RequireActive(), s.requireInviter(ctx, i)} {
		if err != nil {
			return contract.AccountMessage{}, err
		}
	}
	clear, hash, err := s.deriveInvitation(i)
	if err != nil {
		return contract.AccountMessage{}, err
	}
	if hash != i.Hash {
		return contract.AccountMessage{}, fmt.Errorf("invitation %s was made with another master key", i.ID)
	}
	return contract.AccountMessage{To: contract.Person{Name: i.Name, Email: i.Email}, Link: s.publicURL + InvitationPath + "#" + clear, Until: i.ExpiresAt}, nil
}
