package pades_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"segel/cms"
	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// writeParts writes the container and the signed bytes of a field for openssl.
func writeParts(t *testing.T, p *testFile, field string) (container, content string) {
	t.Helper()
	for _, s := range must[[]*pdf.Signature](t)(p.Open(t).Signatures()) {
		if s.Field.Name != field {
			continue
		}
		dir := t.TempDir()
		container, content = filepath.Join(dir, "container.der"), filepath.Join(dir, "content")
		r := s.ByteRange
		signed := append(bytes.Clone(p.Bytes[:r[1]]), p.Bytes[r[2]:r[2]+r[3]]...)
		der := s.Contents[:must[*cms.SignedData](t)(cms.Parse(s.Contents)).Size]
		for path, b := range map[string][]byte{container: der, content: signed} {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return container, content
	}
	t.Fatalf("field %q is not signed", field)
	return "", ""
}

func TestOpenSSLVerifiesContainerAndTimestamps(t *testing.T) {
	t.Parallel()
	p := &testFile{Bytes: pdftest.Table(1)}
	p.AddFields(t, pades.FieldSpec{Name: "Budi"})
	p.Sign(t, signtest.NewSigner(t, "Budi").Options(t, "Budi"))
	p.Complete(t, signtest.Authority(t))
	root := filepath.Join(t.TempDir(), "root.pem")
	if err := os.WriteFile(root, signtest.Authority(t).RootPEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	container, content := writeParts(t, p, "Budi")
	runTool(t, "openssl", "cms", "-verify", "-inform", "DER", "-in", container, "-content", content, "-binary", "-CAfile", root, "-purpose", "any", "-out", os.DevNull)
	container, content = writeParts(t, p, "Timestamp1")
	out := runTool(t, "openssl", "ts", "-verify", "-token_in", "-in", container, "-data", content, "-CAfile", root)
	if !strings.Contains(out, "Verification: OK") {
		t.Error(out)
	}
}

func TestEveryLevelIsValidToOthers(t *testing.T) {
	t.Parallel()
	budi := signtest.NewSigner(t, "Budi")
	p := &testFile{Bytes: pdftest.Streams(2)}
	p.AddFields(t, pades.FieldSpec{Name: "Basic"}, pades.FieldSpec{Name: "Timed"})
	o := budi.Options(t, "Basic")
	o.Timestamper = nil
	p.Sign(t, o)
	wantValid(t, p, "Basic")
	p.Sign(t, budi.Options(t, "Timed"))
	wantValid(t, p, "Basic", "Timed")
	p.Append(t)(pades.AddDSS(t.Context(), p.Source(), pades.ValidationOptions{Source: signtest.Authority(t)}))
	runTool(t, "qpdf", "--check", writeTemp(t, p))
	p.Append(t)(pades.DocumentTimestamp(t.Context(), p.Source(), signtest.Authority(t).Timestamper(), pades.Clock{}))
	path := writeTemp(t, p)
	runTool(t, "qpdf", "--check", path)
	if v := runPdfsig(t, path); !v["Basic"].valid || !v["Timed"].valid || !v["Timestamp1"].total {
		t.Errorf("pdfsig: %+v", v)
	}
	if out := runTool(t, "mutool", "sign", "-v", path); strings.Count(out, "The signature is valid but there have been edits since signing") != 2 {
		t.Error(out)
	}
}

func TestEveryKindOfKeySigns(t *testing.T) {
	t.Parallel()
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey := must[*rsa.PrivateKey](t)(rsa.GenerateKey(rand.Reader, 2048))
	for name, c := range map[string]struct {
		key    crypto.Signer
		scheme cms.Scheme
		pdfsig bool // pdfsig supports it
	}{
		"P-256":        {must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)), cms.Scheme{}, true},
		"P-384":        {must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P384(), rand.Reader)), cms.Scheme{}, true},
		"P-384/256":    {must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P384(), rand.Reader)), cms.Scheme{Hash: crypto.SHA256}, true},
		"RSA":          {rsaKey, cms.Scheme{}, true},
		"RSA-3072":     {must[*rsa.PrivateKey](t)(rsa.GenerateKey(rand.Reader, 3072)), cms.Scheme{}, true},
		"RSA-4096/512": {must[*rsa.PrivateKey](t)(rsa.GenerateKey(rand.Reader, 4096)), cms.Scheme{Hash: crypto.SHA512}, true},
		"PSS/384":      {rsaKey, cms.Scheme{Hash: crypto.SHA384, PSS: true}, true},
		"P-521":        {must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P521(), rand.Reader)), cms.Scheme{}, true},
		"RSA with PSS": {rsaKey, cms.Scheme{PSS: true}, true},
		"Ed25519":      {ed, cms.Scheme{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &testFile{Bytes: pdftest.Table(1)}
			p.AddFields(t, pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"})
			who := signtest.Certify(t, signtest.Authority(t), name, c.key)
			for _, field := range []string{"A", "B"} {
				o := who.Options(t, field)
				o.Scheme = c.scheme
				p.Sign(t, o)
			}
			if c.pdfsig {
				wantValid(t, p, "A", "B")
			}
		})
	}
}

func TestTwentySignersInTurnAreAllValid(t *testing.T) {
	t.Parallel()
	p := &testFile{Bytes: pdftest.Table(3)}
	var fields []pades.FieldSpec
	var names []string
	for i := range 20 {
		name := fmt.Sprintf("Signer%02d", i+1)
		names = append(names, name)
		fields = append(fields, pades.FieldSpec{Name: name, Page: i%3 + 1, Rect: pdf.Rect{LLX: 40, LLY: float64(40 + 35*i), URX: 200, URY: float64(70 + 35*i)}})
	}
	p.AddFields(t, fields...)
	page := p.Open(t)
	before := must[*pdf.Page](t)(page.Page(1))
	for _, name := range names {
		p.Sign(t, signtest.NewSigner(t, name).Options(t, name))
	}
	wantValid(t, p, names...)
	after := must[*pdf.Page](t)(p.Open(t).Page(1))
	if fmt.Sprint(before.Dict) != fmt.Sprint(after.Dict) {
		t.Errorf("signing changed page 1 from %v to %v", before.Dict, after.Dict)
	}
	for _, r := range must[[]pdf.Revision](t)(p.Open(t).Revisions())[2:] {
		for _, e := range must[[]pdf.Entry](t)(p.Open(t).RevisionEntries(r)) {
			if e.Ref == after.Ref {
				t.Errorf("revision at %d writes page 1 again", r.StartXref)
			}
		}
	}
}

func TestResultStatesTheFileItMakes(t *testing.T) {
	t.Parallel()
	p := &testFile{Bytes: pdftest.Table(1)}
	p.AddFields(t, pades.FieldSpec{Name: "A"})
	r := p.Sign(t, signtest.NewSigner(t, "A").Options(t, "A"))
	if sum := sha256.Sum256(p.Bytes); sum != r.Digest {
		t.Errorf("digest %x, want %x", r.Digest, sum)
	}
	if r.Field != "A" {
		t.Errorf("field %q", r.Field)
	}
}

func TestNamesInAnyScriptSurviveSigning(t *testing.T) {
	t.Parallel()
	for i, name := range []string{"Ñandú Çelik", "山田太郎", "محمد علي", "Владимир", "A 😀 (b) \\ c"} {
		p := &testFile{Bytes: pdftest.Table(1)}
		field := fmt.Sprintf("Tanda %s %d", name, i)
		p.AddFields(t, pades.FieldSpec{Name: field, Label: name})
		o := signtest.NewSigner(t, name).Options(t, field)
		o.Reason, o.Location, o.Contact = name, name, name
		r := p.Sign(t, o)
		if r.Field != field {
			t.Errorf("signed %q", r.Field)
		}
		s := must[[]*pdf.Signature](t)(p.Open(t).Signatures())[0]
		for _, key := range []pdf.Name{"Name", "Reason", "Location", "ContactInfo"} {
			if got := must[pdf.String](t)(p.Open(t).String(s.Dict[key])).Text(); got != name {
				t.Errorf("/%s %q, want %q", key, got, name)
			}
		}
		path := writeTemp(t, p)
		runTool(t, "qpdf", "--check", path)
		if v := runPdfsig(t, path); len(v) != 1 {
			t.Errorf("%+v", v)
		}
		for _, v := range runPdfsig(t, path) {
			if !v.valid || !v.total {
				t.Errorf("%s: %+v", name, v)
			}
		}
	}
}
