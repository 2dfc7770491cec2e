package identity

import (
	"context"
	"fmt"
	"strings"

	"segel/internal/contract"
	"segel/internal/store"
)

// EmbedPath is the beginning of the pages of the web app that pages of organisations show in a frame. The identifier of the organisation follows,
// by which the service knows whose pages may do so, and the secret as the fragment.
const EmbedPath = "/embed/"

// NewEmbedAddress returns a new address of an embedded page and its hash. The address works once the hash is stored.
func (s *Service) NewEmbedAddress(o contract.OrganisationID) (url string, hash [32]byte, err error) {
	clear, hash, err := newSecret(s.random, prefixEmbed)
	if err != nil {
		return "", hash, err
	}
	return s.publicURL + EmbedPath + string(o) + "#" + clear, hash, nil
}

// NewEmbedToken returns a new token of an embedded page and its hash. The token works once the hash is stored.
func (s *Service) NewEmbedToken() (clear string, hash [32]byte, err error) {
	return newSecret(s.random, prefixes[store.EmbeddedToken])
}

// CheckEmbedAddress returns the hash of an address of an embedded page, the whole URL or only its secret, and whether it can be one.
func CheckEmbedAddress(address string) (hash [32]byte, ok bool) {
	address = strings.TrimSpace(address)
	if i := strings.LastIndex(address, prefixEmbed); i >= 0 {
		address = address[i:]
	}
	return checkSecret(address[:min(len(address), secretLen+1)], prefixEmbed)
}

// AuthenticateEmbedded is Authenticate for the token of an embedded page alone.
func (s *Service) AuthenticateEmbedded(ctx context.Context, token string) (contract.Actor, error) {
	if _, _, ok := checkToken(token, store.EmbeddedToken); !ok {
		return contract.Actor{}, contract.ErrUnauthenticated
	}
	return s.authenticate(ctx, token, false)
}

// embeddedActor returns the holder of the token of an embedded page: a guest or a user, who may do what the page is for. It reads what may have ended
// the page meanwhile: see [store.HeldEmbed].
func (s *Service) embeddedActor(ctx context.Context, held store.HeldToken) (contract.Actor, error) {
	address, ok := store.EmbedAddressOf(held.Family)
	if !ok {
		return contract.Actor{}, contract.ErrUnauthenticated
	}
	now := s.clock()
	e, err := s.store.EmbedOfAddress(ctx, address, now)
	if err != nil {
		return contract.Actor{}, refuseNotFound(fmt.Errorf("read an embedded page: %w", err), contract.ErrUnauthenticated)
	}
	if !e.IsAllowed(now) || e.Person != held.Person || e.Document != held.Document {
		return contract.Actor{}, contract.ErrUnauthenticated
	}
	grant := e.Grant()
	if held.Guest.ID != "" {
		if _, err := s.requireGuest(held.Guest, held.CreatedAt); err != nil {
			return contract.Actor{}, contract.ErrUnauthenticated
		}
		by := s.guestActor(held)
		by.Embed = grant
		return by, nil
	}
	u := held.User
	if u.ID == "" || !u.DisabledAt.IsZero() || u.Organisation != e.Organisation {
		return contract.Actor{}, contract.ErrUnauthenticated
	}
	by, err := s.loadActor(ctx, u)
	if err != nil {
		return contract.Actor{}, err
	}
	by.Admin, by.Operator, by.Teams = false, false, nil // the page is for one document
	switch by.Role {
	case contract.RoleAuditor:
		by.Role = contract.RoleMember
	case contract.RoleAdmin:
		by.Role = contract.RoleSender
	}
	by.Token, by.Embed, by.SignFactor, by.ProofIsOld = held.Hash, grant, held.Policy.SignFactor, true
	return by, nil
}

// guestActor returns the holder of a guest's token as who makes a request.
func (s *Service) guestActor(held store.HeldToken) contract.Actor {
	guest := held.Guest
	by := contract.Actor{Person: guest.Person, Guest: held.Document, Token: held.Hash, Link: contract.LinkHandedOut, Proved: guest.Proved, Channel: guest.Channel, OrganisationState: guest.OrganisationState}
	address, sent := guest.Email, contract.LinkMailed
	if guest.Channel.IsPhone() {
		address, sent = guest.Phone, contract.LinkTexted
	}
	if strings.HasPrefix(held.Family, store.MailedFamily) && s.delivers(guest.Channel) {
		by.Link = sent
	}
	if by.Proved.Channel != guest.Channel || by.Proved.Address != address {
		by.Proved = contract.Contact{} // of a former address or number
	}
	return by
}

// ProveEmbedded checks the password and, if the account has one, the second factor that a person gives in an embedded page, as a login does, and
// returns the factor. It is empty if they gave none. The organisation's demands of logins apply, and what is wrong is recorded as a failed login.
// Tries are counted apart from those in the person's sessions, see [loginThrottle.admitEmbedded].
func (s *Service) ProveEmbedded(ctx context.Context, by contract.Actor, given contract.GivenFactor) (contract.Factor, error) {
	if given.Password == "" {
		return "", nil
	}
	u, account, err := s.loadCaller(ctx, by)
	if err != nil {
		return "", err
	}
	if err := s.throttle.admitEmbedded(ctx, u.ID, Network(by.IP), by.Embed.Document, s.clock()); err != nil {
		s.countLimited(err, "", u.ID, clientOf(by))
		return "", err
	}
	refused, err := s.refusesPassword(ctx, u)
	if err != nil {
		return "", err
	}
	right, err := s.hasher.verifyPassword(ctx, callerOrigin{key: Network(by.IP)}, given.Password, u.Password)
	if err != nil {
		return "", fmt.Errorf("check the password of user %q: %w", u.ID, err)
	}
	if !right || refused {
		s.recordFailure(ctx, []store.User{u}, contract.FactorPassword, clientOf(by))
		return "", contract.ErrEmbedPassword
	}
	proof, err := s.proveLogin(ctx, u, given, by.IP)
	if err != nil {
		s.recordWrongFactor(ctx, err, u, given, clientOf(by))
		return "", err
	}
	if account.Policy.MissesFactor(u.Admin, proof.Factor) {
		return "", contract.ErrMustEnrol
	}
	return proof.Factor, nil
}
