package pades_test

import (
	"context"
	"crypto/rand"
	"crypto/sha1"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
	"segel/revocation"
)

// readSecurityStore reads the document security store: data of each list, and the keys of /VRI.
func readSecurityStore(t *testing.T, p *testFile) (lists map[pdf.Name][][]byte, vri pdf.Dict) {
	t.Helper()
	d := p.Open(t)
	_, catalog, err := d.Root()
	if err != nil {
		t.Fatal(err)
	}
	dss := must[pdf.Dict](t)(d.Dict(catalog["DSS"]))
	lists = map[pdf.Name][][]byte{}
	for _, key := range []pdf.Name{"Certs", "OCSPs", "CRLs"} {
		for _, o := range must[pdf.Array](t)(d.Array(dss[key])) {
			lists[key] = append(lists[key], must[[]byte](t)(d.Decode(must[*pdf.Stream](t)(d.Stream(o)))))
		}
	}
	return lists, must[pdf.Dict](t)(d.Dict(dss["VRI"]))
}

func TestStoreProvesSignerAndTimestamp(t *testing.T) {
	t.Parallel()
	p := &testFile{Bytes: pdftest.Table(1)}
	p.AddFields(t, pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"})
	p.Sign(t, signtest.NewSigner(t, "A").Options(t, "A"))
	p.Sign(t, signtest.NewSigner(t, "B").Options(t, "B"))
	p.Append(t)(pades.AddDSS(t.Context(), p.Source(), pades.ValidationOptions{Source: signtest.Authority(t)}))
	lists, vri := readSecurityStore(t, p)
	names := map[string]bool{}
	for _, der := range lists["Certs"] {
		names[must[*x509.Certificate](t)(x509.ParseCertificate(der)).Subject.CommonName] = true
	}
	for _, want := range []string{"A", "B", signtest.Authority(t).Root().Subject.CommonName} {
		if !names[want] {
			t.Errorf("no certificate of %q among %v", want, names)
		}
	}
	stamping := false
	for name := range names {
		stamping = stamping || strings.Contains(name, "Time-Stamp")
	}
	if !stamping || len(lists["OCSPs"]) != 2 || len(lists["CRLs"]) == 0 {
		t.Errorf("%v, %d OCSP responses, %d lists", names, len(lists["OCSPs"]), len(lists["CRLs"]))
	}
	for _, s := range must[[]*pdf.Signature](t)(p.Open(t).Signatures()) {
		sum := sha1.Sum(s.Contents)
		if vri[pdf.Name(strings.ToUpper(hex.EncodeToString(sum[:])))] == nil {
			t.Errorf("no /VRI of %s", s.Field.Name)
		}
	}
}

func TestStoreGrowsAndKeepsWhatItHas(t *testing.T) {
	t.Parallel()
	p := &testFile{Bytes: pdftest.Streams(1)}
	p.AddFields(t, pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"})
	p.Sign(t, signtest.NewSigner(t, "A").Options(t, "A"))
	p.Complete(t, signtest.Authority(t))
	first, vri1 := readSecurityStore(t, p)
	p.Sign(t, signtest.NewSigner(t, "B").Options(t, "B"))
	p.Complete(t, signtest.Authority(t))
	second, vri2 := readSecurityStore(t, p)
	for key, list := range first {
		if len(second[key]) < len(list) {
			t.Errorf("/%s had %d and has %d", key, len(list), len(second[key]))
		}
	}
	if len(second["Certs"]) != len(first["Certs"])+1 {
		t.Errorf("%d certificates became %d by one signer", len(first["Certs"]), len(second["Certs"]))
	}
	if len(second["OCSPs"]) != len(first["OCSPs"])+1 {
		t.Errorf("%d responses became %d by one signer", len(first["OCSPs"]), len(second["OCSPs"]))
	}
	for key, entry := range vri1 {
		if fmt.Sprint(vri2[key]) != fmt.Sprint(entry) {
			t.Errorf("entry %s changed", key)
		}
	}
	if len(vri2) != len(vri1)+2 { // B and the document timestamp between
		t.Errorf("%d entries became %d", len(vri1), len(vri2))
	}
	path := writeTemp(t, p)
	runTool(t, "qpdf", "--check", path)
	if v := runPdfsig(t, path); !v["A"].valid || !v["B"].valid {
		t.Errorf("%+v", v)
	}
}

// failingSource is a source without data, or one for which everything is revoked.
type failingSource struct{ err error }

func (n failingSource) Revocation(context.Context, *x509.Certificate, *x509.Certificate) (revocation.Data, error) {
	return revocation.Data{}, n.err
}

func TestMissingRevocationDataIsAnErrorOnlyWhereItIsRequired(t *testing.T) {
	t.Parallel()
	p := &testFile{Bytes: pdftest.Table(1)}
	p.AddFields(t, pades.FieldSpec{Name: "A"})
	p.Sign(t, signtest.NewSigner(t, "A").Options(t, "A"))
	revoked := failingSource{revocation.ErrRevoked}
	if _, err := pades.AddDSS(t.Context(), p.Source(), pades.ValidationOptions{Source: revoked}); !errors.Is(err, pades.ErrRevocationData) || !errors.Is(err, revocation.ErrRevoked) {
		t.Errorf("required: %v", err)
	}
	p.Append(t)(pades.AddDSS(t.Context(), p.Source(), pades.ValidationOptions{Source: revoked, Required: []string{}}))
	lists, _ := readSecurityStore(t, p)
	if len(lists["Certs"]) == 0 || len(lists["OCSPs"]) != 0 {
		t.Errorf("%d certificates, %d responses", len(lists["Certs"]), len(lists["OCSPs"]))
	}
}

func TestDataAddedLastIsReadFromAStoreBeyondTheLimits(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	by := newAuthorityCertificate(t, encodeName(t, "Else"), key, nil, nil)
	var crls, unreadable [][]byte
	for i := range 600 {
		l := &x509.RevocationList{Number: big.NewInt(int64(i)), ThisUpdate: time.Now(), NextUpdate: time.Now().Add(time.Hour)}
		crls = append(crls, must[[]byte](t)(x509.CreateRevocationList(rand.Reader, l, by, key)))
	}
	for i := range 10_001 {
		unreadable = append(unreadable, []byte(fmt.Sprint(i)))
	}
	for name, store := range map[string]map[pdf.Name][][]byte{
		"nothing": {}, "lists": {"CRLs": crls}, "unreadable lists": {"CRLs": unreadable}, "unreadable responses": {"OCSPs": unreadable},
		"many bytes": {"Certs": {make([]byte, 33<<20), make([]byte, 33<<20)}},
	} {
		p := &testFile{Bytes: pdftest.Table(1)}
		addToStore(t, p, store)
		p.AddFields(t, pades.FieldSpec{Name: "A"})
		a := must[*authority.Authority](t)(authority.NewEphemeral("http://localhost", time.Now)) // its first CRL is newer than the signature
		o := signtest.Certify(t, a, "A", newKey(t)).Options(t, "A")
		o.Timestamper = a.Timestamper()
		p.Sign(t, o)
		p.Append(t)(pades.AddDSS(t.Context(), p.Source(), pades.ValidationOptions{Source: a}))
		before, _ := readSecurityStore(t, p)
		// All that the signature needs is in the file, so no source is needed.
		r, err := pades.AddDSS(t.Context(), p.Source(), pades.ValidationOptions{Source: failingSource{errors.New("queried")}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p.Append(t)(r, nil)
		after, _ := readSecurityStore(t, p)
		for key := range before {
			if len(after[key]) != len(before[key]) {
				t.Errorf("%s: /%s had %d items and has %d", name, key, len(before[key]), len(after[key]))
			}
		}
	}
}
