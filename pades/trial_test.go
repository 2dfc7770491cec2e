package pades_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"os"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/pades"
	"segel/pades/appearance"
	"segel/pdf"
	"segel/pdf/pdftest"
)

func TestTrial(t *testing.T) {
	a, err := authority.Ephemeral("http://localhost", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ctx := context.Background()
	chain, err := a.Certify(ctx, authority.Holder{ID: "1", Name: "Budi Santoso"}, key.Public())
	if err != nil {
		t.Fatal(err)
	}
	file := pdftest.Rotated()
	src := func() pades.Source { return pades.Source{R: bytes.NewReader(file), Size: int64(len(file))} }
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var fs []pades.FieldSpec
	for i := 1; i <= 4; i++ {
		p, _ := d.Page(i)
		fs = append(fs, pades.FieldSpec{Name: string(rune('A' + i)), Label: "Tanda tangan", Page: i, Rect: p.ToUser(pdf.Rect{LLX: 50, LLY: 50, URX: 250, URY: 120})})
	}
	fs = append(fs, pades.FieldSpec{Name: "Seal"})
	tail, err := pades.AddFields(d, fs)
	if err != nil {
		t.Fatal(err)
	}
	file = append(file, tail.Bytes...)
	for i := 1; i <= 4; i++ {
		look := appearance.Signature(appearance.SignatureText{Name: "Budi Santoso Ñandú 王小明 محمد علي", Time: time.Now(), Reason: "Menyetujui isi dokumen", QR: "https://segel.example/verify/123456"}, 200, 70)
		r, err := pades.Sign(ctx, src(), pades.Options{Field: fs[i-1].Name, Key: key, Chain: chain, Time: time.Now(), Timestamper: a.Timestamper(), Name: "Budi Santoso", Reason: "Menyetujui", Appearance: look})
		if err != nil {
			t.Fatal(err)
		}
		t.Log("tail", len(r.Tail))
		file = append(file, r.Tail...)
	}
	r, err := pades.Validation(ctx, src(), a)
	if err != nil {
		t.Fatal(err)
	}
	file = append(file, r.Tail...)
	t.Log("dss", len(r.Tail))
	r, err = pades.DocumentTimestamp(ctx, src(), a.Timestamper())
	if err != nil {
		t.Fatal(err)
	}
	file = append(file, r.Tail...)
	t.Log("dts", len(r.Tail))
	os.WriteFile("/tmp/pw/trial.pdf", file, 0o644)
	os.WriteFile("/tmp/pw/root.pem", a.RootPEM(), 0o644)
}
