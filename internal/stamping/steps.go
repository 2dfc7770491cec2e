package stamping

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"time"

	"segel/internal/contract"
	"segel/internal/emeterai"
	"segel/internal/store"
	"segel/pdf"
)

// orderSerial records the order of a serial under a new identifier, before the stamp office is called.
func (r *run) orderSerial(ctx context.Context) error {
	return r.commit(ctx, func(d *contract.Document) (contract.Change, error) {
		return contract.OrderSerial(d, r.i, r.s.newOrder(d, r.i), r.s.Clock())
	})
}

// newOrder returns the identifier of the next order for a stamp. It follows from the stamp, the bytes that it goes on and the calls that were made for it.
// So an installation that was restored from a backup orders what the lost one ordered under the same identifier, and the stamp office
// can be asked for it. Another order for the stamp, or for other bytes, has another identifier.
func (s *Stamping) newOrder(d *contract.Document, i int) string {
	digest := d.Current().Digest
	h := hmac.New(sha256.New, s.OrderKey[:])
	fmt.Fprintf(h, "order 1\n%s\n%d\n%d\n%x\n%d\n", d.Organisation, d.ID, i, digest, d.Stamps[i].Attempts)
	return hex.EncodeToString(h.Sum(nil)[:orderLen])
}

// orderLen is the length of the identifier of an order in bytes.
const orderLen = 16

// findFreeSerial finds a serial that the organisation has paid for; store.ErrNotFound if there is none, as always for a test document.
func (r *run) findFreeSerial(ctx context.Context) (contract.StampSerial, error) {
	if r.d.Test {
		return contract.StampSerial{}, store.ErrNotFound
	}
	return r.s.Store.FreeSerial(ctx, r.d.Organisation, r.d.ID)
}

// tryClaimSerial assigns a serial of the organisation that is registered as free to the stamp, after the stamp office has
// confirmed that it can be affixed. A serial that cannot is retired. If nothing is claimed and the error is nil, the
// stamp is still ordered, and the next pass looks again.
func (r *run) tryClaimSerial(ctx context.Context, free contract.StampSerial) error {
	status, err := r.office().SerialStatus(ctx, free.Serial)
	switch {
	case err != nil && !emeterai.ClassOf(err).IsFinal():
		return r.recordProblem(ctx, err)
	case err != nil: // the serial was listed as free; if it never comes back, every reconciliation reports it as missing
		return r.retireSerial(ctx, free, contract.SuspendSerial, err.Error())
	case status != emeterai.Unused:
		return r.retireSerial(ctx, free, contract.QuarantineSerial, fmt.Sprintf("it was released as unused, but the stamp office reports it as %s", status))
	}
	if err := r.office().CheckAffixable(ctx, free.Serial); emeterai.ClassOf(err).IsFinal() {
		return r.retireSerial(ctx, free, contract.SuspendSerial, err.Error())
	} else if err != nil {
		return r.recordProblem(ctx, err)
	}
	c, err := contract.ClaimSerial(&r.d, r.i, free, r.office().IsSpecimen(), r.s.Clock())
	if err != nil {
		return err
	}
	after, err := r.s.CommitChange(ctx, c)
	if errors.Is(err, contract.ErrRace) { // changed by another writer: look again
		return r.load(ctx, r.d.ID)
	}
	if err != nil {
		return err
	}
	r.continueWith(after)
	r.call = claimed
	return nil
}

// retireSerial moves a serial that turned out to be unusable. The run looks for another one.
func (r *run) retireSerial(ctx context.Context, serial contract.StampSerial, rule func(contract.StampSerial, string, time.Time) (contract.SerialMove, contract.Event), why string) error {
	r.s.Log.WarnContext(ctx, "a free serial cannot be used", "serial", serial.Serial, "problem", why)
	m, e := rule(serial, why, r.s.Clock())
	err := r.s.Store.MoveSerials(ctx, []contract.SerialMove{m}, e)
	if err != nil && !errors.Is(err, store.ErrConflict) { // in a conflict, another writer retired it or uses it
		return err
	}
	return r.load(ctx, r.d.ID)
}

// bindSerial binds the serial of the order to the stamp. For the first call of an order the register is not asked for
// the serial: if it has it, the commit conflicts, and the next try asks.
func (r *run) bindSerial(ctx context.Context, serial string) error {
	look := r.maybeSent()
	return r.commit(ctx, func(d *contract.Document) (contract.Change, error) {
		known := contract.StampSerial{Serial: serial}
		if look {
			registered, err := r.s.Store.Serial(ctx, serial)
			if err == nil {
				known = registered
			} else if !errors.Is(err, store.ErrNotFound) {
				return contract.Change{}, err
			}
		}
		look = true
		return contract.BindSerial(d, r.i, known, r.office().IsSpecimen(), r.s.Clock())
	})
}

// reasonStamped is the reason in a stamp's signature dictionary, after the serial.
const reasonStamped = "Meterai elektronik"

// stampRequest returns the request to stamp the current revision with the bound serial.
func (r *run) stampRequest() (emeterai.Request, error) {
	stamp, current := r.stamp(), r.d.Current()
	if stamp.Source != current.Digest {
		return emeterai.Request{}, fmt.Errorf("stamp %d of document %d is bound to another revision", r.i, r.d.ID)
	}
	source, _ := r.file.PDF(pdf.Options{}) // if the file cannot be parsed, the stamp office refuses it with its own message
	p := r.d.Placements[stamp.Placement]
	// Whole points. It remains a square.
	x, y, side := max(int(math.Round(p.Box.LLX)), 0), max(int(math.Round(p.Box.LLY)), 0), int(math.Round(p.Box.Width()))
	return emeterai.Request{
		Serial: stamp.Serial, Source: r.file.Source(current), Opened: source, Digest: current.Digest,
		Page: p.Page, Box: emeterai.Box{LLX: x, LLY: y, URX: x + side, URY: y + side}, Reason: reasonStamped, Organisation: string(r.d.Organisation), MaybeSent: r.maybeSent(),
	}, nil
}

// affixStamp stores the checked tail of the stamp office and commits the revision with it.
func (r *run) affixStamp(ctx context.Context, tail []byte, stamped *pdf.Document) error {
	// The stamp office numbers its objects itself and may leave dangling references.
	current := r.d.Current()
	next, err := stamped.NextObjectBehind(current.End)
	if err != nil {
		return fmt.Errorf("number objects of document %d: %w", r.d.ID, err)
	}
	current.NextObject = next
	built, err := r.file.Source(current).Append(tail)
	if err != nil {
		return fmt.Errorf("continue document %d: %w", r.d.ID, err)
	}
	revision, err := r.s.StoreTail(ctx, r.d.Organisation, current, contract.RevisionStamp, built)
	if err != nil {
		return err
	}
	// canOrderNext examines the file with this stamp, so it grows before the commit. If the commit fails, the run ends.
	if err := r.file.AppendRevision(revision, stamped); err != nil {
		return err
	}
	requireSame := requireSameStamp(&r.d, r.i)
	after, err := r.s.CommitRevisions(ctx, r.d, []contract.Revision{revision}, func(d *contract.Document) (contract.Change, error) {
		if err := requireSame(d); err != nil {
			return contract.Change{}, err
		}
		c, err := contract.AffixStamp(d, r.i, revision, r.s.Clock())
		if err != nil || !r.canOrderNext(ctx, &c.After) {
			return c, err
		}
		c.OrderNextSerial(r.s.newOrder(&c.After, c.After.NextStamp()), r.s.Clock())
		return c, nil
	})
	if err == nil {
		r.continueWith(after)
	}
	return err
}

// canOrderNext reports whether the commit that affixes a stamp, and leaves the document as given, can order the serial of
// the next one too: every commit waits for the disk. If a serial is free, the stamp office is unavailable or would
// refuse the file, the next pass handles it.
func (r *run) canOrderNext(ctx context.Context, d *contract.Document) bool {
	if d.NextStamp() < 0 || r.office().Availability().Down || r.s.PreflightStamps(ctx, d, r.file, false) != nil {
		return false
	}
	if r.s.Clock().Sub(r.noneFreeAt) < recheckAfter {
		return true
	}
	if _, err := r.findFreeSerial(ctx); !errors.Is(err, store.ErrNotFound) {
		return false
	}
	r.noneFreeAt = r.s.Clock()
	return true
}
