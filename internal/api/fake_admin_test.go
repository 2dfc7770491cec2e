package api

import (
	"context"
	"crypto/sha256"
	"time"

	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/store"
	"segel/internal/workflow"
)

var (
	contoh  = store.Organisation{ID: works, Name: "PT Contoh", CreatedAt: now}
	sewa    = store.Title{Name: "sewa-1728885967089-4VnJ2xQpR7sTyWbCdEfGh8", Title: "Perjanjian Sewa", Pages: map[int]int{0: 1}}
	serial1 = "SPESIMEN-0000000000001"
)

// clockAhead is the clock's state when it is six hours ahead.
func clockAhead() contract.ClockFinding {
	r := contract.ClockReading{Local: now, Database: now.Add(time.Second), LastEvent: now.Add(6 * time.Hour), Timestamp: contract.TrustedTime{At: now.Add(5 * time.Hour)}}
	return contract.CheckClock(r, contract.ClockTolerance)
}

// administered records a call of administration; its argument is in about.
func (f *fakeWorkflow) administered(what string, by contract.Actor, about any) error {
	f.about = about
	_, err := f.ask(what, by, 0)
	return err
}

func (f *fakeWorkflow) Quotas(_ context.Context, by contract.Actor, of contract.OrganisationID) ([]workflow.OrganisationQuota, error) {
	return []workflow.OrganisationQuota{f.quota()}, f.administered("quotas", by, of)
}

func (f *fakeWorkflow) quota() workflow.OrganisationQuota {
	return workflow.OrganisationQuota{Organisation: contoh, Quota: map[contract.Unit]store.Quota{contract.UnitStamp: {Granted: 20, Reserved: 3, Spent: 5}}}
}

func (f *fakeWorkflow) GrantQuota(_ context.Context, by contract.Actor, r workflow.GrantRequest) (workflow.OrganisationQuota, error) {
	return f.quota(), f.administered("grant", by, r)
}

func (f *fakeWorkflow) QuotaLedger(_ context.Context, by contract.Actor, q store.QuotaQuery) (workflow.LedgerPage, error) {
	move := contract.QuotaMove{Organisation: works, Unit: contract.UnitStamp}
	spent, granted := move, move
	spent.Op, spent.Count, spent.Document = contract.QuotaSpend, 1, 1207
	granted.Op, granted.Count = contract.QuotaGrant, 20
	return workflow.LedgerPage{Total: 2, Lines: []workflow.LedgerLine{
		{QuotaEntry: store.QuotaEntry{QuotaMove: spent, Number: 2, At: now}, Organisation: contoh, Title: sewa},
		{QuotaEntry: store.QuotaEntry{QuotaMove: granted, Number: 1, Reason: "Faktur 2024/117", By: andi, At: now}, Organisation: contoh},
	}}, f.administered("ledger", by, q)
}

func (f *fakeWorkflow) attemptLines() []workflow.AttemptLine {
	a := contract.Attempt{
		Document: 1207, Organisation: works, Number: 1, Call: contract.CallBuy, Order: "4VnJ2xQpR7sTyWbCdEfGh8", Serial: serial1,
		At: now, AnsweredAt: now.Add(time.Second), Outcome: contract.OutcomeOK,
	}
	failed := a
	failed.Number, failed.Call, failed.Outcome, failed.Code, failed.Text = 2, contract.CallStamp, "transient", "94", "=HYPERLINK(\"http://jahat\")"
	open := failed
	open.Number, open.AnsweredAt, open.Outcome, open.Code, open.Text = 3, time.Time{}, "", "", ""
	return []workflow.AttemptLine{
		{Attempt: open, Organisation: contoh, Title: sewa, SerialState: contract.SerialBound},
		{Attempt: failed, Organisation: contoh, Title: sewa, SerialState: contract.SerialBound},
		{Attempt: a, Organisation: contoh, SerialState: contract.SerialBound},
	}
}

func (f *fakeWorkflow) Attempts(_ context.Context, by contract.Actor, q store.AttemptQuery) (workflow.AttemptPage, error) {
	return workflow.AttemptPage{Lines: f.attemptLines(), Total: 3}, f.administered("attempts", by, q)
}

func (f *fakeWorkflow) EachAttempt(_ context.Context, by contract.Actor, q store.AttemptQuery, yield func(workflow.AttemptLine) error) error {
	if err := f.administered("each attempt", by, q); err != nil {
		return err
	}
	for range f.times + 1 {
		for _, l := range f.attemptLines() {
			if err := yield(l); err != nil {
				return err
			}
		}
	}
	return f.breaks
}

func (f *fakeWorkflow) Serials(_ context.Context, by contract.Actor, q store.SerialQuery) (workflow.SerialPage, error) {
	return workflow.SerialPage{Total: 2, Lines: []workflow.SerialLine{
		{StampSerial: contract.StampSerial{Serial: serial1, Organisation: works, State: contract.SerialBound, Document: 1207, RegisteredAt: now, ChangedAt: now}, Organisation: contoh, Title: sewa},
		{StampSerial: contract.StampSerial{
			Serial: "SPESIMEN-0000000000002", State: contract.SerialQuarantined, FormerDocument: 1199, ReleaseCount: 1, Problem: "another page",
			Evidence: contract.File{Key: "k", Digest: sha256.Sum256(file1)}, RegisteredAt: now, ChangedAt: now,
		}},
	}}, f.administered("serials", by, q)
}

func (f *fakeWorkflow) Evidence(_ context.Context, by contract.Actor, serial string) (*Content, error) {
	if err := f.administered("evidence", by, serial); err != nil {
		return nil, err
	}
	c, err := f.open("evidence", by, 0)
	if err == nil {
		c.Name = serial + ".pdf"
	}
	return c, err
}

func (f *fakeWorkflow) report() contract.Reconciliation {
	return contract.Reconciliation{
		Number: 31, At: now, EndedAt: now.Add(2 * time.Second), Office: contract.OfficeCount{Left: 880, Unused: 2, Affixed: 118, Reported: 2},
		Register: map[contract.SerialState]int{contract.SerialAffixed: 118, contract.SerialFree: 2}, Unexplained: 1,
		Differences: []contract.Difference{
			{Kind: contract.DifferNotAffixed, Serial: serial1, Organisation: works, OrganisationName: "PT Contoh", Document: 1207, OfficeState: contract.OfficeUnused, RegisterState: contract.SerialAffixed},
			{Kind: contract.DifferFound, Serial: "SPESIMEN-0000000000002", OfficeState: contract.OfficeUnused, RegisterState: contract.SerialBought, File: "lain.pdf"},
		},
	}
}

func (f *fakeWorkflow) Reconciliation(_ context.Context, by contract.Actor) (contract.Reconciliation, error) {
	err := f.administered("reconciliation", by, nil)
	if f.unreconciled {
		return contract.Reconciliation{}, err
	}
	return f.report(), err
}

func (f *fakeWorkflow) Reconcile(_ context.Context, by contract.Actor) (contract.Reconciliation, error) {
	r := f.report()
	r.By = andi
	return r, f.administered("reconcile", by, nil)
}

func (f *fakeWorkflow) Waiting(_ context.Context, by contract.Actor, q store.WaitingQuery) (workflow.WaitingPage, error) {
	waits := processing()
	waits.Participants[0].SignedAt, waits.Participants[1].SignedAt = now, now
	waits.LastSignedAt, waits.Stamps[0].Attempts, waits.Stamps[0].Problem = now.Add(time.Hour), 4, contract.OfficeDown
	return workflow.WaitingPage{Total: 2, Clock: clockAhead(), Lines: []workflow.WaitingLine{{Document: failed(), Organisation: contoh}, {Document: waits, Organisation: contoh}}},
		f.administered("waiting", by, q)
}

func (f *fakeWorkflow) Retry(_ context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error) {
	return f.ask("retry", by, id)
}

func ofGuest(c store.Certificate) store.Certificate {
	c.Assurance, c.NamedBy = contract.AssuranceGuest, "Andi Wijaya"
	return c
}

func (f *fakeWorkflow) CertificateList(_ context.Context, by contract.Actor, q store.CertificateQuery) (workflow.CertificatePage, error) {
	c := func(serial, subject string, ends time.Time) store.Certificate {
		return store.Certificate{Serial: serial, Subject: subject, IssuedAt: now.AddDate(-1, 0, 0), NotAfter: ends}
	}
	revoked := c("0c", "CN=Budi", now.AddDate(1, 0, 0))
	revoked.RevokedAt = now.Add(-time.Hour)
	return workflow.CertificatePage{
		Own: []workflow.CertificateLine{{Certificate: c("01", "CN=Segel Root", now.AddDate(29, 0, 0)), Role: "root"}}, Total: 3,
		Lines: []workflow.CertificateLine{
			{Certificate: ofGuest(c("0a", "CN=Siti Rahma", now.AddDate(0, 1, 0))), Role: "person"},
			{Certificate: c("0b", "CN=PT Contoh", now.AddDate(1, 0, 0)), Role: "seal"}, {Certificate: revoked, Role: "person"},
		},
	}, f.administered("certificates", by, q)
}

func (f *fakeWorkflow) AuditLog(_ context.Context, by contract.Actor, q store.LogQuery) (workflow.LogPage, error) {
	return workflow.LogPage{Total: 2, Lines: []workflow.LogLine{
		{Logged: store.Logged{Leaf: 8, Event: contract.Event{Type: contract.EventStamped, Document: 1207, At: now, Details: map[string]string{"serial": serial1}}}, Title: sewa},
		{Logged: store.Logged{Leaf: 7, Event: contract.Event{Type: contract.EventPersonAdded, At: now, Person: andi, IP: "203.0.113.7", Details: map[string]string{"email": siti.Email}}}},
	}}, f.administered("audit log", by, q)
}

func (f *fakeIdentity) People(_ context.Context, by contract.Actor, of contract.OrganisationID, search string, offset, limit int) ([]identity.Member, int, error) {
	if _, err := by.AuthoriseAdmin(contract.AdminPeople, of); err != nil {
		return nil, 0, err
	}
	a := f.account()
	a.Admin = true
	return []identity.Member{{Account: a, CreatedAt: now}}, 1, nil
}

func (f *fakeIdentity) AddPerson(_ context.Context, by contract.Actor, n identity.NewPerson) (identity.NewMember, error) {
	if _, err := by.AuthoriseAdmin(contract.AdminAddPerson, n.Organisation); err != nil {
		return identity.NewMember{}, err
	}
	if n.Email == andi.Email {
		return identity.NewMember{}, identity.ErrUserExists.With("email", n.Email)
	}
	a := identity.Account{Person: contract.Person{ID: siti.ID, Name: n.Name, Email: n.Email}, Organisation: works, OrganisationName: "PT Contoh", Admin: n.Admin, MustReset: true}
	return identity.NewMember{Member: identity.Member{Account: a, CreatedAt: now}, Password: "abcde-fghij-klmno-pqrst"}, nil
}
