package validate

import (
	"errors"
	"fmt"
	"testing"

	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
	"segel/pdf"
)

func TestFileIsNoBetterThanItsWorstSignature(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := w.newDocument()
	p.sign(w.budi, w.tsa.token(date(2025, 6, 1), content[:]))
	bad := p.sign(w.budi, w.tsa.token(date(2025, 6, 1), content[:]))
	proved(p, date(2025, 6, 2))
	if r := p.validate(date(2025, 6, 3)); !r.Passed() {
		t.Fatalf("two good ones: %v", r.Summary)
	}
	bad.Integrity = facts.ErrDigest
	r := p.validate(date(2025, 6, 3))
	is(t, r, 0, "", LevelLT)
	is(t, r, 1, HashFailure, LevelNone)
	if r.Passed() || r.Indication != TotalFailed || r.SubIndication != HashFailure || r.Integrity != ChangedAfter {
		t.Errorf("file is %s %s, %s", r.Indication, r.SubIndication, r.Integrity)
	}
}

func TestFileWithoutSignaturesSaysSo(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	r := w.newDocument().validate(date(2025, 6, 3))
	if r.Passed() || r.Integrity != NothingIsSigned || r.Summary.Code != "file.none" || r.Indication == TotalPassed {
		t.Errorf("%s %s %s", r.Indication, r.Integrity, r.Summary.Code)
	}
}

func TestBrokenMathematicsHaveTheirNames(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
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
		p := w.newDocument()
		s := p.sign(w.budi)
		p.prove([][]byte{w.budi.good(date(2025, 6, 2)), w.issuing.good(date(2025, 6, 2))})
		c.change(s)
		r := p.validate(date(2025, 6, 3))
		if got := r.Signatures[0]; got.SubIndication != c.sub || got.Integrity != c.integrity || got.Level != LevelNone || len(got.Reasons) == 0 {
			t.Errorf("%v, %v: %s %s level %q", s.Integrity, s.Coverage.State, got.SubIndication, got.Integrity, got.Level)
		}
	}
}

func TestChangeThatIsNotAllowedFailsTheSignatureAndNotTheProofOfTime(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.archive(w.tsa, date(2025, 6, 3))
	n := p.grow(diff.CodeContent)
	for _, s := range p.f.Signatures {
		l := &s.Later[len(s.Later)-1]
		l.Changes = []diff.Change{{Operation: diff.Replaced, Code: diff.CodeContent, Level: diff.Other, Ref: pdf.Ref{Number: 7}, Paths: []string{"Root/Pages/Kids[0]/Contents"}, Page: 1}}
		l.Level, l.Denied = diff.Other, []int{0}
	}
	r := p.validate(date(2025, 6, 4))
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
	w := newTestPKI(t)
	p := w.newDocument()
	s := p.sign(w.budi)
	p.prove([][]byte{w.budi.good(date(2025, 6, 2)), w.issuing.good(date(2025, 6, 2))})
	s.Later[0].Changes, s.Later[0].Denied = []diff.Change{{Operation: diff.Oddity, Code: diff.CodeTooMuch, Level: diff.Other}}, []int{0}
	r := p.validate(date(2025, 6, 3))
	if got := r.Signatures[0]; got.Integrity != CannotBeJudged || got.Indication != Indeterminate {
		t.Errorf("%s %s", got.Indication, got.Integrity)
	}
}

func TestOlderFormsAreNamed(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	for _, form := range []facts.Form{facts.FormDetached, facts.FormSHA1, facts.FormRSA} {
		p := w.newDocument()
		s := p.sign(w.budi)
		s.Form, s.SubFilter = form, pdf.Name(form)
		if form == facts.FormRSA {
			s.Container, s.Info = nil, nil
		}
		p.prove([][]byte{w.budi.good(date(2025, 6, 2)), w.issuing.good(date(2025, 6, 2))})
		is(t, p.validate(date(2025, 6, 3)), 0, "", Level(form))
	}
}

func TestAllowedChangeThatCoversContentIsToldWithTheSignature(t *testing.T) {
	t.Parallel()
	p := signed(t, newTestPKI(t))
	p.grow(diff.CodeSignatureField)
	s := p.f.Signatures[0]
	s.Later[0].Changes[0].Notes = []diff.Note{diff.Visible, diff.OverlapsText}
	s.Later[0].Changes[0].Page = 3
	r := p.validate(date(2025, 6, 4))
	later := r.Signatures[0].Later
	if len(later) != 1 || !later[0].Allowed || len(later[0].What) != 2 || later[0].What[0].Code != "change.shows" || later[0].What[1].Code != "change.overlaps_text" {
		t.Errorf("%+v", later)
	}
	if !hasReason(r.Signatures[0].Reasons, "later.covers") {
		t.Errorf("%+v", r.Signatures[0].Reasons)
	}
	for _, said := range []Reason{r.Summary, r.Signatures[0].Summary} {
		if said.Args["pages"] != "3" || said.Args["integrity"] != string(IntactLater) || r.Integrity != IntactLater {
			t.Errorf("%+v", said)
		}
	}
}
