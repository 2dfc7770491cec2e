package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"segel/internal/blob"
	"segel/internal/durable"
)

// asideDir holds blobs that were moved aside. It is not a pair of hexadecimal digits, so no key leads there.
const asideDir = "aside"

// manifestFile lists what is in such a folder, a JSON object a line.
const manifestFile = "manifest.jsonl"

// aside moves blobs into a folder of their own, aside/<time>/ in the store, with a manifest. To move a blob back, rename it to its
// place.
type aside struct {
	store    *Store
	dir      string
	manifest *os.File // nil before the first blob
}

// NewAside returns the folder for blobs that are moved aside at that time. See [blob.Aside].
func (s *Store) NewAside(at time.Time) blob.Aside {
	return &aside{store: s, dir: filepath.Join(s.root, asideDir, at.UTC().Format(blob.AsideTime))}
}

// Dir is the folder.
func (a *aside) Dir() string { return a.dir }

// Move moves a blob. Its line in the manifest is durable before it is moved: after a crash the manifest may list one that is
// still in its place, and no other difference is possible.
func (a *aside) Move(ctx context.Context, b blob.Info, sha256 string, now time.Time) error {
	if err := checkCall(ctx, b.Key); err != nil {
		return err
	}
	if err := a.openManifest(); err != nil {
		return fmt.Errorf("make %s: %w", a.dir, err)
	}
	line, err := json.Marshal(blob.Moved{Key: b.Key, Size: b.Size, SHA256: sha256, Modified: b.Modified.UTC(), MovedAt: now.UTC()})
	if err != nil {
		return err
	}
	if _, err := a.manifest.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	if err := durable.SyncFile(a.manifest); err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	from := a.store.blobPath(b.Key)
	if err := os.Rename(from, filepath.Join(a.dir, string(b.Key))); err != nil {
		return fmt.Errorf("move blob aside: %w", err)
	}
	// The new name first: should the machine crash between the two, the blob has both names or the new one.
	if err := errors.Join(durable.SyncDir(a.dir), durable.SyncDir(filepath.Dir(from))); err != nil {
		return fmt.Errorf("move blob %s aside: %w", b.Key, err)
	}
	return nil
}

// openManifest makes the folder with its manifest.
func (a *aside) openManifest() error {
	if a.manifest != nil {
		return nil
	}
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(a.dir, manifestFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	for dir := a.dir; len(dir) >= len(a.store.root); dir = filepath.Dir(dir) {
		if err := durable.SyncDir(dir); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	a.manifest = f
	return nil
}

// Close closes the manifest.
func (a *aside) Close() error {
	if a.manifest == nil {
		return nil
	}
	return a.manifest.Close()
}

// PurgeAside removes for good what was moved aside before a moment. Folders that are not called by a time are left alone.
func (s *Store) PurgeAside(ctx context.Context, before time.Time) (folders int, err error) {
	entries, err := os.ReadDir(filepath.Join(s.root, asideDir))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read what was moved aside: %w", err)
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return folders, err
		}
		at, err := time.Parse(blob.AsideTime, e.Name())
		if err != nil || !e.IsDir() || !at.Before(before) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(s.root, asideDir, e.Name())); err != nil {
			return folders, fmt.Errorf("remove what was moved aside: %w", err)
		}
		folders++
	}
	return folders, nil
}
