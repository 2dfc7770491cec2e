package sqlstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// storedSSO is how settings are stored, as JSON.
type storedSSO struct {
	Version        int                 `json:"version"`
	Issuer         string              `json:"issuer"`
	ClientID       string              `json:"client_id"`
	Enabled        bool                `json:"enabled"`
	Create         bool                `json:"create"`
	GroupsClaim    string              `json:"groups_claim"`
	Groups         []storedGroup       `json:"groups,omitempty"`
	RequireGroup   bool                `json:"require_group,omitempty"`
	PasswordOff    bool                `json:"password_off,omitempty"`
	Exempt         []contract.PersonID `json:"exempt,omitempty"`
	ProviderFactor bool                `json:"provider_factor,omitempty"`
	FactorACR      string              `json:"factor_acr,omitempty"`
	MaxAge         int64               `json:"max_age,omitempty"` // seconds
}

type storedGroup struct {
	Group string               `json:"group"`
	Role  contract.AccountRole `json:"role"`
}

const ssoVersion = 1

func encodeSSO(s contract.SSOSettings) string {
	stored := storedSSO{
		Version: ssoVersion, Issuer: s.Issuer, ClientID: s.ClientID, Enabled: s.Enabled, Create: s.Create, GroupsClaim: s.GroupsClaim, RequireGroup: s.RequireGroup,
		PasswordOff: s.PasswordOff, Exempt: s.Exempt, ProviderFactor: s.ProviderFactor, FactorACR: s.FactorACR, MaxAge: int64(s.MaxAge / time.Second),
	}
	for _, g := range s.Groups {
		stored.Groups = append(stored.Groups, storedGroup(g))
	}
	b, _ := json.Marshal(stored) // texts, numbers and lists of them cannot fail
	return string(b)
}

func scanSSO(to *contract.SSOSettings) scanner {
	return func(column any) error {
		var text string
		if err := scanText(&text).Scan(column); err != nil {
			return err
		}
		var s storedSSO
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			return fmt.Errorf("read settings of a provider: %w", err)
		}
		if s.Version != ssoVersion {
			return fmt.Errorf("settings of a provider have version %d, not %d", s.Version, ssoVersion)
		}
		*to = contract.SSOSettings{
			Issuer: s.Issuer, ClientID: s.ClientID, Enabled: s.Enabled, Create: s.Create, GroupsClaim: s.GroupsClaim, RequireGroup: s.RequireGroup,
			PasswordOff: s.PasswordOff, Exempt: s.Exempt, ProviderFactor: s.ProviderFactor, FactorACR: s.FactorACR, MaxAge: time.Duration(s.MaxAge) * time.Second,
		}
		for _, g := range s.Groups {
			to.Groups = append(to.Groups, contract.GroupRole(g))
		}
		return nil
	}
}

var ssoRows = rowType[contract.SSO]{"sso", `organisation, settings, secret, changed_at, edits`, func(s *contract.SSO) []any {
	return []any{&s.Organisation, scanSSO(&s.SSOSettings), scanBytes(&s.Secret), scanTime(&s.ChangedAt), &s.Edits}
}}

// SSO implements [store.SSO].
func (s *Store) SSO(ctx context.Context, of contract.OrganisationID) (contract.SSO, error) {
	found, err := ssoRows.readOne(ctx, s, `WHERE organisation = $1`, of)
	return found, wrapf(err, "read the provider of organisation %s", of)
}

// SetSSO implements [store.SSO].
func (s *Store) SetSSO(ctx context.Context, to contract.SSO, keep string, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		sql := `INSERT INTO sso (organisation, settings, secret, changed_at, edits) VALUES ($1, $2, $3, $4, 1) ON CONFLICT DO NOTHING`
		args := []any{to.Organisation, encodeSSO(to.SSOSettings), bytesArg(to.Secret), toMicros(to.ChangedAt)}
		if to.Edits > 0 {
			sql = `UPDATE sso SET settings = $2, secret = $3, changed_at = $4, edits = edits + 1 WHERE organisation = $1 AND edits = $5`
			args = append(args, to.Edits)
		}
		former, err := queryAll(ctx, t, ssoRows.dest, `SELECT `+ssoRows.columns+` FROM sso WHERE organisation = $1`, to.Organisation)
		if err != nil {
			return err
		}
		if err := execRequired(ctx, t, requireChange, sql, args...); err != nil {
			return err
		}
		for _, was := range former {
			if was.Issuer == to.Issuer && was.ClientID == to.ClientID {
				continue
			}
			if _, err := endLoginsWhere(ctx, t, `organisation = $1 AND family <> $2`, to.Organisation, keep); err != nil { // logouts of the former provider are not accepted any more
				return err
			}
		}
		if err := endPasswordLogins(ctx, t, to); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "set the provider of organisation %s", to.Organisation)
}

// endPasswordLogins ends the sessions that people opened without the provider, with a password or a passkey alone, if the settings refuse that from now on.
func endPasswordLogins(ctx context.Context, t tx, of contract.SSO) error {
	if !of.Enabled || !of.PasswordOff {
		return nil
	}
	granted, err := queryAll(ctx, t, column[string], `SELECT domain FROM sso_grant WHERE organisation = $1`, of.Organisation)
	if err != nil {
		return err
	}
	// The lock on the users comes first, see lockUser: a login in progress has stored its tokens by then, or finds these settings.
	if _, err := t.exec(ctx, `UPDATE users SET password = password WHERE organisation = $1`, of.Organisation); err != nil {
		return err
	}
	type login struct {
		person        contract.PersonID
		email, family string
		admin         bool
	}
	opened, err := queryAll(ctx, t, func(l *login) []any { return []any{&l.person, &l.email, &l.family, &l.admin} }, `SELECT DISTINCT u.id, u.email, k.family, u.admin FROM users u JOIN token k ON k.person = u.id
		WHERE u.organisation = $1 AND NOT EXISTS (SELECT 1 FROM session s WHERE s.family = k.family AND s.factor IN ($2, $3))`,
		of.Organisation, contract.FactorOIDC, contract.FactorOIDCSecond)
	if err != nil {
		return err
	}
	for _, l := range opened {
		if of.RefusesPassword(l.person, l.admin) && slices.Contains(granted, contract.MailDomain(l.email)) {
			if err := endFamily(ctx, t, l.family); err != nil {
				return err
			}
		}
	}
	return nil
}

// DeleteSSO implements [store.SSO].
func (s *Store) DeleteSSO(ctx context.Context, of contract.OrganisationID, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := execRequired(ctx, t, requireRow, `DELETE FROM sso WHERE organisation = $1`, of); err != nil {
			return err
		}
		if _, err := endLoginsWhere(ctx, t, `organisation = $1`, of); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "delete the provider of organisation %s", of)
}

// ssoDomains reads the domains of organisations with their grants.
const ssoDomains = `SELECT d.organisation, d.domain, d.challenge, d.claimed_at, COALESCE(g.granted_at, 0), COALESCE(g.granted_by, '')
	FROM sso_domain d LEFT JOIN sso_grant g ON g.domain = d.domain AND g.organisation = d.organisation `

func ssoDomainDest(d *contract.SSODomain) []any {
	return []any{&d.Organisation, &d.Domain, &d.Challenge, scanTime(&d.ClaimedAt), scanTime(&d.GrantedAt), &d.GrantedBy}
}

// SSODomains implements [store.SSO].
func (s *Store) SSODomains(ctx context.Context, of contract.OrganisationID) ([]contract.SSODomain, error) {
	all, err := readAll(ctx, s, ssoDomainDest, ssoDomains+`WHERE d.organisation = $1 ORDER BY d.domain`, of)
	return all, wrapf(err, "read the domains of organisation %s", of)
}

// ClaimDomain implements [store.SSO].
func (s *Store) ClaimDomain(ctx context.Context, d contract.SSODomain, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		// Of domains that are added at the same time, each counts those before it.
		if err := lockOrganisation(ctx, t, d.Organisation); err != nil {
			return err
		}
		var count int
		if err := queryOne(ctx, t, []any{&count}, `SELECT COUNT(*) FROM sso_domain WHERE organisation = $1`, d.Organisation); err != nil {
			return err
		}
		if err := execRequired(ctx, t, requireNew, `INSERT INTO sso_domain (organisation, domain, challenge, claimed_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
			d.Organisation, d.Domain, d.Challenge, toMicros(d.ClaimedAt)); err != nil {
			return err
		}
		if count >= contract.MaxSSODomains {
			return contract.ErrDomainLimit
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "claim domain %s", d.Domain)
}

// GrantDomain implements [store.SSO].
func (s *Store) GrantDomain(ctx context.Context, of contract.OrganisationID, domain string, by contract.DomainGrant, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		// Locks the domain's row: it cannot be removed before the grant is stored.
		if err := execRequired(ctx, t, requireRow, `UPDATE sso_domain SET challenge = challenge WHERE organisation = $1 AND domain = $2`, of, domain); err != nil {
			return err
		}
		if err := execRequired(ctx, t, requireNew, `INSERT INTO sso_grant (domain, organisation, granted_at, granted_by) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, domain, of, toMicros(e.At), by); err != nil {
			return err
		}
		settings, err := queryAll(ctx, t, ssoRows.dest, `SELECT `+ssoRows.columns+` FROM sso WHERE organisation = $1`, of)
		for _, s := range settings {
			err = errors.Join(err, endPasswordLogins(ctx, t, s))
		}
		if err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "grant domain %s", domain)
}

// RemoveDomain implements [store.SSO].
func (s *Store) RemoveDomain(ctx context.Context, of contract.OrganisationID, domain string, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := execRequired(ctx, t, requireRow, `DELETE FROM sso_domain WHERE organisation = $1 AND domain = $2`, of, domain); err != nil {
			return err
		}
		granted, err := t.exec(ctx, `DELETE FROM sso_grant WHERE organisation = $1 AND domain = $2`, of, domain)
		if err != nil {
			return err
		}
		if granted > 0 {
			if err := endLoginsOfDomain(ctx, t, of, domain); err != nil {
				return err
			}
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "remove domain %s", domain)
}

// endLoginsOfDomain ends the sessions that people of an organisation with an address of a domain opened with its provider.
func endLoginsOfDomain(ctx context.Context, t tx, of contract.OrganisationID, domain string) error {
	// The lock on the users comes first, see endLoginsWhere.
	if _, err := t.exec(ctx, `UPDATE users SET password = password WHERE id IN (SELECT k.person FROM token k JOIN sso_login l ON l.family = k.family WHERE l.organisation = $1)`, of); err != nil {
		return err
	}
	type login struct{ family, email string }
	opened, err := queryAll(ctx, t, func(l *login) []any { return []any{&l.family, &l.email} },
		`SELECT DISTINCT l.family, u.email FROM sso_login l JOIN token k ON k.family = l.family JOIN users u ON u.id = k.person WHERE l.organisation = $1`, of)
	if err != nil {
		return err
	}
	for _, l := range opened {
		if contract.MailDomain(l.email) != domain {
			continue
		}
		if _, err := endLoginsWhere(ctx, t, `family = $1`, l.family); err != nil {
			return err
		}
	}
	return nil
}

// SSOOfDomain implements [store.SSO].
func (s *Store) SSOOfDomain(ctx context.Context, domain string) (contract.SSO, error) {
	found, err := ssoRows.readOne(ctx, s, `WHERE organisation = (SELECT g.organisation FROM sso_grant g WHERE g.domain = $1)`, domain)
	return found, wrapf(err, "read the provider of domain %s", domain)
}

// SSOIdentity implements [store.SSO].
func (s *Store) SSOIdentity(ctx context.Context, of contract.OrganisationID, issuer, subject string) (store.SSOIdentity, error) {
	i := store.SSOIdentity{Organisation: of, Issuer: issuer, Subject: subject}
	err := s.readRow(ctx, []any{&i.Person, scanTime(&i.LinkedAt)}, `SELECT person, linked_at FROM sso_identity WHERE organisation = $1 AND issuer = $2 AND subject = $3`, of, issuer, subject)
	return i, wrapf(err, "read who %s of %s is", subject, issuer)
}

// LinkSSOIdentity implements [store.SSO].
func (s *Store) LinkSSOIdentity(ctx context.Context, i store.SSOIdentity, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := execRequired(ctx, t, requireNew, `INSERT INTO sso_identity (organisation, issuer, subject, person, linked_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
			i.Organisation, i.Issuer, i.Subject, i.Person, toMicros(i.LinkedAt)); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "link %s of %s", i.Subject, i.Issuer)
}

// UnlinkSSOIdentity implements [store.SSO].
func (s *Store) UnlinkSSOIdentity(ctx context.Context, id contract.PersonID, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		linked, err := queryAll(ctx, t, func(i *store.SSOIdentity) []any { return []any{&i.Organisation, &i.Issuer, &i.Subject} },
			`DELETE FROM sso_identity WHERE person = $1 RETURNING organisation, issuer, subject`, id)
		if err != nil {
			return err
		}
		if len(linked) == 0 {
			return store.ErrNotFound
		}
		for _, i := range linked {
			if _, err := endLoginsWhere(ctx, t, `organisation = $1 AND issuer = $2 AND subject = $3`, i.Organisation, i.Issuer, i.Subject); err != nil {
				return err
			}
		}
		return logEntry{events: []contract.Event{e}}.appendToLog(ctx, t)
	})
	return wrapf(err, "unlink user %s", id)
}

// AddSSOLogin implements [store.SSO].
func (s *Store) AddSSOLogin(ctx context.Context, l store.SSOLogin) error {
	return wrapf(s.runStatement(ctx, `INSERT INTO sso_login (family, organisation, issuer, subject, sid, expires_at) VALUES (`+placeholders(1, 6)+`)`,
		l.Family, l.Organisation, l.Issuer, l.Subject, l.SessionID, toMicros(l.ExpiresAt)), "record a login with %s", l.Issuer)
}

// ConfirmSSOLogin implements [store.SSO].
func (s *Store) ConfirmSSOLogin(ctx context.Context, family string) error {
	err := s.db.withTx(ctx, func(t tx) error {
		// An update waits for a transaction that deletes the row; a read would still see it.
		n, err := t.exec(ctx, `UPDATE sso_login SET family = family WHERE family = $1`, family)
		if err != nil {
			return err
		}
		return requireRow(n)
	})
	return wrapf(err, "confirm the login of family %s", family)
}

// SSOLoginOf implements [store.SSO].
func (s *Store) SSOLoginOf(ctx context.Context, family string) (store.SSOLogin, error) {
	l := store.SSOLogin{Family: family}
	err := s.readRow(ctx, []any{&l.Organisation, &l.Issuer, &l.Subject, &l.SessionID, scanTime(&l.ExpiresAt)},
		`SELECT organisation, issuer, subject, sid, expires_at FROM sso_login WHERE family = $1`, family)
	return l, wrapf(err, "read the login of family %s", family)
}

// EndSSOLogins implements [store.SSO].
func (s *Store) EndSSOLogins(ctx context.Context, l store.SSOLogout) (int, error) {
	if l.Subject == "" && l.SessionID == "" {
		return 0, errors.New("end logins: neither a person nor a session is named")
	}
	count := 0
	err := s.db.withTx(ctx, func(t tx) error {
		const which = `organisation = $1 AND issuer = $2 AND $3 IN ('', subject) AND $4 IN ('', sid)`
		args := []any{l.Organisation, l.Issuer, l.Subject, l.SessionID}
		if err := useOnce(ctx, t, l.Token, l.Expires); err != nil {
			return err
		}
		ended, err := endLoginsWhere(ctx, t, which, args...)
		if err != nil {
			return err
		}
		count = ended
		return nil
	})
	return count, wrapf(err, "end the logins with %s", l.Issuer)
}

// endLoginsWhere ends the sessions that were opened with a provider and meet a condition on sso_login.
func endLoginsWhere(ctx context.Context, t tx, which string, args ...any) (ended int, err error) {
	// The lock on the users comes first, see lockUser: a login in progress has stored its tokens by then, or finds its record gone.
	if _, err := t.exec(ctx, `UPDATE users SET password = password WHERE id IN (SELECT person FROM token WHERE family IN (SELECT family FROM sso_login WHERE `+which+`))`, args...); err != nil {
		return 0, err
	}
	families, err := queryAll(ctx, t, column[string], `DELETE FROM sso_login WHERE `+which+` RETURNING family`, args...)
	if err != nil {
		return 0, err
	}
	for _, f := range families {
		if err := endFamily(ctx, t, f); err != nil {
			return 0, err
		}
	}
	return len(families), nil
}

// UseOnce implements [store.SSO].
func (s *Store) UseOnce(ctx context.Context, digest [32]byte, expires time.Time) error {
	err := s.db.withTx(ctx, func(t tx) error { return useOnce(ctx, t, digest, expires) })
	return wrapf(err, "record what was used")
}

func useOnce(ctx context.Context, t tx, digest [32]byte, expires time.Time) error {
	n, err := t.exec(ctx, `INSERT INTO sso_used (digest, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`, digest[:], toMicros(expires))
	if err != nil {
		return err
	}
	return requireNew(n)
}

// PurgeSSO implements [store.SSO].
func (s *Store) PurgeSSO(ctx context.Context, before time.Time) error {
	err := s.runPurges(ctx,
		purge{"sso_used", "digest", `expires_at < $1`, []any{toMicros(before)}},
		purge{"sso_login", "family", `expires_at < $1 AND NOT EXISTS (SELECT 1 FROM token t WHERE t.family = sso_login.family AND t.expires_at >= $1)`, []any{toMicros(before)}})
	return wrapf(err, "purge logins with providers")
}
