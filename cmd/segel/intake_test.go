package main

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"segel/pdf/pdftest"
)

// TestEncryptedFileThatOpensWithoutPasswordStaysEncrypted signs, seals and stamps files that qpdf encrypted.
func TestEncryptedFileThatOpensWithoutPasswordStaysEncrypted(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, signer := s.person(t, "Sari Wulandari", ""), s.person(t, "Budi Santoso", "")
	good := simple()
	for name, file := range map[string][]byte{
		"RC4, 40 bits":                encryptedFile(t, good, "40", ""),
		"RC4, 128 bits":               encryptedFile(t, good, "128", "", "--use-aes=n"),
		"AES-128":                     encryptedFile(t, good, "128", "", "--use-aes=y"),
		"AES-128, plain metadata":     encryptedFile(t, good, "128", "", "--use-aes=y", "--cleartext-metadata"),
		"AES-256":                     encryptedFile(t, good, "256", ""),
		"AES-256, revision 5":         encryptedFile(t, good, "256", "", "--force-R5"),
		"AES-256, in streams":         encryptedFile(t, pdftest.Streams(2), "256", ""),
		"AES-128, nothing may change": encryptedFile(t, good, "128", "", "--use-aes=y", "--modify=none"),
		"AES-128, damaged":            append([]byte("junk\n"), encryptedFile(t, good, "128", "", "--use-aes=y")...),
		"RC4, end cut off":            beheaded(encryptedFile(t, good, "40", "")),
	} {
		id := owner.upload(file, signer.as("signer", 1))
		owner.place(id, signer.at("sign", 100, 100, 260, 160), signer.at("emet", 300, 100, 380, 180)).ok()
		owner.verb("finalize-docs", id).ok()
		signer.verb("sign-docs", id).ok()
		owner.completed(id)
		out := owner.download(id)
		if n := soundSignatures(t, out); n != 4 {
			t.Errorf("%s: %d signatures, want the person's, the office's, the seal and the timestamp", name, n)
		}
		path := filepath.Join(t.TempDir(), "signed.pdf")
		if err := os.WriteFile(path, out, 0o600); err != nil {
			t.Fatal(err)
		}
		said, err := runTool(t, "qpdf", "--show-encryption", path)
		if err != nil || !strings.Contains(said, "R = ") || strings.Contains(said, "not encrypted") {
			t.Errorf("%s: encrypted no more: %s", name, said)
		}
		if got := owner.get("original", id).ok().body; !bytes.Equal(got, file) {
			t.Errorf("%s: the original is not what was uploaded", name)
		}
	}
}

// beheaded removes everything from the cross-reference on except the trailer, whose /Encrypt cannot be reconstructed.
func beheaded(file []byte) []byte {
	return file[:bytes.LastIndex(file, []byte("startxref"))]
}

// TestDamagedFilesAreRewrittenOnceAndSigned uploads files that readers open only by repairing them, without loss of content.
func TestDamagedFilesAreRewrittenOnceAndSigned(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, signer := s.person(t, "Sari Wulandari", ""), s.person(t, "Budi Santoso", "")
	good := simple()
	for name, file := range map[string][]byte{
		"junk before the header": append([]byte("junk\n"), good...),
		"end cut off":            good[:len(good)-40],
		"startxref off the file": replaced(t, good, "startxref\n", "startxref\n9999999"),
		"startxref off the mark": replaced(t, good, "startxref\n", "startxref\n1"),
		"table of wrong offsets": replaced(t, good, "0000000015 00000 n", "0000000099 00000 n"),
		"counts that lie":        replaced(t, good, "/Count 2", "/Count 7"),
	} {
		a := owner.do("POST", uploadPath, body(t, file, object{"signer": []object{signer.as("signer", 1)}})).ok()
		id := int64(a.object("response", "data")["document_id"].(float64))
		if !bytes.Contains(a.body, []byte("document.normalised")) || !bytes.Contains(owner.get("detail", id).ok().body, []byte("document.normalised")) {
			t.Errorf("%s: the answer does not report it: %s", name, a.body)
		}
		owner.verb("finalize-docs", id).ok()
		signer.verb("sign-docs", id).ok()
		owner.completed(id)
		if n := soundSignatures(t, owner.download(id)); n != 3 {
			t.Errorf("%s: %d signatures", name, n)
		}
		original := owner.get("original", id)
		if original.status != http.StatusOK || !bytes.Equal(original.body, file) {
			t.Errorf("%s: original: %d, %d bytes", name, original.status, len(original.body))
		}
		if trail := owner.get("audit-trail", id).ok(); !bytes.Contains(trail.body, []byte(`"normalised"`)) {
			t.Errorf("%s: the audit trail says nothing: %s", name, trail.body)
		}
	}
	fsck(t, s, 0)
}
