package s3

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"segel/internal/blob"
)

// aside moves blobs below aside/<time>/.
type aside struct {
	store  *Store
	prefix string // of the names of the objects
}

// NewAside returns the place for blobs that are moved aside at that time. See [blob.Aside].
func (s *Store) NewAside(at time.Time) blob.Aside {
	return &aside{store: s, prefix: s.prefix + asideDir + at.UTC().Format(blob.AsideTime) + "/"}
}

// Dir names the place.
func (a *aside) Dir() string { return "bucket " + a.store.bucket + ", " + a.prefix }

// Move copies a blob within the server, and removes it where it was. What was moved is written first: after a crash the blob may be described and
// not moved, or in both places, and no other difference is possible.
func (a *aside) Move(ctx context.Context, b blob.Info, sha256 string, now time.Time) error {
	if err := checkCall(ctx, b.Key); err != nil {
		return err
	}
	s := a.store
	line, err := json.Marshal(blob.Moved{Key: b.Key, Size: b.Size, SHA256: sha256, Modified: b.Modified.UTC(), MovedAt: now.UTC()})
	if err != nil {
		return err
	}
	if err := s.createNew(ctx, a.prefix+string(b.Key)+".json", line); err != nil {
		return fmt.Errorf("move blob %s aside: %w", b.Key, err)
	}
	err = s.retryRequest(ctx, func(ctx context.Context) error {
		_, err := s.core.CopyObject(ctx, s.bucket, s.blobName(b.Key), s.bucket, a.prefix+string(b.Key), nil, minio.CopySrcOptions{}, minio.PutObjectOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("move blob %s aside: %w", b.Key, explainError(ctx, err))
	}
	return s.Remove(ctx, b.Key)
}

// Close does nothing: each move is complete.
func (a *aside) Close() error { return nil }

// PurgeAside removes for good what was moved aside before a moment. Objects elsewhere are left alone.
func (s *Store) PurgeAside(ctx context.Context, before time.Time) (folders int, err error) {
	last := ""
	for o, err := range s.listObjects(ctx, s.prefix+asideDir) {
		if err != nil {
			return folders, fmt.Errorf("list what was moved aside: %w", err)
		}
		folder, _, _ := strings.Cut(strings.TrimPrefix(o.Key, s.prefix+asideDir), "/")
		at, err := time.Parse(blob.AsideTime, folder)
		if err != nil || !at.Before(before) {
			continue
		}
		if err := s.removeObject(ctx, o.Key); err != nil {
			return folders, fmt.Errorf("remove what was moved aside: %w", err)
		}
		if folder != last { // they are listed in the order of their names
			folders, last = folders+1, folder
		}
	}
	return folders, nil
}
