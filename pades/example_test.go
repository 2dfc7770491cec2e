package pades_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"log"
	"time"

	"segel/internal/authority"
	"segel/pades"
	"segel/pades/appearance"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// A contract with two signers, from its fields to level B-LTA. Each step builds a tail; the file only grows.
func Example() {
	ctx := context.Background()
	ca, err := authority.NewEphemeral("http://localhost", time.Now)
	if err != nil {
		log.Fatal(err)
	}
	file := pdftest.Table(1)
	var state []byte // nil: the first step reads the file once
	step := func(r *pades.Result, err error) {
		if err != nil {
			log.Fatal(err)
		}
		file, state = append(file, r.Tail...), r.Midstate
	}
	source := func() pades.Source {
		return pades.Source{R: bytes.NewReader(file), Size: int64(len(file)), Midstate: state}
	}

	document, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		log.Fatal(err)
	}
	page, err := document.Page(1)
	if err != nil {
		log.Fatal(err)
	}
	box := func(x float64) pdf.Rect { return page.ToUser(pdf.Rect{LLX: x, LLY: 60, URX: x + 200, URY: 130}) }
	tail, err := pades.AddFields(document, []pades.FieldSpec{
		{Name: "Ani", Label: "Tanda tangan Ani", Page: 1, Rect: box(60)},
		{Name: "Budi", Label: "Tanda tangan Budi", Page: 1, Rect: box(300)},
	})
	if err != nil {
		log.Fatal(err)
	}
	file = append(file, tail.Bytes...)

	for _, name := range []string{"Ani", "Budi"} {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			log.Fatal(err)
		}
		chain, err := ca.Certify(ctx, authority.Holder{ID: name, Name: name, Organisation: "PT Contoh", Assurance: authority.Account}, key.Public())
		if err != nil {
			log.Fatal(err)
		}
		now := time.Now()
		step(pades.Sign(ctx, source(), pades.Options{
			Field: name, Key: key, Chain: chain, Timestamper: ca.Timestamper(), Time: now, Name: name,
			Appearance: appearance.Signature(appearance.SignatureText{Name: name, Time: now}, 200, 70),
		}))
	}
	step(pades.AddDSS(ctx, source(), pades.ValidationOptions{Source: ca}))
	step(pades.DocumentTimestamp(ctx, source(), ca.Timestamper(), pades.Clock{}))

	document, err = pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		log.Fatal(err)
	}
	signatures, err := document.Signatures()
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range signatures {
		fmt.Println(s.Field.Name, s.SubFilter)
	}
	// Output:
	// Ani ETSI.CAdES.detached
	// Budi ETSI.CAdES.detached
	// Timestamp1 ETSI.RFC3161
}
