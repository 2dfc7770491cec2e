// Package stamping buys the serials of duty stamps and affixes them, one after the other, and compares the account at
// the stamp office with the register of serials. A serial costs money and is never taken back, so the intention of every
// call is durable before the call.
package stamping

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/emeterai"
	"segel/internal/store"
	"segel/pdf"
)

// Store is the durable storage of stamping.
type Store interface {
	documents.Store
	store.Serials
	Organisation(ctx context.Context, id contract.OrganisationID) (store.Organisation, error)
	// AddReconciliation and LastReconciliation are those of [store.Administration].
	AddReconciliation(ctx context.Context, r contract.Reconciliation) (int64, error)
	LastReconciliation(ctx context.Context) (contract.Reconciliation, error)
}

// Stamping holds the dependencies of stamping.
type Stamping struct {
	*documents.Documents

	Store         Store
	Office        emeterai.Stamper
	InDoubtPeriod time.Duration // how long after a call the stamp office may still carry it out

	reconciling sync.Mutex // held by the running reconciliation
}

// run is one run of [Stamping.Stamp]. Its steps return the run as it goes on.
type run struct {
	*Stamping
	d    contract.Document // as last read or committed
	i    int               // the next stamp of d; negative: none
	call callState

	// What one run reads once for all its stamps. Each comment has what it saves per stamp, on SQLite and with a file of
	// three revisions: go test ./internal/workflow -run xxx -bench StampCaches. On PostgreSQL a query is a round trip.
	file     *documents.File    // the current file of d, open and parsed; nil: not open. Opening 98 µs, parsing 177 µs
	payer    store.Organisation // set when an order was made for it. 50 µs
	noneFree time.Time          // when no free serial was found last. 90 µs
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
	// continued: the last commit of the run made the call due, so it was certainly not made.
	continued callState = "continued"
)

// maybeSent reports whether the next call may already have been made.
func (r run) maybeSent() bool { return r.call != continued }

func (r run) state() contract.StampState { return r.d.Stamps[r.i].State }

// isDue reports whether a stamp is to be affixed now. If not, all is done, or the change that makes it due enqueues the
// job again.
func (r run) isDue() bool {
	return r.d.State == contract.Processing && r.d.FullySigned() && r.i >= 0
}

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
	r := run{Stamping: s}
	defer func() { _ = r.closeFile() }() // it was read only
	r, err = r.load(ctx, id)
	// Each pass takes the stamp one commit further: ordered, requested, bound, affixed. The commit that affixes a stamp
	// orders the serial of the next one.
	for err == nil && r.isDue() {
		// A stamp for a document that cannot be sealed for a long time would be wasted.
		if r.call == resumed {
			now, err := s.CheckClock(ctx)
			if errors.Is(err, contract.ErrClock) {
				return r.postpone(ctx, contract.WaitsForClock, contract.OutcomeUnanswered, &contract.Later{After: documents.ClockRetry, Err: err})
			}
			if err != nil {
				return err
			}
			switch problem, far := r.d.SignedAhead(now); {
			case far:
				return r.failAhead(ctx, problem, now)
			case problem != "":
				wait := min(r.d.LastSignedAt.Sub(now), documents.LongestRetry)
				return r.postpone(ctx, problem, contract.OutcomeUnanswered, &contract.Later{After: wait, Err: r.signedAhead()})
			}
		}
		ordered := r.state() == contract.StampOrdered
		if a := s.Office.Availability(); a.Down && (r.call == resumed || ordered) {
			return r.postpone(ctx, contract.OfficeDown, contract.OutcomeUnanswered, s.officeLater(a))
		}

		// Open the file before the attempt: without the file the stamp office is not called.
		r, err = r.openFile(ctx)
		if err != nil {
			return r.waitForFile(ctx, err)
		}

		// Count the attempt that a resumed run makes. If the process dies here, the next run counts one more.
		if r.call == resumed && !ordered {
			r, err = r.commit(ctx, func(d *contract.Document) (contract.Change, error) { return contract.ReopenAttempt(d, r.i, s.Clock()) })
			if err != nil {
				return err
			}
			r.call = resumed
		}

		switch r.state() {
		case contract.StampOrdered:
			// Nothing is paid for yet: refuse what the stamp office would refuse after payment, and look for a serial that
			// the organisation has already paid for.
			var refused *contract.Error
			if err := s.PreflightStamps(ctx, &r.d, r.file, r.i == 0); errors.As(err, &refused) {
				return r.refuse(ctx, refused)
			} else if err != nil {
				return err
			}
			free, lookErr := s.Store.FreeSerial(ctx, r.d.Organisation, r.d.ID)
			switch {
			case errors.Is(lookErr, store.ErrNotFound):
				// Durable afterwards: the identifier of the order. Not yet: the call that buys. If the process dies here, the
				// next run asks for the serial under the same identifier.
				r, err = r.orderSerial(ctx)
			case lookErr != nil:
				return lookErr
			default:
				// Durable afterwards: the serial belongs to the stamp. If the process dies here, the next run affixes it.
				r, err = r.claimSerial(ctx, free)
			}

		case contract.StampRequested:
			// Asking again for an order returns the same serial, so a lost answer costs nothing.
			if r, err = r.loadPayer(ctx); err != nil {
				return r.recordProblem(ctx, err)
			}
			serial, buyErr := s.Office.BuySerial(ctx, emeterai.Order{
				ID: r.d.Stamps[r.i].Order, Organisation: string(r.payer.ID), Payer: r.payer.Name, Title: r.d.Title, Filename: r.d.Filename,
				Number: r.d.Name, Date: r.d.CreatedAt, MaybeSent: r.maybeSent(), Source: r.file.Source(r.d.Current()),
			})
			if buyErr != nil {
				return r.recordProblem(ctx, buyErr)
			}
			// Durable afterwards: serial, placement and source file belong together. If the process dies here, the next run
			// stamps the same source with the same serial at no cost.
			r, err = r.bindSerial(ctx, serial)
			if errors.Is(err, contract.ErrSerialElsewhere) {
				return r.recordProblem(ctx, &emeterai.Problem{Class: emeterai.NeedsPerson, Code: emeterai.CodeElsewhere,
					Text: fmt.Sprintf("the stamp office returned serial %s, which another document has or had", serial)})
			}

		case contract.StampBound:
			if r.d, err = s.PrepareRevision(ctx, r.d, r.file); err != nil {
				return err
			}
			request, requestErr := r.stampRequest()
			if requestErr != nil {
				return requestErr
			}
			tail, stampErr := s.Office.Stamp(ctx, request)
			if stampErr != nil {
				return r.recordProblem(ctx, stampErr)
			}
			stamped, stampErr := emeterai.CheckStampedFile(ctx, request, tail)
			if stampErr != nil {
				return r.recordProblem(ctx, stampErr)
			}
			// Durable afterwards: the tail, then the revision that refers to it, with the spent unit and the next order. If
			// the process dies in between, fsck finds the tail, and the next run stamps again at no cost.
			r, err = r.affixStamp(ctx, tail, stamped)

		default:
			return fmt.Errorf("stamp %d of document %d is %s and next", r.i, r.d.ID, r.state())
		}
	}
	return err
}

// load reads the document. A run whose document has not changed goes on; otherwise it resumes, because another process
// may be working on the document and may have called the stamp office. A deleted document has no stamp that is due.
func (r run) load(ctx context.Context, id contract.DocumentID) (run, error) {
	d, err := r.LoadDocument(ctx, id)
	if err != nil && !errors.Is(err, contract.ErrNotFound) {
		return r, err
	}
	if r.call = continued; d.Version != r.d.Version {
		r.call = resumed
	}
	r.d, r.i = d, d.NextStamp()
	return r, nil
}

// commit commits what a rule decides about the stamp and returns the run after it. It returns ErrRace if the stamp has
// moved on; see [requireSameStamp].
func (r run) commit(ctx context.Context, rule func(*contract.Document) (contract.Change, error)) (run, error) {
	requireSame := requireSameStamp(&r.d, r.i)
	after, err := r.ApplyRuleTo(ctx, r.d, func(d *contract.Document) (*contract.Change, error) {
		if err := requireSame(d); err != nil {
			return nil, err
		}
		return documents.ChangeOf(rule(d))
	})
	if err != nil {
		return r, err
	}
	return r.continueWith(after), nil
}

// continueWith returns the run after its own commit.
func (r run) continueWith(after contract.Document) run {
	r.d, r.i, r.call = after, after.NextStamp(), continued
	return r
}

// RecheckAfter is how long a run relies on the check that all bytes are present, which is part of opening the file, and
// that no serial is free. A fast stamp office affixes several stamps in this time, a slow one one.
const RecheckAfter = 10 * time.Second

// openFile returns the run with its file open, all bytes present and the midstate right. It does not parse the file: the
// preflight of an order refuses a file that cannot be parsed, and that is recorded in the document.
func (r run) openFile(ctx context.Context) (run, error) {
	if r.file == nil || !r.file.EndsWith(r.d.Current()) || r.Clock().Sub(r.file.CheckedAt) >= RecheckAfter {
		err := r.closeFile()
		r.file = nil
		if err != nil {
			return r, err
		}
		if r.file, err = r.OpenFile(ctx, r.d.Revisions); err != nil {
			return r, err
		}
	}
	d, err := r.RequireMidstate(ctx, r.d)
	if err == nil {
		r.d = d
	}
	return r, err
}

func (r run) closeFile() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// loadPayer returns the run with the organisation that pays. It is read once per run: a renaming shows in the next run.
func (r run) loadPayer(ctx context.Context) (run, error) {
	if r.payer.ID == r.d.Organisation {
		return r, nil
	}
	o, err := r.Store.Organisation(ctx, r.d.Organisation)
	if err != nil {
		return r, fmt.Errorf("read organisation: %w", err)
	}
	r.payer = o
	return r, nil
}

// bindSerial binds the serial of the order to the stamp. For the first call of an order the register is not asked for
// the serial: if it has it, the commit conflicts, and the next try asks.
func (r run) bindSerial(ctx context.Context, serial string) (run, error) {
	look := r.maybeSent()
	return r.commit(ctx, func(d *contract.Document) (contract.Change, error) {
		known := contract.StampSerial{Serial: serial}
		if look {
			registered, err := r.Store.Serial(ctx, serial)
			if err == nil {
				known = registered
			} else if !errors.Is(err, store.ErrNotFound) {
				return contract.Change{}, err
			}
		}
		look = true
		return contract.BindSerial(d, r.i, known, r.Office.IsSpecimen(), r.Clock())
	})
}

// reasonStamped is the reason in a stamp's signature dictionary, after the serial.
const reasonStamped = "Meterai elektronik"

// stampRequest returns the request to stamp the current revision with the bound serial.
func (r run) stampRequest() (emeterai.Request, error) {
	stamp, current := r.d.Stamps[r.i], r.d.Current()
	if stamp.Source != current.Digest {
		return emeterai.Request{}, fmt.Errorf("stamp %d of document %d is bound to another revision", r.i, r.d.ID)
	}
	source, _ := r.file.PDF(pdf.Options{}) // if the file cannot be parsed, the stamp office refuses it with its own message
	p := r.d.Placements[stamp.Placement]
	// Whole points. It remains a square.
	x, y, side := max(int(math.Round(p.Box.LLX)), 0), max(int(math.Round(p.Box.LLY)), 0), int(math.Round(p.Box.Width()))
	return emeterai.Request{
		Serial: stamp.Serial, Source: r.file.Source(current), Opened: source, Digest: current.Digest,
		Page: p.Page, Box: emeterai.Box{LLX: x, LLY: y, URX: x + side, URY: y + side}, Reason: reasonStamped, MaybeSent: r.maybeSent(),
	}, nil
}

// affixStamp stores the checked tail of the stamp office and commits the revision with it.
func (r run) affixStamp(ctx context.Context, tail []byte, stamped *pdf.Document) (run, error) {
	// The stamp office numbers its objects itself and may leave dangling references.
	current := r.d.Current()
	next, err := stamped.NextObjectBehind(current.End)
	if err != nil {
		return r, fmt.Errorf("number objects of document %d: %w", r.d.ID, err)
	}
	current.NextObject = next
	revision, err := r.StoreTail(ctx, current, contract.RevisionStamp, tail)
	if err != nil {
		return r, err
	}
	// If the revision is not committed, the file no longer ends with the current revision and is opened again.
	if err := r.file.AppendRevision(revision, stamped); err != nil {
		return r, err
	}
	requireSame := requireSameStamp(&r.d, r.i)
	after, err := r.CommitRevisions(ctx, r.d, []contract.Revision{revision}, func(d *contract.Document) (contract.Change, error) {
		if err := requireSame(d); err != nil {
			return contract.Change{}, err
		}
		c, err := contract.AffixStamp(d, r.i, revision, r.Clock())
		if err != nil || !r.needsOrder(ctx, &c.After) {
			return c, err
		}
		order, err := blob.NewKey(r.Random)
		if err == nil {
			c.OrderNextSerial(string(order), r.Clock())
		}
		return c, err
	})
	if err != nil {
		return r, err
	}
	return r.continueWith(after), nil
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
