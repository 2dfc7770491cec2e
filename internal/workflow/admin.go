package workflow

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
)

// OrganisationQuota is the quota of one organisation, by unit.
type OrganisationQuota struct {
	Organisation store.Organisation
	Quota        map[contract.Unit]store.Quota
}

// OrganisationUsage is what an organisation uses: what is stored, and the quota that was spent.
type OrganisationUsage struct {
	Organisation store.Organisation
	contract.Usage
	Spent map[contract.Unit]int
}

// Usage returns what an organisation uses; an empty identifier means the caller's own.
func (s *Service) Usage(ctx context.Context, by contract.Actor, of contract.OrganisationID) (OrganisationUsage, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminQuota, of)
	if err != nil {
		return OrganisationUsage{}, err
	}
	u := OrganisationUsage{Organisation: o, Spent: map[contract.Unit]int{}}
	if u.Usage, err = s.Store.Usage(ctx, o.ID); err != nil {
		return u, err
	}
	quota, err := s.Store.Quota(ctx, o.ID)
	for unit, q := range quota {
		u.Spent[unit] = q.Spent
	}
	return u, err
}

// GrantRequest changes the quota of an organisation. A negative count takes quota back.
type GrantRequest struct {
	Organisation contract.OrganisationID // empty: the caller's own organisation
	Unit         contract.Unit
	Count        int
	Reason       string
}

// LedgerLine is one entry of the quota ledger, with the names of its organisation and document.
type LedgerLine struct {
	store.QuotaEntry
	Organisation store.Organisation
	Title        store.Title // zero: the entry has no document, or the document was deleted
}

// AttemptLine is one call to the stamp office, with the names of its organisation and document.
type AttemptLine struct {
	contract.Attempt
	Organisation store.Organisation
	Title        store.Title          // zero: the document was deleted
	SerialState  contract.SerialState // current state of the serial; empty: the attempt has no serial, or the register does not know it
}

// Page returns the page of the stamp's placement, or 0 if it is no longer known.
func (l AttemptLine) Page() int { return l.Title.Pages[l.Stamp] }

// SerialLine is one serial of the register, with the names of its organisation and documents.
type SerialLine struct {
	contract.StampSerial
	Organisation store.Organisation // zero: not assigned to an organisation
	Title        store.Title        // of the document that holds the serial
	FormerTitle  store.Title        // of the document that released the serial last
}

// WaitingLine is a document with its organisation.
type WaitingLine struct {
	Document     contract.Document
	Organisation store.Organisation
}

// WaitingPage is one page of waiting documents. Total counts the documents of all pages.
type WaitingPage struct {
	Lines []WaitingLine
	Total int
	Clock contract.ClockFinding // a doubtful clock makes all of them wait
	Disk  contract.DiskFinding  // of this process
}

// SentPage is one page of the documents of an organisation that were sent. Total counts the documents of all pages.
type SentPage struct {
	Page[WaitingLine]
	Limited bool // there may be more than Total
}

// CertificateLine is one certificate of the embedded authority.
type CertificateLine struct {
	contract.Certificate
	Role string // authority's own: root, issuing, tsa, ocsp, guest_issuing, guest_ocsp, contact_issuing or contact_ocsp; issued by it: seal or person
}

// CertificatePage is one page of certificates. Total counts the certificates of all pages.
type CertificatePage struct {
	Own   []CertificateLine // the authority's own in use, the same on every page
	Lines []CertificateLine
	Total int
}

// LogLine is one event of the audit log, with the name of its document.
type LogLine struct {
	store.Logged
	Title store.Title // zero: the event has no document, or the document was deleted
}

// Page is one page of a list. Total counts the lines of all pages.
type Page[Line any] struct {
	Lines []Line
	Total int
}

// Pages of the quotas, of the ledger, of the calls to the stamp office, of the register of serials and of the audit log.
type (
	QuotaPage   = Page[OrganisationQuota]
	LedgerPage  = Page[LedgerLine]
	AttemptPage = Page[AttemptLine]
	SerialPage  = Page[SerialLine]
	LogPage     = Page[LogLine]
)

type titles = map[contract.DocumentID]store.Title

// loadTitledLines makes lines of rows, with the titles of the documents that the rows refer to and whether the caller may open them. It
// reads each title once.
func loadTitledLines[Row, Line any](ctx context.Context, s *Service, by contract.Actor, rows []Row, refers func(Row) []contract.DocumentID, line func(Row, titles) Line) ([]Line, error) {
	var ids []contract.DocumentID
	seen := map[contract.DocumentID]bool{0: true}
	for _, row := range rows {
		for _, id := range refers(row) {
			if !seen[id] {
				seen[id], ids = true, append(ids, id)
			}
		}
	}
	titles, err := s.Store.Titles(ctx, by.ID, ids)
	if err != nil {
		return nil, err
	}
	lines := make([]Line, len(rows))
	for i, row := range rows {
		lines[i] = line(row, titles)
	}
	return lines, nil
}

// batchLen is the number of rows whose names are read at a time.
const batchLen = 200

// inBatches converts rows to lines in batches and calls yield with each line, until yield returns an error.
func inBatches[Row, Line any](each func(func(Row) bool) error, lines func([]Row) ([]Line, error), yield func(Line) error) error {
	var batch []Row
	var failed error
	flush := func() bool {
		var all []Line
		all, failed = lines(batch)
		batch = batch[:0]
		for i := 0; i < len(all) && failed == nil; i++ {
			failed = yield(all[i])
		}
		return failed == nil
	}
	err := each(func(r Row) bool {
		batch = append(batch, r)
		return len(batch) < batchLen || flush()
	})
	if err == nil && failed == nil && len(batch) > 0 {
		flush()
	}
	return cmp.Or(err, failed)
}

// CertificateList returns one page of the certificates that the embedded authority issued, with the authority's own
// certificates.
func (s *Service) CertificateList(ctx context.Context, by contract.Actor, q store.CertificateQuery) (CertificatePage, error) {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminCertificates, q.Organisation)
	if err != nil {
		return CertificatePage{}, err
	}
	q.Organisation = scope.Organisation
	p, err := s.Store.CertificateList(ctx, q)
	if err != nil {
		return CertificatePage{}, err
	}
	page := CertificatePage{Own: s.AuthorityCertificates(), Total: p.Total, Lines: make([]CertificateLine, len(p.Certificates))}
	for i, c := range p.Certificates {
		page.Lines[i] = CertificateLine{Certificate: c, Role: "person"}
		if _, seal := scope.Organisations[contract.OrganisationID(c.Holder)]; seal {
			page.Lines[i].Role = "seal"
		}
	}
	return page, nil
}

// AuditLog returns one page of events, newest first. Without an organisation, an operator sees the events of all.
func (s *Service) AuditLog(ctx context.Context, by contract.Actor, q store.LogQuery) (LogPage, error) {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminAuditLog, q.Organisation)
	if err != nil {
		return LogPage{}, err
	}
	q.Organisation = scope.Organisation
	p, err := s.Store.AuditLog(ctx, q)
	if err != nil {
		return LogPage{}, err
	}
	lines, err := s.logLines(ctx, by, p.Events)
	return LogPage{Lines: lines, Total: p.Total}, err
}

func (s *Service) logLines(ctx context.Context, by contract.Actor, events []store.Logged) ([]LogLine, error) {
	refers := func(e store.Logged) []contract.DocumentID { return []contract.DocumentID{e.Document} }
	return loadTitledLines(ctx, s, by, events, refers, func(e store.Logged, t titles) LogLine { return LogLine{Logged: e, Title: t[e.Document]} })
}

// EachEvent calls yield with every matching event, oldest first, until yield returns an error.
func (s *Service) EachEvent(ctx context.Context, by contract.Actor, q store.LogQuery, yield func(LogLine) error) error {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminAuditLog, q.Organisation)
	if err != nil {
		return err
	}
	q.Organisation = scope.Organisation
	each := func(yield func(store.Logged) bool) error { return s.Store.EachEvent(ctx, q, yield) }
	return inBatches(each, func(batch []store.Logged) ([]LogLine, error) { return s.logLines(ctx, by, batch) }, yield)
}

// LoginPage is one page of recorded logins, with what needs the attention of administrators now.
type LoginPage struct {
	Page[store.LoginLine]
	Failed []FailedAccount // accounts with many failed logins in contract.RecentFailedLogins, those with the most first
	Keys   []LogLine       // API keys that were used from a new network in contract.RecentKeyNetworks, the newest first
}

// FailedAccount is an account with many failed logins.
type FailedAccount struct {
	contract.FailedLogins
	Holder contract.Person
}

// Logins returns one page of recorded logins, newest first. Without an organisation, an operator sees those of all, and those of no account.
func (s *Service) Logins(ctx context.Context, by contract.Actor, q store.LoginQuery) (LoginPage, error) {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminAuditLog, q.Organisation)
	if err != nil {
		return LoginPage{}, err
	}
	q.Organisation = scope.Organisation
	found, err := s.Store.ListLogins(ctx, q)
	if err != nil {
		return LoginPage{}, err
	}
	page := LoginPage{Page: Page[store.LoginLine]{Lines: found.Lines, Total: found.Total}}
	now := s.Clock()
	failed, err := s.Store.FailedLogins(ctx, q.Organisation, now.Add(-contract.RecentFailedLogins), contract.ManyFailedLogins, contract.MaxShownOfAttention)
	if err != nil {
		return LoginPage{}, err
	}
	for _, f := range failed {
		u, err := s.Store.User(ctx, f.Person)
		if err != nil {
			return LoginPage{}, fmt.Errorf("read user %s: %w", f.Person, err)
		}
		page.Failed = append(page.Failed, FailedAccount{f, u.Person})
	}
	log, err := s.Store.AuditLog(ctx, store.LogQuery{
		Organisation: q.Organisation, Type: contract.EventKeyNetwork, From: now.Add(-contract.RecentKeyNetworks), Limit: contract.MaxShownOfAttention,
	})
	if err != nil {
		return LoginPage{}, err
	}
	suspicious := slices.DeleteFunc(log.Events, func(e store.Logged) bool { return len(contract.FeedTypesOf(e.Event)) == 0 })
	page.Keys, err = s.logLines(ctx, by, suspicious)
	return page, err
}

// EachLogin calls yield with every matching record, oldest first, until yield returns an error.
func (s *Service) EachLogin(ctx context.Context, by contract.Actor, q store.LoginQuery, yield func(store.LoginLine) error) error {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminAuditLog, q.Organisation)
	if err != nil {
		return err
	}
	q.Organisation = scope.Organisation
	var failed error
	err = s.Store.EachLogin(ctx, q, func(l store.LoginLine) bool {
		failed = yield(l)
		return failed == nil
	})
	return cmp.Or(failed, err)
}

// QuotaQuery selects organisations whose quota is shown.
type QuotaQuery struct {
	Organisation contract.OrganisationID // empty: all that the caller administers
	Search       string                  // part of the name, in any case of letters
	Offset       int
	Limit        int
}

// Quotas returns one page of the quotas of organisations that the caller administers, sorted by name.
func (s *Service) Quotas(ctx context.Context, by contract.Actor, q QuotaQuery) (QuotaPage, error) {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminQuota, q.Organisation)
	if err != nil {
		return QuotaPage{}, err
	}
	var found []store.Organisation
	search := strings.ToLower(q.Search)
	for _, o := range scope.Organisations {
		if (scope.Organisation == "" || o.ID == scope.Organisation) && strings.Contains(strings.ToLower(o.Name), search) {
			found = append(found, o)
		}
	}
	slices.SortFunc(found, func(a, b store.Organisation) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	page := QuotaPage{Total: len(found), Lines: []OrganisationQuota{}}
	from := min(q.Offset, len(found))
	for _, o := range found[from:min(from+q.Limit, len(found))] {
		quota, err := s.Store.Quota(ctx, o.ID)
		if err != nil {
			return QuotaPage{}, fmt.Errorf("read the quota of %s: %w", o.ID, err)
		}
		page.Lines = append(page.Lines, OrganisationQuota{Organisation: o, Quota: quota})
	}
	return page, nil
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
	effectCtx := store.WithFinalAnswer(ctx, func(q map[contract.Unit]store.Quota) any { return granted(q) })
	q, err := s.Store.Grant(effectCtx, scope.Organisation, r.Unit, r.Count, r.Reason, by, s.Clock())
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
	lines, err := s.ledgerLines(ctx, by, p.Entries, scope.Organisations)
	return LedgerPage{Lines: lines, Total: p.Total}, err
}

// EachQuotaMove calls yield with every matching ledger entry, oldest first, until yield returns an error.
func (s *Service) EachQuotaMove(ctx context.Context, by contract.Actor, q store.QuotaQuery, yield func(LedgerLine) error) error {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminLedger, q.Organisation)
	if err != nil {
		return err
	}
	q.Organisation = scope.Organisation
	each := func(yield func(store.QuotaEntry) bool) error { return s.Store.EachQuotaEntry(ctx, q, yield) }
	return inBatches(each, func(batch []store.QuotaEntry) ([]LedgerLine, error) {
		return s.ledgerLines(ctx, by, batch, scope.Organisations)
	}, yield)
}

func (s *Service) ledgerLines(ctx context.Context, by contract.Actor, entries []store.QuotaEntry, names documents.OrganisationsByID) ([]LedgerLine, error) {
	refers := func(e store.QuotaEntry) []contract.DocumentID { return []contract.DocumentID{e.Document} }
	return loadTitledLines(ctx, s, by, entries, refers, func(e store.QuotaEntry, t titles) LedgerLine {
		return LedgerLine{QuotaEntry: e, Organisation: names[e.QuotaMove.Organisation], Title: t[e.Document]}
	})
}

// Attempts returns one page of the calls to the stamp office, newest first.
func (s *Service) Attempts(ctx context.Context, by contract.Actor, q store.AttemptQuery) (AttemptPage, error) {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminAttempts, q.Organisation)
	if err != nil {
		return AttemptPage{}, err
	}
	q.Organisation = scope.Organisation
	p, err := s.Store.Attempts(ctx, q)
	if err != nil {
		return AttemptPage{}, err
	}
	lines, err := s.attemptLines(ctx, by, p.Attempts, scope.Organisations)
	return AttemptPage{Lines: lines, Total: p.Total}, err
}

// EachAttempt calls yield with every matching call to the stamp office, oldest first, until yield returns an error.
func (s *Service) EachAttempt(ctx context.Context, by contract.Actor, q store.AttemptQuery, yield func(AttemptLine) error) error {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminAttempts, q.Organisation)
	if err != nil {
		return err
	}
	q.Organisation = scope.Organisation
	each := func(yield func(contract.Attempt) bool) error { return s.Store.EachAttempt(ctx, q, yield) }
	return inBatches(each, func(batch []contract.Attempt) ([]AttemptLine, error) {
		return s.attemptLines(ctx, by, batch, scope.Organisations)
	}, yield)
}

func (s *Service) attemptLines(ctx context.Context, by contract.Actor, attempts []contract.Attempt, names documents.OrganisationsByID) ([]AttemptLine, error) {
	var serials []string
	for _, a := range attempts {
		if a.Serial != "" {
			serials = append(serials, a.Serial)
		}
	}
	states, err := s.Store.SerialStates(ctx, serials)
	if err != nil {
		return nil, err
	}
	refers := func(a contract.Attempt) []contract.DocumentID { return []contract.DocumentID{a.Document} }
	return loadTitledLines(ctx, s, by, attempts, refers, func(a contract.Attempt, t titles) AttemptLine {
		return AttemptLine{Attempt: a, Organisation: names[a.Organisation], Title: t[a.Document], SerialState: states[a.Serial]}
	})
}

// Serials returns one page of the register of serials. Only operators see serials without an organisation.
func (s *Service) Serials(ctx context.Context, by contract.Actor, q store.SerialQuery) (SerialPage, error) {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminSerials, q.Organisation)
	if err != nil {
		return SerialPage{}, err
	}
	q.Organisation = scope.Organisation
	p, err := s.Store.Serials(ctx, q)
	if err != nil {
		return SerialPage{}, err
	}
	refers := func(r contract.StampSerial) []contract.DocumentID {
		return []contract.DocumentID{r.Document, r.FormerDocument}
	}
	lines, err := loadTitledLines(ctx, s, by, p.Serials, refers, func(r contract.StampSerial, t titles) SerialLine {
		return SerialLine{StampSerial: r, Organisation: scope.Organisations[r.Organisation], Title: t[r.Document], FormerTitle: t[r.FormerDocument]}
	})
	return SerialPage{Lines: lines, Total: p.Total}, err
}

// SentDocuments returns one page of the documents that were finalized, newest first.
func (s *Service) SentDocuments(ctx context.Context, by contract.Actor, q store.DocumentQuery) (SentPage, error) {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminDocuments, q.Organisation)
	if err != nil {
		return SentPage{}, err
	}
	q.Organisation = scope.Organisation
	l, err := s.Store.SentDocuments(ctx, q)
	if err != nil {
		return SentPage{}, err
	}
	page := SentPage{Page[WaitingLine]{Lines: make([]WaitingLine, len(l.Documents)), Total: l.Total}, l.Limited}
	for i, d := range l.Documents {
		page.Lines[i] = WaitingLine{Document: d, Organisation: scope.Organisations[d.Organisation]}
	}
	return page, nil
}

// stuckAfter is how long a document makes no progress before it counts as stuck.
const stuckAfter = time.Minute

// Waiting returns one page of stuck documents, oldest first: those that have waited for the service for [stuckAfter],
// and those that failed.
func (s *Service) Waiting(ctx context.Context, by contract.Actor, q store.WaitingQuery) (WaitingPage, error) {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminStuck, q.Organisation)
	if err != nil {
		return WaitingPage{}, err
	}
	q.Organisation, q.Before = scope.Organisation, s.Clock().Add(-stuckAfter)
	l, err := s.Store.Waiting(ctx, q)
	if err != nil {
		return WaitingPage{}, err
	}
	lines := make([]WaitingLine, len(l.Documents))
	for i, d := range l.Documents {
		lines[i] = WaitingLine{Document: d, Organisation: scope.Organisations[d.Organisation]}
	}
	clock, err := s.ClockFinding(ctx)
	if err != nil {
		return WaitingPage{}, err
	}
	p := WaitingPage{Lines: lines, Total: l.Total, Clock: clock}
	if s.DiskSpace != nil {
		p.Disk = s.DiskSpace()
	}
	return p, nil
}

// Retry retries a stuck document at once. See [contract.RetryByAdmin].
func (s *Service) Retry(ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error) {
	o, err := by.AuthoriseAdmin(contract.AdminRetry, "")
	if err != nil {
		return contract.Document{}, err
	}
	ctx = documents.WithDocumentAnswer(ctx)
	d, err := s.LoadDocumentOf(ctx, o, id)
	if err != nil {
		return contract.Document{}, err
	}
	return s.ApplyRuleTo(ctx, d, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.RetryByAdmin(d, by, s.Clock()))
	})
}

// RetryOwn lets the owner retry a document that waits for the service. See [contract.RetryByOwner].
func (s *Service) RetryOwn(ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error) {
	return s.ApplyRuleAs(documents.WithDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.RetryByOwner(d, by, s.Clock()))
	})
}
