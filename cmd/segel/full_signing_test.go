package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
	"segel/pdf/pdftest"
)

// soundSignatures checks a finished file with pdfsig and qpdf: all signatures are valid, the closing document timestamp
// covers the whole file, and the structure has no errors. It returns the number of signatures. Poppler before 24 does not
// verify document timestamps and says so; package pades verifies them with OpenSSL.
func soundSignatures(t testing.TB, pdf []byte) int {
	t.Helper()
	file := filepath.Join(t.TempDir(), "signed.pdf")
	if err := os.WriteFile(file, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := runTool(t, "pdfsig", "-nocert", file)
	n := strings.Count(out, "Signature #")
	parts := strings.Split(out, "Signature #")
	last := parts[len(parts)-1]
	timestamps := strings.Count(out, "Field Name: Timestamp")
	if valid := strings.Count(out, "Signature is Valid"); timestamps == 0 || valid != n-timestamps {
		t.Errorf("pdfsig calls %d of %d signatures valid:\n%s", valid, n-timestamps, out)
	}
	if !strings.Contains(last, "Total document signed") || !strings.Contains(last, "Field Name: Timestamp") {
		t.Errorf("the last signature is no document timestamp over the whole file:\n%s", out)
	}
	if out, err := runTool(t, "qpdf", "--check", file); err != nil {
		t.Errorf("qpdf complains: %v\n%s", err, out)
	}
	return n
}

func TestContractIsUploadedPlacedSignedStampedSealedAndDownloaded(t *testing.T) {
	t.Parallel()
	walk(t, start(t))
}

func TestContractWalksTheSameWayOnPostgreSQL(t *testing.T) {
	t.Parallel()
	s := start(t, "SEGEL_DATABASE", pgtest.Database(t, sqlstore.Migrate))
	walk(t, s)
	fsck(t, s, 0)
}

// walk takes one contract from its upload to its download.
func walk(t *testing.T, s *service) {
	t.Helper()
	owner, signer := s.person(t, "Sari Wulandari", ""), s.person(t, "Budi Santoso", "")
	original := simple()
	id := owner.upload(original, signer.as("signer", 1))
	owner.place(id, signer.at("sign", 100, 100, 260, 160), signer.at("emet", 300, 100, 380, 180), signer.at("paraf", 450, 20, 500, 50)).ok()
	owner.verb("finalize-docs", id).ok()

	seen := signer.get("preview", id).ok().body
	if !bytes.HasPrefix(seen, original) {
		t.Error("finalize changed bytes that were there")
	}
	digest := sha256.Sum256(seen)
	signer.verb("sign-docs", id, "digest", strings.Repeat("0", 64)).is(http.StatusConflict, "document.revision_changed")
	signer.verb("sign-docs", id, "digest", hex.EncodeToString(digest[:])).ok()
	status := owner.completed(id)
	if n := len(status["serial_number"].([]any)); n != 1 {
		t.Errorf("%d serials", n)
	}
	signed := owner.download(id)
	if !bytes.HasPrefix(signed, seen) {
		t.Error("signing changed bytes that were there")
	}
	if n := soundSignatures(t, signed); n != 4 {
		t.Errorf("%d signatures, want the signer's, the stamp's, the seal's and the document timestamp", n)
	}
	if got := owner.get("original", id).ok().body; !bytes.Equal(got, original) {
		t.Error("the original is not what was uploaded")
	}
	if err := s.store.CheckLog(t.Context()); err != nil {
		t.Error("audit log:", err)
	}
}

func TestTwentySignersInSequenceAllStayValid(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.person(t, "Pemilik", "")
	var signers []*client
	var people, boxes []object
	for i := range 20 {
		c := s.person(t, fmt.Sprintf("Penanda %02d", i), "")
		signers, people = append(signers, c), append(people, c.as("signer", i+1))
		x, y := float64(30+140*(i%4)), float64(60+90*(i/4))
		boxes = append(boxes, c.at("sign", x, y, x+130, y+60))
	}
	id := owner.upload(pdftest.Streams(3), people...)
	owner.place(id, boxes...).ok()
	owner.verb("finalize-docs", id).ok()
	for _, c := range signers {
		c.verb("sign-docs", id).ok()
	}
	owner.completed(id)
	if n := soundSignatures(t, owner.download(id)); n != 22 {
		t.Errorf("%d signatures, want 20, the seal and the document timestamp", n)
	}
}

func TestCrowdOfParallelSignersAllGetTheirSignatureIn(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.person(t, "Pemilik", "")
	var signers []*client
	var people []object
	for i := range 8 {
		c := s.person(t, fmt.Sprintf("Penanda %02d", i), "")
		signers, people = append(signers, c), append(people, c.as("signer", 1))
	}
	id := owner.uploadWith(object{"signer": people, "parallel": "1"}, simple())
	owner.verb("finalize-docs", id).ok()
	done := make(chan *answer)
	for _, c := range signers {
		go func() { done <- c.verb("sign-docs", id) }()
	}
	for range signers {
		(<-done).ok()
	}
	owner.completed(id)
	if n := soundSignatures(t, owner.download(id)); n != 10 {
		t.Errorf("%d signatures, want 8, the seal and the document timestamp", n)
	}
}

func TestFilesOfEveryStyleAreSignedAndValid(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, signer := s.person(t, "Pemilik", ""), s.person(t, "Penanda", "")
	completed := func(s *service) []byte { // a completed file
		owner := s.person(t, "Sebelumnya", "")
		id := owner.upload(pdftest.Table(1), owner.as("signer", 1))
		owner.place(id, owner.at("sign", 20, 400, 140, 460), owner.at("emet", 150, 400, 210, 460)).ok()
		owner.verb("finalize-docs", id).ok()
		owner.verb("sign-docs", id).ok()
		owner.completed(id)
		return owner.download(id)
	}
	for name, pdf := range map[string][]byte{
		"table": pdftest.Table(1), "streams": pdftest.Streams(2), "hybrid": pdftest.Hybrid(1), "linearized": pdftest.Linearized(2),
		"rotated": pdftest.Rotated(), "form": pdftest.Form(), "signed here before": completed(s), "signed elsewhere before": completed(start(t)),
	} {
		id := owner.upload(pdf, signer.as("signer", 1))
		owner.place(id, signer.at("sign", 20, 20, 140, 80), signer.at("emet", 150, 20, 210, 80)).ok()
		owner.verb("finalize-docs", id).ok()
		signer.verb("sign-docs", id).ok()
		owner.completed(id)
		signed := owner.download(id)
		// The hybrid file, of version PDF 1.5, has two readings and was rewritten at upload.
		if old := bytes.HasPrefix(pdf, []byte("%PDF-1.5")); !old && !bytes.HasPrefix(signed, pdf) {
			t.Errorf("%s: bytes that were there have changed", name)
		}
		if soundSignatures(t, signed); t.Failed() {
			t.Fatal(name)
		}
	}
}

func TestStampingOrderCompletesByItself(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.person(t, "Pemilik", "")
	id := owner.upload(simple(), owner.as("signer", 1))
	owner.place(id, owner.at("emet", 100, 100, 160, 160), owner.at("emet", 200, 100, 260, 160)).ok()
	if mode := owner.verb("finalize-docs", id).ok().object("response", "data")["mode"]; mode != "stamping" {
		t.Fatalf("mode %v", mode)
	}
	serials := owner.completed(id)["serial_number"].([]any)
	if len(serials) != 2 || serials[0] == serials[1] {
		t.Errorf("serials %v", serials)
	}
	soundSignatures(t, owner.download(id))
	balance := owner.do("GET", "/v1/econtract/web_app/client_balance", nil).ok().object("data")
	if balance["emet"] != 998.0 || balance["esgn"] != 1000.0 {
		t.Errorf("balance %v", balance)
	}
}

func TestGuestSignsThroughTheirLinkAndThePreviousOneIsRevoked(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.person(t, "Pemilik", "")
	id := owner.uploadWith(object{"guest": object{"name": "Tamu 山田", "email": "tamu@example.test", "role": "signer", "number": "1"}}, simple())
	person := owner.get("signers", id).ok().object()["data"].(object)["signer"].([]any)[0].(object)["user_id"].(string)
	named := object{"page": 1, "type": "sign", "user": object{"userid": person}, "emet": object{"llx": 100, "lly": 100, "urx": 300, "ury": 160}}
	owner.place(id, named).ok()
	owner.verb("finalize-docs", id).ok()
	first := owner.guest(id, person)
	second := owner.guest(id, person)
	first.verb("sign-docs", id).is(http.StatusUnauthorized)
	second.do("GET", documentPath+"out", nil).is(http.StatusForbidden)
	second.verb("sign-docs", id).ok()
	owner.completed(id)
	signed := second.download(id)
	if n := soundSignatures(t, signed); n != 3 {
		t.Errorf("%d signatures", n)
	}
	file := filepath.Join(t.TempDir(), "signed.pdf")
	if err := os.WriteFile(file, signed, 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := runTool(t, "pdftotext", file, "-"); err != nil || !strings.Contains(text, "Tamu") || !strings.Contains(text, "山田") {
		t.Errorf("the name cannot be read on the page: %v\n%s", err, text)
	}
}

func TestGuestSignsWithThePictureTheyDrew(t *testing.T) {
	t.Parallel()
	var drawn bytes.Buffer
	m := image.NewNRGBA(image.Rect(0, 0, 200, 80))
	for x := 20; x < 180; x++ {
		for y := 38; y < 42; y++ {
			m.Set(x, y+x/10, color.NRGBA{18, 50, 107, 255})
		}
	}
	if err := png.Encode(&drawn, m); err != nil {
		t.Fatal(err)
	}
	s := start(t)
	owner := s.person(t, "Pemilik", "")
	id := owner.uploadWith(object{"guest": object{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": "1"}}, simple())
	person := owner.get("signers", id).ok().object()["data"].(object)["signer"].([]any)[0].(object)["user_id"].(string)
	owner.place(id, object{"page": 1, "type": "sign", "user": object{"userid": person}, "emet": object{"llx": 100, "lly": 100, "urx": 300, "ury": 160}}).ok()
	owner.verb("finalize-docs", id).ok()
	guest := owner.guest(id, person)
	guest.verb("sign-docs", id, "specimen", base64.StdEncoding.EncodeToString(drawn.Bytes())).ok()
	owner.completed(id)
	file := filepath.Join(t.TempDir(), "signed.pdf")
	if err := os.WriteFile(file, guest.download(id), 0o600); err != nil {
		t.Fatal(err)
	}
	if list, err := runTool(t, "pdfimages", "-list", file); err != nil || !regexp.MustCompile(`(?s)image +160 +19 +rgb.*smask +160 +19 +gray`).MatchString(list) {
		t.Errorf("the picture is not on the page: %v\n%s", err, list)
	}
}

func TestQuotaThatDoesNotSufficeTakesNothing(t *testing.T) {
	t.Parallel()
	s := start(t, "SEGEL_GRANT_STAMPS", "1")
	owner := s.person(t, "Pemilik", "")
	id := owner.upload(simple())
	owner.place(id, owner.at("emet", 100, 100, 160, 160), owner.at("emet", 200, 100, 260, 160)).ok()
	owner.verb("finalize-docs", id).is(http.StatusPaymentRequired, "quota.insufficient")
	if state := owner.get("status", id).ok().object("data")["status"]; state != "draft" {
		t.Errorf("the document is %v", state)
	}
	owner.place(id, owner.at("emet", 100, 100, 160, 160)).ok()
	owner.verb("finalize-docs", id).ok()
	owner.completed(id)
}

func TestFsckFindsNothingWrongAfterAWalk(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.person(t, "Pemilik", "")
	id := owner.upload(simple())
	owner.place(id, owner.at("emet", 100, 100, 160, 160)).ok()
	owner.verb("finalize-docs", id).ok()
	owner.completed(id)
	gone := owner.upload(simple())
	owner.do("DELETE", fmt.Sprint(documentPath, gone), nil).ok()
	owner.get("status", gone).is(http.StatusNotFound)
	fsck(t, s, 0)

	blob := referred(t, s)
	b, err := os.ReadFile(blob)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.Chmod(blob, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(blob, b, 0o600); err != nil {
		t.Fatal(err)
	}
	fsck(t, s, 1)
}
