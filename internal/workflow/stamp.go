package workflow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"segel/internal/contract"
	"segel/internal/emeterai"
	"segel/internal/outage"
)

// reasonStamped is the reason in a stamp's signature dictionary, after the serial.
const reasonStamped = "Meterai elektronik"

// Later is a temporary problem: retry the job after that time.
type Later struct {
	After time.Duration
	Err   error
}

func (l *Later) Error() string { return fmt.Sprintf("try again in %s: %v", l.After, l.Err) }

// Unwrap returns the temporary problem.
func (l *Later) Unwrap() error { return l.Err }

// Stamp affixes the outstanding stamps of a document, one after the other.
//
// Stamp is a job and may run again at any point. Before each call to the stamp office the intention is durable. After a
// crash the next run asks about the open call and never buys twice:
//   - requested: the order's identifier is stored; asking for it again returns the same serial;
//   - bound: the serial is stored; stamping the same source with it again costs nothing;
//   - affixed: the stamp is in a committed revision.
func (s *Service) Stamp(ctx context.Context, id contract.DocumentID) error {
	release, err := s.documentLocks.acquire(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	var d contract.Document
	// An earlier run that ended in doubt may already have made the first call.
	t := stampRun{first: true, again: true}
	defer t.file.close() //nolint:errcheck // it was read only
	for ; ; t.first = false {
		if !t.known {
			before := d.Version
			d, err = s.loadDocument(ctx, id)
			if errors.Is(err, contract.ErrNotFound) {
				return nil
			}
			if err != nil {
				return err
			}
			if d.Version != before { // another process may be working on it and may have called the stamp office
				t.first, t.again = true, true
			}
		}
		i, version := d.NextStamp(), d.Version
		if d.State != contract.Processing || !d.FullySigned() || i < 0 {
			return nil // already done, or not yet due; the change that makes it due enqueues the job again
		}
		if t.first {
			if failed, err := s.timeToStamp(ctx, &d, i); failed || err != nil {
				return err
			}
		}
		if t.again, err = s.stampStep(ctx, &d, i, &t); err != nil {
			return err
		}
		t.known = d.Version != version
	}
}

// timeToStamp checks the clock before a run calls the stamp office: a stamp for a document that cannot be sealed for a
// long time would be wasted. If it returns an error, the stamp waits; failed reports that the document has failed.
func (s *Service) timeToStamp(ctx context.Context, d *contract.Document, i int) (failed bool, err error) {
	// The result of an attempt that an earlier run left open is unknown.
	wait := func(problem string, after time.Duration, cause error) error {
		return s.postponeStamp(ctx, d, i, problem, contract.OutcomeUnanswered, &Later{After: after, Err: cause})
	}
	now, err := s.checkClock(ctx)
	if errors.Is(err, contract.ErrClock) {
		return false, wait(contract.WaitsForClock, clockRetry, err)
	}
	if err != nil {
		return false, err
	}
	problem, far := d.SignedAhead(now)
	if problem == "" {
		return false, nil
	}
	cause := fmt.Errorf("a signature is dated %s", d.LastSignedAt.UTC().Format(time.RFC3339))
	if !far {
		return false, wait(problem, min(d.LastSignedAt.Sub(now), longestRetry), cause)
	}
	s.Log.ErrorContext(ctx, "document is not stamped: a signature was made while the clock was ahead", "document", d.ID, "stamp", i, "signed", d.LastSignedAt, "now", now)
	return true, s.commitStampChange(ctx, d, i, func(d *contract.Document) (contract.Change, error) {
		if d.Stamps[i].State == contract.StampOrdered {
			return contract.RefuseStamp(d, i, problem, now)
		}
		return contract.RecordStampFailure(d, i, contract.Failure{Class: contract.OutcomeUnanswered, Text: cause.Error(), Reason: problem, Final: true}, now)
	})
}

// stampStep moves the next stamp to its next state. It reports whether the call of the following step may already have
// been made. A step that commits stores the committed document in d.
func (s *Service) stampStep(ctx context.Context, d *contract.Document, i int, t *stampRun) (again bool, err error) {
	ordered := d.Stamps[i].State == contract.StampOrdered
	if a := s.Office.Availability(); a.Down && (t.first || ordered) {
		return false, s.postponeStamp(ctx, d, i, contract.OfficeDown, contract.OutcomeUnanswered, s.officeLater(a))
	}
	// Open the file before the attempt: without the file the stamp office is not called.
	err = t.file.openDocument(ctx, s, d)
	if err == nil {
		err = s.requireMidstate(ctx, d)
	}
	switch {
	case errors.Is(err, errFileMissing):
		return false, s.waitForFile(ctx, d, i, t, contract.FileMissing, err)
	case errors.Is(err, errFileChanged):
		return false, s.waitForFile(ctx, d, i, t, contract.FileChanged, err)
	case err != nil:
		return false, err
	}
	if t.first && !ordered {
		err := s.commitStampChange(ctx, d, i, func(d *contract.Document) (contract.Change, error) { return contract.ReopenAttempt(d, i, s.Clock()) })
		if err != nil {
			return false, err
		}
	}
	switch d.Stamps[i].State {
	case contract.StampOrdered:
		if held, err := s.preflightOrder(ctx, d, &t.file, i); held || err != nil {
			return false, err
		}
		return s.orderOrClaim(ctx, d, i)
	case contract.StampRequested:
		return false, s.bindSerial(ctx, d, i, t)
	case contract.StampBound:
		return false, s.affixStamp(ctx, d, i, t)
	}
	return false, fmt.Errorf("stamp %d of document %d is %s and next", i, d.ID, d.Stamps[i].State)
}

// bindSerial fetches the serial of the order and binds it to the stamp.
func (s *Service) bindSerial(ctx context.Context, d *contract.Document, i int, t *stampRun) error {
	serial, err := s.fetchSerial(ctx, d, i, t)
	if err != nil {
		return s.recordStampProblem(ctx, d, i, err)
	}
	look := t.again
	err = s.commitStampChange(ctx, d, i, func(d *contract.Document) (contract.Change, error) {
		known, err := s.loadRegistered(ctx, serial, look)
		if err != nil {
			return contract.Change{}, err
		}
		look = true
		return contract.BindSerial(d, i, known, s.Office.IsSpecimen(), s.Clock())
	})
	if errors.Is(err, contract.ErrSerialElsewhere) {
		return s.recordStampProblem(ctx, d, i, &emeterai.Problem{Class: emeterai.NeedsPerson, Code: emeterai.CodeElsewhere,
			Text: fmt.Sprintf("the stamp office returned serial %s, which another document has or had", serial)})
	}
	return err
}

func (s *Service) fetchSerial(ctx context.Context, d *contract.Document, i int, t *stampRun) (string, error) {
	o, err := t.loadPayer(ctx, s, d)
	if err != nil {
		return "", err
	}
	return s.Office.BuySerial(ctx, emeterai.Order{
		ID: d.Stamps[i].Order, Organisation: string(o.ID), Payer: o.Name, Title: d.Title, Filename: d.Filename, Number: d.Name, Date: d.CreatedAt,
		MaybeSent: t.again, Source: t.file.padesSource(d),
	})
}

// affixStamp has the stamp office stamp the current revision, checks the returned file, and commits it.
func (s *Service) affixStamp(ctx context.Context, d *contract.Document, i int, t *stampRun) error {
	if err := readNextObject(d, t.file.pdfDocument); err != nil {
		return err
	}
	current := d.Current()
	if d.Stamps[i].Source != current.Digest {
		return fmt.Errorf("stamp %d of document %d is bound to another revision", i, d.ID)
	}
	source, _ := t.file.pdfDocument() // if the file cannot be parsed, the stamp office refuses it with its own message
	p := d.Placements[d.Stamps[i].Placement]
	request := emeterai.Request{
		Serial: d.Stamps[i].Serial, Source: t.file.padesSource(d), Opened: source, Digest: current.Digest,
		Page: p.Page, Box: wholePoints(p.Box), Reason: reasonStamped, MaybeSent: t.again,
	}
	tail, err := s.Office.Stamp(ctx, request)
	if err != nil {
		return s.recordStampProblem(ctx, d, i, err)
	}
	stamped, err := emeterai.CheckStampedFile(ctx, request, tail)
	if err != nil {
		return s.recordStampProblem(ctx, d, i, err)
	}
	// The stamp office numbers its objects itself and may leave dangling references.
	next, err := stamped.NextObjectBehind(current.End)
	if err != nil {
		return fmt.Errorf("number objects of document %d: %w", d.ID, err)
	}
	current.NextObject = next
	r, err := s.storeTail(ctx, current, contract.RevisionStamp, tail)
	if err != nil {
		return err
	}
	if err := t.file.appendRevision(r, stamped); err != nil {
		return err
	}
	requireSame := requireSameStamp(d, i)
	after, err := s.commitRevision(ctx, *d, r, func(d *contract.Document, r contract.Revision) (contract.Change, error) {
		if err := requireSame(d); err != nil {
			return contract.Change{}, err
		}
		c, err := contract.AffixStamp(d, i, r, s.Clock())
		if err == nil {
			err = s.orderNextSerial(ctx, &c, t)
		}
		return c, err
	})
	if err == nil {
		*d = after
	}
	return err
}

// wholePoints rounds a stamp's square to whole points. It remains a square.
func wholePoints(b contract.Box) emeterai.Box {
	x, y, side := int(math.Round(b.LLX)), int(math.Round(b.LLY)), int(math.Round(b.Width()))
	return emeterai.Box{LLX: max(x, 0), LLY: max(y, 0), URX: max(x, 0) + side, URY: max(y, 0) + side}
}

// retryAfter is the first delay of a stamp if the stamp office does not name one. Each further failure in a row doubles
// it, up to longestRetry. The first retry comes soon, because most failures are lost answers, and asking again is
// cheap. Every try is recorded in the audit log, which only grows: an outage of a day must not fill it.
const (
	retryAfter   = time.Second
	longestRetry = 5 * time.Minute
)

func retryWait(failures int) time.Duration {
	return min(retryAfter<<min(max(failures-1, 0), 9), longestRetry)
}

// recordStampProblem records a failed call. A final problem fails the document and ends the job. After any other
// problem the document stays in processing and the job is retried with the same order and serial.
func (s *Service) recordStampProblem(ctx context.Context, d *contract.Document, i int, cause error) error {
	if ctx.Err() != nil {
		return ctx.Err() // the process is stopping; the stamp office has no fault
	}
	if outage.Of(cause) != nil {
		return cause // an outage on our side; the attempt stays open as after a crash, and the next run asks again
	}
	class := emeterai.ClassOf(cause)
	f := contract.Failure{Class: contract.Outcome(class), Text: cause.Error(), Reason: reasonOf(cause), Final: class.IsFinal(), Quarantine: class == emeterai.Quarantine}
	var p *emeterai.Problem
	var after time.Duration
	if errors.As(cause, &p) {
		f.Code, f.Text, after = p.Code, p.Text, p.After
		if p.Code == emeterai.CodeNotCalled {
			return s.postponeStamp(ctx, d, i, contract.OfficeDown, contract.OutcomeNotCalled, s.officeLater(emeterai.Availability{Until: s.Clock().Add(after)}))
		}
		var err error
		if f.Evidence, err = s.storeEvidence(ctx, p); err != nil {
			return errors.Join(err, cause)
		}
	}
	requireSame := requireSameAttempt(d, i)
	err := s.commitStampChange(ctx, d, i, func(d *contract.Document) (contract.Change, error) {
		if err := requireSame(d); err != nil {
			return contract.Change{}, err
		}
		c, err := contract.RecordStampFailure(d, i, f, s.Clock())
		if err == nil {
			after = max(after, retryWait(c.After.Stamps[i].Failures))
		}
		return c, err
	})
	if err != nil {
		return errors.Join(s.removeUncommitted(ctx, err, contract.Revision{Tail: f.Evidence}), cause)
	}
	if f.Final {
		s.Log.WarnContext(ctx, "stamp refused finally", "document", d.ID, "stamp", i, "cause", cause)
		return nil
	}
	return &Later{After: after, Err: cause}
}

// errOfficePaused is the reason why a stamp waits without a call to the stamp office.
var errOfficePaused = errors.New("calls to the stamp office are paused")

// officeLater returns the delay until the stamp office may be called again.
func (s *Service) officeLater(a emeterai.Availability) *Later {
	err := errOfficePaused
	if a.Reason != "" {
		err = fmt.Errorf("%w: %s", err, a.Reason)
	}
	return &Later{After: max(a.Until.Sub(s.Clock()), time.Second), Err: err}
}

// waitForFile postpones a stamp until the bytes of its document are restored. Problem is [contract.FileMissing] or
// [contract.FileChanged]. An attempt that this run opened was not made; the result of an earlier run's attempt is
// unknown.
func (s *Service) waitForFile(ctx context.Context, d *contract.Document, i int, t *stampRun, problem string, cause error) error {
	if d.Stamps[i].Problem != problem {
		s.Log.ErrorContext(ctx, "stored bytes of a document are missing or changed", "document", d.ID, "stamp", i, "cause", cause)
	}
	open := contract.OutcomeNotCalled
	if t.first {
		open = contract.OutcomeUnanswered
	}
	return s.postponeStamp(ctx, d, i, problem, open, &Later{After: longestRetry, Err: cause})
}

// postponeStamp postpones a stamp for a problem that prevents calls to the stamp office. The problem is recorded once.
// An open attempt ends with the given outcome.
func (s *Service) postponeStamp(ctx context.Context, d *contract.Document, i int, problem string, open contract.Outcome, until *Later) error {
	requireSame := requireSameAttempt(d, i)
	_, err := s.applyRuleTo(ctx, *d, func(d *contract.Document) (*contract.Change, error) {
		if err := requireSame(d); err != nil {
			return nil, err
		}
		c, changed, err := contract.RecordStampWait(d, i, problem, open, s.Clock())
		if err != nil || !changed {
			return nil, err
		}
		return &c, nil
	})
	if err != nil {
		return err
	}
	return until
}

// commitStampChange commits what a rule decides about a stamp and stores the committed document in d. It returns
// ErrRace if the stamp has moved on; see [requireSameStamp].
func (s *Service) commitStampChange(ctx context.Context, d *contract.Document, i int, rule func(*contract.Document) (contract.Change, error)) error {
	requireSame := requireSameStamp(d, i)
	after, err := s.applyRuleTo(ctx, *d, func(d *contract.Document) (*contract.Change, error) {
		if err := requireSame(d); err != nil {
			return nil, err
		}
		return changeOf(rule(d))
	})
	if err == nil {
		*d = after
	}
	return err
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
