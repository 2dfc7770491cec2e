package validate

import (
	"crypto/x509"
	"slices"
	"testing"
	"time"

	"segel/revocation"
)

// signed is a file with a signature of Budi of 1 June 2025, with a timestamp on it.
func signed(t *testing.T, w *testPKI) *testDocument {
	p := w.newDocument()
	p.sign(w.budi, w.tsa.token(date(2025, 6, 1), content[:]))
	return p
}

// proved adds data that shows that no certificate was revoked by then.
func proved(p *testDocument, at time.Time) *testDocument {
	w := p.w
	p.prove([][]byte{w.budi.good(at), w.issuing.good(at)}, w.timeRoot.list(at))
	return p
}

func TestLevelsAreReachedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := w.newDocument()
	p.sign(w.budi)
	is(t, p.validate(date(2025, 6, 2)), 0, CertificateChainGeneralFailure, LevelB)
	p = signed(t, w)
	is(t, p.validate(date(2025, 6, 2)), 0, CertificateChainGeneralFailure, LevelT) // the status of the clock is unknown
	p = proved(signed(t, w), date(2025, 6, 2))
	is(t, p.validate(date(2025, 6, 2)), 0, "", LevelLT)
	p.archive(w.tsa, date(2025, 6, 3))
	r := p.validate(date(2025, 6, 4))
	is(t, r, 0, "", LevelLTA)
	is(t, r, 1, "", LevelNone)
	if !r.Passed() || r.Integrity != IntactLater || r.Signatures[1].Integrity != Intact {
		t.Errorf("passed %v, %s, %s", r.Passed(), r.Integrity, r.Signatures[1].Integrity)
	}
}

func TestCertificateThatEndedIsFineInsideATimestamp(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.archive(w.tsa, date(2025, 6, 3))
	is(t, p.validate(date(2029, 1, 1)), 0, "", LevelLTA)
}

func TestCertificateThatEndedIsOutOfBoundsWithoutATimestamp(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := w.newDocument()
	p.sign(w.budi)
	p.prove([][]byte{w.budi.good(date(2025, 6, 2)), w.issuing.good(date(2025, 6, 2))})
	is(t, p.validate(date(2025, 6, 3)), 0, "", LevelB)
	is(t, p.validate(date(2026, 1, 2)), 0, OutOfBoundsNoPOE, LevelB)
}

func TestRevocationAfterTheTimestampDoesNoHarm(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.prove([][]byte{w.budi.revoked(date(2025, 8, 1), date(2025, 9, 1), 1)})
	r := p.validate(date(2025, 9, 2))
	is(t, r, 0, "", LevelLT)
	if c := r.Signatures[0].Chain[0]; c.Revocation != "revoked" || !c.RevokedAt.Equal(date(2025, 8, 1)) || c.RevokedFor != "keyCompromise" {
		t.Errorf("told as %s at %s for %s", c.Revocation, c.RevokedAt, c.RevokedFor)
	}
}

func TestRevocationBeforeTheTimestampCounts(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.prove([][]byte{w.budi.revoked(date(2025, 5, 1), date(2025, 9, 1), 1)})
	is(t, p.validate(date(2025, 9, 2)), 0, RevokedNoPOE, LevelT)
}

func TestRevocationAtTheMomentOfTheTimestampCounts(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.prove([][]byte{w.budi.revoked(date(2025, 6, 1), date(2025, 9, 1), 1)})
	is(t, p.validate(date(2025, 9, 2)), 0, RevokedNoPOE, LevelT)
}

func TestRevocationCountsWithoutATimestampWheneverItWas(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := w.newDocument()
	p.sign(w.budi)
	p.prove([][]byte{w.budi.good(date(2025, 6, 2)), w.issuing.good(date(2025, 9, 1)), w.budi.revoked(date(2025, 8, 1), date(2025, 9, 1), 1)})
	is(t, p.validate(date(2025, 9, 2)), 0, RevokedNoPOE, LevelB)
}

func TestSignatureOverATimestampAfterTheRevocationIsProvedTooLate(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := w.newDocument()
	p.archive(w.tsa, date(2025, 5, 2))
	p.sign(w.budi, w.tsa.token(date(2025, 6, 1), content[:]))
	proved(p, date(2025, 6, 2))
	p.prove([][]byte{w.budi.revoked(date(2025, 5, 1), date(2025, 9, 1), 1)})
	is(t, p.validate(date(2025, 9, 2)), 1, RevokedBefore, LevelT)
}

func TestSignatureOverATimestampAfterTheCertificateEndedIsProvedTooLate(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := w.newDocument()
	p.archive(w.tsa, date(2026, 2, 1))
	p.sign(w.budi)
	proved(p, date(2026, 2, 2))
	is(t, p.validate(date(2026, 2, 3)), 1, Expired, LevelB)
}

func TestSignatureBeforeItsCertificateBeganFails(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := w.newDocument()
	p.sign(w.budi, w.tsa.token(date(2023, 6, 1), content[:]))
	proved(p, date(2025, 6, 2))
	is(t, p.validate(date(2025, 6, 3)), 0, NotYetValid, LevelT)
}

func TestRevokedIssuerIsTold(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.prove([][]byte{w.issuing.revoked(date(2025, 5, 1), date(2025, 9, 1), 2)})
	is(t, p.validate(date(2025, 9, 2)), 0, RevokedCANoPOE, LevelT)
}

func TestProofThatMayBeYoungerThanTheEndOfItsIssuerDoesNotCount(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.prove([][]byte{w.issuing.revoked(date(2025, 8, 1), date(2025, 9, 1), 2)})
	// The issuer's key was compromised in August: an attacker may have made the data of June too.
	is(t, p.validate(date(2025, 9, 2)), 0, NoPOE, LevelT)
	p = proved(signed(t, w), date(2025, 6, 2))
	p.archive(w.tsa, date(2025, 6, 3))
	p.prove([][]byte{w.issuing.revoked(date(2025, 8, 1), date(2025, 9, 1), 2)})
	is(t, p.validate(date(2025, 9, 2)), 0, "", LevelLTA)
}

func TestCertificateOnHoldIsToBeTriedLater(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.prove([][]byte{w.budi.revoked(date(2025, 5, 20), date(2025, 6, 3), 6)})
	is(t, p.validate(date(2025, 6, 4)), 0, TryLater, LevelT)
	p.prove([][]byte{w.budi.good(date(2025, 6, 10))})
	is(t, p.validate(date(2025, 6, 11)), 0, "", LevelLT)
}

func TestHoldEndsOnlyWithDataThatCounts(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.prove([][]byte{w.budi.revoked(date(2025, 5, 20), date(2025, 6, 3), 6)})
	// Lists need not have certificates that have expired.
	p.prove(nil, w.issuing.list(date(2026, 2, 1)))
	is(t, p.validate(date(2026, 2, 2)), 0, TryLater, LevelT)

	p = proved(signed(t, w), date(2025, 6, 2))
	p.prove([][]byte{w.budi.revoked(date(2025, 5, 20), date(2025, 6, 3), 6)})
	p.prove(nil, w.timeRoot.list(date(2025, 6, 3)))
	p.archive(w.tsa, date(2025, 6, 4))
	// The response of 10 June may be that of an attacker who had the issuer's key in August.
	p.prove([][]byte{w.budi.good(date(2025, 6, 10)), w.issuing.revoked(date(2025, 8, 1), date(2025, 9, 1), 2)})
	is(t, p.validate(date(2025, 9, 2)), 0, TryLater, LevelT)
}

// TestEndOfHoldsIsFoundOnceForAllOfThem is not parallel: it counts allocations.
func TestEndOfHoldsIsFoundOnceForAllOfThem(t *testing.T) {
	w := newTestPKI(t)
	v := newValidation(Options{At: date(2025, 9, 2), Trust: w.trust})
	allocate := func(n int) float64 {
		var responses [][]byte
		for i := range n {
			at := date(2025, 6, 2).Add(time.Duration(i) * time.Minute)
			responses = append(responses, w.budi.revoked(date(2025, 5, 20), at, 6), w.budi.good(at.AddDate(0, 0, 9)))
		}
		v.revocations = revocation.Store{}
		v.revocations.Add(revocation.NewItems(responses, nil, revocation.Item{Origin: revocation.FromDSS})...)
		q := certificateUse{cert: w.budi.cert, bestTime: v.o.At}
		check := func() {
			// No response counts: the issuer was revoked before each is proved to exist.
			if s := v.checkRevocation(q, w.budi.cert, w.issuing.cert, date(2025, 8, 1), false); s.limit.sub != TryLater {
				t.Errorf("%+v", s.limit)
			}
		}
		check() // verifies all
		return testing.AllocsPerRun(1, check)
	}
	if few, many := allocate(50), allocate(200); many > 8*few {
		t.Errorf("%.0f allocations for 50 holds, %.0f for 200", few, many)
	}
}

func TestRevokedClockProvesNothing(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.prove(nil, w.timeRoot.list(date(2025, 9, 1), x509.RevocationListEntry{SerialNumber: w.tsa.cert.SerialNumber, RevocationTime: date(2025, 8, 1), ReasonCode: 1}))
	r := p.validate(date(2025, 9, 2))
	is(t, r, 0, TryLater, LevelB)
	if ts := r.Signatures[0].Timestamps[0]; ts.SubIndication != RevokedNoPOE {
		t.Errorf("timestamp is %s", ts.SubIndication)
	}
}

func TestClockThatEndedIsRenewedByLaterDocumentTimestamps(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	second := certificate(t, w.timeRoot, "Clock 2", clock, valid(date(2028, 1, 1), date(2040, 1, 1)))
	third := certificate(t, w.timeRoot, "Clock 3", clock, valid(date(2038, 1, 1), date(2049, 1, 1)))
	p := proved(signed(t, w), date(2025, 6, 2))
	p.archive(w.tsa, date(2025, 6, 3))
	is(t, p.validate(date(2031, 1, 1)), 1, OutOfBoundsNoPOE, LevelNone) // the clock ended in 2030
	is(t, p.validate(date(2031, 1, 1)), 0, OutOfBoundsNoPOE, LevelB)
	p.prove(nil, w.timeRoot.list(date(2029, 1, 1)))
	p.archive(second, date(2029, 1, 2))
	r := p.validate(date(2031, 1, 1))
	is(t, r, 0, "", LevelLTA)
	is(t, r, 1, "", LevelNone)
	p.prove(nil, w.timeRoot.list(date(2039, 1, 1)))
	p.archive(third, date(2039, 1, 2))
	r = p.validate(date(2045, 1, 1))
	is(t, r, 0, "", LevelLTA)
	is(t, r, 1, "", LevelNone)
	is(t, r, 2, "", LevelNone)
	if got := r.Signatures[0].Proven; got == nil || !got.Time.Equal(date(2025, 6, 1)) {
		t.Errorf("proven %+v", got)
	}
}

func TestTimestampThatIsOlderThanWhatItCoversIsOutOfOrder(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	p.archive(w.tsa, date(2025, 3, 3))
	is(t, p.validate(date(2025, 6, 4)), 0, TimestampOrderFailure, LevelB)
}

func TestTimestampOfTheFutureProvesNothing(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := proved(signed(t, w), date(2025, 6, 2))
	is(t, p.validate(date(2025, 5, 1)), 0, CertificateChainGeneralFailure, LevelB)
}

func TestTimestampOfATimeBeforeItsAuthorityBeganProvesNothing(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	young := certificate(t, w.timeRoot, "Young Clock", clock, valid(date(2025, 5, 1), date(2030, 1, 1)))
	for at, want := range map[time.Time]bool{date(2025, 5, 1): true, date(2025, 4, 30): false} {
		token := w.tsa.token(at, content[:])
		token.Authority, token.Chain = young.cert, young.chain() // a clock of ours refuses to make it
		p := w.newDocument()
		p.sign(w.budi, token)
		p.prove([][]byte{w.budi.good(at), w.issuing.good(at)}, w.timeRoot.list(date(2025, 6, 2)))
		s := p.validate(date(2025, 6, 3)).Signatures[0]
		if proved := s.Proven != nil; proved != want || !want && s.Timestamps[0].SubIndication != NotYetValid {
			t.Errorf("%s: proven %v, timestamp %s %s", at, s.Proven, s.Timestamps[0].SubIndication, s.Timestamps[0].Reasons)
		}
	}
}

func TestOldProofDoesNotSpeakForTheTimeOfTheSignature(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	p := signed(t, w)
	p.prove([][]byte{w.budi.good(date(2025, 5, 1)), w.issuing.good(date(2025, 6, 2))}, w.timeRoot.list(date(2025, 6, 2)))
	r := p.validate(date(2025, 6, 3))
	is(t, r, 0, TryLater, LevelT)
	if !hasReason(r.Signatures[0].Reasons, "revocation.stale") {
		t.Errorf("reasons %v", r.Signatures[0].Reasons)
	}
}

func hasReason(list []Reason, code string) bool {
	return slices.ContainsFunc(list, func(r Reason) bool { return r.Code == code })
}

func TestTimestampThatIsNotTrustedIsNamedWithWhatKeepsItFromCounting(t *testing.T) {
	t.Parallel()
	w := newTestPKI(t)
	other := certificate(t, certificate(t, nil, "Nobody", ca), "Stopped Clock", clock)
	for who, c := range map[string]struct {
		paper func() *testDocument
		code  string
	}{
		"none": {func() *testDocument { p := w.newDocument(); p.sign(w.budi); return p }, "level.no_time"},
		"untrusted": {func() *testDocument {
			p := w.newDocument()
			p.sign(w.budi, other.token(date(2025, 6, 1), content[:]))
			return p
		}, "level.untrusted_time"},
	} {
		r := c.paper().validate(date(2025, 6, 2))
		is(t, r, 0, CertificateChainGeneralFailure, LevelB)
		reasons := r.Signatures[0].Reasons
		if !hasReason(reasons, c.code) {
			t.Errorf("%s: %v", who, reasons)
		}
		for _, why := range reasons {
			if why.Code == "level.untrusted_time" && (why.Args["why"] != string(NoCertificateChainFound) || why.Args["authority"] != "Stopped Clock") {
				t.Errorf("%s: %v", who, why)
			}
		}
	}
}
