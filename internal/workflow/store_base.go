package workflow

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"segel/internal/blob"
	"segel/internal/contract"
)

// storeBase stores what write writes as the base of a document: the rewritten upload, or the PDF made from it. It
// returns tooLong if the output exceeds the limit on files.
//
// Durable on return: the bytes. Not yet: a document's reference to them. If the process dies before the commit, fsck
// finds them.
func (s *Service) storeBase(ctx context.Context, tooLong error, write func(io.Writer) error) (contract.Revision, error) {
	key, err := blob.NewKey(s.Random)
	if err != nil {
		return contract.Revision{}, err
	}
	w, err := s.Blobs.Create(ctx, key)
	if err != nil {
		return contract.Revision{}, fmt.Errorf("store base: %w", err)
	}
	defer w.Abort()
	digester := blob.NewDigester()
	space := diskSpace{require: s.RequireDiskSpace}
	buffered := bufio.NewWriterSize(io.MultiWriter(digester, &atMost{ctx: ctx, w: w, left: s.Limits.FileSize, tooLong: tooLong, space: &space}), 256<<10)
	if err := write(buffered); err != nil {
		return contract.Revision{}, err
	}
	if err := buffered.Flush(); err != nil {
		return contract.Revision{}, err
	}
	if err := w.Commit(); err != nil {
		return contract.Revision{}, fmt.Errorf("store base: %w", err)
	}
	d := digester.Digest()
	return contract.Revision{
		Kind:     contract.RevisionBase,
		Tail:     contract.File{Key: string(key), Size: d.Size, Digest: d.Sum, Sums: d.Sums},
		End:      d.End,
		Digest:   d.Total,
		Midstate: d.Midstate,
		At:       s.Clock(),
	}, nil
}

// atMost limits the size of the output: unpacked object streams are longer than the source. It also stops when the
// context ends.
type atMost struct {
	ctx     context.Context
	w       io.Writer
	left    int64
	tooLong error
	space   *diskSpace
}

func (a *atMost) Write(p []byte) (int, error) {
	if err := a.ctx.Err(); err != nil {
		return 0, err
	}
	if a.left -= int64(len(p)); a.left < 0 {
		return 0, a.tooLong
	}
	if err := a.space.requireSpace(len(p)); err != nil {
		return 0, err
	}
	return a.w.Write(p)
}
