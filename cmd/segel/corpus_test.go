package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/emeterai"
	"segel/pades/validate"
)

// TestRealFilesAreSignedAndValidOrRefusedWithAReason takes valid and broken files of other projects through the
// whole service: one in six, or all with make test-every.
func TestRealFilesAreSignedAndValidOrRefusedWithAReason(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("SEGEL_PDFS")
	if folder == "" {
		t.Skip("SEGEL_PDFS is not set: only the files made here are tried")
	}
	every := 6
	if triesEvery() {
		every = 1
	}
	s := start(t, "SEGEL_GRANT_SIGNATURES", "5000")
	owner, signer := s.person(t, "Pemilik", ""), s.person(t, "Penanda", "")
	n, signed, refused := 0, 0, map[string][]string{}
	err := filepath.WalkDir(folder, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(file, ".pdf") {
			return err
		}
		if n++; n%every != 0 {
			return nil
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		code := realFile(t, e.Name(), file, b, owner, signer)
		if code == "" {
			signed++
			return nil
		}
		refused[code] = append(refused[code], e.Name())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < every || signed == 0 {
		t.Errorf("of %d files, one in %d was tried, %d were signed", n, every, signed)
	}
	t.Logf("of %d files, one in %d was tried, %d were signed", n, every, signed)
	for _, code := range slices.Sorted(maps.Keys(refused)) {
		t.Logf("%d %s: %s", len(refused[code]), code, strings.Join(refused[code], " "))
	}
}

// mayRefuse lists the codes for which a file may be refused although qpdf finds no fault in it.
var mayRefuse = []string{"file.password_needed", "file.encrypted", "file.certified", "file.no_pages", "file.signature_broken", "file.signature_changed"}

// realFile takes one file through the service, and returns the code of its refusal, or nothing.
func realFile(t *testing.T, name, path string, b []byte, owner, signer *client) string {
	a := owner.do("POST", signPath+"upload-docs-base64", object{
		"filename": name, "document_base64": base64.StdEncoding.EncodeToString(b), "signer": []object{signer.as("signer", 1)},
	})
	if a.status != http.StatusOK {
		code, _ := a.object("error")["code"].(string)
		if a.status != http.StatusUnprocessableEntity && a.status != http.StatusUnsupportedMediaType || !strings.HasPrefix(code, "file.") {
			t.Errorf("%s: refused with %d %s: %.300s", name, a.status, code, a.body)
		}
		if complaints(path) == 0 && !slices.Contains(mayRefuse, code) {
			t.Errorf("%s: qpdf has no complaint, and it is refused with %s", name, code)
		}
		return code
	}
	id := int64(a.object("response", "data")["document_id"].(float64))
	if a := finalizeAccepting(t, name, owner, id); a.status != http.StatusOK {
		t.Errorf("%s: finalize: %d: %.300s", name, a.status, a.body)
		return "error"
	}
	if a := signer.verb("sign-docs", id); a.status != http.StatusOK {
		t.Errorf("%s: sign: %d: %.300s", name, a.status, a.body)
		return "error"
	}
	owner.completed(id)
	out := owner.download(id)
	was := complaints(path)
	if rewritten := bytes.Contains(a.body, []byte("document.normalised")); rewritten {
		if was == 0 {
			t.Errorf("%s: qpdf has no complaint, and it was rewritten", name)
		}
		was = 0
	} else if !bytes.HasPrefix(out, b) {
		t.Errorf("%s: bytes that were there have changed", name)
	}
	for _, fault := range sealFaults(t, owner.service, out) {
		t.Errorf("%s: %s", name, fault)
	}
	after := filepath.Join(t.TempDir(), "after.pdf")
	if err := os.WriteFile(after, out, 0o600); err != nil {
		t.Fatal(err)
	}
	said, _ := runTool(t, "pdfsig", "-nocert", after)
	if ours := signatureNamed(said, "-1\n"); !strings.Contains(ours, "Signature is Valid") {
		t.Errorf("%s: pdfsig does not call the signature valid:\n%s", name, said)
	}
	if parts := strings.Split(said, "Signature #"); !strings.Contains(parts[len(parts)-1], "Total document signed") {
		t.Errorf("%s: the document timestamp does not cover the whole file:\n%s", name, said)
	}
	if is := complaints(after); is > was {
		t.Errorf("%s: qpdf ends with %d, was %d before", name, is, was)
	}
	return ""
}

// sealFaults validates a completed file from its bytes: our signatures must be TOTAL-PASSED with long-term data, and earlier
// signatures must have the same result as before.
func sealFaults(t *testing.T, s *service, file []byte) (faults []string) {
	t.Helper()
	r, err := validate.Validate(t.Context(), bytes.NewReader(file), int64(len(file)), validate.Options{At: time.Now(), Trust: s.trust, Exempt: emeterai.LooksLikeStamp})
	if err != nil {
		return []string{err.Error()}
	}
	ours := 0
	for i, g := range r.Signatures {
		own := strings.HasPrefix(g.Field, "Segel-")
		switch {
		case g.Integrity == validate.ChangedAfter:
			faults = append(faults, fmt.Sprintf("%q: %s", g.Field, g.Summary.Code))
		case own && (g.Indication != validate.TotalPassed || g.Level != validate.LevelLTA), i == len(r.Signatures)-1 && (g.Indication != validate.TotalPassed || !g.Covers.All):
			faults = append(faults, fmt.Sprintf("%q is %s %s of level %q: %s", g.Field, g.Indication, g.SubIndication, g.Level, g.Summary.Code))
		}
		if own {
			ours++
		}
	}
	if ours < 2 {
		faults = append(faults, fmt.Sprintf("%d signatures of ours, want the signer's and the seal's at least", ours))
	}
	return faults
}

// finalizeAccepting finalizes a document and accepts its findings; without that it is refused.
func finalizeAccepting(t *testing.T, name string, owner *client, id int64) *answer {
	t.Helper()
	a := owner.verb("finalize-docs", id)
	if a.status != http.StatusUnprocessableEntity || a.object("error")["code"] != "document.active_content" {
		return a
	}
	var codes []string
	for _, f := range a.object("error")["fields"].([]any) {
		codes = append(codes, f.(object)["code"].(string))
	}
	t.Logf("%s: refused unless its owner accepts %q", name, codes)
	return owner.verb("finalize-docs", id, "accept_findings", codes)
}

// signatureNamed returns pdfsig's result for the signature in our field whose name ends so.
func signatureNamed(said, suffix string) string {
	for _, part := range strings.Split(said, "Signature #") {
		if i := strings.Index(part, "Field Name: Segel-"); i >= 0 && strings.Contains(part[i:], suffix) {
			return part
		}
	}
	return ""
}

// complaints ranks the exit statuses of qpdf --check: 0 clean, 3 warnings, 2 errors.
func complaints(file string) int {
	err := exec.Command("qpdf", "--check", file).Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.ExitCode() == 3:
		return 1
	}
	return 2
}
