package workflow

import (
	"context"
	"io"
	"time"

	"segel/internal/blob"
	"segel/internal/contract"
)

// Content is a file to be read. Every chunk is hashed again before its bytes are returned: if the stored bytes changed,
// reading fails.
type Content struct {
	io.ReadSeeker
	file *blob.Stack

	Name     string // file name as uploaded
	Size     int64
	Digest   [32]byte // SHA-256 of the whole file
	Modified time.Time
	Document contract.Document
}

// Close releases the blobs of the file.
func (c *Content) Close() error { return c.file.Close() }

// Preview opens the current revision for an actor who may see it. The first view of a viewer is recorded.
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
	f, err := s.openPresent(ctx, revisions) // nothing has been sent yet, so a missing file can still be refused
	if err != nil {
		return nil, err
	}
	last := revisions[len(revisions)-1]
	return &Content{
		ReadSeeker: f.Verified(), file: f,
		Name: d.Filename, Size: f.Size(), Digest: last.Digest, Modified: last.At, Document: d,
	}, nil
}
