package contract

import (
	"fmt"
	"slices"
	"time"
)

// Change is the result of a rule: the new document, who did what, the jobs that follow and the quota that moves. A
// store applies all of it in one transaction, or nothing.
type Change struct {
	Before *Document // as it was read; nil for a new document. The commit fails if its Version has changed.
	After  Document  // its Version is still that of Before; the store raises it
	Delete bool      // the draft is deleted; After is its last state
	Erases bool      // what a legal hold keeps is deleted or erased: the commit fails with ErrHeld while one covers the document

	// Removal says that the files of the document are removed. The store removes those of the evidence certificate and of the stamp office with them.
	Removal *Removal

	Events []Event
	Jobs   []Job
	Quota  []QuotaMove

	Notices        []Notice // to be delivered, about the document
	AccountNotices []Notice // to be delivered, about the account of a person

	Serials  []SerialMove
	Attempts []Attempt // opened or closed; identified by document, stamp and number

	// Certificate was issued for the signature that the change intends, and is recorded with the intention. Nil: none.
	Certificate *Certificate

	// Upload is the resumable upload whose bytes a new document takes. The commit fails if another document took them, or
	// the upload has ended. Empty: none.
	Upload UploadID

	Accepted *Acceptance // of a consent text; one that the person accepted before stays

	Code   *GuestCode     // replaces the guest's code
	Proved *ProvedContact // is added to the guest's token

	Embed       *EmbedAddress // a new one
	OpenedEmbed *OpenedEmbed  // the commit fails with ErrEmbedUsed if the address was opened before

	GuestLink *GuestLink // replaces or removes the guest's link, and revokes the tokens opened with the previous one

	// StorageLimit bounds the storage of all documents of the organisation after the change. Nil: no limit, so that
	// something already begun, such as a signature, never fails for lack of storage.
	StorageLimit *Storage

	At        time.Time   // when it was made, if there is no event that says so
	Renewal   time.Time   // when the newest document timestamp is to be renewed; zero: unchanged
	Timestamp TrustedTime // the newest timestamp that the change adds to the file; zero: none
}

// Job is work that a change requires; the store enqueues it in the same transaction. At most one job of a kind waits
// for a document at a time.
type Job struct {
	Kind     JobKind
	Document DocumentID // 0 in a Change that creates; the store fills it in
	Keys     []string   // for JobSweep: the blobs that are no longer referenced

	// Organisation is whose turn it takes. The store fills it in where it is empty.
	Organisation OrganisationID
}

// Later is an error by which a job requests to be run again after that time. It does not count as a try.
type Later struct {
	After time.Duration
	Err   error // reason for the log; may be nil
}

func (e *Later) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("again in %s", e.After)
	}
	return fmt.Sprintf("again in %s: %v", e.After, e.Err)
}

func (e *Later) Unwrap() error { return e.Err }

// JobKind names a kind of work.
type JobKind string

// The kinds of work.
const (
	JobConvert  JobKind = "convert"  // convert the uploaded file to PDF
	JobStamp    JobKind = "stamp"    // affix the stamps that are not affixed yet
	JobComplete JobKind = "complete" // add seal, validation data and document timestamp
	JobSweep    JobKind = "sweep"    // delete blobs
	JobNotify   JobKind = "notify"   // deliver the notices that are due
	JobEvidence JobKind = "evidence" // make the evidence certificate
)

// JobKinds lists the kinds.
var JobKinds = []JobKind{JobConvert, JobStamp, JobComplete, JobSweep, JobNotify, JobEvidence}

// Unit is what quota counts.
type Unit string

// Units of quota.
const (
	UnitStamp     Unit = "emet" // duty stamps
	UnitSignature Unit = "base" // signatures with the embedded authority's certificates
)

// QuotaMove moves units of an organisation's quota. Reserve fails the whole change if too few units are left; Spend
// turns reserved units into spent ones; Release frees reserved units.
type QuotaMove struct {
	Organisation OrganisationID
	Document     DocumentID // 0 in a Change that creates
	Unit         Unit
	Op           QuotaOp
	Count        int
}

// QuotaOp is the kind of a quota move.
type QuotaOp string

// The kinds of quota move. Grant is made by an admin, or at the first start.
const (
	QuotaGrant   QuotaOp = "grant"
	QuotaReserve QuotaOp = "reserve"
	QuotaSpend   QuotaOp = "spend"
	QuotaRelease QuotaOp = "release"
)

// newChange starts a change of d.
func newChange(d *Document) Change {
	before := *d
	return Change{Before: &before, After: d.copyDocument()}
}

func (c *Change) addJob(k JobKind) {
	c.Jobs = append(c.Jobs, Job{Kind: k, Document: c.After.ID})
}

// RemoveJobs removes the jobs of a kind from a change.
func (c *Change) RemoveJobs(k JobKind) {
	c.Jobs = slices.DeleteFunc(slices.Clone(c.Jobs), func(j Job) bool { return j.Kind == k })
}

func (c *Change) addQuotaMove(u Unit, op QuotaOp, n int) {
	if n == 0 || c.After.Test {
		return // a test document costs nothing
	}
	c.Quota = append(c.Quota, QuotaMove{Organisation: c.After.Organisation, Document: c.After.ID, Unit: u, Op: op, Count: n})
}

// AppendRevision adds a revision to the change. A revision that does not begin at the end of the last one is a mistake
// of the program and is refused.
func (c *Change) AppendRevision(r Revision) error {
	if c.After.IsRemoved() {
		return ErrRemoved
	}
	if end := c.After.Current().End; r.Begin != end || r.End <= r.Begin || r.Tail.Size != r.End-r.Begin {
		return &Error{Kind: Conflict, Code: "document.revision_changed"}
	}
	c.After.Revisions = append(c.After.Revisions, r)
	return nil
}

// appendRevisions adds revisions that were made at that time.
func (c *Change) appendRevisions(added []Revision, now time.Time) error {
	for _, r := range added {
		r.At = now
		if err := c.AppendRevision(r); err != nil {
			return err
		}
	}
	return nil
}

// failDocument moves the document to failed.
func (c *Change) failDocument(reason string) {
	c.After.State, c.After.Reason, c.After.Restamping = Failed, reason, false
}

// Why a file was rewritten. Values are in the audit log.
const (
	NormalisedDamaged = "damaged"      // readers can open it only by guessing, or may read it in two ways
	NormalisedOffice  = "stamp_office" // the stamp office would have rewritten it, and so broken its signatures
)

// Normalised reports whether the file that is signed is a rewritten form of the uploaded one.
func (d *Document) Normalised() bool {
	return !d.IsWord() && len(d.Revisions) > 0 && d.Revisions[0].Tail.Key != d.Original.Key
}

// CanReplaceBase reports whether the file is still the uploaded PDF, to which nothing was appended.
func (d *Document) CanReplaceBase() bool {
	return len(d.Revisions) == 1 && !d.IsWord() && !d.Normalised()
}

// ReplaceBase replaces the uploaded file by a rewritten one: at most once, and before anything is appended. The
// uploaded bytes are kept as the original, and the log names both. Findings are kept, because the rewritten file is
// compared with its source before it is used.
func (c *Change) ReplaceBase(base Revision, why string, by Actor, now time.Time) error {
	d := &c.After
	if !d.CanReplaceBase() || base.Kind != RevisionBase || base.Begin != 0 || base.End != base.Tail.Size || base.Tail.Key == d.Original.Key {
		return &Error{Kind: Conflict, Code: "document.revision_changed"}
	}
	d.Revisions = []Revision{base}
	c.addEvent(EventNormalised, by, now, "reason", why, "original", fmt.Sprintf("%x", d.Original.Digest), "digest", fmt.Sprintf("%x", base.Digest))
	return nil
}
