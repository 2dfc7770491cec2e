package identity

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"segel/internal/contract"
	"segel/internal/passkey"
	"segel/internal/store"
)

// Sealer encrypts secrets under the master key. A secret that was sealed for one purpose cannot be opened for another.
type Sealer interface {
	Seal(purpose string, plain []byte) ([]byte, error)
	Open(purpose string, sealed []byte) ([]byte, error)
}

// PasskeyOptions are the options for navigator.credentials, with the ticket that the client sends back beside the answer.
type PasskeyOptions struct {
	Ticket  string
	Options json.RawMessage
}

// PersonFactors are the second factors of the caller.
type PersonFactors struct {
	store.PersonFactors
	Possible bool // browsers allow passkeys under the public address
	Required bool // the organisation requires a second factor at logins of this account
	Provider bool // changes take a recent login at the provider of the organisation instead of the password
}

// Factors returns the second factors of the caller.
func (s *Service) Factors(ctx context.Context, by contract.Actor) (PersonFactors, error) {
	u, account, err := s.loadCaller(ctx, by)
	if err != nil {
		return PersonFactors{}, err
	}
	f, err := s.store.FactorsOf(ctx, u.ID)
	if err != nil {
		return PersonFactors{}, err
	}
	provider, err := s.refusesPassword(ctx, u)
	if err != nil {
		return PersonFactors{}, err
	}
	return PersonFactors{Provider: provider, PersonFactors: f, Possible: s.passkeys != nil, Required: account.Policy.LoginFactor.Applies(u.Admin)}, nil
}

// acceptedFactors lists what a login to an account with these factors accepts beside the password.
func acceptedFactors(f store.PersonFactors) []string {
	var all []string
	if f.Authenticator != nil {
		all = append(all, string(contract.FactorTOTP))
	}
	if len(f.Passkeys) > 0 {
		all = append(all, string(contract.FactorPasskey))
	}
	if f.Recovery > 0 {
		all = append(all, string(contract.FactorRecovery))
	}
	return all
}

// proveFactor checks a second factor of an account and uses it up. The use is durable before it returns: the same code or answer is accepted again
// only for the same binding, by a repeat of the request. The zero binding cannot be repeated.
func (s *Service) proveFactor(ctx context.Context, u store.User, given contract.GivenFactor, challenge contract.Challenge, binding [32]byte, ip string) (Proof, error) {
	if given.Passkey != nil {
		k, err := s.provePasskey(ctx, given, challenge, binding)
		if err == nil && k.Person != u.ID {
			err = contract.ErrPasskeyWrong // a passkey of another account; its challenge is used up
		}
		return Proof{Factor: contract.FactorPasskey, second: contract.FactorPasskey, passkey: k.ID}, err
	}
	code := cleanCode(given.OTP)
	if len(code) == recoveryLen {
		return Proof{Factor: contract.FactorRecovery, second: contract.FactorRecovery}, s.useRecoveryCode(ctx, u, code, binding, ip)
	}
	added, err := s.useTOTP(ctx, u, code, binding)
	return Proof{Factor: contract.FactorTOTP, second: contract.FactorTOTP, app: added}, err
}

// ProveSigning checks the second factor that a person presents for one signature, or for the signatures of one consent, and returns it. It is empty
// if none was presented, or the account has none: then an otp is ignored.
//
// A code or answer that was accepted is accepted again for the same list of documents within [contract.ProofTime], so that a repeat of the request
// after a crash needs no other one.
//
// A person in an embedded page did not log in, and gives all that a login asks for: see ProveEmbedded.
func (s *Service) ProveSigning(ctx context.Context, by contract.Actor, given contract.GivenFactor, consent contract.Consent) (contract.Factor, error) {
	if by.Embed != nil && by.Guest == 0 {
		return s.ProveEmbedded(ctx, by, given)
	}
	if by.Guest != 0 || by.IsSystem() || by.Key != nil || !given.IsGiven() {
		return "", nil
	}
	f, err := s.store.FactorsOf(ctx, by.ID)
	if err != nil || !f.Any() {
		return "", err
	}
	challenge := contract.Challenge{Purpose: contract.ChallengeSign, Person: by.ID, Consent: consent}
	u := store.User{Person: by.Person, Organisation: by.Organisation}
	proof, err := s.proveFactor(ctx, u, given, challenge, contract.SignBinding(consent), by.IP)
	if err != nil {
		return "", err
	}
	return proof.Factor, nil
}

// requirePassword requires the caller's current password before a change of their factors, so that a stolen session cannot make one. An account
// whose organisation demands its identity provider instead of passwords has to have logged in there recently.
func (s *Service) requirePassword(ctx context.Context, by contract.Actor, u store.User, current string) error {
	refused, err := s.refusesPassword(ctx, u)
	switch {
	case err != nil:
		return err
	case refused:
		return by.RequireRecentProof()
	}
	return s.checkOwnPassword(ctx, by, u, current)
}

// checkOwnPassword compares a password with the caller's, who has a token of the account: others who try passwords on it do not delay them. A wrong one is
// recorded as a failed login, because a person who has only the session guesses like this.
func (s *Service) checkOwnPassword(ctx context.Context, by contract.Actor, u store.User, current string) error {
	if err := s.throttle.admitHolder(ctx, by.ID, s.clock()); err != nil {
		s.countLimited(err, "", by.ID, clientOf(by))
		return err
	}
	right, err := s.hasher.verifyPassword(ctx, callerOrigin{key: string(by.ID), known: true}, current, u.Password)
	if err != nil {
		return fmt.Errorf("check the password of user %q: %w", u.ID, err)
	}
	if !right {
		return s.refuseOwnPassword(ctx, by, u)
	}
	return nil
}

// refuseOwnPassword records a wrong password of the caller as a failed login, and returns its refusal.
func (s *Service) refuseOwnPassword(ctx context.Context, by contract.Actor, u store.User) error {
	s.recordFailure(ctx, []store.User{u}, contract.FactorPassword, clientOf(by))
	return contract.InvalidInput(contract.FieldError{Field: "current", Code: "password.wrong"})
}

// factorEvent returns an event about a factor of an account. Details alternates names and values.
func (s *Service) factorEvent(t contract.EventType, by contract.Actor, u store.User, details ...string) contract.Event {
	e := s.accountEvent(t, by, u)
	for i := 0; i+1 < len(details); i += 2 {
		e.Details[details[i]] = details[i+1]
	}
	return e
}

// raiseSession records in the session of the caller the factor that they proved by adding it. If the process dies before, the person logs in
// again.
func (s *Service) raiseSession(ctx context.Context, by contract.Actor, f contract.Factor) error {
	if by.Factor.IsStrong() {
		return nil
	}
	return s.store.RaiseSession(ctx, by.Session, f, s.clock())
}

// addFactor adds a factor, and returns the recovery codes that were stored with it: new ones if it is the first factor of the account. Of two
// factors that are added at the same time, one is the first, so no codes are shown that another request replaced.
func (s *Service) addFactor(ctx context.Context, id contract.PersonID, add func(hashes [][32]byte) error) ([]string, error) {
	f, err := s.store.FactorsOf(ctx, id)
	if err != nil {
		return nil, err
	}
	if !f.Any() {
		codes, hashes, err := s.newRecoveryCodes(id)
		if err != nil {
			return nil, err
		}
		if err = add(hashes); !errors.Is(err, store.ErrNotFirst) {
			return codes, err
		}
	}
	return nil, add(nil)
}

// RegisterOptions returns options for a new passkey of the caller. Current is their password.
func (s *Service) RegisterOptions(ctx context.Context, by contract.Actor, current string) (PasskeyOptions, error) {
	u, _, err := s.loadCaller(ctx, by)
	if err != nil {
		return PasskeyOptions{}, err
	}
	if s.passkeys == nil {
		return PasskeyOptions{}, contract.ErrNoPasskeys
	}
	if err := s.requirePassword(ctx, by, u, current); err != nil {
		return PasskeyOptions{}, err
	}
	f, err := s.store.FactorsOf(ctx, u.ID)
	if err != nil {
		return PasskeyOptions{}, err
	}
	if len(f.Passkeys) >= contract.MaxPasskeys {
		return PasskeyOptions{}, contract.ErrTooManyPasskeys
	}
	challenge, ticket, err := s.newChallenge(contract.Challenge{Purpose: contract.ChallengeRegister, Person: u.ID})
	if err != nil {
		return PasskeyOptions{}, err
	}
	known := make([][]byte, 0, len(f.Passkeys))
	for _, k := range f.Passkeys {
		if id, err := base64.RawURLEncoding.DecodeString(k.ID); err == nil {
			known = append(known, id)
		}
	}
	options, err := s.passkeys.CreationOptions(challenge.Sum(), passkeyAccount(u), known...)
	return PasskeyOptions{Ticket: ticket, Options: options}, err
}

// AddPasskey registers the passkey that answered RegisterOptions, under a name. It returns recovery codes, which are shown once, if the account had
// no factor.
func (s *Service) AddPasskey(ctx context.Context, by contract.Actor, answer contract.GivenFactor, name string) (store.Passkey, []string, error) {
	u, _, err := s.loadCaller(ctx, by)
	if err != nil {
		return store.Passkey{}, nil, err
	}
	if s.passkeys == nil {
		return store.Passkey{}, nil, contract.ErrNoPasskeys
	}
	if name, err = checkPasskeyName(name); err != nil {
		return store.Passkey{}, nil, err
	}
	challenge, err := s.openTicket(answer.Ticket, contract.Challenge{Purpose: contract.ChallengeRegister, Person: u.ID}, contract.ChallengeTime)
	if err != nil {
		return store.Passkey{}, nil, contract.ErrEnrolment.WithCause(err)
	}
	made, err := s.passkeys.VerifyRegistration(challenge.Sum(), passkeyAccount(u), answer.Passkey)
	if err != nil {
		return store.Passkey{}, nil, contract.ErrPasskeyWrong.WithCause(err)
	}
	now := s.clock()
	k := store.Passkey{
		ID: base64.RawURLEncoding.EncodeToString(made.ID), Person: u.ID, Name: name, PublicKey: made.PublicKey, AAGUID: made.AAGUID, Transports: strings.Join(made.Transports, ","),
		BackupEligible: made.BackupEligible, CreatedAt: now, SignCount: made.SignCount, BackedUp: made.BackedUp,
	}
	use := store.UsedChallenge{Ticket: sha256.Sum256(challenge.Ticket), At: now}
	// Durable with this commit: the passkey and the hashes of the recovery codes, and the message about it. If the process dies after it, the codes were never shown, and
	// the person replaces them.
	codes, err := s.addFactor(ctx, u.ID, func(hashes [][32]byte) error {
		return s.store.AddPasskey(ctx, k, use, contract.MaxPasskeys, hashes, s.factorEvent(contract.EventFactorAdded, by, u, "factor", string(contract.FactorPasskey), "passkey", name),
			s.newAccountNotice(contract.NoticeFactorAdded, u, clientOf(by)))
	})
	switch {
	case errors.Is(err, store.ErrExists):
		err = contract.ErrFactorExists
	case errors.Is(err, store.ErrConflict): // the answer was sent before, or another request added the last one
		err = contract.ErrEnrolment
	case err == nil:
		err = s.raiseSession(ctx, by, contract.FactorPasskey)
	}
	return k, codes, err
}

// checkPasskeyName returns the cleaned name of a passkey.
func checkPasskeyName(name string) (string, error) {
	name = contract.CleanText(name)
	switch {
	case !contract.HasVisibleText(name):
		return "", contract.InvalidInput(contract.NewFieldError("name", "value.required"))
	case utf8.RuneCountInString(name) > contract.MaxPasskeyName:
		return "", contract.InvalidInput(contract.NewFieldError("name", "text.too_long", "limit", contract.MaxPasskeyName))
	}
	return name, nil
}

// RenamePasskey changes the name of a passkey of the caller.
func (s *Service) RenamePasskey(ctx context.Context, by contract.Actor, id, name string) error {
	u, _, err := s.loadCaller(ctx, by)
	if err != nil {
		return err
	}
	if name, err = checkPasskeyName(name); err != nil {
		return err
	}
	return refuseNotFound(s.store.RenamePasskey(ctx, u.ID, id, name, s.factorEvent(contract.EventPasskeyRenamed, by, u, "passkey", name)), contract.ErrNoFactor)
}

// RemovePasskey removes a passkey of the caller, and ends their other sessions, which may have been opened with it. Current is their password.
// ErrFactorNeeded: it is the last factor, and the organisation requires one.
func (s *Service) RemovePasskey(ctx context.Context, by contract.Actor, id, current string) error {
	return s.removeFactor(ctx, by, current, func(u store.User, f store.PersonFactors, keep bool) error {
		for _, k := range f.Passkeys {
			if k.ID == id {
				return s.store.RemovePasskey(ctx, u.ID, id, by.Session, keep, s.factorEvent(contract.EventFactorRemoved, by, u, "factor", string(contract.FactorPasskey), "passkey", k.Name), s.newAccountNotice(contract.NoticeFactorRemoved, u, clientOf(by)))
			}
		}
		return store.ErrNotFound
	})
}

// RemoveTOTP removes the authenticator app of the caller, in the same way as [Service.RemovePasskey].
func (s *Service) RemoveTOTP(ctx context.Context, by contract.Actor, current string) error {
	return s.removeFactor(ctx, by, current, func(u store.User, _ store.PersonFactors, keep bool) error {
		return s.store.RemoveAuthenticator(ctx, u.ID, by.Session, keep, s.factorEvent(contract.EventFactorRemoved, by, u, "factor", string(contract.FactorTOTP)), s.newAccountNotice(contract.NoticeFactorRemoved, u, clientOf(by)))
	})
}

// removeFactor removes a factor of the caller by remove, which keeps the last one if keep is true.
func (s *Service) removeFactor(ctx context.Context, by contract.Actor, current string, remove func(u store.User, f store.PersonFactors, keep bool) error) error {
	u, account, err := s.loadCaller(ctx, by)
	if err != nil {
		return err
	}
	if err := s.requirePassword(ctx, by, u, current); err != nil {
		return err
	}
	f, err := s.store.FactorsOf(ctx, u.ID)
	if err != nil {
		return err
	}
	err = remove(u, f, account.Policy.LoginFactor.Applies(u.Admin) || account.Policy.SignFactor)
	if errors.Is(err, store.ErrConflict) {
		return contract.ErrFactorNeeded
	}
	return refuseNotFound(err, contract.ErrNoFactor)
}

// ResetFactors removes all factors of an account on behalf of an administrator, and ends its sessions. The person logs in with their password,
// and adds others if their organisation requires it. An account without factors stays as it is.
func (s *Service) ResetFactors(ctx context.Context, by contract.Actor, id contract.PersonID) (Member, error) {
	return s.changePerson(ctx, by, contract.AdminResetFactors, id, func(u store.User) error {
		if err := by.RequireOther(id); err != nil {
			return err
		}
		return s.store.ResetFactors(ctx, id, s.accountEvent(contract.EventFactorsReset, by, u), s.newAccountNotice(contract.NoticeFactorsReset, u, Client{}))
	})
}

// LoginOptions returns options for a login with a passkey. They name no account.
func (s *Service) LoginOptions(_ context.Context) (PasskeyOptions, error) {
	return s.requestOptions(contract.Challenge{Purpose: contract.ChallengeLogin})
}

// SignOptions returns options for the signatures of one consent, by a passkey of the caller. Their challenge covers the documents and digests.
func (s *Service) SignOptions(ctx context.Context, by contract.Actor, documents []contract.ConsentItem) (PasskeyOptions, error) {
	if _, _, err := s.loadCaller(ctx, by); err != nil {
		return PasskeyOptions{}, err
	}
	if err := contract.CheckConsent(documents, documents); err != nil {
		return PasskeyOptions{}, err
	}
	return s.requestOptions(contract.Challenge{Purpose: contract.ChallengeSign, Person: by.ID, Consent: contract.NewConsent(documents)})
}

// requestOptions returns options for an answer to a challenge.
func (s *Service) requestOptions(c contract.Challenge) (PasskeyOptions, error) {
	if s.passkeys == nil {
		return PasskeyOptions{}, contract.ErrNoPasskeys
	}
	c, ticket, err := s.newChallenge(c)
	if err != nil {
		return PasskeyOptions{}, err
	}
	options, err := s.passkeys.RequestOptions(c.Sum())
	return PasskeyOptions{Ticket: ticket, Options: options}, err
}

// A ticket is <time of its end, 8 bytes><16 random bytes><HMAC-SHA256, 32 bytes> in base64url. The HMAC covers purpose and person, so nothing is
// stored before a passkey answers: callers who only ask for options fill no table. See docs/formats/challenge.md.
const ticketLen = 8 + 16 + 32

// newChallenge completes a challenge with a new ticket.
func (s *Service) newChallenge(c contract.Challenge) (contract.Challenge, string, error) {
	b := binary.BigEndian.AppendUint64(nil, uint64(s.clock().Add(contract.ChallengeTime).Unix()))
	b = append(b, make([]byte, 16)...)
	if _, err := io.ReadFull(s.random, b[8:]); err != nil {
		return c, "", fmt.Errorf("draw a ticket: %w", err)
	}
	c.Ticket = append(b, s.ticketMAC(c, b)...)
	return c, base64.RawURLEncoding.EncodeToString(c.Ticket), nil
}

// ticketMAC returns the HMAC of the first 24 bytes of a ticket.
func (s *Service) ticketMAC(c contract.Challenge, ticket []byte) []byte {
	return s.factorMAC("ticket", string(c.Purpose), string(c.Person), string(ticket))
}

// factorMAC returns a HMAC under a key that only the service has. The parts are encoded with their lengths.
func (s *Service) factorMAC(parts ...string) []byte {
	mac := hmac.New(sha256.New, s.factorKey[:])
	for _, p := range parts {
		fmt.Fprintf(mac, "%d:%s", len(p), p)
	}
	return mac.Sum(nil)
}

var errTicket = errors.New("the ticket is for another purpose or person, or has expired")

// openTicket completes a challenge with the ticket of its answer, which is accepted for a time after the options were made.
func (s *Service) openTicket(ticket string, c contract.Challenge, life time.Duration) (contract.Challenge, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(ticket)
	if err != nil || len(b) != ticketLen || !hmac.Equal(b[24:], s.ticketMAC(c, b[:24])) {
		return c, errTicket
	}
	if end := time.Unix(int64(binary.BigEndian.Uint64(b)), 0); !s.clock().Before(end.Add(life - contract.ChallengeTime)) {
		return c, errTicket
	}
	c.Ticket = b
	return c, nil
}

// provePasskey returns the passkey that answered a challenge, and records its use. Every refusal is ErrPasskeyWrong, so that it does not show
// which passkeys exist.
func (s *Service) provePasskey(ctx context.Context, given contract.GivenFactor, c contract.Challenge, binding [32]byte) (store.Passkey, error) {
	if s.passkeys == nil {
		return store.Passkey{}, contract.ErrNoPasskeys
	}
	life := contract.ChallengeTime
	if binding != ([32]byte{}) {
		life = contract.ProofTime // a repeat; the store tells it from a first use
	}
	c, err := s.openTicket(given.Ticket, c, life)
	if err != nil {
		return store.Passkey{}, contract.ErrPasskeyWrong.WithCause(err)
	}
	answer, err := passkey.ParseAssertion(given.Passkey)
	if err != nil {
		return store.Passkey{}, contract.ErrPasskeyWrong.WithCause(err)
	}
	k, err := s.store.Passkey(ctx, base64.RawURLEncoding.EncodeToString(answer.ID))
	if err != nil {
		return store.Passkey{}, refuseNotFound(err, contract.ErrPasskeyWrong)
	}
	id, err := base64.RawURLEncoding.DecodeString(k.ID)
	if err != nil {
		return store.Passkey{}, fmt.Errorf("passkey %s: %w", k.ID, err)
	}
	stored := passkey.Passkey{ID: id, PublicKey: k.PublicKey, AAGUID: k.AAGUID, BackupEligible: k.BackupEligible, Use: passkey.Use{SignCount: k.SignCount, BackedUp: k.BackedUp}}
	use, err := s.passkeys.VerifyAssertion(c.Sum(), []byte(k.Person), stored, answer)
	if err != nil {
		return store.Passkey{}, contract.ErrPasskeyWrong.WithCause(err)
	}
	now := s.clock()
	k.SignCount, k.BackedUp, k.UsedAt = use.SignCount, use.BackedUp, now
	fresh := now.Before(time.Unix(int64(binary.BigEndian.Uint64(c.Ticket)), 0))
	// Durable with this commit: the challenge is used. If the process dies before the commit of the caller, a repeat is accepted for the same
	// binding alone.
	err = s.store.UsePasskey(ctx, k, store.UsedChallenge{Ticket: sha256.Sum256(c.Ticket), Binding: binding, At: now}, fresh)
	if errors.Is(err, store.ErrConflict) {
		s.log.WarnContext(ctx, "a passkey answered a challenge that was used, or its counter did not grow: it may have been copied", "person", k.Person, "passkey", k.ID)
		err = contract.ErrPasskeyWrong
	}
	return k, refuseNotFound(err, contract.ErrPasskeyWrong)
}

// passkeyAccount returns an account as authenticators know it. Its handle is its random identifier.
func passkeyAccount(u store.User) passkey.Account {
	return passkey.Account{Handle: []byte(u.ID), Name: u.Email, DisplayName: u.DisplayName()}
}

// tooManyTries returns the refusal of a code after too many wrong ones.
func tooManyTries(wait time.Duration) error {
	return contract.ErrFactorTries.With("retry_after", int(math.Ceil(wait.Seconds())))
}
