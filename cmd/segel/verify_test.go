package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/authority"
	verdicts "segel/internal/text/verdict"
	"segel/pades/validate"
	"segel/pdf"
)

// finished returns a completed document with a signature, a duty stamp, the seal and a document timestamp.
func finished(t *testing.T, s *service) (owner *client, pdf []byte, serial string) {
	t.Helper()
	owner, signer := s.person(t, "Sari Wulandari", ""), s.person(t, "Budi Santoso", "")
	id := owner.upload(simple(), signer.as("signer", 1))
	owner.place(id, signer.at("sign", 100, 100, 260, 160), signer.at("emet", 300, 100, 380, 180)).ok()
	owner.verb("finalize-docs", id).ok()
	signer.verb("sign-docs", id).ok()
	serial = owner.completed(id)["serial_number"].([]any)[0].(string)
	return owner, owner.download(id), serial
}

// verified requests validation of a file without a login.
func verified(t *testing.T, s *service, pdf []byte) *verdicts.Report {
	t.Helper()
	anonymous := &client{service: s, t: t}
	a := anonymous.do("POST", "/v1/verify", object{"document_base64": base64.StdEncoding.EncodeToString(pdf), "filename": "kontrak.pdf"}).ok()
	var out struct{ Data verdicts.Report }
	if err := json.Unmarshal(a.body, &out); err != nil {
		t.Fatal(err)
	}
	return &out.Data
}

// runs runs the program and returns its status and output.
func runs(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	w := &environment{ctx: t.Context(), stdout: &out, stderr: &errs, env: nil}
	status = w.runCommand(args)
	return status, out.String(), errs.String()
}

func TestTheReportOfAVerificationIsAFileThatOtherProgramsRead(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, file, serial := finished(t, s)
	anonymous := &client{service: s, t: t}
	request := object{"document_base64": base64.StdEncoding.EncodeToString(file), "filename": "kontrak.pdf"}
	for language, want := range map[string][]string{
		"id": {"Laporan verifikasi", "kontrak.pdf", "Budi Santoso", serial, "Laporan ini sendiri tidak ditandatangani"},
		"en": {"Verification report", "kontrak.pdf", "Budi Santoso", serial, "This report itself is not signed"},
	} {
		a := anonymous.do("POST", "/v1/verify/report", request, "Accept-Language", language)
		if a.status != http.StatusOK || a.header.Get("Content-Type") != "application/pdf" || !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") {
			t.Fatalf("%d %v", a.status, a.header)
		}
		path := filepath.Join(t.TempDir(), "report.pdf")
		if err := os.WriteFile(path, a.body, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := runTool(t, "qpdf", "--check", path); err != nil {
			t.Errorf("qpdf complains: %v\n%s", err, out)
		}
		shown, err := runTool(t, "pdftotext", "-layout", path, "-")
		for _, w := range want {
			if err != nil || !strings.Contains(shown, w) {
				t.Errorf("%s: %q is missing (%v) in\n%s", language, w, err, shown)
			}
		}
	}
	anonymous.do("POST", "/v1/verify/report", object{"document_base64": base64.StdEncoding.EncodeToString([]byte("no PDF"))}).is(http.StatusUnsupportedMediaType, "file.unsupported")
}

func TestFinishedDocumentPassesAtTheHighestLevel(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s := starting{data: data}.start(t)
	_, pdf, serial := finished(t, s)
	r := verified(t, s, pdf)
	if !r.Passed() || len(r.Signatures) != 4 {
		t.Errorf("%d signatures: %s %s, %s", len(r.Signatures), r.Indication, r.SubIndication, r.Integrity)
	}
	for _, g := range r.Signatures {
		if want := validate.LevelLTA; g.Indication != validate.TotalPassed || g.Kind != validate.KindTimestamp && g.Level != want {
			t.Errorf("%s in %s: %s %s at level %q", g.Kind, g.Field, g.Indication, g.SubIndication, g.Level)
		}
	}
	if len(r.Stamps) != 1 || r.Stamps[0].Serial != serial || !r.Stamps[0].Specimen || r.Stamps[0].Elsewhere != "no" || r.Stamps[0].Twice {
		t.Errorf("stamps %+v", r.Stamps)
	}
	if r.File.Name != "kontrak.pdf" || r.File.Size != int64(len(pdf)) || r.File.SHA256 == "" {
		t.Errorf("file %+v", r.File)
	}

	file := filepath.Join(t.TempDir(), "kontrak.pdf")
	if err := os.WriteFile(file, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	// In fifteen years too, as long as the root is trusted: within the proven times no expiry matters.
	for _, more := range [][]string{nil, {"--at", r.At.AddDate(15, 0, 0).Format("2006-01-02")}, {"--explain"}, {"--lang", "id"}, {"--json"}} {
		status, out, errs := runs(t, append([]string{"verify", "--data", data, file}, more...)...)
		if status != 0 || !strings.Contains(out, "TOTAL-PASSED") || strings.Contains(out, "INDETERMINATE") || errs != "" {
			t.Errorf("%v: status %d\n%s%s", more, status, out, errs)
		}
		if !strings.Contains(out, "SPESIMEN") {
			t.Errorf("%v: it is not told that the stamp is a specimen", more)
		}
	}
	if status, out, _ := runs(t, "verify", "--data", data, "--at", r.At.AddDate(21, 0, 0).Format("2006-01-02"), file); status != 1 || !strings.Contains(out, "OUT_OF_BOUNDS_NO_POE") {
		t.Errorf("when the clock's certificate has ended: status %d\n%s", status, out)
	}
}

func TestTamperedDocumentDoesNotPass(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, pdf, _ := finished(t, s)
	for name, change := range map[string]func([]byte) []byte{
		"byte of a page":     func(b []byte) []byte { b[bytes.Index(b, []byte("stream"))+12] ^= 1; return b },
		"junk behind":        func(b []byte) []byte { return append(b, "\nmore\n"...) },
		"older revision":     func(b []byte) []byte { return b[:bytes.LastIndex(b[:len(b)-10], []byte("%%EOF"))+6] },
		"contents":           func(b []byte) []byte { b[bytes.Index(b, []byte("/Contents <3"))+400] ^= 3; return b },
		"another generation": func(b []byte) []byte { return bytes.Replace(b, []byte("%PDF-1"), []byte("%PDF-2"), 1) },
	} {
		r := verified(t, owner.service, change(bytes.Clone(pdf)))
		// The truncated file is complete in itself; it lacks its last timestamp, and its level says so.
		if name == "older revision" {
			if len(r.Signatures) != 3 || r.Signatures[0].Level == validate.LevelLTA {
				t.Errorf("%s: %d signatures, level %s", name, len(r.Signatures), r.Signatures[0].Level)
			}
			continue
		}
		if r.Passed() || r.Integrity == validate.Intact || r.Integrity == validate.IntactLater {
			t.Errorf("%s: %s %s, %s", name, r.Indication, r.SubIndication, r.Integrity)
		}
	}
}

func TestValidatedFileLeavesNothing(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s := starting{data: data, set: []string{"SEGEL_EVIDENCE", "request"}}.start(t) // else a job writes an evidence certificate meanwhile
	_, pdf, _ := finished(t, s)
	count := func() (n int) {
		err := filepath.WalkDir(filepath.Join(data, "blobs"), func(_ string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				n++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := count()
	verified(t, s, pdf)
	anonymous := &client{service: s, t: t}
	anonymous.do("POST", "/v1/verify", object{"document_base64": base64.StdEncoding.EncodeToString([]byte("no PDF"))}).is(http.StatusUnsupportedMediaType, "file.unsupported")
	anonymous.do("POST", "/v1/verify", object{"document_base64": base64.StdEncoding.EncodeToString([]byte("%PDF-1.7 and nothing else"))}).is(http.StatusUnprocessableEntity, "file.damaged")
	anonymous.do("POST", "/v1/verify", object{"document_base64": "%%"}).is(http.StatusUnprocessableEntity, "input.invalid")
	if after := count(); after != before {
		t.Errorf("%d blobs before, %d after", before, after)
	}
}

func TestAnyoneCanVerifyTheSerialOfAnAffixedStamp(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, _, serial := finished(t, s)
	anonymous := &client{service: s, t: t}
	got := anonymous.do("GET", "/v1/verify/serial/"+serial, nil).ok().object("data")
	if got["serial"] != serial || got["specimen"] != true || got["office"] != "sandbox" {
		t.Errorf("%v", got)
	}
	anonymous.do("GET", "/v1/verify/serial/SPESIMEN-0000000000000", nil).is(http.StatusNotFound, "serial.not_found")
	owner.do("GET", "/v1/verify/serial/"+serial+"x", nil).is(http.StatusNotFound, "serial.not_found")
}

func TestVerifyOnlineDoesNotWaitForServersThatStaySilent(t *testing.T) {
	t.Parallel()
	// A server that accepts connections, reads requests and never answers, for OCSP, CRLs and issuers alike.
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int64
	var talking sync.WaitGroup
	talking.Go(func() {
		for {
			c, err := silent.Accept()
			if err != nil {
				return // closed
			}
			asked.Add(1)
			talking.Go(func() {
				_, _ = io.Copy(io.Discard, c) // until the other side closes
				_ = c.Close()
			})
		}
	})
	t.Cleanup(func() { _ = silent.Close(); talking.Wait() })
	address := silent.Addr().String()
	s := starting{set: []string{"SEGEL_PUBLIC_URL", "http://" + address}}.start(t)
	_, file, _ := finished(t, s)
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	revisions, err := d.Revisions()
	if err != nil {
		t.Fatal(err)
	}
	// The first revision with a signature has no validation data for its certificates yet.
	first := slices.IndexFunc(revisions, func(r pdf.Revision) bool { return bytes.Contains(file[:r.End], []byte("/ByteRange")) })
	if first < 0 {
		t.Fatal("no state has a signature")
	}
	dir := t.TempDir()
	name, trust := filepath.Join(dir, "ditandatangani.pdf"), filepath.Join(dir, "trust")
	root, err := authority.ReadRoot(t.Context(), authority.Folder(filepath.Join(s.conf.DataDir, authorityDir)))
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(os.Mkdir(trust, 0o700), os.WriteFile(filepath.Join(trust, "root.der"), root.Raw, 0o600), os.WriteFile(name, file[:revisions[first].End], 0o600))
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	w := &environment{ctx: t.Context(), stdout: &out, stderr: &errs, env: []string{
		"SEGEL_OUTBOUND_PRIVATE=127.0.0.0/8", "SEGEL_OUTBOUND_PORTS=" + port, "SEGEL_DATA_DIR=" + filepath.Join(dir, "none"),
	}}
	began := time.Now()
	status := w.runCommand([]string{"verify", name, "--trust", trust, "--online", "--online-within", "1s", "--json"})
	took := time.Since(began)
	if status != 1 || took > 30*time.Second {
		t.Errorf("status %d after %v: %s%s", status, took, errs.String(), out.String())
	}
	if asked.Load() == 0 {
		t.Errorf("nothing was asked: %.3000s", out.String())
	}
	var r validate.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Passed() || r.Indication != validate.Indeterminate {
		t.Errorf("%s %s", r.Indication, r.SubIndication)
	}
	t.Logf("%d connections, %v", asked.Load(), took.Round(time.Millisecond))
}
