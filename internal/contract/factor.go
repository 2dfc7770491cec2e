package contract

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"
)

// The factors besides [FactorPassword]. Values are stored and appear in events and evidence; new ones are added, none is renamed.
const (
	FactorTOTP        Factor = "totp"          // password and a code of an authenticator app (RFC 6238)
	FactorRecovery    Factor = "recovery_code" // password and a recovery code
	FactorPasskey     Factor = "passkey"       // password and a passkey
	FactorPasskeyOnly Factor = "passkey_only"  // a passkey that verified its user, without a password
	FactorKey         Factor = "api_key"       // a program with an API key
)

// Factors lists every factor.
var Factors = []Factor{FactorPassword, FactorTOTP, FactorRecovery, FactorPasskey, FactorPasskeyOnly, FactorOIDC, FactorOIDCSecond, FactorKey}

// IsStrong reports whether the factor proves more than a password.
func (f Factor) IsStrong() bool {
	switch f {
	case FactorTOTP, FactorRecovery, FactorPasskey, FactorPasskeyOnly:
		return true
	}
	return false
}

// Refusals about second factors.
var (
	// ErrFactorRequired refuses a right password without the second factor that the account has. It grants nothing.
	ErrFactorRequired = Refuse(Forbidden, "auth.factor_required")
	// ErrMustEnrol refuses everything but adding a second factor, which the organisation requires, to an account without one.
	ErrMustEnrol = Refuse(Forbidden, "auth.must_enrol")
	// ErrOTPWrong refuses a code that is wrong, has expired or was used before.
	ErrOTPWrong = Refuse(Malformed, "auth.otp_wrong")
	// ErrPasskeyWrong refuses a passkey that is unknown, and an answer of a passkey that does not prove what was asked for.
	ErrPasskeyWrong = Refuse(Malformed, "auth.passkey_wrong")
	// ErrFactorTries refuses a code after too many wrong ones, whether it is right or not.
	ErrFactorTries = Refuse(TooMany, "auth.factor_tries").WithRetry()
	// ErrSignFactor refuses a signature without a factor of its own where the organisation requires one.
	ErrSignFactor = Refuse(Forbidden, "sign.factor_required")
	// ErrFactorExists refuses an authenticator app to an account that has one, and a passkey that is known.
	ErrFactorExists = Refuse(Conflict, "factor.exists")
	// ErrNoFactor refuses a change of a factor that the account does not have.
	ErrNoFactor = Refuse(NotFound, "factor.not_found")
	// ErrFactorNeeded refuses to remove the last factor of an account that must have one.
	ErrFactorNeeded = Refuse(Conflict, "factor.needed")
	// ErrEnrolment refuses a confirmation that belongs to no enrolment of the account, or comes too late.
	ErrEnrolment = Refuse(Conflict, "factor.enrolment_ended")
	// ErrTooManyPasskeys refuses a further passkey.
	ErrTooManyPasskeys = Refuse(Conflict, "passkey.too_many").With("limit", MaxPasskeys)
	// ErrNoPasskeys refuses passkeys where the public address of the service does not allow them.
	ErrNoPasskeys = Refuse(Conflict, "passkey.address")
)

// AsksForFactor reports whether an error asks for another proof. A repeat of the request with one is a different request, so no such
// answer is final.
func AsksForFactor(err error) bool {
	for _, asks := range []*Error{ErrReauthenticate, ErrSignFactor, ErrEmbedProof, ErrEmbedPassword, ErrFactorRequired, ErrOTPWrong, ErrPasskeyWrong, ErrFactorTries} {
		if errors.Is(err, asks) {
			return true
		}
	}
	return false
}

// Events of second factors. Their details name the account, as those of administrators do.
const (
	EventFactorAdded       EventType = "factor_added"       // a person added a second factor ("factor"; "passkey" is its name) to their account
	EventFactorRemoved     EventType = "factor_removed"     // a person removed one
	EventPasskeyRenamed    EventType = "passkey_renamed"    // a person renamed a passkey ("passkey" is the new name)
	EventFactorsReset      EventType = "factors_reset"      // an administrator removed all factors of an account
	EventRecoveryCodesMade EventType = "recovery_codes_new" // a person replaced their recovery codes
	EventRecoveryCodeUsed  EventType = "recovery_code_used" // a person used one; so many are "left"
)

// The limits of second factors.
const (
	MaxPasskeys     = 20 // of an account
	MaxPasskeyName  = 100
	RecoveryCodes   = 10
	FewRecovery     = 3                // so many recovery codes, or fewer, are few
	OTPPeriod       = 30 * time.Second // of a code of an authenticator app (RFC 6238 §5.2)
	EnrolmentTime   = 15 * time.Minute // from its beginning to its confirmation
	ChallengeTime   = 5 * time.Minute  // for the answer of a passkey
	ProofTime       = 24 * time.Hour   // in which a repeat of the same request needs no further proof; as an Idempotency-Key
	freeTries       = 5
	longestTryPause = time.Hour
)

// TryPause returns how long the next try of a code has to wait after so many wrong ones in a row: not at all after the first five, then
// half a minute, doubled with each, up to an hour. A person who knows the password then finds one of the three valid codes of six digits
// with a probability of 1 in 14,000 a day. Recovery codes and passkeys are not affected, so the owner gets in.
func TryPause(wrong int) time.Duration {
	if wrong < freeTries {
		return 0
	}
	pause := OTPPeriod
	for range wrong - freeTries {
		if pause *= 2; pause >= longestTryPause {
			return longestTryPause
		}
	}
	return pause
}

// Applies reports whether the demand applies to an account.
func (f FactorDemand) Applies(admin bool) bool {
	return f == FactorOfEveryone || f == FactorOfAdmins && admin
}

// MissesFactor reports whether a login by a factor is not enough for an account. A login at the provider of the organisation counts as a
// password, unless the organisation accepts what the provider stated as a second factor (FactorOIDCSecond). An API key proves what the
// organisation demands where it was made.
func (p AccountPolicy) MissesFactor(admin bool, f Factor) bool {
	return p.LoginFactor.Applies(admin) && (f == "" || f == FactorPassword || f == FactorOIDC)
}

// proofRefusal asks an actor for the proof without which they cannot sign: those who may sign otherwise. People with accounts who came from an
// embedded page did not log in: the address was in other hands before.
func (d *Document) proofRefusal(by Actor) error {
	switch {
	case by.Embed != nil && by.Guest == 0 && by.Signing == "":
		return ErrEmbedProof
	case d.NeedsFactor(by):
		return ErrSignFactor
	}
	return nil
}

// NeedsFactor reports whether the actor has to prove a factor for a signature of their own. Guests have no factors: they enter the codes
// that the owner demands ([Document.NeedsCode]).
func (d *Document) NeedsFactor(by Actor) bool {
	return by.Guest == 0 && by.SignFactor && !by.Signing.IsStrong()
}

// SigningFactor returns the factor that stands behind an act of a person with an account: the one that they proved for this act, or
// that of their session. It is empty for guests.
func (a Actor) SigningFactor() Factor {
	switch {
	case a.Guest != 0 || a.IsSystem():
		return ""
	case a.Key != nil:
		return FactorKey
	case a.Signing != "":
		return a.Signing
	case a.Factor != "":
		return a.Factor
	}
	return FactorPassword
}

// ForSignature is the detail "factor_for" of a factor that was proved for one signature, or for the signatures of one consent.
const ForSignature = "signature"

// factorDetails returns details of an event about an act: the factor, unless it is a password, and whether it was proved for this act alone.
// Without them, the assurance of the signature says all that is known.
func (a Actor) factorDetails() []string {
	f := a.SigningFactor()
	if f == "" || f == FactorPassword && a.Signing == "" || f == FactorKey { // an API key has details of its own
		return nil
	}
	details := []string{"factor", string(f)}
	if a.Signing != "" {
		details = append(details, "factor_for", ForSignature)
	}
	return details
}

// GivenFactor is what a person presents beside a password, or instead of it. The zero value is nothing; a passkey counts before a code.
type GivenFactor struct {
	OTP      string // a code of an authenticator app, or a recovery code
	Ticket   string // of the options that a passkey answered
	Passkey  []byte // the answer of the passkey, as JSON; nil: none
	Password string // of a person in an embedded page, who did not log in; else it has no effect
}

// IsGiven reports whether anything is presented.
func (g GivenFactor) IsGiven() bool { return g.OTP != "" || g.Passkey != nil }

// ChallengePurpose is what the answer of a passkey is for. An answer for one purpose is refused for every other.
type ChallengePurpose string

// The purposes.
const (
	ChallengeLogin    ChallengePurpose = "login"
	ChallengeRegister ChallengePurpose = "register"
	ChallengeSign     ChallengePurpose = "sign"
)

// Challenge is what a passkey signs. Its hash covers the documents and the digests that are to be signed, so that the answer of a passkey to
// one list of revisions proves nothing about any other.
type Challenge struct {
	Purpose ChallengePurpose
	Person  PersonID // empty for a login
	Ticket  []byte   // random, and authenticated by the service
	Consent Consent  // over the documents to sign; zero for other purposes
}

// Sum returns the challenge: the SHA-256 of docs/formats/challenge.md.
func (c Challenge) Sum() [32]byte {
	return sha256.Sum256(c.encodeChallenge())
}

// encodeChallenge returns the bytes whose hash a passkey signs.
func (c Challenge) encodeChallenge() []byte {
	return fmt.Appendf(nil, "segel-challenge-1\n%s\n%s\n%x\n%d %x\n", c.Purpose, c.Person, c.Ticket, c.Consent.Documents, c.Consent.Digest)
}

// SignBinding returns what the proof of a signature is bound to: the list of documents that are signed with one consent. A repeat of the
// same request, such as after a crash, is accepted with the same proof.
func SignBinding(c Consent) [32]byte {
	return sha256.Sum256(fmt.Appendf(nil, "segel-sign-binding-1\n%d %x\n", c.Documents, c.Digest))
}
