package workflow_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/blob"
	"segel/internal/blob/blobtest"
	"segel/internal/contract"
	"segel/internal/documents"
	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
	"segel/revocation"
)

// forged returns a signed file with one word of its page replaced.
func forged(t testing.TB, file []byte) []byte {
	t.Helper()
	changed := bytes.Replace(bytes.Clone(file), []byte("(Page 1)"), []byte("(Page 7)"), 1)
	if bytes.Equal(file, changed) {
		t.Fatal("the file did not change")
	}
	return changed
}

// signedBy returns a file with a B-T signature whose certificate the authority issued.
func signedBy(t *testing.T, a *authority.Authority, file []byte) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := a.Certify(t.Context(), authority.Holder{ID: "1", Name: "Orang lain", Organisation: "PT Contoh", Assurance: authority.Account}, key.Public())
	if err != nil {
		t.Fatal(err)
	}
	r, err := pades.Sign(t.Context(), pades.Source{R: bytes.NewReader(file), Size: int64(len(file))}, pades.Options{
		NewField: &pades.FieldSpec{Name: "Lain"}, Key: key, Chain: chain, Time: time.Now(), Timestamper: a.Timestamper(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return append(bytes.Clone(file), r.Tail...)
}

// renumbered appends a revision as PDFBox does after a trailer that refers to a missing object: it writes that object,
// and the new trailer refers to the next number.
func renumbered(t *testing.T, file []byte) []byte {
	t.Helper()
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := d.Revisions()
	if err != nil {
		t.Fatal(err)
	}
	b := bytes.Clone(file)
	object := len(b)
	b = append(b, "5000 0 obj\n<< /Type /Xyz >>\nendobj\n"...)
	table := len(b)
	b = fmt.Appendf(b, "xref\n0 1\n0000000000 65535 f \n5000 1\n%010d 00000 n \n", object)
	id := d.Trailer()["ID"].(pdf.Array)[0].(pdf.String).Bytes
	return fmt.Appendf(b, "trailer\n<< /Size 6000 /Root %v /Info 4 0 R /ID [<%x> <%x>] /AdditionalStreams [/application#2Fvnd 5001 0 R] /Prev %d >>\nstartxref\n%d\n%%%%EOF\n",
		d.Trailer().Ref("Root"), id, id, all[len(all)-1].StartXref, table)
}

// silent is a source of revocation data that must not be used.
type silent struct{ t *testing.T }

func (s silent) Revocation(_ context.Context, cert, _ *x509.Certificate) (revocation.Data, error) {
	s.t.Errorf("asked about %s", cert.Subject)
	return revocation.Data{}, errors.New("must not be used")
}

// TestUploadTellsWhatIsWrongWithEarlierSignaturesAndRefusesWhatWasChanged also checks that no connection is opened.
func TestUploadTellsWhatIsWrongWithEarlierSignaturesAndRefusesWhatWasChanged(t *testing.T) {
	t.Parallel()
	sound := foreign(t, nil, 0)
	h := newHarness(t)
	h.Revocation, h.FileRevocation = silent{t}, silent{t}
	for name, c := range map[string]struct {
		file  []byte
		code  string
		field string
		found []contract.FindingCode
	}{
		"no signature":                 {file: pdftest.Table(1)},
		"unknown issuer":               {file: sound, found: []contract.FindingCode{contract.FindingUnknownIssuer}},
		"known issuer, without data":   {file: signedBy(t, h.ca, pdftest.Table(1)), found: []contract.FindingCode{contract.FindingNoRevocationData}},
		"both":                         {file: signedBy(t, h.ca, sound), found: []contract.FindingCode{contract.FindingUnknownIssuer, contract.FindingNoRevocationData}},
		"forged":                       {file: forged(t, sound), code: "file.signature_broken", field: "Before"},
		"forged, and signed again":     {file: signedBy(t, h.ca, forged(t, sound)), code: "file.signature_broken", field: "Before"},
		"changed behind":               {file: alteredDocument(t, sound), code: "file.signature_changed", field: "Before"},
		"changed behind, signed again": {file: signedBy(t, h.ca, alteredDocument(t, sound)), code: "file.signature_changed", field: "Before"},
		"trailer renumbered":           {file: renumbered(t, signedBy(t, h.ca, referring())), found: []contract.FindingCode{contract.FindingNoRevocationData}},
	} {
		blobs := h.blobs()
		d, err := h.take(c.file)
		if codeOf(err) != c.code {
			t.Errorf("%s: %v, want %q", name, err, c.code)
			continue
		}
		if c.code != "" {
			var refusal *contract.Error
			if errors.As(err, &refusal); refusal.Kind != contract.Invalid || refusal.Args["field"] != c.field || h.blobs() != blobs {
				t.Errorf("%s: %+v, %d more blobs", name, refusal, h.blobs()-blobs)
			}
			continue
		}
		var found []contract.FindingCode
		for _, f := range h.read(d.ID).Findings {
			found = append(found, f.Code)
			if f.Refused || f.Args["fields"] == "" {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if len(found) != len(c.found) || len(found) > 0 && found[0] != c.found[0] {
			t.Errorf("%s: found %v, want %v", name, found, c.found)
		}
	}
}

// TestDocumentWithEarlierSignaturesIsCompletedWithThem covers known and unknown issuers.
func TestDocumentWithEarlierSignaturesIsCompletedWithThem(t *testing.T) {
	t.Parallel()
	skipInShort(t)
	h := newHarness(t)
	for name, file := range map[string][]byte{
		"unknown issuer": foreign(t, nil, 0), "known issuer": signedBy(t, h.ca, pdftest.Table(1)),
		"completed here before": h.file(h.closed()), "trailer renumbered": renumbered(t, signedBy(t, h.ca, referring())),
	} {
		id := h.toStamp(file, true)
		if _, err := h.Finalize(t.Context(), h.owner, id, contract.FinalizeOptions{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		h.signs(id)
		h.work(id)
		if d := h.read(id); d.State != contract.Completed {
			t.Errorf("%s: %s, %q", name, d.State, d.Reason)
		}
	}
	h.raised("in the end", map[documents.Alarm]int{})
}

// draftAsBefore makes a draft like earlier releases, which did not check earlier signatures.
func (h *harness) draftAsBefore(file []byte) contract.DocumentID {
	h.t.Helper()
	key, err := blob.NewKey(rand.Reader)
	if err != nil {
		h.t.Fatal(err)
	}
	digest := blobtest.CommitBlob(h.t, h.Blobs, key, file)
	u := contract.Upload{Title: "Lama", Filename: "lama.pdf", Pages: 1, Participants: []contract.Participant{{Person: h.signer.Person, Role: contract.Signer, Number: 1}},
		Base: contract.Revision{Kind: contract.RevisionBase, Tail: contract.File{Key: string(key), Size: digest.Size, Digest: digest.BlobSum, Sums: digest.ChunkSums},
			End: digest.End, Digest: digest.DocumentSum, Midstate: digest.Midstate, At: h.now()}}
	copy(u.Entropy[:], key)
	c, err := contract.Create(u, h.owner, h.Limits, h.now())
	if err != nil {
		h.t.Fatal(err)
	}
	c.After.Examined = false
	d, err := h.store.Commit(context.Background(), c)
	if err != nil {
		h.t.Fatal(err)
	}
	return d.ID
}

// TestFinalizeRefusesDraftsThatUploadWouldRefuseToday covers drafts of older releases and drafts whose stored bytes
// changed.
func TestFinalizeRefusesDraftsThatUploadWouldRefuseToday(t *testing.T) {
	t.Parallel()
	skipInShort(t)
	h := newHarness(t)
	sound := foreign(t, nil, 0)
	for name, c := range map[string]struct {
		file []byte
		turn string // text on the page that changes in the store after the upload
		code string
	}{
		"sound":                 {file: sound},
		"forged":                {file: forged(t, sound), code: "file.signature_broken"},
		"changed behind":        {file: alteredDocument(t, sound), code: "file.signature_changed"},
		"too complex":           {file: manySections(60_000), code: "file.too_complex"},
		"changed in the store":  {file: sound, turn: "(Page 1)", code: "file.signature_broken"},
		"unsigned, and altered": {file: pdftest.Table(1)},
	} {
		id := h.draftAsBefore(c.file)
		if c.turn != "" {
			h.Blobs.(*blobtest.Memory).CorruptByte(blob.Key(h.read(id).Revisions[0].Tail.Key), int64(bytes.Index(c.file, []byte(c.turn))+6))
		}
		blobs := h.blobs()
		_, err := h.Finalize(t.Context(), h.owner, id, contract.FinalizeOptions{})
		if codeOf(err) != c.code {
			t.Errorf("%s: %v, want %q", name, err, c.code)
			continue
		}
		if c.code != "" {
			if d := h.read(id); d.State != contract.Draft || h.blobs() != blobs {
				t.Errorf("%s: %s, %d more blobs", name, d.State, h.blobs()-blobs)
			}
			continue
		}
		h.signs(id)
		h.work(id)
		if d := h.read(id); d.State != contract.Completed {
			t.Errorf("%s: %s, %q", name, d.State, d.Reason)
		}
	}
	if q := h.quota()[contract.UnitSignature]; q.Reserved != 0 {
		t.Errorf("%d signatures stay reserved", q.Reserved)
	}
}

// TestFileThatAValidationCouldNotReadIsRefusedAtUpload uses files within the limits of the PDF reader and beyond those
// of the validation of a finished file.
func TestFileThatAValidationCouldNotReadIsRefusedAtUpload(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]func() []byte{
		"60,000 sections":                   func() []byte { return manySections(60_000) },
		"3,000 revisions":                   func() []byte { return manyRevisions(3000) },
		"an object stream of 120 MB":        func() []byte { return largeObjectStream(120 << 20) },
		"a cross-reference of 8 million":    func() []byte { return manyEntries(8_000_000) },
		"300 MB in object streams, in turn": func() []byte { return manyObjectStreams(60, 10<<20) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			d, err := h.take(file())
			if codeOf(err) != "file.too_complex" {
				t.Errorf("document %d: %v", d.ID, err)
			}
			if n := h.blobs(); n != 0 {
				t.Errorf("%d blobs were not removed", n)
			}
		})
	}
}

// TestFileAtTheEdgeOfTheLimitsIsCompleted checks that the limits leave a reserve for what signing adds.
func TestFileAtTheEdgeOfTheLimitsIsCompleted(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]func() []byte{
		"1,490 sections":               func() []byte { return manySections(1490) },
		"1,490 revisions":              func() []byte { return manyRevisions(1490) },
		"an object stream of 10 MB":    func() []byte { return largeObjectStream(10 << 20) },
		"a cross-reference of 500,000": func() []byte { return manyEntries(500_000) },
		"60 MB in object streams":      func() []byte { return manyObjectStreams(300, 200<<10) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			id := h.toStamp(file(), true)
			if _, err := h.Finalize(t.Context(), h.owner, id, contract.FinalizeOptions{}); err != nil {
				t.Fatal(err)
			}
			h.signs(id)
			h.work(id)
			h.valid(id)
		})
	}
}

// TestFileWhoseCrossReferenceLeadsBehindItsEndIsRewritten refers to an offset after the end: appended bytes would
// define the object, so validation would deny every later revision.
func TestFileWhoseCrossReferenceLeadsBehindItsEndIsRewritten(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	b := pdftest.Table(1)
	at := startxref(b)
	n := len(b)
	b = fmt.Appendf(b, "xref\n50 1\n%010d 00000 n \ntrailer\n<</Size 51 /Root 1 0 R /Prev %d>>\nstartxref\n%d\n%%%%EOF\n", 3_000_000, at, n)
	id := h.toStamp(b, true)
	if d := h.read(id); !d.Normalised() {
		t.Error("the file was not rewritten")
	}
	if _, err := h.Finalize(t.Context(), h.owner, id, contract.FinalizeOptions{}); err != nil {
		t.Fatal(err)
	}
	h.signs(id)
	h.work(id)
	h.valid(id)
}
