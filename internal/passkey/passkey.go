// Package passkey registers and verifies passkeys: discoverable credentials of WebAuthn Level 3 that verify their user. It decides what
// is asked of authenticators and checks their answers; challenges, accounts and stored passkeys are its caller's.
package passkey

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// Errors of addresses and answers.
var (
	// ErrAddress is an address under which browsers offer no passkeys: an IP address, or one without TLS that is not localhost.
	ErrAddress = errors.New("browsers allow passkeys only under https:// with a host name, or http://localhost")
	// ErrAnswer is an answer that is malformed, of another origin or relying party, to another challenge, without user verification, or
	// not signed by the passkey.
	ErrAnswer = errors.New("the answer of the passkey proves nothing")
)

// MaxAnswer bounds the bytes of an answer.
const MaxAnswer = 16 << 10

// Account is the account that a passkey belongs to.
type Account struct {
	Handle []byte // identifies the account at the authenticator: at most 64 bytes that say nothing about the person
	Name   string // such as the e-mail address; authenticators show it
	Full   string // name of the person; the same
}

// Passkey is a registered credential.
type Passkey struct {
	ID             []byte
	PublicKey      []byte // COSE_Key
	Model          []byte // AAGUID; 16 bytes
	Transports     []string
	BackupEligible bool
	Use
}

// Use is what an answer says besides its proof.
type Use struct {
	SignCount uint32 // zero if the authenticator does not count
	BackedUp  bool
}

// RelyingParty is the service as authenticators know it.
type RelyingParty struct{ w *webauthn.WebAuthn }

// New returns the relying party of a public address. Its ID is the host of the address, and the address is the only origin that is
// accepted. It returns ErrAddress for an address that WebAuthn does not allow.
func New(publicURL, name string) (*RelyingParty, error) {
	u, err := url.Parse(publicURL)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAddress, err)
	}
	host := u.Hostname()
	local := host == "localhost" || strings.HasSuffix(host, ".localhost")
	if host == "" || net.ParseIP(host) != nil || u.Scheme != "https" && !(u.Scheme == "http" && local) {
		return nil, fmt.Errorf("%w, not %s://%s", ErrAddress, u.Scheme, u.Host)
	}
	w, err := webauthn.New(&webauthn.Config{
		RPID: host, RPDisplayName: name, RPOrigins: []string{u.Scheme + "://" + u.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(), UserVerification: protocol.VerificationRequired,
		},
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore, // no output is used
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAddress, err)
	}
	return &RelyingParty{w}, nil
}

// account implements webauthn.User.
type account struct {
	Account
	passkeys []webauthn.Credential
}

func (a account) WebAuthnID() []byte                         { return a.Handle }
func (a account) WebAuthnName() string                       { return a.Name }
func (a account) WebAuthnDisplayName() string                { return a.Full }
func (a account) WebAuthnCredentials() []webauthn.Credential { return a.passkeys }

// CreationOptions returns the options for navigator.credentials.create, as JSON (PublicKeyCredentialCreationOptionsJSON). Authenticators that
// have one of the known passkeys refuse to make another.
func (p *RelyingParty) CreationOptions(challenge [32]byte, a Account, known ...[]byte) (json.RawMessage, error) {
	exclude := make([]protocol.CredentialDescriptor, len(known))
	for i, id := range known {
		exclude[i] = protocol.CredentialDescriptor{Type: protocol.PublicKeyCredentialType, CredentialID: id}
	}
	options, _, err := p.w.BeginRegistration(account{Account: a}, webauthn.WithExclusions(exclude), func(o *protocol.PublicKeyCredentialCreationOptions) error {
		o.Challenge = challenge[:]
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("make options for a passkey: %w", err)
	}
	return json.Marshal(options.Response)
}

// VerifyCreation verifies the answer to CreationOptions. Errors: ErrAnswer.
func (p *RelyingParty) VerifyCreation(challenge [32]byte, a Account, answer []byte) (Passkey, error) {
	if len(answer) > MaxAnswer {
		return Passkey{}, fmt.Errorf("%w: %d bytes", ErrAnswer, len(answer))
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return Passkey{}, answerError(err)
	}
	session := p.session(challenge, a.Handle)
	session.CredParams = webauthn.CredentialParametersDefault()
	c, err := p.w.CreateCredential(account{Account: a}, session, parsed)
	if err != nil {
		return Passkey{}, answerError(err)
	}
	made := Passkey{
		ID: c.ID, PublicKey: c.PublicKey, Model: c.Authenticator.AAGUID, BackupEligible: c.Flags.BackupEligible,
		Use: Use{SignCount: c.Authenticator.SignCount, BackedUp: c.Flags.BackupState},
	}
	for _, t := range c.Transport {
		made.Transports = append(made.Transports, string(t))
	}
	return made, nil
}

// RequestOptions returns the options for navigator.credentials.get, as JSON (PublicKeyCredentialRequestOptionsJSON). They name no passkey, so
// they say nothing about accounts: the authenticator finds its passkeys by the relying party.
func (p *RelyingParty) RequestOptions(challenge [32]byte) (json.RawMessage, error) {
	options, _, err := p.w.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired), webauthn.WithChallenge(challenge[:]))
	if err != nil {
		return nil, fmt.Errorf("make options for a passkey: %w", err)
	}
	return json.Marshal(options.Response)
}

// Answer is a parsed answer to RequestOptions. Nothing of it is verified.
type Answer struct {
	ID     []byte // of the passkey
	Handle []byte // of the account
	parsed *protocol.ParsedCredentialAssertionData
}

// ParseAnswer parses an answer to RequestOptions. Errors: ErrAnswer.
func ParseAnswer(answer []byte) (Answer, error) {
	if len(answer) > MaxAnswer {
		return Answer{}, fmt.Errorf("%w: %d bytes", ErrAnswer, len(answer))
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return Answer{}, answerError(err)
	}
	return Answer{ID: parsed.RawID, Handle: parsed.Response.UserHandle, parsed: parsed}, nil
}

// VerifyAnswer verifies that a passkey signed the challenge for this origin after it verified its user. The account must be the one that
// the passkey names. Errors: ErrAnswer.
func (p *RelyingParty) VerifyAnswer(challenge [32]byte, handle []byte, k Passkey, a Answer) (Use, error) {
	if a.parsed == nil || len(a.Handle) == 0 || !bytes.Equal(a.Handle, handle) {
		return Use{}, fmt.Errorf("%w: of another account", ErrAnswer)
	}
	stored := webauthn.Credential{ID: k.ID, PublicKey: k.PublicKey, Authenticator: webauthn.Authenticator{AAGUID: k.Model, SignCount: k.SignCount}}
	stored.Flags.BackupEligible, stored.Flags.BackupState, stored.Flags.UserVerified = k.BackupEligible, k.BackedUp, true
	c, err := p.w.ValidateLogin(account{Account: Account{Handle: handle}, passkeys: []webauthn.Credential{stored}}, p.session(challenge, handle), a.parsed)
	if err != nil {
		return Use{}, answerError(err)
	}
	return Use{SignCount: a.parsed.Response.AuthenticatorData.Counter, BackedUp: c.Flags.BackupState}, nil
}

func (p *RelyingParty) session(challenge [32]byte, handle []byte) webauthn.SessionData {
	return webauthn.SessionData{
		Challenge: base64.RawURLEncoding.EncodeToString(challenge[:]), RelyingPartyID: p.w.Config.RPID, UserID: handle, UserVerification: protocol.VerificationRequired,
	}
}

// answerError wraps an error of the library with what it says to developers. Nothing in it is secret.
func answerError(err error) error {
	var e *protocol.Error
	if errors.As(err, &e) {
		return fmt.Errorf("%w: %s: %s", ErrAnswer, e.Details, e.DevInfo)
	}
	return fmt.Errorf("%w: %w", ErrAnswer, err)
}
