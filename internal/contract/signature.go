package contract

import (
	"fmt"
	"slices"
	"strings"
)

// SignatureVerdict is the result of validating one signature or document timestamp of a file.
type SignatureVerdict struct {
	Field     string
	Serial    string // serial of the duty stamp; empty: it is not a duty stamp
	Timestamp bool   // it is a document timestamp
	Uploaded  bool   // it was in the file at upload
	Integrity SignatureIntegrity
	Trust     SignatureTrust
	Archived  bool   // level B-LTA (ETSI EN 319 142-1 §6)
	CoversAll bool   // it covers every byte of the file
	Detail    string // the sub-indication if it has not passed, else the level
}

// SignatureIntegrity says whether the bytes that a signature covers are intact.
type SignatureIntegrity string

// The integrity of a signature.
const (
	SignatureIntact         SignatureIntegrity = "intact"   // they are what was signed, and later changes are permitted
	SignatureChanged        SignatureIntegrity = "changed"  // a later change is not permitted by the signature
	SignatureBroken         SignatureIntegrity = "broken"   // they are not what was signed, or the signed bytes cannot be determined
	SignatureUnknown        SignatureIntegrity = "unknown"  // not verified: unsupported algorithm, or no signing certificate
	SignatureTooManyChanges SignatureIntegrity = "too_much" // later changes exceed the limits of the comparison
)

// SignatureTrust is the result of validation beyond integrity (ETSI EN 319 102-1 §5.1.3).
type SignatureTrust string

// The results.
const (
	TrustPassed           SignatureTrust = "passed"             // TOTAL-PASSED
	TrustUnknownIssuer    SignatureTrust = "unknown_issuer"     // the certificate leads to no trusted root
	TrustNoRevocationData SignatureTrust = "no_revocation_data" // the file has no revocation data for it
	TrustNotPassed        SignatureTrust = "not_passed"         // anything else
)

// Refusals of a file because of the signatures that it had at upload.
var (
	errSignatureBroken  = Refuse(Invalid, "file.signature_broken")
	errSignatureChanged = Refuse(Invalid, "file.signature_changed")
	errTooManyChanges   = Refuse(Invalid, "file.too_complex")
)

// CheckUploaded decides on the signatures that a file has at upload, before it is signed here. The file is refused if
// the bytes of a signature are not what was signed, or if a later change is not permitted by the signature: the
// finished file would never pass validation. Doubts about a certificate become findings and refuse nothing; the people
// who sign can assess them.
func CheckUploaded(found []SignatureVerdict) ([]Finding, error) {
	fields := map[FindingCode][]string{}
	for _, v := range found {
		switch v.Integrity {
		case SignatureIntact:
		case SignatureUnknown:
			fields[FindingSignatureUnknown] = append(fields[FindingSignatureUnknown], v.Field)
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
		fields[code] = append(fields[code], v.Field)
	}
	var findings []Finding
	for _, code := range []FindingCode{FindingUnknownIssuer, FindingNoRevocationData, FindingSignatureUnknown, FindingSignatureNotPassed} {
		if names := fields[code]; len(names) > 0 {
			findings = append(findings, NewFinding(code, 0, "fields", joinFieldNames(names)))
		}
	}
	return findings, nil
}

// maxFieldNames bounds the field names in a sentence, and maxFieldNameLetters the characters of one: the file chooses them.
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
