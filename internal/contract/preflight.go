package contract

import (
	"fmt"
	"time"
)

// OfficeFile describes the file that the stamp office would receive, as far as the office could refuse it.
type OfficeFile struct {
	Size      int64  // bytes, including what will be appended before it is sent
	Rewritten bool   // the office would rewrite it: it is old and has no signature
	Encrypted bool   // it is encrypted but opens without a password
	Locked    bool   // its permissions do not allow a stamp
	Certified error  // why a signature forbids stamps; nil: none does
	Broken    string // field of an earlier signature that is no longer intact; empty: all are intact
	Changed   string // field of an earlier signature after which a change was made that it forbids; empty: none
}

// Refusals of what the stamp office would refuse only after a serial was paid for.
var (
	errOfficeSize      = Refuse(TooLarge, "stamp.file_too_large")
	errOfficeRewrites  = Refuse(Invalid, "stamp.file_old")
	errOfficeEncrypted = Refuse(Invalid, "stamp.file_encrypted")
	errOfficeLocked    = Refuse(Invalid, "stamp.file_locked")
	errOfficeBroken    = Refuse(Invalid, "stamp.signature_broken")
	errOfficeChanged   = Refuse(Invalid, "stamp.signature_changed")
)

// Preflight refuses stamps that the office would refuse: first the place of each stamp that is not affixed yet, then
// the file. The office takes no serial back, so call it before every purchase.
func Preflight(d *Document, f OfficeFile, sizes PageSizeFunc, l Limits) error {
	if err := d.checkStampPlaces(sizes); err != nil {
		return err
	}
	switch {
	case l.StampFile > 0 && f.Size > l.StampFile:
		return errOfficeSize.With("limit", l.StampFile)
	case f.Encrypted && l.StampEncrypted == EncryptedNone:
		return errOfficeEncrypted
	case f.Locked && l.StampEncrypted == EncryptedUnrestricted:
		return errOfficeLocked
	case f.Certified != nil:
		return f.Certified
	case f.Broken != "":
		return errOfficeBroken.With("field", CleanText(f.Broken))
	case f.Changed != "":
		return errOfficeChanged.With("field", CleanText(f.Changed))
	case f.Rewritten:
		return errOfficeRewrites
	}
	return nil
}

func (d *Document) checkStampPlaces(sizes PageSizeFunc) error {
	var bad fieldErrors
	for _, s := range d.Stamps {
		if s.State == StampAffixed {
			continue
		}
		where, p := fmt.Sprintf("placements[%d]", s.Placement), d.Placements[s.Placement]
		size, ok := sizes(p.Page)
		switch side := p.Box.Width(); {
		case !ok:
			bad.add(where+".page", "placement.no_such_page", "page", p.Page, "pages", d.Pages)
		case !p.Box.hasArea():
			bad.add(where+".box", "placement.no_area")
		case !p.Box.isOnPage(size):
			bad.add(where+".box", "placement.off_page", "width", size.Width, "height", size.Height)
		case side < StampMin || side > StampMax:
			bad.add(where+".box", "placement.stamp_size", "min", StampMin, "max", StampMax, "side", side)
		}
	}
	return bad.asError()
}

// RefuseStamp records that a stamp cannot be requested for the file as it is. The office was not called, so there is
// no attempt and no serial, and the quota stays reserved; a restamp tries again.
func RefuseStamp(d *Document, i int, p Problem, now time.Time) (Change, error) {
	if err := d.requireStampState(i, StampOrdered); err != nil {
		return Change{}, err
	}
	c := newChange(d)
	problem := p.String()
	c.After.Stamps[i].Problem = problem
	c.failDocument(problem)
	c.addEvent(EventStampNotRequested, Actor{}, now, "problem", problem)
	return c, nil
}
