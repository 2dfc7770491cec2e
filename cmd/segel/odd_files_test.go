package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/pdf/pdftest"
)

// TestOddFilesAreCompletedAndValidOrRefusedAtUpload takes files with one structural oddity each through the whole
// service, with a signature, a duty stamp and the seal. Accepted files are completed, and our validation passes them.
func TestOddFilesAreCompletedAndValidOrRefusedAtUpload(t *testing.T) {
	t.Parallel()
	s := start(t, "SEGEL_GRANT_SIGNATURES", "5000", "SEGEL_GRANT_STAMPS", "5000")
	owner, signer := s.person(t, "Pemilik", ""), s.person(t, "Penanda", "")
	fates := map[pdftest.Outcome]int{}
	// All of them take minutes. Neighbours differ in the style of their cross-reference, so an odd step covers each style.
	every := 13
	if triesEvery() {
		every = 1
	}
	for i, odd := range pdftest.OddFiles() {
		if i%every != 0 {
			continue
		}
		t.Run(odd.Name, func(t *testing.T) {
			fate := oddFile(t, odd, owner, signer)
			if fates[fate]++; fate != odd.Outcome {
				t.Errorf("%q, want %q", fate, odd.Outcome)
			}
		})
	}
	t.Logf("%v", fates)
}

// oddFile takes a file through the service, and returns the outcome.
func oddFile(t *testing.T, odd pdftest.OddFile, owner, signer *client) pdftest.Outcome {
	t.Helper()
	a := owner.do("POST", signPath+"upload-docs-base64", object{
		"filename": "kontrak.pdf", "document_base64": base64.StdEncoding.EncodeToString(odd.File), "signer": []object{signer.as("signer", 1)},
	})
	if a.status != http.StatusOK {
		if code, _ := a.object("error")["code"].(string); a.status != http.StatusUnprocessableEntity || !strings.HasPrefix(code, "file.") {
			t.Errorf("refused with %d %s: %.300s", a.status, code, a.body)
		}
		return pdftest.Refused
	}
	data := a.object("response", "data")
	id := int64(data["document_id"].(float64))
	fate := pdftest.Kept
	if bytes.Contains(a.body, []byte("document.normalised")) {
		fate = pdftest.Rewritten
	}
	d, err := owner.workflow.Store.Document(t.Context(), docID(id))
	if err != nil {
		t.Fatal(err)
	}
	stamp := signer.at("emet", 300, 100, 360, 160)
	stamp["page"] = d.Pages
	for _, step := range []func() *answer{
		func() *answer { return owner.place(id, signer.at("sign", 20, 20, 80, 80), stamp) },
		func() *answer { return owner.verb("finalize-docs", id) },
		func() *answer { return signer.verb("sign-docs", id) },
	} {
		if a := step(); a.status != http.StatusOK {
			t.Errorf("%s: %d: %.400s", a.what, a.status, a.body)
			return fate
		}
	}
	if d := settled(t, owner, id); d.State != contract.Completed {
		t.Errorf("%s: %s", d.State, d.Reason)
		return fate
	}
	for _, fault := range sealFaults(t, owner.service, owner.download(id)) {
		t.Error(fault)
	}
	return fate
}

// settled waits until a document is completed or fails, or until the service reports why closing it takes longer.
func settled(t *testing.T, c *client, id int64) contract.Document {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	by, err := c.identity.Authenticate(ctx, c.token)
	if err != nil {
		t.Fatal(err)
	}
	for version := int64(0); ; {
		d, err := c.workflow.WaitForChange(ctx, by, docID(id), version)
		if err != nil {
			t.Fatalf("document %d: %v", id, err)
		}
		if d.State != contract.Processing || d.Reason != "" {
			return *d
		}
		version = d.Version
	}
}
