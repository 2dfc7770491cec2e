package moving

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"

	"segel/internal/blob"
)

// Options say how to copy.
type Options struct {
	Workers     int            // blobs at a time; 0 is 4
	OnlyMissing bool           // leave out the comparison of blobs that both volumes have with the same size
	Progress    func(Progress) // called often, by several goroutines one at a time; nil: not called

	// Recoded means that the volumes store the same bytes in different ways, such as encrypted and not: what readers get is compared, and not the sizes
	// that are listed. It reports whether a blob of the new volume is stored as a copy would be. nil: they store what they are given.
	Recoded func(context.Context, blob.Key, blob.Blob) (bool, error)
}

// ErrLeftOut is returned by Create of the new volume for a blob that is not to be copied.
var ErrLeftOut = errors.New("the blob is not copied")

// Progress counts what was done. The fields with bytes count those of the former volume, as readers get them.
type Progress struct {
	Copied        int64      `json:"copied"` // written to the new volume, read again and compared
	CopiedBytes   int64      `json:"copied_bytes"`
	Compared      int64      `json:"compared"` // were in both, and are equal
	ComparedBytes int64      `json:"compared_bytes"`
	Kept          int64      `json:"kept"`      // were in both with one size, and were not compared
	New           int64      `json:"new"`       // are in the new volume alone: written since
	Removed       int64      `json:"removed"`   // were removed from the former volume while they were copied
	LeftOut       int64      `json:"left_out"`  // were not copied because of [ErrLeftOut]
	Different     []blob.Key `json:"different"` // are in both and not equal; null if there are none
	Damaged       []blob.Key `json:"damaged"`   // cannot be decrypted in one of the volumes; null if there are none
	Otherwise     []blob.Key `json:"otherwise"` // are in both, and the new one is stored in another way than a copy would be; null if there are none
}

// Prepare marks the new volume with the mark of the former one. The former one must have a mark, and the new one either the same or
// neither a mark nor blobs. Repeating it changes nothing.
func Prepare(ctx context.Context, to, from blob.Volume) error {
	mark, err := from.Mark(ctx)
	if err != nil {
		return fmt.Errorf("volume to move from: %w", err)
	}
	has, err := to.Mark(ctx)
	if errors.Is(err, blob.ErrNoMark) {
		for b, err := range to.List(ctx) {
			if err != nil {
				return err
			}
			return fmt.Errorf("the volume to move to has blobs, such as %s, and no mark", b.Key)
		}
		if err := to.SetMark(ctx, mark); err != nil && !errors.Is(err, blob.ErrExists) {
			return err
		}
		has, err = to.Mark(ctx) // that of another process, if it was faster
	}
	if err != nil {
		return err
	}
	if !bytes.Equal(has, mark) {
		return ErrDifferentMarks
	}
	return nil
}

// Copy copies every blob that only the former volume has, reads the copy again, and compares it. Blobs that both have are compared too. It
// works beside services, and removes nothing. A blob is in the new volume whole or not at all, so a run that ended early is repeated: it
// compares what is there and copies the rest. Blobs that differ are counted and left as they are; any other error ends the run.
func Copy(ctx context.Context, to, from blob.Volume, o Options) (Progress, error) {
	workers := o.Workers
	if workers == 0 {
		workers = 4
	}
	c := &copying{to: to, from: from, o: o}
	group, work := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	err := c.compareLists(work, func(b listed) {
		group.Go(func() error { return c.move(work, b.Key, b.inTo) })
	})
	if failed := group.Wait(); failed != nil {
		err = failed // which has ended the listing
	}
	return c.progress, err
}

// copying is a run of Copy.
type copying struct {
	to, from blob.Volume
	o        Options

	mu       sync.Mutex
	progress Progress // guarded by mu
}

func (c *copying) count(change func(*Progress)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.progress)
	if c.o.Progress != nil {
		c.o.Progress(c.progress)
	}
}

// compareLists counts the blobs that need no work, and calls copyOne for each other one of the former volume.
func (c *copying) compareLists(ctx context.Context, copyOne func(listed)) error {
	for b, err := range listBoth(ctx, c.to, c.from) {
		switch {
		case err != nil:
			return err
		case !b.inFrom:
			c.count(func(p *Progress) { p.New++ })
		case c.o.Recoded != nil:
			copyOne(b)
		case b.inTo && b.Size != b.fromSize:
			c.count(func(p *Progress) { p.Different = append(p.Different, b.Key) })
		case b.inTo && c.o.OnlyMissing:
			c.count(func(p *Progress) { p.Kept++ })
		default:
			copyOne(b)
		}
	}
	return nil
}

// move copies a blob, unless it was there, and compares both.
func (c *copying) move(ctx context.Context, key blob.Key, there bool) error {
	err := c.copyOrCompare(ctx, key, there)
	var corrupt *blob.CorruptError
	if errors.As(err, &corrupt) {
		c.count(func(p *Progress) { p.Damaged = append(p.Damaged, key) })
		return nil
	}
	return err
}

func (c *copying) copyOrCompare(ctx context.Context, key blob.Key, there bool) error {
	source, err := c.from.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		c.count(func(p *Progress) { p.Removed++ })
		return nil
	}
	if err != nil {
		return err
	}
	defer source.Close()
	var sum [sha256.Size]byte
	if !there {
		sum, there, err = c.write(ctx, key, source)
		if errors.Is(err, ErrLeftOut) {
			c.count(func(p *Progress) { p.LeftOut++ })
			return nil
		}
		if err != nil {
			return fmt.Errorf("blob %s: %w", key, err)
		}
	}
	// Durable: the blob in both volumes. Not yet: that what the new one returns is what was written.
	target, err := c.to.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		c.count(func(p *Progress) { p.Removed++ }) // from both, by a service
		return nil
	}
	if err != nil {
		return err
	}
	defer target.Close()
	if c.o.Recoded != nil {
		switch same, err := c.o.Recoded(ctx, key, target); {
		case err != nil:
			return fmt.Errorf("blob %s: %w", key, err)
		case !same:
			c.count(func(p *Progress) { p.Otherwise = append(p.Otherwise, key) })
		}
	}
	size := source.Size()
	if there {
		if c.o.OnlyMissing && size == target.Size() {
			c.count(func(p *Progress) { p.Kept++ })
			return nil
		}
		if sum, err = sumBlob(source); err != nil {
			return fmt.Errorf("blob %s: %w", key, err)
		}
	}
	copied, err := sumBlob(target)
	if err != nil {
		return fmt.Errorf("read the copy of blob %s: %w", key, err)
	}
	c.count(func(p *Progress) {
		switch {
		case copied != sum:
			p.Different = append(p.Different, key)
		case there:
			p.Compared, p.ComparedBytes = p.Compared+1, p.ComparedBytes+size
		default:
			p.Copied, p.CopiedBytes = p.Copied+1, p.CopiedBytes+size
		}
	})
	return nil
}

// write writes the copy of a blob, and returns the SHA-256 of what it read. It reports whether another run was faster.
func (c *copying) write(ctx context.Context, key blob.Key, source blob.Blob) (sum [sha256.Size]byte, there bool, err error) {
	w, err := c.to.Create(ctx, key)
	if err != nil {
		return sum, false, err
	}
	defer w.Abort()
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(w, hash), io.NewSectionReader(source, 0, source.Size())); err != nil {
		return sum, false, err
	}
	err = w.Commit()
	if there = errors.Is(err, blob.ErrExists); there {
		err = nil
	}
	return [sha256.Size]byte(hash.Sum(nil)), there, err
}

// sumBlob returns the SHA-256 of a blob.
func sumBlob(b blob.Blob) (sum [sha256.Size]byte, err error) {
	hash := sha256.New()
	n, err := io.Copy(hash, io.NewSectionReader(b, 0, b.Size()))
	if err == nil && n != b.Size() {
		err = io.ErrUnexpectedEOF
	}
	return [sha256.Size]byte(hash.Sum(nil)), err
}
