package workflow_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/evidence"
	"segel/internal/store"
	"segel/internal/workflow"
	"segel/pades/validate"
	"segel/pdf"
)

// evidenceStore fails when an evidence certificate is recorded: before it is durable, or after.
type evidenceStore struct {
	*failingStore
	before, after error
}

func (e *evidenceStore) AddEvidenceFile(ctx context.Context, v store.EvidenceFile, timestamp contract.TrustedTime, event contract.Event) error {
	if e.before != nil {
		return e.before
	}
	return errors.Join(e.failingStore.AddEvidenceFile(ctx, v, timestamp, event), e.after)
}

func TestAnEvidenceCertificateIsMadeOnceWhateverIsInterrupted(t *testing.T) {
	onBoth(t, func(t *testing.T, h *harness) {
		ctx := context.Background()
		for name, failing := range map[string]*evidenceStore{
			"before the commit":         {failingStore: h.store, before: errCrash},
			"after the commit":          {failingStore: h.store, after: errCrash},
			"another process is faster": {failingStore: h.store},
		} {
			id := h.closed()
			blobs := h.blobs()
			h.Service.Store = failing
			if failing.before == nil && failing.after == nil {
				// The same certificate is recorded by another process while this one makes its own.
				h.Service.Store = &fasterStore{failingStore: h.store, h: h}
				if err := h.MakeEvidence(ctx, id); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			} else if err := h.MakeEvidence(ctx, id); !errors.Is(err, errCrash) {
				t.Errorf("%s: %v", name, err)
			}
			h.Service.Store = h.store
			for range 2 {
				if err := h.MakeEvidence(ctx, id); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			v, err := h.store.EvidenceFile(ctx, id)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			want := 1
			if failing.before != nil {
				want = 2 // the file of the first run, which nothing refers to
			}
			if n := h.blobs() - blobs; n != want {
				t.Errorf("%s: %d files, want %d", name, n, want)
			}
			c, err := h.EvidenceCertificate(ctx, h.owner, id)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if c.Digest != v.File.Digest || c.Size != v.File.Size {
				t.Errorf("%s: another file is served", name)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
		h.fsck(func(d store.Discrepancy) {
			if d.Severity != store.SeverityLeftover {
				t.Errorf("fsck: %+v", d)
			}
		})
	})
}

// fasterStore has another process record an evidence certificate first.
type fasterStore struct {
	*failingStore
	h *harness
}

func (f *fasterStore) AddEvidenceFile(ctx context.Context, v store.EvidenceFile, timestamp contract.TrustedTime, event contract.Event) error {
	file, _, err := f.h.StoreFile(ctx, "", blob.NewDigester(), func(w io.Writer) error {
		_, err := io.WriteString(w, "of another process")
		return err
	})
	if err != nil {
		return err
	}
	other := v
	other.File = file
	if err := f.failingStore.AddEvidenceFile(ctx, other, timestamp, event); err != nil {
		return err
	}
	return f.failingStore.AddEvidenceFile(ctx, v, timestamp, event)
}

func TestTheEvidenceCertificateOfARenewedDocumentIsOfItsCompletion(t *testing.T) {
	onBoth(t, func(t *testing.T, h *harness) {
		ctx := context.Background()
		id := h.closed()
		completed := h.read(id)
		h.later(19*year + 30*24*time.Hour)
		h.another()
		if renewed, err := h.Renew(ctx, id); err != nil || !renewed {
			t.Fatalf("the document was not renewed: %v", err)
		}
		file := h.bytesOf(h.EvidenceCertificate(ctx, h.owner, id))
		d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := evidence.ReadAttachments(d)
		if err != nil {
			t.Fatal(err)
		}
		if a.Facts.Document.Size != completed.Current().End || len(a.Facts.Revisions) != len(completed.Revisions) {
			t.Errorf("%+v", a.Facts.Document)
		}
		renewed := h.bytesOf(h.Download(ctx, h.owner, id))
		if later, err := a.Facts.CompareContract(bytes.NewReader(renewed), int64(len(renewed))); err != nil || later != int64(len(renewed))-completed.Current().End {
			t.Errorf("%d bytes follow, %v", later, err)
		}
		if _, _, err := a.VerifyProof(); err != nil {
			t.Error(err)
		}
	})
}

func TestTheEvidenceCertificateIsRenewedWithItsDocument(t *testing.T) {
	onBoth(t, func(t *testing.T, h *harness) {
		ctx := context.Background()
		id, without := h.closed(), h.closed()
		made := h.bytesOf(h.EvidenceCertificate(ctx, h.owner, id))
		h.later(19*year + 30*24*time.Hour)
		h.renewDue(workflow.Renewed{PutOff: 2}) // the authority has no other certificate yet
		if got := h.bytesOf(h.EvidenceCertificate(ctx, h.owner, id)); !bytes.Equal(got, made) {
			t.Error("it was renewed for nothing")
		}
		h.later(200 * 24 * time.Hour)
		h.another()

		// A crash before the commit leaves a file, and one after it an order to remove the former one. Each time the next round goes on.
		for _, failing := range []*renewalStore{{failingStore: h.store, before: errCrash}, {failingStore: h.store, after: errCrash}} {
			h.Service.Store = failing
			if _, err := h.Renew(ctx, id); !errors.Is(err, errCrash) {
				t.Errorf("%v", err)
			}
		}
		h.Service.Store = h.store
		for _, id := range []contract.DocumentID{id, without} {
			if _, err := h.Renew(ctx, id); err != nil {
				t.Fatal(err)
			}
			if d := h.read(id); d.Revisions[len(d.Revisions)-1].Kind != contract.RevisionTimestamp || len(d.Revisions) < 2 {
				t.Errorf("document %d: %+v", id, d.Revisions)
			}
		}
		renewed := h.bytesOf(h.EvidenceCertificate(ctx, h.owner, id))
		if len(renewed) <= len(made) || !bytes.HasPrefix(renewed, made) {
			t.Fatalf("%d bytes became %d", len(made), len(renewed))
		}
		report, err := validate.Validate(ctx, bytes.NewReader(renewed), int64(len(renewed)), h.ValidationOptions())
		if err != nil || !report.Passed() || len(report.Signatures) != 3 || report.Signatures[2].Kind != validate.KindTimestamp {
			t.Errorf("%v: %s %s", err, report.Indication, report.SubIndication)
		}
		var renewals int
		events, err := h.AuditTrail(ctx, h.owner, id)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Type == contract.EventEvidenceRenewed {
				renewals++
				if e.Details["evidence"] != fmt.Sprintf("%x", sha256.Sum256(renewed)) {
					t.Errorf("the event says %v", e.Details)
				}
			}
		}
		if renewals != 1 {
			t.Errorf("%d events", renewals)
		}
		h.fsck(func(d store.Discrepancy) {
			if d.Severity != store.SeverityLeftover {
				t.Errorf("fsck: %+v", d)
			}
		})
	})
}

// renewalStore fails when a renewed evidence certificate is recorded: before it is durable, or after.
type renewalStore struct {
	*failingStore
	before, after error
}

func (r *renewalStore) ReplaceEvidenceFile(ctx context.Context, former, v store.EvidenceFile, timestamp contract.TrustedTime, event contract.Event) error {
	if r.before != nil {
		return r.before
	}
	return errors.Join(r.failingStore.ReplaceEvidenceFile(ctx, former, v, timestamp, event), r.after)
}

func TestNoEvidenceCertificateIsMadeOfALogThatWasChanged(t *testing.T) {
	h := newHarness(t)
	ctx := context.Background()
	id := h.closed()
	h.Service.Store = &changedEvents{h.store}
	if err := h.MakeEvidence(ctx, id); err == nil || !strings.Contains(err.Error(), "not proven") {
		t.Errorf("%v", err)
	}
	if _, err := h.store.EvidenceFile(ctx, id); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%v", err)
	}
}

// changedEvents returns events that are not those of the log.
type changedEvents struct{ *failingStore }

func (c *changedEvents) Prove(ctx context.Context, id contract.DocumentID, leaves int64) ([]store.Proven, error) {
	all, err := c.failingStore.Prove(ctx, id, leaves)
	all[0].Event.Person.Name = "Orang Lain"
	return all, err
}

func TestTheSealOfAnEvidenceCertificatePermitsNoChange(t *testing.T) {
	h := newHarness(t)
	ctx := context.Background()
	id := h.closed()
	file := h.bytesOf(h.EvidenceCertificate(ctx, h.owner, id))
	r, err := validate.Validate(ctx, bytes.NewReader(file), int64(len(file)), h.ValidationOptions())
	if err != nil {
		t.Fatal(err)
	}
	if !r.Passed() || len(r.Signatures) != 2 || r.Signatures[0].Kind != validate.KindCertification || r.Signatures[0].Facts.Certification != 1 ||
		r.Signatures[0].Level != validate.LevelLTA || r.Signatures[1].Kind != validate.KindTimestamp {
		t.Errorf("%s %s: %+v", r.Indication, r.Integrity, r.Signatures)
	}
}
