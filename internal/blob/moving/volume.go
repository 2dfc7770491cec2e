// Package moving moves blobs from one volume to another while a service uses both. The service writes to one of them and reads from
// both; [Copy] fills the new one meanwhile. Blobs never change and their keys are never reused, so a copy is as good as what it was copied from.
//
// Processes that share the volumes are restarted one after the other, twice: all read from both before the first one writes to the new volume.
package moving

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"segel/internal/blob"
)

// Errors of the two volumes.
var (
	// ErrUnprepared means that the new volume has no mark: nothing was copied to it.
	ErrUnprepared = errors.New("the volume to move to has no mark; segel blobs copy prepares it")
	// ErrDifferentMarks means that the volumes belong to different installations.
	ErrDifferentMarks = errors.New("the volumes to move from and to have different marks")
)

// Volume is a [blob.Volume] of two: what is written goes to one, and what is there in either is read.
type Volume struct {
	to, from     blob.Volume
	writesFormer bool // what is written goes to from
}

// New returns the volume that writes to the new volume and reads from both. Use it when no process reads from the former one alone.
func New(to, from blob.Volume) *Volume { return &Volume{to: to, from: from} }

// NewReading returns the volume that writes to the former volume and reads from both, while other processes read from the former one alone.
func NewReading(to, from blob.Volume) *Volume { return &Volume{to: to, from: from, writesFormer: true} }

// Parts returns the new volume and the one that is left.
func (v *Volume) Parts() []blob.Volume { return []blob.Volume{v.to, v.from} }

// Create begins a blob in the volume that is written to. See [blob.Store].
func (v *Volume) Create(ctx context.Context, key blob.Key) (blob.Writer, error) {
	written, other := v.to, v.from
	if v.writesFormer {
		written, other = other, written
	}
	w, err := written.Create(ctx, key)
	if err != nil {
		return nil, err
	}
	return &writer{Writer: w, ctx: ctx, other: other, key: key}, nil
}

// writer commits only a key that the other volume does not use either.
type writer struct {
	blob.Writer
	ctx   context.Context
	other blob.Volume
	key   blob.Key
}

// Commit makes the blob final. See [blob.Writer].
func (w *writer) Commit() error {
	switch has, err := holds(w.ctx, w.other, w.key); {
	case err != nil:
		w.Abort()
		return err
	case has:
		w.Abort()
		return fmt.Errorf("%w: %s", blob.ErrExists, w.key)
	}
	return w.Writer.Commit()
}

// holds reports whether a volume has a blob.
func holds(ctx context.Context, s blob.Store, key blob.Key) (bool, error) {
	b, err := s.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, b.Close()
}

// Open opens the blob where it is, first in the new volume. See [blob.Store].
func (v *Volume) Open(ctx context.Context, key blob.Key) (blob.Blob, error) {
	b, err := v.to.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return v.from.Open(ctx, key)
	}
	return b, err
}

// Remove removes the blob from both. A blob that is being copied meanwhile may be left in the new volume; a check finds it. See [blob.Store].
func (v *Volume) Remove(ctx context.Context, key blob.Key) error {
	if err := v.from.Remove(ctx, key); err != nil {
		return err
	}
	return v.to.Remove(ctx, key)
}

// List yields the blobs of both, each once. See [blob.Store].
func (v *Volume) List(ctx context.Context) iter.Seq2[blob.Info, error] {
	return func(yield func(blob.Info, error) bool) {
		for b, err := range listBoth(ctx, v.to, v.from) {
			if !yield(b.Info, err) || err != nil {
				return
			}
		}
	}
}

// listed is a blob of two volumes.
type listed struct {
	blob.Info // of the new volume, where it is there
	inTo      bool
	inFrom    bool
	fromSize  int64 // bytes in the former one
}

// listBoth yields the blobs of two volumes in the order of their keys. It keeps one blob of each in memory.
func listBoth(ctx context.Context, to, from blob.Store) iter.Seq2[listed, error] {
	return func(yield func(listed, error) bool) {
		nextTo, stopTo := iter.Pull2(to.List(ctx))
		defer stopTo()
		nextFrom, stopFrom := iter.Pull2(from.List(ctx))
		defer stopFrom()
		t, tErr, tOK := nextTo()
		f, fErr, fOK := nextFrom()
		for tOK || fOK {
			if err := errors.Join(tErr, fErr); err != nil {
				yield(listed{}, err)
				return
			}
			var b listed
			takeTo, takeFrom := tOK && (!fOK || t.Key <= f.Key), fOK && (!tOK || f.Key <= t.Key)
			if takeFrom {
				b.Info, b.inFrom, b.fromSize = f, true, f.Size
				f, fErr, fOK = nextFrom()
			}
			if takeTo {
				b.Info, b.inTo = t, true
				t, tErr, tOK = nextTo()
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

// Mark returns the mark, which both have. See [blob.Store].
func (v *Volume) Mark(ctx context.Context) ([]byte, error) {
	to, err := v.to.Mark(ctx)
	if errors.Is(err, blob.ErrNoMark) {
		return nil, ErrUnprepared
	}
	if err != nil {
		return nil, err
	}
	from, err := v.from.Mark(ctx)
	if err != nil {
		return nil, fmt.Errorf("volume to move from: %w", err)
	}
	if !bytes.Equal(to, from) {
		return nil, ErrDifferentMarks
	}
	return to, nil
}

// SetMark always fails: only volumes that are marked are used together. See [blob.Store].
func (v *Volume) SetMark(ctx context.Context, _ []byte) error {
	if _, err := v.Mark(ctx); err != nil {
		return err
	}
	return blob.ErrExists
}

// Check requires both. See [blob.Volume].
func (v *Volume) Check(ctx context.Context) error {
	return errors.Join(v.to.Check(ctx), v.from.Check(ctx))
}

// NewAside returns a place in each volume. See [blob.Volume].
func (v *Volume) NewAside(at time.Time) blob.Aside {
	return &aside{v: v, to: v.to.NewAside(at), from: v.from.NewAside(at)}
}

// PurgeAside removes what was moved aside in both. See [blob.Volume].
func (v *Volume) PurgeAside(ctx context.Context, before time.Time) (places int, err error) {
	for _, part := range v.Parts() {
		n, err := part.PurgeAside(ctx, before)
		places += n
		if err != nil {
			return places, err
		}
	}
	return places, nil
}

// aside moves blobs aside within the volumes that have them.
type aside struct {
	v        *Volume
	to, from blob.Aside
}

// Dir names both places.
func (a *aside) Dir() string { return a.to.Dir() + " and " + a.from.Dir() }

// Move moves a blob aside in each volume that has it. After a crash it may be aside in one and in its place in the other; repeating moves the rest. See [blob.Aside].
func (a *aside) Move(ctx context.Context, b blob.Info, sha256 string, now time.Time) error {
	for _, part := range []struct {
		volume blob.Volume
		aside  blob.Aside
	}{{a.v.from, a.from}, {a.v.to, a.to}} {
		has, err := holds(ctx, part.volume, b.Key)
		if err != nil {
			return err
		}
		if has {
			if err := part.aside.Move(ctx, b, sha256, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close closes both.
func (a *aside) Close() error { return errors.Join(a.to.Close(), a.from.Close()) }
