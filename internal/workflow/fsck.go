package workflow

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"time"

	"segel/internal/blob"
	"segel/internal/contract"
)

// Finding is one thing that does not agree.
type Finding struct {
	Grave bool // bytes are lost or changed; otherwise something is merely left over
	Text  string
}

// youngBlob is how old a blob must be, when the comparison begins, before it counts as left over: a younger one
// may belong to a commit that is on its way.
const youngBlob = time.Hour

// Fsck compares what the store refers to with the blobs that are there, and reads every byte of them. Remove
// takes away blobs that nothing refers to.
func (s *Service) Fsck(ctx context.Context, remove bool, tell func(Finding)) error {
	// Reading every byte may take hours. What is committed meanwhile may not be among what is known, so age is
	// measured back from here.
	began := s.Clock()
	known := map[string]bool{}
	err := s.Store.Files(ctx, func(f contract.File) bool {
		known[f.Key] = true
		if err := s.checkFile(ctx, f); err != nil {
			tell(Finding{Grave: true, Text: err.Error()})
		}
		return ctx.Err() == nil
	})
	if err != nil {
		return fmt.Errorf("read what the store refers to: %w", err)
	}
	for b, err := range s.Blobs.List(ctx) {
		if err != nil {
			return fmt.Errorf("list blobs: %w", err)
		}
		if known[string(b.Key)] || began.Sub(b.Modified) < youngBlob {
			continue
		}
		tell(Finding{Text: fmt.Sprintf("blob %s, %d bytes, is nobody's", b.Key, b.Size)})
		if remove {
			if err := s.discard(ctx, string(b.Key)); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// checkFile reads a file whole and compares it with its digest.
func (s *Service) checkFile(ctx context.Context, f contract.File) error {
	b, err := s.Blobs.Open(ctx, blob.Key(f.Key))
	if errors.Is(err, blob.ErrNotFound) {
		return fmt.Errorf("blob %s is missing", f.Key)
	}
	if err != nil {
		return fmt.Errorf("open blob %s: %w", f.Key, err)
	}
	defer b.Close()
	if b.Size() != f.Size {
		return fmt.Errorf("blob %s has %d bytes, not %d", f.Key, b.Size(), f.Size)
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(b, 0, b.Size())); err != nil {
		return fmt.Errorf("read blob %s: %w", f.Key, err)
	}
	if [32]byte(h.Sum(nil)) != f.Digest {
		return fmt.Errorf("blob %s is not what was written", f.Key)
	}
	return nil
}
