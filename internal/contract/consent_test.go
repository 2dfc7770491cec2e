package contract

import (
	"bytes"
	"crypto/sha256"
	"os"
	"slices"
	"strings"
	"testing"
)

// consentSample is the list of testdata/formats/consent-1.txt, in another order than the canonical one.
func consentSample() []ConsentItem {
	return []ConsentItem{{Document: 1210, Digest: [32]byte{0xff, 1}}, {Document: 9, Digest: [32]byte{2}}, {Document: 1207, Digest: [32]byte{31: 3}}}
}

func TestTheDigestOfAConsentedListIsThatOfItsSample(t *testing.T) {
	t.Parallel()
	sample, err := os.ReadFile("testdata/formats/consent-1.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := consentSample()
	if got := encodeConsent(list); !bytes.Equal(got, sample) {
		t.Errorf("%q, want %q", got, sample)
	}
	if list[0].Document != 1210 {
		t.Error("the caller's list was sorted")
	}
	want := Consent{3, sha256.Sum256(sample)}
	slices.Reverse(list)
	if got := NewConsent(list); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if NewConsent(list[:2]).Digest == want.Digest {
		t.Error("a part of the list has the same digest")
	}
}

func TestAConsentCoversExactlyTheRevisionsOfItsList(t *testing.T) {
	t.Parallel()
	list := consentSample()
	other := ConsentItem{Document: 9, Digest: [32]byte{7}}
	for name, c := range map[string]struct {
		documents, consented []ConsentItem
		want                 string // the fields and codes
	}{
		"the list":             {list, list, ""},
		"a part of it":         {list[1:2], list, ""},
		"another revision":     {[]ConsentItem{list[0], other}, list, "documents[1] consent.not_covered"},
		"another document":     {list, list[:2], "documents[2] consent.not_covered"},
		"one document twice":   {[]ConsentItem{list[1], list[0], list[1]}, list, "documents[2].document_id consent.document_twice"},
		"two of its revisions": {list[1:2], []ConsentItem{list[1], other}, "consent[1].document_id consent.document_twice"},
		"too many":             {list, make([]ConsentItem, MaxConsentDocuments+1), "consent value.too_many, documents[0] consent.not_covered, documents[1] consent.not_covered, documents[2] consent.not_covered"},
	} {
		var got []string
		if err := CheckConsent(c.documents, c.consented); err != nil {
			for _, f := range err.(*Error).Fields {
				got = append(got, f.Field+" "+f.Code)
			}
		}
		if joined := strings.Join(got, ", "); joined != c.want {
			t.Errorf("%s: %q, want %q", name, joined, c.want)
		}
	}
}

func TestEachSignatureNamesTheConsentedList(t *testing.T) {
	t.Parallel()
	d := finalizedWithStamps(t)
	consent := NewConsent(consentSample())
	shown := ShownPages{Digest: d.Current().Digest, Pages: []int{1}, Consent: consent}
	for _, shown := range []ShownPages{shown, {Digest: shown.Digest, Consent: consent}} {
		intent, err := IntendSign(d, shown, first, t0)
		if err != nil {
			t.Fatal(err)
		}
		sign, err := Sign(&intent.After, nextRevision(d, 10), shown, attestationOf(d, first), first, t0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range append(intent.Events, sign.Events...) {
			if e.Details["consent_documents"] != "3" || len(e.Details["consent_digest"]) != 64 || e.Details["pages_shown"] == "" {
				t.Errorf("%s says %v", e.Type, e.Details)
			}
		}
		if !sign.After.HasSignedRevision(first.ID, shown.Digest) || sign.After.HasSignedRevision(second.ID, shown.Digest) ||
			sign.After.HasSignedRevision(first.ID, sign.After.Current().Digest) {
			t.Error("the signature is not attributed to its person and revision alone")
		}
	}
	alone, err := IntendSign(d, ShownPages{}, first, t0)
	if err != nil {
		t.Fatal(err)
	}
	if details := alone.Events[0].Details; details["consent_documents"] != "" || details["consent_digest"] != "" {
		t.Errorf("a consent to one document by itself says %v", details)
	}
}
