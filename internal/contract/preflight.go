package contract

import (
	"fmt"
	"time"
)

// OfficeFile is what the stamp office would be sent, as far as it could refuse it.
type OfficeFile struct {
	Size      int64  // bytes, with what is still to be appended before it is sent
	Rewritten bool   // the office would write it anew: it is old and carries no signature
	Encrypted bool   // though it opens without a password
	Locked    bool   // what its encryption permits leaves no room for a stamp
	Certified error  // a signature forbids stamps; nil: none does
	Broken    string // field of an earlier signature that no longer holds; empty: all hold
	Changed   string // field of an earlier signature behind which something was changed that it forbids; empty: none
}

// Refusals of what the stamp office would refuse after a serial was paid for.
var (
	errOfficeSize      = Refuse(TooLarge, "stamp.file_too_large")
	errOfficeRewrites  = Refuse(Invalid, "stamp.file_old")
	errOfficeEncrypted = Refuse(Invalid, "stamp.file_encrypted")
	errOfficeLocked    = Refuse(Invalid, "stamp.file_locked")
	errOfficeBroken    = Refuse(Invalid, "stamp.signature_broken")
	errOfficeChanged   = Refuse(Invalid, "stamp.signature_changed")
)

// Preflight refuses stamps that the office would refuse: the place of each that is not affixed yet, then the file. The
// office takes no serial back, so whoever asks it must have asked here before. Sizes are those of the pages as
// displayed, false where there is no such page.
func Preflight(d *Document, f OfficeFile, sizes func(page int) (PageSize, bool), l Limits) error {
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

func (d *Document) checkStampPlaces(sizes func(page int) (PageSize, bool)) error {
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

// StampNoPlace is the problem of a stamp whose place is not there any more.
const StampNoPlace = "stamp.no_place"

// RefuseStamp records that a stamp cannot be asked for as the file is. Nothing was asked of the office, so that there
// is no attempt, no serial, and the quota stays reserved; a restamp asks again. Problem is a code of ours.
func RefuseStamp(d *Document, i int, problem string, now time.Time) (Change, error) {
	if err := d.requireStampState(i, StampOrdered); err != nil {
		return Change{}, err
	}
	c := newChange(d)
	c.After.Stamps[i].Problem = problem
	c.After.State, c.After.Reason, c.After.Restamping = Failed, problem, false
	c.addEvent(EventStampNotRequested, Actor{}, now, "problem", problem)
	return c, nil
}
