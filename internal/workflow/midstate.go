package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"segel/internal/blob"
	"segel/internal/contract"
)

// Alarm names something that must never happen and was prevented from doing harm. Values are those of a metric's label.
type Alarm string

// The alarms.
const (
	AlarmMidstate Alarm = "midstate" // a revision's midstate was not that of its digest, and was rebuilt from the bytes
	AlarmBytes    Alarm = "bytes"    // the stored bytes are not those that the record of the revisions says
	AlarmInvalid  Alarm = "invalid"  // a sealed file did not pass validation and was not committed
)

// Alarms are all there are.
var Alarms = []Alarm{AlarmMidstate, AlarmBytes, AlarmInvalid}

// raise logs and counts an alarm.
func (s *Service) raise(ctx context.Context, a Alarm, msg string, args ...any) {
	s.Log.ErrorContext(ctx, msg, append([]any{"alarm", string(a)}, args...)...)
	if s.Alarm != nil {
		s.Alarm(a)
	}
}

// requireMidstate makes sure that the state from which the hash of the document goes on behind its current revision is
// the state of that revision: finished, it is the revision's digest. Whatever extends the document goes on from that
// state, so it has to be checked before each use; a signature over the state of other bytes verifies nowhere.
//
// A state that does not fit while the bytes have the recorded digest is rebuilt from the bytes, which are read once. It
// is set in d alone and not stored: nobody reads the state of a revision that another one follows, and the next commit
// brings a revision with a state of its own. Errors: [errFileMissing], and [errFileChanged] if the bytes do not have the
// recorded digest either; then nothing may be signed.
func (s *Service) requireMidstate(ctx context.Context, d *contract.Document) error {
	current := d.Current()
	_, err := blob.Resume(current.Midstate, current.End, current.Digest)
	if err == nil {
		return nil
	}
	digest, err := s.digestBytes(ctx, d.Revisions)
	if err != nil {
		return err
	}
	if digest.Total != current.Digest || digest.End != current.End {
		s.raise(ctx, AlarmBytes, "bytes of a document are not those that were recorded", "document", d.ID)
		return errFileChanged.Because(fmt.Errorf("document %d has %d bytes with digest %x, recorded are %d with %x", d.ID, digest.End, digest.Total, current.End, current.Digest))
	}
	s.raise(ctx, AlarmMidstate, "midstate of a revision was not that of its bytes and was rebuilt", "document", d.ID, "revision", len(d.Revisions)-1)
	d.Revisions = slices.Clone(d.Revisions) // others may share them
	d.Revisions[len(d.Revisions)-1].Midstate = digest.Midstate
	return nil
}

// digestBytes reads a document's file from end to end and digests it.
func (s *Service) digestBytes(ctx context.Context, revisions []contract.Revision) (blob.Digest, error) {
	f, err := s.whole(ctx, revisions)
	if err != nil {
		return blob.Digest{}, err
	}
	defer f.Close()
	digester := blob.NewDigester()
	if _, err := io.Copy(digester, io.NewSectionReader(wanted{ctx, f}, 0, f.Size())); err != nil {
		return blob.Digest{}, fileProblem(fmt.Errorf("read document to digest it: %w", err))
	}
	return digester.Digest(), nil
}

// wanted reads as long as the context lasts.
type wanted struct {
	ctx context.Context
	r   io.ReaderAt
}

func (w wanted) ReadAt(p []byte, at int64) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.ReadAt(p, at)
}

// Refusals of a document whose bytes are not what they were. They wait for the operator.
var (
	errFileMissing = contract.Refuse(contract.Unavailable, "document.file_missing")
	errFileChanged = contract.Refuse(contract.Unavailable, "document.file_changed")
)

// fileProblem makes errFileMissing or errFileChanged of an error that says so in the words of the store. Any other is
// returned as it is.
func fileProblem(err error) error {
	var corrupt *blob.CorruptError
	switch {
	case err == nil, errors.Is(err, errFileMissing), errors.Is(err, errFileChanged):
	case errors.Is(err, blob.ErrNotFound), errors.As(err, &corrupt) && corrupt.Chunk < 0:
		return errFileMissing.Because(err)
	case errors.As(err, &corrupt), errors.Is(err, blob.ErrKey), errors.Is(err, blob.ErrSegment):
		return errFileChanged.Because(err)
	}
	return err
}
