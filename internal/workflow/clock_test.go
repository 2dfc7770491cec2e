package workflow_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest"
	"segel/internal/store/storetest/pgtest"
	"segel/internal/text"
	"segel/internal/workflow"
	"segel/pades/validate"
	"segel/pdf/pdftest"
	"segel/tsp"
)

// clocked returns a harness that trusts only its own root, on a database whose clock the test controls.
func clocked(t *testing.T, dsn string) *harness {
	t.Helper()
	h := newHarnessOn(t, dsn)
	h.Service.Trust = &validate.Trust{}
	h.Service.Trust.Add(validate.ForAll, validate.OriginOwn, h.ca.Root())
	return h
}

// inTurn uploads and finalizes a document that the signers sign one after the other.
func (h *harness) inTurn(signers ...contract.Actor) contract.DocumentID {
	h.t.Helper()
	ctx := context.Background()
	st, err := h.Stage(ctx, "")
	if err != nil {
		h.t.Fatal(err)
	}
	defer st.Abort()
	if _, err := st.Write(pdftest.Table(1)); err != nil {
		h.t.Fatal(err)
	}
	r := workflow.UploadRequest{Title: "Uji", Filename: "uji.pdf", File: st}
	for i, s := range signers {
		r.People = append(r.People, workflow.PersonRequest{ID: s.ID, Role: contract.Signer, Number: i + 1})
	}
	d, err := h.Upload(ctx, h.owner, r)
	if err == nil {
		_, err = h.Finalize(ctx, h.owner, d.ID, contract.FinalizeOptions{})
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return d.ID
}

func (h *harness) signsBy(by contract.Actor, id contract.DocumentID) {
	h.t.Helper()
	if _, err := h.Sign(context.Background(), by, id, workflow.SignRequest{}); err != nil {
		h.t.Fatal(err)
	}
}

// refusesToSign requires a refusal with that code, and that nothing was signed.
func (h *harness) refusesToSign(by contract.Actor, id contract.DocumentID, code string) *contract.Error {
	h.t.Helper()
	before := len(h.read(id).Revisions)
	_, err := h.Sign(context.Background(), by, id, workflow.SignRequest{})
	var e *contract.Error
	if !errors.As(err, &e) || e.Code != code {
		h.t.Fatalf("signing document %d: %v, want %s", id, err, code)
	}
	if after := h.read(id); len(after.Revisions) != before || !after.Participant(by.ID).SignedAt.IsZero() {
		h.t.Fatalf("document %d was signed despite the refusal", id)
	}
	return e
}

// waits requires that a job postpones itself by at most that long, and that the document says why.
func (h *harness) waits(id contract.DocumentID, job func(context.Context, contract.DocumentID) error, problem contract.ProblemCode, most time.Duration) {
	h.t.Helper()
	var later *contract.Later
	if err := job(context.Background(), id); !errors.As(err, &later) || later.After <= 0 || later.After > most {
		h.t.Fatalf("job for document %d: %v", id, err)
	}
	d := h.read(id)
	reason := d.Reason
	if i := d.NextStamp(); i >= 0 {
		reason = d.Stamps[i].Problem
	}
	if d.State != contract.Processing || contract.ParseProblem(reason).Code != problem {
		h.t.Fatalf("document %d is %s: %q, want %s", id, d.State, reason, problem)
	}
	for _, l := range []text.Language{text.Indonesian, text.English} {
		if s := text.Reason(l, reason); s == reason || strings.Contains(s, "closing.") || strings.ContainsAny(s, "[]{}?") {
			h.t.Errorf("%q reads %q", reason, s)
		}
	}
}

// isValid requires that a completed document is valid at the harness's time, under its own root.
func (h *harness) isValid(id contract.DocumentID) {
	h.t.Helper()
	if d := h.read(id); d.State != contract.Completed {
		h.t.Fatalf("document %d is %s: %s", id, d.State, d.Reason)
	}
	r, err := h.verify(h.file(id))
	if err != nil {
		h.t.Fatal(err)
	}
	if !r.Passed() {
		h.t.Errorf("document %d: %s", id, r.Indication)
		for _, s := range r.Signatures {
			h.t.Logf("%s: %s %s %v", s.Field, s.Indication, s.SubIndication, s.Reasons)
		}
	}
}

// TestClockThatJumpsAheadAndBackMakesNoDocumentThatNeverValidates has a clock that is six hours or two years ahead for
// a while, on a machine with no other clock to compare it with, or only a database with the same clock.
func TestClockThatJumpsAheadAndBackMakesNoDocumentThatNeverValidates(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]func(testing.TB) string{
		"SQLite":                         func(t testing.TB) string { return storetest.SQLite(t, sqlstore.Migrate) },
		"PostgreSQL on the same machine": func(t testing.TB) string { return pgtest.Database(t, sqlstore.Migrate) },
	} {
		for by, jump := range map[string]time.Duration{"six hours": 6 * time.Hour, "two years": 2 * 365 * 24 * time.Hour} {
			t.Run(name+", "+by, func(t *testing.T) {
				t.Parallel()
				ctx := context.Background()
				h := clocked(t, dsn(t))
				second := h.person(h.owner.Organisation, "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a03", "Citra")
				far := jump > contract.ClosingWait
				open := h.inTurn(h.signer)

				// Ahead: the certificates of people who sign for the first time begin in the future.
				h.later(jump)
				signed, stamped, half, done := h.inTurn(h.signer), h.draft(true, 1), h.inTurn(h.signer, second), h.inTurn(h.signer)
				for _, id := range []contract.DocumentID{signed, stamped, half, done} {
					h.signsBy(h.signer, id)
				}
				h.work(done)
				ahead := h.signedBy(signed)
				bought := h.office.calls

				// Set right: nothing is signed, stamped, sealed or certified until an operator has confirmed the clock.
				h.later(-jump)
				f, err := h.ClockFinding(ctx)
				if err != nil || f.State != contract.ClockUnconfirmed || f.Ahead > -jump+time.Minute || f.Ahead < -jump-time.Minute {
					t.Fatalf("%+v, %v", f, err)
				}
				e := h.refusesToSign(h.signer, open, "server.clock")
				if e.Kind != contract.Unavailable || !e.Retryable || e.Args["retry_after"] == nil || !strings.Contains(e.Err.Error(), "segel clock confirm") {
					t.Errorf("%+v", e)
				}
				h.waits(signed, h.Complete, contract.ProblemClockInDoubt, time.Minute)
				h.waits(stamped, h.Stamp, contract.ProblemClockInDoubt, time.Minute)
				if page, err := h.Waiting(ctx, operator(h), waitingQuery); err != nil || page.Clock.State != contract.ClockUnconfirmed {
					t.Errorf("administrators see %+v, %v", page.Clock, err)
				}

				confirmed, err := h.ConfirmClock(ctx, contract.Actor{Person: contract.Person{Name: "segel clock confirm (root@test)"}})
				if err != nil || confirmed.Found.State != contract.ClockUnconfirmed || confirmed.InAll != 4 || confirmed.Resumed != 2 {
					t.Fatalf("%+v, %v", confirmed, err)
				}
				if f, err := h.ClockFinding(ctx); err != nil || f.State != contract.ClockFine {
					t.Fatalf("confirmed: %+v, %v", f, err)
				}
				log, err := h.store.Events(ctx, 0)
				if last := log[len(log)-1]; err != nil || last.Type != contract.EventClockConfirmed || last.Person.Name == "" || last.Details["last_event"] == "" || last.Details["local"] == "" {
					t.Errorf("the log has %+v, %v", last, err)
				}

				// Signatures from now on do not depend on the wrong time.
				h.signsBy(h.signer, open)
				if c := h.signedBy(open); c.Equal(ahead) || c.NotBefore.After(h.now()) {
					t.Errorf("signed with a certificate that begins at %s, now %s", c.NotBefore, h.now())
				}
				h.work(open)
				h.isValid(open)

				// Documents that were signed ahead are not sealed before that time.
				if far {
					if err := h.Complete(ctx, signed); err != nil {
						t.Fatal(err)
					}
					if err := h.Stamp(ctx, stamped); err != nil {
						t.Fatal(err)
					}
					for _, id := range []contract.DocumentID{signed, stamped} {
						d := h.read(id)
						if d.State != contract.Failed || contract.ParseProblem(d.Reason).Code != contract.ProblemSignedFarAhead || !strings.Contains(text.Reason(text.English, d.Reason), "cancel") {
							t.Fatalf("document %d is %s: %q", id, d.State, d.Reason)
						}
					}
					if h.office.calls != bought || h.read(stamped).Stamps[0].Serial != "" {
						t.Error("a serial was bought for a document that cannot be sealed")
					}
					h.refusesToSign(second, half, "document.signed_far_ahead")
					// The owner restamps without success and cancels all of them.
					if _, err := h.Restamp(ctx, h.owner, signed, false); err != nil {
						t.Fatal(err)
					}
					if err := h.Complete(ctx, signed); err != nil || h.read(signed).State != contract.Failed {
						t.Errorf("%v, %s", err, h.read(signed).State)
					}
					for _, id := range []contract.DocumentID{signed, stamped, half} {
						if _, err := h.Cancel(ctx, h.owner, id, "jam keliru"); err != nil {
							t.Errorf("cancel document %d: %v", id, err)
						}
					}
				} else {
					h.waits(signed, h.Complete, contract.ProblemSignedAhead, 5*time.Minute)
					h.waits(stamped, h.Stamp, contract.ProblemSignedAhead, 5*time.Minute)
					if e := h.refusesToSign(second, half, "document.signed_ahead"); !e.Retryable || e.Args["retry_after"].(int) < int((jump-time.Minute).Seconds()) {
						t.Errorf("%+v", e)
					}
					if h.office.calls != bought {
						t.Error("the stamp office was called before the document's time")
					}
				}
				// A document that was completed ahead is consistent, but not valid yet.
				if r, err := h.verify(h.file(done)); err != nil || r.Passed() {
					t.Errorf("valid before its own time: %v, %v", r.Indication, err)
				}
				if renewed, err := h.Renew(ctx, done); err != nil || renewed {
					t.Errorf("renewed before its own time: %t, %v", renewed, err)
				}

				// The time reaches the former time of the wrong clock.
				h.later(jump + time.Minute)
				h.isValid(done)
				h.isValid(open)
				if !far {
					h.work(signed)
					h.isValid(signed)
					h.work(stamped)
					h.isValid(stamped)
					h.signsBy(second, half)
					h.work(half)
					h.isValid(half)
				}
			})
		}
	}
}

// TestClockThatIsAheadOfTheDatabasesSignsNothing tests the same with the database on another machine.
func TestClockThatIsAheadOfTheDatabasesSignsNothing(t *testing.T) {
	t.Parallel()
	for by, jump := range map[string]time.Duration{"six hours ahead": 6 * time.Hour, "two years ahead": 2 * 365 * 24 * time.Hour, "six hours behind": -6 * time.Hour} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			h := clocked(t, pgtest.Database(t, sqlstore.Migrate))
			h.store.ahead = nil
			open, signed, stamped, done := h.inTurn(h.signer), h.inTurn(h.owner), h.draft(false, 1), h.inTurn(h.owner)
			h.signsBy(h.owner, signed)
			h.signsBy(h.owner, done)
			h.work(done)
			soon := h.inTurn(h.signer)

			h.later(jump)
			e := h.refusesToSign(h.signer, open, "server.clock")
			if strings.Contains(e.Err.Error(), "segel clock confirm") {
				t.Errorf("the refusal tells an operator to confirm a wrong clock: %v", e.Err)
			}
			h.waits(signed, h.Complete, contract.ProblemClockInDoubt, time.Minute)
			h.waits(stamped, h.Stamp, contract.ProblemClockInDoubt, time.Minute)
			if _, err := h.Renew(ctx, done); !errors.Is(err, contract.ErrClock) {
				t.Errorf("renew: %v", err)
			}
			if err := h.Expire(ctx); !errors.Is(err, contract.ErrClock) {
				t.Errorf("expire: %v", err)
			}
			if _, err := h.ConfirmClock(ctx, contract.Actor{}); !errors.Is(err, contract.ErrClock) {
				t.Errorf("a wrong clock was confirmed: %v", err)
			}
			if f, err := h.ClockFinding(ctx); err != nil || f.State != contract.ClockDisagrees || f.With != "database" {
				t.Errorf("%+v, %v", f, err)
			}
			if c, err := h.store.RevokedCertificates(ctx); err != nil || len(c) != 0 {
				t.Errorf("%v, %v", c, err)
			}

			// After the correction everything continues without intervention: nothing was recorded with the wrong time.
			h.later(-jump)
			if f, err := h.ClockFinding(ctx); err != nil || f.State != contract.ClockFine {
				t.Fatalf("%+v, %v", f, err)
			}
			h.signsBy(h.signer, open)
			for _, id := range []contract.DocumentID{open, signed, stamped} {
				h.work(id)
				h.isValid(id)
			}
			h.isValid(done)

			// Other requests are recorded with the wrong time. If it lies in the future, an operator has to confirm the
			// clock.
			h.later(jump)
			h.inTurn(h.signer)
			h.later(-jump)
			if jump > 0 {
				h.refusesToSign(h.signer, soon, "server.clock")
				if c, err := h.ConfirmClock(ctx, contract.Actor{}); err != nil || c.Found.State != contract.ClockUnconfirmed || c.Found.Database.IsZero() || c.InAll != 1 {
					t.Fatalf("%+v, %v", c, err)
				}
			}
			h.signsBy(h.signer, soon)
		})
	}
}

// TestClockOfTheTimeStampAuthoritiesCounts has two authorities that agree or disagree.
func TestClockOfTheTimeStampAuthoritiesCounts(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := clocked(t, storetest.SQLite(t, sqlstore.Migrate))
	open, signed := h.inTurn(h.signer), h.inTurn(h.owner)
	h.signsBy(h.owner, signed)
	real := h.clock.Timestamper
	now := h.now()
	one := &tsp.ClockError{Time: now.Add(-6 * time.Hour), Local: now, Tolerance: time.Minute, Authority: "CN=One"}
	for name, c := range map[string]struct {
		err   error
		state contract.ClockState
	}{
		"one that disagrees":                      {one, contract.ClockFine},
		"two that agree with each other":          {&tsp.LocalClockError{First: one, Second: one}, contract.ClockDisagrees},
		"one that does not know the time":         {&tsp.Refusal{Status: 2, Failure: tsp.TimeNotAvailable}, contract.ClockFine},
		"one that is six hours behind, and signs": {nil, contract.ClockFine},
	} {
		h.clock.Timestamper = refusing{real, c.err}
		if c.err == nil {
			h.clock.Timestamper = h.behind(6 * time.Hour)
		}
		h.refusesToSign(h.signer, open, "server.clock")
		if err := h.Complete(ctx, signed); err == nil || h.read(signed).Reason != string(contract.ProblemClockInDoubt) {
			t.Errorf("%s: %v, %q", name, err, h.read(signed).Reason)
		}
		if f, err := h.ClockFinding(ctx); err != nil || f.State != c.state || c.state == contract.ClockDisagrees && (f.With != "timestamps" || f.Ahead != 6*time.Hour) {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
		// A matching token ends the alarm.
		h.clock.Timestamper = real
		if _, err := h.FetchTrustedTime(ctx); err != nil {
			t.Fatal(err)
		}
		if f, err := h.ClockFinding(ctx); err != nil || f.State != contract.ClockFine {
			t.Errorf("%s, then one that agrees: %+v, %v", name, f, err)
		}
	}
	h.signsBy(h.signer, open)
	for _, id := range []contract.DocumentID{open, signed} {
		h.work(id)
		h.isValid(id)
	}
}

// refusing returns no token.
type refusing struct {
	tsp.Timestamper
	err error
}

func (r refusing) Timestamp(context.Context, []byte) ([]byte, error) { return nil, r.err }

// behind returns the harness's time-stamp authority with a clock that is d behind.
func (h *harness) behind(d time.Duration) tsp.Timestamper {
	r := *h.ca.Timestamper()
	r.Select, r.Clock = nil, func() time.Time { return h.now().Add(-d) }
	return &r
}

// operator returns the owner as an operator.
func operator(h *harness) contract.Actor {
	a := h.owner
	a.Admin, a.Operator = true, true
	return a
}

var waitingQuery = store.WaitingQuery{Limit: 50}
