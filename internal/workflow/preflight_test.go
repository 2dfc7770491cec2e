package workflow_test

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"fmt"
	"testing"

	"segel/internal/contract"
	"segel/internal/workflow"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// toStamp makes a draft of a file with one stamp on page 1, and optionally a signer.
func (h *harness) toStamp(file []byte, signer bool) contract.DocumentID {
	h.t.Helper()
	ctx := h.t.Context()
	st, err := h.Stage(ctx, "")
	if err != nil {
		h.t.Fatal(err)
	}
	defer st.Abort()
	if _, err := st.Write(file); err != nil {
		h.t.Fatal(err)
	}
	r := workflow.UploadRequest{Title: "Uji", Filename: "uji.pdf", File: st}
	if signer {
		r.People = []workflow.PersonRequest{{ID: h.signer.ID, Role: contract.Signer, Number: 1}}
	}
	d, err := h.Upload(ctx, h.owner, r)
	if err != nil {
		h.t.Fatal(err)
	}
	place := []contract.PlaceRequest{{Kind: contract.PlaceStamp, Page: 1, Person: h.owner.ID, Emet: &contract.Box{LLX: 50, LLY: 50, URX: 110, URY: 110}}}
	if _, err := h.Place(ctx, h.owner, d.ID, 0, place); err != nil {
		h.t.Fatal(err)
	}
	return d.ID
}

// untouched requires that no serial was ordered, no attempt made, and exactly that many units reserved.
func (h *harness) untouched(name string, id contract.DocumentID, reserved int) {
	h.t.Helper()
	d := h.read(id)
	if n := len(h.office.taken); n != 0 {
		h.t.Errorf("%s: %d serials were bought", name, n)
	}
	for _, s := range d.Stamps {
		if s.Attempts != 0 || s.Order != "" || s.Serial != "" || s.State != contract.StampOrdered {
			h.t.Errorf("%s: %+v", name, s)
		}
	}
	q := h.quota()[contract.UnitStamp]
	if q.Reserved != reserved || q.Spent != 0 {
		h.t.Errorf("%s: stamp quota %+v", name, q)
	}
}

// encryptedFor returns a file with an empty page, encrypted with an empty password and those permissions.
func encryptedFor(t *testing.T, permissions int32) []byte {
	t.Helper()
	padding := []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")
	owner, p := bytes.Repeat([]byte{0x5A}, 32), uint32(permissions)
	sum := md5.Sum(append(append(append([]byte(nil), padding...), owner...), byte(p), byte(p>>8), byte(p>>16), byte(p>>24)))
	c, err := rc4.NewCipher(sum[:5])
	if err != nil {
		t.Fatal(err)
	}
	user := make([]byte, 32)
	c.XORKeyStream(user, padding)
	b, table := []byte("%PDF-1.7\n"), []byte("xref\n0 5\n0000000000 65535 f \n")
	for i, o := range []string{
		"<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Kids [3 0 R] /Count 1>>", "<</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200]>>",
		fmt.Sprintf("<</Filter /Standard /V 1 /R 2 /P %d /O <%x> /U <%x>>>", permissions, owner, user),
	} {
		table = fmt.Appendf(table, "%010d 00000 n \n", len(b))
		b = fmt.Appendf(b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	at := len(b)
	return fmt.Appendf(append(b, table...), "trailer\n<</Root 1 0 R /Size 5 /Encrypt 4 0 R>>\nstartxref\n%d\n%%%%EOF\n", at)
}

// alteredDocument changes the content of the page after the signatures of a file.
func alteredDocument(t *testing.T, file []byte) []byte {
	t.Helper()
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	page, err := d.Page(1)
	if err != nil {
		t.Fatal(err)
	}
	u := d.NewUpdate()
	dict, err := u.Edit(page.Ref)
	if err != nil {
		t.Fatal(err)
	}
	dict["Contents"] = u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte("BT /F1 24 Tf 72 720 Td (Page 9) Tj ET")})
	tail, err := u.Build()
	if err != nil {
		t.Fatal(err)
	}
	return append(file, tail.Bytes...)
}

func TestFinalizeRefusesWhatTheOfficeWouldRefuseAndTakesNothing(t *testing.T) {
	t.Parallel()
	skipInShort(t)
	const all, none, noChange, noNotes = int32(-4), int32(-64), int32(-4 &^ 8), int32(-4 &^ 32)
	unrestricted := func(l *contract.Limits) { l.StampEncrypted = contract.EncryptedUnrestricted }
	sound := foreign(t, nil, 0)
	archive := bytes.Replace(pdftest.PDFA(2), []byte("%PDF-1.7"), []byte("%PDF-1.4"), 1)
	for name, c := range map[string]struct {
		file   []byte
		signer bool
		limits func(*contract.Limits)
		code   string
	}{
		"nothing wrong":                                {file: pdftest.Table(1)},
		"signed before, sound":                         {file: sound, signer: true},
		"certified against changes":                    {file: foreign(t, nil, 2), signer: true, code: "file.certified"},
		"certified, comments permitted":                {file: foreign(t, nil, 3), signer: true, code: "file.certified"},
		"larger than the office takes":                 {file: pdftest.Table(1), limits: func(l *contract.Limits) { l.StampFile = 500 }, code: "stamp.file_too_large"},
		"too large once it is signed":                  {file: pdftest.Table(1), signer: true, limits: func(l *contract.Limits) { l.StampFile = 40 << 10 }, code: "stamp.file_too_large"},
		"not too large, unsigned":                      {file: pdftest.Table(1), limits: func(l *contract.Limits) { l.StampFile = 40 << 10 }},
		"encrypted and restricted, where any is taken": {file: encryptedFor(t, none)},
		"encrypted, unrestricted":                      {file: encryptedFor(t, all), limits: unrestricted},
		"encrypted, open to all":                       {file: encryptedFor(t, all)},
		"encrypted, where that is refused":             {file: encryptedFor(t, all), limits: func(l *contract.Limits) { l.StampEncrypted = contract.EncryptedNone }, code: "stamp.file_encrypted"},
		"encrypted against everything":                 {file: encryptedFor(t, none), limits: unrestricted, code: "stamp.file_locked"},
		"encrypted against changes":                    {file: encryptedFor(t, noChange), limits: unrestricted, code: "stamp.file_locked"},
		"encrypted against annotations":                {file: encryptedFor(t, noNotes), limits: unrestricted, code: "stamp.file_locked"},
		"an old archive, unsigned":                     {file: archive, code: "stamp.file_old"},
		"an old archive that is signed":                {file: archive, signer: true},
	} {
		h := newHarness(t)
		if c.limits != nil {
			c.limits(&h.Limits)
		}
		id := h.toStamp(c.file, c.signer)
		blobs := h.blobs()
		_, err := h.Finalize(t.Context(), h.owner, id, contract.FinalizeOptions{})
		if codeOf(err) != c.code {
			t.Errorf("%s: %v, want %q", name, err, c.code)
			continue
		}
		if c.code != "" {
			if d := h.read(id); d.State != contract.Draft || len(d.Stamps) != 0 || h.blobs() != blobs {
				t.Errorf("%s: %s with %d stamps and %d more blobs", name, d.State, len(d.Stamps), h.blobs()-blobs)
			}
			h.untouched(name, id, 0)
			continue
		}
		// An accepted file can be stamped.
		if c.signer {
			if _, err := h.Sign(t.Context(), h.signer, id, workflow.SignRequest{}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		h.work(id)
		if d := h.read(id); d.State != contract.Completed || len(h.office.taken) != 1 {
			t.Errorf("%s: %s with %d serials: %s", name, d.State, len(h.office.taken), d.Reason)
		}
	}
}

func TestDocumentWithoutStampsIsNotHeldAgainstTheOffice(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Limits.StampFile = 10
	d, err := h.take(foreign(t, nil, 0))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Finalize(t.Context(), h.owner, d.ID, contract.FinalizeOptions{}); err != nil {
		t.Error(err)
	}
}

func TestFileThatNoLongerSuitsTheOfficeFailsBeforeASerialIsTaken(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	h := newHarness(t)
	id := h.draft(true, 1)
	if _, err := h.Sign(ctx, h.signer, id, workflow.SignRequest{}); err != nil {
		t.Fatal(err)
	}
	h.Limits.StampFile = 1000 // the stamp office lowers its limit
	if err := h.Stamp(ctx, id); err != nil {
		t.Fatal(err)
	}
	d := h.read(id)
	if d.State != contract.Failed || d.Reason != "stamp.file_too_large" || d.Stamps[0].Problem != d.Reason {
		t.Errorf("%s: %q, %+v", d.State, d.Reason, d.Stamps)
	}
	h.untouched("held back", id, 1)
	if err := h.Stamp(ctx, id); err != nil || h.read(id).Version != d.Version {
		t.Errorf("another run of the job changed the document: %v", err)
	}

	if _, err := h.Restamp(ctx, h.owner, id, false); err != nil {
		t.Fatal(err)
	}
	if err := h.Stamp(ctx, id); err != nil || h.read(id).State != contract.Failed {
		t.Errorf("a restamp of a file that is still too large: %v", err)
	}
	h.untouched("held back again", id, 1)

	h.Limits.StampFile = 0
	if _, err := h.Restamp(ctx, h.owner, id, false); err != nil {
		t.Fatal(err)
	}
	h.work(id)
	if d := h.read(id); d.State != contract.Completed || len(h.office.taken) != 1 || d.Stamps[0].Problem != "" {
		t.Errorf("%s with %d serials: %+v", d.State, len(h.office.taken), d.Stamps)
	}
}
