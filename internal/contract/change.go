package contract

import "time"

// Change is what a rule made of a document: the new value, who did what, the work it implies and the quota
// it moves. A store applies all of it in one transaction, or nothing.
type Change struct {
	Before *Document // as it was read; nil for a new document. Its Version must still stand at commit.
	After  Document  // Version is still that of Before; the store raises it
	Delete bool      // the draft goes away; After is what it last was
	Events []Event
	Jobs   []Job
	Quota  []QuotaMove

	Serials  []SerialMove
	Attempts []Attempt // opened, or closed: by document, stamp and number

	GuestLink *GuestLink // replaces or removes the link of that guest, and revokes the tokens that came from the former one

	// StorageLimit bounds what the organisation's documents may take together once the change is made. Nil: nothing bounds
	// it, so that what was begun, such as a signature, never fails for lack of room.
	StorageLimit *Storage

	At        time.Time   // when it was made, where no event tells
	Renewal   time.Time   // when the newest document timestamp is to be renewed; zero: as it was
	Timestamp TrustedTime // the newest of those that the change adds to the file; zero: none
}

// GuestLink is the link that a guest of a document has from now on. Only its SHA-256 is stored.
type GuestLink struct {
	Guest PersonID
	Hash  [32]byte // zero: the guest has no link any more
}

// Job is work that a change implies; the store enqueues it in the same transaction. At most one of a kind
// waits for a document at a time.
type Job struct {
	Kind     JobKind
	Document DocumentID // 0 in a Change that creates; the store fills it in
	Keys     []string   // for JobSweep: the blobs that nothing refers to any more

	// Organisation is whose turn it takes. The store fills it in where it is empty.
	Organisation OrganisationID
}

// JobKind names a kind of work.
type JobKind string

// The kinds of work.
const (
	JobConvert  JobKind = "convert"  // make a PDF of what was uploaded
	JobStamp    JobKind = "stamp"    // affix what is still to be stamped
	JobComplete JobKind = "complete" // seal, validation data, document timestamp
	JobSweep    JobKind = "sweep"    // remove blobs
)

// Unit is what quota counts.
type Unit string

// Units of quota.
const (
	UnitStamp     Unit = "emet" // duty stamps
	UnitSignature Unit = "base" // signatures with the embedded authority's certificates
)

// QuotaMove takes from or gives back to an organisation's quota. Reserve fails the whole change when not
// enough is left; Spend turns a reserved unit into a spent one; Release frees a reserved one.
type QuotaMove struct {
	Organisation OrganisationID
	Document     DocumentID // 0 in a Change that creates
	Unit         Unit
	Op           QuotaOp
	Count        int
}

// QuotaOp is the direction of a move.
type QuotaOp string

// The moves. Grant is an admin's or the first start's.
const (
	QuotaGrant   QuotaOp = "grant"
	QuotaReserve QuotaOp = "reserve"
	QuotaSpend   QuotaOp = "spend"
	QuotaRelease QuotaOp = "release"
)

// Actor is who asks. The zero Actor is the service itself, at work on its own.
type Actor struct {
	Person
	Organisation       OrganisationID
	Admin              bool
	Operator           bool       // an admin of the first organisation
	Guest              DocumentID // not 0: a guest, good for this document only
	MustChoosePassword bool       // an admin gave him his password, and could be he: he has to choose his own before anything else
	IP                 string
}

// IsSystem reports whether nobody but the service itself is acting.
func (a Actor) IsSystem() bool { return a.ID == "" }

// newChange starts a Change of d by a.
func newChange(d *Document) Change {
	before := *d
	return Change{Before: &before, After: d.copyDocument()}
}

func (c *Change) addJob(k JobKind) {
	c.Jobs = append(c.Jobs, Job{Kind: k, Document: c.After.ID})
}

func (c *Change) addQuotaMove(u Unit, op QuotaOp, n int) {
	if n == 0 {
		return
	}
	c.Quota = append(c.Quota, QuotaMove{Organisation: c.After.Organisation, Document: c.After.ID, Unit: u, Op: op, Count: n})
}

// AppendRevision adds a revision to the change. It must begin where the last one ends: anything else is a mistake
// of the program and is refused.
func (c *Change) AppendRevision(r Revision) error {
	if end := c.After.Current().End; r.Begin != end || r.End <= r.Begin || r.Tail.Size != r.End-r.Begin {
		return &Error{Kind: Conflict, Code: "document.revision_changed"}
	}
	c.After.Revisions = append(c.After.Revisions, r)
	return nil
}
