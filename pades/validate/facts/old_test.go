package facts_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"segel/cms"
	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// old is a signer with an RSA key of that length.
func old(t *testing.T, bits int) (*rsa.PrivateKey, *x509.Certificate) {
	t.Helper()
	key := must[*rsa.PrivateKey](t)(rsa.GenerateKey(rand.Reader, bits))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Dewi"}, NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<32, 0),
		SignatureAlgorithm: x509.SHA256WithRSA,
	}
	der := must[[]byte](t)(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))
	return key, must[*x509.Certificate](t)(x509.ParseCertificate(der))
}

// form signs the way an old /SubFilter wants it. Contents makes what /Contents holds, from the signed bytes' hash.
func (p *testFile) form(subFilter pdf.Name, more pdf.Dict, contents func(digest func(crypto.Hash) []byte) []byte) *testFile {
	p.t.Helper()
	return p.signAs(func(u *pdf.Update, value pdf.Ref) {
		for _, f := range must[[]*pdf.Field](p.t)(p.open().Fields()) {
			if f.Name == "A" {
				must[pdf.Dict](p.t)(u.Edit(f.Ref))["V"] = value
			}
		}
	}, subFilter, more, contents)
}

// signAs is form for a field that edit makes or fills.
func (p *testFile) signAs(edit func(u *pdf.Update, value pdf.Ref), subFilter pdf.Name, more pdf.Dict, contents func(digest func(crypto.Hash) []byte) []byte) *testFile {
	p.t.Helper()
	u := p.open().NewUpdate()
	byteRange, hole := &pdf.Hole{Len: 60}, &pdf.Hole{Len: 8002, Hex: true}
	value := pdf.Dict{"Type": pdf.Name("Sig"), "Filter": pdf.Name("Adobe.PPKLite"), "SubFilter": subFilter, "ByteRange": byteRange, "Contents": hole}
	for k, v := range more {
		value[k] = v
	}
	edit(u, u.Add(value))
	tail := must[*pdf.Tail](p.t)(u.Build())
	at, length, err := tail.Hole(hole)
	if err != nil {
		p.t.Fatal(err)
	}
	end := tail.At + int64(len(tail.Bytes))
	behind := at + int64(length)
	if err := tail.Fill(byteRange, fmt.Appendf(nil, "[0 %d %d %d]", at, behind, end-behind)); err != nil {
		p.t.Fatal(err)
	}
	whole := append(slices.Clone(p.b), tail.Bytes...)
	digest := func(h crypto.Hash) []byte {
		d := h.New()
		d.Write(whole[:at])
		d.Write(whole[behind:])
		return d.Sum(nil)
	}
	if err := tail.Fill(hole, contents(digest)); err != nil {
		p.t.Fatal(err)
	}
	p.b = append(p.b, tail.Bytes...)
	return p
}

func TestOldFormsAreReadAndVerified(t *testing.T) {
	t.Parallel()
	key, cert := old(t, 1024)
	chain := []*x509.Certificate{cert}
	encode := func(v any) []byte { return must[[]byte](t)(asn1.Marshal(v)) }
	bare := func(digest func(crypto.Hash) []byte) []byte {
		return encode(must[[]byte](t)(rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA1, digest(crypto.SHA1))))
	}
	inside := func(digest func(crypto.Hash) []byte) []byte {
		content := digest(crypto.SHA1)
		return must[[]byte](t)(cms.Sign(rand.Reader, hashed(crypto.SHA256, content), key, chain, cms.Options{Content: content}))
	}
	for _, c := range []struct {
		name     string
		form     facts.Form
		more     pdf.Dict
		contents func(digest func(crypto.Hash) []byte) []byte
		hash     crypto.Hash
	}{
		{"bare", facts.FormRSA, pdf.Dict{"Cert": pdf.String{Bytes: cert.Raw}}, bare, crypto.SHA1},
		{"bare with a list", facts.FormRSA, pdf.Dict{"Cert": pdf.Array{pdf.String{Bytes: cert.Raw}}}, bare, crypto.SHA1},
		{"digest inside", facts.FormSHA1, nil, inside, crypto.SHA1},
		{"detached", facts.FormDetached, nil, func(digest func(crypto.Hash) []byte) []byte {
			return must[[]byte](t)(cms.Sign(rand.Reader, digest(crypto.SHA256), key, chain, cms.Options{}))
		}, crypto.SHA256},
	} {
		p := on(t, pdftest.Table(1)).fields(pades.FieldSpec{Name: "A"}).form(pdf.Name(c.form), c.more, c.contents)
		f := runSteps(t, p.b)
		wantIntact(t, f, "A")
		s := f.Signatures[0]
		if s.Form != c.form || s.Digest != c.hash || s.Signer == nil || s.Signer.Subject.CommonName != "Dewi" {
			t.Errorf("%s: form %q, hash %v, signer %v", c.name, s.Form, s.Digest, s.Signer)
		}
		b := slices.Clone(p.b)
		b[7] ^= 1
		if s := runSteps(t, b).Signatures[0]; s.Integrity == nil {
			t.Errorf("%s: a changed byte goes unseen", c.name)
		}
	}
}

// loose marks the ends of the outer elements of a container instead of telling their lengths, as some signers did.
func loose(t *testing.T, der []byte) []byte {
	t.Helper()
	var outer struct {
		Type    asn1.RawValue
		Content asn1.RawValue `asn1:"tag:0"`
	}
	var inner asn1.RawValue
	_, err := asn1.Unmarshal(der, &outer)
	if err == nil {
		_, err = asn1.Unmarshal(outer.Content.Bytes, &inner)
	}
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat([]byte{0x30, 0x80}, outer.Type.FullBytes, []byte{0xa0, 0x80, 0x30, 0x80}, inner.Bytes, make([]byte, 6))
}

func TestContainerInBERIsReadAndReported(t *testing.T) {
	t.Parallel()
	key, cert := old(t, 2048)
	p := on(t, pdftest.Table(1)).fields(pades.FieldSpec{Name: "A"})
	p.form("adbe.pkcs7.detached", nil, func(digest func(crypto.Hash) []byte) []byte {
		return loose(t, must[[]byte](t)(cms.Sign(rand.Reader, digest(crypto.SHA256), key, []*x509.Certificate{cert}, cms.Options{})))
	})
	f := runSteps(t, p.b)
	wantIntact(t, f, "A")
	if s := f.Signatures[0]; len(s.Odd) != 1 || s.Odd[0].Code != facts.BasicEncoding || s.Signer == nil {
		t.Errorf("odd %v, signer %v", s.Odd, s.Signer)
	}
	p.b[7] ^= 1
	if s := runSteps(t, p.b).Signatures[0]; !isErr(s.Integrity, facts.ErrDigest) {
		t.Errorf("a changed byte goes unseen: %v", s.Integrity)
	}
}

func TestTimestampInBERIsReadAndReported(t *testing.T) {
	t.Parallel()
	key, cert := old(t, 2048)
	o := signtest.Authority(t)
	for _, other := range []bool{false, true} {
		p := on(t, pdftest.Table(1)).fields(pades.FieldSpec{Name: "A"})
		p.form("ETSI.CAdES.detached", nil, func(digest func(crypto.Hash) []byte) []byte {
			s := must[*cms.Signature](t)(cms.NewSignature(digest(crypto.SHA256), []*x509.Certificate{cert}, cms.Options{}))
			value := must[[]byte](t)(s.Sign(rand.Reader, key))
			of := hashed(crypto.SHA256, value)
			if other {
				of[0] ^= 1
			}
			token := loose(t, must[[]byte](t)(o.Timestamper().Timestamp(t.Context(), of)))
			// The outermost element has a definite length, so the container looks like DER to a reader that skips it.
			whole := must[[]byte](t)(asn1.Marshal(asn1.RawValue{Tag: asn1.TagSequence, IsCompound: true, Bytes: token[2 : len(token)-2]}))
			return must[[]byte](t)(s.Finish(value, cms.NewAttribute(cms.OIDSignatureTimestamp, whole)))
		})
		s := runSteps(t, p.b).Signatures[0]
		if s.Integrity != nil || len(s.Odd) != 1 || s.Odd[0].Code != facts.BasicEncoding || len(s.Tokens) != 1 {
			t.Fatalf("integrity %v, odd %v, %d tokens", s.Integrity, s.Odd, len(s.Tokens))
		}
		if err := s.Tokens[0].Err; other != isErr(err, facts.ErrDigest) || s.Tokens[0].Token == nil {
			t.Errorf("about another value: %t, but %v", other, err)
		}
	}
}

func hashed(h crypto.Hash, b []byte) []byte {
	d := h.New()
	d.Write(b)
	return d.Sum(nil)
}

func TestContainerWithContentOfItsOwnSignsNothing(t *testing.T) {
	t.Parallel()
	key, cert := old(t, 1024)
	p := on(t, pdftest.Table(1)).fields(pades.FieldSpec{Name: "A"})
	p.form("adbe.pkcs7.detached", nil, func(digest func(crypto.Hash) []byte) []byte {
		return must[[]byte](t)(cms.Sign(rand.Reader, digest(crypto.SHA256), key, []*x509.Certificate{cert}, cms.Options{Content: []byte("lain")}))
	})
	s := runSteps(t, p.b).Signatures[0]
	if !isErr(s.Integrity, facts.ErrAttributes) || len(s.Odd) != 1 || s.Odd[0].Code != facts.EncapsulatedContent {
		t.Errorf("integrity %v, odd %v", s.Integrity, s.Odd)
	}
}
