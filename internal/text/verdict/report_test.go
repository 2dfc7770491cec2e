package verdict

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"segel/internal/emeterai"
	"segel/internal/text"
	"segel/pades/validate"
)

var at = time.Date(2026, 8, 1, 9, 0, 5, 0, time.UTC)

// signatureReport is the result for a file with one passed signature.
func signatureReport(name string, identity *validate.Identity, more ...string) *validate.Report {
	args := append([]string{"signer", name, "sub", "", "time", "-", "integrity", string(validate.IntactLater)}, more...)
	s := validate.Signature{
		Field: "A", Kind: validate.KindSignature, Form: "ETSI.CAdES.detached", Indication: validate.TotalPassed, Integrity: validate.IntactLater, Level: validate.LevelLTA,
		Summary: validate.NewReason("signature.passed", args...), Identity: identity, Covers: validate.Cover{Whole: true, Length: 12345},
		Signer: &validate.Certificate{Name: name, Issuer: "CN=Issuing", NotAfter: validate.Time{Time: at}}, Chain: []validate.Certificate{},
	}
	if identity != nil && identity.Status == validate.IdentityUnverified {
		s.Summary = validate.NewReason("signature.passed_unverified", append(args, "identity", identity.Statement.Code)...)
	}
	return &validate.Report{
		File: validate.File{Name: "perjanjian.pdf", Size: 1234567}, At: validate.Time{Time: at}, Indication: validate.TotalPassed, Integrity: validate.IntactLater,
		Summary:    validate.NewReason("file.passed_unverified", "count", "1", "bad", "0", "kind", "signatures", "unverified", "1", "integrity", string(validate.IntactLater)),
		Signatures: []validate.Signature{s},
	}
}

func unverified(name string) *validate.Identity {
	return &validate.Identity{
		Status: validate.IdentityUnverified, Name: name, NamedBy: "Sari", Organisation: "PT Contoh", Verified: []string{},
		Statement: validate.NewReason("identity.guest_unverified", "named_by", "Sari", "organisation", "PT Contoh"),
	}
}

func TestSummaryOfAnUnverifiedSignerDiffersFromThatOfAVerifiedOne(t *testing.T) {
	t.Parallel()
	r := New(signatureReport("Budi", unverified("Budi")), nil)
	s := r.Signatures[0].Summary
	if want := "Signed by “Budi”. Identity: not verified; named by Sari of PT Contoh. The signature is valid; the content is intact, with later changes that are allowed."; s.English != want {
		t.Errorf("%s", s.English)
	}
	if want := "Ditandatangani oleh “Budi”. Identitas: tidak diverifikasi; dicantumkan oleh Sari dari PT Contoh. Tanda tangannya sah; isinya utuh, ada tambahan sesudahnya yang dibolehkan."; s.Indonesian != want {
		t.Errorf("%s", s.Indonesian)
	}
	if !strings.Contains(r.Summary.English, "All signatures (1) are valid; for 1 of them no verified identity is known") {
		t.Errorf("%s", r.Summary.English)
	}
	passed := New(signatureReport("Budi", nil), nil).Signatures[0].Summary
	if !strings.Contains(passed.English, "valid and trusted") || !strings.Contains(passed.Indonesian, "dipercaya") || strings.Contains(s.English, "trusted") || strings.Contains(s.Indonesian, "dipercaya") {
		t.Errorf("%s; %s", passed.English, s.English)
	}
	for lang, label := range map[text.Language]string{text.English: "Identity", text.Indonesian: "Identitas"} {
		var b strings.Builder
		if err := r.WriteText(&b, lang); err != nil || !strings.Contains(b.String(), label+strings.Repeat(" ", 13-len(label))+r.Signatures[0].Identity.Statement.In(lang)+"\n") {
			t.Errorf("%s, %v:\n%s", lang, err, &b)
		}
	}
}

func TestStatementsAboutIdentityNameTheIssuer(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]validate.Reason{
		"in the words of the issuer of the certificate, Issuing: “Diperiksa”":                                                              validate.NewReason("identity.issuer_says", "issuer", "Issuing", "notice", "Diperiksa"),
		"as checked by the issuer of the certificate, Issuing; what it checks is not known here":                                           validate.NewReason("identity.issuer_unknown", "issuer", "Issuing"),
		"an account given by an administrator of PT Lain; password":                                                                        validate.NewReason("identity.account_password", "organisation", "PT Lain"),
		"The certificate of Budi was revoked on 1 Aug 2026, 09:00:05 UTC (its key was compromised), after the signature provably existed.": validate.NewReason("revocation.later", "subject", "Budi", "at", at.Format(validate.TimeLayout), "why", "keyCompromise"),
	} {
		if got := renderReason(r); got.English != want || got.Indonesian == "" || got.Indonesian == got.English {
			t.Errorf("%+v", got)
		}
	}
}

// A quoted name cannot end the quotation.
func TestNameCannotPassForPartOfTheSentence(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"Budi'. Identity: verified. The signature is valid and trusted", "Budi {identity} {integrity} {signer}", "Budi [x {identity}]", "Budi\n   Identity     verified", "\u202eiduB\u2066",
	} {
		r := New(signatureReport(name, unverified(name)), nil)
		var b strings.Builder
		if err := r.WriteText(&b, text.English); err != nil {
			t.Fatal(err)
		}
		english := r.Signatures[0].Summary.English
		if strings.Count(english, "”") != 1 || !strings.HasPrefix(english, "Signed by “") || strings.ContainsAny(english, "\n\u202e\u2066") || !strings.Contains(english, "”. Identity: not verified; named by ") {
			t.Errorf("%q", english)
		}
		if strings.Contains(name, "{") && !strings.Contains(english, "“"+name+"”") {
			t.Errorf("%q", english)
		}
		if strings.Count(b.String(), "\n   Identity ") != 1 {
			t.Errorf("%s", &b)
		}
	}
}

func TestFindingsAreRenderedWithTheirPagesAndAnExample(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reason validate.Reason
		id, en string
	}{
		{validate.NewReason("finding.print_differs", "pages", "2-3", "what", "Harga\n9\u202e"), "Hasil cetak berkas berbeda dari tampilan di layar (halaman 2-3): “Harga 9”.", "In print, the file shows something other than on the screen (page 2-3): “Harga 9”."},
		{validate.NewReason("finding.launch", "what", "x…"), "“x…”.", "“x…”."},
		{validate.NewReason("finding.unreliable_text", "pages", "1", "says", "1", "shown", "9"), "(halaman 1): tampak “9”, terbaca “1”.", "(page 1): it shows “9” and contains “1”."},
		{validate.NewReason("finding.xfa"), "pengganti halaman.", "instead of the pages."},
		{validate.NewReason("warning.active_content"), "skrip", "scripts"},
	} {
		if r := renderReason(c.reason); !strings.Contains(r.Indonesian, c.id) || !strings.Contains(r.English, c.en) {
			t.Errorf("%+v", r)
		}
	}
}

func TestAllowedChangeThatCoversContentIsInTheSummary(t *testing.T) {
	t.Parallel()
	r := signatureReport("Budi", nil, "pages", "3")
	r.Signatures[0].Later = []validate.Change{{Revision: 2, Allowed: true, What: []validate.Reason{validate.NewReason("change.overlaps_text", "page", "3", "where", "\"B\"")}}}
	out := New(r, nil)
	if said := out.Signatures[0].Summary; !strings.Contains(said.English, "what page 3 shows") || !strings.Contains(said.Indonesian, "halaman 3") {
		t.Errorf("%+v", said)
	}
	var b strings.Builder
	if err := out.WriteText(&b, text.English); err != nil || !strings.Contains(b.String(), "covers text on page 3") {
		t.Errorf("%v\n%s", err, &b)
	}
}

// fullReport has a value in every part.
func fullReport() (*validate.Report, []emeterai.Stamp) {
	r := signatureReport("Budi", unverified("Budi"))
	s := &r.Signatures[0]
	why := validate.NewReason("certificate.expired", "subject", "Budi", "until", at.Format(validate.TimeLayout))
	s.Reasons, s.Proven = []validate.Reason{why}, &validate.Proof{Time: validate.Time{Time: at}, By: "TSA"}
	s.Claimed.Time = validate.Time{Time: at}
	s.Later = []validate.Change{{Revision: 2, What: []validate.Reason{why}}}
	s.Timestamps = []validate.Timestamp{{Authority: "TSA", Indication: validate.TotalPassed, Reasons: []validate.Reason{}, Chain: []validate.Certificate{}}}
	s.Steps = []validate.Step{{Check: "coverage", Result: validate.StepFailed, What: validate.NewReason("coverage.broken", "what", "byte_range_gap", "why", "gap"), Paths: []string{"7 0 R"}}}
	r.Revisions = []validate.Revision{{Revision: 2, What: []validate.Reason{why}}}
	r.Warnings = []validate.Reason{validate.NewReason("warning.encrypted")}
	return r, []emeterai.Stamp{{Field: "A", Serial: "SPESIMEN-1", Specimen: true, Twice: true, Page: 1, Elsewhere: "yes"}}
}

func TestSentencesHaveNoEmptySlots(t *testing.T) {
	t.Parallel()
	for _, lang := range []text.Language{text.Indonesian, text.English} {
		var b strings.Builder
		if err := New(fullReport()).WriteText(&b, lang); err != nil {
			t.Fatal(err)
		}
		if left := regexp.MustCompile(`\{[a-z]+\}|\[[a-z ]|\?`).FindString(b.String()); left != "" && left != "[f" && left != "[g" {
			t.Errorf("%q is left in\n%s", left, &b)
		}
	}
}

func TestTimesAndNumbersAreWrittenInTheLanguage(t *testing.T) {
	t.Parallel()
	for lang, want := range map[text.Language][]string{
		text.Indonesian: {"1 Agu 2026, 09:00:05 UTC", "1.234.567 byte", "12.345 byte"},
		text.English:    {"1 Aug 2026, 09:00:05 UTC", "1,234,567 bytes", "12,345 bytes"},
	} {
		var b strings.Builder
		if err := New(fullReport()).WriteText(&b, lang); err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(b.String(), w) {
				t.Errorf("no %q in\n%s", w, &b)
			}
		}
	}
}

func TestStampIsTheKindOfItsSignature(t *testing.T) {
	t.Parallel()
	r := New(fullReport())
	if r.Signatures[0].Kind != KindStamp || len(r.Stamps) != 1 || r.Stamps[0].Summary.Code != "stamp.specimen" || len(r.Stamps[0].Reasons) != 2 {
		t.Errorf("%s, %+v", r.Signatures[0].Kind, r.Stamps)
	}
}

func TestReportSurvivesJSON(t *testing.T) {
	t.Parallel()
	first, err := json.Marshal(New(fullReport()))
	if err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(first, &back); err != nil {
		t.Fatal(err)
	}
	second, err := json.Marshal(back)
	if err != nil || string(first) != string(second) {
		t.Errorf("read back it is another, %v:\n%s\n%s", err, first, second)
	}
	empty, err := json.Marshal(New(signatureReport("Budi", nil), nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, member := range []string{"signatures", "revisions", "warnings", "stamps", "reasons", "chain", "later", "timestamps"} {
		if strings.Contains(string(empty), `"`+member+`":null`) {
			t.Errorf("%s is null", member)
		}
	}
	if b := string(empty); !strings.Contains(b, `"identity":null`) || strings.Contains(b, `"steps"`) {
		t.Error(b)
	}
}
