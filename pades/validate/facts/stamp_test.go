package facts_test

import (
	"crypto/rand"
	"testing"
	"time"

	"segel/internal/authority/signtest"
	"segel/internal/credential"
	"segel/internal/emeterai"
	"segel/internal/emeterai/emeteraitest"
	"segel/internal/emeterai/sandbox"
	"segel/pades"
	"segel/pades/validate/diff"
	"segel/pdf/pdftest"
)

func TestDocumentThatIsSignedStampedSealedAndTimestampedIsIntact(t *testing.T) {
	t.Parallel()
	a := signtest.Authority(t)
	stamps := must[*sandbox.Office](t)(sandbox.Open(t.TempDir(), sandbox.Options{
		Issuer: a, Timestamper: a.Timestamper(), Revocation: a, Sealer: must[*credential.Sealer](t)(credential.NewSealer(make([]byte, 32))),
		PublicURL: "http://segel.test", Clock: time.Now, Random: rand.Reader,
	}))
	t.Cleanup(func() {
		if err := stamps.Close(); err != nil {
			t.Error(err)
		}
	})
	p := on(t, pdftest.Table(2)).fields(
		pades.FieldSpec{Name: "Sari", Page: 1, Rect: boxA}, pades.FieldSpec{Name: "Budi", Page: 1, Rect: boxB},
		pades.FieldSpec{Name: "Paraf", Page: 2, Rect: boxB, Mark: true}, pades.FieldSpec{Name: "Segel"})
	p.sign("Sari", timed(t), shown).sign("Budi", timed(t), shown, func(o *pades.Options) { o.Marks = map[string]pades.Appearance{"Paraf": plain{}} })
	var names []string
	for _, order := range []string{"satu", "dua"} {
		serial := emeteraitest.BuySerial(t, stamps, order)
		r := emeteraitest.NewRequest(t, serial, p.b)
		r.Page, r.Box = 2, emeterai.Box{LLX: 72 + 100*len(names), LLY: 600, URX: 126 + 100*len(names), URY: 654}
		p.b = emeteraitest.StampFile(t, stamps, r, p.b)
		names = append(names, emeterai.FieldName(serial))
	}
	p.sign("Segel", timed(t)).addValidationData().addTimestamp()
	f := runSteps(t, p.b)
	wantIntact(t, f, "Sari", "Budi", names[0], names[1], "Segel", "Timestamp1")
	for _, r := range f.Revisions {
		if r.Level > diff.FormFilling {
			t.Errorf("revision %d is of level %v", r.Number, r.Level)
		}
	}
	if s := f.Signatures[2]; s.Page != 2 || !s.Visible || s.Shown.LLX != 72 {
		t.Errorf("stamp stands on page %d at %v", s.Page, s.Shown)
	}
}
