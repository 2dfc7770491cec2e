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
	name       string
	file       *testFile
	levels     map[string]string // level of each signature by field, such as B-T
	timestamps []string          // fields of document timestamps
	flavour    string            // of PDF/A that it keeps to; empty: none is claimed
}

// writeSamples writes one file of each kind to a folder.
func writeSamples(h *pki, dir string) ([]item, error) {
	if err := resetDir(dir); err != nil {
		return nil, err
	}
	all, err := buildSamples(h)
	if err != nil {
		return nil, err
	}
	var items []item
	for _, s := range all {
		if s.file.err != nil {
			return nil, fmt.Errorf("make %s: %w", s.name, s.file.err)
		}
		it := item{name: s.name, path: filepath.Join(dir, s.name), levels: s.levels, timestamps: s.timestamps, flavour: s.flavour, signerNames: s.file.signerNames}
		_, store := s.levels["A"]
		it.coversFile = len(s.timestamps) > 0 || store && s.levels["A"] != "B-LT" // the store comes behind the signature
		if err := os.WriteFile(it.path, s.file.b, 0o600); err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	return items, nil
}

// box is where visible signatures stand on page 1.
var box = pdf.Rect{LLX: 72, LLY: 72, URX: 300, URY: 150}

// buildSamples makes one file of each kind.
func buildSamples(h *pki) ([]sample, error) {
	specimen, err := drawHandwriting()
	if err != nil {
		return nil, err
	}
	one := func(b []byte) *testFile { return h.newFile(b).addFields(pades.FieldSpec{Name: "A"}) }
	boxed := func(b []byte) *testFile {
		return h.newFile(b).addFields(pades.FieldSpec{Name: "A", Label: "Tanda tangan", Page: 1, Rect: box})
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
		{"b-b.pdf", one(table).signField("A", ecP256, withoutTimestamp), levels("B-B", "A"), nil, ""},
		{"b-t.pdf", one(table).signField("A", ecP256), levels("B-T", "A"), nil, ""},
		{"b-lt.pdf", one(table).signField("A", ecP256).addValidationData(), levels("B-LT", "A"), nil, ""},
		{"b-lta.pdf", one(table).signField("A", ecP256).addValidationData().addTimestamp(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""},
		{"b-lta-renewed.pdf", one(table).signField("A", ecP256).addValidationData().addTimestamp().addValidationData().addTimestamp(), levels("B-LTA", "A"), []string{"Timestamp1", "Timestamp2"}, ""},
		{"new-field.pdf", h.newFile(table).signField("A", ecP256, withNewField), levels("B-T", "A"), nil, ""},
		{"streams.pdf", one(pdftest.Streams(2)).signField("A", rsaPKCS1).addValidationData().addTimestamp(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""},
		{"hybrid.pdf", one(pdftest.Hybrid(2)).signField("A", rsaPKCS1).addValidationData().addTimestamp(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""},
		{"linearized.pdf", one(pdftest.Linearized(2)).signField("A", rsaPKCS1).addValidationData().addTimestamp(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""},
		{"form.pdf", boxed(pdftest.Form()).signField("A", rsaPKCS1, withAppearance(box, nil, "")), levels("B-T", "A"), nil, ""},
		{"visible-text.pdf", boxed(table).signField("A", rsaPKCS1, withAppearance(box, nil, "")).addValidationData().addTimestamp(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""},
		{"visible-picture.pdf", boxed(table).signField("A", rsaPKCS1, withAppearance(box, specimen, "")).addValidationData().addTimestamp(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""},
		{"visible-qr.pdf", boxed(table).signField("A", rsaPKCS1, withAppearance(box, specimen, "https://segel.example/verify/1")).addValidationData().addTimestamp(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""},
		{"visible-rotated.pdf", boxed(pdftest.Rotated()).signField("A", rsaPKCS1, withAppearance(box, specimen, "")), levels("B-T", "A"), nil, ""},
		buildNested(h, 5),
	}
	all = append(all, buildGuestSamples(h, specimen)...)
	form, err := formtest.Form()
	if err != nil {
		return nil, err
	}
	all = append(all,
		sample{"sealed-form.pdf", h.sealForm(form), levels("B-LTA", "A", "Segel"), []string{"Timestamp1"}, ""},
		sample{"sealed-form-renewed.pdf", h.sealForm(form).addValidationData().addTimestamp(), levels("B-LTA", "A", "Segel"), []string{"Timestamp1", "Timestamp2"}, ""},
		sample{"sealed-form-countersigned.pdf", h.sealForm(form).signField("Atasan", rsaPKCS1, withNewField).addValidationData().addTimestamp(), levels("B-LTA", "A", "Segel", "Atasan"), []string{"Timestamp1", "Timestamp2"}, ""},
	)
	for who, key := range []string{"rsa-pkcs1", "rsa-pss", "p-256", "p-384", "ed25519"} {
		all = append(all, sample{"key-" + key + ".pdf", one(table).signField("A", who).addValidationData().addTimestamp(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""})
	}
	for p := 1; p <= 3; p++ {
		all = append(all, sample{fmt.Sprintf("certified-%d.pdf", p), one(table).signField("A", rsaPKCS1, withCertification(p)).addValidationData().addTimestamp(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""})
	}
	all = append(all, sample{"certified-2-signed.pdf", h.newFile(table).addFields(pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"}).
		signField("A", rsaPKCS1, withCertification(2)).signField("B", ecP256).addValidationData().addTimestamp(), levels("B-LTA", "A", "B"), []string{"Timestamp1"}, ""})
	for _, c := range [][]string{{"rc4", "128", "--use-aes=n"}, {"aes-128", "128", "--use-aes=y"}, {"aes-256", "256"}} {
		b, err := encryptFile(table, c[1:]...)
		if err != nil {
			return nil, err
		}
		all = append(all, sample{"encrypted-" + c[0] + ".pdf", boxed(b).signField("A", rsaPKCS1, withAppearance(box, specimen, "")).addValidationData().addTimestamp(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""})
	}
	for part := 1; part <= 3; part++ {
		flavour := fmt.Sprintf("%db", part)
		b := pdftest.PDFA(part)
		all = append(all,
			sample{"pdfa-" + flavour + ".pdf", h.newFile(b), nil, nil, flavour},
			sample{"pdfa-" + flavour + "-invisible.pdf", one(b).signField("A", rsaPKCS1).addValidationData().addTimestamp(), levels("B-LTA", "A"), []string{"Timestamp1"}, flavour},
			sample{"pdfa-" + flavour + "-visible.pdf", boxed(b).signField("A", rsaPKCS1, withAppearance(box, specimen, "https://segel.example/verify/1")).addValidationData().addTimestamp().addValidationData().addTimestamp(),
				levels("B-LTA", "A"), []string{"Timestamp1", "Timestamp2"}, flavour},
		)
	}
	return all, nil
}

// buildGuestSamples are files signed by unverified guests, below their own issuer: at every level, beside a verified user, with the
// notice in boxes of several shapes, and in archives.
func buildGuestSamples(h *pki, specimen *appearance.Strokes) []sample {
	table := pdftest.Table(2)
	field := func(b []byte, r pdf.Rect) *testFile {
		return h.newFile(b).addFields(pades.FieldSpec{Name: "A", Label: "Tanda tangan tamu", Page: 1, Rect: r})
	}
	small := pdf.Rect{LLX: 72, LLY: 72, URX: 112, URY: 92}
	all := []sample{
		{"guest-b-b.pdf", field(table, box).signField("A", guestP256, withoutTimestamp, withGuestAppearance(box, nil)), map[string]string{"A": "B-B"}, nil, ""},
		{"guest-b-t.pdf", field(table, box).signField("A", guestP256, withGuestAppearance(box, nil)), map[string]string{"A": "B-T"}, nil, ""},
		{"guest-b-lt.pdf", field(table, box).signField("A", guestRSA, withGuestAppearance(box, specimen)).addValidationData(), map[string]string{"A": "B-LT"}, nil, ""},
		{"guest-b-lta.pdf", field(table, small).signField("A", guestRSA, withGuestAppearance(small, specimen)).addValidationData().addTimestamp(), map[string]string{"A": "B-LTA"}, []string{"Timestamp1"}, ""},
		{"guest-beside-user.pdf", h.newFile(table).addFields(pades.FieldSpec{Name: "A", Page: 1, Rect: box}, pades.FieldSpec{Name: "B"}).
			signField("A", guestP256, withGuestAppearance(box, nil)).signField("B", ecP256).addValidationData().addTimestamp(), map[string]string{"A": "B-LTA", "B": "B-LTA"}, []string{"Timestamp1"}, ""},
	}
	for part := 1; part <= 3; part++ {
		flavour := fmt.Sprintf("%db", part)
		all = append(all, sample{"guest-pdfa-" + flavour + ".pdf", field(pdftest.PDFA(part), box).signField("A", guestP256, withGuestAppearance(box, specimen)).addValidationData().addTimestamp(),
			map[string]string{"A": "B-LTA"}, []string{"Timestamp1"}, flavour})
	}
	return all
}

// encryptFile has qpdf encrypt a file so that it opens without a password.
func encryptFile(b []byte, how ...string) ([]byte, error) {
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

// buildNested is a file that several people sign in turn, in fields that were added first.
func buildNested(h *pki, signers int) sample {
	s := sample{name: "nested.pdf", levels: map[string]string{}, timestamps: []string{"Timestamp1"}}
	var specs []pades.FieldSpec
	for i := range signers {
		r := pdf.Rect{LLX: 72, LLY: float64(72 + 90*i), URX: 300, URY: float64(150 + 90*i)}
		specs = append(specs, pades.FieldSpec{Name: fmt.Sprintf("Penanda%d", i+1), Page: 1, Rect: r})
	}
	s.file = h.newFile(pdftest.Table(2)).addFields(append(specs, pades.FieldSpec{Name: "Segel"})...)
	for i, f := range specs {
		s.file.signField(f.Name, i%ed25519Key, withAppearance(f.Rect, nil, ""))
		s.levels[f.Name] = "B-LTA"
	}
	s.levels["Segel"] = "B-LTA"
	s.file.signField("Segel", ecP256).addValidationData().addTimestamp()
	return s
}

// drawHandwriting is a picture with transparent ground, as a person uploads his signature.
func drawHandwriting() (*appearance.Strokes, error) {
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
