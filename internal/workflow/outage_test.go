package workflow_test

import (
	"bytes"
	"context"
	"errors"
	"syscall"
	"testing"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/outage"
	"segel/pdf/pdftest"
)

var (
	errNoDatabase = &outage.Error{Part: outage.Database, Err: errors.New("connection refused")}
	errInDoubt    = &outage.Error{Part: outage.Database, InDoubt: true, Err: errors.New("connection lost")}
	errNoDisk     = &outage.Error{Part: outage.Disk, Err: syscall.ENOSPC}
)

func TestBytesOfACommitStayOnlyIfItMayHaveHappened(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.draft(true, 0)
	for _, c := range []struct {
		err  error
		left int
	}{{errNoDatabase, 0}, {errNoDisk, 0}, {errInDoubt, 1}, {errCrash, 1}} {
		before := h.blobs()
		h.store.refuse = c.err
		if _, err := h.uploaded(pdftest.Table(2)); !errors.Is(err, c.err) {
			t.Errorf("upload: %v", err)
		}
		if n := h.blobs() - before; n != c.left {
			t.Errorf("upload, %v: %d blobs are left, want %d", c.err, n, c.left)
		}
		h.store.refuse = nil
	}
	h.whole("after the outages")
	h.work(id)
}

func TestOutageIsNoReasonThatADocumentWaits(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	healthy := h.Blobs
	broken := false
	id := h.draft(true, 0)
	h.signs(id)
	version := h.read(id).Version
	h.Blobs = unmounted{healthy, &broken}
	broken = true
	before := h.events(id)
	if err := h.Complete(context.Background(), id); outage.Of(err) == nil {
		t.Errorf("seal: %v", err)
	}
	if d := h.read(id); d.Version != version || d.Reason != "" || h.events(id) != before {
		t.Errorf("the document became %q, version %d of %d", d.Reason, d.Version, version)
	}
	broken = false
	h.store.refuse = errNoDatabase
	left := h.blobs()
	if err := h.Complete(context.Background(), id); !errors.Is(err, errNoDatabase) {
		t.Errorf("seal: %v", err)
	}
	if n := h.blobs(); n != left {
		t.Errorf("%d blobs were %d", n, left)
	}
	h.store.refuse = nil
	if err := h.Complete(context.Background(), id); err != nil || h.read(id).State != contract.Completed {
		t.Errorf("after the outage: %v", err)
	}
}

// unmounted is a blob store that can be unavailable.
type unmounted struct {
	blob.Store
	away *bool
}

func (u unmounted) Open(ctx context.Context, key blob.Key) (blob.Blob, error) {
	if *u.away {
		return nil, &outage.Error{Part: outage.Blobs, Err: syscall.EIO}
	}
	return u.Store.Open(ctx, key)
}

func TestFileThatArrivesIsCutOffAtTheReserve(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	free := int64(3 << 20)
	h.RequireDiskSpace = func(n int64) error {
		if n > free {
			return errNoDisk
		}
		free -= n
		return nil
	}
	before := h.blobs()
	st, err := h.Stage(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	content := append(pdftest.Table(2), bytes.Repeat([]byte(" "), 8<<20)...)
	written := 0
	for err == nil {
		var n int
		n, err = st.Write(content[written : written+64<<10])
		written += n
	}
	if !errors.Is(err, errNoDisk) || written > 3<<20 || written < 2<<20 {
		t.Errorf("%d bytes were taken: %v", written, err)
	}
	st.Abort()
	if n := h.blobs(); n != before {
		t.Errorf("%d blobs were %d", n, before)
	}
	if _, err := h.Stage(context.Background(), ""); !errors.Is(err, errNoDisk) {
		t.Errorf("the next upload: %v", err)
	}
	if _, err := h.NewVerificationFile(); !errors.Is(err, errNoDisk) {
		t.Errorf("a verification: %v", err)
	}
}
