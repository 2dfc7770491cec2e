package outage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"
)

func TestErrorsOfTheOperatingSystemAreMarkedByWhatTheyMean(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		part Part // empty: not an outage
	}{
		{syscall.ENOSPC, Disk}, {syscall.EDQUOT, Disk},
		{syscall.EIO, Blobs}, {syscall.ESTALE, Blobs}, {syscall.EROFS, Blobs}, {syscall.EACCES, Blobs}, {syscall.EMFILE, Blobs},
		{syscall.ENOENT, ""}, {fs.ErrNotExist, ""}, {errors.New("other"), ""},
	} {
		err := OfFile(Blobs, fmt.Errorf("open blob: %w", &os.PathError{Op: "open", Path: "x", Err: c.err}))
		var part Part
		if e := Of(err); e != nil {
			part = e.Part
		}
		if part != c.part || !errors.Is(err, c.err) {
			t.Errorf("%v is an outage of %q, want %q: %v", c.err, part, c.part, err)
		}
		if InDoubt(err) {
			t.Errorf("%v is in doubt", c.err)
		}
	}
	if OfFile(Blobs, nil) != nil {
		t.Error("a nil error became an error")
	}
	marked := &Error{Part: Database, InDoubt: true, Err: syscall.EIO}
	if err := OfFile(Blobs, fmt.Errorf("commit: %w", marked)); Of(err) != marked || !InDoubt(err) {
		t.Errorf("a mark was replaced: %v", err)
	}
}

func TestTimeThatIsUpIsToldFromAnOwnerThatGaveUp(t *testing.T) {
	t.Parallel()
	gone, leave := context.WithCancel(t.Context())
	leave()
	up, cancel := context.WithCancelCause(t.Context())
	cancel(context.DeadlineExceeded)
	late, done := context.WithTimeout(t.Context(), 0)
	defer done()
	if TimedOut(gone) || TimedOut(t.Context()) {
		t.Error("a context without a passed deadline has timed out")
	}
	if !TimedOut(up) || !TimedOut(late) {
		t.Error("a passed deadline was not reported")
	}
}
