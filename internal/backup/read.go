package backup

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"segel/internal/blob"
)

// Verify reads everything that a backup consists of, and compares it with the sums that were recorded when it was written. It returns the files that are missing
// or differ; other errors end it.
func (d Destination) Verify(ctx context.Context, m Manifest, workers int, progress func(files int64)) (damaged []Damage, err error) {
	for _, p := range m.parts() {
		b, err := d.OpenPart(ctx, p)
		switch {
		case errors.Is(err, ErrDifferent) || errors.Is(err, blob.ErrNotFound):
			damaged = append(damaged, Damage{p.Key, err.Error()})
		case err != nil:
			return damaged, err
		default:
			if err := b.Close(); err != nil {
				return damaged, err
			}
		}
	}
	if len(damaged) > 0 { // without the list it is not known which files belong to it
		return damaged, nil
	}
	found := make(chan Damage)
	collected := make(chan struct{})
	go func() {
		defer close(collected)
		for one := range found {
			damaged = append(damaged, one)
		}
	}()
	err = d.eachFile(ctx, m, workers, progress, func(ctx context.Context, f File) error {
		b, err := d.Files.Open(ctx, f.Key)
		if err == nil {
			err = errors.Join(requireSum(b, f.Size, f.SHA256), b.Close())
		}
		var corrupt *blob.CorruptError
		if errors.Is(err, ErrDifferent) || errors.Is(err, blob.ErrNotFound) || errors.As(err, &corrupt) {
			found <- Damage{f.Key, err.Error()}
			err = nil
		}
		return err
	})
	close(found)
	<-collected
	sortDamage(damaged)
	return damaged, err
}

// CopyFiles copies the files of a backup to an empty volume. What it reads is compared with the sums of the backup before it is
// committed.
func (d Destination) CopyFiles(ctx context.Context, m Manifest, to blob.Volume, workers int, progress func(files int64)) error {
	return d.eachFile(ctx, m, workers, progress, func(ctx context.Context, f File) error {
		from, err := d.Files.Open(ctx, f.Key)
		if err != nil {
			return err
		}
		defer from.Close()
		w, err := to.Create(ctx, f.Key)
		if err != nil {
			return err
		}
		defer w.Abort()
		checked := &teeBlob{Blob: from, to: w}
		if err := requireSum(checked, f.Size, f.SHA256); err != nil {
			return err
		}
		return w.Commit()
	})
}

// teeBlob writes what is read of a blob from its beginning to its end.
type teeBlob struct {
	blob.Blob
	to io.Writer
}

func (t *teeBlob) ReadAt(p []byte, off int64) (int, error) {
	n, err := t.Blob.ReadAt(p, off)
	if n > 0 {
		if _, err := t.to.Write(p[:n]); err != nil {
			return 0, err
		}
	}
	return n, err
}

// eachFile calls do for each file of the list, by several goroutines at a time.
func (d Destination) eachFile(ctx context.Context, m Manifest, workers int, progress func(int64), do func(context.Context, File) error) (err error) {
	l, err := d.openList(ctx, m.List)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	group, work := errgroup.WithContext(ctx)
	group.SetLimit(max(workers, 1))
	n := int64(0)
	for work.Err() == nil {
		f, readErr := l.Next()
		if readErr == io.EOF {
			break
		}
		if readErr != nil {
			err = readErr
			break
		}
		group.Go(func() error {
			if err := do(work, f); err != nil {
				return fmt.Errorf("file %s: %w", f.Key, err)
			}
			return nil
		})
		if n++; progress != nil {
			progress(n)
		}
	}
	if failed := group.Wait(); failed != nil {
		return failed
	}
	if err == nil && n != m.Files {
		err = fmt.Errorf("%w: it has %d files of %d", errList, n, m.Files)
	}
	return err
}

// ReadSealed calls read with the bytes of the database or of the records of the stamp office of a backup. Decrypt is called if the backup has encrypted
// them; its error ends the reading.
func (d Destination) ReadSealed(ctx context.Context, m Manifest, p Part, decrypt Decrypt, read func(io.Reader) error) error {
	b, err := d.OpenPart(ctx, p)
	if err != nil {
		return err
	}
	var stored io.Reader = io.NewSectionReader(b, 0, b.Size())
	if m.AgeEncryption {
		stored, err = decrypt(stored)
	}
	if err == nil {
		err = readCompressed(stored, read)
	}
	return errors.Join(err, b.Close())
}

// readCompressed calls read with what was compressed, and then reads to the end, which says whether all of it was there.
func readCompressed(stored io.Reader, read func(io.Reader) error) error {
	z, err := gzip.NewReader(stored)
	if err != nil {
		return err
	}
	if err := read(z); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, z)
	return err
}
