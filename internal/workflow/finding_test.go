package workflow_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"segel/internal/contract"
	"segel/pdf/pdftest"
)

// suspect returns the file of [pdftest.SuspectCases] whose print differs from its display.
func suspect(t *testing.T) []byte {
	t.Helper()
	for _, s := range pdftest.SuspectCases() {
		if s.Name == "layer that is not printed" {
			return s.File
		}
	}
	t.Fatal("no such file")
	return nil
}

var acceptPrint = contract.FinalizeOptions{AcceptFindings: []contract.FindingCode{contract.FindingPrintDiffers}}

// forget resets a draft to one that was uploaded before files were examined.
func (h *harness) forget(d contract.Document) {
	h.t.Helper()
	c := contract.Change{Before: &d, After: d, At: h.now()}
	c.After.Findings, c.After.Examined = nil, false
	if _, err := h.store.Commit(context.Background(), c); err != nil {
		h.t.Fatal(err)
	}
}

func TestDraftOfAnOlderReleaseIsExaminedWhenItIsFinalized(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	d, err := h.uploaded(suspect(t))
	if err != nil {
		t.Fatal(err)
	}
	h.forget(d)
	_, err = h.Finalize(ctx, h.owner, d.ID, contract.FinalizeOptions{})
	var e *contract.Error
	if !errors.As(err, &e) || e.Code != "document.active_content" || len(e.Fields) != 1 || e.Fields[0].Code != string(contract.FindingPrintDiffers) {
		t.Fatalf("finalize of a file with another print: %v", err)
	}
	done, err := h.Finalize(ctx, h.owner, d.ID, acceptPrint)
	if err != nil {
		t.Fatal(err)
	}
	stored := h.read(d.ID)
	if !done.Examined || !stored.Examined || len(stored.Findings) != 1 || !stored.Findings[0].Accepted {
		t.Errorf("examined %v, %+v", stored.Examined, stored.Findings)
	}

	harmless, err := h.uploaded(pdftest.Table(1))
	if err != nil {
		t.Fatal(err)
	}
	h.forget(harmless)
	if _, err := h.Finalize(ctx, h.owner, harmless.ID, contract.FinalizeOptions{}); err != nil {
		t.Errorf("finalize of a harmless file: %v", err)
	}
}

func TestFindingsStayWhereAFileIsRewritten(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, file := range map[string][]byte{
		"damaged":            append([]byte("X-Header: 1\r\n\r\n"), suspect(t)...),
		"old, to be stamped": bytes.Replace(suspect(t), []byte("%PDF-1.7"), []byte("%PDF-1.4"), 1),
	} {
		h := newHarness(t)
		d, err := h.uploaded(file)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(d.Findings) != 1 || d.Findings[0].Code != contract.FindingPrintDiffers {
			t.Fatalf("%s: %+v", name, d.Findings)
		}
		place := contract.PlaceRequest{Kind: contract.PlaceStamp, Page: 1, Person: h.owner.ID, Emet: &contract.Box{LLX: 50, LLY: 50, URX: 110, URY: 110}}
		if _, err := h.Place(ctx, h.owner, d.ID, 0, []contract.PlaceRequest{place}); err != nil {
			t.Fatal(err)
		}
		done, err := h.Finalize(ctx, h.owner, d.ID, acceptPrint)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !done.Normalised() || len(done.Findings) != 1 || !done.Findings[0].Accepted {
			t.Errorf("%s: rewritten %v, %+v", name, done.Normalised(), done.Findings)
		}
	}
}
