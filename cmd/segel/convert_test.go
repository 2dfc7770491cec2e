package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/convert/converttest"
	"segel/internal/convert/libreoffice"
	"segel/internal/isolation/isolationtest"
)

// converts skips a test if LibreOffice or its sandbox is unavailable, unless SEGEL_REQUIRE_CONVERT requires them.
func converts(t *testing.T) {
	t.Helper()
	o, err := libreoffice.Open(t.Context(), libreoffice.Options{Spare: 1})
	isolationtest.Require(t, err)
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
}

// uploadWord uploads a file under a name.
func (c *client) uploadWord(file []byte, filename string, people ...object) *answer {
	c.t.Helper()
	return c.do("POST", uploadPath, body(c.t, file, object{"filename": filename, "signer": people}))
}

func idOf(a *answer) int64 {
	return int64(a.ok().object("response", "data")["document_id"].(float64))
}

func TestWordDocumentIsConvertedPlacedSignedStampedAndSealed(t *testing.T) {
	t.Parallel()
	converts(t)
	s := start(t, "SEGEL_CONVERT", "libreoffice", "SEGEL_CONVERT_WAIT", "60s")
	owner, signer := s.person(t, "Sari Wulandari", ""), s.person(t, "Budi Santoso", "")
	file := converttest.Sample()
	a := owner.uploadWord(file, "sewa.docx", signer.as("signer", 1))
	id := idOf(a)
	for _, code := range []string{"document.fonts_replaced", "document.fonts_alike", "document.tracked_changes"} {
		if !bytes.Contains(a.body, []byte(code)) || !bytes.Contains(owner.get("detail", id).ok().body, []byte(code)) {
			t.Errorf("the answer does not report %s: %s", code, a.body)
		}
	}
	if bytes.Contains(a.body, []byte("document.pages_differ")) {
		t.Errorf("the pages are not those the file says it has: %s", a.body)
	}
	owner.place(id, signer.at("sign", 100, 100, 260, 160), signer.at("emet", 300, 100, 380, 180)).ok()
	owner.verb("finalize-docs", id).ok()
	signer.verb("sign-docs", id).ok()
	owner.completed(id)
	if n := soundSignatures(t, owner.download(id)); n != 4 {
		t.Errorf("%d signatures", n)
	}
	original := owner.get("original", id).ok()
	if !bytes.Equal(original.body, file) || !strings.Contains(original.header.Get("Content-Type"), "wordprocessingml") || !strings.Contains(original.header.Get("Content-Disposition"), "sewa.docx") ||
		original.header.Get("ETag") != fmt.Sprintf(`"%x"`, sha256.Sum256(file)) {
		t.Errorf("the original is not what was uploaded: %v", original.header)
	}
	if name := owner.get("preview", id).ok().header.Get("Content-Disposition"); !strings.Contains(name, "sewa.pdf") {
		t.Errorf("the PDF is called %s", name)
	}
	if trail := owner.get("audit-trail", id).ok(); !bytes.Contains(trail.body, []byte(`"converted"`)) {
		t.Errorf("the audit trail does not tell of the conversion: %s", trail.body)
	}
	draft := idOf(owner.uploadWord(file, "draf.docx"))
	owner.do("DELETE", fmt.Sprint(documentPath, draft), nil).ok()
	fsck(t, s, 0)
}

func TestWordDocumentThatMustNotBeConvertedLeavesNothing(t *testing.T) {
	t.Parallel()
	s := start(t, "SEGEL_CONVERT", "http://127.0.0.1:9") // which is never called
	owner := s.person(t, "Sari Wulandari", "")
	statuses := map[string]int{"not_word": 415}
	codes := map[string]string{"not_word": "file.unsupported", "encrypted": "file.word_password"}
	for _, a := range converttest.Attacks(converttest.Targets{URL: "http://127.0.0.1:9/", Secret: "/etc/passwd", Picture: "/etc/hostname.png"}) {
		status, code := statuses[a.Reason], codes[a.Reason]
		if status == 0 {
			status = 422
		}
		if code == "" {
			code = "file.word_" + a.Reason
		}
		if len(a.File) == 0 || bytes.HasPrefix(a.File, []byte("%PDF")) || len(a.File) > 1<<20 {
			continue // not an upload, not a Word document, or large
		}
		owner.uploadWord(a.File, "kontrak."+string(a.Kind)).is(status, code)
	}
	if final, unfinished := blobs(t, s); len(final)+len(unfinished) != 0 {
		t.Errorf("%d files are left behind, and %d unfinished", len(final), len(unfinished))
	}
}

func TestWordIsRefusedWithoutAConverter(t *testing.T) {
	t.Parallel()
	s := start(t, "SEGEL_CONVERT", "off")
	s.person(t, "Sari Wulandari", "").uploadWord(converttest.Document{Body: converttest.Paragraphs("x")}.Bytes(), "x.docx").is(http.StatusUnsupportedMediaType, "file.word_unavailable")
}

// gotenbergThat runs a fake conversion service. It answers only after it is released.
func gotenbergThat(t *testing.T, answer func(http.ResponseWriter)) (url string, letGo chan struct{}) {
	letGo = make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, _, err := r.FormFile("files"); err != nil {
			t.Error(err)
		}
		select {
		case <-letGo:
			answer(w)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, letGo
}

var gotenbergArgs = []string{"SEGEL_OUTBOUND_PRIVATE", "127.0.0.0/8", "SEGEL_CONVERT_WAIT", "10ms"}

// TestWhileADocumentIsConvertedItCanBeAskedForLater uploads to a slow converter.
func TestWhileADocumentIsConvertedItCanBeAskedForLater(t *testing.T) {
	t.Parallel()
	url, letGo := gotenbergThat(t, func(w http.ResponseWriter) { _, _ = w.Write(simple()) })
	s := start(t, append([]string{"SEGEL_CONVERT", url}, gotenbergArgs...)...)
	owner, signer := s.person(t, "Sari Wulandari", ""), s.person(t, "Budi Santoso", "")
	a := owner.uploadWord(converttest.Document{Body: converttest.Paragraphs("Pasal 1")}.Bytes(), "sewa.docx", signer.as("signer", 1))
	id := idOf(a)
	for _, busy := range []*answer{owner.place(id, signer.at("sign", 100, 100, 260, 160)), owner.verb("finalize-docs", id), owner.get("preview", id)} {
		busy.is(http.StatusConflict, "document.converting")
		if busy.header.Get("Retry-After") == "" || busy.object("error")["retryable"] != true {
			t.Errorf("%s does not invite to come again: %v %s", busy.what, busy.header, busy.body)
		}
	}
	if at := firstStep(owner, id); at["step"] != "converted" || at["state"] != "active" {
		t.Errorf("progress is %v", at)
	}
	close(letGo)
	owner.whenConverted(id)
	if at := firstStep(owner, id); at["state"] != "done" {
		t.Errorf("progress is %v", at)
	}
	owner.place(id, signer.at("sign", 100, 100, 260, 160)).ok()
	owner.verb("finalize-docs", id).ok()
}

func TestWordDocumentWhoseConversionFailsSaysWhy(t *testing.T) {
	t.Parallel()
	url, letGo := gotenbergThat(t, func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadRequest) })
	s := start(t, append([]string{"SEGEL_CONVERT", url}, gotenbergArgs...)...)
	owner := s.person(t, "Sari Wulandari", "")
	file := converttest.Document{Body: converttest.Paragraphs("Pasal 1")}.Bytes()
	id := idOf(owner.uploadWord(file, "sewa.docx"))
	close(letGo)
	owner.whenConverted(id)
	if at := firstStep(owner, id); at["state"] != "stopped" || at["reason"] == nil {
		t.Errorf("progress is %v", at)
	}
	owner.place(id).is(http.StatusUnprocessableEntity, "file.word_failed")
	owner.do("DELETE", fmt.Sprint(documentPath, id), nil).ok()

	// A client that waits long enough gets the result at once, and nothing is left behind.
	s.stop()
	s = start(t, append([]string{"SEGEL_CONVERT", url}, append(gotenbergArgs, "SEGEL_CONVERT_WAIT", "60s")...)...)
	owner = s.person(t, "Sari Wulandari", "")
	owner.uploadWord(file, "sewa.docx").is(http.StatusUnprocessableEntity, "file.word_failed")
	if n := owner.do("GET", documentPath+"out", nil).ok().object("data", "pagination")["total_data"]; n != float64(0) {
		t.Errorf("%v documents stay behind", n)
	}
}

func TestPDFOfTheConverterIsAnUploadLikeAnyOther(t *testing.T) {
	t.Parallel()
	for name, pdf := range map[string][]byte{
		"no PDF": []byte("<html>"), "half a PDF": simple()[:300], "locked": encryptedFile(t, simple(), "256", "rahasia"),
		"changed after it was signed": bytes.Replace(signedElsewhere(t, simple(), "http://elsewhere.test"), []byte("/MediaBox"), []byte("/MediaBix"), 1),
	} {
		url, letGo := gotenbergThat(t, func(w http.ResponseWriter) { _, _ = w.Write(pdf) })
		close(letGo)
		s := start(t, append([]string{"SEGEL_CONVERT", url}, append(gotenbergArgs, "SEGEL_CONVERT_WAIT", "60s")...)...)
		a := s.person(t, "Sari Wulandari", "").uploadWord(converttest.Document{Body: converttest.Paragraphs("Pasal 1")}.Bytes(), "sewa.docx")
		if a.status != http.StatusUnprocessableEntity || !bytes.Contains(a.body, []byte("file.word_failed")) {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
}

// TestConversionIsDoneByTheNextServiceWhenThisOneDies leaves a conversion unfinished and starts another service.
func TestConversionIsDoneByTheNextServiceWhenThisOneDies(t *testing.T) {
	t.Parallel()
	url, letGo := gotenbergThat(t, func(w http.ResponseWriter) { _, _ = w.Write(simple()) })
	data := filepath.Join(t.TempDir(), "data")
	set := append([]string{"SEGEL_CONVERT", url}, gotenbergArgs...)
	s := starting{data: data, set: set, idle: true}.start(t)
	owner := s.person(t, "Sari Wulandari", "")
	id := idOf(owner.uploadWord(converttest.Document{Body: converttest.Paragraphs("Pasal 1")}.Bytes(), "sewa.docx"))
	s.stop()
	close(letGo)
	s = starting{data: data, set: set}.start(t)
	owner.on(s).whenConverted(id)
	owner.on(s).get("preview", id).ok()
	fsck(t, s, 0)
}

// whenConverted waits until no conversion is outstanding.
func (c *client) whenConverted(id int64) {
	c.t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		d, err := c.workflow.WaitForChange(c.t.Context(), contract.Actor{}, docID(id), -1)
		if err != nil {
			c.t.Fatal(err)
		}
		if d.Conversion.State != contract.Converting {
			return
		}
		if _, err := c.workflow.WaitForChange(c.t.Context(), contract.Actor{}, docID(id), d.Version); err != nil {
			c.t.Fatal(err)
		}
	}
	c.t.Fatalf("document %d is still being converted", id)
}

func firstStep(c *client, id int64) object {
	return c.get("status", id).ok().object("data", "progress")["steps"].([]any)[0].(object)
}
