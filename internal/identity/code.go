package identity

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"image/png"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"segel/internal/contract"
	"segel/internal/store"
)

// Enrolment is an authenticator app that is not confirmed yet. It is not stored: the ticket contains the sealed secret.
type Enrolment struct {
	Secret string // in base32, to be typed
	URI    string // otpauth:// address of the key
	QR     []byte // PNG of the URI
	Ticket string // for ConfirmTOTP
}

// Parameters of the codes. Every authenticator app supports SHA-1, six digits and 30 seconds (RFC 6238).
const (
	otpSecretLen = 20  // bytes
	otpSkew      = 1   // time steps before and after the current one (RFC 6238 §5.2)
	qrPixels     = 256 // width and height of the QR code
)

// BeginTOTP begins the enrolment of an authenticator app of the caller. Current is their password.
func (s *Service) BeginTOTP(ctx context.Context, by contract.Actor, current string) (Enrolment, error) {
	u, account, err := s.loadCaller(ctx, by)
	if err != nil {
		return Enrolment{}, err
	}
	if err := s.requirePassword(ctx, by, u, current); err != nil {
		return Enrolment{}, err
	}
	f, err := s.store.FactorsOf(ctx, u.ID)
	if err != nil {
		return Enrolment{}, err
	}
	if f.Authenticator != nil {
		return Enrolment{}, contract.ErrFactorExists
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: otpIssuer(account.OrganisationName), AccountName: u.Email, SecretSize: otpSecretLen, Rand: s.random})
	if err != nil {
		return Enrolment{}, fmt.Errorf("make a secret for %s: %w", u.ID, err)
	}
	picture, err := key.Image(qrPixels, qrPixels)
	if err != nil {
		return Enrolment{}, fmt.Errorf("draw a code for %s: %w", u.ID, err)
	}
	var qr bytes.Buffer
	if err := png.Encode(&qr, picture); err != nil {
		return Enrolment{}, fmt.Errorf("draw a code for %s: %w", u.ID, err)
	}
	end := binary.BigEndian.AppendUint64(nil, uint64(s.clock().Add(contract.EnrolmentTime).Unix()))
	sealed, err := s.sealer.Seal(enrolmentPurpose(u.ID), append(end, key.Secret()...))
	if err != nil {
		return Enrolment{}, fmt.Errorf("seal a secret for %s: %w", u.ID, err)
	}
	return Enrolment{Secret: key.Secret(), URI: key.URL(), QR: qr.Bytes(), Ticket: base64.RawURLEncoding.EncodeToString(sealed)}, nil
}

// otpIssuer returns the name under which an app shows the account. It has no colon, which would end it.
func otpIssuer(organisation string) string {
	return strings.TrimSpace("Segel " + strings.ReplaceAll(organisation, ":", " "))
}

func enrolmentPurpose(id contract.PersonID) string { return "authenticator enrolment " + string(id) }

// AuthenticatorSealID is what the secret of an authenticator app is sealed for.
func AuthenticatorSealID(id contract.PersonID) string { return "authenticator secret " + string(id) }

// ConfirmTOTP adds the authenticator app of a ticket of BeginTOTP, which a code of the app confirms. It returns recovery codes, which are shown
// once, if the account had no factor.
func (s *Service) ConfirmTOTP(ctx context.Context, by contract.Actor, ticket, code string) ([]string, error) {
	u, _, err := s.loadCaller(ctx, by)
	if err != nil {
		return nil, err
	}
	sealed, err := base64.RawURLEncoding.DecodeString(ticket)
	if err != nil {
		return nil, contract.ErrEnrolment
	}
	plain, err := s.sealer.Open(enrolmentPurpose(u.ID), sealed)
	if err != nil || len(plain) <= 8 || !s.clock().Before(time.Unix(int64(binary.BigEndian.Uint64(plain)), 0)) {
		return nil, contract.ErrEnrolment.WithCause(err)
	}
	secret := string(plain[8:])
	step, ok, err := matchTOTP(secret, cleanCode(code), s.clock())
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, contract.InvalidInput(contract.FieldError{Field: "otp", Code: contract.ErrOTPWrong.Code})
	}
	a := store.Authenticator{CreatedAt: s.clock()}
	if a.Secret, err = s.sealer.Seal(AuthenticatorSealID(u.ID), []byte(secret)); err != nil {
		return nil, fmt.Errorf("seal a secret for %s: %w", u.ID, err)
	}
	// Durable with this commit: the app and the hashes of the recovery codes, and the message about it. If the process dies after it, the codes were never shown, and the
	// person replaces them.
	codes, err := s.addFactor(ctx, u.ID, func(hashes [][32]byte) error {
		return s.store.AddAuthenticator(ctx, u.ID, a, step, hashes, s.factorEvent(contract.EventFactorAdded, by, u, "factor", string(contract.FactorTOTP)), s.newAccountNotice(contract.NoticeFactorAdded, u, clientOf(by)))
	})
	switch {
	case errors.Is(err, store.ErrExists):
		err = contract.ErrFactorExists
	case err == nil:
		err = s.raiseSession(ctx, by, contract.FactorTOTP)
	}
	return codes, err
}

// matchTOTP returns the time step of a code, if the code is that of the current step, the one before or the one after. It computes all three, so
// that its time does not depend on the code.
func matchTOTP(secret, code string, now time.Time) (step int64, ok bool, err error) {
	current := now.Unix() / int64(contract.OTPPeriod.Seconds())
	for at := current - otpSkew; at <= current+otpSkew; at++ {
		want, err := hotp.GenerateCodeCustom(secret, uint64(at), hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err != nil {
			return 0, false, fmt.Errorf("compute a code: %w", err)
		}
		if subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			step, ok = at, true
		}
	}
	return step, ok, nil
}

// useTOTP accepts a code of the account's authenticator app once. Each call is one try, which is durable before the codes are compared, so that
// neither a crash nor concurrent calls grant a further try.
func (s *Service) useTOTP(ctx context.Context, u store.User, code string, binding [32]byte) (added time.Time, err error) {
	f, err := s.store.FactorsOf(ctx, u.ID)
	if err != nil {
		return added, err
	}
	if f.Authenticator == nil {
		return added, contract.ErrOTPWrong
	}
	now := s.clock()
	use := store.CodeUse{Code: [32]byte(s.factorMAC("code", string(u.ID), code)), Binding: binding, UsedAt: now}
	was, wait, err := s.store.TryCode(ctx, u.ID, use)
	if err != nil {
		return added, err
	}
	if wait > 0 {
		return added, tooManyTries(wait)
	}
	if was.IsRepeated(use) {
		return f.Authenticator.CreatedAt, nil
	}
	secret, err := s.sealer.Open(AuthenticatorSealID(u.ID), f.Authenticator.Secret)
	if err != nil {
		return added, fmt.Errorf("open the authenticator secret of %s: %w", u.ID, err)
	}
	step, ok, err := matchTOTP(string(secret), code, now)
	if err != nil {
		return added, err
	}
	if !ok {
		return added, contract.ErrOTPWrong
	}
	use.Step = step
	// Durable with this commit: that the code is used. If the process dies before the answer, the person waits for the next code, or
	// repeats the request that it was bound to.
	err = s.store.UseCode(ctx, u.ID, use)
	if errors.Is(err, store.ErrConflict) {
		return added, contract.ErrOTPWrong
	}
	return f.Authenticator.CreatedAt, err
}

// useRecoveryCode accepts a recovery code once. A code has 50 random bits, so the bounds on logins suffice against guessing.
func (s *Service) useRecoveryCode(ctx context.Context, u store.User, code string, binding [32]byte, ip string) error {
	f, err := s.store.FactorsOf(ctx, u.ID)
	if err != nil {
		return err
	}
	hash := s.recoveryHash(u.ID, code)
	use := store.CodeUse{Code: hash, Binding: binding, UsedAt: s.clock()}
	if f.Codes.IsRepeated(use) {
		return nil
	}
	e := s.factorEvent(contract.EventRecoveryCodeUsed, contract.Actor{Person: u.Person, IP: ip}, u, "left", strconv.Itoa(max(0, f.Recovery-1)))
	return refuseNotFound(s.store.UseRecoveryCode(ctx, u.ID, hash, use, e), contract.ErrOTPWrong)
}

// Recovery codes are ten characters of base32, shown in two groups of five.
const recoveryLen = 10

// newRecoveryCodes returns recovery codes, which are shown once, and the hashes to store.
func (s *Service) newRecoveryCodes(id contract.PersonID) (codes []string, hashes [][32]byte, err error) {
	for range contract.RecoveryCodes {
		b := make([]byte, 7) // 56 bits, of which ten characters show 50
		if _, err := io.ReadFull(s.random, b); err != nil {
			return nil, nil, fmt.Errorf("draw recovery codes: %w", err)
		}
		code := strings.ToLower(base32.StdEncoding.EncodeToString(b)[:recoveryLen])
		codes, hashes = append(codes, code[:recoveryLen/2]+"-"+code[recoveryLen/2:]), append(hashes, s.recoveryHash(id, code))
	}
	return codes, hashes, nil
}

// recoveryHash returns what is stored of a recovery code: an HMAC whose key is not in the database, so that a copy of the database shows no code.
func (s *Service) recoveryHash(id contract.PersonID, code string) [32]byte {
	return [32]byte(s.factorMAC("recovery", string(id), code))
}

// ReplaceRecoveryCodes replaces the recovery codes of the caller and returns the new ones, which are shown once. Current is their password.
func (s *Service) ReplaceRecoveryCodes(ctx context.Context, by contract.Actor, current string) ([]string, error) {
	u, _, err := s.loadCaller(ctx, by)
	if err != nil {
		return nil, err
	}
	if err := s.requirePassword(ctx, by, u, current); err != nil {
		return nil, err
	}
	codes, hashes, err := s.newRecoveryCodes(u.ID)
	if err != nil {
		return nil, err
	}
	// If the process dies after this commit, the codes were never shown, and the person replaces them again.
	err = s.store.SetRecoveryCodes(ctx, u.ID, hashes, s.factorEvent(contract.EventRecoveryCodesMade, by, u))
	return codes, refuseNotFound(err, contract.ErrNoFactor)
}

// cleanCode returns a code in lower case without spaces and hyphens.
func cleanCode(code string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == '\u00a0' {
			return -1
		}
		return r
	}, strings.TrimSpace(code)))
}
