package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"segel/internal/contract"
	"segel/internal/store"
)

// NewMailboxAccount is the account that a guest wants.
type NewMailboxAccount struct {
	Name     string // empty: the name that the sender of the document entered
	Password string
}

// FindAccountOffer returns the address for which a guest can create an account: that of the mailbox that they verified in this session. It is empty if
// the operator does not allow it, the guest verified no mailbox, or the mailbox has an account. It depends on the caller's own mailbox alone.
func (s *Service) FindAccountOffer(ctx context.Context, by contract.Actor) (string, error) {
	address, refusal := s.provedMailbox(by)
	if refusal != nil {
		return "", nil
	}
	has, err := s.store.HasMailboxAccount(ctx, strings.ToLower(address))
	if has {
		address = ""
	}
	return address, err
}

// provedMailbox returns the address of the mailbox that a guest verified in this session, or the refusal of an account.
func (s *Service) provedMailbox(by contract.Actor) (string, error) {
	switch {
	case !s.accounts:
		return "", contract.ErrAccountsOff
	case by.Guest == 0:
		return "", contract.ErrGuestsOnly
	case by.Proved.At.IsZero() || by.Proved.Channel != contract.ChannelMail || by.Proved.Address == "":
		return "", contract.ErrCodeRequired
	}
	return by.Proved.Address, nil
}

// CreateMailboxAccount creates an account for a guest who verified their mailbox in this session. The account is alone in its organisation, so that
// such accounts do not see each other and only operators administer them. It opens the documents that name the mailbox as a guest's, see OpenAsGuest.
//
// Durable with one commit: organisation, account, mailbox and event. The event belongs to no document, so that senders do not see it.
func (s *Service) CreateMailboxAccount(ctx context.Context, by contract.Actor, n NewMailboxAccount) (Account, error) {
	address, err := s.provedMailbox(by)
	if err != nil {
		return Account{}, err
	}
	mailbox := strings.ToLower(address)
	u := NewUser{Name: n.Name, Email: address, Password: n.Password}
	if contract.CleanText(n.Name) == "" {
		u.Name = by.Name
	}
	u = u.withDefaults()
	if err := s.checkUser(u); err != nil {
		return Account{}, err
	}
	has, err := s.store.HasMailboxAccount(ctx, mailbox) // before the hash, which is expensive
	if err != nil {
		return Account{}, err
	}
	if has {
		return Account{}, contract.ErrAccountExists
	}
	id, err := s.NewPersonID()
	if err != nil {
		return Account{}, err
	}
	organisation, err := newUUID(s.random)
	if err != nil {
		return Account{}, err
	}
	others, err := s.store.UsersByEmail(ctx, address)
	if err != nil {
		return Account{}, fmt.Errorf("read users by e-mail: %w", err)
	}
	hash, err := s.hasher.hashPassword(ctx, callerOrigin{key: mailbox, known: true}, u.Password, s.random, otherHashes(others, id))
	if err != nil {
		return Account{}, err
	}
	now := s.clock()
	o := store.Organisation{ID: contract.OrganisationID(organisation), Name: mailbox, CreatedAt: now}
	person := contract.Person{ID: id, Name: u.Name, Email: address}
	a := store.MailboxAccount{Mailbox: mailbox, ProvedAt: by.Proved.At, User: store.User{Person: person, Organisation: o.ID, Limited: contract.RoleMember, Password: hash, CreatedAt: now}}
	err = s.store.CreateMailboxAccount(ctx, o, a, contract.Event{Type: contract.EventAccountCreated, At: now, Person: person, IP: by.IP, Details: map[string]string{
		"organisation": organisation, "name": u.Name, "email": address,
	}})
	if errors.Is(err, store.ErrExists) {
		return Account{}, contract.ErrAccountExists // another request was first
	}
	if err != nil {
		return Account{}, err
	}
	return Account{Person: person, Organisation: o.ID, OrganisationName: o.Name}, nil
}

// OpenAsGuest opens a document that names the caller's verified mailbox as a guest's. The token is that of the guest, as if they had opened
// the link that is mailed to the mailbox: it permits the same, needs the same codes, and ends when the owner revokes the guest's links or corrects
// the address, or when the caller's own session ends or expires. Every other document is [contract.ErrNotFound].
func (s *Service) OpenAsGuest(ctx context.Context, by contract.Actor, id contract.DocumentID) (GuestSession, error) {
	if by.Guest != 0 || by.Mailbox == "" {
		return GuestSession{}, contract.ErrNotFound
	}
	d, err := s.store.DocumentNaming(ctx, id, by.Mailbox)
	if err != nil {
		return GuestSession{}, refuseNotFound(err, contract.ErrNotFound)
	}
	guest := d.GuestReading(by.Mailbox)
	if guest == nil {
		return GuestSession{}, contract.ErrNotFound
	}
	if _, err := s.MailedLink(ctx, id, guest.ID); err != nil { // ErrLinkRevoked: the owner revoked it
		return GuestSession{}, err
	}
	link, err := s.store.MailedLinkOf(ctx, id, guest.ID)
	if err != nil {
		return GuestSession{}, refuseNotFound(err, ErrLinkRevoked)
	}
	from, policy, err := s.loadOpener(ctx, by.Session)
	if err != nil {
		return GuestSession{}, err
	}
	clear, token, err := s.newToken(store.GuestToken, contract.Session{Person: guest.ID, Family: store.OpenedFamily + by.Session, CreatedAt: from.CreatedAt}, s.lifetimes.Guest, policy)
	if err != nil {
		return GuestSession{}, err
	}
	token.Document = id
	if from.ExpiresAt.Before(token.ExpiresAt) { // the session expires without being ended: nothing would remove the token
		token.ExpiresAt = from.ExpiresAt
	}
	// ErrNotFound: the owner revoked the link after it was read above.
	if err := s.store.AddGuestToken(ctx, link, token); err != nil {
		return GuestSession{}, refuseNotFound(err, ErrLinkRevoked)
	}
	// The token was handed to no one yet. If the caller's session ended, or the owner corrected the address, before it was added, it would outlive that: the
	// link above may be one that was made after the correction. A later change ends the token itself.
	_, lost := s.store.Token(ctx, by.Token)
	lost = refuseNotFound(lost, contract.ErrUnauthenticated)
	if lost == nil {
		now, err := s.store.DocumentNaming(ctx, id, by.Mailbox)
		lost = refuseNotFound(err, contract.ErrNotFound)
		if again := now.GuestReading(by.Mailbox); err == nil && (again == nil || again.ID != guest.ID) {
			lost = contract.ErrNotFound
		}
	}
	if lost != nil {
		return GuestSession{}, errors.Join(lost, s.store.RevokeFamily(ctx, token.Family))
	}
	return GuestSession{Token: clear, ExpiresIn: token.ExpiresAt.Sub(token.CreatedAt), Document: id, Person: guest.Person}, nil
}
