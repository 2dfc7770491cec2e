package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ClosingInvalid is what a document waits for whose sealed file did not pass validation. Behind ": " stand the faults.
const ClosingInvalid = "closing.invalid"

// SealedFile is what was found in a sealed file, read from its bytes.
type SealedFile struct {
	Unreadable bool               // it does not open as a PDF; nothing else is known then
	Digest     [32]byte           // SHA-256 over all of it
	Signatures []SignatureVerdict // in the order in which they were added
}

// SealFault is why a sealed file cannot be the result of its document.
type SealFault struct {
	Code  SealFaultCode
	Field string // of the signature; empty: it is about the file
	Why   string // in the words of the validation; may be empty
}

// SealFaultCode names a reason. Values are stored in reasons and in the audit log: none is renamed.
type SealFaultCode string

// The reasons.
const (
	FaultUnreadable SealFaultCode = "file_unreadable"      // it does not open as a PDF
	FaultDigest     SealFaultCode = "digest_differs"       // the bytes have another digest than the last revision
	FaultMissing    SealFaultCode = "signature_missing"    // a field that was signed here has no signature in the file
	FaultUnexpected SealFaultCode = "signature_unexpected" // a signature that nobody here made or ordered
	FaultBroken     SealFaultCode = "signature_broken"     // its bytes are not what was signed
	FaultChanged    SealFaultCode = "signature_changed"    // what was added later is not permitted
	FaultNotPassed  SealFaultCode = "signature_not_passed" // it is not TOTAL-PASSED
	FaultLevel      SealFaultCode = "level_too_low"        // it is not B-LTA
	FaultNotCovered SealFaultCode = "not_covered"          // the file does not end with a document timestamp over all of it
)

// CheckSealed returns why a sealed file must not become the result of the document; nil if it may. The document has the
// closing revisions already. What "completed" promises is here and nowhere else:
//   - the bytes have the digest that is recorded;
//   - the signature of each participant who signed and the organisation's seal are in the file, TOTAL-PASSED and B-LTA;
//   - the document timestamps made here are TOTAL-PASSED, and the last one covers the whole file;
//   - each duty stamp affixed here is in the file and intact. Whose certificate it has is the stamp office's affair;
//   - signatures that came with the file are as the upload found them: intact, or of an algorithm that is not computed
//     here. Whom they belong to may be unknown. Files of releases that did not look are not asked about them;
//   - there is no other signature.
func (d *Document) CheckSealed(f SealedFile) []SealFault {
	var faults []SealFault
	fault := func(code SealFaultCode, field, why string) {
		faults = append(faults, SealFault{Code: code, Field: field, Why: why})
	}
	if f.Unreadable {
		return []SealFault{{Code: FaultUnreadable}}
	}
	if f.Digest != d.Current().Digest {
		fault(FaultDigest, "", "")
	}
	fields, serials := d.madeHere()
	for _, v := range f.Signatures {
		own, stamp := !v.Uploaded && fields[v.Field], !v.Uploaded && serials[v.Serial]
		switch {
		case v.Uploaded && (!d.Examined || v.Integrity == SignatureUnknown):
			continue
		case !v.Uploaded && !own && !stamp && !v.Timestamp:
			fault(FaultUnexpected, v.Field, v.Why)
			continue
		case own:
			delete(fields, v.Field)
		case stamp:
			delete(serials, v.Serial)
		}
		switch {
		case v.Integrity == SignatureChanged:
			fault(FaultChanged, v.Field, v.Why)
		case v.Integrity != SignatureIntact:
			fault(FaultBroken, v.Field, v.Why)
		case v.Uploaded || stamp: // whose certificate it has is not asked
		case v.Trust != TrustPassed:
			fault(FaultNotPassed, v.Field, v.Why)
		case own && !v.Archived:
			fault(FaultLevel, v.Field, v.Why)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		fault(FaultMissing, field, "")
	}
	for _, serial := range slices.Sorted(maps.Keys(serials)) {
		fault(FaultMissing, serial, "")
	}
	if n := len(f.Signatures); n == 0 || !f.Signatures[n-1].Timestamp || f.Signatures[n-1].Uploaded || !f.Signatures[n-1].CoversAll {
		fault(FaultNotCovered, "", "")
	}
	return faults
}

// madeHere returns the fields that were signed and the serials that were affixed here.
func (d *Document) madeHere() (fields, serials map[string]bool) {
	fields, serials = map[string]bool{d.SealField(): true}, map[string]bool{}
	for _, p := range d.Participants {
		if !p.SignedAt.IsZero() {
			fields[p.Field] = true
		}
	}
	for _, serial := range d.Serials() {
		serials[serial] = true
	}
	return fields, serials
}

// toldFaults bounds the faults that a reason names.
const toldFaults = 5

// InvalidReason is why a document whose sealed file has these faults waits, as its Reason and the audit log say it:
// [ClosingInvalid] with the faults behind it.
func InvalidReason(faults []SealFault) string {
	var b strings.Builder
	b.WriteString(ClosingInvalid)
	for i, f := range faults {
		if i == toldFaults {
			fmt.Fprintf(&b, ", +%d", len(faults)-i)
			break
		}
		separator := ", "
		if i == 0 {
			separator = ": "
		}
		b.WriteString(separator + f.String())
	}
	return b.String()
}

// String spells a fault: its code, the field, and the word of the validation.
func (f SealFault) String() string {
	return strings.Join(slices.DeleteFunc([]string{string(f.Code), fieldName(f.Field), f.Why}, func(s string) bool { return s == "" }), " ")
}
