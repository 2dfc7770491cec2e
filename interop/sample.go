package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"segel/internal/evidence"
	"segel/pades"
	"segel/pades/appearance"
	"segel/pades/validate/formfield/formtest"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// sample is a file made here, with the expected verdict.
type sample struct {
	name       string
	file       *testFile
	levels     map[string]string // level of each signature by field, such as B-T
	timestamps []string          // fields of document timestamps
	flavour    string            // PDF/A flavour that it claims; empty: none
}

// writeSamples writes one file of each kind to a folder.
func writeSamples(k *pki, dir string) ([]item, error) {
	w := newItemWriter(dir)
	all, err := buildSamples(k)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		it := item{name: s.name, levels: s.levels, timestamps: s.timestamps, flavour: s.flavour, signerNames: s.file.signerNames}
		_, store := s.levels["A"]
		it.coversFile = len(s.timestamps) > 0 || store && s.levels["A"] != "B-LT" // the store follows the signature
		w.addFile(it, s.file.b, s.file.err)
	}
	return w.items, w.err
}

// box is the rectangle of visible signatures on page 1.
var box = pdf.Rect{LLX: 72, LLY: 72, URX: 300, URY: 150}

// buildSamples builds one file of each kind.
func buildSamples(k *pki) ([]sample, error) {
	specimen, err := drawHandwriting()
	if err != nil {
		return nil, err
	}
	one := func(b []byte) *testFile { return k.newFile(b).addFields(pades.FieldSpec{Name: "A"}) }
	boxed := func(b []byte) *testFile {
		return k.newFile(b).addFields(pades.FieldSpec{Name: "A", Label: "Tanda tangan", Page: 1, Rect: box})
	}
	levels := func(l string, fields ...string) map[string]string {
		m := map[string]string{}
		for _, f := range fields {
			m[f] = l
		}
		return m
	}
	lta := func(name string, f *testFile) sample {
		return sample{name, f.addValidationData().addTimestamp(), levels("B-LTA", "A"), []string{"Timestamp1"}, ""}
	}
	table := pdftest.Table(2)
	all := []sample{
		{"b-b.pdf", one(table).signField("A", ecP256, withoutTimestamp), levels("B-B", "A"), nil, ""},
		{"b-t.pdf", one(table).signField("A", ecP256), levels("B-T", "A"), nil, ""},
		{"b-lt.pdf", one(table).signField("A", ecP256).addValidationData(), levels("B-LT", "A"), nil, ""},
		lta("b-lta.pdf", one(table).signField("A", ecP256)),
		{"b-lta-renewed.pdf", one(table).signField("A", ecP256).addValidationData().addTimestamp().addValidationData().addTimestamp(), levels("B-LTA", "A"), []string{"Timestamp1", "Timestamp2"}, ""},
		{"new-field.pdf", k.newFile(table).signField("A", ecP256, withNewField), levels("B-T", "A"), nil, ""},
		lta("streams.pdf", one(pdftest.Streams(2)).signField("A", rsaPKCS1)),
		lta("hybrid.pdf", one(pdftest.Hybrid(2)).signField("A", rsaPKCS1)),
		lta("linearized.pdf", one(pdftest.Linearized(2)).signField("A", rsaPKCS1)),
		{"form.pdf", boxed(pdftest.Form()).signField("A", rsaPKCS1, withAppearance(box, nil, "")), levels("B-T", "A"), nil, ""},
		lta("visible-text.pdf", boxed(table).signField("A", rsaPKCS1, withAppearance(box, nil, ""))),
		lta("visible-picture.pdf", boxed(table).signField("A", rsaPKCS1, withAppearance(box, specimen, ""))),
		lta("visible-qr.pdf", boxed(table).signField("A", rsaPKCS1, withAppearance(box, specimen, "https://segel.example/verify/1"))),
		{"visible-rotated.pdf", boxed(pdftest.Rotated()).signField("A", rsaPKCS1, withAppearance(box, specimen, "")), levels("B-T", "A"), nil, ""},
		buildNested(k, 5),
	}
	all = append(all, buildGuestSamples(k, specimen)...)
	form, err := formtest.Form()
	if err != nil {
		return nil, err
	}
	all = append(all,
		sample{"sealed-form.pdf", k.sealForm(form), levels("B-LTA", "A", "Segel"), []string{"Timestamp1"}, ""},
		sample{"sealed-form-renewed.pdf", k.sealForm(form).addValidationData().addTimestamp(), levels("B-LTA", "A", "Segel"), []string{"Timestamp1", "Timestamp2"}, ""},
		sample{"sealed-form-countersigned.pdf", k.sealForm(form).signField("Atasan", rsaPKCS1, withNewField).addValidationData().addTimestamp(), levels("B-LTA", "A", "Segel", "Atasan"), []string{"Timestamp1", "Timestamp2"}, ""},
	)
	for who, key := range []string{"rsa-pkcs1", "rsa-pss", "p-256", "p-384", "ed25519"} {
		all = append(all, lta("key-"+key+".pdf", one(table).signField("A", who)))
	}
	for p := pdf.PermitNothing; p <= pdf.PermitComments; p++ {
		all = append(all, lta(fmt.Sprintf("certified-%d.pdf", p), one(table).signField("A", rsaPKCS1, withCertification(p))))
	}
	all = append(all, sample{"certified-2-signed.pdf", k.newFile(table).addFields(pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"}).
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
			sample{"pdfa-" + flavour + ".pdf", k.newFile(b), nil, nil, flavour},
			sample{"pdfa-" + flavour + "-invisible.pdf", one(b).signField("A", rsaPKCS1).addValidationData().addTimestamp(), levels("B-LTA", "A"), []string{"Timestamp1"}, flavour},
			sample{"pdfa-" + flavour + "-visible.pdf", boxed(b).signField("A", rsaPKCS1, withAppearance(box, specimen, "https://segel.example/verify/1")).addValidationData().addTimestamp().addValidationData().addTimestamp(),
				levels("B-LTA", "A"), []string{"Timestamp1", "Timestamp2"}, flavour},
		)
	}
	certificate, err := writeEvidence()
	if err != nil {
		return nil, err
	}
	all = append(all, sample{"evidence.pdf", k.newFile(certificate).signField("A", ecP256, withNewField, withCertification(1)).addValidationData().addTimestamp(),
		levels("B-LTA", "A"), []string{"Timestamp1"}, "3a"})
	return all, nil
}

// writeEvidence writes an evidence certificate of the samples of its formats, with a picture of a page.
func writeEvidence() ([]byte, error) {
	b, err := os.ReadFile(filepath.Join("internal", "evidence", "testdata", "formats", "evidence-1.json"))
	if err != nil {
		return nil, err
	}
	facts, err := evidence.ParseFacts(b)
	if err != nil {
		return nil, err
	}
	proof, err := os.ReadFile(filepath.Join("internal", "audit", "testdata", "formats", "proof-1.json"))
	if err != nil {
		return nil, err
	}
	page := image.NewRGBA(image.Rect(0, 0, 180, 255))
	draw.Draw(page, page.Bounds(), image.NewUniform(color.RGBA{R: 0xF0, G: 0xE8, B: 0xD0, A: 0xFF}), image.Point{}, draw.Src)
	return evidence.Write(evidence.Input{Facts: facts, Proof: proof, Pictures: []evidence.Picture{{Page: 1, Image: page}}})
}

// buildGuestSamples builds files signed by guests, below their own issuers: at every level, beside a verified user, with a verified
// mailbox and phone number, with the notice in boxes of several shapes, and in PDF/A.
func buildGuestSamples(k *pki, specimen *appearance.Strokes) []sample {
	table := pdftest.Table(2)
	field := func(b []byte, r pdf.Rect) *testFile {
		return k.newFile(b).addFields(pades.FieldSpec{Name: "A", Label: "Tanda tangan tamu", Page: 1, Rect: r})
	}
	small := pdf.Rect{LLX: 72, LLY: 72, URX: 112, URY: 92}
	all := []sample{
		{"guest-b-b.pdf", field(table, box).signField("A", guestP256, withoutTimestamp, withGuestAppearance(box, nil)), map[string]string{"A": "B-B"}, nil, ""},
		{"guest-b-t.pdf", field(table, box).signField("A", guestP256, withGuestAppearance(box, nil)), map[string]string{"A": "B-T"}, nil, ""},
		{"guest-b-lt.pdf", field(table, box).signField("A", guestRSA, withGuestAppearance(box, specimen)).addValidationData(), map[string]string{"A": "B-LT"}, nil, ""},
		{"guest-b-lta.pdf", field(table, small).signField("A", guestRSA, withGuestAppearance(small, specimen)).addValidationData().addTimestamp(), map[string]string{"A": "B-LTA"}, []string{"Timestamp1"}, ""},
		{"guest-beside-user.pdf", k.newFile(table).addFields(pades.FieldSpec{Name: "A", Page: 1, Rect: box}, pades.FieldSpec{Name: "B"}).
			signField("A", guestP256, withGuestAppearance(box, nil)).signField("B", ecP256).addValidationData().addTimestamp(), map[string]string{"A": "B-LTA", "B": "B-LTA"}, []string{"Timestamp1"}, ""},
	}
	for _, who := range []int{mailboxP256, phoneRSA} {
		name := map[int]string{mailboxP256: "mailbox", phoneRSA: "phone"}[who]
		all = append(all,
			sample{"guest-" + name + "-b-t.pdf", field(table, box).signField("A", who, withGuestAppearance(box, nil)), map[string]string{"A": "B-T"}, nil, ""},
			sample{"guest-" + name + "-b-lta.pdf", k.newFile(table).addFields(pades.FieldSpec{Name: "A", Page: 1, Rect: box}, pades.FieldSpec{Name: "B"}).
				signField("A", who, withGuestAppearance(box, specimen)).signField("B", guestP256).addValidationData().addTimestamp(), map[string]string{"A": "B-LTA", "B": "B-LTA"}, []string{"Timestamp1"}, ""})
	}
	for part := 1; part <= 3; part++ {
		flavour := fmt.Sprintf("%db", part)
		all = append(all, sample{"guest-pdfa-" + flavour + ".pdf", field(pdftest.PDFA(part), box).signField("A", guestP256, withGuestAppearance(box, specimen)).addValidationData().addTimestamp(),
			map[string]string{"A": "B-LTA"}, []string{"Timestamp1"}, flavour})
	}
	return all
}

// encryptFile encrypts a file with qpdf so that it opens without a password.
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

// buildNested builds a file that several people sign in turn, in fields that were added first.
func buildNested(k *pki, signers int) sample {
	s := sample{name: "nested.pdf", levels: map[string]string{}, timestamps: []string{"Timestamp1"}}
	var specs []pades.FieldSpec
	for i := range signers {
		r := pdf.Rect{LLX: 72, LLY: float64(72 + 90*i), URX: 300, URY: float64(150 + 90*i)}
		specs = append(specs, pades.FieldSpec{Name: fmt.Sprintf("Penanda%d", i+1), Page: 1, Rect: r})
	}
	s.file = k.newFile(pdftest.Table(2)).addFields(append(specs, pades.FieldSpec{Name: "Segel"})...)
	for i, f := range specs {
		s.file.signField(f.Name, i%ed25519Key, withAppearance(f.Rect, nil, ""))
		s.levels[f.Name] = "B-LTA"
	}
	s.levels["Segel"] = "B-LTA"
	s.file.signField("Segel", ecP256).addValidationData().addTimestamp()
	return s
}

// drawHandwriting returns a picture with a transparent background, like an uploaded signature.
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

// writeSuspects signs files with hidden, active or misleading content. The signatures are valid; our verifier has to
// report the content.
func writeSuspects(k *pki, dir string) ([]item, error) {
	w := newItemWriter(dir)
	for _, s := range pdftest.SuspectCases() {
		p := k.newFile(s.File).addFields(pades.FieldSpec{Name: "A"}).signField("A", ecP256).addValidationData().addTimestamp()
		w.addFile(item{
			name: "suspect-" + strings.ReplaceAll(s.Name, " ", "-") + ".pdf", levels: map[string]string{"A": "B-LTA"}, timestamps: []string{"Timestamp1"},
			coversFile: true, wantWarnings: s.Kinds,
		}, p.b, p.err)
	}
	return w.items, w.err
}

// checkWarnings checks that our report names what is in the file.
func (it item) checkWarnings(a ourReport, fail reportFunc) {
	for _, kind := range it.wantWarnings {
		told := false
		for _, w := range a.Warnings {
			told = told || w.Code == "finding."+kind || w.Code == "warning."+kind
		}
		if !told {
			fail("does not report %s", kind)
		}
	}
}

// oddsStride keeps the comparison short: there are a thousand odd files. It does not divide the number of files of any
// kind, so that each kind occurs with both styles of cross-reference.
const oddsStride = 7

// writeOddFiles writes every n-th file of unusual structure, see pdftest.OddFiles. The sealed ones are accepted by the
// service: normalized if necessary, signed, and sealed up to B-LTA. The tampered ones are signed as they are, even if the
// service refuses them, and tampered with.
func writeOddFiles(k *pki, dir string, every int) (sealed, tampered []item, err error) {
	accepted, attacked := newItemWriter(dir), &itemWriter{dir: dir}
	for i, odd := range pdftest.OddFiles() {
		if i%(every*oddsStride) != 0 {
			continue
		}
		if odd.Outcome != pdftest.Refused {
			it := item{name: "odd-" + formatFileName(odd.Name) + ".pdf", levels: map[string]string{"A": "B-LTA", "Segel": "B-LTA"}}
			b, err := normalizeFile(odd.File)
			if err == nil {
				p := k.sealForm(b)
				b, err = p.b, p.err
			}
			accepted.addFile(it, b, err)
		}
		p := k.newFile(odd.File).addFields(pades.FieldSpec{Name: "A"}).signField("A", ecP256)
		if p.err != nil {
			continue // the library signs only what it can read reliably
		}
		b, err := applyMutation(p.b, oddAttacks[len(attacked.items)%len(oddAttacks)].apply)
		if errors.Is(err, errNoOddPage) || err != nil && odd.Outcome == pdftest.Refused {
			continue // nothing to attack, or nothing can be appended
		}
		attacked.addFile(item{name: "odd-attack-" + formatFileName(odd.Name) + ".pdf"}, b, err)
	}
	return accepted.items, attacked.items, errors.Join(accepted.err, attacked.err)
}

var errNoOddPage = errors.New("no page to attack")

// oddAttacks are applied in turn.
var oddAttacks = []mutant{
	{"other-content", editFirstPage(func(u *pdf.Update, p pdf.Dict) { p["Contents"] = u.Add(buildContent("Lunas")) })},
	{"turned-page", editFirstPage(func(_ *pdf.Update, p pdf.Dict) { p["Rotate"] = pdf.Integer(180) })},
	{"other-font", editFirstPage(func(u *pdf.Update, p pdf.Dict) {
		font := u.Add(pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("ZapfDingbats")})
		p["Resources"] = pdf.Dict{"Font": pdf.Dict{"F1": font}}
	})},
	{"comment", editFirstPage(func(u *pdf.Update, p pdf.Dict) { p["Annots"] = pdf.Array{u.Add(buildOverlay(u, "Stamp"))} })},
}

// editFirstPage edits the first page if it is an indirect object.
func editFirstPage(edit func(u *pdf.Update, p pdf.Dict)) func(m *mutation) {
	return func(m *mutation) {
		m.appendRevision(func(f *formtest.Filler) {
			page := f.Page()
			if f.Err != nil {
				f.Err = errNoOddPage
				return
			}
			edit(f.U, page)
		})
	}
}

// normalizeFile returns a file as the service signs it: rewritten if readers disagree on it.
func normalizeFile(b []byte) ([]byte, error) {
	d, err := openPDF(b)
	if err == nil {
		if err = d.Check(); err == nil {
			return b, nil
		}
	}
	if d, err = pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{Repair: true}); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if _, err := d.Rewrite(&out, pdf.RewriteOptions{}); err != nil {
		return nil, fmt.Errorf("rewrite: %w", err)
	}
	return out.Bytes(), nil
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// formatFileName converts the name of an odd file to a file name: "id/integer (table)" becomes "id-integer-table".
func formatFileName(name string) string {
	return strings.Trim(notInNames.ReplaceAllString(strings.ToLower(name), "-"), "-")
}
