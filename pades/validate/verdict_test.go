package validate

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
	"segel/pdf"
)

func TestFileIsNoBetterThanItsWorstSignature(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.paper()
	p.sign(w.budi, w.tsa.token(date(2025, 6, 1), content[:]))
	bad := p.sign(w.budi, w.tsa.token(date(2025, 6, 1), content[:]))
	proved(p, date(2025, 6, 2))
	if r := p.judge(date(2025, 6, 3)); !r.Passed() {
		t.Fatalf("two good ones: %s", r.Summary.English)
	}
	bad.Integrity = facts.ErrDigest
	r := p.judge(date(2025, 6, 3))
	is(t, r, 0, "", LevelLT)
	is(t, r, 1, HashFailure, LevelNone)
	if r.Passed() || r.Indication != TotalFailed || r.SubIndication != HashFailure || r.Integrity != ChangedAfter {
		t.Errorf("file is %s %s, %s", r.Indication, r.SubIndication, r.Integrity)
	}
}

func TestFileWithoutSignaturesSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.paper().judge(date(2025, 6, 3))
	if r.Passed() || r.Integrity != NothingIsSigned || r.Summary.Code != "file.none" || r.Indication == TotalPassed {
		t.Errorf("%s %s %s", r.Indication, r.Integrity, r.Summary.Code)
	}
}

func TestBrokenMathematicsHaveTheirNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		change    func(*facts.Signature)
		sub       SubIndication
		integrity Integrity
	}{
		{func(s *facts.Signature) { s.Integrity = facts.ErrDigest }, HashFailure, ChangedAfter},
		{func(s *facts.Signature) { s.Integrity = fmt.Errorf("%w: x", facts.ErrValue) }, SigCryptoFailure, CannotBeJudged},
		{func(s *facts.Signature) { s.Integrity = facts.ErrContainer }, FormatFailure, CannotBeJudged},
		{func(s *facts.Signature) { s.Integrity = facts.ErrAttributes }, FormatFailure, CannotBeJudged},
		{func(s *facts.Signature) { s.Integrity, s.Signer = facts.ErrNoSigner, nil }, NoSigningCertificateFound, CannotBeJudged},
		{func(s *facts.Signature) { s.Integrity = facts.ErrAlgorithm }, CryptoConstraintsFailure, CannotBeJudged},
		{func(s *facts.Signature) { s.Integrity = facts.ErrNotComputed }, SignedDataNotFound, CannotBeJudged},
		{func(s *facts.Signature) { s.Integrity = errors.New("anything else") }, FormatFailure, CannotBeJudged},
		{func(s *facts.Signature) {
			s.Coverage = facts.Coverage{State: facts.Broken, Reasons: []facts.Reason{{Code: facts.RangeGap}}}
		}, FormatFailure, CannotBeJudged},
	} {
		p := w.paper()
		s := p.sign(w.budi)
		p.prove([][]byte{w.budi.good(date(2025, 6, 2)), w.issuing.good(date(2025, 6, 2))})
		c.change(s)
		r := p.judge(date(2025, 6, 3))
		if got := r.Signatures[0]; got.SubIndication != c.sub || got.Integrity != c.integrity || got.Level != LevelNone || len(got.Reasons) == 0 {
			t.Errorf("%v, %v: %s %s level %q", s.Integrity, s.Coverage.State, got.SubIndication, got.Integrity, got.Level)
		}
	}
}

func TestChangeThatIsNotAllowedFailsTheSignatureAndNotTheProofOfTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.archive(w.tsa, date(2025, 6, 3))
	n := p.grow(diff.CodeContent)
	for _, s := range p.f.Signatures {
		l := &s.Later[len(s.Later)-1]
		l.Changes = []diff.Change{{Operation: diff.Replaced, Code: diff.CodeContent, Level: diff.Other, Ref: pdf.Ref{Number: 7}, Paths: []string{"Root/Pages/Kids[0]/Contents"}, Page: 1}}
		l.Level, l.Denied = diff.Other, []int{0}
	}
	r := p.judge(date(2025, 6, 4))
	for i, s := range r.Signatures {
		if s.Indication != TotalFailed || s.SubIndication != FormatFailure || s.Integrity != ChangedAfter {
			t.Errorf("signature %d is %s %s %s", i, s.Indication, s.SubIndication, s.Integrity)
		}
		if last := s.Later[len(s.Later)-1]; last.Allowed || last.Revision != n || last.What[0].Code != "change.content_changed" {
			t.Errorf("change told as %+v", last)
		}
	}
	if got := r.Signatures[0].Proven; got == nil || !got.Time.Equal(date(2025, 6, 1)) || r.Signatures[0].Level != LevelLTA {
		t.Errorf("proven %+v at level %s", got, r.Signatures[0].Level)
	}
	if r.Summary.Code != "file.changed" {
		t.Errorf("summary %s", r.Summary.Code)
	}
}

func TestTooManyChangesCannotBeJudged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.paper()
	s := p.sign(w.budi)
	p.prove([][]byte{w.budi.good(date(2025, 6, 2)), w.issuing.good(date(2025, 6, 2))})
	s.Later[0].Changes, s.Later[0].Denied = []diff.Change{{Operation: diff.Oddity, Code: diff.CodeTooMuch, Level: diff.Other}}, []int{0}
	r := p.judge(date(2025, 6, 3))
	if got := r.Signatures[0]; got.Integrity != CannotBeJudged || got.Indication != Indeterminate {
		t.Errorf("%s %s", got.Indication, got.Integrity)
	}
}

func TestOlderFormsAreNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, form := range []facts.Form{facts.FormDetached, facts.FormSHA1, facts.FormRSA} {
		p := w.paper()
		s := p.sign(w.budi)
		s.Form, s.SubFilter = form, pdf.Name(form)
		if form == facts.FormRSA {
			s.Container, s.Info = nil, nil
		}
		p.prove([][]byte{w.budi.good(date(2025, 6, 2)), w.issuing.good(date(2025, 6, 2))})
		is(t, p.judge(date(2025, 6, 3)), 0, "", Level(form))
	}
}

func TestDutyStampsAreRecognised(t *testing.T) {
	t.Parallel()
	const serial = "0123456789ABCDEFGHIJKL"
	for _, c := range []struct {
		field, reason, serial, rest string
	}{
		{"Emet" + serial, "[" + serial + "] Perjanjian", serial, "Perjanjian"},
		{"Emet" + serial, "", serial, ""},
		{"EmetSPESIMEN-0000000000001", "[SPESIMEN-0000000000001] a", "SPESIMEN-0000000000001", "a"},
		{"sig1700000000000", "[" + serial + "] Surat", serial, "Surat"},
		{"sig1700000000000", "Surat", "", ""},
		{"Emet" + serial, "[AAAAAAAAAAAAAAAAAAAAAA] lain", "", ""},
		{"Tanda", "[" + serial + "] bukan", "", ""},
		{"Emet123", "", "", ""},
	} {
		got, rest, ok := StampOf(c.field, c.reason)
		if got != c.serial || rest != c.rest || ok != (c.serial != "") {
			t.Errorf("%s %q: %q %q %v", c.field, c.reason, got, rest, ok)
		}
	}
}

func TestStampIsOnlyWhatItsCertificateProves(t *testing.T) {
	t.Parallel()
	const serial = "0123456789ABCDEFGHIJKL"
	w := newWorld(t)
	p := w.paper()
	for range 2 {
		s := p.sign(w.budi)
		s.Field, s.Reason, s.Shown = "Emet"+serial, "["+serial+"] Perjanjian", pdf.Rect{LLX: 10, LLY: 20, URX: 64, URY: 74}
	}
	p.prove([][]byte{w.budi.good(date(2025, 6, 2)), w.issuing.good(date(2025, 6, 2))})
	look := func(o func(*Options)) Stamp {
		r := p.judge(date(2025, 6, 3), o)
		if len(r.Stamps) != 2 || r.Signatures[0].Kind != KindStamp {
			t.Fatalf("%d stamps", len(r.Stamps))
		}
		return r.Stamps[0]
	}
	s := look(func(*Options) {})
	if s.Serial != serial || s.Office != "Budi" || s.Page != 1 || s.Box != [4]float64{10, 20, 64, 74} || !s.Twice || !s.Trusted || s.Recognised || s.Specimen || s.Summary.Code != "stamp.unknown_office" {
		t.Errorf("%+v", s)
	}
	if !hasReason(s.Reasons, "stamp.twice") {
		t.Error("not told that it stands twice")
	}
	if s := look(func(o *Options) { o.Trust = nil }); s.Trusted || s.Summary.Code != "stamp.unproved" {
		t.Errorf("%+v", s)
	}
	office, own := &Trust{}, &Trust{}
	office.Add(ForAll|ForStamps, "stamping/kantor.pem", w.issuing.cert)
	if s := look(func(o *Options) { o.Trust = office }); !s.Recognised || s.Summary.Code != "stamp.genuine" {
		t.Errorf("%+v", s)
	}
	own.Add(ForAll, OriginOwn, w.root.cert)
	if s := look(func(o *Options) { o.Trust = own }); !s.Specimen || s.Recognised || s.Summary.Code != "stamp.specimen" {
		t.Errorf("%+v", s)
	}
}

func TestAllowedChangeThatCoversContentIsToldWithTheSignature(t *testing.T) {
	t.Parallel()
	p := signed(t, newWorld(t))
	p.grow(diff.CodeSignatureField)
	s := p.f.Signatures[0]
	s.Later[0].Changes[0].Notes = []diff.Note{diff.Visible, diff.OverlapsText}
	s.Later[0].Changes[0].Page = 3
	r := p.judge(date(2025, 6, 4))
	later := r.Signatures[0].Later
	if len(later) != 1 || !later[0].Allowed || len(later[0].What) != 2 || later[0].What[0].Code != "change.shows" || later[0].What[1].Code != "change.overlaps_text" {
		t.Errorf("%+v", later)
	}
	if !hasReason(r.Signatures[0].Reasons, "later.covers") {
		t.Errorf("%+v", r.Signatures[0].Reasons)
	}
	for _, said := range []Reason{r.Summary, r.Signatures[0].Summary} {
		if !strings.Contains(said.English, "what page 3 shows") || !strings.Contains(said.Indonesian, "halaman 3") || r.Integrity != IntactLater {
			t.Errorf("%+v", said)
		}
	}
	var text strings.Builder
	if err := r.WriteText(&text, "en"); err != nil || !strings.Contains(text.String(), "stands over text of page 3") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

func TestReportSurvivesJSON(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.archive(w.tsa, date(2025, 6, 3))
	first := must[[]byte](t)(json.Marshal(p.judge(date(2025, 6, 4))))
	var back Report
	if err := json.Unmarshal(first, &back); err != nil {
		t.Fatal(err)
	}
	if second := must[[]byte](t)(json.Marshal(back)); string(first) != string(second) {
		t.Errorf("read back it is another:\n%s\n%s", first, second)
	}
	if strings.Contains(string(first), "null,") && strings.Contains(string(first), `"reasons":null`) {
		t.Error("an empty array is null")
	}
}
