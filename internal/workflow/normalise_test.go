package workflow_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/workflow"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// uploaded makes a draft of a file with one signer.
func (h *harness) uploaded(file []byte) (contract.Document, error) {
	h.t.Helper()
	ctx := context.Background()
	st, err := h.Stage(ctx, "")
	if err != nil {
		h.t.Fatal(err)
	}
	defer st.Abort()
	if _, err := st.Write(file); err != nil {
		return contract.Document{}, err
	}
	return h.Upload(ctx, h.owner, workflow.UploadRequest{
		Title: "Uji", Filename: "uji.pdf", File: st, People: []workflow.PersonRequest{{ID: h.signer.ID, Role: contract.Signer, Number: 1}},
	})
}

// blobs counts the stored blobs.
func (h *harness) blobs() (n int) {
	h.t.Helper()
	for _, err := range h.Blobs.List(context.Background()) {
		if err != nil {
			h.t.Fatal(err)
		}
		n++
	}
	return n
}

func (h *harness) bytesOf(c *workflow.Content, err error) []byte {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
	defer c.Close()
	b, err := io.ReadAll(c)
	if err != nil {
		h.t.Fatal(err)
	}
	return b
}

// cut returns a file without its end, including startxref: readers find its objects by searching.
func cut() []byte {
	b := pdftest.Table(2)
	return b[:bytes.LastIndex(b, []byte("startxref"))]
}

func TestDamagedUploadIsRewrittenOnceAndTheOriginalServedAsItCame(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	for name, file := range map[string][]byte{
		"junk before the header": append([]byte("X-Header: 1\r\n\r\n"), pdftest.Table(2)...),
		"end cut off":            cut(),
	} {
		d, err := h.uploaded(file)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !d.Normalised() || d.Original.Digest != sha256.Sum256(file) {
			t.Errorf("%s: normalised %v, original %x", name, d.Normalised(), d.Original.Digest)
		}
		events, err := h.store.Events(ctx, d.ID)
		if err != nil || len(events) != 2 || events[1].Type != contract.EventNormalised {
			t.Fatalf("%s: %v %v", name, events, err)
		}
		details := events[1].Details
		if details["original"] != fmt.Sprintf("%x", sha256.Sum256(file)) || details["digest"] != fmt.Sprintf("%x", d.Revisions[0].Digest) || details["reason"] != "damaged" {
			t.Errorf("%s: the log says %v", name, details)
		}
		if _, err := h.Finalize(ctx, h.owner, d.ID, contract.FinalizeOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Sign(ctx, h.signer, d.ID, workflow.SignRequest{}); err != nil {
			t.Fatal(err)
		}
		h.work(d.ID)
		if b := h.bytesOf(h.Original(ctx, h.owner, d.ID)); !bytes.Equal(b, file) {
			t.Errorf("%s: the original is not what was uploaded", name)
		}
		out := h.bytesOf(h.Download(ctx, h.owner, d.ID))
		doc, err := pdf.Open(bytes.NewReader(out), int64(len(out)), pdf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := doc.PageCount(); err != nil || n != 2 || doc.Check() != nil || doc.Properties().HeaderOffset != 0 {
			t.Errorf("%s: %d pages, %v, %v", name, n, err, doc.Check())
		}
	}
}

func TestFilesThatCannotBeRepairedAreRefusedAndLeaveNothing(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	good := pdftest.Table(2)
	signed := h.bytesOf(h.Download(context.Background(), h.owner, h.completed(good)))
	for name, c := range map[string]struct {
		file []byte
		code string
	}{
		"first half":           {good[:len(good)/2], "file.damaged"},
		"a signed file's half": {signed[:len(signed)-100], "file.damaged_signed"},
		"junk before a signed": {append([]byte("junk\n"), signed...), "file.damaged_signed"},
	} {
		before := h.blobs()
		if _, err := h.uploaded(c.file); codeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
		if n := h.blobs(); n != before {
			t.Errorf("%s: %d more blobs", name, n-before)
		}
	}
}

// completed uploads, signs and completes a file.
func (h *harness) completed(file []byte) contract.DocumentID {
	h.t.Helper()
	ctx := context.Background()
	d, err := h.uploaded(file)
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.Finalize(ctx, h.owner, d.ID, contract.FinalizeOptions{}); err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.Sign(ctx, h.signer, d.ID, workflow.SignRequest{}); err != nil {
		h.t.Fatal(err)
	}
	h.work(d.ID)
	return d.ID
}

func TestOldFileIsRewrittenForTheStampOfficeAtFinalizeOnly(t *testing.T) {
	t.Parallel()
	skipInShort(t)
	ctx := context.Background()
	h := newHarness(t)
	old := bytes.Replace(pdftest.Table(1), []byte("%PDF-1.7"), []byte("%PDF-1.4"), 1)
	signed := h.bytesOf(h.Download(ctx, h.owner, h.completed(old)))
	if !bytes.HasPrefix(signed, old) {
		t.Error("an old file without stamps was rewritten")
	}
	for name, c := range map[string]struct {
		file   []byte
		stamps int
		want   bool
	}{
		"old, stamped":            {old, 1, true},
		"old, not stamped":        {old, 0, false},
		"new, stamped":            {pdftest.Table(1), 1, false},
		"old, stamped, signed":    {signed, 1, false},
		"PDF/A, stamped":          {bytes.Replace(pdftest.PDFA(2), []byte("%PDF-1.7"), []byte("%PDF-1.4"), 1), 1, false},
		"damaged, stamped: early": {append([]byte("junk\n"), old...), 1, true},
	} {
		d, err := h.uploaded(c.file)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		early := d.Normalised()
		var places []contract.PlaceRequest
		for range c.stamps {
			places = append(places, contract.PlaceRequest{Kind: contract.PlaceStamp, Page: 1, Person: h.owner.ID, Emet: &contract.Box{LLX: 50, LLY: 50, URX: 110, URY: 110}})
		}
		if _, err := h.Place(ctx, h.owner, d.ID, 0, places); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		finalized, err := h.Finalize(ctx, h.owner, d.ID, contract.FinalizeOptions{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		d = finalized.Document
		if d.Normalised() != c.want || early && !bytes.HasPrefix(c.file, []byte("junk")) {
			t.Errorf("%s: normalised %v", name, d.Normalised())
		}
		if _, err := h.Sign(ctx, h.signer, d.ID, workflow.SignRequest{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		h.work(d.ID)
		if d := h.read(d.ID); d.State != contract.Completed || len(d.Serials()) != c.stamps {
			t.Errorf("%s: %s with %d stamps: %s", name, d.State, len(d.Serials()), d.Reason)
		}
		out := h.bytesOf(h.Download(ctx, h.owner, d.ID))
		if version := string(out[5:8]); c.want && version != "1.6" || !c.want && !bytes.HasPrefix(out, c.file) {
			t.Errorf("%s: version %s, %d bytes of %d", name, version, len(out), len(c.file))
		}
	}
}

func TestCrashAroundARewritingLeavesOnlyBlobsThatFsckFinds(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	for _, after := range []bool{false, true} {
		before := h.blobs()
		h.store.fail(1, after)
		if _, err := h.uploaded(cut()); !errors.Is(err, errCrash) {
			t.Fatal(err)
		}
		if n := h.blobs() - before; n != 2 {
			t.Errorf("durable %v: %d blobs, want the original and the rewritten file", after, n)
		}
		grave, left := 0, 0
		h.fsck(func(d store.Discrepancy) {
			if d.Severity == store.SeverityEvidence {
				grave++
			}
			left++
		})
		want := map[bool]int{false: 2, true: 0}[after]
		if grave != 0 || left != want || h.blobs()-before != 2-want {
			t.Errorf("durable %v: fsck finds %d grave, %d in all, leaves %d", after, grave, left, h.blobs()-before)
		}
	}
	// A refused finalize removes the rewritten file and the fields.
	d, err := h.uploaded(bytes.Replace(pdftest.Table(1), []byte("%PDF-1.7"), []byte("%PDF-1.4"), 1))
	if err != nil {
		t.Fatal(err)
	}
	place := []contract.PlaceRequest{{Kind: contract.PlaceStamp, Page: 1, Person: h.owner.ID, Emet: &contract.Box{LLX: 50, LLY: 50, URX: 110, URY: 110}}}
	if _, err := h.Place(ctx, h.owner, d.ID, 0, place); err != nil {
		t.Fatal(err)
	}
	before := h.blobs()
	h.store.refuse = contract.ErrQuota
	if _, err := h.Finalize(ctx, h.owner, d.ID, contract.FinalizeOptions{}); !errors.Is(err, contract.ErrQuota) {
		t.Fatal(err)
	}
	if n, d := h.blobs(), h.read(d.ID); n != before || d.Normalised() {
		t.Errorf("%d more blobs after a refusal", n-before)
	}
	h.store.refuse = nil
	finalized, err := h.Finalize(ctx, h.owner, d.ID, contract.FinalizeOptions{})
	if err != nil || !finalized.Normalised() {
		t.Errorf("finalize after a refusal: normalised %v, %v", finalized.Normalised(), err)
	}
	d = finalized.Document
	// Deleting a draft removes both files.
	draft, err := h.uploaded(cut())
	if err != nil {
		t.Fatal(err)
	}
	c, err := contract.Delete(&draft, h.owner, h.Clock())
	if err != nil || len(c.Jobs) != 1 || len(c.Jobs[0].Keys) != 2 {
		t.Errorf("deleting enqueues %v, %v", c.Jobs, err)
	}
}
