package contract

import (
	"fmt"
	"time"
)

// Why a file was rewritten, as the audit log says it.
const (
	NormalisedDamaged = "damaged"      // readers could open it by guessing only
	NormalisedOffice  = "stamp_office" // the office would have rewritten it, and with it what was signed before
)

// Normalised reports whether the file that is signed is not the one that was uploaded, but a rewriting of it.
func (d *Document) Normalised() bool {
	return !d.IsWord() && len(d.Revisions) > 0 && d.Revisions[0].Tail.Key != d.Original.Key
}

// ReplaceBase puts a rewriting of the uploaded file in the place of the file: at most once, and before anything was
// appended to it. The uploaded bytes stay as the original, and the log names both. Findings stay: a rewriting is
// compared with its source before it is taken.
func (c *Change) ReplaceBase(base Revision, why string, by Actor, now time.Time) error {
	d := &c.After
	if len(d.Revisions) != 1 || d.IsWord() || d.Normalised() || base.Kind != RevisionBase || base.Begin != 0 || base.End != base.Tail.Size || base.Tail.Key == d.Original.Key {
		return &Error{Kind: Conflict, Code: "document.revision_changed"}
	}
	d.Revisions = []Revision{base}
	c.addEvent(EventNormalised, by, now, "reason", why, "original", fmt.Sprintf("%x", d.Original.Digest), "digest", fmt.Sprintf("%x", base.Digest))
	return nil
}
