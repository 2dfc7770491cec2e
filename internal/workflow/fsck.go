package workflow

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
)

// youngBlob is the age below which a blob does not count as left over: its commit may still be running.
const youngBlob = time.Hour

// LoggedFiles looks files up in the audit log.
type LoggedFiles interface {
	// LoggedFile reports what the log says about a file with that key and SHA-256 in hexadecimal. Live: its key belongs
	// to a document or an attempt. Named: an event contains its key or digest.
	LoggedFile(ctx context.Context, key, digest string) (live, named bool, err error)
}

// FsckOptions select what is checked.
type FsckOptions struct {
	Fast bool // skips the validation of signatures

	// SetAside moves a left-over blob with that SHA-256 aside, or reports that it did not. If nil, the blob stays.
	SetAside func(context.Context, blob.Info, string) (moved bool, err error)
	Progress func(documents int) // called after each document; may be nil
}

// Remedies that several discrepancies share.
const (
	restoreFile = "Restore the file from a backup of the blob store"
	restoreRow  = "Restore the database from a backup"
)

// CheckFiles reads every file that a document refers to and compares it with its records: size, digest, chunk sums, the
// chain of revisions and their midstates. It validates completed documents in the same way as before their completion.
// Then it finds blobs that nothing refers to. It may run beside the service.
func (s *Service) CheckFiles(ctx context.Context, o FsckOptions, log LoggedFiles, report func(store.Discrepancy)) error {
	checked := 0
	var failed error
	err := s.Store.EachDocument(ctx, func(d contract.Document, err error) bool {
		if err != nil {
			report(store.Discrepancy{Severity: store.SeverityEvidence, Check: "files", About: fmt.Sprintf("document %d", d.ID), Text: "its rows cannot be read: " + err.Error(), Remedy: restoreRow})
		} else {
			failed = s.checkDocument(ctx, d, o, report)
		}
		if checked++; o.Progress != nil {
			o.Progress(checked)
		}
		return failed == nil
	})
	if err := errors.Join(err, failed); err != nil {
		return fmt.Errorf("check the files of documents: %w", err)
	}
	err = s.Store.EachAttempt(ctx, store.AttemptQuery{}, func(a contract.Attempt) bool {
		if a.Evidence.Key == "" || a.Evidence.IsRemoved() {
			return ctx.Err() == nil
		}
		if err := s.checkFile(ctx, a.Evidence); err != nil {
			report(store.Discrepancy{Severity: store.SeverityEvidence, Check: "files", About: fmt.Sprintf("evidence on document %d, stamp %d, attempt %d", a.Document, a.Stamp+1, a.Number),
				Text: err.Error(), Remedy: restoreFile})
		}
		return ctx.Err() == nil
	})
	if err := errors.Join(err, ctx.Err()); err != nil {
		return fmt.Errorf("check evidence: %w", err)
	}
	err = s.Store.EachEvidenceFile(ctx, func(v store.EvidenceFile) bool {
		if v.File.IsRemoved() {
			return ctx.Err() == nil
		}
		if err := s.checkFile(ctx, v.File); err != nil {
			report(store.Discrepancy{Severity: store.SeverityEvidence, Check: "files", About: fmt.Sprintf("evidence certificate of document %d", v.Document),
				Text: err.Error(), Remedy: restoreFile})
		}
		return ctx.Err() == nil
	})
	if err := errors.Join(err, ctx.Err()); err != nil {
		return fmt.Errorf("check evidence certificates: %w", err)
	}
	if err := s.checkUploads(ctx, report); err != nil {
		return fmt.Errorf("check uploads: %w", err)
	}
	return s.checkLeftOver(ctx, o, log, report)
}

// checkUploads checks the parts of files that are being uploaded. They are not documents yet, and the person still has
// the file.
func (s *Service) checkUploads(ctx context.Context, report func(store.Discrepancy)) error {
	var failed error
	err := s.Store.EachPart(ctx, func(id contract.UploadID, part contract.File) bool {
		wrong := s.checkFile(ctx, part)
		if wrong == nil || ctx.Err() != nil {
			return ctx.Err() == nil
		}
		used, err := s.Store.RefersToFile(ctx, part.Key)
		if failed = err; err == nil && used { // otherwise the upload has become a document or ended meanwhile
			report(store.Discrepancy{Severity: store.SeverityDerived, Check: "files", About: "upload " + string(id), Text: wrong.Error(), Remedy: "Nothing to do: the upload is refused, and the person sends the file again",
				NotRepaired: "the bytes are not stored anywhere else"})
		}
		return failed == nil
	})
	return errors.Join(err, failed, ctx.Err())
}

// checkDocument checks the files of a document. It reports discrepancies only if the document still has the same
// version: since it was read, the draft may have been deleted or its file rewritten.
func (s *Service) checkDocument(ctx context.Context, d contract.Document, o FsckOptions, report func(store.Discrepancy)) error {
	for {
		found, err := s.findFaults(ctx, &d, o)
		if err != nil || len(found) == 0 {
			return err
		}
		now, err := s.Store.Document(ctx, d.ID)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if now.Version != d.Version {
			d = now
			continue
		}
		for _, f := range found {
			f.About = fmt.Sprintf("document %d", d.ID)
			report(f)
		}
		return nil
	}
}

func (s *Service) findFaults(ctx context.Context, d *contract.Document, o FsckOptions) ([]store.Discrepancy, error) {
	if d.IsRemoved() {
		return nil, nil
	}
	found := s.checkRevisions(ctx, d)
	if d.Original.Key != "" && (len(d.Revisions) == 0 || d.Original.Key != d.Revisions[0].Tail.Key) {
		if err := s.checkFile(ctx, d.Original); err != nil {
			found = append(found, store.Discrepancy{Severity: store.SeverityEvidence, Check: "files", Text: "original: " + err.Error(), Remedy: restoreFile})
		}
	} else if len(d.Revisions) > 0 && !sameFile(d.Original, d.Revisions[0].Tail) {
		found = append(found, store.Discrepancy{Severity: store.SeverityEvidence, Check: "files", Text: "the original and the first revision are one file, and are recorded differently", Remedy: restoreRow})
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(found) > 0 || o.Fast || d.State != contract.Completed {
		return found, nil
	}
	faults, err := s.sealFaults(ctx, d)
	if fileErr := documents.BlobRefusal(err); errors.Is(fileErr, documents.ErrFileMissing) || errors.Is(fileErr, documents.ErrFileChanged) {
		return append(found, store.Discrepancy{Severity: store.SeverityEvidence, Check: "signatures", Text: fileErr.Error(), Remedy: restoreFile}), nil
	}
	if err != nil {
		return nil, fmt.Errorf("validate document %d: %w", d.ID, err)
	}
	for _, f := range faults {
		found = append(found, store.Discrepancy{Severity: store.SeverityEvidence, Check: "signatures", Text: "the finished file does not pass validation: " + f.String(),
			Remedy: "Validate the file with segel verify --explain, and compare it with a backup"})
	}
	return found, nil
}

func sameFile(a, b contract.File) bool {
	return a.Key == b.Key && a.Size == b.Size && a.Digest == b.Digest && bytes.Equal(a.Sums, b.Sums)
}

// checkRevisions reads the tails of a document in order and compares them with the record of each revision.
func (s *Service) checkRevisions(ctx context.Context, d *contract.Document) (found []store.Discrepancy) {
	digester := blob.NewDigester() // of the document including the previous revision
	for i, r := range d.Revisions {
		if i > 0 {
			// Continue from the bytes read so far. After a fault, continue from the record, so that one wrong revision
			// is reported once.
			before := digester.Digest()
			if last := d.Revisions[i-1]; len(found) > 0 {
				before = blob.Digest{Midstate: last.Midstate, End: last.End, DocumentSum: last.Digest}
			}
			var err error
			if digester, err = blob.ResumeDigester(before.Midstate, before.End, before.DocumentSum); err != nil {
				return found // the previous revision was already reported
			}
		}
		fault := func(remedy, format string, args ...any) {
			found = append(found, store.Discrepancy{Severity: store.SeverityEvidence, Check: "files", Text: fmt.Sprintf("revision %d: ", i+1) + fmt.Sprintf(format, args...), Remedy: remedy})
		}
		if err := s.copyBlob(ctx, r.Tail, digester); err != nil {
			fault(restoreFile, "%v", err)
			continue
		}
		state := digester.Digest()
		switch {
		case state.Size != r.Tail.Size:
			fault(restoreFile, "the file has %d bytes, not %d", state.Size, r.Tail.Size)
		case state.BlobSum != r.Tail.Digest:
			fault(restoreFile, "the file %s is not what was written", r.Tail.Key)
		case !bytes.Equal(state.ChunkSums, r.Tail.Sums):
			fault(restoreRow, "the recorded sums of its chunks are not those of its bytes")
		case r.Begin != state.End-state.Size || r.End != state.End:
			fault(restoreRow, "it is recorded from %d to %d, and is from %d to %d", r.Begin, r.End, state.End-state.Size, state.End)
		case state.DocumentSum != r.Digest:
			fault(restoreRow, "the document up to it has another digest than is recorded")
		case !bytes.Equal(state.Midstate, r.Midstate):
			fault(restoreRow, "the recorded state of the hash is not that of its bytes")
		}
	}
	return found
}

// checkFile reads a whole file and compares it with its record.
func (s *Service) checkFile(ctx context.Context, f contract.File) error {
	digester := blob.NewDigester()
	if err := s.copyBlob(ctx, f, digester); err != nil {
		return err
	}
	switch d := digester.Digest(); {
	case d.Size != f.Size:
		return fmt.Errorf("the file %s has %d bytes, not %d", f.Key, d.Size, f.Size)
	case d.BlobSum != f.Digest:
		return fmt.Errorf("the file %s is not what was written", f.Key)
	case !bytes.Equal(d.ChunkSums, f.Sums):
		return fmt.Errorf("the recorded sums of the chunks of file %s are not those of its bytes", f.Key)
	}
	return nil
}

func (s *Service) copyBlob(ctx context.Context, f contract.File, to io.Writer) error {
	b, err := s.Blobs.Open(ctx, blob.Key(f.Key))
	if errors.Is(err, blob.ErrNotFound) {
		return fmt.Errorf("the file %s is missing", f.Key)
	}
	if err != nil {
		return fmt.Errorf("open file %s: %w", f.Key, err)
	}
	defer b.Close()
	if _, err := io.Copy(to, io.NewSectionReader(documents.Interruptible{Ctx: ctx, R: b}, 0, b.Size())); err != nil {
		return fmt.Errorf("read file %s: %w", f.Key, err)
	}
	return nil
}

// isGone reports whether a blob does not exist any more.
func (s *Service) isGone(ctx context.Context, key blob.Key) bool {
	b, err := s.Blobs.Open(ctx, key)
	if err == nil {
		_ = b.Close() // nothing was read
	}
	return errors.Is(err, blob.ErrNotFound)
}

// checkLeftOver finds blobs that no row refers to. A blob that the log knows is evidence whose row was lost; it stays.
func (s *Service) checkLeftOver(ctx context.Context, o FsckOptions, log LoggedFiles, report func(store.Discrepancy)) error {
	// Each blob is looked up after it was listed, so commits during this run are seen. A blob older than an hour has no
	// commit in progress.
	began := s.Clock()
	for b, err := range s.Blobs.List(ctx) {
		if err != nil {
			return fmt.Errorf("list blobs: %w", err)
		}
		if began.Sub(b.Modified) < youngBlob {
			continue
		}
		used, err := s.Store.RefersToFile(ctx, string(b.Key))
		if err != nil {
			return err
		}
		if used {
			continue
		}
		h, digest := sha256.New(), ""
		var corrupt *blob.CorruptError
		switch err := s.copyBlob(ctx, contract.File{Key: string(b.Key)}, h); {
		case errors.As(err, &corrupt): // an encrypted blob that was changed; what it was is not known
		case err != nil:
			if s.isGone(ctx, b.Key) { // removed since it was listed
				continue
			}
			return err
		default:
			digest = hex.EncodeToString(h.Sum(nil))
		}
		live, named, err := log.LoggedFile(ctx, string(b.Key), digest)
		if err != nil {
			return err
		}
		about := "file " + string(b.Key)
		switch {
		case live:
			report(store.Discrepancy{Severity: store.SeverityEvidence, Check: "leftover", About: about, Text: "no row refers to it, and the audit log says that it belongs to a document", Remedy: restoreRow + "; the file stays where it is"})
		case named:
			report(store.Discrepancy{Severity: store.SeverityEvidence, Check: "leftover", About: about, Text: "no row refers to it, and the audit log names its digest " + digest, Remedy: restoreRow + "; the file stays where it is"})
		case corrupt != nil:
			report(store.Discrepancy{Severity: store.SeverityLeftover, Check: "leftover", About: about, Text: fmt.Sprintf("%d bytes that nothing refers to, and that were changed", b.Size), Remedy: "It stays where it is: it may be a file whose row was lost"})
		default:
			text, remedy := fmt.Sprintf("%d bytes that nothing refers to", b.Size), "segel fsck --remove moves it aside"
			if o.SetAside != nil {
				moved, err := o.SetAside(ctx, b, digest)
				if err != nil {
					return fmt.Errorf("move file %s aside: %w", b.Key, err)
				}
				remedy = "It was moved aside"
				if !moved {
					if used, err := s.Store.RefersToFile(ctx, string(b.Key)); err != nil {
						return err
					} else if used { // by now
						continue
					}
					remedy = "It was not moved, because evidence is missing or changed: repair that first"
				}
			}
			report(store.Discrepancy{Severity: store.SeverityLeftover, Check: "leftover", About: about, Text: text, Remedy: remedy})
		}
	}
	return ctx.Err()
}
