package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/contract"
)

const uploadsPath = "/v1/uploads"

// padded returns a PDF of one page with at least n bytes, which differ from place to place.
func padded(n int) []byte {
	var b bytes.Buffer
	var at []int
	add := func(format string, args ...any) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n", len(at))
		fmt.Fprintf(&b, format, args...)
		b.WriteString("\nendobj\n")
	}
	b.WriteString("%PDF-1.7\n")
	add("<< /Type /Catalog /Pages 2 0 R >>")
	add("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
	add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>")
	var stream bytes.Buffer
	for i := 0; stream.Len() < n; i++ {
		fmt.Fprintf(&stream, "%% line %d\n", i)
	}
	add("<< /Length %d >>\nstream\n%s\nendstream", stream.Len(), stream.Bytes())
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, table)
	return b.Bytes()
}

// tus sends a request of tus.
func (c *client) tus(method, path string, body io.Reader, header ...string) *answer {
	c.t.Helper()
	return c.send(method, path, body, append([]string{"Tus-Resumable", "1.0.0"}, header...)...)
}

// beginUpload begins an upload and returns its path.
func (c *client) beginUpload(size int, metadata ...string) string {
	c.t.Helper()
	for i := 1; i < len(metadata); i += 2 {
		metadata[i] = base64.StdEncoding.EncodeToString([]byte(metadata[i]))
	}
	var pairs []string
	for i := 0; i+1 < len(metadata); i += 2 {
		pairs = append(pairs, metadata[i]+" "+metadata[i+1])
	}
	a := c.tus("POST", uploadsPath, nil, "Upload-Length", strconv.Itoa(size), "Upload-Metadata", strings.Join(pairs, ",")).is(http.StatusCreated)
	location := a.header.Get("Location")
	if id := a.object("data")["upload_id"]; location != "uploads/"+id.(string) || a.header.Get("Upload-Offset") != "0" {
		c.t.Fatalf("upload %v begins at %s with offset %s", id, location, a.header.Get("Upload-Offset"))
	}
	if expires, err := http.ParseTime(a.header.Get("Upload-Expires")); err != nil || !expires.After(time.Now()) {
		c.t.Fatalf("it expires at %v, %v", expires, err)
	}
	return "/v1/" + location
}

// sendPart sends a part of an upload.
func (c *client) sendPart(path string, offset int, part []byte) *answer {
	c.t.Helper()
	return c.tus("PATCH", path, bytes.NewReader(part), "Upload-Offset", strconv.Itoa(offset), "Content-Type", "application/offset+octet-stream")
}

// offsetOf returns how much of an upload is stored.
func (c *client) offsetOf(path string) int {
	c.t.Helper()
	a := c.tus("HEAD", path, nil).ok()
	n, err := strconv.Atoi(a.header.Get("Upload-Offset"))
	if err != nil || len(a.body) > 0 || a.header.Get("Cache-Control") != "no-store" || a.header.Get("Tus-Resumable") != "1.0.0" {
		c.t.Fatalf("HEAD: %v, %v, %d bytes", err, a.header, len(a.body))
	}
	return n
}

func uploadIDOf(path string) string { return path[strings.LastIndex(path, "/")+1:] }

// finishUpload makes a document of an upload.
func (c *client) finishUpload(path string, header ...string) *answer {
	c.t.Helper()
	return c.do("POST", uploadPath, object{"document_title": "Kontrak", "upload_id": uploadIDOf(path)}, header...)
}

func documentOf(a *answer) int64 {
	a.t.Helper()
	return int64(a.ok().object("response", "data")["document_id"].(float64))
}

func (c *client) requireOriginal(id int64, want []byte) {
	c.t.Helper()
	if got := c.get("original", id).ok().body; !bytes.Equal(got, want) {
		c.t.Fatalf("the original has %d bytes, the upload had %d, or they differ", len(got), len(want))
	}
}

func TestAFileThatArrivesInPartsBecomesOneDocument(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.person(t, "Pemilik", "")
	file := padded(1 << 20)
	sum := sha256.Sum256(file)
	path := owner.beginUpload(len(file), "filename", "kontrak sewa.pdf", "sha256", hex.EncodeToString(sum[:]))
	cut := 300_000
	a := owner.sendPart(path, 0, file[:cut]).is(http.StatusNoContent)
	if a.header.Get("Upload-Offset") != strconv.Itoa(cut) {
		t.Errorf("stored up to %s", a.header.Get("Upload-Offset"))
	}
	data := owner.do("GET", path, nil).ok().object("data")
	prefix := sha256.Sum256(file[:cut])
	if data["offset"] != float64(cut) || data["size"] != float64(len(file)) || data["sha256"] != hex.EncodeToString(prefix[:]) || data["filename"] != "kontrak sewa.pdf" || data["document_id"] != nil {
		t.Errorf("%v", data)
	}
	owner.finishUpload(path).is(http.StatusConflict, "upload.incomplete")
	owner.sendPart(path, 0, file).is(http.StatusConflict, "upload.offset_differs")
	owner.sendPart(path, cut, append(bytes.Clone(file[cut:]), 'x')).is(http.StatusRequestEntityTooLarge, "upload.too_long")
	if n := owner.offsetOf(path); n != len(file) {
		t.Fatalf("%d of %d bytes are stored", n, len(file))
	}
	id := documentOf(owner.finishUpload(path))
	owner.requireOriginal(id, file)
	if got := documentOf(owner.finishUpload(path)); got != id {
		t.Errorf("finished again, it is document %d, before %d", got, id)
	}
	if got := documentOf(owner.finishUpload(path, "Idempotency-Key", "kunci")); got != id {
		t.Errorf("finished with a key, it is document %d, before %d", got, id)
	}
	if data := owner.do("GET", path, nil).ok().object("data"); data["document_id"] != float64(id) {
		t.Errorf("%v", data)
	}
	if total := owner.do("GET", documentPath+"out", nil).ok().object("data", "pagination")["total_data"]; total != 1.0 {
		t.Errorf("%v documents", total)
	}
	requireNoParts(t, s)
	// A form takes an upload too.
	path = owner.beginUpload(len(file))
	owner.sendPart(path, 0, file).is(http.StatusNoContent)
	form := "--x\r\nContent-Disposition: form-data; name=\"upload_id\"\r\n\r\n" + uploadIDOf(path) + "\r\n--x--\r\n"
	owner.requireOriginal(documentOf(owner.do("POST", "/v1/econtract/web/sign/upload-docs", []byte(form), "Content-Type", "multipart/form-data; boundary=x")), file)
}

// requireNoParts requires that every file belongs to a document.
func requireNoParts(t *testing.T, s *service) {
	t.Helper()
	blobs := 0
	for _, err := range s.app.blobs.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		blobs++
	}
	documents := 0
	if err := s.store.EachDocument(t.Context(), func(d contract.Document, err error) bool { documents++; return true }); err != nil {
		t.Fatal(err)
	}
	if blobs != documents {
		t.Errorf("%d files of %d documents", blobs, documents)
	}
}

func TestOfManyRequestsThatFinishAnUploadAllGetTheSameDocument(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.person(t, "Pemilik", "")
	file := simple()
	path := owner.beginUpload(len(file))
	owner.sendPart(path, 0, file).is(http.StatusNoContent)
	answers := make(chan *answer, 6)
	var all sync.WaitGroup
	for range cap(answers) {
		all.Go(func() { answers <- owner.finishUpload(path) })
	}
	all.Wait()
	close(answers)
	made := map[int64]bool{}
	for a := range answers {
		made[documentOf(a)] = true
	}
	if len(made) != 1 {
		t.Errorf("they got %v", made)
	}
	requireNoParts(t, s)
}

func TestAnUploadIsOnlyForThePersonWhoBeganIt(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, colleague, outsider := s.person(t, "Pemilik", ""), s.person(t, "Rekan", ""), s.person(t, "Lain", "Organisasi Lain")
	file := simple()
	path, missing := owner.beginUpload(len(file)), uploadsPath+"/"+strings.Repeat("0", 32)
	owner.sendPart(path, 0, file).is(http.StatusNoContent)
	for _, c := range []*client{colleague, outsider} {
		for _, ask := range []func(string) *answer{
			func(p string) *answer { return c.do("GET", p, nil) },
			func(p string) *answer { return c.tus("HEAD", p, nil) },
			func(p string) *answer { return c.sendPart(p, len(file), nil) },
			func(p string) *answer { return c.tus("DELETE", p, nil) },
			func(p string) *answer { return c.finishUpload(p) },
		} {
			foreign, absent := ask(path).is(http.StatusNotFound), ask(missing).is(http.StatusNotFound)
			if len(foreign.body) == 0 && len(absent.body) == 0 { // HEAD
				continue
			}
			if got, want := plainRefusal(foreign), plainRefusal(absent); got != want {
				t.Errorf("%s: %s, but of what does not exist: %s", foreign.what, got, want)
			}
		}
	}
	if n := owner.offsetOf(path); n != len(file) {
		t.Errorf("%d bytes are left", n)
	}
	d := owner.uploadWith(object{"guest": object{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": 1}}, file)
	owner.verb("finalize-docs", d).ok()
	guest := owner.guest(d, guestOf(owner, d))
	guest.tus("POST", uploadsPath, nil, "Upload-Length", "10").is(http.StatusForbidden)
	guest.do("GET", path, nil).is(http.StatusForbidden)
	(&client{service: s, t: t}).do("GET", path, nil).is(http.StatusUnauthorized)
}

func TestTheSubsetOfTusIsKept(t *testing.T) {
	t.Parallel()
	s := start(t, "SEGEL_MAX_FILE", "1MiB", "SEGEL_MAX_OPEN_UPLOADS_PER_PERSON", "3")
	owner := s.person(t, "Pemilik", "")
	for _, path := range []string{uploadsPath, uploadsPath + "/x"} {
		a := owner.send("OPTIONS", path, nil).is(http.StatusNoContent)
		for name, want := range map[string]string{"Tus-Resumable": "1.0.0", "Tus-Version": "1.0.0", "Tus-Max-Size": "1048576", "Tus-Extension": "creation,expiration,termination"} {
			if got := a.header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
	for _, version := range []string{"", "0.2.2"} {
		a := owner.send("POST", uploadsPath, nil, "Upload-Length", "10", "Tus-Resumable", version).is(http.StatusPreconditionFailed, "upload.protocol")
		if a.header.Get("Tus-Version") != "1.0.0" {
			t.Errorf("%v", a.header)
		}
	}
	owner.tus("POST", uploadsPath, nil).is(http.StatusUnprocessableEntity, "value.required")
	owner.tus("POST", uploadsPath, nil, "Upload-Length", "-1").is(http.StatusUnprocessableEntity, "value.not_integer")
	owner.tus("POST", uploadsPath, nil, "Upload-Length", "0").is(http.StatusUnsupportedMediaType, "file.empty")
	owner.tus("POST", uploadsPath, nil, "Upload-Length", "10", "Upload-Metadata", "filename ???").is(http.StatusUnprocessableEntity, "value.not_base64")
	a := owner.tus("POST", uploadsPath, nil, "Upload-Length", "1048577").is(http.StatusRequestEntityTooLarge, "file.too_large")
	if a.header.Get("Tus-Max-Size") != "1048576" {
		t.Errorf("%v", a.header)
	}
	file := simple()
	path := owner.beginUpload(len(file))
	owner.tus("PATCH", path, bytes.NewReader(file), "Upload-Offset", "0").is(http.StatusUnsupportedMediaType, "upload.part_type")
	owner.tus("PATCH", path, bytes.NewReader(file), "Content-Type", "application/offset+octet-stream").is(http.StatusUnprocessableEntity, "value.required")
	owner.sendPart(path, 0, nil).is(http.StatusNoContent) // nothing, which is allowed
	// Clients that cannot send PATCH, HEAD or DELETE name them.
	part := []string{"X-HTTP-Method-Override", "PATCH", "Upload-Offset", "0", "Content-Type", "application/offset+octet-stream"}
	owner.tus("POST", path, bytes.NewReader(file), part...).is(http.StatusNoContent)
	if n := owner.offsetOf(path); n != len(file) {
		t.Errorf("%d bytes are stored", n)
	}
	owner.tus("POST", path, nil, "X-HTTP-Method-Override", "DELETE").is(http.StatusNoContent)
	owner.tus("HEAD", path, nil).is(http.StatusNotFound)
	owner.finishUpload(path).is(http.StatusNotFound, "upload.not_found")
	requireNoParts(t, s)

	// The kind of file is known before all of it has arrived, and small parts are refused.
	other := owner.beginUpload(1 << 20)
	owner.sendPart(other, 0, bytes.Repeat([]byte("x"), 20<<10)).is(http.StatusUnsupportedMediaType, "file.unsupported")
	owner.sendPart(other, 0, []byte("%PDF-1.7")).is(http.StatusUnprocessableEntity, "upload.part_too_small")
	if n := owner.offsetOf(other); n != 0 {
		t.Errorf("%d bytes are stored", n)
	}
	owner.do("POST", uploadPath, object{"upload_id": uploadIDOf(other), "document_base64": "JVBERi0="}).is(http.StatusUnprocessableEntity, "upload.and_file")
	wrong := owner.beginUpload(len(file), "sha256", strings.Repeat("0", 63)+"1")
	owner.sendPart(wrong, 0, file).is(http.StatusNoContent)
	owner.finishUpload(wrong).is(http.StatusUnprocessableEntity, "upload.digest_differs")
	owner.beginUpload(10)
	owner.tus("POST", uploadsPath, nil, "Upload-Length", "10").is(http.StatusPaymentRequired, "upload.too_many")
	owner.tus("DELETE", wrong, nil).is(http.StatusNoContent)
	owner.beginUpload(10)
}

// cutReader ends with an error after its bytes, as the body of a client whose line is cut.
type cutReader struct{ io.Reader }

func (r cutReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func TestWhatArrivedBeforeTheLineWasCutIsStored(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.person(t, "Pemilik", "")
	file := padded(3 << 20)
	path := owner.beginUpload(len(file))
	const sent = 1<<20 + 400_000
	r, err := http.NewRequest("PATCH", s.url+path, cutReader{bytes.NewReader(file[:sent])})
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = int64(len(file))
	for name, value := range map[string]string{"x-access-token": owner.token, "Tus-Resumable": "1.0.0", "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"} {
		r.Header.Set(name, value)
	}
	if a, err := http.DefaultClient.Do(r); err == nil {
		a.Body.Close()
		t.Fatalf("the request was answered %d", a.StatusCode)
	}
	// The service notices a moment later.
	awaitTrue(t, func() bool { return owner.offsetOf(path) > 1<<20 })
	stored := owner.offsetOf(path)
	if stored > sent {
		t.Fatalf("%d bytes are stored, %d were sent", stored, sent)
	}
	owner.sendPart(path, stored, file[stored:]).is(http.StatusNoContent)
	owner.requireOriginal(documentOf(owner.finishUpload(path)), file)
}

// awaitTrue waits for a condition.
func awaitTrue(t *testing.T, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); {
		if time.Since(began) > 30*time.Second {
			t.Fatal("it did not become true")
		}
	}
}

// TestAnAcknowledgedOffsetOutlivesAKill kills a process (SIGKILL) in the middle of a part. What it said was stored is stored, no
// document shows what is not complete, and the upload continues at the next process.
func TestAnAcknowledgedOffsetOutlivesAKill(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	p, err := launch(data)
	if err != nil {
		t.Fatal(err)
	}
	owner := p.login(t, p.email, p.password)
	file := padded(4 << 20)
	path := owner.beginUpload(len(file), "filename", "kontrak.pdf")
	for kill := range 2 {
		offset := owner.on(p.service).offsetOf(path)
		body, feed := io.Pipe()
		r, err := http.NewRequest("PATCH", p.url+path, body)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"x-access-token": owner.token, "Tus-Resumable": "1.0.0", "Upload-Offset": strconv.Itoa(offset), "Content-Type": "application/offset+octet-stream"} {
			r.Header.Set(name, value)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			if a, err := http.DefaultClient.Do(r); err == nil {
				a.Body.Close()
			}
		}()
		if _, err := feed.Write(file[offset : offset+1<<20+1<<19]); err != nil {
			t.Fatal(err)
		}
		acknowledged := 0
		awaitTrue(t, func() bool { acknowledged = owner.on(p.service).offsetOf(path); return acknowledged >= offset+1<<20 })
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = p.cmd.Wait() // killed
		feed.Close()
		<-done
		if p, err = launch(data); err != nil {
			t.Fatal(err)
		}
		now := owner.on(p.service)
		if got := now.offsetOf(path); got != acknowledged {
			t.Errorf("kill %d: %d bytes are stored, %d were acknowledged", kill, got, acknowledged)
		}
		prefix := sha256.Sum256(file[:acknowledged])
		if got := now.do("GET", path, nil).ok().object("data")["sha256"]; got != hex.EncodeToString(prefix[:]) {
			t.Errorf("kill %d: the stored bytes are not the first of the file", kill)
		}
		if total := now.do("GET", documentPath+"out", nil).ok().object("data", "pagination")["total_data"]; total != 0.0 {
			t.Errorf("kill %d: %v documents", kill, total)
		}
	}
	now := owner.on(p.service)
	offset := now.offsetOf(path)
	now.sendPart(path, offset, file[offset:]).is(http.StatusNoContent)
	now.requireOriginal(documentOf(now.finishUpload(path)), file)
	if err := p.end(); err != nil {
		t.Error(err, &p.stderr)
	}
	if got := runProgram(t, nil, "fsck", "--data", data); got.status != 0 {
		t.Errorf("fsck: %d, %s", got.status, got.text)
	}
}

func TestAnUploadThatExpiredLeavesNothing(t *testing.T) {
	t.Parallel()
	clock := &shifted{}
	s := starting{clock: clock.now, idle: true}.start(t)
	owner := s.person(t, "Pemilik", "")
	file := simple()
	open, used := owner.beginUpload(len(file)), owner.beginUpload(len(file))
	owner.sendPart(open, 0, file).is(http.StatusNoContent)
	owner.sendPart(used, 0, file).is(http.StatusNoContent)
	id := documentOf(owner.finishUpload(used))
	if err := s.purgeExpired(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := owner.offsetOf(open); n != len(file) {
		t.Errorf("before it expires: %d bytes", n)
	}
	clock.forward(25 * time.Hour) // the token expires too
	owner.token = owner.do("POST", "/v1/auth/login", object{"email": owner.email, "password": password}).ok().object("data")["token"].(string)
	owner.do("GET", open, nil).is(http.StatusNotFound)
	if err := s.purgeExpired(t.Context()); err != nil {
		t.Fatal(err)
	}
	requireNoParts(t, s)
	owner.finishUpload(used).is(http.StatusNotFound, "upload.not_found")
	owner.requireOriginal(id, file)
}
