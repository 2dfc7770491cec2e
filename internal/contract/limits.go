package contract

import (
	"cmp"
	"time"
)

// Limits bound what one document may contain. The zero value of a member means its default.
type Limits struct {
	FileSize     int64 // bytes, decoded
	Pages        int
	Participants int
	Placements   int
	Stamps       int
	Text         int // characters of a title or file name
	BoxArea      int // percent of a page that one person's boxes for signatures and initials cover together, see [CheckBoxes]

	Storage Storage // storage of all documents of one organisation

	PersonUploads       OpenUploads   // resumable uploads of one person
	OrganisationUploads OpenUploads   // those of one organisation
	UploadLifetime      time.Duration // how long a resumable upload can be continued

	StampFile      int64          // bytes of a file that is sent to the stamp office; 0: no limit beyond FileSize
	StampEncrypted EncryptedFiles // which encrypted files the stamp office accepts
}

// EncryptedFiles says which encrypted files that open without a password are accepted.
type EncryptedFiles string

// The choices. The zero value is [EncryptedAny].
const (
	EncryptedAny          EncryptedFiles = "any"
	EncryptedUnrestricted EncryptedFiles = "unrestricted" // files whose permissions allow changes
	EncryptedNone         EncryptedFiles = "none"
)

// Defaults returns the limits with zero members replaced by their defaults.
func (l Limits) Defaults() Limits {
	l.FileSize = cmp.Or(l.FileSize, 50<<20)
	l.Pages = cmp.Or(l.Pages, 2000)
	l.Participants = cmp.Or(l.Participants, 100)
	l.Placements = cmp.Or(l.Placements, 500)
	l.Stamps = cmp.Or(l.Stamps, 50)
	l.Text = cmp.Or(l.Text, 255)
	l.BoxArea = cmp.Or(l.BoxArea, 25)
	l.Storage.Drafts = cmp.Or(l.Storage.Drafts, 1000)
	l.Storage.Bytes = cmp.Or(l.Storage.Bytes, 50<<30)
	l.PersonUploads.Count = cmp.Or(l.PersonUploads.Count, 20)
	l.PersonUploads.Bytes = cmp.Or(l.PersonUploads.Bytes, 1<<30)
	l.OrganisationUploads.Count = cmp.Or(l.OrganisationUploads.Count, 200)
	l.OrganisationUploads.Bytes = cmp.Or(l.OrganisationUploads.Bytes, 4<<30)
	l.UploadLifetime = cmp.Or(l.UploadLifetime, 24*time.Hour)
	l.StampEncrypted = cmp.Or(l.StampEncrypted, EncryptedAny)
	return l
}

// Storage is the storage that one document, or all documents of an organisation, use.
type Storage struct {
	Drafts int
	Bytes  int64 // of stored files: originals, rewritten files, the tails of revisions and, for an organisation, evidence certificates
}

// Storage returns the storage that a document uses.
func (d *Document) Storage() Storage {
	if d.IsRemoved() {
		return Storage{}
	}
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

// StorageChange returns how much the change adds to the organisation's storage; negative: it frees some.
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

// Usage is what all documents of an organisation use, or what a change adds to it.
type Usage struct {
	Storage
	Documents int   // also drafts, and those whose files were removed
	Originals int64 // bytes of the files as they were uploaded
	Evidence  int64 // bytes of evidence certificates
}

// Signed returns the bytes of what the service made of the uploaded files: rewritten files, signatures, stamps and seals.
func (u Usage) Signed() int64 { return u.Bytes - u.Originals - u.Evidence }

// UsageChange returns what the change adds to the usage of the organisation; negative: it frees some. The evidence certificate is not counted.
func (c *Change) UsageChange() Usage {
	u := Usage{Storage: c.StorageChange()}
	if c.Before == nil {
		u.Documents++
	} else if !c.Before.IsRemoved() {
		u.Originals -= c.Before.Original.Size
	}
	if c.Delete {
		u.Documents--
	} else if !c.After.IsRemoved() {
		u.Originals += c.After.Original.Size
	}
	return u
}

// CheckStorage returns a refusal if an organisation's documents use more than the limit.
func CheckStorage(taken, limit Storage) error {
	switch {
	case taken.Drafts > limit.Drafts:
		return Refuse(NoQuota, "storage.too_many_drafts").With("limit", limit.Drafts)
	case taken.Bytes > limit.Bytes:
		return Refuse(NoQuota, "storage.full").With("limit", limit.Bytes)
	}
	return nil
}
