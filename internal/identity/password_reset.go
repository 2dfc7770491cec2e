package identity

import (
	"bytes"
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// ErrResetLink refuses a reset link that is unknown, was used or has expired, or that another change of the password ended.
var ErrResetLink = contract.Refuse(contract.NotFound, "auth.reset_link_invalid")

// ResetPath is the page of the web app to which a reset link leads.
const ResetPath = "/reset"

// resetLifetime is how long a reset link is valid, and how long a request for one may wait for its answer.
const resetLifetime = 30 * time.Minute

// maxForgottenEmail bounds, in bytes, the unchecked address that is stored.
const maxForgottenEmail = 254

// RequestReset stores a request for a new password, which a job answers with a message for each account of the e-mail. It succeeds for every e-mail
// and does the same work for each, so that neither the answer nor its time reveals whether there is an account.
func (s *Service) RequestReset(ctx context.Context, email string, from Client) error {
	email = contract.CleanText(email)
	if email == "" || len(email) > maxForgottenEmail {
		return nil
	}
	now := s.clock()
	// Requests beyond the rates are answered as usual but not stored: they would fill the log, and the mailbox of the person.
	for _, count := range []struct {
		tryCount
		key string
	}{{s.throttle.forgot, Network(from.IP)}, {s.throttle.forgotten, emailSpellings(email)[0]}} {
		if wait, err := count.takeToken(ctx, count.key, now); err != nil || wait > 0 {
			return err
		}
	}
	accounts, err := s.store.UsersByEmail(ctx, emailSpellings(email)...)
	if err != nil {
		return fmt.Errorf("read users by e-mail: %w", err)
	}
	var person contract.Person // empty if there are several accounts: which one is meant is not known
	if len(accounts) == 1 {
		person = accounts[0].Person
	}
	id, err := newUUID(s.random)
	if err != nil {
		return err
	}
	r := store.PasswordRequest{ID: id, Email: email, Language: from.Language, IP: from.IP, UserAgent: contract.CleanUserAgent(from.UserAgent), At: now}
	e := contract.Event{Type: contract.EventPasswordForgot, At: now, Person: person, IP: from.IP, Details: map[string]string{"email": email}}
	// Durable with this commit: the request, and the job that answers it.
	if err := s.store.AddPasswordRequest(ctx, r, e); err != nil {
		return fmt.Errorf("store a request for a new password: %w", err)
	}
	return nil
}

// OrderResets orders the messages for people who asked for a new password. Each account of the e-mail gets a message with its link and the name of
// its organisation. Disabled accounts, and requests that waited longer than resetLifetime, get none.
//
// Answering a request is one transaction. If the process dies before it, the next run answers the request, with other links.
func (s *Service) OrderResets(ctx context.Context) error {
	const batch = 100
	for {
		requests, err := s.store.PasswordRequests(ctx, batch)
		if err != nil {
			return err
		}
		for _, r := range requests {
			if err := s.orderReset(ctx, r); err != nil && !errors.Is(err, store.ErrNotFound) { // answered by another process
				return err
			}
		}
		if len(requests) < batch {
			return nil
		}
	}
}

// orderReset answers one request.
func (s *Service) orderReset(ctx context.Context, r store.PasswordRequest) error {
	accounts, err := s.store.UsersByEmail(ctx, emailSpellings(r.Email)...)
	if err != nil {
		return fmt.Errorf("read users by e-mail: %w", err)
	}
	var resets []store.PasswordReset
	var notices []contract.Notice
	for _, u := range accounts {
		if !u.DisabledAt.IsZero() || u.OrganisationState != contract.OrganisationActive || s.clock().Sub(r.At) >= resetLifetime {
			continue
		}
		made, err := s.newReset(u)
		if err != nil {
			return err
		}
		n := s.newAccountNotice(contract.NoticePasswordReset, u, Client{IP: r.IP, UserAgent: r.UserAgent, Language: r.Language})
		n.Account.Reference = made.ID
		resets, notices = append(resets, made), append(notices, n)
	}
	return s.store.AnswerPasswordRequest(ctx, r.ID, resets, notices)
}

// newReset makes a reset link of a user. It is valid once it is stored.
func (s *Service) newReset(u store.User) (store.PasswordReset, error) {
	id, err := newUUID(s.random)
	if err != nil {
		return store.PasswordReset{}, err
	}
	at := s.clock().Truncate(time.Microsecond) // as it is stored, because the secret is derived from it
	r := store.PasswordReset{ID: id, Person: u.ID, CreatedAt: at, ExpiresAt: at.Add(resetLifetime)}
	_, r.Hash, err = s.deriveReset(r)
	return r, err
}

// deriveReset derives the secret of a reset link from its row and the master key. The row alone does not show it, and a row that was written without
// the master key opens nothing.
func (s *Service) deriveReset(r store.PasswordReset) (clear string, hash [32]byte, err error) {
	if s.linkKey == ([32]byte{}) {
		return "", hash, errors.New("no key for mailed links")
	}
	secret, err := hkdf.Expand(sha256.New, s.linkKey[:], fmt.Sprintf("password reset %s %s %d", r.ID, r.Person, r.CreatedAt.UnixMicro()), 32)
	if err != nil {
		return "", hash, fmt.Errorf("derive a reset link: %w", err)
	}
	return newSecret(bytes.NewReader(secret), prefixReset)
}

// ResetTarget is the account whose password a reset link replaces.
type ResetTarget struct {
	Account Account
	Until   time.Time // when the link expires
	Keys    int       // API keys that act as the person now
}

// LookUpReset returns the account whose password a reset link replaces. Link is the URL or only its secret. It can still be used afterwards.
func (s *Service) LookUpReset(ctx context.Context, link string) (ResetTarget, error) {
	r, u, err := s.readReset(ctx, link)
	if err != nil {
		return ResetTarget{}, err
	}
	account, err := s.loadAccount(ctx, u)
	if err != nil {
		return ResetTarget{}, err
	}
	keys, err := s.store.ListAPIKeys(ctx, store.KeyQuery{Person: u.ID, ValidAt: s.clock(), Limit: 1})
	return ResetTarget{Account: account, Until: r.ExpiresAt, Keys: keys.Total}, err
}

// readReset reads a reset link that can be used now, with its user. Otherwise the error is ErrResetLink.
func (s *Service) readReset(ctx context.Context, link string) (store.PasswordReset, store.User, error) {
	link = strings.TrimSpace(link)
	if i := strings.LastIndex(link, prefixReset); i >= 0 {
		link = link[i:]
	}
	hash, ok := checkSecret(link, prefixReset)
	if !ok {
		return store.PasswordReset{}, store.User{}, ErrResetLink
	}
	r, err := s.store.PasswordResetByHash(ctx, hash)
	if err != nil {
		return r, store.User{}, refuseNotFound(err, ErrResetLink)
	}
	if _, derived, err := s.deriveReset(r); err != nil || derived != hash || !s.clock().Before(r.ExpiresAt) {
		return r, store.User{}, ErrResetLink
	}
	u, err := s.store.User(ctx, r.Person)
	if err != nil {
		return r, u, refuseNotFound(fmt.Errorf("read user %s: %w", r.Person, err), ErrResetLink)
	}
	if !u.DisabledAt.IsZero() {
		return r, u, ErrResetLink
	}
	return r, u, nil
}

// ResetPasswordByLink replaces the password of the account of a reset link, and ends the link, all tokens of the account and its known devices.
// Second factors stay: the next login needs them. API keys stay unless keys is
// true: programs would stop, and a person who fears a theft ends them here in one act. A message reports the change to the person. Refusals of the password name the field "new"; those
// of the link are ErrResetLink.
func (s *Service) ResetPasswordByLink(ctx context.Context, link, next string, keys bool, from Client) (Account, error) {
	r, u, err := s.readReset(ctx, link)
	if err != nil {
		return Account{}, err
	}
	account, err := s.loadAccount(ctx, u)
	if err != nil {
		return Account{}, err
	}
	if bad := s.checkPassword("new", next, u.Email, u.Name, account.OrganisationName); bad != nil {
		return Account{}, contract.InvalidInput(*bad)
	}
	if err := s.throttle.admitHolder(ctx, u.ID, s.clock()); err != nil { // each try takes two hashes
		return Account{}, err
	}
	holder := callerOrigin{key: string(u.ID), known: true}
	// The present password must not stay: the reset may be necessary because another person knows it.
	same, err := s.hasher.verifyPassword(ctx, holder, next, u.Password)
	if err != nil {
		return Account{}, fmt.Errorf("check the password of user %q: %w", u.ID, err)
	}
	if same {
		return Account{}, contract.InvalidInput(contract.FieldError{Field: "new", Code: "password.same"})
	}
	accounts, err := s.store.UsersByEmail(ctx, u.Email)
	if err != nil {
		return Account{}, fmt.Errorf("read users by e-mail: %w", err)
	}
	hash, err := s.hasher.hashPassword(ctx, holder, next, s.random, otherHashes(accounts, u.ID))
	if err != nil {
		return Account{}, err
	}
	e := contract.Event{Type: contract.EventPasswordChange, At: s.clock(), Person: u.Person, IP: from.IP, Details: map[string]string{"proof": "mailed link"}}
	if keys {
		e.Details["keys_left"] = "0"
	}
	// Durable with this commit: the password, the end of the link, of all sessions and, if so wished, of all keys, and the message about it. If the process dies before it,
	// the link can still be used.
	err = s.store.UsePasswordReset(ctx, r, u.Password, hash, keys, e, s.newAccountNotice(contract.NoticePasswordChanged, u, from))
	if errors.Is(err, store.ErrConflict) { // another password was set meanwhile
		return Account{}, ErrResetLink
	}
	account.MustReset = false
	return account, refuseNotFound(err, ErrResetLink)
}
