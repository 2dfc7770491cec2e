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
	Why       string // the sub-indication where it has not passed, else the level
}

// SignatureIntegrity is what became of the bytes that a signature covers.
type SignatureIntegrity string

// What may have become of them.
const (
	SignatureIntact  SignatureIntegrity = "intact"   // they are what was signed, and what was added later is permitted
	SignatureChanged SignatureIntegrity = "changed"  // something was added later that the signature does not permit
	SignatureBroken  SignatureIntegrity = "broken"   // they are not what was signed, or nobody can tell what was
	SignatureUnknown SignatureIntegrity = "unknown"  // nobody here can tell: the algorithm or the signer's certificate is missing
	SignatureTooMuch SignatureIntegrity = "too_much" // more was added later than is looked at
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

// CheckUploaded decides about the signatures that a file came with, before anybody signs it. One whose bytes are not what
// was signed, and one behind which something was added that it does not permit, is refused: what is signed on top of
// it would vouch for it, and the finished file would never pass. Whom a signature belongs to, and whether its certificate
// is good, is told as a finding and no reason to refuse: the people who sign can judge that.
func CheckUploaded(found []SignatureVerdict) ([]Finding, error) {
	told := map[FindingCode][]string{}
	for _, v := range found {
		switch v.Integrity {
		case SignatureIntact:
		case SignatureUnknown:
			told[FindingSignatureUnknown] = append(told[FindingSignatureUnknown], v.Field)
			continue
		case SignatureChanged:
			return nil, errSignatureChanged.With("field", fieldName(v.Field))
		case SignatureTooMuch:
			return nil, errTooManyChanges
		default:
			return nil, errSignatureBroken.With("field", fieldName(v.Field))
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
			findings = append(findings, NewFinding(code, 0, "fields", fieldNames(fields)))
		}
	}
	return findings, nil
}

// toldFields bounds the names that a sentence has, and toldField the characters of one: they are the file's.
const toldFields, toldField = 3, 60

// fieldName is the name of a field as a sentence has it.
func fieldName(s string) string {
	r := []rune(CleanText(s))
	return string(r[:min(len(r), toldField)])
}

func fieldNames(all []string) string {
	names := slices.Clone(all[:min(len(all), toldFields)])
	for i := range names {
		names[i] = fieldName(names[i])
	}
	if more := len(all) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("+%d", more))
	}
	return strings.Join(names, ", ")
}
