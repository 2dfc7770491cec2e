package blob_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"segel/internal/blob"
	"segel/internal/blob/blobtest"
)

// digestOf feeds d in pieces of growing size.
func digestOf(d *blob.Digester, content []byte) blob.Digest {
	for size := 1; len(content) > 0; size = size*2 + 1 {
		n := min(size, len(content))
		d.Write(content[:n])
		content = content[n:]
	}
	return d.Digest()
}

func TestADigestIsThatOfOnePass(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, blob.ChunkSize - 1, blob.ChunkSize, blob.ChunkSize + 1, 3 * blob.ChunkSize, 3*blob.ChunkSize + 7} {
		content := blobtest.Content(1, n)
		var sums []byte
		for p := content; len(p) > 0; {
			m := min(len(p), blob.ChunkSize)
			sum := sha256.Sum256(p[:m])
			sums, p = append(sums, sum[:]...), p[m:]
		}
		got := digestOf(blob.NewDigester(), content)
		if got.Size != int64(n) || got.End != int64(n) {
			t.Errorf("%d bytes: size %d, end %d", n, got.Size, got.End)
		}
		if want := sha256.Sum256(content); got.BlobSum != want || got.DocumentSum != want {
			t.Errorf("%d bytes: wrong sum", n)
		}
		if !bytes.Equal(got.ChunkSums, sums) {
			t.Errorf("%d bytes: %d bytes of sums, want %d", n, len(got.ChunkSums), len(sums))
		}
	}
}

func TestATailIsDigestedWithoutWhatIsBefore(t *testing.T) {
	t.Parallel()
	content := blobtest.Content(1, 2*blob.ChunkSize+100)
	for _, begin := range []int{0, 1, 63, 64, 65, blob.ChunkSize, len(content) - 1, len(content)} {
		base := digestOf(blob.NewDigester(), content[:begin])
		d, err := blob.ResumeDigester(base.Midstate, base.End, base.DocumentSum)
		if err != nil {
			t.Fatal(err)
		}
		tail, alone := digestOf(d, content[begin:]), digestOf(blob.NewDigester(), content[begin:])
		whole := digestOf(blob.NewDigester(), content)
		if tail.DocumentSum != whole.DocumentSum || tail.End != whole.End || !bytes.Equal(tail.Midstate, whole.Midstate) {
			t.Errorf("from %d: not the document's", begin)
		}
		if tail.BlobSum != alone.BlobSum || tail.Size != alone.Size || !bytes.Equal(tail.ChunkSums, alone.ChunkSums) {
			t.Errorf("from %d: not the tail's own", begin)
		}
	}
}

func TestADigestCanBeTakenOnTheWay(t *testing.T) {
	t.Parallel()
	d := blob.NewDigester()
	d.Write([]byte("ab"))
	early := d.Digest()
	d.Write([]byte("c"))
	if want := sha256.Sum256([]byte("ab")); early.BlobSum != want || d.Size() != 3 {
		t.Errorf("%+v, size %d", early, d.Size())
	}
	if want := sha256.Sum256([]byte("abc")); d.Digest().BlobSum != want {
		t.Error("the early digest disturbed the later one")
	}
}

func TestAWrongMidstateIsRefused(t *testing.T) {
	t.Parallel()
	whole := digestOf(blob.NewDigester(), []byte("abc"))
	good := whole.Midstate
	if _, err := blob.ResumeHash(good, 3, whole.DocumentSum); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		midstate []byte
		begin    int64
	}{
		"none":             {nil, 0},
		"short":            {good[:len(good)-1], 3},
		"long":             {append(bytes.Clone(good), 0), 3},
		"another form":     {append([]byte("sha\x02"), good[4:]...), 3},
		"of other length":  {good, 4},
		"of negative size": {good, -1},
	} {
		if _, err := blob.ResumeDigester(c.midstate, c.begin, whole.DocumentSum); !errors.Is(err, blob.ErrMidstate) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := blob.ResumeDigester(good, 3, sha256.Sum256([]byte("abd"))); !errors.Is(err, blob.ErrMidstate) {
		t.Errorf("of other bytes: %v", err)
	}
}

// The unfinished block has bytes after its filled part, which the next bytes overwrite: a flipped bit there does not
// matter.
func TestNoChangedBitOfAMidstateLeadsToAnotherDigest(t *testing.T) {
	t.Parallel()
	before := blobtest.Content(3, 3*64+17)
	base := digestOf(blob.NewDigester(), before)
	want := sha256.Sum256(append(bytes.Clone(before), "tail"...))
	accepted := 0
	for bit := range 8 * blob.MidstateLen {
		midstate := bytes.Clone(base.Midstate)
		midstate[bit/8] ^= 1 << (bit % 8)
		h, err := blob.ResumeHash(midstate, base.End, base.DocumentSum)
		if err != nil {
			if !errors.Is(err, blob.ErrMidstate) {
				t.Errorf("bit %d: %v", bit, err)
			}
			continue
		}
		accepted++
		h.Write([]byte("tail"))
		if !bytes.Equal(h.Sum(nil), want[:]) {
			t.Errorf("bit %d leads to another digest", bit)
		}
	}
	if spare := 8 * (64 - 17); accepted > spare {
		t.Errorf("%d bits may change, of %d that do not matter", accepted, spare)
	}
}

// The sample was written once. Every later release must read what an earlier one stored.
func TestAMidstateOfAnEarlierBuildIsRead(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "formats", "midstate.hex"))
	if err != nil {
		t.Fatal(err)
	}
	midstate, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	before := strings.Repeat("segel", 20)
	h, err := blob.ResumeHash(midstate, int64(len(before)), sha256.Sum256([]byte(before)))
	if err != nil {
		t.Fatal(err)
	}
	h.Write([]byte("tail"))
	if want := sha256.Sum256([]byte(before + "tail")); !bytes.Equal(h.Sum(nil), want[:]) {
		t.Error("the sample leads to another hash")
	}
	if got := digestOf(blob.NewDigester(), []byte(before)).Midstate; !bytes.Equal(got, midstate) {
		t.Errorf("written today as %x", got)
	}
}
