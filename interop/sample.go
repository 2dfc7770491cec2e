package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"

	"segel/pades"
	"segel/pades/appearance"
	"segel/pades/validate/formfield/formtest"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// sample is a file that we make, and what strangers have to say of it.
type sample struct {
	name    string
	paper   *paper
	levels  map[string]string // level of each signature by field, such as B-T
	stamps  []string          // fields of document timestamps
	flavour string            // of PDF/A that it keeps to; empty: none is claimed
}

// makeSamples writes one file of each kind to a folder.
func makeSamples(h *house, dir string) ([]item, error) {
	if err := emptied(dir); err != nil {
		return nil, err
	}
	all, err := samples(h)
	if err != nil {
		return nil, err
	}
	var items []item
	for _, s := range all {
		if s.paper.err != nil {
			return nil, fmt.Errorf("make %s: %w", s.name, s.paper.err)
		}
		it := item{name: s.name, path: filepath.Join(dir, s.name), levels: s.levels, stamps: s.stamps, flavour: s.flavour, names: s.paper.names}
		_, store := s.levels["A"]
		it.sealed = len(s.stamps) > 0 || store && s.levels["A"] != "B-LT" // the store comes behind the signature
		if err := os.WriteFile(it.path, s.paper.b, 0o600); err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	return items, nil
}

// box is where visible signatures stand on page 1.
var box = pdf.Rect{LLX: 72, LLY: 72, URX: 300, URY: 150}

// samples makes one file of each kind.
func samples(h *house) ([]sample, error) {
	specimen, err := handwriting()
	if err != nil {
		return nil, err
	}
	one := func(b []byte) *paper { return h.paper(b).fields(pades.FieldSpec{Name: "A"}) }
	boxed := func(b []byte) *paper {
		return h.paper(b).fields(pades.FieldSpec{Name: "A", Label: "Tanda tangan", Page: 1, Rect: box})
	}
	levels := func(l string, fields ...string) map[string]string {
		m := map[string]string{}
		for _, f := range fields {
			m[f] = l
		}
		return m
	}
	table := pdftest.Table(2)
	all := []sample{
		{"b-b.pdf", one(table).sign("A", ecP256, basic), levels("B-B", "A"), nil, ""},
		{"b-t.pdf", one(table).sign("A", ecP256), levels("B-T", "A"), nil, ""},
		{"b-lt.pdf", one(table).sign("A", ecP256).proven(), levels("B-LT", "A"), nil, ""},
		{"b-lta.pdf", one(table).sign("A", ecP256).proven().stamped(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""},
		{"b-lta-renewed.pdf", one(table).sign("A", ecP256).proven().stamped().proven().stamped(), levels("B-LTA", "A"), []string{"Timestamp1", "Timestamp2"}, ""},
		{"new-field.pdf", h.paper(table).sign("A", ecP256, fresh), levels("B-T", "A"), nil, ""},
		{"streams.pdf", one(pdftest.Streams(2)).sign("A", rsaPKCS1).proven().stamped(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""},
		{"hybrid.pdf", one(pdftest.Hybrid(2)).sign("A", rsaPKCS1).proven().stamped(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""},
		{"linearized.pdf", one(pdftest.Linearized(2)).sign("A", rsaPKCS1).proven().stamped(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""},
		{"form.pdf", boxed(pdftest.Form()).sign("A", rsaPKCS1, seen(box, nil, "")), levels("B-T", "A"), nil, ""},
		{"visible-text.pdf", boxed(table).sign("A", rsaPKCS1, seen(box, nil, "")).proven().stamped(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""},
		{"visible-picture.pdf", boxed(table).sign("A", rsaPKCS1, seen(box, specimen, "")).proven().stamped(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""},
		{"visible-qr.pdf", boxed(table).sign("A", rsaPKCS1, seen(box, specimen, "https://segel.example/verify/1")).proven().stamped(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""},
		{"visible-rotated.pdf", boxed(pdftest.Rotated()).sign("A", rsaPKCS1, seen(box, specimen, "")), levels("B-T", "A"), nil, ""},
		nested(h, 5),
	}
	all = append(all, guests(h, specimen)...)
	form, err := formtest.Form()
	if err != nil {
		return nil, err
	}
	all = append(all,
		sample{"sealed-form.pdf", h.sealedForm(form), levels("B-LTA", "A", "Segel"), []string{"Timestamp1"}, ""},
		sample{"sealed-form-renewed.pdf", h.sealedForm(form).proven().stamped(), levels("B-LTA", "A", "Segel"), []string{"Timestamp1", "Timestamp2"}, ""},
		sample{"sealed-form-countersigned.pdf", h.sealedForm(form).sign("Atasan", rsaPKCS1, fresh).proven().stamped(), levels("B-LTA", "A", "Segel", "Atasan"), []string{"Timestamp1", "Timestamp2"}, ""},
	)
	for who, key := range []string{"rsa-pkcs1", "rsa-pss", "p-256", "p-384", "ed25519"} {
		all = append(all, sample{"key-" + key + ".pdf", one(table).sign("A", who).proven().stamped(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""})
	}
	for p := 1; p <= 3; p++ {
		all = append(all, sample{fmt.Sprintf("certified-%d.pdf", p), one(table).sign("A", rsaPKCS1, certify(p)).proven().stamped(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""})
	}
	all = append(all, sample{"certified-2-signed.pdf", h.paper(table).fields(pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"}).
		sign("A", rsaPKCS1, certify(2)).sign("B", ecP256).proven().stamped(), levels("B-LTA", "A", "B"), []string{"Timestamp1"}, ""})
	for _, c := range [][]string{{"rc4", "128", "--use-aes=n"}, {"aes-128", "128", "--use-aes=y"}, {"aes-256", "256"}} {
		b, err := encrypted(table, c[1:]...)
		if err != nil {
			return nil, err
		}
		all = append(all, sample{"encrypted-" + c[0] + ".pdf", boxed(b).sign("A", rsaPKCS1, seen(box, specimen, "")).proven().stamped(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""})
	}
	for part := 1; part <= 3; part++ {
		flavour := fmt.Sprintf("%db", part)
		b := pdftest.Archive(part)
		all = append(all,
			sample{"pdfa-" + flavour + ".pdf", h.paper(b), nil, nil, flavour},
			sample{"pdfa-" + flavour + "-invisible.pdf", one(b).sign("A", rsaPKCS1).proven().stamped(), levels("B-LTA", "A"), []string{"Timestamp1"}, flavour},
			sample{"pdfa-" + flavour + "-visible.pdf", boxed(b).sign("A", rsaPKCS1, seen(box, specimen, "https://segel.example/verify/1")).proven().stamped().proven().stamped(),
				levels("B-LTA", "A"), []string{"Timestamp1", "Timestamp2"}, flavour},
		)
	}
	return all, nil
}

// guests are files signed by unverified guests, below their own issuer: at every level, beside a verified user, with the
// notice in boxes of several shapes, and in archives.
func guests(h *house, specimen *appearance.Strokes) []sample {
	table := pdftest.Table(2)
	field := func(b []byte, r pdf.Rect) *paper {
		return h.paper(b).fields(pades.FieldSpec{Name: "A", Label: "Tanda tangan tamu", Page: 1, Rect: r})
	}
	small := pdf.Rect{LLX: 72, LLY: 72, URX: 112, URY: 92}
	all := []sample{
		{"guest-b-b.pdf", field(table, box).sign("A", guestP256, basic, seenAsGuest(box, nil)), map[string]string{"A": "B-B"}, nil, ""},
		{"guest-b-t.pdf", field(table, box).sign("A", guestP256, seenAsGuest(box, nil)), map[string]string{"A": "B-T"}, nil, ""},
		{"guest-b-lt.pdf", field(table, box).sign("A", guestRSA, seenAsGuest(box, specimen)).proven(), map[string]string{"A": "B-LT"}, nil, ""},
		{"guest-b-lta.pdf", field(table, small).sign("A", guestRSA, seenAsGuest(small, specimen)).proven().stamped(), map[string]string{"A": "B-LTA"}, []string{"Timestamp1"}, ""},
		{"guest-beside-user.pdf", h.paper(table).fields(pades.FieldSpec{Name: "A", Page: 1, Rect: box}, pades.FieldSpec{Name: "B"}).
			sign("A", guestP256, seenAsGuest(box, nil)).sign("B", ecP256).proven().stamped(), map[string]string{"A": "B-LTA", "B": "B-LTA"}, []string{"Timestamp1"}, ""},
	}
	for part := 1; part <= 3; part++ {
		flavour := fmt.Sprintf("%db", part)
		all = append(all, sample{"guest-pdfa-" + flavour + ".pdf", field(pdftest.Archive(part), box).sign("A", guestP256, seenAsGuest(box, specimen)).proven().stamped(),
			map[string]string{"A": "B-LTA"}, []string{"Timestamp1"}, flavour})
	}
	return all
}

// encrypted has qpdf encrypt a file so that it opens without a password.
func encrypted(b []byte, how ...string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "interop-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "in.pdf"), filepath.Join(dir, "out.pdf")
	if err := os.WriteFile(in, b, 0o600); err != nil {
		return nil, err
	}
	args := append(append([]string{"--allow-weak-crypto", "--encrypt", "", "pemilik"}, how...), "--", in, out)
	if said, err := exec.Command("qpdf", args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("encrypt: %w: %s", err, said)
	}
	return os.ReadFile(out)
}

// nested is a file that several people sign in turn, in fields that were added first.
func nested(h *house, signers int) sample {
	s := sample{name: "nested.pdf", levels: map[string]string{}, stamps: []string{"Timestamp1"}}
	var specs []pades.FieldSpec
	for i := range signers {
		r := pdf.Rect{LLX: 72, LLY: float64(72 + 90*i), URX: 300, URY: float64(150 + 90*i)}
		specs = append(specs, pades.FieldSpec{Name: fmt.Sprintf("Penanda%d", i+1), Page: 1, Rect: r})
	}
	s.paper = h.paper(pdftest.Table(2)).fields(append(specs, pades.FieldSpec{Name: "Segel"})...)
	for i, f := range specs {
		s.paper.sign(f.Name, i%ed25519Key, seen(f.Rect, nil, ""))
		s.levels[f.Name] = "B-LTA"
	}
	s.levels["Segel"] = "B-LTA"
	s.paper.sign("Segel", ecP256).proven().stamped()
	return s
}

// handwriting is a picture with transparent ground, as a person uploads his signature.
func handwriting() (*appearance.Strokes, error) {
	m := image.NewNRGBA(image.Rect(0, 0, 240, 80))
	for x := range 240 {
		y := 40 + (x%60-30)*(x%60-30)/30 - 15
		for dy := range 4 {
			m.SetNRGBA(x, y+dy, color.NRGBA{20, 20, 120, uint8(120 + 40*dy)})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		return nil, err
	}
	return appearance.ExtractStrokes(b.Bytes())
}
