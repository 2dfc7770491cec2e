package workflow_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"testing"
	"time"

	"segel/internal/blob"
	"segel/internal/blob/blobtest"
	"segel/internal/contract"
	"segel/internal/workflow"
)

// collecting is a service whose left-over blobs are collected, and what was asked and moved.
type collecting struct {
	*harness
	blobs  *blobtest.Memory
	opened int // times that the log was opened
	closed int
	moved  []blob.Key
	lookUp func(key string) (live, named bool) // what the log says; nil: nothing
}

func newCollecting(t *testing.T) *collecting {
	h := newHarness(t)
	c := &collecting{harness: h, blobs: &blobtest.Memory{Now: h.now}}
	h.Blobs = c.blobs
	return c
}

// LoggedFile implements [workflow.LoggedFiles].
func (c *collecting) LoggedFile(_ context.Context, key, _ string) (live, named bool, err error) {
	if c.lookUp != nil {
		live, named = c.lookUp(key)
	}
	return live, named, nil
}

func (c *collecting) collect() (workflow.Collected, error) {
	return c.CollectLeftOver(context.Background(), workflow.Collector{
		OpenLog: func(context.Context) (workflow.LoggedFiles, func() error, error) {
			c.opened++
			return c, func() error { c.closed++; return nil }, nil
		},
		SetAside: func(ctx context.Context, b blob.Info, digest string) error {
			content := readStored(c.t.(*testing.T), c.blobs, b.Key)
			if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != digest {
				c.t.Errorf("blob %s is described by another digest", b.Key)
			}
			c.moved = append(c.moved, b.Key)
			return c.blobs.Remove(ctx, b.Key)
		},
	})
}

// requireMoved runs the collection and requires what it moves.
func (c *collecting) requireMoved(when string, want ...blob.Key) {
	c.t.Helper()
	c.moved = nil
	done, err := c.collect()
	if err != nil || done.Moved != len(want) || !slices.Equal(c.moved, want) || c.opened != c.closed {
		c.t.Errorf("%s: %v moved, %+v, log opened %d times and closed %d times, %v; want %v", when, c.moved, done, c.opened, c.closed, err, want)
	}
}

func TestTheCollectionTakesWhatCrashesLeftAndNothingThatASlowWriterMayCommit(t *testing.T) {
	t.Parallel()
	c, ctx := newCollecting(t), context.Background()
	c.draft(true, 0)
	u, err := c.BeginUpload(ctx, c.owner, "kontrak.pdf", 100, [32]byte{})
	if err != nil {
		t.Fatal(err)
	}
	part := append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("x"), 91)...)
	blobtest.CommitBlob(t, c.blobs, blobtest.Key(1), []byte("left by a crash"))
	digest := blobtest.CommitBlob(t, c.blobs, blobtest.Key(2), part) // its writer is slow to commit the row
	c.requireMoved("at once")
	c.later(47 * time.Hour)
	c.requireMoved("after 47 hours")
	if c.opened != 0 {
		t.Error("the log was read for nothing")
	}
	after := u
	after.Received, after.Digest, after.Midstate = digest.End, digest.DocumentSum, digest.Midstate
	if err := c.store.AppendPart(ctx, 0, after, contract.File{Key: string(blobtest.Key(2)), Size: digest.Size, Digest: digest.BlobSum, Sums: digest.ChunkSums}); err != nil {
		t.Fatal(err)
	}
	c.later(2 * time.Hour)
	c.requireMoved("after 49 hours", blobtest.Key(1))
	c.requireMoved("again")
}

func TestTheCollectionMovesNothingThatIsUsedOrLoggedByThen(t *testing.T) {
	t.Parallel()
	c := newCollecting(t)
	blobtest.CommitBlob(t, c.blobs, blobtest.Key(1), []byte("a file"))
	c.later(72 * time.Hour)
	for what, said := range map[string][2]bool{"it belongs to a document": {true, true}, "it is named": {false, true}} {
		c.lookUp = func(string) (live, named bool) { return said[0], said[1] }
		if done, err := c.collect(); !errors.Is(err, workflow.ErrLogNamesFiles) || done.Moved != 0 || c.opened != c.closed {
			t.Errorf("the log says that %s: %+v, %v", what, done, err)
		}
	}
	c.lookUp = func(key string) (live, named bool) { // a row is committed between the first look and the move
		d := sha256.Sum256([]byte("a file"))
		u, err := c.BeginUpload(context.Background(), c.owner, "kontrak.pdf", 6, [32]byte{})
		if err != nil {
			t.Error(err)
		}
		g := blob.NewDigester()
		g.Write([]byte("a file"))
		after := u
		after.Received, after.Digest, after.Midstate = 6, d, g.Digest().Midstate
		if err := c.store.AppendPart(context.Background(), 0, after, contract.File{Key: key, Size: 6, Digest: d, Sums: d[:]}); err != nil {
			t.Error(err)
		}
		return false, false
	}
	c.requireMoved("used meanwhile")
}
