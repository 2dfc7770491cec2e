package sniff

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"segel/internal/convert"
	"segel/internal/convert/converttest"
)

// failing is a file of which a byte cannot be read, or at which a context is cancelled.
type failing struct {
	io.ReaderAt
	at     int64
	err    error
	cancel context.CancelFunc
}

func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	if f.at < off || off+int64(len(p)) <= f.at {
		return f.ReaderAt.ReadAt(p, off)
	}
	if f.cancel != nil {
		f.cancel()
		return f.ReaderAt.ReadAt(p, off)
	}
	return 0, f.err
}

func TestWhatCannotBeReadIsNotTheDocumentsFault(t *testing.T) {
	t.Parallel()
	lost := errors.New("the disk is gone")
	for kind, file := range map[convert.Kind][]byte{convert.DOCX: converttest.Sample(), convert.DOC: readContract(t)} {
		for at := int64(0); at < int64(len(file)); at += int64(len(file))/64 + 1 {
			_, err := CheckDocument(t.Context(), &failing{ReaderAt: bytes.NewReader(file), at: at, err: lost}, int64(len(file)), Limits{})
			// Some streams of the binary format are not read.
			if !errors.Is(err, lost) && (kind == convert.DOCX || err != nil) {
				t.Errorf("%s without byte %d of %d: %v", kind, at, len(file), err)
			}
		}
	}
}

func TestLookingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	file := converttest.Sample()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := CheckDocument(ctx, &failing{ReaderAt: bytes.NewReader(file), at: 100, cancel: cancel}, int64(len(file)), Limits{})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
