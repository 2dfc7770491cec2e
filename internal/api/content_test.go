package api

import (
	"bytes"
	"context"
	"encoding/base64"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"segel/internal/blob/blobtest"
	"segel/internal/contract"
	"segel/internal/export"
	"segel/internal/identity"
)

func TestAFileNameCannotBreakOutOfItsHeader(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"sewa.pdf":                          "sewa.pdf",
		"surat kuasa (2).pdf":               "surat kuasa (2).pdf",
		"perjanjian\r\nSet-Cookie: a=b.pdf": "perjanjian Set-Cookie: a=b.pdf",
		`a"b\c;d.pdf`:                       `a"b\c;d.pdf`,
		"кontrak–日本.pdf":                    "кontrak–日本.pdf",
		"harga\u202efdp.exe":                "hargafdp.exe",
		"100%25.pdf":                        "100%25.pdf",
	} {
		h := contentDisposition("attachment", name)
		if strings.ContainsAny(h, "\r\n\x00") {
			t.Errorf("%q: %q", name, h)
		}
		kind, params, err := mime.ParseMediaType(h)
		if err != nil || kind != "attachment" || params["filename"] != want {
			t.Errorf("%q: %q reads as %v, %v", name, h, params, err)
		}
		for _, r := range h {
			if r > '~' {
				t.Errorf("%q: %q is not ASCII", name, h)
			}
		}
	}
}

func TestADownloadKnowsRangesAndWhatTheClientHas(t *testing.T) {
	t.Parallel()
	b := newBench(t, completed())
	w := b.ask("GET", dBase+"download/1207", "")
	etag := w.Header().Get("ETag")
	if w.Code != 200 || !bytes.Equal(w.Body.Bytes(), file1) || len(etag) != 66 || w.Header().Get("Accept-Ranges") != "bytes" {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	if w := b.ask("GET", dBase+"download/1207", "", "Range", "bytes=5-8", "If-Range", etag); w.Code != 206 || w.Body.String() != string(file1[5:9]) {
		t.Errorf("range: %d %q", w.Code, w.Body)
	}
	if w := b.ask("GET", dBase+"download/1207", "", "If-None-Match", etag); w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("not modified: %d", w.Code)
	}
	if w := b.ask("HEAD", dBase+"download/1207", ""); w.Code != 200 || w.Header().Get("Content-Length") != strconv.Itoa(len(file1)) {
		t.Errorf("head: %d %v", w.Code, w.Header())
	}
}

// The whole file is right for any client, and each range costs a part of the answer.
func TestMoreThanSixteenRangesAreAnsweredWithTheWholeFile(t *testing.T) {
	t.Parallel()
	b := newBench(t, completed())
	ranges := func(n int) string { return "bytes=" + strings.TrimSuffix(strings.Repeat("0-0,", n), ",") }
	for name, test := range map[string]struct {
		headers []string
		status  int
	}{
		"one":                     {[]string{"Range", ranges(1)}, 206},
		"sixteen":                 {[]string{"Range", ranges(16)}, 206},
		"seventeen":               {[]string{"Range", ranges(17)}, 200},
		"3,500":                   {[]string{"Range", ranges(3500)}, 200},
		"seventeen, mostly empty": {[]string{"Range", "bytes=0-0" + strings.Repeat(",", 16)}, 200},
	} {
		for _, path := range []string{"download", "preview"} {
			w := b.ask("GET", dBase+path+"/1207", "", test.headers...)
			if w.Code != test.status {
				t.Errorf("%s of %s: %d", name, path, w.Code)
			}
			if test.status == 200 && !bytes.Equal(w.Body.Bytes(), file1) {
				t.Errorf("%s of %s: %d bytes, not the whole file", name, path, w.Body.Len())
			}
			if test.status == 206 && w.Body.Len() > 16*300 {
				t.Errorf("%s of %s: %d bytes", name, path, w.Body.Len())
			}
		}
	}
}

func TestTheOriginalIsWhatItsContentSays(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"%PDF-1.4":                  "application/pdf",
		"junk %PDF-1.4":             "application/pdf",
		"PK\x03\x04 docx":           "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"\xD0\xCF\x11\xE0 doc":      "application/msword",
		"<script>alert(1)</script>": "application/octet-stream",
		"":                          "application/octet-stream",
	} {
		b, d := newBench(t, contract.Document{}), draft()
		d.Filename = "kontrak.docx"
		b.insert(d, []byte(content))
		w := b.ask("GET", dBase+"original/1207", "")
		if w.Header().Get("Content-Type") != want || !strings.Contains(w.Header().Get("Content-Disposition"), "attachment; filename=\"kontrak.docx\"") || w.Body.String() != content {
			t.Errorf("%q: %v %q", content, w.Header(), w.Body)
		}
	}
	d := completed()
	d.Filename = "kontrak.docx"
	b := newBench(t, d)
	if got := b.ask("GET", dBase+"preview/1207", "").Header().Get("Content-Disposition"); !strings.Contains(got, `filename="SPESIMEN-kontrak.pdf"`) {
		t.Errorf("the preview is called %s", got)
	}
}

func TestADownloadIsCalledByItsTitleAndSigned(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Perjanjian Sewa":         `attachment; filename="Perjanjian Sewa-signed.pdf"; filename*=UTF-8''Perjanjian%20Sewa-signed.pdf`,
		"Perjanjian.PDF":          `attachment; filename="Perjanjian-signed.pdf"; filename*=UTF-8''Perjanjian-signed.pdf`,
		"kontrak.docx":            `attachment; filename="kontrak-signed.pdf"; filename*=UTF-8''kontrak-signed.pdf`,
		"Sewa é 合同":               `attachment; filename="Sewa _ __-signed.pdf"; filename*=UTF-8''Sewa%20%C3%A9%20%E5%90%88%E5%90%8C-signed.pdf`,
		`../a/b\c:"d"? 12/2026. `: `attachment; filename="_a_b_c__d__ 12_2026-signed.pdf"; filename*=UTF-8''_a_b_c__d__%2012_2026-signed.pdf`,
		"a\r\nX-Evil: 1":          `attachment; filename="a X-Evil_ 1-signed.pdf"; filename*=UTF-8''a%20X-Evil_%201-signed.pdf`,
		"CON.pdf":                 `attachment; filename="_CON-signed.pdf"; filename*=UTF-8''_CON-signed.pdf`,
		".pdf":                    `attachment; filename="pdf-signed.pdf"; filename*=UTF-8''pdf-signed.pdf`,
		strings.Repeat("é", 255):  `attachment; filename="` + strings.Repeat("_", 90) + `-signed.pdf"; filename*=UTF-8''` + strings.Repeat("%C3%A9", 90) + `-signed.pdf`,
	} {
		d := completed()
		d.Title, d.Specimen = title, false
		if got := contentDisposition("attachment", export.SignedStem(&d)+".pdf"); got != want {
			t.Errorf("%q: %s, want %s", title, got, want)
		}
	}
	d := completed()
	d.Title = "Perjanjian"
	b := newBench(t, d)
	if got, want := b.ask("GET", dBase+"download/1207", "").Header().Get("Content-Disposition"), `attachment; filename="SPESIMEN-Perjanjian-signed.pdf"; filename*=UTF-8''SPESIMEN-Perjanjian-signed.pdf`; got != want {
		t.Errorf("a specimen: %s, want %s", got, want)
	}
}

func TestARefusedFileIsAnsweredInTheEnvelope(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	refused(t, b.ask("GET", dBase+"download/1207", ""), 409, "document.not_completed")
}

func TestAFormUploadsLikeJSON(t *testing.T) {
	t.Parallel()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range map[string]string{
		"document_title": "Sewa", "parallel": "1", "signer": `[{"id":"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01","role":"signer","number":"2"}]`,
		"guest": `{"name":"Budi","email":"budi@contoh.id","role":"viewer"}`, "unknown": "x",
	} {
		if err := form.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	part, err := form.CreateFormFile("document", "sewa.pdf")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(file1)
	form.Close()
	b := newBench(t, contract.Document{})
	requireOK[done[uploadData]](t, b.ask("POST", sBase+"upload-docs", body.String(), "Content-Type", form.FormDataContentType()))
	d := b.document(1207)
	number := map[contract.PersonID]int{}
	guests := 0
	for _, p := range d.Participants {
		number[p.ID] = p.Number
		if p.Guest {
			guests++
		}
	}
	if d.Title != "Sewa" || d.Filename != "sewa.pdf" || !d.Parallel || len(d.Participants) != 2 || number[siti.ID] != 2 || guests != 1 {
		t.Errorf("uploaded %+v", d)
	}
	if w := b.ask("GET", dBase+"original/1207", ""); !bytes.Equal(w.Body.Bytes(), file1) {
		t.Errorf("stored %q", w.Body)
	}
}

func TestAFormWithoutItsFileIsToldSo(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	f := refused(t, b.ask("POST", sBase+"upload-docs", "--x\r\nContent-Disposition: form-data; name=\"parallel\"\r\n\r\n7\r\n--x--\r\n", "Content-Type", "multipart/form-data; boundary=x"), 422, "input.invalid")
	if len(f.Error.Fields) != 2 || f.Error.Fields[0].Field != "document" || f.Error.Fields[1].Field != "parallel" {
		t.Errorf("fields %+v", f.Error.Fields)
	}
	for _, kind := range []string{"", "application/json", "multipart/form-data"} {
		refused(t, b.ask("POST", sBase+"upload-docs", "{}", "Content-Type", kind), 400, "input.not_multipart")
	}
	refused(t, b.ask("POST", sBase+"upload-docs", "--x\r\nContent-Disposition: form-data; name=\"signer\"\r\n\r\n[{\r\n--x--\r\n", "Content-Type", "multipart/form-data; boundary=x"), 422, "input.invalid")
}

func TestStagingFailureIsAServerError(t *testing.T) {
	t.Parallel()
	b := newBench(t, contract.Document{})
	b.onBlob = func(op blobtest.Op) blobtest.Fault {
		if op == blobtest.OpWrite {
			return blobtest.Before
		}
		return blobtest.NoFault
	}
	refused(t, b.ask("POST", sBase+"upload-docs-base64", uploadBody), 500, "server.error")
	b.onBlob = nil
	refused(t, b.ask("POST", sBase+"upload-docs-base64", `{"document_base64":"`+base64.StdEncoding.EncodeToString(make([]byte, 5000))+`"}`), 415, "file.unsupported")
	if n := b.countBlobs(); n != 0 {
		t.Errorf("%d staged files were left behind", n)
	}
}

func TestOneUploadTooManyAtOnceIsToldToComeAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, contract.Document{}, func(o *Options) { o.MaxUploads = 1 })
	b.store.once("Commit", func() {
		refused(t, b.ask("POST", sBase+"upload-docs-base64", uploadBody), 503, "server.unavailable")
	})
	for range 2 {
		if w := b.ask("POST", sBase+"upload-docs-base64", uploadBody); w.Code != 200 {
			t.Errorf("an upload at its turn: %d %s", w.Code, w.Body)
		}
	}
}

func TestEventsFollowADocumentToItsEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t, processing())
	waited := 0
	b.store.on(func(_ context.Context, call string) error {
		if call != "Versions" {
			return nil
		}
		switch waited++; waited {
		case 1:
			return context.DeadlineExceeded
		case 2:
			b.change(func(d *contract.Document) { d.RemindedAt = now })
		case 3:
			b.change(complete)
		}
		return nil
	})
	w := b.ask("GET", dBase+"events/1207", "")
	got := w.Body.String()
	for _, want := range []string{"event: progress\nid: 1\ndata: {", ": still here\n\n", "id: 2\n", "id: 3\n", `"status":"completed"`, `"signing_status":"completed"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") || !w.Flushed {
		t.Errorf("%v", w.Header())
	}
}

// complete brings the document into its final state.
func complete(d *contract.Document) {
	end := completed()
	d.State, d.EndedAt, d.LastSignedAt, d.Participants, d.Stamps = end.State, end.EndedAt, end.LastSignedAt, end.Participants, end.Stamps
}

// beforeWait runs before the stream looks for a change of the document.
func (b *bench) beforeWait(do func(context.Context) error) {
	b.store.on(func(ctx context.Context, call string) error {
		if call != "Versions" {
			return nil
		}
		return do(ctx)
	})
}

func TestEventsBeginWhereTheClientLeftOff(t *testing.T) {
	t.Parallel()
	b := newBench(t, completed())
	if w := b.ask("GET", dBase+"events/1207", "", "Last-Event-ID", "1"); w.Code != http.StatusNoContent {
		t.Errorf("everything was sent before: %d", w.Code)
	}
	b = newBench(t, processing())
	b.store.once("Versions", func() { b.change(complete) })
	if got := b.ask("GET", dBase+"events/1207", "", "Last-Event-ID", "1").Body.String(); strings.Contains(got, "id: 1\n") || !strings.Contains(got, "id: 2\n") {
		t.Errorf("got %s", got)
	}
	refused(t, b.ask("GET", dBase+"events/1208", ""), 404, "document.not_found")
}

func TestAnAnswerThatBreaksOffIsCut(t *testing.T) {
	t.Parallel()
	b := newBench(t, processing())
	b.beforeWait(func(context.Context) error { panic("trouble") })
	defer func() {
		if p := recover(); p != http.ErrAbortHandler {
			t.Errorf("the server sees %v", p)
		}
	}()
	b.ask("GET", dBase+"events/1207", "")
}

func TestEventsEndWithTheToken(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(*bench) error{
		"when something happens": func(b *bench) error { b.change(complete); return nil },
		"when nothing does":      func(*bench) error { return context.DeadlineExceeded },
	} {
		b := newBench(t, processing())
		waited := 0
		b.beforeWait(func(ctx context.Context) error {
			if waited++; waited > 1 {
				t.Errorf("%s: the stream goes on", name)
			}
			if err := b.identity.Logout(ctx, b.fill("owner"), identity.Client{}); err != nil {
				t.Error(err)
			}
			return next(b)
		})
		if got := b.ask("GET", dBase+"events/1207", "").Body.String(); !strings.Contains(got, "id: 1\n") || strings.Contains(got, "id: 2\n") || strings.Contains(got, "still here") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestEventsEndWhenTheClientGoes(t *testing.T) {
	t.Parallel()
	b := newBench(t, processing())
	ctx, cancel := context.WithCancel(t.Context())
	b.beforeWait(func(ctx context.Context) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	})
	b.ServeHTTP(httptest.NewRecorder(), b.request("GET", dBase+"events/1207", nil).WithContext(ctx))
}

func TestAPictureShowsLettersAndNothingElse(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	for query, want := range map[string]string{
		"SR": ">SR<", "s": ">S<", "%3Cscript%3E": ">SC<", "%22onload%3D1": ">ON<", "日本語": ">日本<", "&initials=x": "<circle", "": "<circle", "\u202e": "<circle",
	} {
		w := b.ask("GET", "/v1/avatar/%3Cscript%3E?initials="+query, "", "X-Access-Token", "")
		if w.Code != 200 || !strings.Contains(w.Body.String(), want) || strings.Contains(w.Body.String(), "script") || w.Header().Get("Content-Type") != "image/svg+xml" {
			t.Errorf("%q: %d %s", query, w.Code, w.Body)
		}
	}
	for name, want := range map[string]string{"Siti Rahma": "SR", "budi": "B", "Andi de Wijaya": "AW", "  ": "", "(x) 9": "X9", "andi@contoh.id": "A"} {
		if got := initialsOf(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
