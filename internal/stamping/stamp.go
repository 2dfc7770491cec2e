// Package stamping buys the serials of duty stamps and affixes them, one after the other, and compares the account at
// the stamp office with the register of serials. A serial costs money and is never taken back, so the intention of every
// call that costs money or cannot be undone is durable before the call.
package stamping

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/emeterai"
	"segel/internal/store"
)

// Store is the durable storage of stamping.
type Store interface {
	documents.Store
	store.Serials
	Organisation(ctx context.Context, id contract.OrganisationID) (store.Organisation, error)
	// AddReconciliation and LastReconciliation are those of [store.Administration].
	AddReconciliation(ctx context.Context, r contract.Reconciliation, events ...contract.Event) (int64, error)
	LastReconciliation(ctx context.Context) (contract.Reconciliation, error)
}

// Stamping holds the dependencies of stamping.
type Stamping struct {
	*documents.Documents

	Store         Store
	Office        emeterai.Stamper
	TestOffice    emeterai.Stamper // of test documents: a sandbox, with an account of its own
	InDoubtPeriod time.Duration    // how long after a call the stamp office may still carry it out
	OrderKey      [32]byte         // from which the identifiers of orders are derived

	// RestoredAt is when the database was last restored from a backup; zero: never. Orders that were placed since that backup are not in the
	// database, so until then the account was used by a state of the installation that is lost.
	RestoredAt time.Time

	payers      sync.Map    // of contract.OrganisationID to payer, by loadPayer
	reconciling sync.Mutex  // held by the running reconciliation
	compared    atomic.Bool // the account was compared with the register since RestoredAt
}

// run is one run of [Stamping.Stamp]. Its steps change it as they read and commit the document.
type run struct {
	s    *Stamping
	d    contract.Document // as last read or committed
	i    int               // the next stamp of d; negative: none
	call callState

	// What one run reads once for all its stamps. Each comment has what it saves per stamp, on SQLite and with a file of
	// three revisions: go test ./internal/workflow -run xxx -bench StampCaches. On PostgreSQL a query is a round trip.
	file       *documents.File    // the current file of d, open and parsed; nil: not open. Opening 98 µs, parsing 177 µs
	payer      store.Organisation // set when a serial was bought for it; later runs read it again after recheckAfter. 50 µs
	noneFreeAt time.Time          // when no free serial was found last. 90 µs
}

// callState is what a run knows about the next call to the stamp office.
type callState string

const (
	// resumed: the document was read. An earlier run or another process may have made the call and may have left its
	// attempt open.
	resumed callState = "resumed"
	// claimed: the run claimed a free serial for the stamp. The stamp office may have been asked to affix it to the
	// document that released it.
	claimed callState = "claimed"
	// continued: the last commit of the run made the call due, and the document has not changed since. The call was
	// certainly not made.
	continued callState = "continued"
)

// maybeSent reports whether the next call may already have been made, as far as the run knows: by an earlier run, by another process, or before the database was
// restored. Of a purchase, findLastSent knows more.
func (r *run) maybeSent() bool { return r.call != continued || r.maybeLost() }

// maybeLost reports whether the call may have been made before the database was restored. Such a call had the same identifiers, because they
// follow from the document.
func (r *run) maybeLost() bool { return r.d.CreatedAt.Before(r.s.RestoredAt) }

// lostBefore returns the moment before which the next call was made, if it can only have been made before the database was restored; else zero.
func (r *run) lostBefore() time.Time {
	if r.call == continued && r.maybeLost() {
		return r.s.RestoredAt
	}
	return time.Time{}
}

// findLastSent returns the number of the last attempt before the present one that may have bought a serial under the order; 0: there was none. Attempts that
// only waited until an earlier one is certain bought nothing, whichever process made them: without this distinction several processes that take the job in turn would each
// begin to wait again. Their times are those of several clocks, so the numbers decide.
func (r *run) findLastSent(ctx context.Context) (number int, err error) {
	if r.call == continued {
		return 0, nil
	}
	stamp := r.stamp()
	err = r.s.Store.EachAttempt(ctx, store.AttemptQuery{Document: r.d.ID}, func(a contract.Attempt) bool {
		if a.Stamp == r.i && a.Order == stamp.Order && a.Number < stamp.Attempts && !boughtNothing(a) {
			number = max(number, a.Number)
		}
		return true
	})
	if err != nil {
		return 0, fmt.Errorf("read the attempts of order %s: %w", stamp.Order, err)
	}
	return number, nil
}

// boughtNothing reports whether an attempt certainly bought no serial: the stamp office was not called, or said so, or the attempt only waited.
func boughtNothing(a contract.Attempt) bool {
	certain := []contract.Outcome{
		contract.OutcomeNotCalled, contract.Outcome(emeterai.Transient), contract.Outcome(emeterai.Quota), contract.Outcome(emeterai.Login), contract.Outcome(emeterai.Config),
	}
	return slices.Contains(certain, a.Outcome) || a.Code == emeterai.CodeWait
}

// stamp returns the next stamp as last read or committed.
func (r *run) stamp() contract.Stamp { return r.d.Stamps[r.i] }

// office returns the stamp office of the document. The sandbox of test documents is another one than that of all others, even where both are
// sandboxes: no serial of one is ever used for the other.
func (r *run) office() emeterai.Stamper { return r.s.officeOf(&r.d) }

func (s *Stamping) officeOf(d *contract.Document) emeterai.Stamper {
	if d.Test {
		return s.TestOffice
	}
	return s.Office
}

// isDue reports whether a stamp is to be affixed now. If not, all is done, or the change that makes it due enqueues the
// job again.
func (r *run) isDue() bool { return r.d.NextJob() == contract.JobStamp }

// Stamp affixes the outstanding stamps of a document, one after the other.
//
// Stamp is a job and may run again at any point. Before each call to the stamp office the intention is durable. After a
// crash the next run asks about the open call and never buys twice.
func (s *Stamping) Stamp(ctx context.Context, id contract.DocumentID) error {
	release, err := s.LockDocument(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	r := &run{s: s, call: resumed}
	defer func() { _ = r.closeFile() }() // it was read only
	err = r.load(ctx, id)
	// Each pass takes the stamp one commit further: ordered, requested, bound, affixed. The commit that affixes a stamp
	// orders the serial of the next one if none is free and the stamp office is available; see [run.canOrderNext].
	for err == nil && r.isDue() {
		// A stamp for a document that cannot be sealed for a long time would be wasted.
		if r.call == resumed {
			now, err := s.CheckClock(ctx)
			if errors.Is(err, contract.ErrClock) {
				return r.postpone(ctx, contract.Problem{Code: contract.ProblemClockInDoubt}, contract.OutcomeUnanswered, &contract.Later{After: documents.ClockRetry, Err: err})
			}
			if err != nil {
				return err
			}
			switch problem := r.d.SignedAhead(now); problem.Code {
			case contract.ProblemSignedFarAhead:
				return r.failForClock(ctx, problem, now)
			case contract.ProblemSignedAhead:
				wait := min(r.d.LastSignedAt.Sub(now), documents.LongestRetry)
				return r.postpone(ctx, problem, contract.OutcomeUnanswered, &contract.Later{After: wait, Err: r.signedAhead()})
			}
		}
		// If a call is due that this run made due, its attempt is open. The driver refuses the call without making it, and
		// recordProblem closes the attempt as not called.
		ordered := r.stamp().State == contract.StampOrdered
		if a := r.office().Availability(); a.Down && (r.call == resumed || ordered) {
			return r.postpone(ctx, contract.Problem{Code: contract.ProblemOfficeDown}, contract.OutcomeUnanswered, s.officeLater(a))
		}
		if later, err := s.compareRestored(ctx); err != nil {
			return err
		} else if later != nil {
			return r.postpone(ctx, contract.Problem{Code: contract.ProblemOfficeDown}, contract.OutcomeUnanswered, later)
		}

		// Open the file before the attempt: without the file the stamp office is not called.
		if err := r.openFile(ctx); err != nil {
			return r.waitForFile(ctx, err)
		}

		// Count the attempt that a resumed run makes. The same commit closes the attempt that an earlier run left open, as
		// unanswered. If the process dies here, the next run counts one more.
		if r.call == resumed && !ordered {
			err := r.commit(ctx, func(d *contract.Document) (contract.Change, error) { return contract.ReopenAttempt(d, r.i, s.Clock()) })
			if err != nil {
				return err
			}
			r.call = resumed
		}

		switch r.stamp().State {
		case contract.StampOrdered:
			// Nothing is paid for yet: refuse what the stamp office would refuse after payment, and look for a serial that
			// the organisation has already paid for. Before the first serial the whole file is read.
			var refused *contract.Error
			if err := s.PreflightStamps(ctx, &r.d, r.file, r.i == 0); errors.As(err, &refused) {
				return r.refuse(ctx, refused)
			} else if err != nil {
				return err
			}
			free, lookErr := r.findFreeSerial(ctx)
			switch {
			case errors.Is(lookErr, store.ErrNotFound):
				// Durable afterwards: the identifier of the order. Not yet: the call that buys. If the process dies here, the
				// next run asks for the serial under the same identifier.
				err = r.orderSerial(ctx)
			case lookErr != nil:
				return lookErr
			default:
				// Durable afterwards, if the claim succeeds: the serial belongs to the stamp. If the process dies here, the next
				// run affixes it. If the claim fails, the serial is retired or has changed, and the next pass looks again.
				err = r.tryClaimSerial(ctx, free)
			}

		case contract.StampRequested:
			// Asking again for an order returns the same serial, so a lost answer costs nothing.
			if err := r.loadPayer(ctx); err != nil {
				return err // no call was made; the attempt stays open as after a crash
			}
			sent, sentErr := r.findLastSent(ctx)
			if sentErr != nil {
				return sentErr // no call was made here either
			}
			serial, buyErr := r.office().BuySerial(ctx, emeterai.Order{
				ID: r.stamp().Order, Organisation: string(r.payer.ID), Payer: r.payer.Name, Title: r.d.Title, Filename: r.d.Filename,
				Number: r.d.Name, Date: r.d.CreatedAt, MaybeSent: sent > 0 || r.maybeLost(), SentBefore: r.lostBefore(), Attempt: r.stamp().Attempts, LastSent: sent, Source: r.file.Source(r.d.Current()),
			})
			if buyErr != nil {
				return r.recordProblem(ctx, buyErr)
			}
			// Durable afterwards: serial, placement and source file belong together. If the process dies here, the next run
			// stamps the same source with the same serial at no cost.
			err = r.bindSerial(ctx, serial)
			if errors.Is(err, contract.ErrSerialElsewhere) {
				return r.recordProblem(ctx, &emeterai.Problem{Class: emeterai.NeedsPerson, Code: emeterai.CodeElsewhere,
					Text: fmt.Sprintf("the stamp office returned serial %s, which another document has or had", serial)})
			}

		case contract.StampBound:
			if r.d, err = s.EnsureAppendable(ctx, r.d, r.file); err != nil {
				return err
			}
			request, requestErr := r.stampRequest()
			if requestErr != nil {
				return requestErr
			}
			tail, stampErr := r.office().Stamp(ctx, request)
			if stampErr != nil {
				return r.recordProblem(ctx, stampErr)
			}
			stamped, stampErr := emeterai.CheckStampedFile(ctx, request, tail)
			if stampErr != nil {
				return r.recordProblem(ctx, stampErr)
			}
			// Durable afterwards: the tail, then the revision that refers to it, with the spent unit and the order of the next
			// serial if the run can place it now. If the process dies in between, fsck finds the tail, and the next run stamps
			// again at no cost. If it dies after the last stamp, the job is repeated, and completes the document.
			err = r.affixStamp(ctx, tail, stamped)

		default:
			return fmt.Errorf("stamp %d of document %d is %s and next", r.i, r.d.ID, r.stamp().State)
		}
	}
	return err
}

// load reads the document. If it has changed, the run resumes, because another process may be working on the document
// and may have called the stamp office. A deleted document has no stamp that is due.
func (r *run) load(ctx context.Context, id contract.DocumentID) error {
	d, err := r.s.LoadDocument(ctx, id)
	if err != nil && !errors.Is(err, contract.ErrNotFound) {
		return err
	}
	if d.Version != r.d.Version {
		r.call = resumed
	}
	r.d, r.i = d, d.NextStamp()
	return nil
}

// commit commits what a rule decides about the stamp, and continues the run. It returns ErrRace if the stamp has moved
// on; see [requireSameStamp].
func (r *run) commit(ctx context.Context, rule func(*contract.Document) (contract.Change, error)) error {
	requireSame := requireSameStamp(&r.d, r.i)
	after, err := r.s.ApplyRuleTo(ctx, r.d, func(d *contract.Document) (*contract.Change, error) {
		if err := requireSame(d); err != nil {
			return nil, err
		}
		return documents.ChangeOf(rule(d))
	})
	if err == nil {
		r.continueWith(after)
	}
	return err
}

// continueWith continues the run after its own commit.
func (r *run) continueWith(after contract.Document) {
	r.d, r.i, r.call = after, after.NextStamp(), continued
}

// recheckAfter is how long a run relies on the check that all bytes are present, which is part of opening the file, and
// that no serial is free. A fast stamp office affixes several stamps in this time, a slow one one.
const recheckAfter = 10 * time.Second

// openFile opens the file, with all bytes present and the midstate right. It does not parse the file: the preflight of
// an order refuses a file that cannot be parsed, and that is recorded in the document.
func (r *run) openFile(ctx context.Context) error {
	if r.file == nil || !r.file.EndsWith(r.d.Current()) || r.s.Clock().Sub(r.file.CheckedAt) >= recheckAfter {
		err := r.closeFile()
		r.file = nil
		if err != nil {
			return err
		}
		if r.file, err = r.s.OpenFile(ctx, r.d.Revisions); err != nil {
			return err
		}
	}
	d, err := r.s.EnsureMidstate(ctx, r.d)
	if err == nil {
		r.d = d
	}
	return err
}

func (r *run) closeFile() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// payer is an organisation that pays, as it was read at a time.
type payer struct {
	store.Organisation
	at time.Time
}

// loadPayer reads the organisation that pays, once in recheckAfter for all its documents: a renaming shows that much later.
func (r *run) loadPayer(ctx context.Context) error {
	if r.payer.ID == r.d.Organisation {
		return nil
	}
	now := r.s.Clock()
	if known, ok := r.s.payers.Load(r.d.Organisation); ok {
		if p := known.(payer); !now.Before(p.at) && now.Sub(p.at) < recheckAfter {
			r.payer = p.Organisation
			return nil
		}
	}
	o, err := r.s.Store.Organisation(ctx, r.d.Organisation)
	if err != nil {
		return fmt.Errorf("read organisation: %w", err)
	}
	r.s.payers.Store(r.d.Organisation, payer{o, now})
	r.payer = o
	return nil
}

// requireSameStamp returns a check that fails with ErrRace if the stamp is no longer in its present state. The stamp
// office takes time, and another process may overtake one that stalled. The answer of the stalled process then belongs
// to an order or a serial that the stamp may no longer have, even if the stamp is in the same state again with the next
// one.
func requireSameStamp(d *contract.Document, i int) func(*contract.Document) error {
	before := d.Stamps[i]
	return func(d *contract.Document) error {
		if now := d.Stamps[i]; now.State != before.State || now.Order != before.Order || now.Serial != before.Serial {
			return contract.ErrRace
		}
		return nil
	}
}

// requireSameAttempt is requireSameStamp for an answer that leaves the stamp in its state. Another process may have
// made the same call again; that call is open and may still be carried out, whatever the result of the earlier one.
func requireSameAttempt(d *contract.Document, i int) func(*contract.Document) error {
	requireSame, attempts := requireSameStamp(d, i), d.Stamps[i].Attempts
	return func(d *contract.Document) error {
		if d.Stamps[i].Attempts != attempts {
			return contract.ErrRace
		}
		return requireSame(d)
	}
}
