package workflow

import (
	"context"
	"io"
	"time"

	"segel/internal/blob"
	"segel/internal/contract"
)

// Content is a file to be read by somebody. Every byte is hashed again, chunk by chunk, before it is handed
// out: what was changed in the store is an error, never served.
type Content struct {
	io.ReadSeeker
	file *blob.Stack

	Name     string // file name as uploaded
	Size     int64
	Digest   [32]byte // SHA-256 over all of it
	Modified time.Time
	Document contract.Document
}

// Close frees what reading needed.
func (c *Content) Close() error { return c.file.Close() }

// Preview opens the current revision for somebody who may see it. A viewer's first look is recorded.
func (s *Service) Preview(ctx context.Context, by contract.Actor, id contract.DocumentID) (*Content, error) {
	d, err := s.applyRuleAs(ctx, by, id, func(d *contract.Document) (*contract.Change, error) {
		c, changed, err := contract.View(d, by, s.Clock())
		if err != nil || !changed {
			return nil, err
		}
		return &c, nil
	})
	if err != nil {
		return nil, err
	}
	return s.openContent(ctx, d, d.Revisions)
}

// Download opens the finished file.
func (s *Service) Download(ctx context.Context, by contract.Actor, id contract.DocumentID) (*Content, error) {
	d, err := s.Detail(ctx, by, contract.OpDownload, id)
	if err != nil {
		return nil, err
	}
	if d.State != contract.Completed {
		return nil, contract.ErrNotCompleted
	}
	return s.openContent(ctx, d, d.Revisions)
}

// Original opens the file as it was uploaded.
func (s *Service) Original(ctx context.Context, by contract.Actor, id contract.DocumentID) (*Content, error) {
	d, err := s.Detail(ctx, by, contract.OpOriginal, id)
	if err != nil {
		return nil, err
	}
	return s.openContent(ctx, d, []contract.Revision{{Tail: d.Original, End: d.Original.Size, Digest: d.Original.Digest, At: d.CreatedAt}})
}

func (s *Service) openContent(ctx context.Context, d contract.Document, revisions []contract.Revision) (*Content, error) {
	f, err := s.openPresent(ctx, revisions) // while it can still be refused: nothing has been sent
	if err != nil {
		return nil, err
	}
	last := revisions[len(revisions)-1]
	return &Content{
		ReadSeeker: f.Verified(), file: f,
		Name: d.Filename, Size: f.Size(), Digest: last.Digest, Modified: last.At, Document: d,
	}, nil
}
