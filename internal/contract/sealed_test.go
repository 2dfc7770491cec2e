package contract

import (
	"slices"
	"strings"
	"testing"
)

// sealedDocument returns a document that two people signed and that was stamped once, with its last revisions, and
// what the validation of its intact file finds: a signature from before the upload, those of the people, the stamp,
// the seal and the timestamp.
func sealedDocument(t *testing.T) (*Document, SealedFile) {
	t.Helper()
	d := newDraft(t)
	d.State, d.Mode = Processing, Signing
	for i := range d.Participants[:2] {
		d.Participants[i].Field, d.Participants[i].SignedAt = d.uniqueFieldName(d.Participants[i].Name), t0
	}
	d.Stamps = []Stamp{{State: StampAffixed, Serial: "SERIAL1"}}
	c := newChange(d)
	if err := c.AppendRevision(nextRevision(d, 10)); err != nil {
		t.Fatal(err)
	}
	d = &c.After
	good := func(v SignatureVerdict) SignatureVerdict {
		v.Integrity, v.Trust, v.Archived = SignatureIntact, TrustPassed, !v.Timestamp
		return v
	}
	return d, SealedFile{Digest: d.Current().Digest, Signatures: []SignatureVerdict{
		{Field: "Signature1", Uploaded: true, Integrity: SignatureIntact, Trust: TrustUnknownIssuer, Detail: "NO_CERTIFICATE_CHAIN_FOUND"},
		good(SignatureVerdict{Field: d.Participants[0].Field}),
		good(SignatureVerdict{Field: d.Participants[1].Field}),
		{Field: "EmetSERIAL1", Serial: "SERIAL1", Integrity: SignatureIntact, Trust: TrustUnknownIssuer, Detail: "NO_CERTIFICATE_CHAIN_FOUND"},
		good(SignatureVerdict{Field: d.SealField()}),
		good(SignatureVerdict{Field: "Timestamp1", Timestamp: true, CoversAll: true}),
	}}
}

// Indexes into the signatures of sealedDocument.
const (
	ofUpload = iota
	ofFirst
	ofSecond
	ofStamp
	ofSeal
	ofTimestamp
)

func TestOnlyASealedFileThatKeepsEveryPromiseIsAccepted(t *testing.T) {
	t.Parallel()
	integrity := func(i int, is SignatureIntegrity) func(*Document, *SealedFile) {
		return func(_ *Document, f *SealedFile) { f.Signatures[i].Integrity = is }
	}
	without := func(i int) func(*Document, *SealedFile) {
		return func(_ *Document, f *SealedFile) { f.Signatures = slices.Delete(f.Signatures, i, i+1) }
	}
	notPassed := func(i int) func(*Document, *SealedFile) {
		return func(_ *Document, f *SealedFile) { f.Signatures[i].Trust = TrustNotPassed }
	}
	level := func(i int) func(*Document, *SealedFile) {
		return func(_ *Document, f *SealedFile) { f.Signatures[i].Archived = false }
	}
	for name, c := range map[string]struct {
		change func(*Document, *SealedFile)
		want   []SealFaultCode
	}{
		"all is well":                             {func(*Document, *SealedFile) {}, nil},
		"no PDF any more":                         {func(_ *Document, f *SealedFile) { *f = SealedFile{Unreadable: true} }, []SealFaultCode{FaultUnreadable}},
		"other bytes":                             {func(_ *Document, f *SealedFile) { f.Digest[0]++ }, []SealFaultCode{FaultDigest}},
		"uploaded, of a known issuer":             {func(_ *Document, f *SealedFile) { f.Signatures[ofUpload].Trust = TrustPassed }, nil},
		"uploaded, of another algorithm":          {integrity(ofUpload, SignatureUnknown), nil},
		"uploaded, broken":                        {integrity(ofUpload, SignatureBroken), []SealFaultCode{FaultBroken}},
		"uploaded, changed behind":                {integrity(ofUpload, SignatureChanged), []SealFaultCode{FaultChanged}},
		"uploaded to a release that did not look": {func(d *Document, f *SealedFile) { d.Examined, f.Signatures[0].Integrity = false, SignatureBroken }, nil},
		"signer's, broken":                        {integrity(ofFirst, SignatureBroken), []SealFaultCode{FaultBroken}},
		"signer's, changed behind":                {integrity(ofSecond, SignatureChanged), []SealFaultCode{FaultChanged}},
		"signer's, not computed":                  {integrity(ofSecond, SignatureUnknown), []SealFaultCode{FaultBroken}},
		"signer's, gone":                          {without(ofSecond), []SealFaultCode{FaultMissingSignature}},
		"signer's, not passed":                    {notPassed(ofFirst), []SealFaultCode{FaultNotPassed}},
		"signer's, of a lower level":              {level(ofFirst), []SealFaultCode{FaultLevel}},
		"signer's, but it came with the file":     {func(_ *Document, f *SealedFile) { f.Signatures[ofFirst].Uploaded = true }, []SealFaultCode{FaultMissingSignature}},
		"stamp of a known office":                 {func(_ *Document, f *SealedFile) { f.Signatures[ofStamp].Trust = TrustPassed }, nil},
		"stamp, broken":                           {integrity(ofStamp, SignatureBroken), []SealFaultCode{FaultBroken}},
		"stamp, changed behind":                   {integrity(ofStamp, SignatureChanged), []SealFaultCode{FaultChanged}},
		"stamp, gone":                             {without(ofStamp), []SealFaultCode{FaultMissingSignature}},
		"stamp of another serial":                 {func(_ *Document, f *SealedFile) { f.Signatures[ofStamp].Serial = "SERIAL2" }, []SealFaultCode{FaultUnexpectedSignature, FaultMissingSignature}},
		"stamp twice": {func(_ *Document, f *SealedFile) {
			f.Signatures = slices.Insert(f.Signatures, ofSeal, f.Signatures[ofStamp])
		}, []SealFaultCode{FaultUnexpectedSignature}},
		"seal, not passed":       {notPassed(ofSeal), []SealFaultCode{FaultNotPassed}},
		"seal, of a lower level": {level(ofSeal), []SealFaultCode{FaultLevel}},
		"seal, gone":             {without(ofSeal), []SealFaultCode{FaultMissingSignature}},
		"timestamp, not passed":  {notPassed(ofTimestamp), []SealFaultCode{FaultNotPassed}},
		"timestamp, broken":      {integrity(ofTimestamp, SignatureBroken), []SealFaultCode{FaultBroken}},
		"timestamp, gone":        {without(ofTimestamp), []SealFaultCode{FaultNotCovered}},
		"timestamp that came with the file, and no ours": {func(_ *Document, f *SealedFile) { f.Signatures[ofTimestamp].Uploaded = true }, []SealFaultCode{FaultNotCovered}},
		"something behind the timestamp":                 {func(_ *Document, f *SealedFile) { f.Signatures[ofTimestamp].CoversAll = false }, []SealFaultCode{FaultNotCovered}},
		"another signature":                              {func(_ *Document, f *SealedFile) { f.Signatures[ofSeal].Field = "Other" }, []SealFaultCode{FaultUnexpectedSignature, FaultMissingSignature}},
		"no signature at all": {func(_ *Document, f *SealedFile) { f.Signatures = nil },
			[]SealFaultCode{FaultMissingSignature, FaultMissingSignature, FaultMissingSignature, FaultMissingSignature, FaultNotCovered}},
	} {
		d, f := sealedDocument(t)
		c.change(d, &f)
		var got []SealFaultCode
		for _, fault := range d.CheckSealed(f) {
			got = append(got, fault.Code)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestProblemOfAnInvalidFileNamesItsFaultsAndIsBounded(t *testing.T) {
	t.Parallel()
	one := SealFault{Code: FaultNotPassed, Field: "Segel-abc-1", Detail: "HASH_FAILURE"}
	if got := NewInvalidProblem([]SealFault{one, {Code: FaultDigest}}).String(); got != "closing.invalid: signature_not_passed Segel-abc-1 HASH_FAILURE, digest_differs" {
		t.Error(got)
	}
	one.Field = strings.Repeat("x\n", 5000)
	if got := NewInvalidProblem(slices.Repeat([]SealFault{one}, 1000)).String(); len(got) > 1000 || !strings.HasSuffix(got, ", +995") || strings.Contains(got, "\n") {
		t.Errorf("%d characters: %.200s", len(got), got)
	}
}
