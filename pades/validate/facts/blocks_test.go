package facts

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"pgregory.net/rapid"
)

func TestBlocksHoldWhatTheFileHolds(t *testing.T) {
	t.Parallel()
	whole := make([]byte, 40*blockSize+77)
	for i := range whole {
		whole[i] = byte(i * 31 >> 3)
	}
	plain := bytes.NewReader(whole)
	rapid.Check(t, func(r *rapid.T) {
		c := &blockCache{r: plain, size: int64(len(whole))}
		for range 50 {
			at := rapid.Int64Range(0, c.size+10).Draw(r, "at")
			length := rapid.SampledFrom([]int{0, 1, 100, 2048, blockSize, blockSize + 1}).Draw(r, "length")
			got, want := make([]byte, length), make([]byte, length)
			n, err := c.ReadAt(got, at)
			m, wantErr := plain.ReadAt(want, at)
			if n != m || !bytes.Equal(got[:n], want[:m]) || length > 0 && (err == nil) != (wantErr == nil) || err != nil && err != io.EOF {
				r.Fatalf("%d bytes at %d: %d %v, want %d %v", length, at, n, err, m, wantErr)
			}
		}
	})
}

// failing fails while it is told to.
type failing struct {
	io.ReaderAt
	err error
}

func (f *failing) ReadAt(p []byte, at int64) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(p, at)
}

func TestBlockThatCouldNotBeReadIsNotKept(t *testing.T) {
	t.Parallel()
	disk := errors.New("disk")
	f := &failing{bytes.NewReader(bytes.Repeat([]byte("sewa"), blockSize)), disk}
	c := &blockCache{r: f, size: 4 * blockSize}
	b := make([]byte, 4)
	if _, err := c.ReadAt(b, 8); !errors.Is(err, disk) {
		t.Error(err)
	}
	f.err = nil
	if n, err := c.ReadAt(b, 8); n != 4 || err != nil || string(b) != "sewa" {
		t.Errorf("%q %v", b[:n], err)
	}
}
