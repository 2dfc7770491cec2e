package pades_test

import (
	"fmt"
	"strings"
	"testing"

	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// renewTimestamp adds the validation data of the newest document timestamp and another timestamp.
func renewTimestamp(t testing.TB, p *testFile, newest string) *pades.Result {
	t.Helper()
	a := signtest.Authority(t)
	p.Append(t)(pades.AddDSS(t.Context(), p.Source(), pades.ValidationOptions{Source: a, Required: []string{newest}}))
	return p.Append(t)(pades.DocumentTimestamp(t.Context(), p.Source(), a.Timestamper(), pades.Clock{}))
}

func TestDocumentTimestampIsRenewedAgainAndAgain(t *testing.T) {
	t.Parallel()
	p := &testFile{Bytes: pdftest.Streams(2)}
	spec, drawing := newVisibleField(t, p, "A")
	p.AddFields(t, spec)
	options := signtest.NewSigner(t, "Budi").Options(t, "A")
	options.Appearance = drawing
	p.Sign(t, options)
	p.Complete(t, signtest.Authority(t))
	for i := 2; i <= 3; i++ {
		before := len(must[[]pdf.Revision](t)(p.Open(t).Revisions()))
		r := renewTimestamp(t, p, fmt.Sprintf("Timestamp%d", i-1))
		if want := fmt.Sprintf("Timestamp%d", i); r.Field != want {
			t.Errorf("renewal in field %q, want %q", r.Field, want)
		}
		d := p.Open(t)
		if after := len(must[[]pdf.Revision](t)(d.Revisions())); after != before+2 {
			t.Errorf("%d revisions became %d", before, after)
		}
		signatures := must[[]*pdf.Signature](t)(d.Signatures())
		if len(signatures) != i+1 {
			t.Fatalf("%d signatures", len(signatures))
		}
		// The new timestamp covers the validation data of the old one.
		_, catalog, err := d.Root()
		if err != nil {
			t.Fatal(err)
		}
		vri := must[pdf.Dict](t)(d.Dict(must[pdf.Dict](t)(d.Dict(catalog["DSS"]))["VRI"]))
		proved := 0
		for key, o := range vri {
			entry := must[pdf.Dict](t)(d.Dict(o))
			if strings.ToUpper(string(key)) == string(key) && entry["Cert"] != nil {
				proved++
			}
		}
		if proved != i {
			t.Errorf("%d entries for %d signatures and timestamps below the newest", proved, i)
		}
	}
	runTool(t, "qpdf", "--check", writeTemp(t, p))
}

// encryptFile encrypts a file with qpdf.
func encryptFile(t testing.TB, plain []byte, password string, args ...string) *testFile {
	t.Helper()
	path := writeTemp(t, &testFile{Bytes: plain})
	runTool(t, "qpdf", append(append([]string{"--allow-weak-crypto", "--encrypt", password, "owner"}, args...), "--", path, path+".locked")...)
	return &testFile{Bytes: readSample(t, path+".locked"), Password: password}
}

func TestEncryptedFilesAreSignedToTheHighestLevel(t *testing.T) {
	t.Parallel()
	who := signtest.NewSigner(t, "Budi Santoso")
	for name, args := range map[string][]string{
		"RC4-40":                   {"40"},
		"RC4-128":                  {"128", "--use-aes=n"},
		"AES-128":                  {"128", "--use-aes=y"},
		"AES-128 without metadata": {"128", "--use-aes=y", "--cleartext-metadata"},
		"AES-256":                  {"256"},
	} {
		for _, password := range []string{"", "rahasia"} {
			for kind, file := range map[string][]byte{"table": pdftest.Form(), "streams": pdftest.Streams(2)} {
				t.Run(fmt.Sprintf("%s %s %q", name, kind, password), func(t *testing.T) {
					t.Parallel()
					p := encryptFile(t, file, password, args...)
					encrypt := p.Open(t).Trailer()["Encrypt"]
					spec, drawing := newVisibleField(t, p, "A")
					p.AddFields(t, spec, pades.FieldSpec{Name: "B"})
					o := who.Options(t, "A")
					o.Appearance = drawing
					p.Sign(t, o)
					p.Sign(t, who.Options(t, "B"))
					out := runTool(t, "pdfsig", append(userPassword(password), "-nocert", writeTemp(t, p))...)
					if strings.Count(out, "Signature is Valid") != 2 || strings.Count(out, "Total document signed") != 1 {
						t.Error(out)
					}
					p.Complete(t, signtest.Authority(t))
					renewTimestamp(t, p, "Timestamp1")
					path := writeTemp(t, p)
					runTool(t, "qpdf", "--check", "--password="+password, path)
					d := p.Open(t)
					s := must[[]*pdf.Signature](t)(d.Signatures())
					if len(s) != 4 {
						t.Errorf("%d signatures", len(s))
					}
					if reason := must[pdf.String](t)(d.String(s[0].Dict["Reason"])).Text(); reason != "Menyetujui isi dokumen ini" {
						t.Errorf("/Reason %q", reason)
					}
					if after := d.Trailer()["Encrypt"]; after != encrypt {
						t.Errorf("/Encrypt was %v and is %v", encrypt, after)
					}
				})
			}
		}
	}
}

func userPassword(password string) []string {
	if password == "" {
		return nil
	}
	return []string{"-upw", password}
}
