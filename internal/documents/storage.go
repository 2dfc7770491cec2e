package documents

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/outage"
	"segel/pades"
)

// CreateBlob begins a file of an organisation. See [blob.Store].
func (s *Documents) CreateBlob(ctx context.Context, of contract.OrganisationID, key blob.Key) (blob.Writer, error) {
	if s.BlobsOf == nil {
		return s.Blobs.Create(ctx, key)
	}
	return s.BlobsOf(of).Create(ctx, key)
}

// StoreFile stores what write writes as a file of an organisation, continuing the digester: its totals are of the document with these bytes.
//
// Durable on return: the bytes. Not yet: a reference to them, which a commit adds. If the process dies before it, fsck
// finds them.
func (s *Documents) StoreFile(ctx context.Context, of contract.OrganisationID, digester *blob.Digester, write func(io.Writer) error) (contract.File, blob.Digest, error) {
	key, err := blob.NewKey(s.Random)
	if err != nil {
		return contract.File{}, blob.Digest{}, err
	}
	w, err := s.CreateBlob(ctx, of, key)
	if err != nil {
		return contract.File{}, blob.Digest{}, fmt.Errorf("store file: %w", err)
	}
	defer w.Abort()
	if err := write(io.MultiWriter(digester, w)); err != nil {
		return contract.File{}, blob.Digest{}, err
	}
	if err := w.Commit(); err != nil {
		return contract.File{}, blob.Digest{}, fmt.Errorf("store file: %w", err)
	}
	d := digester.Digest()
	return contract.File{Key: string(key), Size: d.Size, Digest: d.BlobSum, Sums: d.ChunkSums}, d, nil
}

// StoreBase stores what write writes as the base of a document of an organisation: the rewritten upload, or the PDF made from it. It
// returns tooLong if the output exceeds the limit on files.
func (s *Documents) StoreBase(ctx context.Context, of contract.OrganisationID, tooLong error, write func(io.Writer) error) (contract.Revision, error) {
	file, d, err := s.StoreFile(ctx, of, blob.NewDigester(), func(w io.Writer) error {
		limited := &atMost{ctx: ctx, w: w, left: s.Limits.FileSize, tooLong: tooLong, space: DiskSpace{Require: s.RequireDiskSpace}}
		buffered := bufio.NewWriterSize(limited, 256<<10)
		if err := write(buffered); err != nil {
			return err
		}
		return buffered.Flush()
	})
	if err != nil {
		return contract.Revision{}, err
	}
	base := BaseRevision(file, d)
	base.At = s.Clock()
	return base, nil
}

// BaseRevision returns the first revision of a document, with everything but its time and its next object.
func BaseRevision(file contract.File, d blob.Digest) contract.Revision {
	return contract.Revision{Kind: contract.RevisionBase, Tail: file, End: d.End, Digest: d.DocumentSum, Midstate: d.Midstate}
}

// StoreTail stores the tail of built, which extends the revision of a document of an organisation, and returns the revision it makes. The digest and the
// midstate are those of built. It fails without storing anything if the midstate of the revision does not match its
// digest, see [Documents.EnsureMidstate], or if built extends a file of another size.
func (s *Documents) StoreTail(ctx context.Context, of contract.OrganisationID, after contract.Revision, kind contract.RevisionKind, built *pades.Result) (contract.Revision, error) {
	if _, err := blob.ResumeHash(after.Midstate, after.End, after.Digest); err != nil {
		return contract.Revision{}, fmt.Errorf("continue revision ending at %d: %w", after.End, err)
	}
	if built.Size-int64(len(built.Tail)) != after.End {
		return contract.Revision{}, fmt.Errorf("a tail of %d bytes that ends at %d does not follow a revision ending at %d", len(built.Tail), built.Size, after.End)
	}
	file, _, err := s.StoreFile(ctx, of, blob.NewDigester(), func(w io.Writer) error {
		_, err := w.Write(built.Tail)
		return err
	})
	if err != nil {
		return contract.Revision{}, fmt.Errorf("store tail: %w", err)
	}
	return contract.Revision{
		Kind: kind, Tail: file, Begin: after.End, End: built.Size, Digest: built.Digest, Midstate: built.Midstate,
		// Our own tails refer only to objects that exist.
		NextObject: after.NextObject,
	}, nil
}

// RemoveBlob removes a blob that no committed document refers to.
func (s *Documents) RemoveBlob(ctx context.Context, key string) error {
	if err := s.Blobs.Remove(context.WithoutCancel(ctx), blob.Key(key)); err != nil && !errors.Is(err, blob.ErrNotFound) {
		return fmt.Errorf("remove blob %s: %w", key, err)
	}
	return nil
}

// RemoveUncommitted removes the bytes of revisions whose commit was refused or did not reach the database, and returns
// err. A commit that failed in another way may be durable all the same, if only the connection was lost: its bytes
// stay. If nothing refers to them after an hour, fsck reports them. Before any commit was tried, use [Documents.RemoveTails].
func (s *Documents) RemoveUncommitted(ctx context.Context, err error, revisions ...contract.Revision) error {
	if outage.InDoubt(err) || outage.Of(err) == nil && contract.KindOf(err) == 0 {
		return err
	}
	for _, r := range revisions {
		if r.Tail.Key != "" { // empty: the revision has no bytes
			err = errors.Join(err, s.RemoveBlob(ctx, r.Tail.Key))
		}
	}
	return err
}

// RemoveTails removes the tails of revisions that no commit was tried for, and returns err. Nothing can refer to them.
// After a commit, use [Documents.RemoveUncommitted].
func (s *Documents) RemoveTails(ctx context.Context, err error, revisions []contract.Revision) error {
	for _, r := range revisions {
		err = errors.Join(err, s.RemoveBlob(ctx, r.Tail.Key))
	}
	return err
}

// atMost limits the size of the output: unpacked object streams are longer than the source. It also stops when the
// context ends.
type atMost struct {
	ctx     context.Context
	w       io.Writer
	left    int64
	tooLong error
	space   DiskSpace
}

func (a *atMost) Write(p []byte) (int, error) {
	if err := a.ctx.Err(); err != nil {
		return 0, err
	}
	if a.left -= int64(len(p)); a.left < 0 {
		return 0, a.tooLong
	}
	if err := a.space.RequireSpace(len(p)); err != nil {
		return 0, err
	}
	return a.w.Write(p)
}

// diskSpaceStep is the number of bytes after which the free space is checked again.
const diskSpaceStep = 1 << 20

// DiskSpace is the space on the disk that an arriving file may take before the next check.
type DiskSpace struct {
	Require func(bytes int64) error // nil: unlimited
	granted int64                   // granted and not used yet
}

// RequireSpace requires space for n bytes that are about to be written. Others write to the same disk, so it checks
// again every [diskSpaceStep] bytes.
func (r *DiskSpace) RequireSpace(n int) error {
	if r.Require == nil {
		return nil
	}
	if r.granted -= int64(n); r.granted >= 0 {
		return nil
	}
	ask := max(int64(n), diskSpaceStep)
	if err := r.Require(ask); err != nil {
		return err
	}
	r.granted = ask - int64(n)
	return nil
}
