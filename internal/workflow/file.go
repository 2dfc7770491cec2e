package workflow

import (
	"context"
	"errors"
	"fmt"

	"segel/internal/blob"
	"segel/internal/contract"
)

// openRevisions opens the file of a document as the concatenation of its revisions.
func (s *Service) openRevisions(ctx context.Context, revisions []contract.Revision) (*blob.Stack, error) {
	segments := make([]blob.Segment, len(revisions))
	for i, r := range revisions {
		segments[i] = fileSegment(r.Tail)
	}
	f, err := blob.OpenStack(ctx, s.Blobs, segments)
	if err != nil {
		return nil, fmt.Errorf("open document file: %w", err)
	}
	return f, nil
}

// openPresent opens the file of a document if every blob is present. Errors: [errFileMissing]; [errFileChanged] if the
// records of the revisions contradict each other.
func (s *Service) openPresent(ctx context.Context, revisions []contract.Revision) (*blob.Stack, error) {
	f, err := s.openRevisions(ctx, revisions)
	if err != nil {
		return nil, fileProblem(err)
	}
	if err = f.CheckPresent(); err == nil {
		return f, nil
	}
	return nil, errors.Join(fileProblem(err), f.Close())
}

func fileSegment(f contract.File) blob.Segment {
	return blob.Segment{Key: blob.Key(f.Key), Size: f.Size, Sums: f.Sums}
}

// storeTail stores a tail that follows the revision, and returns the revision it makes. It fails without storing anything if
// the midstate of the revision does not match its digest; see [Service.requireMidstate].
//
// Durable on return: the bytes. Not yet: the document's reference to them, which the commit adds.
func (s *Service) storeTail(ctx context.Context, after contract.Revision, kind contract.RevisionKind, tail []byte) (contract.Revision, error) {
	key, err := blob.NewKey(s.Random)
	if err != nil {
		return contract.Revision{}, err
	}
	digester, err := blob.ResumeDigester(after.Midstate, after.End, after.Digest)
	if err != nil {
		return contract.Revision{}, fmt.Errorf("continue revision ending at %d: %w", after.End, err)
	}
	w, err := s.Blobs.Create(ctx, key)
	if err != nil {
		return contract.Revision{}, fmt.Errorf("store tail: %w", err)
	}
	defer w.Abort()
	if _, err := w.Write(tail); err != nil {
		return contract.Revision{}, fmt.Errorf("store tail: %w", err)
	}
	if err := w.Commit(); err != nil {
		return contract.Revision{}, fmt.Errorf("store tail: %w", err)
	}
	digester.Write(tail)
	d := digester.Digest()
	return contract.Revision{
		Kind:     kind,
		Tail:     contract.File{Key: string(key), Size: d.Size, Digest: d.Sum, Sums: d.Sums},
		Begin:    after.End,
		End:      d.End,
		Digest:   d.Total,
		Midstate: d.Midstate,
		// Our own tails refer only to objects that exist.
		NextObject: after.NextObject,
	}, nil
}
