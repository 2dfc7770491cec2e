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

// countingBlobs counts opened blobs and reads.
type countingBlobs struct {
	blob.Store
	opens, reads int
}

func (c *countingBlobs) Open(ctx context.Context, key blob.Key) (blob.Blob, error) {
	c.opens++
	b, err := c.Store.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	return &countingBlob{b, c}, nil
}

type countingBlob struct {
	blob.Blob
	of *countingBlobs
}

func (b *countingBlob) ReadAt(p []byte, at int64) (int, error) {
	b.of.reads++
	return b.Blob.ReadAt(p, at)
}

// uncounted is a stamp office in this process whose reads of the document do not count.
type uncounted struct {
	emeterai.Stamper
	blobs *countingBlobs
}

func (u uncounted) Stamp(ctx context.Context, r emeterai.Request) ([]byte, error) {
	reads := u.blobs.reads
	defer func() { u.blobs.reads = reads }()
	return u.Stamper.Stamp(ctx, r)
}

// countingReads counts the queries of a run, without its commits.
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

// TestStampBehindAnotherReadsLittleMoreThanTheStampBeforeAndAsksTheStoreNothing compares runs with few and with many
// stamps.
func TestStampBehindAnotherReadsLittleMoreThanTheStampBeforeAndAsksTheStoreNothing(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	blobs, reads := &countingBlobs{Store: h.Blobs}, &countingReads{Store: h.Store}
	h.Blobs, h.Office = blobs, uncounted{h.Office, blobs}
	cost := func(stamps int) (opens, read, asked int) {
		id := h.draft(false, stamps)
		defer h.useStore(reads)()
		opens, read, asked = blobs.opens, blobs.reads, reads.n
		if err := h.Stamp(context.Background(), id); err != nil {
			t.Fatal(err)
		}
		if d := h.read(id); d.NextStamp() >= 0 {
			t.Fatalf("%+v", d.Stamps)
		}
		return blobs.opens - opens, blobs.reads - read, reads.n - asked
	}
	const few, more = 2, 4
	_, _, first := cost(few)
	opens1, reads1, asked1 := cost(few)
	opens2, reads2, asked2 := cost(few + more)
	if got := opens2 - opens1; got > more {
		t.Errorf("%d more blobs opened for %d more stamps, want one each", got, more)
	}
	if got := reads2 - reads1; got > 8*more {
		t.Errorf("%d reads for %d more stamps, %d for %d", got, more, reads1, few)
	}
	if asked1 == 0 || asked2 != asked1 {
		t.Errorf("%d queries for %d stamps, %d for %d", asked1, few, asked2, few+more)
	}
	if first != asked1+1 { // the organisation that pays, which is the same
		t.Errorf("%d queries for the first document, %d for the next one", first, asked1)
	}
}
