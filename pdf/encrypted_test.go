package pdf_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"segel/pdf"
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
			if !d.Facts().Encrypted {
				t.Errorf("%s: facts %+v", name, d.Facts())
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
		accepted(t, name, whole, "--password=owner")
	}
}

// accepted asks qpdf, where it is installed.
func accepted(t *testing.T, name string, file []byte, options ...string) {
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
