package workflow

import (
	"bytes"
	"context"
	"fmt"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/convert/sniff"
	"segel/internal/documents"
)

// Staging receives the bytes of an upload. It writes them to a blob that nothing refers to yet, hashes them, and
// refuses the file as soon as possible if it cannot become a document.
type Staging struct {
	key    blob.Key
	w      blob.Writer
	digest *blob.Digester
	head   []byte // first bytes, until the kind of file is known
	known  bool
	word   bool // the file may be a Word document
	limit  int64
	space  documents.DiskSpace
}

// sniffLen is the number of bytes that decide the kind of a file. Readers accept a PDF header within that many bytes.
const sniffLen = 1024

// Stage starts an upload. The caller must call Abort, which does nothing after Upload stored the file.
func (s *Service) Stage(ctx context.Context) (*Staging, error) {
	space := documents.DiskSpace{Require: s.RequireDiskSpace}
	if err := space.RequireSpace(1); err != nil {
		return nil, fmt.Errorf("stage upload: %w", err)
	}
	key, err := blob.NewKey(s.Random)
	if err != nil {
		return nil, err
	}
	w, err := s.Blobs.Create(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("stage upload: %w", err)
	}
	return &Staging{key: key, w: w, digest: blob.NewDigester(), limit: s.Limits.FileSize, space: space}, nil
}

// Write adds the next bytes of the file.
func (st *Staging) Write(p []byte) (int, error) {
	if st.digest.Size()+int64(len(p)) > st.limit {
		return 0, documents.ErrTooLarge.With("limit", st.limit)
	}
	if !st.known {
		st.head = append(st.head, p[:min(len(p), sniffLen-len(st.head))]...)
		if len(st.head) == sniffLen {
			if err := st.checkKind(); err != nil {
				return 0, err
			}
		}
	}
	if err := st.space.RequireSpace(len(p)); err != nil {
		return 0, fmt.Errorf("stage upload: %w", err)
	}
	st.digest.Write(p)
	return st.w.Write(p)
}

// checkKind determines the kind of the file from its first bytes.
func (st *Staging) checkKind() error {
	st.known = true
	switch {
	case len(st.head) == 0:
		return documents.ErrEmpty
	case sniff.MayBeWord(st.head): // before PDF, because any file may contain a PDF header in its first bytes
		st.word = true
		return nil
	case bytes.Contains(st.head, []byte("%PDF-")):
		return nil
	}
	return documents.ErrNotPDF
}

// storeUpload makes the uploaded bytes durable.
func (st *Staging) storeUpload() (contract.Revision, error) {
	if !st.known {
		if err := st.checkKind(); err != nil {
			return contract.Revision{}, err
		}
	}
	if err := st.w.Commit(); err != nil {
		return contract.Revision{}, fmt.Errorf("store upload: %w", err)
	}
	d := st.digest.Digest()
	return contract.Revision{
		Kind:     contract.RevisionBase,
		Tail:     contract.File{Key: string(st.key), Size: d.Size, Digest: d.Sum, Sums: d.Sums},
		End:      d.End,
		Digest:   d.Total,
		Midstate: d.Midstate,
	}, nil
}

// Abort removes the bytes, unless the upload was stored.
func (st *Staging) Abort() {
	st.w.Abort()
}
