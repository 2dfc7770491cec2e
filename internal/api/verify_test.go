package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/emeterai"
	"segel/internal/outage"
	"segel/internal/text"
	"segel/internal/text/verdict"
	"segel/internal/workflow"
	"segel/pades/validate"
)

// report has every member set somewhere, and missing wherever it may be.
func passedReport() *validate.Report {
	why := validate.NewReason("file.passed", "count", "1", "kind", "signatures", "integrity", string(validate.Intact))
	cert := validate.Certificate{Subject: "CN=Budi", Name: "Budi", Issuer: "CN=Segel Issuing", Serial: "2a", SHA256: "00", NotBefore: validate.Time{Time: now}, NotAfter: validate.Time{Time: now}, Key: "ECDSA-256", Revocation: "good", ProvedBy: "dss",
		Policies: []validate.CertificatePolicy{{OID: "2.25.1879048192.2.1", CPS: "https://segel.contoh.id/authority/policies.txt", Notice: "Tamu, identitas tidak diverifikasi"}}}
	return &validate.Report{
		At: validate.Time{Time: now}, File: validate.File{Name: "sewa.pdf", Size: 31, SHA256: "00", Revisions: 2, Pages: 1},
		Indication: validate.TotalPassed, Integrity: validate.Intact, Summary: why, Warnings: []validate.Reason{why},
		Signatures: []validate.Signature{{
			Field: "Emet1", Kind: validate.KindSignature, Form: "ETSI.CAdES.detached", Revision: 2, Page: 1, Indication: validate.TotalPassed, Integrity: validate.Intact,
			Level: validate.LevelLTA, Summary: why, Reasons: []validate.Reason{}, Signer: &cert, Chain: []validate.Certificate{cert},
			Identity: &validate.Identity{Status: validate.IdentityUnverified, Assurance: "guest_unverified", Verified: []string{}, Name: "Budi", NamedBy: "Siti Rahma", Organisation: "PT Contoh", Statement: why},
			Proven:   &validate.Proof{Time: validate.Time{Time: now}, By: "Segel TSA"}, Covers: validate.Cover{Whole: true, Length: 31, All: true},
			Later:      []validate.Change{{Revision: 3, Allowed: true, What: []validate.Reason{why}}},
			Timestamps: []validate.Timestamp{{Authority: "Segel TSA", Indication: validate.TotalPassed, Reasons: []validate.Reason{}, Chain: []validate.Certificate{}}},
			Steps:      []validate.Step{{Check: "digest", Result: validate.StepPassed, What: why, Paths: []string{"7 0 R"}}},
		}, { // of which hardly anything is known
			Field: "A", Kind: validate.KindSignature, Indication: validate.TotalFailed, SubIndication: validate.FormatFailure, Integrity: validate.CannotBeJudged,
			Summary: why, Reasons: []validate.Reason{why}, Chain: []validate.Certificate{}, Later: []validate.Change{}, Timestamps: []validate.Timestamp{},
		}},
		Revisions: []validate.Revision{{Revision: 3, What: []validate.Reason{why}, Filled: []validate.FilledField{{Field: "Budi-Mark-2", Page: 1}}}},
	}
}

var verifyBase64 = `{"document_base64":"` + base64.StdEncoding.EncodeToString(file1) + `","filename":"sewa.pdf","explain":1,"password":"rahasia"}`

// form makes a multipart body with a file.
func form(t *testing.T, fields map[string]string) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for name, value := range fields {
		if err := m.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	w, err := m.CreateFormFile("document", "sewa.pdf")
	if err == nil {
		_, err = w.Write(file1)
	}
	if err := errors.Join(err, m.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String(), m.FormDataContentType()
}

func TestFileIsVerifiedWithoutAccountInEitherFormat(t *testing.T) {
	t.Parallel()
	inForm, contentType := form(t, map[string]string{"explain": "1", "password": "rahasia"})
	for name, c := range map[string]struct{ body, contentType string }{
		"json":              {verifyBase64, "application/json"},
		"json without type": {verifyBase64, ""},
		"form":              {inForm, contentType},
	} {
		b := newBench(t, contract.Document{})
		w := b.ask("POST", "/v1/verify", c.body, "X-Access-Token", "", "Content-Type", c.contentType)
		file := requireOK[found[struct {
			File struct {
				Name   string `json:"name"`
				SHA256 string `json:"sha256"`
			} `json:"file"`
		}]](t, w).Data.File
		if file.Name != "sewa.pdf" || file.SHA256 != fmt.Sprintf("%x", sha256.Sum256(file1)) || b.scratches.OpenCount() != 0 {
			t.Errorf("%s: verified %+v, %d files left", name, file, b.scratches.OpenCount())
		}
		var received bytes.Buffer
		caller := &call{server: &server{Options: Options{}.withDefaults()}, r: b.request("POST", "/v1/verify", strings.NewReader(c.body), "Content-Type", c.contentType)}
		o, err := caller.readVerification(&received)
		if want := (workflow.VerifyOptions{Name: "sewa.pdf", Explain: true, Password: "rahasia"}); err != nil || o != want || !bytes.Equal(received.Bytes(), file1) {
			t.Errorf("%s: verifies %q with %+v, %v", name, received.Bytes(), o, err)
		}
	}
}

func TestFileToVerifyIsDiscardedInEveryCase(t *testing.T) {
	t.Parallel()
	cut, contentType := form(t, nil)
	for name, c := range map[string]struct {
		body, contentType string
		write, create     error
		status            int
		code              string
	}{
		"no file":        {`{}`, "", nil, nil, 422, "input.invalid"},
		"no base64":      {`{"document_base64":"%%%"}`, "", nil, nil, 422, "input.invalid"},
		"no JSON":        {`nonsense`, "", nil, nil, 400, "input.malformed"},
		"a member twice": {strings.Replace(verifyBase64, `"explain":1`, `"explain":1,"explain":0`, 1), "", nil, nil, 400, "input.malformed"},
		"cut form":       {cut[:len(cut)-20], contentType, nil, nil, 400, "input.not_multipart"},
		"no PDF":         {encoded(make([]byte, 5000)), "", nil, nil, 415, "file.unsupported"},
		"too large":      {encoded(append([]byte("%PDF-1.7\n"), make([]byte, 2<<20)...)), "", nil, nil, 413, "file.too_large"},
		"damaged":        {encoded([]byte("%PDF-1.7\n")), "", nil, nil, 422, "file.damaged"},
		"took too long":  {verifyBase64, "", context.DeadlineExceeded, nil, 503, "server.timeout"},
		"a server error": {verifyBase64, "", errors.New("disk"), nil, 500, "server.error"},
		"no space":       {verifyBase64, "", nil, &outage.Error{Part: outage.Disk, Err: errors.New("full")}, 503, "server.disk_full"},
		"odd explain":    {strings.Replace(verifyBase64, `"explain":1`, `"explain":7`, 1), "", nil, nil, 422, "input.invalid"},
	} {
		b := newBench(t, contract.Document{}, func(o *Options) { o.Limits.FileSize = 1 << 20 })
		created := 0
		b.onSpool, b.onScratch = func() error { return c.write }, func() error { created++; return c.create }
		w := b.ask("POST", "/v1/verify", c.body, "X-Access-Token", "", "Content-Type", c.contentType)
		refused(t, w, c.status, c.code)
		if created != 1 || b.scratches.OpenCount() != 0 {
			t.Errorf("%s: %d created, %d not discarded", name, created, b.scratches.OpenCount())
		}
	}
}

// encoded is a verification of a file.
func encoded(file []byte) string {
	return `{"document_base64":"` + base64.StdEncoding.EncodeToString(file) + `"}`
}

// TestReportIsAnsweredInItsShape renders a report that has every member.
func TestReportIsAnsweredInItsShape(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	c := &call{exchange: &exchange{language: text.Indonesian}, w: w}
	stamps := []emeterai.Stamp{{Field: "Emet1", Serial: "SPESIMEN-0000000000001", Office: "Segel", Specimen: true, Trusted: true, Page: 1, Elsewhere: "no"}}
	if err := c.writeAnswer(http.StatusOK, found[*verdict.Report]{Code: 200, Success: true, Data: verdict.New(passedReport(), stamps)}); err != nil {
		t.Fatal(err)
	}
	checkGolden(t, "verify.json", w)
}

func TestVerificationsOfOneAddressAreCounted(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft(), func(o *Options) { o.VerifyRate, o.VerifyBurst = 0.1, 2 })
	for range 2 {
		if w := b.ask("POST", "/v1/verify", verifyBase64); w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	for _, path := range []string{"/v1/verify", "/v1/verify/serial/SPESIMEN-0000000000001"} {
		method := "GET"
		if path == "/v1/verify" {
			method = "POST"
		}
		w := b.ask(method, path, "")
		refused(t, w, 429, "rate.limited")
		if w.Header().Get("Retry-After") != "10" {
			t.Errorf("Retry-After %q", w.Header().Get("Retry-After"))
		}
	}
	if w := b.ask("GET", dBase+"detail/1207", ""); w.Code != 200 {
		t.Errorf("other requests are counted too: %d", w.Code)
	}
}

func TestConcurrentVerificationsAreLimited(t *testing.T) {
	t.Parallel()
	inside, release := make(chan struct{}, 100), make(chan struct{}) // the verifier may ask again
	b := newBench(t, draft(), func(o *Options) { o.MaxVerifies, o.VerifyWait = 1, time.Millisecond })
	b.onVerify = func(context.Context) { inside <- struct{}{}; <-release }
	first, body := make(chan int), bodyOfSignedFile(t)
	go func() { first <- b.ask("POST", "/v1/verify", body).Code }()
	<-inside
	refused(t, b.ask("POST", "/v1/verify", body), 503, "server.unavailable")
	close(release)
	if code := <-first; code != 200 {
		t.Errorf("the first one: %d", code)
	}
}

func TestVerificationThatTakesTooLongIsAborted(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	asked := 0
	b.onVerify = func(ctx context.Context) {
		asked++
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("no bound")
		}
	}
	b.ask("POST", "/v1/verify", bodyOfSignedFile(t))
	if asked == 0 {
		t.Error("nothing was verified")
	}
}

func TestVerificationEndsWhenItsClientDisconnects(t *testing.T) {
	t.Parallel()
	inside, ended := make(chan struct{}), make(chan error)
	b := newBench(t, draft(), func(o *Options) { o.MaxVerifies, o.VerifyWait = 1, 10*time.Second })
	var once sync.Once
	b.onVerify = func(ctx context.Context) {
		once.Do(func() {
			close(inside)
			<-ctx.Done()
			ended <- ctx.Err()
		})
	}
	server := httptest.NewServer(b)
	defer server.Close()
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", server.URL+"/v1/verify", strings.NewReader(bodyOfSignedFile(t)))
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan error)
	go func() {
		a, err := http.DefaultClient.Do(r)
		if err == nil {
			err = a.Body.Close()
		}
		gone <- err
	}()
	<-inside
	leave()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("the client: %v", err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the verification: %v", err)
	}
	// There is one slot, so the next file is only verified because the slot was released.
	if w := b.ask("POST", "/v1/verify", verifyBase64); w.Code != http.StatusOK {
		t.Errorf("the next: %d %s", w.Code, w.Body)
	}
	server.Close() // waits for the first
	if n := b.scratches.OpenCount(); n != 0 {
		t.Errorf("%d files were not discarded", n)
	}
}

func TestSerialTellsNothingOfItsDocument(t *testing.T) {
	t.Parallel()
	b := newBench(t, completed())
	w := b.ask("GET", "/v1/verify/serial/SPESIMEN-0000000000001", "", "X-Access-Token", "")
	if w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	d := completed()
	for _, secret := range []string{"1207", d.Title, d.Name, d.Filename, d.Owner.Name, siti.Name, "sewa"} {
		if strings.Contains(w.Body.String(), secret) {
			t.Errorf("the answer shows %q: %s", secret, w.Body)
		}
	}
	refused(t, b.ask("GET", "/v1/verify/serial/0000000000000000000000", ""), 404, "serial.not_found")
}
