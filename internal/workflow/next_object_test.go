package workflow_test

import (
	"bytes"
	"context"
	"database/sql"
	"strings"
	"testing"

	"segel/internal/blob"
	"segel/internal/blob/blobtest"
	"segel/internal/contract"
	"segel/internal/workflow"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// referring returns a file whose trailer refers to the missing object 5000.
func referring() []byte {
	return bytes.Replace(pdftest.Table(1), []byte("/Info 4 0 R"), []byte("/Info 4 0 R /AdditionalStreams [/application#2Fvnd 5000 0 R]"), 1)
}

// nextObject returns the next object number stored with the newest revision of a document.
func (h *harness) nextObject(id contract.DocumentID) uint32 {
	h.t.Helper()
	d := h.read(id)
	return d.Current().NextObject
}

// TestNoRevisionTakesANumberThatTheUploadedFileRefersTo refers to the number in the trailer, and covers revisions that
// were stored without the next object number.
func TestNoRevisionTakesANumberThatTheUploadedFileRefersTo(t *testing.T) {
	onBothWithDatabase(t, func(t *testing.T, h *harness, db *sql.DB) {
		for name, forget := range map[string]bool{"stored": false, "not stored": true} {
			id := h.toStamp(referring(), true)
			if got := h.nextObject(id); got != 5001 {
				t.Errorf("%s: next object of the base is %d", name, got)
			}
			step := func(do func() error) {
				t.Helper()
				if forget {
					changeRevision(t, db, id, len(h.read(id).Revisions)-1, "next_object", 0)
				}
				if err := do(); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if got := h.nextObject(id); got < 5001 {
					t.Errorf("%s: next object is %d after %d revisions", name, got, len(h.read(id).Revisions))
				}
			}
			step(func() error {
				_, err := h.Finalize(context.Background(), h.owner, id, contract.FinalizeOptions{})
				return err
			})
			step(func() error {
				_, err := h.Sign(context.Background(), h.signer, id, workflow.SignRequest{})
				return err
			})
			step(func() error { return h.Stamp(context.Background(), id) })
			step(func() error { return h.Complete(context.Background(), id) })
			if d := h.read(id); d.State != contract.Completed {
				t.Fatalf("%s: %s, %q", name, d.State, d.Reason)
			}
			h.valid(id)
			file := h.file(id)
			doc, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if o, err := doc.Object(pdf.Ref{Number: 5000}); err != nil || o != pdf.Object(pdf.Null{}) {
				t.Errorf("%s: object 5000 is %v, %v", name, o, err)
			}
			if o, err := doc.Object(pdf.Ref{Number: 5001}); err != nil || o == pdf.Object(pdf.Null{}) {
				t.Errorf("%s: object 5001 is %v, %v", name, o, err)
			}
		}
	})
}

// TestFileThatCannotBeCompletedIsRefusedAtUpload uses one object for two parts of the document, so that adding a field
// to one changes the other.
func TestFileThatCannotBeCompletedIsRefusedAtUpload(t *testing.T) {
	t.Parallel()
	skipInShort(t)
	h := newHarness(t)
	want := []string{
		"form/page", "form/stream", "form/root of the pages", "form/kids are the fields", "form/kids are the annotations", "form/fields with themselves",
		"form/flags of the form are a name", "tree/form as a kid",
	}
	found := 0
	for _, odd := range pdftest.OddFiles() {
		name, _, _ := strings.Cut(odd.Name, " (")
		sound := odd.Name == "form/also something else (table)"
		refused := false
		for _, w := range want {
			refused = refused || w == name
		}
		if !sound && !refused {
			continue
		}
		found++
		blobs := h.blobs()
		_, err := h.take(odd.File)
		switch {
		case sound && err != nil:
			t.Errorf("%s: %v", odd.Name, err)
		case refused && !strings.HasPrefix(codeOf(err), "file."):
			t.Errorf("%s: %v, want a refusal of the file", odd.Name, err)
		case refused && h.blobs() != blobs:
			t.Errorf("%s: %d blobs were not removed", odd.Name, h.blobs()-blobs)
		}
	}
	if found != 2*len(want)+1 {
		t.Errorf("%d files were tried", found)
	}
}

// TestOrderedStampOfAFileThatCannotBeReadIsRefused covers a document whose last revision was stored without the next
// object number, so that the file is parsed to number objects.
func TestOrderedStampOfAFileThatCannotBeReadIsRefused(t *testing.T) {
	onBothWithDatabase(t, func(t *testing.T, h *harness, db *sql.DB) {
		ctx := context.Background()
		id := h.draft(false, 1)
		base := h.read(id).Revisions[0].Tail
		changeRevision(t, db, id, len(h.read(id).Revisions)-1, "next_object", 0)
		if err := h.Blobs.Remove(ctx, blob.Key(base.Key)); err != nil {
			t.Fatal(err)
		}
		blobtest.CommitBlob(t, h.Blobs, blob.Key(base.Key), make([]byte, base.Size))
		if err := h.Stamp(ctx, id); err != nil {
			t.Errorf("the job is retried: %v", err)
		}
		if d := h.read(id); d.State != contract.Failed || !strings.HasPrefix(d.Reason, "file.") || d.Stamps[0].Problem != d.Reason {
			t.Errorf("%s: %q, %+v", d.State, d.Reason, d.Stamps)
		}
		h.untouched("refused", id, 1)
	})
}
