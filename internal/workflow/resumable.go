package workflow

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
)

// uploadPart is the largest part of a resumable upload, in bytes: the most that a crash loses of what the client sent.
const uploadPart = blob.ChunkSize

// BeginUpload starts a file that arrives in parts. Announced is the SHA-256 that the client says the file has; zero: it
// says none. What the organisation has no space for is refused before a byte is sent.
func (s *Service) BeginUpload(ctx context.Context, by contract.Actor, filename string, size int64, announced [sha256.Size]byte) (contract.ResumableUpload, error) {
	u, err := contract.NewResumableUpload(by, filename, size, s.Limits, s.Clock())
	if err != nil {
		return u, err
	}
	taken, err := s.Store.Storage(ctx, by.Organisation)
	if err != nil {
		return u, fmt.Errorf("begin upload: %w", err)
	}
	taken.Drafts, taken.Bytes = taken.Drafts+1, taken.Bytes+size
	if err := contract.CheckStorage(taken, s.Limits.Storage); err != nil {
		return u, err
	}
	if s.RequireDiskSpace != nil {
		if err := s.RequireDiskSpace(size); err != nil {
			return u, fmt.Errorf("begin upload: %w", err)
		}
	}
	key, err := blob.NewKey(s.Random)
	if err != nil {
		return u, err
	}
	nothing := blob.NewDigester().Digest()
	u.ID, u.Announced, u.Digest, u.Midstate = contract.UploadID(key), announced, nothing.DocumentSum, nothing.Midstate
	return u, s.Store.AddUpload(ctx, u, s.Limits)
}

// FindUpload returns an upload of the caller; [contract.ErrNoUpload] for any other.
func (s *Service) FindUpload(ctx context.Context, by contract.Actor, id contract.UploadID) (contract.ResumableUpload, error) {
	u, err := s.Store.ResumableUpload(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return contract.ResumableUpload{}, contract.ErrNoUpload
	}
	if err == nil {
		err = u.AuthoriseUpload(by, s.Clock())
	}
	if err != nil {
		return contract.ResumableUpload{}, err
	}
	return u, nil
}

// ContinueUpload stores what the client sends from offset on, which must be where the upload ends. It returns the upload
// as it is durable, also with an error: a part that arrived before the line was cut stays.
//
// Durable after each part: its bytes, then its row. If the process dies before the row, fsck finds the bytes, and the
// client continues from the part before.
func (s *Service) ContinueUpload(ctx context.Context, by contract.Actor, id contract.UploadID, offset int64, body io.Reader) (contract.ResumableUpload, error) {
	u, err := s.FindUpload(ctx, by, id)
	if err != nil {
		return u, err
	}
	if offset != u.Received || u.Document != 0 {
		return u, contract.ErrUploadOffset
	}
	space := documents.DiskSpace{Require: s.RequireDiskSpace}
	for ended := false; !ended && u.Received < u.Size; {
		var after contract.ResumableUpload
		if after, ended, err = s.receivePart(ctx, u, body, u.Received > offset, &space); err != nil {
			return u, err
		}
		u = after
	}
	if u.Received < u.Size {
		return u, nil
	}
	if n, _ := io.ReadFull(body, make([]byte, 1)); n > 0 { // an error is the client's, who has sent everything
		return u, contract.ErrUploadTooLong.With("limit", u.Size)
	}
	return u, nil
}

// receivePart stores the next part and returns the upload with it. A part that follows another one of its request may be of any size. Ended says that the body has ended; if it ended early,
// the error is that of the body, unless the part was stored.
func (s *Service) receivePart(ctx context.Context, u contract.ResumableUpload, body io.Reader, follows bool, space *documents.DiskSpace) (after contract.ResumableUpload, ended bool, err error) {
	ctx = context.WithoutCancel(ctx) // what arrived is stored though the client has gone: they continue from there
	digester, err := blob.ResumeDigester(u.Midstate, u.Received, u.Digest)
	if err != nil {
		return u, true, fmt.Errorf("continue upload %s: %w", u.ID, err)
	}
	key, err := blob.NewKey(s.Random)
	if err != nil {
		return u, true, err
	}
	w, err := s.CreateBlob(ctx, u.Organisation, key)
	if err != nil {
		return u, true, fmt.Errorf("store part: %w", err)
	}
	defer w.Abort()
	part := receivedFile{to: w, digest: digester, acceptWord: true, known: u.Received > 0, limit: uploadPart, space: *space}
	from := &io.LimitedReader{R: body, N: min(uploadPart, u.Size-u.Received)}
	source := &failingReader{Reader: from}
	n, err := io.Copy(struct{ io.Writer }{&part}, source)
	*space = part.space
	ended = from.N > 0
	switch {
	case err != nil && source.err == nil: // ours, or a refusal of the file
		return u, true, err
	case n == 0, u.Received+n < u.Size && n < u.LeastPart() && !follows:
		if source.err == nil && n > 0 {
			return u, true, contract.Refuse(contract.Invalid, "upload.part_too_small").With("limit", u.LeastPart())
		}
		return u, true, source.err
	}
	if err := part.checkKind(); err != nil {
		return u, true, err
	}
	if err := w.Commit(); err != nil {
		return u, true, fmt.Errorf("store part: %w", err)
	}
	d := digester.Digest()
	after = u
	after.Received, after.Digest, after.Midstate = d.End, d.DocumentSum, d.Midstate
	err = s.Store.AppendPart(ctx, u.Received, after, contract.File{Key: string(key), Size: d.Size, Digest: d.BlobSum, Sums: d.ChunkSums})
	if errors.Is(err, store.ErrConflict) { // another request continued the upload, or it has ended
		return u, true, errors.Join(contract.ErrUploadOffset, s.RemoveBlob(ctx, string(key)))
	}
	if err != nil { // the row may be durable: the bytes stay, and fsck finds them if it is not
		return u, true, err
	}
	return after, ended, nil
}

// failingReader remembers the error of its reader, other than the end.
type failingReader struct {
	io.Reader
	err error
}

func (r *failingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// EndUpload removes an upload. What became a document stays a document.
func (s *Service) EndUpload(ctx context.Context, by contract.Actor, id contract.UploadID) error {
	if _, err := s.FindUpload(ctx, by, id); err != nil {
		return err
	}
	return s.removeUpload(ctx, id)
}

// removeUpload ends an upload and removes its bytes. After a crash at any point, RemoveUnneededUploads continues.
func (s *Service) removeUpload(ctx context.Context, id contract.UploadID) error {
	// Durable from here on: it can neither be continued nor become a document.
	if err := s.Store.EndUpload(ctx, id); err != nil {
		return err
	}
	return s.removeParts(ctx, id)
}

// removeParts removes the bytes of an upload that has ended or became a document, and then the rows that name them. While a backup is under way,
// whose snapshot may be from before that, they are left to [Service.RemoveUnneededUploads].
func (s *Service) removeParts(ctx context.Context, id contract.UploadID) error {
	if held, err := s.Store.HoldsDeletions(ctx); err != nil || held {
		return err
	}
	parts, err := s.Store.UploadParts(ctx, id)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err := s.RemoveBlob(ctx, part.Key); err != nil {
			return err
		}
	}
	return s.Store.ForgetParts(ctx, id)
}

// unneededBatch is the number of uploads that are read at a time to be removed.
const unneededBatch = 100

// RemoveUnneededUploads removes uploads that have expired, and what an interrupted removal left. It does nothing while a backup is under way.
func (s *Service) RemoveUnneededUploads(ctx context.Context) error {
	var failed []error
	for {
		if held, err := s.Store.HoldsDeletions(ctx); err != nil || held {
			return errors.Join(append(failed, err)...)
		}
		now := s.Clock()
		ids, err := s.Store.UnneededUploads(ctx, now, unneededBatch)
		if err != nil {
			return fmt.Errorf("remove uploads: %w", err)
		}
		for _, id := range ids {
			u, err := s.Store.ResumableUpload(ctx, id)
			switch {
			case errors.Is(err, store.ErrNotFound), err == nil && !now.Before(u.ExpiresAt):
				err = s.removeUpload(ctx, id)
			case err == nil: // a document was made of it, and it says so until it expires
				err = s.removeParts(ctx, id)
			}
			if err != nil {
				failed = append(failed, fmt.Errorf("remove upload %s: %w", id, err))
			}
		}
		// Those that cannot be removed come first the next time as well. What comes after them waits for another hour only if they
		// fill a whole batch.
		if len(ids) < unneededBatch || len(failed) > 0 {
			return errors.Join(failed...)
		}
	}
}

// uploadResumable makes a document of an upload that is complete. Of requests that finish the same upload, one makes the
// document, and all return it.
func (s *Service) uploadResumable(ctx context.Context, by contract.Actor, r UploadRequest) (contract.Document, error) {
	u, err := s.FindUpload(ctx, by, r.UploadID)
	if err != nil {
		return contract.Document{}, err
	}
	if u.Document != 0 {
		return s.madeOfUpload(ctx, by, u)
	}
	d, err := s.finishUpload(ctx, by, r, u)
	if err == nil {
		// The document is durable. If the process dies here, or this fails, the parts are removed within the hour.
		_ = s.removeParts(context.WithoutCancel(ctx), u.ID)
		return d, nil
	}
	if u, again := s.FindUpload(ctx, by, r.UploadID); again == nil && u.Document != 0 { // another request was faster
		return s.madeOfUpload(ctx, by, u)
	}
	return contract.Document{}, err
}

// madeOfUpload returns the document that was made of an upload; [contract.ErrNoUpload] if it is gone.
func (s *Service) madeOfUpload(ctx context.Context, by contract.Actor, u contract.ResumableUpload) (contract.Document, error) {
	d, err := s.LoadAuthorised(ctx, by, contract.OpDetail, u.Document)
	if errors.Is(err, contract.ErrNotFound) {
		err = contract.ErrNoUpload
	}
	return d, err
}

func (s *Service) finishUpload(ctx context.Context, by contract.Actor, r UploadRequest, u contract.ResumableUpload) (contract.Document, error) {
	switch {
	case u.Received != u.Size:
		return contract.Document{}, contract.ErrUploadIncomplete.With("received", u.Received).With("size", u.Size)
	case u.Announced != [sha256.Size]byte{} && u.Announced != u.Digest:
		return contract.Document{}, contract.InvalidInput(contract.NewFieldError("upload_id", "upload.digest_differs"))
	}
	parts, err := s.Store.UploadParts(ctx, u.ID)
	if err != nil {
		return contract.Document{}, err
	}
	to := r.Sink
	if to == nil {
		to = r.File
	}
	for _, part := range parts {
		if err := s.copyBlob(ctx, part, to); err != nil {
			return contract.Document{}, fmt.Errorf("join upload %s: %w", u.ID, err)
		}
	}
	if d := r.File.digest.Digest(); !bytes.Equal(d.BlobSum[:], u.Digest[:]) {
		return contract.Document{}, documents.ErrFileChanged.WithCause(fmt.Errorf("the parts of upload %s are not what was received", u.ID))
	}
	if r.Filename == "" {
		r.Filename = u.Filename
	}
	return s.createDraft(ctx, by, r)
}
