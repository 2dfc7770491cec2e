package pdf_test

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"segel/pdf"
	"segel/pdf/pdftest"
)

// The files below testdata/encrypted are pdftest.Form, encrypted by qpdf with
// the passwords "user" and "owner"; the name of one that needs no password to
// open has "open" in it.
func encrypted(t *testing.T) map[string][]byte {
	t.Helper()
	paths := must[[]string](t)(filepath.Glob("testdata/encrypted/*.pdf"))
	if len(paths) < 6 {
		t.Fatalf("only %d files", len(paths))
	}
	files := map[string][]byte{}
	for _, p := range paths {
		files[strings.TrimSuffix(filepath.Base(p), ".pdf")] = must[[]byte](t)(os.ReadFile(p))
	}
	return files
}

func openWith(b []byte, password string) (*pdf.Document, error) {
	return pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{Password: password})
}

func TestEncryptedFilesOpenWithEitherPassword(t *testing.T) {
	t.Parallel()
	for name, file := range encrypted(t) {
		if _, err := openWith(file, "wrong"); !strings.Contains(name, "open") && !errors.Is(err, pdf.ErrPasswordNeeded) {
			t.Errorf("%s: wrong password: %v", name, err)
		}
		for _, password := range []string{"user", "owner"} {
			d, err := openWith(file, password)
			if err != nil {
				t.Errorf("%s: %s: %v", name, password, err)
				continue
			}
			info := must[pdf.Dict](t)(d.Dict(d.Trailer()["Info"]))
			if s, _ := info["Title"].(pdf.String); s.Text() != "A sample" {
				t.Errorf("%s: title %q", name, s.Text())
			}
			page := must[*pdf.Page](t)(d.Page(1))
			contents := must[*pdf.Stream](t)(d.Stream(page.Dict["Contents"]))
			if b := must[[]byte](t)(d.Decode(contents)); !bytes.Contains(b, []byte("(Page 1) Tj")) {
				t.Errorf("%s: contents %q", name, b)
			}
			if !d.Properties().Encrypted {
				t.Errorf("%s: facts %+v", name, d.Properties())
			}
		}
	}
}

func TestUpdateOfEncryptedFileIsEncryptedAlike(t *testing.T) {
	t.Parallel()
	for name, file := range encrypted(t) {
		d, err := openWith(file, "user")
		if err != nil {
			t.Fatal(err)
		}
		u := d.NewUpdate()
		secret := bytes.Repeat([]byte("rahasia negara "), 9)
		contents := &pdf.Hole{Len: 10, Hex: true}
		ref := u.Add(pdf.Dict{"S": pdf.String{Bytes: secret}, "Sig": pdf.Dict{"Type": pdf.Name("Sig"), "Contents": contents, "Name": pdf.TextString("Siti")}})
		stream := u.Add(&pdf.Stream{Dict: pdf.Dict{"Filter": pdf.Name("ASCIIHexDecode")}, Data: []byte("414243>")})
		field := pdf.Ref{}
		for _, f := range must[[]*pdf.Field](t)(d.Fields()) {
			field = f.Ref
			must[pdf.Dict](t)(u.Edit(f.Ref))["TU"] = pdf.TextString("nama")
		}
		tail := must[*pdf.Tail](t)(u.Build())
		if bytes.Contains(tail.Bytes, []byte("rahasia")) || bytes.Contains(tail.Bytes, []byte("414243")) {
			t.Errorf("%s: the tail is not encrypted", name)
		}
		if err := tail.Fill(contents, []byte{1, 2, 3, 4}); err != nil {
			t.Fatal(err)
		}
		whole := append(bytes.Clone(file), tail.Bytes...)
		again, err := openWith(whole, "owner")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		dict := must[pdf.Dict](t)(again.Dict(ref))
		sig := dict["Sig"].(pdf.Dict)
		if !bytes.Equal(dict["S"].(pdf.String).Bytes, secret) || !bytes.Equal(sig["Contents"].(pdf.String).Bytes, []byte{1, 2, 3, 4}) {
			t.Errorf("%s: read back %v", name, dict)
		}
		if b := must[[]byte](t)(again.Decode(must[*pdf.Stream](t)(again.Stream(stream)))); string(b) != "ABC" {
			t.Errorf("%s: stream reads %q", name, b)
		}
		if s := must[pdf.Dict](t)(again.Dict(field))["TU"].(pdf.String); s.Text() != "nama" {
			t.Errorf("%s: field reads %q", name, s.Text())
		}
		if again.Trailer()["Encrypt"] != d.Trailer()["Encrypt"] {
			t.Errorf("%s: /Encrypt changed", name)
		}
		requireAccepted(t, name, whole, "--password=owner")
	}
}

// TestAESDataWithoutABlockIsEmpty cuts the data of a stream to its initialization vector, or to nothing. The rest becomes a comment.
func TestAESDataWithoutABlockIsEmpty(t *testing.T) {
	t.Parallel()
	for name, file := range encrypted(t) {
		if !strings.HasPrefix(name, "aes") {
			continue
		}
		d := must[*pdf.Document](t)(openWith(file, "user"))
		u := d.NewUpdate()
		ref := u.Add(&pdf.Stream{Plain: true, Data: bytes.Repeat([]byte("x"), 5000)})
		updated := build(t, file, u)
		const all, head = 5024, "/Length 5024\n>>\nstream\n"
		at := bytes.Index(updated, []byte(head))
		if at < 0 {
			t.Fatalf("%s: the stream is written in another way", name)
		}
		begin := at + len(head)
		for _, length := range []int{0, 16} {
			short := bytes.Clone(updated)
			copy(short[at:], fmt.Sprintf("/Length %-4d", length))
			rest := short[begin+length : begin+all]
			copy(rest, "\nendstream\nendobj\n%"+strings.Repeat("x", len(rest)))
			again := must[*pdf.Document](t)(openWith(short, "user"))
			if b, err := again.Decode(must[*pdf.Stream](t)(again.Stream(ref))); err != nil || len(b) > 0 {
				t.Errorf("%s: %d bytes are read as %q, %v", name, length, b, err)
			}
			requireAccepted(t, name, short, "--password=owner")
		}
	}
}

// requireAccepted checks a file with qpdf, if it is installed.
func requireAccepted(t *testing.T, name string, file []byte, options ...string) {
	t.Helper()
	qpdf, err := exec.LookPath("qpdf")
	if err != nil {
		t.Log("qpdf is not installed")
		return
	}
	path := filepath.Join(t.TempDir(), "file.pdf")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(qpdf, append(options, "--check", path)...).CombinedOutput(); err != nil {
		t.Errorf("%s: %s", name, out)
	}
}

// withoutID is an empty page, encrypted with RC4 for no password, in a file without /ID.
func withoutID(t *testing.T) []byte {
	t.Helper()
	padding := []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")
	owner := bytes.Repeat([]byte{0x5A}, 32)
	sum := md5.Sum(slices.Concat(padding, owner, []byte{0xFC, 0xFF, 0xFF, 0xFF}))
	user := make([]byte, 32)
	must[*rc4.Cipher](t)(rc4.NewCipher(sum[:5])).XORKeyStream(user, padding)
	return tableFile(
		"<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Kids [3 0 R] /Count 1>>", "<</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200]>>",
		fmt.Sprintf("<</Filter /Standard /V 1 /R 2 /P -4 /O <%x> /U <%x>>>", owner, user),
	)("/Encrypt 4 0 R")
}

// tableFile writes objects from 1 on, the first of them the catalog, as a file with a table.
func tableFile(objects ...string) func(trailer string) []byte {
	return func(trailer string) []byte {
		b := []byte("%PDF-1.4\n")
		table := fmt.Appendf(nil, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
		for i, o := range objects {
			table = fmt.Appendf(table, "%010d 00000 n \n", len(b))
			b = fmt.Appendf(b, "%d 0 obj\n%s\nendobj\n", i+1, o)
		}
		at := len(b)
		b = append(b, table...)
		return fmt.Appendf(b, "trailer\n<</Root 1 0 R /Size %d %s>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, trailer, at)
	}
}

func TestKeyDerivedWithoutIDStaysTheKey(t *testing.T) {
	t.Parallel()
	file := withoutID(t)
	d := must[*pdf.Document](t)(openWith(file, ""))
	u := d.NewUpdate()
	ref := u.Add(pdf.Dict{"S": pdf.TextString("rahasia")})
	updated := build(t, file, u)
	requireAccepted(t, "updated", updated)
	again := must[*pdf.Document](t)(openWith(updated, ""))
	if s, ok := must[pdf.Dict](t)(again.Dict(ref))["S"].(pdf.String); !ok || s.Text() != "rahasia" {
		t.Errorf("reads %q", s.Text())
	}
	rewritten := must[[]byte](t)(rewrite(t, updated, pdf.RewriteOptions{}))
	requireAccepted(t, "rewritten", rewritten)
	must[*pdf.Document](t)(openWith(rewritten, ""))
}

func TestPasswordOfOldFilesIsTriedInTheirEncoding(t *testing.T) {
	t.Parallel()
	qpdf, err := exec.LookPath("qpdf")
	if err != nil {
		t.Skip("qpdf is not installed")
	}
	dir := t.TempDir()
	in := filepath.Join(dir, "in.pdf")
	if err := os.WriteFile(in, pdftest.Form(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bits := range []string{"40", "128", "256"} {
		out := filepath.Join(dir, bits+".pdf")
		said, err := exec.Command(qpdf, "--allow-weak-crypto", "--password-mode=unicode", "--encrypt", "kafé", "öwner", bits, "--", in, out).CombinedOutput()
		if err != nil {
			t.Fatalf("%s", said)
		}
		file := must[[]byte](t)(os.ReadFile(out))
		for _, password := range []string{"kafé", "öwner"} {
			if _, err := openWith(file, password); err != nil {
				t.Errorf("%s bits: %s: %v", bits, password, err)
			}
		}
	}
}

func TestRewrittenEncryptedFilesKeepTheirKey(t *testing.T) {
	t.Parallel()
	for name, file := range encrypted(t) {
		before, err := pdf.Open(bytes.NewReader(append([]byte("junk\n"), file...)), int64(len(file)+5), pdf.Options{Password: "user", Random: fixedRandom(7)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var out bytes.Buffer
		must[pdf.Rewritten](t)(before.Rewrite(&out, pdf.RewriteOptions{}))
		if bytes.Contains(out.Bytes(), []byte("A sample")) || bytes.Contains(out.Bytes(), []byte("(Page 1) Tj")) {
			t.Errorf("%s: is not encrypted any more", name)
		}
		after := must[*pdf.Document](t)(openWith(out.Bytes(), "owner"))
		if err := pdf.RequireEquivalent(before, after); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		info := must[pdf.Dict](t)(after.Dict(after.Trailer()["Info"]))
		if s, _ := info["Title"].(pdf.String); s.Text() != "A sample" {
			t.Errorf("%s: title %q", name, s.Text())
		}
		page := must[*pdf.Page](t)(after.Page(1))
		if b := must[[]byte](t)(after.Decode(must[*pdf.Stream](t)(after.Stream(page.Dict["Contents"])))); !bytes.Contains(b, []byte("(Page 1) Tj")) {
			t.Errorf("%s: contents %q", name, b)
		}
		if was, is := before.Properties().Encryption, after.Properties().Encryption; was != is {
			t.Errorf("%s: %+v became %+v", name, was, is)
		}
		requireAccepted(t, name, out.Bytes(), "--password=owner")
	}
}
