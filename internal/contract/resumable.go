package contract

import "time"

// UploadID names a resumable upload: 128 random bits in 32 lower-case hexadecimal digits.
type UploadID string

// ResumableUpload is a file that arrives in parts, so that it can be continued after the line was cut. It becomes a
// document when all of it has arrived, and is removed when it expires.
type ResumableUpload struct {
	ID           UploadID
	Person       PersonID // who alone may continue it
	Organisation OrganisationID
	Filename     string
	Size         int64    // bytes of the whole file, as announced
	Announced    [32]byte // SHA-256 of the whole file, as announced; zero: not announced
	Received     int64    // bytes that are durable, from the beginning of the file
	Digest       [32]byte // SHA-256 of these bytes
	Midstate     []byte   // state of that hash before padding, for the next part
	CreatedAt    time.Time
	ExpiresAt    time.Time
	Document     DocumentID // what was made of it; 0: nothing yet
}

// OpenUploads counts resumable uploads that have neither become a document nor ended.
type OpenUploads struct {
	Count int
	Bytes int64 // announced, whether they have arrived or not
}

// Refusals of resumable uploads.
var (
	ErrNoUpload         = Refuse(NotFound, "upload.not_found") // does not exist, has expired, or belongs to another person
	ErrUploadOffset     = Refuse(Conflict, "upload.offset_differs")
	ErrUploadIncomplete = Refuse(Conflict, "upload.incomplete")
	ErrUploadTooLong    = Refuse(TooLarge, "upload.too_long") // more bytes than announced
)

// NewResumableUpload returns an upload of which nothing has arrived. Digest and midstate are those of no bytes; the
// caller sets them and the identifier.
func NewResumableUpload(by Actor, filename string, size int64, l Limits, now time.Time) (ResumableUpload, error) {
	if err := by.AuthoriseAccount(AccountSend); err != nil {
		return ResumableUpload{}, err
	}
	switch {
	case size <= 0:
		return ResumableUpload{}, Refuse(Unsupported, "file.empty")
	case size > l.FileSize:
		return ResumableUpload{}, Refuse(TooLarge, "file.too_large").With("limit", l.FileSize)
	}
	filename = CleanFilename(filename)
	if n := []rune(filename); len(n) > l.Text {
		filename = string(n[:l.Text])
	}
	return ResumableUpload{
		Person: by.ID, Organisation: by.Organisation, Filename: filename, Size: size,
		CreatedAt: now, ExpiresAt: now.Add(l.UploadLifetime),
	}, nil
}

// AuthoriseUpload refuses everyone but the person who began the upload, and the upload once it has expired.
func (u *ResumableUpload) AuthoriseUpload(by Actor, now time.Time) error {
	if by.Guest != 0 || u.Person != by.ID || u.Organisation != by.Organisation || !now.Before(u.ExpiresAt) {
		return ErrNoUpload
	}
	return nil
}

// LeastPart returns the least size of a part that is not the last one, in bytes. It bounds the number of parts.
func (u *ResumableUpload) LeastPart() int64 {
	const least, parts = 16 << 10, 4096
	return max(least, u.Size/parts)
}

// CheckOpenUploads returns a refusal if a person or their organisation has more open uploads than the limits allow.
func CheckOpenUploads(person, organisation OpenUploads, l Limits) error {
	switch {
	case person.Count > l.PersonUploads.Count:
		return Refuse(NoQuota, "upload.too_many").With("limit", l.PersonUploads.Count)
	case person.Bytes > l.PersonUploads.Bytes:
		return Refuse(NoQuota, "upload.too_many_bytes").With("limit", l.PersonUploads.Bytes)
	case organisation.Count > l.OrganisationUploads.Count:
		return Refuse(NoQuota, "upload.organisation_too_many").With("limit", l.OrganisationUploads.Count)
	case organisation.Bytes > l.OrganisationUploads.Bytes:
		return Refuse(NoQuota, "upload.organisation_too_many_bytes").With("limit", l.OrganisationUploads.Bytes)
	}
	return nil
}
