package workflow_test

import (
	"context"
	"testing"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/emeterai"
	"segel/internal/store"
	"segel/internal/workflow"
)

// countingBlobs counts what is opened, and how often a document's base is read from its very beginning, as it is
// whenever the document is opened as a PDF.
type countingBlobs struct {
	blob.Store
	base          blob.Key
	opens, begins int64
}

func (c *countingBlobs) Open(ctx context.Context, key blob.Key) (blob.Blob, error) {
	c.opens++
	b, err := c.Store.Open(ctx, key)
	if err != nil || key != c.base {
		return b, err
	}
	return &countingBlob{b, c}, nil
}

type countingBlob struct {
	blob.Blob
	of *countingBlobs
}

func (b *countingBlob) ReadAt(p []byte, at int64) (int, error) {
	if at == 0 {
		b.of.begins++
	}
	return b.Blob.ReadAt(p, at)
}

// uncounted is an office in process whose own look at the document does not count.
type uncounted struct {
	emeterai.Stamper
	blobs *countingBlobs
}

func (u uncounted) Stamp(ctx context.Context, r emeterai.Request) ([]byte, error) {
	begins := u.blobs.begins
	defer func() { u.blobs.begins = begins }()
	return u.Stamper.Stamp(ctx, r)
}

// countingReads counts what a run asks the store beside its commits.
type countingReads struct {
	workflow.Store
	n int
}

func (c *countingReads) Document(ctx context.Context, id contract.DocumentID) (contract.Document, error) {
	c.n++
	return c.Store.Document(ctx, id)
}

func (c *countingReads) Organisation(ctx context.Context, id contract.OrganisationID) (store.Organisation, error) {
	c.n++
	return c.Store.Organisation(ctx, id)
}

func (c *countingReads) Serial(ctx context.Context, serial string) (contract.StampSerial, error) {
	c.n++
	return c.Store.Serial(ctx, serial)
}

func (c *countingReads) FreeSerial(ctx context.Context, o contract.OrganisationID, d contract.DocumentID) (contract.StampSerial, error) {
	c.n++
	return c.Store.FreeSerial(ctx, o, d)
}

// TestStampBehindAnotherOpensTheDocumentOnceAndAsksTheStoreNothing compares runs with few and with many stamps.
func TestStampBehindAnotherOpensTheDocumentOnceAndAsksTheStoreNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	blobs, reads := &countingBlobs{Store: h.Blobs}, &countingReads{Store: h.Store}
	h.Blobs, h.Office = blobs, uncounted{h.Office, blobs}
	cost := func(stamps int) (opens, begins int64, asked int) {
		id := h.draft(false, stamps)
		blobs.base = blob.Key(h.read(id).Revisions[0].Tail.Key)
		h.Store = reads
		defer func() { h.Store = reads.Store }()
		opens, begins, asked = blobs.opens, blobs.begins, reads.n
		if err := h.Stamp(context.Background(), id); err != nil {
			t.Fatal(err)
		}
		if d := h.read(id); d.NextStamp() >= 0 {
			t.Fatalf("%+v", d.Stamps)
		}
		return blobs.opens - opens, blobs.begins - begins, reads.n - asked
	}
	const few, more = 2, 4
	opens1, begins1, asked1 := cost(few)
	opens2, begins2, asked2 := cost(few + more)
	if got := opens2 - opens1; got > more {
		t.Errorf("%d blobs opened for %d stamps more: one each is what they bring", got, more)
	}
	// Once to open it; and the judge begins with the first state's end, which in so small a base is its beginning too.
	if got := begins2 - begins1; begins1 == 0 || got != 2*more {
		t.Errorf("opened %d times for %d stamps more, %d times for %d", got, more, begins1, few)
	}
	if asked1 == 0 || asked2 != asked1 {
		t.Errorf("%d questions to the store for %d stamps, %d for %d", asked1, few, asked2, few+more)
	}
}
