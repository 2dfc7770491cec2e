package text

import (
	"os"
	"strings"
	"testing"
)

func TestARevokedCertificateIsToldWithoutTheNamesOfTheStandard(t *testing.T) {
	t.Parallel()
	const reason = "closing.revoked: 0b7f, 2026-11-21T07:30:00Z, keyCompromise"
	for l, want := range map[Language][]string{
		Indonesian: {"0b7f", "21 Nov 26, 14:30", "kuncinya bocor"},
		English:    {"0b7f", "21 Nov 26, 14:30", "its key was compromised"},
	} {
		got := Reason(l, reason)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%q does not say %q", got, w)
			}
		}
		if strings.Contains(got, "keyCompromise") || strings.Contains(got, "2026-11-21T") {
			t.Errorf("%q is in the words of the standard", got)
		}
		if got := Reason(l, "closing.revoked"); strings.ContainsAny(got, "?([{") {
			t.Errorf("without words it is %q", got)
		}
	}
}

func TestEveryReasonOfARevocationHasItsWords(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../../revocation/status.go")
	if err != nil {
		t.Fatal(err)
	}
	table := string(file)
	_, table, _ = strings.Cut(table, "var reasons = ")
	table, _, _ = strings.Cut(table, "\n}")
	named := strings.Split(table, `"`)
	if len(named) < 20 {
		t.Fatalf("only %d parts found", len(named))
	}
	for i := 1; i < len(named); i += 2 {
		if RevocationReason(English, named[i]) == named[i] {
			t.Errorf("%s has no words", named[i])
		}
	}
}
