package documents

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
)

// counted counts reads and fails those that include the offset bad.
type counted struct {
	*bytes.Reader
	n   int
	bad int64
}

var errBad = errors.New("bad sector")

func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	c.n++
	if c.bad >= at && c.bad < at+int64(len(p)) {
		return 0, errBad
	}
	return c.Reader.ReadAt(p, at)
}

func TestPiecesReadWhatTheFileHas(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	file := make([]byte, 3*maxBlocks*blockLen+77)
	for i := range file {
		file[i] = byte(random.Uint32())
	}
	under := &counted{Reader: bytes.NewReader(file[:len(file)/2]), bad: -1}
	c := &cachedReader{r: under}
	for i := range 20_000 {
		if i == 10_000 {
			under.Reset(file) // the file has grown
		}
		at, p, q := random.Int64N(int64(len(file))+100), make([]byte, random.IntN(maxCachedRead+blockLen)), make([]byte, maxCachedRead+blockLen)
		if i%2 == 0 {
			at = random.Int64N(3 * blockLen) // cached blocks
		}
		n, err := c.ReadAt(p, at)
		m, want := under.Reader.ReadAt(q[:len(p)], at)
		if n != m || !bytes.Equal(p[:n], q[:m]) || len(p) > 0 && n < len(p) && (err != io.EOF || want != io.EOF) || n == len(p) && err != nil && err != io.EOF {
			t.Fatalf("%d bytes at %d of %d: %d, %v, not %d, %v", len(p), at, under.Size(), n, err, m, want)
		}
	}
}

func TestPiecesReadAPieceOnceAndPassOnWhatFails(t *testing.T) {
	t.Parallel()
	under := &counted{Reader: bytes.NewReader(make([]byte, 4*blockLen)), bad: 2*blockLen + 5}
	c := &cachedReader{r: under}
	for range 10 {
		if _, err := c.ReadAt(make([]byte, 200), blockLen-100); err != nil {
			t.Fatal(err)
		}
	}
	if under.n != 2 {
		t.Errorf("%d reads for two blocks", under.n)
	}
	if _, err := c.ReadAt(make([]byte, 10), 2*blockLen); err != errBad {
		t.Errorf("read of a bad sector: %v", err)
	}
	if n, err := c.ReadAt(make([]byte, 10), 2*blockLen+6); n != 10 || err != nil {
		t.Errorf("after the bad sector: %d bytes, %v", n, err)
	}
	under.bad = -1
	if n, err := c.ReadAt(make([]byte, 10), 2*blockLen); n != 10 || err != nil {
		t.Errorf("after the repair: %d bytes, %v", n, err)
	}
}

func TestPiecesAreNotReadAfterTheyWereReleased(t *testing.T) {
	t.Parallel()
	var working sync.WaitGroup
	for i := range 4 {
		working.Go(func() {
			file := bytes.Repeat([]byte{byte(i + 1)}, 10*blockLen+5)
			under := &counted{Reader: bytes.NewReader(file), bad: -1}
			c := &cachedReader{r: under}
			for range 200 {
				p := make([]byte, 100)
				for at := int64(blockLen); at < 10*blockLen; at += blockLen {
					if _, err := c.ReadAt(p, at-50); err != nil || !bytes.Equal(p, file[:100]) {
						t.Errorf("at %d: %v, %v", at, p, err)
					}
				}
				c.releaseBlocks()
				before := under.n
				if _, err := c.ReadAt(p, 0); err != nil || under.n != before+1 || p[0] != byte(i+1) {
					t.Errorf("a released block is read again: %v, %v", p[0], err)
				}
				c.releaseBlocks()
				c.releaseBlocks() // nothing is returned twice
			}
		})
	}
	working.Wait()
}
