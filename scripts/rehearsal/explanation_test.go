package main

import (
	"strings"
	"testing"
	"time"
)

const (
	chainRefused = "INDETERMINATE CERTIFICATE_CHAIN_GENERAL_FAILURE: past validation not applicable"
	chainLine    = "embedded | contract | pyHanko | CERTIFICATE_CHAIN_GENERAL_FAILURE | issuing certificate expired | a reason\n"
	poeLine      = "external | contract | pyHanko | NO_POE | list after expiry | a reason\n"
)

// day returns a day of the rehearsal in a test.
func day(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }

// oldFile is a file whose issuing certificate has expired on day 20, with an external timestamp that has expired on day 10 and lists of later days.
func oldFile() *trustFacts {
	return &trustFacts{
		signers: map[string]signerFacts{"A": {issuers: []time.Time{day(20)}}, "Later": {issuers: []time.Time{day(40)}}},
		stamps: []stampFacts{
			{expiry: day(10), lists: []listFacts{{issued: day(5), next: day(7)}, {issued: day(12), next: day(14)}, {issued: day(31), next: day(33)}}},
			{expiry: day(40), lists: []listFacts{{issued: day(12), next: day(14)}}},
		},
	}
}

func newTestRehearsal(t *testing.T, table string) *rehearsal {
	t.Helper()
	all, err := readExplanations(strings.NewReader(table))
	if err != nil {
		t.Fatal(err)
	}
	year := &yearResult{verdicts: map[string]*tally{}}
	for _, name := range []string{ownName, pyHankoName, dssName} {
		year.verdicts[name] = &tally{}
	}
	return &rehearsal{explained: all, years: []*yearResult{year}}
}

func TestARefusalIsExplainedOnlyByALineWhoseConditionHolds(t *testing.T) {
	t.Parallel()
	const poe = "INDETERMINATE NO_POE: no path"
	accepts := func(by string) verdict { return verdict{by: by, proven: []time.Time{day(1)}} }
	refuses := func(by string, all ...refusal) verdict { return verdict{by: by, refused: all} }
	contract := inspected{kind: contractFile, what: "contract 1", document: &document{}, from: day(1), to: day(1), provable: true}
	certificate, withheld := contract, contract
	certificate.kind, withheld.kind = certificateFile, withheldCopy
	for name, c := range map[string]struct {
		service   string
		at        time.Time
		file      inspected
		given     []verdict
		explained bool
	}{
		"the issuing certificate has expired":      {"embedded", day(21), contract, []verdict{accepts(ownName), accepts(dssName), refuses(pyHankoName, refusal{"A", chainRefused})}, true},
		"a list is of after the expiry":            {"external", day(13), contract, []verdict{accepts(ownName), accepts(dssName), refuses(pyHankoName, refusal{"A", poe})}, true},
		"the issuing certificate is valid":         {"embedded", day(20), contract, []verdict{accepts(ownName), accepts(dssName), refuses(pyHankoName, refusal{"A", chainRefused})}, false},
		"that of another signature has expired":    {"embedded", day(21), contract, []verdict{accepts(ownName), accepts(dssName), refuses(pyHankoName, refusal{"Later", chainRefused})}, false},
		"the whole file is refused":                {"embedded", day(21), contract, []verdict{accepts(ownName), accepts(dssName), refuses(pyHankoName, refusal{"", chainRefused})}, false},
		"no list is of after the expiry":           {"external", day(11), contract, []verdict{accepts(ownName), accepts(dssName), refuses(pyHankoName, refusal{"A", poe})}, false},
		"the timestamp has not expired":            {"external", day(10), contract, []verdict{accepts(ownName), accepts(dssName), refuses(pyHankoName, refusal{"A", poe})}, false},
		"another text":                             {"embedded", day(21), contract, []verdict{accepts(ownName), accepts(dssName), refuses(pyHankoName, refusal{"A", "FAILED HASH_FAILURE"})}, false},
		"one of two refusals has another text":     {"embedded", day(21), contract, []verdict{accepts(ownName), accepts(dssName), refuses(pyHankoName, refusal{"A", chainRefused}, refusal{"A", "FAILED HASH_FAILURE"})}, false},
		"another service":                          {"external", day(21), contract, []verdict{accepts(ownName), accepts(dssName), refuses(pyHankoName, refusal{"A", chainRefused})}, false},
		"another kind of file":                     {"embedded", day(21), certificate, []verdict{accepts(ownName), accepts(dssName), refuses(pyHankoName, refusal{"A", chainRefused})}, false},
		"a copy without renewals":                  {"embedded", day(21), withheld, []verdict{accepts(ownName), accepts(dssName), refuses(pyHankoName, refusal{"A", chainRefused})}, false},
		"another validator":                        {"embedded", day(21), contract, []verdict{accepts(ownName), refuses(dssName, refusal{"A", chainRefused}), accepts(pyHankoName)}, false},
		"DSS refuses the file too":                 {"embedded", day(21), contract, []verdict{accepts(ownName), refuses(dssName, refusal{"A", "INDETERMINATE"}), refuses(pyHankoName, refusal{"A", chainRefused})}, false},
		"our own validator refuses the file too":   {"embedded", day(21), contract, []verdict{refuses(ownName, refusal{"A", "INDETERMINATE"}), accepts(dssName), refuses(pyHankoName, refusal{"A", chainRefused})}, false},
		"our own validator alone refuses the file": {"embedded", day(21), contract, []verdict{refuses(ownName, refusal{"A", chainRefused}), accepts(dssName), accepts(pyHankoName)}, false},
	} {
		r := newTestRehearsal(t, chainLine+poeLine)
		r.compare(c.service, c.at, c.file, oldFile(), c.given)
		if got := len(r.findings) == 0; got != c.explained {
			t.Errorf("%s: explained %v; findings %v", name, got, r.findings)
		}
		if n := r.years[0].verdicts[pyHankoName].renewed.explained; (n > 0) != c.explained {
			t.Errorf("%s: %d files are counted as explained", name, n)
		}
	}
}

func TestALineThatExplainsNothingIsNotNeeded(t *testing.T) {
	t.Parallel()
	file := inspected{kind: contractFile, document: &document{}, from: day(1), to: day(1), provable: true}
	accepted := []verdict{{by: ownName, proven: []time.Time{day(1)}}, {by: pyHankoName, proven: []time.Time{day(1)}}}
	refused := []verdict{accepted[0], {by: pyHankoName, refused: []refusal{{"A", chainRefused}}}}
	for name, c := range map[string]struct {
		at       time.Time
		given    []verdict
		complete bool
		unused   int
	}{
		"a short rehearsal, and the condition has not held": {day(20), accepted, false, 0},
		"a whole rehearsal, and the condition has not held": {day(20), accepted, true, 1},
		"the condition held, and the file was accepted":     {day(21), accepted, false, 1},
		"a refusal was explained":                           {day(21), refused, true, 0},
	} {
		r := newTestRehearsal(t, chainLine)
		r.compare("embedded", c.at, file, oldFile(), c.given)
		if got := r.explained.listUnused(c.complete); len(got) != c.unused || len(r.findings) > 0 {
			t.Errorf("%s: not needed %v, findings %v", name, got, r.findings)
		}
	}
}

func TestALineOfTheTableNamesWhatExists(t *testing.T) {
	t.Parallel()
	if all, err := readExplanations(strings.NewReader(explainedTable)); err != nil || len(all) == 0 {
		t.Errorf("explained.txt: %d lines, %v", len(all), err)
	}
	for _, change := range [][2]string{{"embedded", "another"}, {"contract", "copy without renewals"}, {"pyHanko", ownName}, {"pyHanko", "*"}, {"issuing certificate expired", "always"}, {"| a reason", ""}, {"| a reason", "|"}} {
		if _, err := readExplanations(strings.NewReader(strings.Replace(chainLine, change[0], change[1], 1))); err == nil {
			t.Errorf("%q instead of %q is read", change[1], change[0])
		}
	}
}
