package contract

import (
	"fmt"
	"slices"
	"strings"
)

// SignatureVerdict is what the validation of a file found about one signature or document timestamp in it.
type SignatureVerdict struct {
	Field     string
	Serial    string // of the duty stamp that it is; empty: it is none
	Timestamp bool   // it is a document timestamp
	Uploaded  bool   // it came with the file
	Integrity SignatureIntegrity
	Trust     SignatureTrust
	Archived  bool   // level B-LTA (ETSI EN 319 142-1 §6)
	CoversAll bool   // every byte of the file, and nothing follows
	Detail    string // the sub-indication where it has not passed, else the level
}

// SignatureIntegrity is what became of the bytes that a signature covers.
type SignatureIntegrity string

// What may have become of them.
const (
	SignatureIntact         SignatureIntegrity = "intact"   // they are what was signed, and what was added later is permitted
	SignatureChanged        SignatureIntegrity = "changed"  // something was added later that the signature does not permit
	SignatureBroken         SignatureIntegrity = "broken"   // they are not what was signed, or the signed bytes cannot be determined
	SignatureUnknown        SignatureIntegrity = "unknown"  // not verified: unsupported algorithm, or no signing certificate
	SignatureTooManyChanges SignatureIntegrity = "too_much" // more was added later than the limits allow to compare
)

// SignatureTrust is what a validation came to, beyond the bytes (ETSI EN 319 102-1 §5.1.3).
type SignatureTrust string

// What it may have come to.
const (
	TrustPassed           SignatureTrust = "passed"             // TOTAL-PASSED
	TrustUnknownIssuer    SignatureTrust = "unknown_issuer"     // the certificate leads to no trusted root
	TrustNoRevocationData SignatureTrust = "no_revocation_data" // nothing in the file tells whether it was revoked
	TrustNotPassed        SignatureTrust = "not_passed"         // anything else
)

// Refusals of a file for the signatures that it came with.
var (
	errSignatureBroken  = Refuse(Invalid, "file.signature_broken")
	errSignatureChanged = Refuse(Invalid, "file.signature_changed")
	errTooManyChanges   = Refuse(Invalid, "file.too_complex")
)

// CheckUploaded decides on the signatures that a file came with, before it is signed here. The file is refused if the
// bytes of a signature are not what was signed, or if something was added that the signature does not permit: the
// finished file would never pass validation. Doubts about a certificate become findings and refuse nothing; the people
// who sign can judge them.
func CheckUploaded(found []SignatureVerdict) ([]Finding, error) {
	told := map[FindingCode][]string{}
	for _, v := range found {
		switch v.Integrity {
		case SignatureIntact:
		case SignatureUnknown:
			told[FindingSignatureUnknown] = append(told[FindingSignatureUnknown], v.Field)
			continue
		case SignatureChanged:
			return nil, errSignatureChanged.With("field", cleanFieldName(v.Field))
		case SignatureTooManyChanges:
			return nil, errTooManyChanges
		default:
			return nil, errSignatureBroken.With("field", cleanFieldName(v.Field))
		}
		code := FindingSignatureNotPassed
		switch v.Trust {
		case TrustPassed:
			continue
		case TrustUnknownIssuer:
			code = FindingUnknownIssuer
		case TrustNoRevocationData:
			code = FindingNoRevocationData
		}
		told[code] = append(told[code], v.Field)
	}
	var findings []Finding
	for _, code := range []FindingCode{FindingUnknownIssuer, FindingNoRevocationData, FindingSignatureUnknown, FindingSignatureNotPassed} {
		if fields := told[code]; len(fields) > 0 {
			findings = append(findings, NewFinding(code, 0, "fields", joinFieldNames(fields)))
		}
	}
	return findings, nil
}

// maxFieldNames bounds the field names in a sentence, and toldField the characters of one: the file chooses them.
const maxFieldNames, maxFieldNameLetters = 3, 60

// cleanFieldName returns the name of a field for a sentence.
func cleanFieldName(s string) string {
	r := []rune(CleanText(s))
	return string(r[:min(len(r), maxFieldNameLetters)])
}

func joinFieldNames(all []string) string {
	names := slices.Clone(all[:min(len(all), maxFieldNames)])
	for i := range names {
		names[i] = cleanFieldName(names[i])
	}
	if more := len(all) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("+%d", more))
	}
	return strings.Join(names, ", ")
}
