package workflow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"segel/internal/blob"
	"segel/internal/contract"
)

// leftOverAfter is the age after which a blob that nothing refers to counts as left by a crash. A writer ends itself after [blob.WriterLife], and a blob may have the
// time at which its writer began. The commit that refers to it follows within the time of a request or job. The rest is what the clocks of service
// and store may differ by.
const leftOverAfter = 48 * time.Hour

// collectAtOnce bounds how many blobs a run moves, so that a mistake has a limit.
const collectAtOnce = 1000

// ErrLogNamesFiles means that nothing refers to files that the audit log names, so rows were lost. Nothing is moved then.
var ErrLogNamesFiles = errors.New("nothing refers to files that the audit log names: rows were lost; run segel fsck")

// Collector is what the collection of left-over blobs uses.
type Collector struct {
	// OpenLog returns the audit log, and a function that closes it. It is called only if there are left-over blobs. It fails if the log is not intact.
	OpenLog func(ctx context.Context) (LoggedFiles, func() error, error)

	// SetAside moves a blob with that SHA-256 aside. It can be moved back.
	SetAside func(ctx context.Context, b blob.Info, sha256 string) error
}

// Collected counts what a run did.
type Collected struct {
	Moved int
	Bytes int64 // of them, as they were stored
}

// CollectLeftOver moves blobs aside that crashes left: those that nothing refers to, neither a row nor the audit log, and that are older than any writer.
// It does nothing while the clock is not reliable, because young blobs would seem old, and while a backup is under way.
//
// A crash at any point leaves each blob in its place or aside.
func (s *Service) CollectLeftOver(ctx context.Context, c Collector) (done Collected, failed error) {
	if f, err := s.ClockFinding(ctx); err != nil || f.State != contract.ClockFine {
		return done, err
	}
	if held, err := s.Store.HoldsDeletions(ctx); err != nil || held {
		return done, err
	}
	var log LoggedFiles
	closeLog := func() error { return nil }
	defer func() { failed = errors.Join(failed, closeLog()) }()
	began := s.Clock()
	for b, err := range s.Blobs.List(ctx) {
		if err != nil {
			return done, fmt.Errorf("list blobs: %w", err)
		}
		if began.Sub(b.Modified) < leftOverAfter {
			continue
		}
		if used, err := s.Store.RefersToFile(ctx, string(b.Key)); err != nil || used {
			if err != nil {
				return done, err
			}
			continue
		}
		if log == nil {
			if log, closeLog, err = c.OpenLog(ctx); err != nil {
				closeLog = func() error { return nil }
				return done, err
			}
		}
		moved, err := s.collectBlob(ctx, c, log, b)
		if err != nil {
			return done, fmt.Errorf("collect blob %s: %w", b.Key, err)
		}
		if moved {
			done.Moved, done.Bytes = done.Moved+1, done.Bytes+b.Size
		}
		if done.Moved == collectAtOnce {
			return done, nil // the rest is found by the next run
		}
	}
	return done, nil
}

// collectBlob moves a blob aside, unless it was removed or is used by now, or cannot be read.
func (s *Service) collectBlob(ctx context.Context, c Collector, log LoggedFiles, b blob.Info) (moved bool, err error) {
	h := sha256.New()
	var corrupt *blob.CorruptError
	switch err := s.copyBlob(ctx, contract.File{Key: string(b.Key)}, h); {
	case errors.As(err, &corrupt): // fsck reports it, and a person decides
		return false, nil
	case err != nil:
		if s.isGone(ctx, b.Key) { // removed since it was listed
			return false, nil
		}
		return false, err
	}
	digest := hex.EncodeToString(h.Sum(nil))
	live, named, err := log.LoggedFile(ctx, string(b.Key), digest)
	if err != nil {
		return false, err
	}
	if live || named {
		used, err := s.Store.RefersToFile(ctx, string(b.Key)) // it may be, since the log was opened
		if err == nil && !used {
			err = ErrLogNamesFiles
		}
		return false, err
	}
	taken, err := s.Store.CollectFile(ctx, string(b.Key), s.Clock())
	if err != nil || !taken {
		return false, err
	}
	// Durable now: no later commit can refer to the blob, even of a process that wrote it two days ago and was suspended since. If this process dies here, the
	// blob stays where it is, and the next run moves it.
	return true, c.SetAside(ctx, b, digest)
}
