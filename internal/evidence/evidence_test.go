package evidence

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"segel/internal/audit"
	"segel/internal/contract"
	"segel/pdf"
)

var update = flag.Bool("update", false, "write the golden files")

// zeros is randomness that makes files equal.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

var consentTexts = contract.ConsentText{Organisation: "contoh", Version: 2, Texts: map[string]string{
	"id": "Persetujuan\n\n1. Saya setuju menandatangani secara elektronik.\n2. " + strings.Repeat("Saya telah membaca dokumen. ", 100),
	"en": "Consent\n\n1. I agree to sign electronically.\n2. " + strings.Repeat("I have read the document. ", 100),
}}

// newRecords returns a document that a member and two guests signed, one of them together with another document, and that has a duty stamp.
func newRecords() Records {
	at := func(minutes int) time.Time {
		return time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC).Add(time.Duration(minutes) * time.Minute)
	}
	digest := func(n byte) [32]byte { return sha256.Sum256([]byte{n}) }
	sum := func(n byte) string { return fmt.Sprintf("%x", digest(n)) }
	sari := contract.Person{ID: "sari", Name: "Sari Wulandari", Email: "sari@contoh.id"}
	budi := contract.Person{ID: "budi", Name: "Budi Santoso", Email: "budi@mitra.example"}
	guest := contract.Person{ID: "tamu", Name: "山田 太郎"}
	viewer := contract.Person{ID: "ani", Name: "Ani", Email: "ani@contoh.id"}
	var revisions []contract.Revision
	for i, kind := range []contract.RevisionKind{
		contract.RevisionBase, contract.RevisionFields, contract.RevisionSignature, contract.RevisionSignature, contract.RevisionSignature,
		contract.RevisionStamp, contract.RevisionSeal, contract.RevisionValidation, contract.RevisionTimestamp, contract.RevisionValidation, contract.RevisionTimestamp,
	} {
		revisions = append(revisions, contract.Revision{Kind: kind, End: int64(1000 * (i + 1)), Digest: digest(byte(i)), At: at(i)})
	}
	revisions[2].By, revisions[3].By, revisions[4].By = sari.ID, budi.ID, guest.ID
	return Records{
		Document: contract.Document{
			ID: 42, Title: "Perjanjian Sewa Kantor", Filename: "sewa.pdf", Pages: 3, State: contract.Completed, Mode: contract.Signing, Owner: sari,
			CreatedAt: at(0), FinalizedAt: at(1), EndedAt: at(9), Specimen: true, Revisions: revisions,
			Participants: []contract.Participant{
				{Person: sari, Role: contract.Signer, Number: 1, SignedAt: at(2)},
				{Person: budi, Role: contract.Signer, Number: 2, Guest: true, SignedAt: at(3)},
				{Person: guest, Role: contract.Signer, Number: 2, Guest: true, SignedAt: at(4)},
				{Person: viewer, Role: contract.Viewer, Number: 3, ViewedAt: at(5)},
			},
			Placements: []contract.Placement{{Page: 3}},
			Stamps:     []contract.Stamp{{State: contract.StampAffixed, Serial: "0123456789ABCDEF", AffixedAt: at(5)}},
		},
		Organisation: "PT Contoh", MadeAt: at(10), LogKey: "segel/0011223344556677+00000000+AAAA",
		Events: []contract.Event{
			{Type: contract.EventUploaded, At: at(0), Person: sari, IP: "192.0.2.1"},
			{Type: contract.EventSignIntended, At: at(2), Person: sari, IP: "192.0.2.1", Details: map[string]string{"digest": sum(1)}},
			{Type: contract.EventSigned, At: at(2), Person: sari, IP: "192.0.2.1", Details: map[string]string{
				"digest": sum(2), "pages_shown": "1-3", "pages": "3", "assurance": "account_password", "organisation": "PT Contoh", "certificate": "0a0b",
				"consent_documents": "2", "consent_digest": sum(99), "consent_text": "2", "consent_language": "id",
				"consent_text_digest": fmt.Sprintf("%x", consentTexts.Digest("id")),
			}},
			{Type: contract.EventNoticeSent, At: at(1), Details: map[string]string{"notice": "invite_sign", "recipient": "budi", "address": "budi@mitra.example"}},
			{Type: contract.EventNoticeSent, At: at(1), Details: map[string]string{"notice": "completed", "recipient": "budi", "address": "budi@mitra.example"}},
			{Type: contract.EventNoticeRefused, At: at(1), Details: map[string]string{"notice": "invite_view", "recipient": "ani", "address": "ani@contoh.id"}},
			{Type: contract.EventDelegated, At: at(1), Person: viewer, IP: "192.0.2.9", Details: map[string]string{
				"to": "budi", "name": "Budi Santoso", "address": "budi@mitra.example", "reason": "Beliau yang berwenang.",
			}},
			{Type: contract.EventGuestLink, At: at(1), Person: sari, Details: map[string]string{"guest": "budi", "proof": "none: handed out by the owner"}},
			{Type: contract.EventGuestLink, At: at(1), Details: map[string]string{"guest": "tamu", "proof": "none: handed out by the operator"}},
			{Type: contract.EventSignIntended, At: at(3), Person: budi, IP: "2001:db8::7", Details: map[string]string{"digest": sum(2)}},
			{Type: contract.EventSigned, At: at(3), Person: budi, IP: "2001:db8::7", Details: map[string]string{
				"digest": sum(3), "pages_shown": "1-2", "pages": "3", "assurance": "guest_unverified", "named_by": "Sari Wulandari", "organisation": "PT Contoh", "certificate": "0c0d",
				"consent_text": "2", "consent_language": "en", "consent_text_digest": fmt.Sprintf("%x", consentTexts.Digest("en")),
				"consent_at": "2026-11-19T03:00:00Z", "consent_document": "41",
			}},
			{Type: contract.EventSigned, At: at(4), Person: guest, Details: map[string]string{"digest": sum(4), "pages_shown": "none", "consent_text": contract.NoConsentText}},
		},
		Consents:     []contract.ConsentText{consentTexts},
		Certificates: map[string]contract.Certificate{"0a0b": {Serial: "0a0b", Subject: "CN=Sari Wulandari,O=PT Contoh"}},
		Describe: func(c contract.Certificate) Certificate {
			return Certificate{Serial: c.Serial, Subject: c.Subject, Issuer: "CN=Segel", SHA256: sum(77)}
		},
	}
}

// newProof returns a proof of the completion of document 42.
func newProof(t testing.TB, digest string) (proof []byte, logKey string) {
	t.Helper()
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	public := key.Public().(ed25519.PublicKey)
	origin := audit.LogOrigin(public)
	e := contract.Event{Type: contract.EventCompleted, Document: 42, At: time.Date(2026, 11, 20, 3, 9, 0, 0, time.UTC), Details: map[string]string{"digest": digest}}
	root := sha256.Sum256(append([]byte{0}, audit.EncodeLeaf(e)...))
	note, err := audit.Checkpoint{Origin: origin, Size: 1, Root: root}.Sign(key)
	if err != nil {
		t.Fatal(err)
	}
	p := &audit.Proof{Document: 42, Checkpoint: string(note)}
	p.AddEvent(0, e, nil)
	if proof, err = p.Marshal(); err != nil {
		t.Fatal(err)
	}
	return proof, audit.VerifierKey(origin, public)
}

func newInput(t testing.TB) Input {
	t.Helper()
	facts := Collect(newRecords())
	in := Input{Facts: facts, Random: zeros{}}
	in.Proof, facts.LogKey = newProof(t, facts.Document.Digest)
	for page := range 2 {
		m := image.NewGray(image.Rect(0, 0, 360, 509))
		for y := range 509 {
			for x := range 360 {
				v := uint8(0xFF)
				if y/12%2 == 0 && x > 40 && x < 320 {
					v = uint8(0x40 * (page + 1))
				}
				m.SetGray(x, y, color.Gray{Y: v})
			}
		}
		in.Pictures = append(in.Pictures, Picture{Page: page + 1, Image: m})
	}
	return in
}

func writeCertificate(t *testing.T, in Input) []byte {
	t.Helper()
	b, err := Write(in)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func openPDF(t *testing.T, b []byte) *pdf.Document {
	t.Helper()
	d, err := pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// runTool runs a program on a file, or skips the test if it is not installed.
func runTool(t *testing.T, file []byte, tool string, args ...string) string {
	t.Helper()
	program, err := exec.LookPath(tool)
	if err != nil {
		t.Skip(tool + " is not installed")
	}
	path := filepath.Join(t.TempDir(), "evidence.pdf")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	for i, a := range args {
		if a == "FILE" {
			args[i] = path
		}
	}
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", tool, err, out)
	}
	return string(out)
}

func TestTheFactsOfASignedDocumentAreThoseOfItsEvents(t *testing.T) {
	t.Parallel()
	b, err := Collect(newRecords()).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "formats", "evidence-1.json")
	if _, err := os.Stat(golden); *update && errors.Is(err, os.ErrNotExist) { // a sample of a stored format is never written again
		if err := os.WriteFile(golden, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b, want) {
		t.Errorf("facts:\n%s\nwant:\n%s", b, want)
	}
	if _, err := ParseFacts(want); err != nil {
		t.Error(err)
	}
}

func TestFactsHaveOneEncoding(t *testing.T) {
	t.Parallel()
	b, err := Collect(newRecords()).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for _, forge := range []func(string) string{
		func(s string) string { return strings.Replace(s, "segel-evidence-1", "segel-evidence-2", 1) },
		func(s string) string { return s + "\n" },
		func(s string) string {
			return strings.Replace(s, `"people"`, `"unknown": 1, "people"`, 1)
		},
		func(s string) string { return strings.Replace(s, `"number": 42`, `"number": 42, "number": 42`, 1) },
		func(s string) string { return strings.Replace(s, "I agree to sign", "I agree to buy", 1) }, // not what was accepted
		func(string) string { return "" },
		func(string) string { return "{}" },
	} {
		if _, err := ParseFacts([]byte(forge(string(b)))); !errors.Is(err, ErrForm) {
			t.Errorf("%v", err)
		}
	}
}

func TestTheCertificateShowsEveryFactInBothLanguages(t *testing.T) {
	t.Parallel()
	in := newInput(t)
	file := writeCertificate(t, in)
	if !bytes.Equal(file, writeCertificate(t, in)) {
		t.Error("the same facts gave another file")
	}
	if len(file) > 400<<10 {
		t.Errorf("%d bytes", len(file))
	}
	shown := strings.Join(strings.Fields(runTool(t, file, "pdftotext", "-layout", "FILE", "-")), "")
	for _, w := range []words{titleWords, leadWords, specimenWords, documentWords, peopleWords, stampsWords, revisionsWords, picturesWords, logWords, drawnWords.format(2, 3), memberWords} {
		for _, text := range []string{w.id, w.en} {
			// Labels stand beside values, so only whole paragraphs are compared; a long line may be broken anywhere.
			if !strings.Contains(shown, strings.Join(strings.Fields(text), "")) {
				t.Errorf("%q is missing", text)
			}
		}
	}
	facts, err := in.Facts.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`": "([^"]+)"`).FindAllStringSubmatch(string(facts), -1) {
		text := m[1]
		if _, err := time.Parse(time.RFC3339Nano, text); err == nil {
			continue // shown in another form
		}
		switch text {
		case "id", "en": // beside the digest of the consent text
			continue
		case formatV1, "signer", "viewer", "account_password", "guest_unverified", "none", in.Facts.LogKey,
			ByMail, ByOwner, ByOperator, ByMailRejected, "none: handed out by the owner", "none: handed out by the operator":
			continue // shown in words
		}
		if _, kind := revisionKinds[text]; kind {
			continue
		}
		// A consent text may continue on another page, so its sentences are compared.
		for _, part := range regexp.MustCompile(`\\n|\. `).Split(text, -1) {
			if !strings.Contains(shown, strings.Join(strings.Fields(part), "")) {
				t.Errorf("%q is missing", part)
			}
		}
	}
	for _, want := range []string{"2026-11-2010:09:00WIB(03:09:00UTC)", "192.0.2.1", "2001:db8::7"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestOtherProgramsReadTheCertificate(t *testing.T) {
	t.Parallel()
	file := writeCertificate(t, newInput(t))
	if dir := os.Getenv("SEGEL_EVIDENCE_OUT"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "evidence.pdf"), file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range [][]string{
		{"qpdf", "--check", "FILE"}, {"mutool", "info", "FILE"}, {"pdfinfo", "-struct", "FILE"}, {"pdfdetach", "-list", "FILE"},
	} {
		t.Run(c[0], func(t *testing.T) {
			t.Parallel()
			out := runTool(t, file, c[0], c[1:]...)
			if out = strings.ReplaceAll(out, "No syntax or stream encoding errors found; the file may still contain\nerrors", ""); strings.Contains(out, "rror") || strings.Contains(out, "arning") {
				t.Errorf("%s", out)
			}
			if c[0] == "pdfdetach" && (!strings.Contains(out, FactsFile) || !strings.Contains(out, ProofFile)) {
				t.Errorf("%s", out)
			}
			if c[0] == "pdfinfo" && (!strings.Contains(out, "Figure") || !strings.Contains(out, "TH:")) {
				t.Errorf("%s", out)
			}
		})
	}
}

// TestTheCertificateHasWhatPDFA3Requires looks at the parts that ISO 19005-3 and a tagged file need; make interop has veraPDF check them.
func TestTheCertificateHasWhatPDFA3Requires(t *testing.T) {
	t.Parallel()
	file := writeCertificate(t, newInput(t))
	d := openPDF(t, file)
	if !bytes.HasPrefix(file, []byte("%PDF-1.7\n%")) {
		t.Errorf("it begins with %q", file[:16])
	}
	_, catalog, err := d.Root()
	if err != nil {
		t.Fatal(err)
	}
	if id, err := d.Array(d.Trailer()["ID"]); err != nil || len(id) != 2 {
		t.Errorf("/ID %v, %v", id, err)
	}
	if lang, _ := d.String(catalog["Lang"]); string(lang.Bytes) != languageID {
		t.Errorf("/Lang %q", lang.Bytes)
	}
	mark, _ := d.Dict(catalog["MarkInfo"])
	if marked, _ := d.Boolean(mark["Marked"]); !marked {
		t.Error("it is not marked as tagged")
	}
	metadata, err := d.Stream(catalog["Metadata"])
	if err != nil || metadata == nil || metadata.Dict["Filter"] != nil {
		t.Fatalf("metadata: %v", err)
	}
	if b, _ := d.Decode(metadata); !bytes.Contains(b, []byte("<pdfaid:part>3</pdfaid:part><pdfaid:conformance>A</pdfaid:conformance>")) {
		t.Errorf("metadata: %s", b)
	}
	intents, _ := d.Array(catalog["OutputIntents"])
	if len(intents) != 1 {
		t.Fatalf("%d output intents", len(intents))
	}
	intent, _ := d.Dict(intents[0])
	if profile, err := d.Stream(intent["DestOutputProfile"]); err != nil {
		t.Error(err)
	} else if b, _ := d.Decode(profile); !bytes.Equal(b, srgbProfile()) || string(b[36:40]) != "acsp" || int(b[2])<<8+int(b[3]) != len(b) {
		t.Errorf("a profile of %d bytes", len(b))
	}
	associated, _ := d.Array(catalog["AF"])
	if len(associated) != 2 {
		t.Fatalf("%d associated files", len(associated))
	}
	for _, o := range associated {
		spec, _ := d.Dict(o)
		if spec["AFRelationship"] != pdf.Object(pdf.Name("Data")) || spec["F"] == nil || spec["UF"] == nil || spec["Desc"] == nil {
			t.Errorf("%v", spec)
		}
	}
	checkStructure(t, d)
}

// checkStructure requires that each piece of marked content belongs to an element that leads back to it.
func checkStructure(t *testing.T, d *pdf.Document) {
	t.Helper()
	_, catalog, _ := d.Root()
	root, err := d.Dict(catalog["StructTreeRoot"])
	if err != nil {
		t.Fatal(err)
	}
	tree, _ := d.Dict(root["ParentTree"])
	numbers, _ := d.Array(tree["Nums"])
	number := 0
	for page, err := range d.Pages() {
		if err != nil {
			t.Fatal(err)
		}
		parents, err := d.Array(numbers[2*number+1])
		if err != nil {
			t.Fatal(err)
		}
		contents, err := d.Stream(page.Dict["Contents"])
		if err != nil {
			t.Fatal(err)
		}
		b, _ := d.Decode(contents)
		if n := bytes.Count(b, []byte(" BDC\n")); n != len(parents) || n == 0 {
			t.Errorf("page %d has %d pieces and %d parents", page.Number, n, len(parents))
		}
		if opened, closed := bytes.Count(b, []byte(" BDC\n"))+bytes.Count(b, []byte(" BMC\n")), bytes.Count(b, []byte("EMC\n")); opened != closed {
			t.Errorf("page %d opens %d and closes %d", page.Number, opened, closed)
		}
		for id, o := range parents {
			e, err := d.Dict(o)
			if err != nil {
				t.Fatal(err)
			}
			kids, _ := d.Array(e["K"])
			found := false
			for _, kid := range kids {
				if m, ok := kid.(pdf.Dict); ok && m["MCID"] == pdf.Object(pdf.Integer(id)) && m.Ref("Pg") == page.Ref {
					found = true
				}
			}
			if !found {
				t.Errorf("page %d: piece %d is not in its element", page.Number, id)
			}
		}
		number++
	}
	if number < 2 || 2*number != len(numbers) {
		t.Errorf("%d pages, %d numbers", number, len(numbers))
	}
}

func TestWhatIsAttachedIsReadBack(t *testing.T) {
	t.Parallel()
	in := newInput(t)
	a, err := ReadAttachments(openPDF(t, writeCertificate(t, in)))
	if err != nil {
		t.Fatal(err)
	}
	want, _ := json.Marshal(in.Facts)
	if got, _ := json.Marshal(a.Facts); !bytes.Equal(got, want) {
		t.Errorf("facts: %s", got)
	}
	if proof, err := a.Proof.Marshal(); err != nil || !bytes.Equal(proof, in.Proof) {
		t.Errorf("proof: %s, %v", proof, err)
	}
	if _, err := ReadAttachments(openPDF(t, emptyFile())); !errors.Is(err, ErrNoEvidence) {
		t.Errorf("of a file without attachments: %v", err)
	}
}

func TestACertificateWithoutPicturesSaysSo(t *testing.T) {
	t.Parallel()
	in := newInput(t)
	in.Pictures = nil
	file := writeCertificate(t, in)
	shown := strings.Join(strings.Fields(runTool(t, file, "pdftotext", "FILE", "-")), "")
	if !strings.Contains(shown, strings.Join(strings.Fields(notDrawnWords.en), "")) {
		t.Error("it does not say that nothing was drawn")
	}
	checkStructure(t, openPDF(t, file))
}

func TestACertificateOfManyPeopleEnds(t *testing.T) {
	t.Parallel()
	in := newInput(t)
	for range 800 {
		in.Facts.People = append(in.Facts.People, in.Facts.People[1])
	}
	file := writeCertificate(t, in)
	shown := strings.Join(strings.Fields(runTool(t, file, "pdftotext", "FILE", "-")), "")
	if !strings.Contains(shown, strings.Join(strings.Fields(cutWords.en), "")) || len(file) > 10<<20 {
		t.Errorf("%d bytes", len(file))
	}
}

func TestTheConsentIsTheOneThatTheWebAppShows(t *testing.T) {
	t.Parallel()
	for language, want := range map[string][]string{"id": {consentText.id, consentList.id}, "en": {consentText.en, consentList.en}} {
		b, err := os.ReadFile(filepath.Join("..", "..", "web", "src", "text", language+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var texts struct {
			Sign struct{ Means string }
			Many struct {
				Consent string `json:"consent_other"`
			}
		}
		if err := json.Unmarshal(b, &texts); err != nil {
			t.Fatal(err)
		}
		got := []string{texts.Sign.Means, strings.ReplaceAll(texts.Many.Consent, "{{count}}", "%d")}
		if got[0] != want[0] || got[1] != want[1] {
			t.Errorf("%s: %q, want %q", language, got, want)
		}
	}
}
