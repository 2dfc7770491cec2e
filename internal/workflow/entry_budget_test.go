package workflow_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"segel/internal/contract"
	"segel/internal/workflow"
	"segel/pdf/pdftest"
)

// sharedEntries returns a small file whose cross-reference stream has a million entries for its page.
func sharedEntries(t *testing.T) []byte {
	t.Helper()
	var b, entries bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	z := zlib.NewWriter(&entries)
	entry := func(kind byte, at int) { _, _ = z.Write(binary.BigEndian.AppendUint32([]byte{kind}, uint32(at))) }
	entry(0, 0)
	at := 0
	for i, body := range []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]>>"} {
		at = b.Len()
		entry(1, at)
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	const n = 1_000_000
	for range n {
		entry(1, at)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	start := b.Len()
	fmt.Fprintf(&b, "%d 0 obj\n<</Type/XRef/W[1 4 0]/Size %d/Root 1 0 R/Filter/FlateDecode/Length %d>>\nstream\n", n+4, n+4, entries.Len())
	b.Write(entries.Bytes())
	fmt.Fprintf(&b, "\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", start)
	return b.Bytes()
}

func TestUploadAndVerificationRefuseMoreEntriesThanTheFileHasRoomFor(t *testing.T) {
	t.Parallel()
	skipInShort(t)
	h := newHarness(t)
	file := sharedEntries(t)
	if _, err := h.take(file); codeOf(err) != "file.too_complex" {
		t.Errorf("upload: %v", err)
	}
	e, err := h.NewVerificationFile()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Discard() //nolint:errcheck // a repeated Discard is harmless
	if _, err := e.Write(file); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Verify(t.Context(), e, workflow.VerifyOptions{}); err == nil {
		t.Error("the verification accepted the file")
	}
}

func TestUploadOfAClientThatHungUpIsNotExamined(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	ctx, cancel := context.WithCancel(t.Context())
	st, err := h.Stage(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Abort()
	if _, err := st.Write(pdftest.Table(1)); err != nil {
		t.Fatal(err)
	}
	cancel()
	_, err = h.Upload(ctx, h.owner, workflow.UploadRequest{Title: "Uji", Filename: "uji.pdf", File: st})
	var refused *contract.Error
	if !errors.Is(err, context.Canceled) || errors.As(err, &refused) {
		t.Errorf("%v", err)
	}
}
