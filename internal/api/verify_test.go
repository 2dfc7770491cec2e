package api

import (
	"bytes"
	"context"
	"errors"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/emeterai"
	"segel/internal/workflow"
	"segel/pades/validate"
)

// fakeVerificationFile records what it received and whether it was discarded.
type fakeVerificationFile struct {
	bytes.Buffer
	err       error // of Write
	discarded int
}

func (e *fakeVerificationFile) Write(p []byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	return e.Buffer.Write(p)
}

func (e *fakeVerificationFile) Discard() error {
	e.discarded++
	return nil
}

func (f *fakeWorkflow) NewVerificationFile() (VerificationFile, error) {
	if f.receiving != nil {
		f.receiving()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.verificationFile = &fakeVerificationFile{err: f.stageErr}
	return f.verificationFile, nil
}

func (f *fakeWorkflow) Verify(ctx context.Context, e VerificationFile, o VerifyOptions) (*workflow.Verified, error) {
	if f.verifying != nil {
		f.verifying(ctx)
	}
	_, err := f.ask("verify", contract.Actor{}, 0)
	f.mu.Lock()
	f.verified = o
	f.mu.Unlock()
	return &workflow.Verified{Report: report(), Stamps: []emeterai.Stamp{
		{Field: "Emet1", Serial: "SPESIMEN-0000000000001", Office: "Segel", Specimen: true, Trusted: true, Page: 1, Elsewhere: "no"},
	}}, err
}

func (f *fakeWorkflow) StampBySerial(_ context.Context, serial string) (KnownStamp, error) {
	_, err := f.ask("serial "+serial, contract.Actor{}, 0)
	if serial != "SPESIMEN-0000000000001" && err == nil {
		err = contract.ErrNotFound
	}
	return KnownStamp{Serial: serial, AffixedAt: now, Specimen: true}, err
}

// report has every member set somewhere, and missing wherever it may be.
func report() *validate.Report {
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
		Revisions: []validate.Revision{{Revision: 3, What: []validate.Reason{why}}},
	}
}

const verifyBase64 = `{"document_base64":"JVBERi0xLjcKcGVyamFuamlhbiBzZXdhCiUlRU9GCg==","filename":"sewa.pdf","explain":1,"password":"rahasia"}`

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
		b := newBench(t, draft())
		w := b.ask("POST", "/v1/verify", c.body, "X-Access-Token", "", "Content-Type", c.contentType)
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
			continue
		}
		if want := (VerifyOptions{Name: "sewa.pdf", Explain: true, Password: "rahasia"}); b.verified != want {
			t.Errorf("%s: verified with %+v", name, b.verified)
		}
		if b.verificationFile.String() != string(file1) || b.verificationFile.discarded != 1 {
			t.Errorf("%s: received %q, discarded %d times", name, b.verificationFile, b.verificationFile.discarded)
		}
	}
}

func TestFileToVerifyIsDiscardedInEveryCase(t *testing.T) {
	t.Parallel()
	cut, contentType := form(t, nil)
	for name, c := range map[string]struct {
		body, contentType string
		stageErr, err     error
		status            int
		code              string
	}{
		"no file":        {`{}`, "", nil, nil, 422, "input.invalid"},
		"no base64":      {`{"document_base64":"%%%"}`, "", nil, nil, 422, "input.invalid"},
		"no JSON":        {`nonsense`, "", nil, nil, 400, "input.malformed"},
		"a member twice": {strings.Replace(verifyBase64, `"explain":1`, `"explain":1,"explain":0`, 1), "", nil, nil, 400, "input.malformed"},
		"cut form":       {cut[:len(cut)-20], contentType, nil, nil, 400, "input.not_multipart"},
		"no PDF":         {verifyBase64, "", contract.Refuse(contract.Unsupported, "file.unsupported"), nil, 415, "file.unsupported"},
		"too large":      {verifyBase64, "", contract.Refuse(contract.TooLarge, "file.too_large"), nil, 413, "file.too_large"},
		"damaged":        {verifyBase64, "", nil, contract.Refuse(contract.Invalid, "file.damaged"), 422, "file.damaged"},
		"took too long":  {verifyBase64, "", nil, context.DeadlineExceeded, 503, "server.timeout"},
		"a server error": {verifyBase64, "", nil, errors.New("disk"), 500, "server.error"},
		"odd explain":    {strings.Replace(verifyBase64, `"explain":1`, `"explain":7`, 1), "", nil, nil, 422, "input.invalid"},
	} {
		b := newBench(t, draft())
		b.stageErr, b.err = c.stageErr, c.err
		w := b.ask("POST", "/v1/verify", c.body, "X-Access-Token", "", "Content-Type", c.contentType)
		refused(t, w, c.status, c.code)
		if b.verificationFile == nil || b.verificationFile.discarded != 1 {
			t.Errorf("%s: not discarded", name)
		}
	}
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
	inside, release := make(chan struct{}), make(chan struct{})
	b := newBench(t, draft(), func(o *Options) { o.MaxVerifies, o.VerifyWait = 1, time.Millisecond })
	b.verifying = func(context.Context) { inside <- struct{}{}; <-release }
	first := make(chan int)
	go func() { first <- b.ask("POST", "/v1/verify", verifyBase64).Code }()
	<-inside
	refused(t, b.ask("POST", "/v1/verify", verifyBase64), 503, "server.unavailable")
	close(release)
	if code := <-first; code != 200 {
		t.Errorf("the first one: %d", code)
	}
}

func TestVerificationThatTakesTooLongIsAborted(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	b.verifying = func(ctx context.Context) {
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("no bound")
		}
	}
	b.ask("POST", "/v1/verify", verifyBase64)
}

func TestVerificationEndsWhenItsClientDisconnects(t *testing.T) {
	t.Parallel()
	inside, ended := make(chan struct{}), make(chan error)
	b := newBench(t, draft(), func(o *Options) { o.MaxVerifies, o.VerifyWait = 1, 10*time.Second })
	b.verifying = func(ctx context.Context) {
		close(inside)
		<-ctx.Done()
		ended <- ctx.Err()
	}
	server := httptest.NewServer(b)
	defer server.Close()
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", server.URL+"/v1/verify", strings.NewReader(verifyBase64))
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
	first := b.verificationFile
	leave()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("the client: %v", err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the verification: %v", err)
	}
	// There is one slot, so the next file is only verified because the slot was released.
	b.verifying = nil
	if w := b.ask("POST", "/v1/verify", verifyBase64); w.Code != http.StatusOK {
		t.Errorf("the next: %d %s", w.Code, w.Body)
	}
	server.Close() // waits for the first
	if first.discarded != 1 {
		t.Errorf("discarded %d times", first.discarded)
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
	if !slices.Contains(b.asked, "serial SPESIMEN-0000000000001") {
		t.Errorf("calls: %v", b.asked)
	}
}
