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
	"segel/internal/workflow"
	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// foreign returns a file with another person's signature, with a lock on its field and a certification of that level;
// nil and 0 for neither.
func foreign(t *testing.T, lock pdf.Dict, certify pdf.Permission) []byte {
	t.Helper()
	file := pdftest.Table(1)
	open := func() *pdf.Document {
		t.Helper()
		d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	grow := func(tail *pdf.Tail, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		file = append(file, tail.Bytes...)
	}
	grow(pades.AddFields(open(), []pades.FieldSpec{{Name: "Before"}}))
	if lock != nil {
		d := open()
		fields, err := d.Fields()
		if err != nil {
			t.Fatal(err)
		}
		u := d.NewUpdate()
		dict, err := u.Edit(fields[0].Ref)
		if err != nil {
			t.Fatal(err)
		}
		dict["Lock"] = lock
		grow(u.Build())
	}
	a, err := authority.NewEphemeral("http://elsewhere.test", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := a.Certify(t.Context(), authority.Holder{ID: "1", Name: "Somebody else", Organisation: "PT Contoh", Assurance: authority.Account}, key.Public())
	if err != nil {
		t.Fatal(err)
	}
	src := pades.Source{R: bytes.NewReader(file), Size: int64(len(file))}
	r, err := pades.Sign(t.Context(), src, pades.Options{Field: "Before", Key: key, Chain: chain, Time: time.Now(), Certify: certify})
	if err != nil {
		t.Fatal(err)
	}
	return append(file, r.Tail...)
}

func lockOf(action string, fields ...string) pdf.Dict {
	l := pdf.Dict{"Type": pdf.Name("SigFieldLock"), "Action": pdf.Name(action)}
	if action != "All" {
		names := pdf.Array{}
		for _, f := range fields {
			names = append(names, pdf.TextString(f))
		}
		l["Fields"] = names
	}
	return l
}

func (h *harness) take(file []byte) (contract.Document, error) {
	h.t.Helper()
	st, err := h.Stage(context.Background(), "")
	if err != nil {
		h.t.Fatal(err)
	}
	defer st.Abort()
	if _, err := st.Write(file); err != nil {
		h.t.Fatal(err)
	}
	return h.Upload(context.Background(), h.owner, workflow.UploadRequest{
		Title: "Uji", Filename: "uji.pdf", File: st,
		People: []workflow.PersonRequest{{ID: h.signer.ID, Role: contract.Signer, Number: 1}},
	})
}

func TestFileWhoseSignaturesLockOursOutIsRefusedAtUpload(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for name, c := range map[string]struct {
		lock pdf.Dict
		code string
	}{
		"everything": {lockOf("All"), "file.certified"}, "all but its own": {lockOf("Exclude", "Before"), "file.certified"},
		"its own": {lockOf("Include", "Before"), ""}, "nothing": {nil, ""},
	} {
		_, err := h.take(foreign(t, c.lock, 0))
		if got := codeOf(err); got != c.code {
			t.Errorf("a lock on %s: %v", name, err)
		}
	}
}

func TestCertifiedFileTakesNoBoxesAndNoQuotaForThem(t *testing.T) {
	t.Parallel()
	skipInShort(t)
	for _, level := range []pdf.Permission{pdf.PermitFilling, pdf.PermitComments} {
		for _, kind := range []contract.PlacementKind{contract.PlaceStamp, contract.PlaceSignature} {
			h := newHarness(t)
			d, err := h.take(foreign(t, nil, level))
			if err != nil {
				t.Fatal(err)
			}
			place := []contract.PlaceRequest{{Kind: kind, Page: 1, Person: h.signer.ID, Emet: &contract.Box{LLX: 50, LLY: 50, URX: 110, URY: 110}}}
			if _, err := h.Place(t.Context(), h.owner, d.ID, 0, place); err != nil {
				t.Fatal(err)
			}
			_, err = h.Finalize(t.Context(), h.owner, d.ID, contract.FinalizeOptions{})
			if codeOf(err) != "file.certified" || h.read(d.ID).State != contract.Draft {
				t.Errorf("level %d, %s: %v", level, kind, err)
			}
			for unit, q := range h.quota() {
				if q.Reserved != 0 {
					t.Errorf("level %d, %s: %d of %s stay reserved", level, kind, q.Reserved, unit)
				}
			}
			if _, err := h.Place(t.Context(), h.owner, d.ID, 0, nil); err != nil {
				t.Fatal(err)
			}
			if _, err := h.Finalize(t.Context(), h.owner, d.ID, contract.FinalizeOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err := h.Sign(t.Context(), h.signer, d.ID, workflow.SignRequest{}); err != nil {
				t.Errorf("level %d: signing an invisible field is permitted: %v", level, err)
			}
			h.work(d.ID)
			if d := h.read(d.ID); d.State != contract.Completed {
				t.Errorf("level %d, %s: %s, %q", level, kind, d.State, d.Reason)
			}
		}
	}
}

// codeOf returns the code of a refusal, an empty string for no error, and the text of any other error.
func codeOf(err error) string {
	var e *contract.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Code
	}
	return err.Error()
}
