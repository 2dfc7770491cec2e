package workflow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/emeterai"
	"segel/pades"
)

// reasonStamped stands in a stamp's signature, behind its serial.
const reasonStamped = "Meterai elektronik"

// Later is a problem that passes by itself: the job is to be tried again after that time.
type Later struct {
	After time.Duration
	Err   error
}

func (l *Later) Error() string { return fmt.Sprintf("try again in %s: %v", l.After, l.Err) }

// Unwrap returns what has to pass.
func (l *Later) Unwrap() error { return l.Err }

// Stamp affixes what is still to be stamped on a document, one stamp after the other.
//
// It is a job and may run again at any point. Before each call to the office the intention is durable, so that a
// crash leaves a question that the next run asks, never a second purchase:
//   - requested: the order's identifier is known; asking for it again yields the same serial;
//   - bound: the serial is known; stamping the same source with it again costs nothing;
//   - affixed: the stamp is in a committed revision.
func (s *Service) Stamp(ctx context.Context, id contract.DocumentID) error {
	release, err := s.files.acquire(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	// What the first step finds may have been asked of the office by a run that ended in doubt.
	for again := true; ; again = false {
		d, err := s.document(ctx, id)
		if errors.Is(err, contract.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		i := d.NextStamp()
		if d.State != contract.Processing || !d.FullySigned() || i < 0 {
			return nil // done before, or not yet; whoever makes it due orders the job again
		}
		if err := s.stampStep(ctx, &d, i, again); err != nil {
			return err
		}
	}
}

// stampStep takes the next stamp one state further. Again says that the step may have been tried before.
func (s *Service) stampStep(ctx context.Context, d *contract.Document, i int, again bool) error {
	switch d.Stamps[i].State {
	case contract.StampOrdered:
		order, err := blob.NewKey(s.Random)
		if err != nil {
			return err
		}
		return s.ruled(ctx, d.ID, func(d *contract.Document) (contract.Change, error) {
			return contract.OrderSerial(d, i, string(order), s.Clock())
		})
	case contract.StampRequested:
		serial, err := s.take(ctx, d, i, again)
		if err != nil {
			return s.problem(ctx, d.ID, i, err)
		}
		return s.ruled(ctx, d.ID, func(d *contract.Document) (contract.Change, error) {
			return contract.BindSerial(d, i, serial, s.Office.Specimen(), s.Clock())
		})
	case contract.StampBound:
		return s.affix(ctx, d, i, again)
	}
	return fmt.Errorf("stamp %d of document %d is %s and next", i, d.ID, d.Stamps[i].State)
}

func (s *Service) take(ctx context.Context, d *contract.Document, i int, again bool) (string, error) {
	o, err := s.Store.Organisation(ctx, d.Organisation)
	if err != nil {
		return "", fmt.Errorf("read organisation: %w", err)
	}
	f, err := s.open(ctx, d.Revisions)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return s.Office.Take(ctx, emeterai.Order{
		ID: d.Stamps[i].Order, Organisation: string(o.ID), Payer: o.Name, Title: d.Title, Filename: d.Filename, Number: d.Name, Date: d.CreatedAt,
		Again: again, Source: pades.Source{R: f, Size: f.Size(), State: d.Current().Midstate},
	})
}

// affix has the office stamp the current revision, judges what comes back, and commits it.
func (s *Service) affix(ctx context.Context, d *contract.Document, i int, again bool) error {
	current := d.Current()
	if d.Stamps[i].Source != current.Digest {
		return fmt.Errorf("stamp %d of document %d is bound to another revision", i, d.ID)
	}
	f, err := s.open(ctx, d.Revisions)
	if err != nil {
		return err
	}
	defer f.Close()
	p := d.Placements[d.Stamps[i].Placement]
	want := emeterai.Request{
		Serial: d.Stamps[i].Serial, Source: pades.Source{R: f, Size: f.Size(), State: current.Midstate}, Digest: current.Digest,
		Page: p.Page, Box: wholePoints(p.Box), Reason: reasonStamped, Again: again,
	}
	tail, err := s.Office.Stamp(ctx, want)
	if err != nil {
		return s.problem(ctx, d.ID, i, err)
	}
	if err := emeterai.Judge(ctx, want, tail); err != nil {
		return s.problem(ctx, d.ID, i, err)
	}
	r, err := s.keep(ctx, current, contract.RevisionStamp, tail)
	if err != nil {
		return err
	}
	_, err = s.append(ctx, d.ID, r, func(d *contract.Document, r contract.Revision) (contract.Change, error) {
		return contract.Affix(d, i, r, s.Clock())
	})
	return err
}

// wholePoints rounds a stamp's square to whole points without changing that it is one.
func wholePoints(b contract.Box) emeterai.Box {
	x, y, side := int(math.Round(b.LLX)), int(math.Round(b.LLY)), int(math.Round(b.Width()))
	return emeterai.Box{LLX: max(x, 0), LLY: max(y, 0), URX: max(x, 0) + side, URY: max(y, 0) + side}
}

// retryAfter is how long the office is left alone at first when it does not say; each further failure doubles it, up
// to longestRetry. Every try is told in the audit log, which only grows: an outage of a day must not fill it.
const (
	retryAfter   = 10 * time.Second
	longestRetry = 5 * time.Minute
)

func retryWait(attempts int) time.Duration {
	return min(retryAfter<<min(max(attempts-1, 0), 5), longestRetry)
}

// problem records what went wrong. A problem that stays fails the document and ends the job; anything else leaves
// it processing and asks to be tried again with the same order and serial.
func (s *Service) problem(ctx context.Context, id contract.DocumentID, i int, cause error) error {
	if ctx.Err() != nil {
		return ctx.Err() // we are being stopped; the office is not to blame
	}
	var p *emeterai.Problem
	var after time.Duration
	text := cause.Error()
	if errors.As(cause, &p) {
		text, after = p.Text, p.After
	}
	permanent := emeterai.ClassOf(cause).Final()
	err := s.ruled(ctx, id, func(d *contract.Document) (contract.Change, error) {
		c, err := contract.StampProblem(d, i, text, permanent, s.Clock())
		if err == nil {
			after = max(after, retryWait(c.After.Stamps[i].Attempts))
		}
		return c, err
	})
	if err != nil {
		return errors.Join(err, cause)
	}
	if permanent {
		s.Log.WarnContext(ctx, "stamp refused for good", "document", id, "stamp", i, "cause", cause)
		return nil
	}
	return &Later{After: after, Err: cause}
}

// ruled commits what a rule says of the document.
func (s *Service) ruled(ctx context.Context, id contract.DocumentID, rule func(*contract.Document) (contract.Change, error)) error {
	_, err := s.apply(ctx, id, func(d *contract.Document) (*contract.Change, error) { return one(rule(d)) })
	return err
}
