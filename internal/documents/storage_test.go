package documents_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"testing"

	"segel/internal/blob"
	"segel/internal/blob/blobtest"
	"segel/internal/contract"
	"segel/internal/documents"
	"segel/pades"
)

// newTailTest returns documents on a store in memory, and the base of a document.
func newTailTest(t *testing.T) (*documents.Documents, *blobtest.Memory, contract.Revision) {
	t.Helper()
	blobs := new(blobtest.Memory)
	return &documents.Documents{Blobs: blobs, Random: rand.Reader}, blobs, documents.BaseRevision(contract.File{}, digest("base"))
}

func digest(parts ...string) blob.Digest {
	d := blob.NewDigester()
	for _, p := range parts {
		d.Write([]byte(p))
	}
	return d.Digest()
}

func TestATailIsStoredWithTheStateThatWasComputedWithIt(t *testing.T) {
	t.Parallel()
	s, _, base := newTailTest(t)
	built, err := pades.Source{Size: base.End, Midstate: base.Midstate}.Append([]byte("tail"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.StoreTail(t.Context(), "org", base, contract.RevisionFields, built)
	if err != nil {
		t.Fatal(err)
	}
	whole, own := digest("base", "tail"), digest("tail")
	if r.Begin != 4 || r.End != whole.End || r.Digest != whole.DocumentSum || !bytes.Equal(r.Midstate, whole.Midstate) {
		t.Errorf("the revision is %+v, want the state of %+v", r, whole)
	}
	if r.Tail.Size != own.Size || r.Tail.Digest != own.BlobSum || !bytes.Equal(r.Tail.Sums, own.ChunkSums) {
		t.Errorf("the tail is %+v, want %+v", r.Tail, own)
	}
}

func TestATailThatDoesNotFollowTheRevisionIsNotStored(t *testing.T) {
	t.Parallel()
	s, blobs, base := newTailTest(t)
	build := func(content string) *pades.Result {
		d := digest(content)
		built, err := pades.Source{Size: d.End, Midstate: d.Midstate}.Append([]byte("tail"))
		if err != nil {
			t.Fatal(err)
		}
		return built
	}
	if _, err := s.StoreTail(t.Context(), "org", base, contract.RevisionFields, build("longer")); err == nil {
		t.Error("stored the tail of a longer file")
	}
	broken := base
	broken.Midstate = digest("else").Midstate
	if _, err := s.StoreTail(t.Context(), "org", broken, contract.RevisionFields, build("base")); !errors.Is(err, blob.ErrMidstate) {
		t.Errorf("a midstate of other bytes: %v", err)
	}
	for info, err := range blobs.List(t.Context()) {
		t.Errorf("stored %+v, %v", info, err)
	}
}
