package validate_test

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
	"segel/pades/validate"
	"segel/pdf/pdftest"
)

// signed makes a file with one signature, taken to level B-LTA.
func signed(a *authority.Authority) []byte {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	chain, err := a.Certify(ctx, authority.Holder{ID: "1", Name: "Budi", Organisation: "PT Contoh", Assurance: authority.Account}, key.Public())
	if err != nil {
		log.Fatal(err)
	}
	file := pdftest.Table(1)
	steps := []func(pades.Source) (*pades.Result, error){
		func(s pades.Source) (*pades.Result, error) {
			return pades.Sign(ctx, s, pades.Options{NewField: &pades.FieldSpec{Name: "Budi"}, Key: key, Chain: chain, Time: time.Now(), Timestamper: a.Timestamper()})
		},
		func(s pades.Source) (*pades.Result, error) {
			return pades.AddDSS(ctx, s, pades.ValidationOptions{Source: a})
		},
		func(s pades.Source) (*pades.Result, error) {
			return pades.DocumentTimestamp(ctx, s, a.Timestamper(), pades.Clock{})
		},
	}
	for _, step := range steps {
		r, err := step(pades.Source{R: bytes.NewReader(file), Size: int64(len(file))})
		if err != nil {
			log.Fatal(err)
		}
		file = append(file, r.Tail...)
	}
	return file
}

// A file is judged by roots that somebody has chosen, as of a moment.
func Example() {
	office, err := authority.NewEphemeral("http://localhost", time.Now)
	if err != nil {
		log.Fatal(err)
	}
	file := signed(office)

	var trust validate.Trust
	trust.Add(validate.ForAll, "office", office.Root())
	report, err := validate.Validate(context.Background(), bytes.NewReader(file), int64(len(file)), validate.Options{At: time.Now(), Trust: &trust})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range report.Signatures {
		fmt.Println(s.Kind, s.Indication, s.Level, "-", s.Integrity)
	}

	// Years later, when the person's certificate has ended.
	report, err = validate.Validate(context.Background(), bytes.NewReader(file), int64(len(file)), validate.Options{At: time.Now().AddDate(12, 0, 0), Trust: &trust})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Summary.English)
	// Output:
	// signature TOTAL-PASSED B-LTA - intact, later changes allowed
	// timestamp TOTAL-PASSED  - intact
	// All signatures and timestamps (2) are valid and trusted; the content is intact, with later changes that are allowed.
}
