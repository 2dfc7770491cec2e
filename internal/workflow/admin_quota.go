package workflow

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
)

// Quotas returns the quota of the named organisation, or of every organisation that the caller administers, sorted by
// name.
func (s *Service) Quotas(ctx context.Context, by contract.Actor, organisation contract.OrganisationID) ([]OrganisationQuota, error) {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminQuota, organisation)
	if err != nil {
		return nil, err
	}
	all := []OrganisationQuota{}
	for _, o := range scope.Organisations {
		if scope.Organisation != "" && o.ID != scope.Organisation {
			continue
		}
		q, err := s.organisationQuota(ctx, o)
		if err != nil {
			return nil, err
		}
		all = append(all, q)
	}
	slices.SortFunc(all, func(a, b OrganisationQuota) int { return cmp.Compare(a.Organisation.Name, b.Organisation.Name) })
	return all, nil
}

func (s *Service) organisationQuota(ctx context.Context, o store.Organisation) (OrganisationQuota, error) {
	q, err := s.Store.Quota(ctx, o.ID)
	if err != nil {
		return OrganisationQuota{}, fmt.Errorf("read the quota of %s: %w", o.ID, err)
	}
	return OrganisationQuota{Organisation: o, Quota: q}, nil
}

// maxGrant bounds one grant, to catch typing errors.
const maxGrant = 10_000_000

// GrantQuota changes the quota of an organisation and records the change and its reason in the ledger and the audit
// log.
func (s *Service) GrantQuota(ctx context.Context, by contract.Actor, r GrantRequest) (OrganisationQuota, error) {
	r.Organisation = cmp.Or(r.Organisation, by.Organisation)
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminGrant, r.Organisation)
	if err != nil {
		return OrganisationQuota{}, err
	}
	r.Reason = contract.CleanText(r.Reason)
	var bad []contract.FieldError
	if r.Unit != contract.UnitStamp && r.Unit != contract.UnitSignature {
		bad = append(bad, contract.NewFieldError("unit", "value.not_one_of", "allowed", "emet, base"))
	}
	if r.Count == 0 || r.Count > maxGrant || r.Count < -maxGrant {
		bad = append(bad, contract.NewFieldError("count", "quota.count", "limit", maxGrant))
	}
	if r.Reason == "" {
		bad = append(bad, contract.NewFieldError("reason", "value.required"))
	}
	if limit := s.Limits.Defaults().Text; utf8.RuneCountInString(r.Reason) > limit {
		bad = append(bad, contract.NewFieldError("reason", "text.too_long", "limit", limit))
	}
	if err := contract.InvalidInput(bad...); err != nil {
		return OrganisationQuota{}, err
	}
	granted := func(q map[contract.Unit]store.Quota) OrganisationQuota {
		return OrganisationQuota{Organisation: scope.Organisations[scope.Organisation], Quota: q}
	}
	keep := store.WithFinalAnswer(ctx, func(q map[contract.Unit]store.Quota) any { return granted(q) })
	q, err := s.Store.Grant(keep, scope.Organisation, r.Unit, r.Count, r.Reason, by, s.Clock())
	if err != nil {
		return OrganisationQuota{}, documents.KeyRefusal(fmt.Errorf("grant quota: %w", err))
	}
	return granted(q), nil
}

// QuotaLedger returns one page of quota movements, newest first.
func (s *Service) QuotaLedger(ctx context.Context, by contract.Actor, q store.QuotaQuery) (LedgerPage, error) {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminLedger, q.Organisation)
	if err != nil {
		return LedgerPage{}, err
	}
	q.Organisation = scope.Organisation
	p, err := s.Store.QuotaEntries(ctx, q)
	if err != nil {
		return LedgerPage{}, err
	}
	lines, err := s.ledgerLines(ctx, p.Entries, scope.Organisations)
	return LedgerPage{Lines: lines, Total: p.Total}, err
}

// EachQuotaMove calls yield with every matching ledger entry, oldest first, until yield returns an error.
func (s *Service) EachQuotaMove(ctx context.Context, by contract.Actor, q store.QuotaQuery, yield func(LedgerLine) error) error {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminLedger, q.Organisation)
	if err != nil {
		return err
	}
	q.Organisation = scope.Organisation
	lines := func(batch []store.QuotaEntry) ([]LedgerLine, error) {
		return s.ledgerLines(ctx, batch, scope.Organisations)
	}
	return inBatches(func(yield func(store.QuotaEntry) bool) error { return s.Store.EachQuotaEntry(ctx, q, yield) }, lines, yield)
}

func (s *Service) ledgerLines(ctx context.Context, entries []store.QuotaEntry, names documents.OrganisationsByID) ([]LedgerLine, error) {
	titles, err := titlesOf(ctx, s, entries, func(e store.QuotaEntry) []contract.DocumentID { return []contract.DocumentID{e.Document} })
	if err != nil {
		return nil, err
	}
	lines := make([]LedgerLine, len(entries))
	for i, e := range entries {
		lines[i] = LedgerLine{QuotaEntry: e, Organisation: names[e.QuotaMove.Organisation], Title: titles[e.Document]}
	}
	return lines, nil
}
