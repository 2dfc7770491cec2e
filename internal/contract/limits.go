package contract

// Limits bound what one document may hold. The zero value of a member means its default.
type Limits struct {
	FileSize     int64 // bytes, decoded
	Pages        int
	Participants int
	Placements   int
	Stamps       int
	Text         int // characters of a title or file name
	BoxArea      int // percent of a page that one person's boxes for signatures and initials cover together, see [CheckBoxes]

	Storage Storage // what the documents of one organisation may take together

	StampFile      int64          // bytes of a file that is sent to the stamp office; 0: as many as a file may have
	StampEncrypted EncryptedFiles // that the stamp office takes
}

// EncryptedFiles says which files that are encrypted, and open without a password, are taken.
type EncryptedFiles string

// The choices. The zero value is [EncryptedAny].
const (
	EncryptedAny          EncryptedFiles = "any"
	EncryptedUnrestricted EncryptedFiles = "unrestricted" // those whose permissions leave room for changes
	EncryptedNone         EncryptedFiles = "none"
)

// Defaults fills in what is zero.
func (l Limits) Defaults() Limits {
	setDefault(&l.FileSize, 50<<20)
	setDefault(&l.Pages, 2000)
	setDefault(&l.Participants, 100)
	setDefault(&l.Placements, 500)
	setDefault(&l.Stamps, 50)
	setDefault(&l.Text, 255)
	setDefault(&l.BoxArea, 25)
	setDefault(&l.Storage.Drafts, 1000)
	setDefault(&l.Storage.Bytes, 50<<30)
	setDefault(&l.StampEncrypted, EncryptedAny)
	return l
}

func setDefault[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

// Storage is what documents take: of one document, or of all documents of an organisation.
type Storage struct {
	Drafts int
	Bytes  int64 // of files as they are stored: originals, rewritten files, and what each revision appended
}

// Storage returns what a document takes.
func (d *Document) Storage() Storage {
	s := Storage{Bytes: d.Original.Size}
	if d.State == Draft {
		s.Drafts = 1
	}
	for _, r := range d.Revisions {
		if r.Tail.Key != d.Original.Key { // a PDF that was not rewritten is its own base
			s.Bytes += r.Tail.Size
		}
	}
	return s
}

// StorageChange returns what a change adds to what the organisation's documents take; negative: it gives back.
func (c *Change) StorageChange() Storage {
	var before, after Storage
	if c.Before != nil {
		before = c.Before.Storage()
	}
	if !c.Delete {
		after = c.After.Storage()
	}
	return Storage{Drafts: after.Drafts - before.Drafts, Bytes: after.Bytes - before.Bytes}
}

// CheckStorage refuses what an organisation's documents would take together when that is more than the limit.
func CheckStorage(taken, limit Storage) error {
	switch {
	case taken.Drafts > limit.Drafts:
		return Refuse(NoQuota, "storage.too_many_drafts").With("limit", limit.Drafts)
	case taken.Bytes > limit.Bytes:
		return Refuse(NoQuota, "storage.full").With("limit", limit.Bytes)
	}
	return nil
}
