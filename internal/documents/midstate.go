package documents

import (
	"context"
	"fmt"
	"io"
	"slices"

	"segel/internal/blob"
	"segel/internal/contract"
)

// Alarm names a kind of corruption that was found before it did harm. Values are labels of a metric.
type Alarm string

// The alarms.
const (
	AlarmMidstate Alarm = "midstate" // a revision's midstate did not match its digest and was rebuilt from the bytes
	AlarmBytes    Alarm = "bytes"    // the stored bytes do not have the recorded digest
	AlarmInvalid  Alarm = "invalid"  // a sealed file did not pass validation and was not committed
)

// Alarms lists every alarm.
var Alarms = []Alarm{AlarmMidstate, AlarmBytes, AlarmInvalid}

// RaiseAlarm logs and counts an alarm.
func (s *Documents) RaiseAlarm(ctx context.Context, a Alarm, msg string, args ...any) {
	s.Log.ErrorContext(ctx, msg, append([]any{"alarm", string(a)}, args...)...)
	if s.Alarm != nil {
		s.Alarm(a)
	}
}

// RequireMidstate checks that the midstate of the document's current revision finishes as that revision's digest. Every
// step that extends the document resumes from this state, so it calls requireMidstate first: a signature made from the
// state of other bytes does not verify.
//
// If the midstate does not match and the stored bytes have the recorded digest, it is rebuilt from the bytes, which are
// read once. The rebuilt state is in the returned document and not stored: the next commit adds a revision with its own state, and the
// state of an earlier revision is never read again. Errors: [errFileMissing]; [errFileChanged] if the bytes do not have
// the recorded digest either. Nothing may be signed after an error.
func (s *Documents) RequireMidstate(ctx context.Context, d contract.Document) (contract.Document, error) {
	current := d.Current()
	_, err := blob.ResumeHash(current.Midstate, current.End, current.Digest)
	if err == nil {
		return d, nil
	}
	digest, err := s.DigestBytes(ctx, d.Revisions)
	if err != nil {
		return d, err
	}
	if digest.Total != current.Digest || digest.End != current.End {
		s.RaiseAlarm(ctx, AlarmBytes, "stored bytes of a document do not have the recorded digest", "document", d.ID)
		return d, ErrFileChanged.WithCause(fmt.Errorf("document %d has %d bytes with digest %x, recorded are %d with %x", d.ID, digest.End, digest.Total, current.End, current.Digest))
	}
	s.RaiseAlarm(ctx, AlarmMidstate, "midstate of a revision did not match its digest and was rebuilt from the bytes", "document", d.ID, "revision", len(d.Revisions)-1)
	d.Revisions = slices.Clone(d.Revisions) // others may share them
	d.Revisions[len(d.Revisions)-1].Midstate = digest.Midstate
	return d, nil
}

// DigestBytes reads a document's file from end to end and returns its digest.
func (s *Documents) DigestBytes(ctx context.Context, revisions []contract.Revision) (blob.Digest, error) {
	f, err := s.OpenFile(ctx, revisions)
	if err != nil {
		return blob.Digest{}, err
	}
	defer f.Close()
	digester := blob.NewDigester()
	if _, err := io.Copy(digester, io.NewSectionReader(Interruptible{ctx, f.Stack}, 0, f.Size())); err != nil {
		return blob.Digest{}, FileProblem(fmt.Errorf("read document to digest it: %w", err))
	}
	return digester.Digest(), nil
}

// Interruptible reads until the context is done.
type Interruptible struct {
	Ctx context.Context
	R   io.ReaderAt
}

// ReadAt implements io.ReaderAt.
func (w Interruptible) ReadAt(p []byte, at int64) (int, error) {
	if err := w.Ctx.Err(); err != nil {
		return 0, err
	}
	return w.R.ReadAt(p, at)
}
