package workflow_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/contract"
	"segel/internal/workflow"
	"segel/pades"
	"segel/pades/validate"
	"segel/pades/validate/formfield/formtest"
	"segel/pdf"
)

// sealedForm completes a form that has an empty signature field: signed, stamped and sealed.
func (h *harness) sealedForm() contract.DocumentID {
	h.t.Helper()
	ctx := context.Background()
	file, err := formtest.Form()
	if err != nil {
		h.t.Fatal(err)
	}
	doc, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		h.t.Fatal(err)
	}
	tail, err := pades.AddFields(doc, []pades.FieldSpec{{Name: "Saksi"}})
	if err != nil {
		h.t.Fatal(err)
	}
	d, err := h.uploaded(append(file, tail.Bytes...))
	if err != nil {
		h.t.Fatal(err)
	}
	stamp := contract.PlaceRequest{Kind: contract.PlaceStamp, Page: 1, Person: h.owner.ID, Emet: &contract.Box{LLX: 450, LLY: 50, URX: 510, URY: 110}}
	if _, err := h.Place(ctx, h.owner, d.ID, 0, []contract.PlaceRequest{stamp}); err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.Finalize(ctx, h.owner, d.ID, contract.FinalizeOptions{}); err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.Sign(ctx, h.signer, d.ID, workflow.SignRequest{}); err != nil {
		h.t.Fatal(err)
	}
	h.work(d.ID)
	if d := h.read(d.ID); d.State != contract.Completed {
		h.t.Fatalf("the document is %s: %s", d.State, d.Reason)
	}
	return d.ID
}

// fieldNames reads the names in a /Lock or in the parameters of FieldMDP.
func fieldNames(t *testing.T, d *pdf.Document, o pdf.Object) (names []string) {
	t.Helper()
	list, err := d.Array(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list {
		s, err := d.String(o)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, s.Text())
	}
	return names
}

func TestSealLocksTheFieldsThatExistWhenItIsMade(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.sealedForm()
	file := h.file(id)
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	signatures, err := d.Signatures()
	if err != nil {
		t.Fatal(err)
	}
	seal := h.read(id)
	i := slices.IndexFunc(signatures, func(s *pdf.Signature) bool { return s.Field.Name == seal.SealField() })
	if i < 0 {
		t.Fatal("no seal")
	}
	lock, err := d.Dict(signatures[i].Field.Dict["Lock"])
	if err != nil {
		t.Fatal(err)
	}
	references, err := d.Array(signatures[i].Dict["Reference"])
	if err != nil || len(references) != 1 {
		t.Fatalf("references %v, %v", references, err)
	}
	reference, err := d.Dict(references[0])
	if err != nil {
		t.Fatal(err)
	}
	params, err := d.Dict(reference["TransformParams"])
	if err != nil || reference["TransformMethod"] != pdf.Object(pdf.Name("FieldMDP")) || params["Action"] != pdf.Object(pdf.Name("Include")) {
		t.Fatalf("reference %v, %v", reference, err)
	}
	named, locked := fieldNames(t, d, lock["Fields"]), fieldNames(t, d, params["Fields"])
	var want []string
	stamps := 0
	for _, s := range signatures {
		switch {
		case strings.HasPrefix(s.Field.Name, "Timestamp"), s.Field.Name == seal.SealField():
		case strings.HasPrefix(s.Field.Name, "Emet"):
			stamps++
			want = append(want, s.Field.Name)
		default:
			want = append(want, s.Field.Name)
		}
	}
	for _, n := range append(want, "name", "group.part", "agree", "pay", "status", "print", "fixed") {
		if !slices.Contains(locked, n) {
			t.Errorf("%s is not locked", n)
		}
	}
	for _, n := range []string{"Saksi", seal.SealField(), "Timestamp1"} {
		if slices.Contains(locked, n) {
			t.Errorf("%s is locked", n)
		}
	}
	if len(locked) != len(named)+stamps || stamps != 1 {
		t.Errorf("the field names %d locks, the seal %d, with %d stamps", len(named), len(locked), stamps)
	}
	for _, n := range named {
		if !slices.Contains(locked, n) {
			t.Errorf("the field names %s, but the seal does not lock it", n)
		}
	}
	if r, err := h.verify(file); err != nil || r.Integrity != validate.IntactLater {
		t.Errorf("sealed: %s, %v", r.Integrity, err)
	}
}

func TestSealedFormCannotBeFilledInAgain(t *testing.T) {
	t.Parallel()
	skipInShort(t)
	h := newHarness(t)
	file := h.file(h.sealedForm())
	for _, c := range slices.Concat(formtest.Honest(), formtest.Attacks()) {
		if c.Prepare != nil || c.Name == "written-again" || c.Name == "date-of-change" {
			continue // prepared cases change the file before signing; the two others change nothing visible
		}
		b, err := formtest.Append(file, c.Fill)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if r, err := h.verify(b); err != nil || r.Passed() || r.Integrity != validate.ChangedAfter {
			t.Errorf("%s: passed %v, %s, %v", c.Name, r.Passed(), r.Integrity, err)
		}
	}
}

func TestSealedFormCanBeProvedRenewedAndSignedOnTop(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	id := h.sealedForm()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := h.ca.Certify(ctx, authority.Holder{ID: "9", Name: "Saksi", Organisation: "PT Contoh", Assurance: authority.Account}, key.Public())
	if err != nil {
		t.Fatal(err)
	}
	signed := func(file []byte, field string, fresh bool) []byte {
		o := pades.Options{Field: field, Time: time.Now(), Name: "Saksi", Timestamper: h.ca.Timestamper()}
		if fresh {
			o.Field, o.NewField = "", &pades.FieldSpec{Name: field}
		}
		o.Key = key
		o.Chain = chain
		r, err := pades.Sign(ctx, pades.Source{R: bytes.NewReader(file), Size: int64(len(file))}, o)
		if err != nil {
			t.Fatal(err)
		}
		return append(bytes.Clone(file), r.Tail...)
	}
	allowed := func(what string, file []byte) {
		t.Helper()
		r, err := h.verify(file)
		if err != nil || r.Integrity != validate.IntactLater {
			t.Errorf("%s: %s, %v", what, r.Integrity, err)
			return
		}
		for _, s := range r.Signatures {
			if s.Integrity != validate.Intact && s.Integrity != validate.IntactLater {
				t.Errorf("%s: %s is %s", what, s.Field, s.Integrity)
			}
		}
	}
	file := h.file(id)
	allowed("countersigned in a new field", signed(file, "Atasan", true))
	allowed("countersigned in a field that waited", signed(file, "Saksi", false))
	h.later(19*year + 30*24*time.Hour)
	h.another()
	if renewed, err := h.Renew(ctx, id); err != nil || !renewed {
		t.Fatalf("renewed %v, %v", renewed, err)
	}
	allowed("renewed", h.file(id))
}

func TestSealOfAHugeFormLocksItsRoots(t *testing.T) {
	t.Parallel()
	var names, flat []string
	for i := range 60_000 {
		names = append(names, fmt.Sprintf("Bagian%d.Kolom%06d", i%7, i))
		flat = append(flat, fmt.Sprintf("Kolom%012d", i))
	}
	if got := workflow.BoundNames(names); len(got) != 7 || got[0] != "Bagian0" {
		t.Errorf("%d names, %v", len(got), got[:min(len(got), 8)])
	}
	if got := workflow.BoundNames(flat); got != nil {
		t.Errorf("%d names", len(got))
	}
	if got := workflow.BoundNames(names[:1000]); len(got) != 1000 {
		t.Errorf("%d names of 1,000", len(got))
	}
}
