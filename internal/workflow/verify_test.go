package workflow_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/contract"
	"segel/internal/emeterai"
	"segel/internal/workflow"
	"segel/pades"
	"segel/pdf/pdftest"
)

// verify validates a file and discards it.
func (h *harness) verify(file []byte) (*workflow.Verified, error) {
	h.t.Helper()
	ctx := context.Background()
	e, err := h.NewVerificationFile()
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() {
		if err := e.Discard(); err != nil {
			h.t.Error(err)
		}
	}()
	if _, err := e.Write(file); err != nil {
		return nil, err
	}
	return h.Verify(ctx, e, workflow.VerifyOptions{Name: "uji.pdf"})
}

// file returns the current file of a document.
func (h *harness) file(id contract.DocumentID) []byte {
	h.t.Helper()
	return h.bytesOf(h.Preview(context.Background(), h.owner, id))
}

func TestSerialOnAnotherDocumentIsToldAndNotOnWhich(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.draft(false, 1)
	h.work(id)
	serial := h.read(id).Stamps[0].Serial
	own := h.file(id)
	r, err := h.verify(own)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Stamps) != 1 || r.Stamps[0].Serial != serial || r.Stamps[0].Elsewhere != "no" {
		t.Errorf("its own file: %+v", r.Stamps)
	}
	// The file is continued: it is still that document.
	grown := append(bytes.Clone(own), stamped(t, own, "Tambahan", "")...)
	if r, err = h.verify(grown); err != nil || r.Stamps[0].Elsewhere != "no" {
		t.Errorf("grown: %+v %v", r.Stamps, err)
	}
	// The file is changed.
	changed := bytes.Clone(own)
	changed[bytes.Index(changed, []byte("stream"))+12] ^= 1
	if r, err = h.verify(changed); err != nil {
		t.Fatal(err)
	}
	if s := r.Stamps[0]; s.Elsewhere != "no" || len(s.Problems()) != 1 || s.Problems()[0].Code != "stamp.altered" || r.Passed() {
		t.Errorf("changed: %+v", s)
	}
	// The serial is copied to another file.
	other := pdftest.Table(1)
	other = append(other, stamped(t, other, emeterai.FieldName(serial), emeterai.SignatureReason(serial, "Palsu"))...)
	if r, err = h.verify(other); err != nil {
		t.Fatal(err)
	}
	if len(r.Stamps) != 1 || r.Stamps[0].Elsewhere != "yes" || len(r.Stamps[0].Problems()) == 0 || r.Passed() {
		t.Errorf("another file: %+v", r.Stamps)
	}
}

// stamped returns the tail of another person's signature.
func stamped(t *testing.T, file []byte, field, reason string) []byte {
	t.Helper()
	a, err := authority.NewEphemeral("http://elsewhere.test", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := a.Certify(t.Context(), authority.Holder{ID: "1", Name: "Orang lain", Organisation: "PT Contoh", Assurance: authority.Account}, key.Public())
	if err != nil {
		t.Fatal(err)
	}
	made, err := pades.Sign(t.Context(), pades.Source{R: bytes.NewReader(file), Size: int64(len(file))}, pades.Options{
		NewField: &pades.FieldSpec{Name: field}, Key: key, Chain: chain, Time: time.Now(), Reason: reason,
	})
	if err != nil {
		t.Fatal(err)
	}
	return made.Tail
}

func TestStampIsKnownByItsSerialOnceItIsAffixed(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	ctx := context.Background()
	id := h.draft(false, 1)
	h.office.loseStamp = true // the serial is bound, and it is unknown whether it is affixed
	_ = h.Stamp(ctx, id)
	serial := h.read(id).Stamps[0].Serial
	if serial == "" {
		t.Fatal("no serial was bound")
	}
	for _, unknown := range []string{serial, "", "SPESIMEN-0000000000000", string(make([]byte, 100))} {
		if _, err := h.StampBySerial(ctx, unknown); contract.KindOf(err) != contract.NotFound {
			t.Errorf("%q: %v", unknown, err)
		}
	}
	h.work(id)
	k, err := h.StampBySerial(ctx, serial)
	if err != nil || k.Serial != serial || !k.Specimen || k.AffixedAt.IsZero() {
		t.Errorf("%+v %v", k, err)
	}
}

func TestVerificationFileIsRemovedInEveryOutcome(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	before := h.blobs()
	for name, file := range map[string][]byte{"sound": pdftest.Table(1), "no PDF": []byte("x"), "empty": nil, "nothing else": []byte("%PDF-1.7"), "large": make([]byte, 2000)} {
		_, err := h.verify(file)
		if refused := contract.KindOf(err) != 0; name == "sound" && err != nil || name != "sound" && !refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	h.Limits.FileSize = 10
	if _, err := h.verify(pdftest.Table(1)); contract.KindOf(err) != contract.TooLarge {
		t.Errorf("too large: %v", err)
	}
	if after := h.blobs(); after != before {
		t.Errorf("%d blobs before, %d after", before, after)
	}
	h.Limits = contract.Limits{}.Defaults()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	e, err := h.NewVerificationFile()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Write(pdftest.Table(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Verify(ctx, e, workflow.VerifyOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if err := errors.Join(e.Discard(), e.Discard()); err != nil {
		t.Error(err)
	}
	if after := h.blobs(); after != before {
		t.Errorf("%d blobs before, %d after", before, after)
	}
	if n := h.scratches.OpenCount(); n != 0 {
		t.Errorf("%d scratch files are open", n)
	}
}
