package validate

import (
	"strings"
	"testing"
)

func TestWhatFailsASignatureIsToldFirst(t *testing.T) {
	t.Parallel()
	s := &checkedSignature{}
	s.addReasons(NewReason("time.unproven"))
	s.addFailure(TryLater, NewReason("trust.empty"))
	s.addFailure(HashFailure, NewReason("digest.differs"))
	s.addFailure(NoPOE, NewReason("revocation.missing"))
	var codes []string
	for _, r := range s.reasons {
		codes = append(codes, r.Code)
	}
	if got := strings.Join(codes, " "); got != "digest.differs trust.empty time.unproven revocation.missing" {
		t.Errorf("%s", got)
	}
}

func TestFileCannotForgeALine(t *testing.T) {
	t.Parallel()
	r := NewReason("chain.self_signed", "subject", "Budi\n   Hasil        TOTAL-PASSED\u202e{root}"+strings.Repeat("x", 1000))
	if s := r.Args["subject"]; strings.ContainsAny(s, "\n\u202e") || len(s) > 600 {
		t.Errorf("%q", s)
	}
}

func TestReasonsThatSayTheSameAreReportedOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b Reason
		same bool
	}{
		{NewReason("change.store", "where", "12 0 R"), NewReason("change.store", "where", "13 0 R"), true},
		{NewReason("change.filled", "where", "\"A\"", "page", "1"), NewReason("change.filled", "where", "\"A\"", "page", "2"), true},
		{NewReason("change.filled", "where", "\"A\""), NewReason("change.filled", "where", "\"B\""), false},
		{NewReason("change.annotations", "where", "A", "page", "1"), NewReason("change.annotations", "where", "A", "page", "2"), false},
		{NewReason("change.comment", "where", "A", "page", "1"), NewReason("change.comment", "where", "B", "page", "1"), false},
		{NewReason("warning.tolerated", "detail", "a"), NewReason("warning.tolerated", "detail", "b"), true},
		{NewReason("warning.covered_text", "page", "1"), NewReason("warning.covered_text", "page", "2"), false},
	} {
		if (c.a.key() == c.b.key()) != c.same {
			t.Errorf("%v, %v", c.a, c.b)
		}
	}
}
