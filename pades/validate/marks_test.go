package validate_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/authority/signtest"
	"segel/internal/emeterai"
	"segel/pades"
	"segel/pades/appearance"
	"segel/pades/validate"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// opaque is a white appearance.
type opaque struct{}

func (opaque) Form(u *pdf.Update, f appearance.Frame) (pdf.Ref, error) {
	return u.Add(&pdf.Stream{Data: []byte("1 g 0 0 9 9 re f"), Dict: pdf.Dict{
		"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 9, URY: 9}.Array(), "Resources": pdf.Dict{},
	}}), nil
}

// markedFile is signed twice: invisibly, and in a field of that name and box with an opaque appearance. The page is
// A4, or A6, and has text near its upper left corner.
func markedFile(t *testing.T, a *authority.Authority, name, reason string, box pdf.Rect, a6 bool) []byte {
	t.Helper()
	file := pdftest.Table(1)
	if a6 {
		file = pdftest.Pages(pdftest.Page{MediaBox: [4]float64{0, 550, 298, 842 + 128}})
	}
	file = signInNewField(t, a, file, pades.Options{NewField: &pades.FieldSpec{Name: "Sari"}})
	return signedIn(t, a, file, name, reason, box)
}

func TestALargeMarkThatHidesSignedTextFailsTheSignaturesBeforeIt(t *testing.T) {
	t.Parallel()
	a, err := authority.NewEphemeral("http://localhost", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	var trust validate.Trust
	trust.Add(validate.ForAll, "office", a.Root())
	page := pdf.Rect{URX: 595, URY: 842}
	upper := pdf.Rect{LLX: 40, LLY: 640, URX: 240, URY: 840} // 200 points, on A6 two fifths of the page
	const serial = "0123456789ABCDEFGHIJKL"
	for _, c := range []struct {
		name, field, reason string
		box                 pdf.Rect
		a6                  bool
		limit               float64
		denied              bool
	}{
		{"all of the page", "Budi", "", page, false, 0, true},
		{"all of the page, where the limit is all of it", "Budi", "", page, false, 1, false},
		{"a tenth of the page", "Budi", "", upper, false, 0, false},
		{"a tenth of the page, where the limit is less", "Budi", "", upper, false, 0.05, true},
		{"two fifths of a small page", "Budi", "", upper, true, 0, true},
		{"a duty stamp on a small page", "Emet" + serial, "[" + serial + "] Perjanjian", upper, true, 0, false},
		{"what calls itself a duty stamp and is as large as the page", "Emet" + serial, "[" + serial + "] Perjanjian", page, false, 0, true},
	} {
		file := markedFile(t, a, c.field, c.reason, c.box, c.a6)
		r, err := validate.Validate(t.Context(), bytes.NewReader(file), int64(len(file)), validate.Options{At: time.Now(), Trust: &trust, Online: a, MaxMark: c.limit, Exempt: emeterai.LooksLikeStamp})
		if err != nil {
			t.Fatal(err)
		}
		first, last := r.Signatures[0], r.Signatures[1]
		code := func(what []validate.Reason) []string {
			var codes []string
			for _, w := range what {
				codes = append(codes, w.Code)
			}
			return codes
		}
		if denied := first.Integrity == validate.ChangedAfter; denied != c.denied || (first.Indication == validate.TotalFailed) != c.denied || (r.Indication == validate.TotalFailed) != c.denied {
			t.Errorf("%s: %s %s, file %s", c.name, first.Indication, first.Integrity, r.Indication)
		}
		if last.Indication != validate.TotalPassed {
			t.Errorf("%s: the signature that shows the mark is %s", c.name, last.Indication)
		}
		what := code(first.Later[0].What)
		switch {
		case c.denied && (first.Later[0].Allowed || !slices.Contains(what, "change.hides_signed")):
			t.Errorf("%s: allowed %v, %v", c.name, first.Later[0].Allowed, what)
		case !c.denied && (!slices.Contains(what, "change.overlaps_text") || !slices.Contains(code(first.Reasons), "later.covers")):
			t.Errorf("%s: not warned of: %v, %v", c.name, what, code(first.Reasons))
		case c.denied:
			told := first.Later[0].What[slices.Index(what, "change.hides_signed")]
			if told.Args["page"] != "1" || !strings.Contains(told.Args["where"], "Page") {
				t.Errorf("%s: %+v", c.name, told)
			}
		}
	}
}

// TestManyStampsDoNotHideAPage: what calls itself a duty stamp is exempt from the limit, and many of them would hide a page.
func TestManyStampsDoNotHideAPage(t *testing.T) {
	t.Parallel()
	a, err := authority.NewEphemeral("http://localhost", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	var trust validate.Trust
	trust.Add(validate.ForAll, "office", a.Root())
	for _, c := range []struct {
		name   string
		boxes  []pdf.Rect
		denied bool
	}{
		{"two over text", []pdf.Rect{{LLX: 40, LLY: 640, URX: 240, URY: 840}, {LLX: 240, LLY: 640, URX: 440, URY: 840}}, false},
		{"all over the page", tiles(), true},
	} {
		file := markedFile(t, a, "Budi", "", pdf.Rect{URX: 10, URY: 10}, false)
		for i, box := range c.boxes {
			serial := fmt.Sprintf("0123456789ABCDEFGHIJ%02d", i)
			file = signedIn(t, a, file, "Emet"+serial, "["+serial+"] Perjanjian", box)
		}
		r, err := validate.Validate(t.Context(), bytes.NewReader(file), int64(len(file)), validate.Options{At: time.Now(), Trust: &trust, Online: a, Exempt: emeterai.LooksLikeStamp})
		if err != nil {
			t.Fatal(err)
		}
		if denied := r.Signatures[0].Integrity == validate.ChangedAfter; denied != c.denied {
			t.Errorf("%s: %s, %s", c.name, r.Signatures[0].Integrity, r.Indication)
		}
	}
}

// tiles cover a page of A4.
func tiles() []pdf.Rect {
	var all []pdf.Rect
	for y := 0.0; y < 842; y += 199 {
		for x := 0.0; x < 595; x += 199 {
			all = append(all, pdf.Rect{LLX: x, LLY: y, URX: x + 199, URY: y + 199})
		}
	}
	return all
}

// signedIn adds a signature with an opaque appearance.
func signedIn(t *testing.T, a *authority.Authority, file []byte, name, reason string, box pdf.Rect) []byte {
	t.Helper()
	return signInNewField(t, a, file, pades.Options{NewField: &pades.FieldSpec{Name: name, Page: 1, Rect: box}, Reason: reason, Appearance: opaque{}})
}

func signInNewField(t *testing.T, a *authority.Authority, file []byte, o pades.Options) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	f := &signtest.File{Bytes: file}
	o.Key, o.Chain, o.Time, o.Timestamper = key, signtest.Certify(t, a, "Budi", key).Chain, time.Now(), a.Timestamper()
	f.Sign(t, o)
	return f.Bytes
}
