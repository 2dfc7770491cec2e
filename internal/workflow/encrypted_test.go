package workflow_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/blob"
	"segel/internal/blob/blobtest"
	"segel/internal/blob/encrypted"
	"segel/internal/contract"
	"segel/internal/workflow"
)

// countingVolume is a volume in memory that counts the bytes that are read.
type countingVolume struct {
	*blobtest.Memory
	read atomic.Int64
}

func (v *countingVolume) Check(context.Context) error                        { return nil }
func (v *countingVolume) NewAside(time.Time) blob.Aside                      { return nil }
func (v *countingVolume) PurgeAside(context.Context, time.Time) (int, error) { return 0, nil }

func (v *countingVolume) Open(ctx context.Context, key blob.Key) (blob.Blob, error) {
	b, err := v.Memory.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	return volumeBlob{b, v}, nil
}

type volumeBlob struct {
	blob.Blob
	volume *countingVolume
}

func (b volumeBlob) ReadAt(p []byte, off int64) (int, error) {
	n, err := b.Blob.ReadAt(p, off)
	b.volume.read.Add(int64(n))
	return n, err
}

func TestASignatureReadsAsMuchOfALargeEncryptedFileAsOfASmallOne(t *testing.T) {
	t.Parallel()
	h, ctx := newHarness(t), context.Background()
	h.Limits.FileSize = 200 << 20
	v := &countingVolume{Memory: &blobtest.Memory{}}
	e := encrypted.New(v, encrypted.NewKeyring(h.store.Store, h.Sealer, rand.Reader, h.now), true)
	h.Blobs, h.BlobsOf = e, func(o contract.OrganisationID) blob.Store { return e.Of(string(o)) }
	read := map[int]int64{}
	for _, size := range []int{1 << 20, 100_000_000} {
		st, err := h.Stage(ctx, h.owner.Organisation)
		if err != nil {
			t.Fatal(err)
		}
		defer st.Abort()
		if _, err := st.Write(largeFile(size)); err != nil {
			t.Fatal(err)
		}
		d, err := h.Upload(ctx, h.owner, workflow.UploadRequest{Title: "Uji", Filename: "uji.pdf", File: st, People: []workflow.PersonRequest{{ID: h.signer.ID, Role: contract.Signer, Number: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Finalize(ctx, h.owner, d.ID, contract.FinalizeOptions{}); err != nil {
			t.Fatal(err)
		}
		v.read.Store(0)
		if _, err := h.Sign(ctx, h.signer, d.ID, workflow.SignRequest{}); err != nil {
			t.Fatal(err)
		}
		read[size] = v.read.Load()
		for b, err := range v.List(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			if content := readStored(t, v, b.Key); !bytes.HasPrefix(content, []byte("age-encryption.org/v1\n")) || bytes.Contains(content, []byte("endobj")) {
				t.Errorf("blob %s is not encrypted", b.Key)
			}
		}
	}
	t.Logf("a signature reads %d bytes of a document of 1 MB, and %d of one of 100 MB", read[1<<20], read[100_000_000])
	if read[100_000_000] > read[1<<20]+128<<10 {
		t.Error("a signature on a large file reads more")
	}
}

// largeFile returns a PDF with one page and a stream of that many bytes, which no page uses.
func largeFile(size int) []byte {
	var b bytes.Buffer
	var at []int
	b.WriteString("%PDF-1.7\n")
	for i, body := range []string{"<< /Type /Catalog /Pages 2 0 R /Spare 4 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>", fmt.Sprintf("<< /Length %d >>\nstream", size)} {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\n", i+1, body)
		if i == 3 {
			b.Write(make([]byte, size))
			b.WriteString("\nendstream\n")
		}
		b.WriteString("endobj\n")
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.Bytes()
}

// readStored reads the first bytes of a blob as it is stored.
func readStored(t *testing.T, s blob.Store, key blob.Key) []byte {
	t.Helper()
	b, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p := make([]byte, min(b.Size(), 64<<10))
	if n, _ := b.ReadAt(p, 0); n < len(p) {
		t.Fatalf("%d of %d bytes", n, len(p))
	}
	return p
}
