package contract

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Retention is for how long an organisation keeps the files of completed documents (decision 0102).
type Retention struct {
	Years int // after the completion; 0: for ever
}

// MaxRetention is the longest period that can be chosen, in years.
const MaxRetention = 100

// Times of the announcement of a removal.
const (
	// RemovalNotice is how long before the removal of a document its owner is told, at least.
	RemovalNotice = 30 * 24 * time.Hour
	// RemovalNoticeEvery is the shortest time between two messages to one owner.
	RemovalNoticeEvery = 31 * 24 * time.Hour
	// RemovalAhead is how far ahead a message looks. The next message to the same owner comes early enough for what is due behind it.
	RemovalAhead = RemovalNotice + RemovalNoticeEvery + 24*time.Hour
)

// CheckRetention checks a period. Least is the shortest one that the operator allows, in years.
func CheckRetention(r Retention, least int) error {
	if r.Years == 0 || r.Years >= max(least, 1) && r.Years <= MaxRetention {
		return nil
	}
	return InvalidInput(NewFieldError("years", "retention.years", "least", max(least, 1), "most", MaxRetention))
}

// DueAt returns when the files of a document that was completed at that moment may be removed; zero: never.
func (r Retention) DueAt(completed time.Time) time.Time {
	if r.Years == 0 {
		return time.Time{}
	}
	return completed.AddDate(r.Years, 0, 0)
}

// CompletedBy returns the latest completion of documents that may be due at a moment. [Retention.DueAt] decides: years differ in length.
func (r Retention) CompletedBy(now time.Time) time.Time { return now.AddDate(-r.Years, 0, 1) }

// removedPrefix precedes the key of a file that was removed. No key in a blob store begins like this.
const removedPrefix = "removed/"

// IsRemoved reports whether the file was removed. Size and digests remain.
func (f File) IsRemoved() bool { return strings.HasPrefix(f.Key, removedPrefix) }

// asRemoved returns the file as it is recorded once it is removed.
func (f File) asRemoved() File {
	f.Key = removedPrefix + f.Key
	return f
}

// IsRemoved reports whether the files of the document were removed. What is recorded of it remains.
func (d *Document) IsRemoved() bool { return d.Original.IsRemoved() }

// Removal says that the files of a document were removed.
type Removal struct {
	Document DocumentID
	At       time.Time
	Years    int      // of the retention of the organisation then
	Digest   [32]byte // SHA-256 of the finished file
	Evidence [32]byte // SHA-256 of the evidence certificate; zero: there was none
}

// Errors of retention and of legal holds.
var (
	// ErrRemoved refuses what needs the files of a document that were removed.
	ErrRemoved = Refuse(Gone, "document.removed")
	// ErrHeld refuses to delete or erase what a legal hold keeps.
	ErrHeld = Refuse(Conflict, "hold.held")
	// ErrNoHold refuses a legal hold that does not exist, that was lifted, or that the caller does not administer.
	ErrNoHold = Refuse(NotFound, "hold.not_found")
	// ErrManyHolds refuses a further legal hold of an organisation that has too many.
	ErrManyHolds = Refuse(Conflict, "hold.too_many")
)

// RemoveFiles removes the files of a completed document whose retention has ended. Evidence is the SHA-256 of its evidence certificate; zero: there is none.
// Changed is false if the document is not due.
//
// Durable with the commit: what was removed and why, that nothing can use the files any more, and the job that deletes them.
func RemoveFiles(d *Document, r Retention, evidence [32]byte, now time.Time) (c Change, changed bool) {
	due := r.DueAt(d.EndedAt)
	if d.State != Completed || d.IsRemoved() || due.IsZero() || due.After(now) {
		return Change{}, false
	}
	c = newChange(d)
	c.Removal = &Removal{Document: d.ID, At: now, Years: r.Years, Digest: d.Current().Digest, Evidence: evidence}
	c.Erases = true
	c.After.Original = d.Original.asRemoved()
	for i := range c.After.Revisions {
		c.After.Revisions[i].Tail = d.Revisions[i].Tail.asRemoved()
	}
	c.Jobs = append(c.Jobs, Job{Kind: JobSweep, Document: d.ID, Keys: d.fileKeys()})
	details := []string{"digest", fmt.Sprintf("%x", c.Removal.Digest), "years", strconv.Itoa(r.Years), "completed_at", d.EndedAt.UTC().Format(time.RFC3339)}
	var serials []string
	for _, s := range d.Stamps {
		if s.Serial != "" {
			serials = append(serials, s.Serial)
		}
	}
	details = append(details, "serials", strings.Join(serials, " "))
	if evidence != ([32]byte{}) {
		details = append(details, "evidence", fmt.Sprintf("%x", evidence))
	}
	c.addEvent(EventRemoved, Actor{}, now, details...)
	return c, true
}

// fileKeys returns the keys of the files of a document, each once.
func (d *Document) fileKeys() []string {
	keys := []string{}
	for _, r := range d.Revisions {
		keys = append(keys, r.Tail.Key)
	}
	if d.Normalised() || d.IsWord() {
		keys = append(keys, d.Original.Key)
	}
	return keys
}

// fileOperations are the operations on a document that need its files.
var fileOperations = []Operation{OpPreview, OpDownload, OpOriginal, OpEvidence, OpEmbed, OpCopy, OpTemplate}

// NeedsFiles reports whether an operation on a document needs its files, and so is refused once they were removed.
func (op Operation) NeedsFiles() bool { return slices.Contains(fileOperations, op) }

// HoldID is the UUID of a legal hold.
type HoldID string

// Hold is a legal hold: while it lasts, no document that it covers is deleted, erased or removed.
type Hold struct {
	ID           HoldID
	Organisation OrganisationID
	Document     DocumentID // 0: every document of the organisation, and the accounts of its people
	Reason       string     // such as the number of a case
	SetAt        time.Time
	LiftedAt     time.Time // zero: it lasts
}

// MaxHolds is how many legal holds of an organisation can last at a time.
const MaxHolds = 10_000

// CheckHoldReason returns the reason of a hold, or of its end, as it is stored. There has to be one.
func CheckHoldReason(reason string, l Limits) (string, error) {
	reason, err := checkReason(reason, l)
	if err == nil && !HasVisibleText(reason) {
		err = InvalidInput(NewFieldError("reason", "text.missing"))
	}
	return reason, err
}
