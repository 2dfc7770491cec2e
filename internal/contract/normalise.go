package contract

import (
	"fmt"
	"time"
)

// Why a file was rewritten. Values are in the audit log.
const (
	NormalisedDamaged = "damaged"      // readers can open it only by guessing
	NormalisedOffice  = "stamp_office" // the stamp office would have rewritten it, and so broken its signatures
)

// Normalised reports whether the file that is signed is a rewritten form of the uploaded one.
func (d *Document) Normalised() bool {
	return !d.IsWord() && len(d.Revisions) > 0 && d.Revisions[0].Tail.Key != d.Original.Key
}

// ReplaceBase replaces the uploaded file by a rewritten one: at most once, and before anything is appended. The
// uploaded bytes are kept as the original, and the log names both. Findings are kept, because the rewritten file is
// compared with its source before it is used.
func (c *Change) ReplaceBase(base Revision, why string, by Actor, now time.Time) error {
	d := &c.After
	if len(d.Revisions) != 1 || d.IsWord() || d.Normalised() || base.Kind != RevisionBase || base.Begin != 0 || base.End != base.Tail.Size || base.Tail.Key == d.Original.Key {
		return &Error{Kind: Conflict, Code: "document.revision_changed"}
	}
	d.Revisions = []Revision{base}
	c.addEvent(EventNormalised, by, now, "reason", why, "original", fmt.Sprintf("%x", d.Original.Digest), "digest", fmt.Sprintf("%x", base.Digest))
	return nil
}
