package api

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/store"
)

// passkeyIn is the answer of a passkey.
type passkeyIn struct {
	Ticket     phrase          `json:"ticket" required:"true" doc:"of the options that were answered"`
	Credential json.RawMessage `json:"credential" required:"true" doc:"the PublicKeyCredential as toJSON() returns it"`
}

// parseAnswer reads an answer; the zero value if there is none.
func (in *passkeyIn) parseAnswer(prefix string, bad *problems) (g contract.GivenFactor) {
	if in == nil {
		return g
	}
	g.Ticket, g.Passkey = in.Ticket.checkedValue(prefix+"ticket", bad), in.Credential
	if g.Ticket == "" && len(*bad) == 0 {
		bad.add(prefix+"ticket", "value.required")
	}
	if len(g.Passkey) == 0 {
		bad.add(prefix+"credential", "value.required")
	}
	return g
}

// passkeyOptionsData are options for a passkey.
type passkeyOptionsData struct {
	Ticket    string          `json:"ticket" doc:"send it back with the answer of the passkey" example:"AAAAAGeK..."`
	Options   json.RawMessage `json:"options" doc:"for PublicKeyCredential.parseCreationOptionsFromJSON or parseRequestOptionsFromJSON"`
	ExpiresIn int             `json:"expires_in" doc:"seconds in which the answer is accepted" example:"300"`
}

func passkeyOptionsOf(o identity.PasskeyOptions, err error) (found[passkeyOptionsData], error) {
	if err != nil {
		return found[passkeyOptionsData]{}, err
	}
	return foundAnswer(passkeyOptionsData{Ticket: o.Ticket, Options: o.Options, ExpiresIn: int(contract.ChallengeTime.Seconds())}), nil
}

type passkeyData struct {
	ID         string  `json:"id" example:"q0kGZ8zV..."`
	Name       string  `json:"name" example:"Laptop kantor"`
	CreatedAt  string  `json:"created_at" example:"2026-11-24T06:06:00.000Z"`
	LastUsedAt *string `json:"last_used_at" doc:"null: not since it was added" example:"2026-11-24T06:06:00.000Z"`
	Synced     bool    `json:"synced" doc:"it is copied to other devices of the person, or may be"`
	BackedUp   bool    `json:"backed_up" doc:"at its last use it had been copied"`
}

func passkeyDataOf(k store.Passkey) passkeyData {
	return passkeyData{ID: k.ID, Name: k.Name, CreatedAt: formatISO(k.CreatedAt), LastUsedAt: isoOrNull(k.UsedAt), Synced: k.BackupEligible, BackedUp: k.BackedUp}
}

type factorsData struct {
	TOTP             bool          `json:"totp" doc:"an authenticator app is set up"`
	TOTPSince        *string       `json:"totp_since" example:"2026-11-24T06:06:00.000Z"`
	Passkeys         []passkeyData `json:"passkeys" doc:"oldest first"`
	RecoveryCodes    int           `json:"recovery_codes" doc:"how many are left" example:"10"`
	FewRecoveryCodes bool          `json:"few_recovery_codes" doc:"so few are left that others should be made"`
	PasskeysPossible bool          `json:"passkeys_possible" doc:"false: browsers do not allow passkeys under the public address of this service"`
	Required         bool          `json:"required" doc:"the organisation requires a second factor at the caller's logins"`
	ByProvider       bool          `json:"by_provider" doc:"the caller has no password that is accepted: changes take a recent login at the provider instead (403 auth.reauthenticate)"`
}

func (c *call) loadFactors() (factorsData, error) {
	f, err := c.Identity.Factors(c.r.Context(), c.by)
	if err != nil {
		return factorsData{}, err
	}
	data := factorsData{
		TOTP: f.Authenticator != nil, Passkeys: convertAll(f.Passkeys, passkeyDataOf), RecoveryCodes: f.Recovery, FewRecoveryCodes: f.Any() && f.Recovery <= contract.FewRecovery,
		PasskeysPossible: f.Possible, Required: f.Required, ByProvider: f.Provider,
	}
	if f.Authenticator != nil {
		data.TOTPSince = isoOrNull(f.Authenticator.CreatedAt)
	}
	return data, nil
}

// currentIn is the body of requests that take the caller's password again.
type currentIn struct {
	Current phrase `json:"current" required:"false" doc:"the caller's current password; not of those who log in at their provider alone (by_provider)"`
}

func (in *currentIn) checkedCurrent() (string, error) {
	var bad problems
	current := in.Current.checkedValue("current", &bad)
	return current, bad.asError()
}

type enrolmentData struct {
	Secret string `json:"secret" doc:"in base32, for people who type it" example:"JBSWY3DPEHPK3PXP"`
	URI    string `json:"uri" doc:"otpauth, which the QR code shows" example:"otpauth://totp/Segel%20PT%20Contoh:siti@contoh.id?secret=..."`
	QR     string `json:"qr" doc:"the QR code: a PNG as a data URL" example:"data:image/png;base64,..."`
	Ticket string `json:"ticket" doc:"send it back with the first code, within 15 minutes"`
}

func (c *call) beginTOTP(in *currentIn) (found[enrolmentData], error) {
	current, err := in.checkedCurrent()
	if err != nil {
		return found[enrolmentData]{}, err
	}
	e, err := c.Identity.BeginTOTP(c.r.Context(), c.by, current)
	if err != nil {
		return found[enrolmentData]{}, err
	}
	return foundAnswer(enrolmentData{Secret: e.Secret, URI: e.URI, QR: "data:image/png;base64," + base64.StdEncoding.EncodeToString(e.QR), Ticket: e.Ticket}), nil
}

type confirmIn struct {
	Ticket phrase `json:"ticket" required:"true"`
	OTP    phrase `json:"otp" required:"true" doc:"the code that the app shows now" example:"123456"`
}

type recoveryData struct {
	RecoveryCodes []string `json:"recovery_codes" doc:"shown once; each can be used once instead of a code. Empty: those that the account has stay valid" example:"[\"abcde-fghij\"]"`
}

func recoveryOf(codes []string) recoveryData {
	return recoveryData{append([]string{}, codes...)}
}

func (c *call) confirmTOTP(in *confirmIn) (found[recoveryData], error) {
	var bad problems
	ticket, code := in.Ticket.checkedValue("ticket", &bad), in.OTP.checkedValue("otp", &bad)
	if err := bad.asError(); err != nil {
		return found[recoveryData]{}, err
	}
	codes, err := c.Identity.ConfirmTOTP(c.r.Context(), c.by, ticket, code)
	return foundAnswer(recoveryOf(codes)), err
}

func (c *call) removeTOTP(in *currentIn) (noted, error) {
	current, err := in.checkedCurrent()
	if err == nil {
		err = c.Identity.RemoveTOTP(c.r.Context(), c.by, current)
	}
	return c.notedAnswer("done.factor_removed"), err
}

func (c *call) replaceRecoveryCodes(in *currentIn) (found[recoveryData], error) {
	current, err := in.checkedCurrent()
	if err != nil {
		return found[recoveryData]{}, err
	}
	codes, err := c.Identity.ReplaceRecoveryCodes(c.r.Context(), c.by, current)
	return foundAnswer(recoveryOf(codes)), err
}

func (c *call) passkeyRegisterOptions(in *currentIn) (found[passkeyOptionsData], error) {
	current, err := in.checkedCurrent()
	if err != nil {
		return found[passkeyOptionsData]{}, err
	}
	return passkeyOptionsOf(c.Identity.RegisterOptions(c.r.Context(), c.by, current))
}

type addPasskeyIn struct {
	passkeyIn
	Name phrase `json:"name" required:"true" doc:"by which the person recognises it" example:"Laptop kantor"`
}

type addedPasskeyData struct {
	Passkey passkeyData `json:"passkey"`
	recoveryData
}

func (c *call) addPasskey(in *addPasskeyIn) (found[addedPasskeyData], error) {
	var bad problems
	answer, name := in.passkeyIn.parseAnswer("", &bad), in.Name.checkedValue("name", &bad)
	if err := bad.asError(); err != nil {
		return found[addedPasskeyData]{}, err
	}
	k, codes, err := c.Identity.AddPasskey(c.r.Context(), c.by, answer, name)
	return foundAnswer(addedPasskeyData{passkeyDataOf(k), recoveryOf(codes)}), err
}

func passkeyParam() *huma.Param {
	return &huma.Param{Name: "passkey_id", In: "path", Required: true, Description: "The id of a passkey of the caller.", Schema: textSchema(), Example: "q0kGZ8zVh3Q"}
}

type passkeyNameIn struct {
	Name phrase `json:"name" required:"true" example:"Laptop kantor"`
}

func (c *call) renamePasskey(in *passkeyNameIn) (noted, error) {
	var bad problems
	name := in.Name.checkedValue("name", &bad)
	if err := bad.asError(); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.passkey_renamed"), c.Identity.RenamePasskey(c.r.Context(), c.by, c.r.PathValue("passkey_id"), name)
}

func (c *call) removePasskey(in *currentIn) (noted, error) {
	current, err := in.checkedCurrent()
	if err == nil {
		err = c.Identity.RemovePasskey(c.r.Context(), c.by, c.r.PathValue("passkey_id"), current)
	}
	return c.notedAnswer("done.factor_removed"), err
}

func (c *call) passkeyLoginOptions(_ *nothing) (found[passkeyOptionsData], error) {
	return passkeyOptionsOf(c.Identity.LoginOptions(c.r.Context()))
}

type signOptionsIn struct {
	Documents list[consentItemIn] `json:"documents" required:"true" doc:"what will be signed with one consent, as consent in sign-many-docs; one document for sign-docs"`
}

func (c *call) passkeySignOptions(in *signOptionsIn) (found[passkeyOptionsData], error) {
	var bad problems
	entries := in.Documents.checkedValue("documents", &bad)
	if len(entries) == 0 && len(bad) == 0 {
		bad.add("documents", "value.required")
	}
	if len(entries) > contract.MaxConsentDocuments { // the rule refuses them by their number
		entries = entries[:contract.MaxConsentDocuments+1]
	}
	var items []contract.ConsentItem
	for i, e := range entries {
		var inner problems
		items = append(items, parseConsentItem(e.DocumentID, e.Digest, &inner))
		bad.addBelow(fmt.Sprintf("documents[%d].", i), inner)
	}
	if err := bad.asError(); err != nil {
		return found[passkeyOptionsData]{}, err
	}
	return passkeyOptionsOf(c.Identity.SignOptions(c.r.Context(), c.by, items))
}

func (c *call) resetFactors() (done[personChanged], error) {
	m, err := c.Identity.ResetFactors(c.r.Context(), c.by, c.pathPerson())
	return c.answerPerson("done.factors_reset", m, err)
}
