package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"segel/internal/contract"
)

// storedPolicy is a policy for accounts as it is stored: docs/formats/account-policy.md.
type storedPolicy struct {
	Version       int                   `json:"version"`
	LoginFactor   contract.FactorDemand `json:"login_factor"`
	SignFactor    bool                  `json:"sign_factor"`
	IdleMinutes   int64                 `json:"idle_minutes"`
	AbsoluteHours int64                 `json:"absolute_hours"`
	HideAddresses bool                  `json:"hide_addresses,omitempty"`
}

const policyVersion = 1

// encodePolicy returns a policy as it is stored, with the members of the former text that this release does not know.
func encodePolicy(p contract.AccountPolicy, former string) (string, error) {
	p = p.Normalised()
	known, err := json.Marshal(storedPolicy{policyVersion, p.LoginFactor, p.SignFactor, int64(p.IdleLimit / time.Minute), int64(p.AbsoluteLimit / time.Hour), p.HideAddresses})
	if err != nil {
		return "", err
	}
	all, members := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if former != "" {
		if err := json.Unmarshal([]byte(former), &all); err != nil {
			return "", err
		}
	}
	if err := json.Unmarshal(known, &members); err != nil {
		return "", err
	}
	delete(all, "hide_addresses") // missing if they are not hidden
	maps.Copy(all, members)
	b, err := json.Marshal(all)
	return string(b), err
}

func decodePolicy(text string) (contract.AccountPolicy, error) {
	var p storedPolicy
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return contract.AccountPolicy{}, fmt.Errorf("read a policy for accounts: %w", err)
	}
	if p.Version != policyVersion {
		return contract.AccountPolicy{}, fmt.Errorf("a policy for accounts has the unknown version %d", p.Version)
	}
	return contract.AccountPolicy{
		LoginFactor: p.LoginFactor, SignFactor: p.SignFactor, IdleLimit: time.Duration(p.IdleMinutes) * time.Minute, AbsoluteLimit: time.Duration(p.AbsoluteHours) * time.Hour,
		HideAddresses: p.HideAddresses,
	}, nil
}

// scanPolicy scans what [encodePolicy] returned; empty or NULL is the zero policy.
func scanPolicy(to *contract.AccountPolicy) scanner {
	return func(column any) (err error) {
		*to = contract.AccountPolicy{}
		if column == nil {
			return nil
		}
		var s string
		if err := scanText(&s).Scan(column); err != nil || s == "" {
			return err
		}
		*to, err = decodePolicy(s)
		return err
	}
}

// ChangeAccountPolicy implements [store.AccountPolicies]. It locks the row of the organisation, because there may be no row of the policy yet.
func (s *Store) ChangeAccountPolicy(ctx context.Context, o contract.OrganisationID, now time.Time, change func(*contract.AccountPolicy) (contract.Event, error)) (p contract.AccountPolicy, err error) {
	err = s.db.withTx(ctx, func(t tx) error {
		if err := lockOrganisation(ctx, t, o); err != nil {
			return err
		}
		var former string
		if err := queryOne(ctx, t, []any{&former}, `SELECT COALESCE((SELECT policy FROM account_policy WHERE organisation = o.id), '') FROM organisation o WHERE o.id = $1`, o); err != nil {
			return err
		}
		if err := scanPolicy(&p)(former); err != nil {
			return err
		}
		before := p.Normalised()
		e, err := change(&p)
		if p = p.Normalised(); err != nil || p == before {
			return err
		}
		text, err := encodePolicy(p, former)
		if err != nil {
			return err
		}
		if _, err := t.exec(ctx, `INSERT INTO account_policy (organisation, policy, changed_at) VALUES ($1, $2, $3)
			ON CONFLICT (organisation) DO UPDATE SET policy = excluded.policy, changed_at = excluded.changed_at`, o, text, toMicros(now)); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}, records: []record{recordOf("account_policy", o)}}.appendToLog(ctx, t)
	})
	return p, wrapf(err, "change the policy for accounts of organisation %s", o)
}
