package sqlstore

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
)

// sampled is the report of the sample, in which every member has a value.
var sampled = contract.Reconciliation{
	Number: 7, At: time.Date(2026, 8, 17, 3, 0, 0, 250_000_000, time.UTC), EndedAt: time.Date(2026, 8, 17, 3, 0, 2, 0, time.UTC),
	By:      contract.Person{ID: "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01", Name: "Siti Rahma", Email: "siti@contoh.id"},
	Problem: "closed for lunch", Office: contract.OfficeCount{Left: 880, Unused: 2, Affixed: 118, Reported: 3},
	Register: map[contract.SerialState]int{contract.SerialAffixed: 117, contract.SerialQuarantined: 1, contract.SerialBought: 2},
	Differences: []contract.Difference{{
		Kind: contract.DifferUnknownAffixed, Serial: "SPESIMEN-0000000000001", Organisation: "0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a", Document: 1207,
		OfficeState: contract.OfficeAffixed, RegisterState: contract.SerialBought, File: "kontrak-00112233445566778899aabbccddeeff.pdf",
	}, {Kind: contract.DifferCount}},
	Omitted: 5, Unexplained: 3,
	OmittedOf: map[contract.OrganisationID]contract.Omission{"": {Count: 4}, "0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a": {Count: 1, Unexplained: 1}},
}

func TestStoredPoliciesKeepTheirFormat(t *testing.T) {
	t.Parallel()
	sample, err := os.ReadFile("testdata/formats/account-policy-1.json")
	if err != nil {
		t.Fatal(err)
	}
	text := string(bytes.TrimSpace(sample))
	want := contract.AccountPolicy{LoginFactor: contract.FactorOfAdmins, SignFactor: true, IdleLimit: 30 * time.Minute, AbsoluteLimit: 12 * time.Hour}
	got, err := decodePolicy(text)
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	// A member that a later release wrote stays.
	if again, err := encodePolicy(want, text); err != nil || again != text {
		t.Errorf("%v\n got %s\nwant %s", err, again, text)
	}
	if _, err := decodePolicy(strings.Replace(text, `"version":1`, `"version":2`, 1)); err == nil {
		t.Error("a policy of another version is read as if it were of this one")
	}
}

func TestStoredReportsKeepTheirFormat(t *testing.T) {
	t.Parallel()
	sample, err := os.ReadFile("testdata/formats/reconciliation-1.json")
	if err != nil {
		t.Fatal(err)
	}
	sample = bytes.TrimSpace(sample)
	got, err := readReport(sample)
	if err != nil || !reflect.DeepEqual(got, sampled) {
		t.Errorf("%v\n got %+v\nwant %+v", err, got, sampled)
	}
	if again, err := json.Marshal(report{reportFormat, got}); err != nil || !bytes.Equal(again, sample) {
		t.Errorf("%v\n got %s\nwant %s", err, again, sample)
	}
	before := bytes.Replace(sample, []byte(`"format":"segel reconciliation 1",`), nil, 1)
	if got, err := readReport(before); err != nil || !reflect.DeepEqual(got, sampled) {
		t.Errorf("of before the format had a name: %v, %+v", err, got)
	}
	if _, err := readReport(bytes.Replace(sample, []byte("reconciliation 1"), []byte("reconciliation 2"), 1)); err == nil {
		t.Error("a report of another format is read as if it were of this one")
	}
}

// TestThePageOfReportsNamesWhatTheyHold compares the tables of the page with the members, and its list with the kinds.
func TestThePageOfReportsNamesWhatTheyHold(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/formats/reconciliation.md")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := os.ReadFile("../../contract/reconcile.go")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string][]string{}
	of, row := "", regexp.MustCompile("^\\| `([A-Za-z_]+)` \\|")
	for line := range strings.Lines(string(page)) {
		if m := regexp.MustCompile("^\\| member(?: of `([a-z_]+)`)? \\|").FindStringSubmatch(line); m != nil {
			of = m[1]
		}
		if m := row.FindStringSubmatch(line); m != nil {
			told[of] = append(told[of], m[1])
		}
	}
	want := map[string][]string{
		"": members(report{}), "by": members(contract.Person{}), "office": members(contract.OfficeCount{}),
		"differences": members(contract.Difference{}), "omitted_of": members(contract.Omission{}),
	}
	if !maps.EqualFunc(told, want, slices.Equal) {
		t.Errorf("the page tells %q\nreports hold  %q", told, want)
	}
	_, kinds, _ := strings.Cut(string(page), "\nKinds: ")
	kinds, _, _ = strings.Cut(kinds, ". ")
	listed := regexp.MustCompile("`([a-z_]+)`").FindAllString(kinds, -1)
	known := regexp.MustCompile(`Differ\w+ +DifferenceKind = "(\w+)"`).FindAllStringSubmatch(string(rules), -1)
	if len(known) == 0 || len(listed) != len(known) {
		t.Fatalf("%d kinds are listed of %d", len(listed), len(known))
	}
	for i, k := range known {
		if listed[i] != "`"+k[1]+"`" {
			t.Errorf("kind %d is listed as %s and is %s", i, listed[i], k[1])
		}
	}
}

// members returns the JSON names of a struct's members, in order.
func members(v any) (names []string) {
	for f := range reflect.TypeOf(v).Fields() {
		switch name, _, _ := strings.Cut(f.Tag.Get("json"), ","); {
		case name == "-":
		case f.Anonymous && name == "":
			names = append(names, members(reflect.New(f.Type).Elem().Interface())...)
		case name == "":
			names = append(names, f.Name)
		default:
			names = append(names, name)
		}
	}
	return names
}
