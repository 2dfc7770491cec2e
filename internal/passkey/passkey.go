// Package passkey registers and verifies passkeys: discoverable credentials of WebAuthn Level 3 that verify their user. It decides what
// is asked of authenticators and checks their answers. Its callers keep challenges, accounts and passkeys.
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
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
	"github.com/go-webauthn/webauthn/webauthn"
)

// Errors of addresses and answers.
var (
	// ErrAddress refuses an address under which browsers offer no passkeys: an IP address, or one without TLS that is not localhost.
	ErrAddress = errors.New("browsers allow passkeys only under https:// with a host name, or http://localhost")
	// ErrAnswer refuses an answer that is malformed, of another origin or relying party, to another challenge, without user verification, or
	// not signed by the passkey.
	ErrAnswer = errors.New("the answer of the passkey proves nothing")
)

// MaxAnswer bounds the bytes of an answer.
const MaxAnswer = 16 << 10

// Account is the account that a passkey belongs to.
type Account struct {
	Handle      []byte // user handle: identifies the account at the authenticator, at most 64 bytes without information about the person
	Name        string // such as the e-mail address; authenticators show it
	DisplayName string // the person's name; authenticators show it
}

// Passkey is a registered credential.
type Passkey struct {
	ID             []byte
	PublicKey      []byte // COSE_Key
	AAGUID         []byte // the model of the authenticator, 16 bytes; all zero: not stated
	Transports     []string
	BackupEligible bool // it may be copied to other devices of the person
	Use                 // at the registration, or at the last assertion
}

// Use is the authenticator data of one use of a passkey.
type Use struct {
	SignCount uint32 // signature counter; zero if the authenticator does not count
	BackedUp  bool   // backup state: it was copied to another device
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
func (a account) WebAuthnDisplayName() string                { return a.DisplayName }
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

// maxRSA bounds the RSA keys of passkeys, in bits. A person may register any key, and one of 90,000 bits, which fits an answer, takes seconds of
// processor time for each login.
const maxRSA = 8192

// requireQuickKey refuses a COSE_Key with which signatures take long to verify.
func requireQuickKey(encoded []byte) error {
	key, err := webauthncose.ParsePublicKey(encoded)
	if err != nil {
		return answerError(err)
	}
	if k, ok := key.(webauthncose.RSAPublicKeyData); ok && 8*len(k.Modulus) > maxRSA {
		return fmt.Errorf("%w: the key has %d bits", ErrAnswer, 8*len(k.Modulus))
	}
	return nil
}

// VerifyRegistration verifies the answer to CreationOptions (WebAuthn Level 3 §7.1). What the authenticator states about itself is ignored: it is not
// asked for, and verifying it takes keys that the sender of the answer chooses. Errors are ErrAnswer.
func (p *RelyingParty) VerifyRegistration(challenge [32]byte, a Account, answer []byte) (Passkey, error) {
	if len(answer) > MaxAnswer {
		return Passkey{}, fmt.Errorf("%w: %d bytes", ErrAnswer, len(answer))
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return Passkey{}, answerError(err)
	}
	object := &parsed.Response.AttestationObject
	if err := requireQuickKey(object.AuthData.AttData.CredentialPublicKey); err != nil {
		return Passkey{}, err
	}
	object.Format, object.AttStatement, object.SubStatements = string(protocol.AttestationFormatNone), nil, nil
	session := p.session(challenge, a.Handle)
	session.CredParams = webauthn.CredentialParametersDefault()
	c, err := p.w.CreateCredential(account{Account: a}, session, parsed)
	if err != nil {
		return Passkey{}, answerError(err)
	}
	made := Passkey{
		ID: c.ID, PublicKey: c.PublicKey, AAGUID: c.Authenticator.AAGUID, BackupEligible: c.Flags.BackupEligible,
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

// Assertion is a parsed answer to RequestOptions. It is not verified yet.
type Assertion struct {
	ID     []byte // of the passkey
	Handle []byte // of the account
	parsed *protocol.ParsedCredentialAssertionData
}

// ParseAssertion parses an answer to RequestOptions. Errors are ErrAnswer.
func ParseAssertion(answer []byte) (Assertion, error) {
	if len(answer) > MaxAnswer {
		return Assertion{}, fmt.Errorf("%w: %d bytes", ErrAnswer, len(answer))
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return Assertion{}, answerError(err)
	}
	return Assertion{ID: parsed.RawID, Handle: parsed.Response.UserHandle, parsed: parsed}, nil
}

// VerifyAssertion verifies that a passkey signed the challenge for this origin after it verified its user (WebAuthn Level 3 §7.2). Handle is that
// of the account to which the passkey was registered. The caller decides what a counter that did not grow means. Errors are ErrAnswer.
func (p *RelyingParty) VerifyAssertion(challenge [32]byte, handle []byte, k Passkey, a Assertion) (Use, error) {
	if a.parsed == nil || len(a.Handle) == 0 || !bytes.Equal(a.Handle, handle) {
		return Use{}, fmt.Errorf("%w: of another account", ErrAnswer)
	}
	if err := requireQuickKey(k.PublicKey); err != nil {
		return Use{}, err
	}
	stored := webauthn.Credential{ID: k.ID, PublicKey: k.PublicKey, Authenticator: webauthn.Authenticator{AAGUID: k.AAGUID, SignCount: k.SignCount}}
	stored.Flags.BackupEligible, stored.Flags.BackupState, stored.Flags.UserVerified = k.BackupEligible, k.BackedUp, true
	c, err := p.w.ValidateLogin(account{Account: Account{Handle: handle}, passkeys: []webauthn.Credential{stored}}, p.session(challenge, handle), a.parsed)
	if err != nil {
		return Use{}, answerError(err)
	}
	return Use{SignCount: a.parsed.Response.AuthenticatorData.Counter, BackedUp: c.Flags.BackupState}, nil
}

// session returns what the library compares an answer with.
func (p *RelyingParty) session(challenge [32]byte, handle []byte) webauthn.SessionData {
	return webauthn.SessionData{
		Challenge: base64.RawURLEncoding.EncodeToString(challenge[:]), RelyingPartyID: p.w.Config.RPID, UserID: handle, UserVerification: protocol.VerificationRequired,
	}
}

// answerError returns ErrAnswer with the details that the library states for developers. They are not secret.
func answerError(err error) error {
	var e *protocol.Error
	if errors.As(err, &e) {
		return fmt.Errorf("%w: %s: %s", ErrAnswer, e.Details, e.DevInfo)
	}
	return fmt.Errorf("%w: %w", ErrAnswer, err)
}
