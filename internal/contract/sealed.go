package contract

import (
	"maps"
	"slices"
	"strings"
)

// SealedFile is the result of validating a sealed file, read from its stored bytes.
type SealedFile struct {
	Unreadable bool               // it does not open as a PDF; the other members are empty
	Digest     [32]byte           // SHA-256 over all of it
	Signatures []SignatureVerdict // in the order in which they were added
}

// SealFault is a reason not to commit a sealed file.
type SealFault struct {
	Code   SealFaultCode
	Field  string // field of the signature, or the serial of a missing stamp; empty: the fault concerns the whole file
	Detail string // sub-indication or level of the validation; may be empty
}

// SealFaultCode names a fault. Values are stored in reasons and in the audit log, so none is renamed.
type SealFaultCode string

// The faults.
const (
	FaultUnreadable          SealFaultCode = "file_unreadable"      // it does not open as a PDF
	FaultDigest              SealFaultCode = "digest_differs"       // the bytes have another digest than the last revision
	FaultMissingSignature    SealFaultCode = "signature_missing"    // a signature or stamp of this document is not in the file
	FaultUnexpectedSignature SealFaultCode = "signature_unexpected" // a signature was added that is not of this document
	FaultBroken              SealFaultCode = "signature_broken"     // the bytes are not what was signed
	FaultChanged             SealFaultCode = "signature_changed"    // something was added that the signature does not permit
	FaultNotPassed           SealFaultCode = "signature_not_passed" // not TOTAL-PASSED
	FaultLevel               SealFaultCode = "level_too_low"        // not B-LTA
	FaultNotCovered          SealFaultCode = "not_covered"          // the last signature is not a document timestamp over the whole file
)

// CheckSealed returns why the sealed file of a document must not be committed, or nil. The document already has the
// closing revisions. This function alone defines what "completed" promises:
//   - the file has the recorded digest;
//   - the signature of each participant who signed and the organisation's seal are in the file, TOTAL-PASSED and B-LTA;
//   - the document timestamps made here are TOTAL-PASSED, and the last one covers the whole file;
//   - each duty stamp affixed here is in the file once, and intact. Its certificate is the stamp office's concern;
//   - signatures that came with the file are as the upload found them: intact, or of an unsupported algorithm. Their
//     issuers may be unknown. They are not checked if the upload was examined by an older release;
//   - the file has no other signatures.
func (d *Document) CheckSealed(f SealedFile) []SealFault {
	var faults []SealFault
	fault := func(code SealFaultCode, field, why string) {
		faults = append(faults, SealFault{Code: code, Field: field, Detail: why})
	}
	if f.Unreadable {
		return []SealFault{{Code: FaultUnreadable}}
	}
	if f.Digest != d.Current().Digest {
		fault(FaultDigest, "", "")
	}
	fields, serials := d.listOwnSignatures()
	for _, v := range f.Signatures {
		own, stamp := !v.Uploaded && fields[v.Field], !v.Uploaded && serials[v.Serial]
		switch {
		case v.Uploaded && (!d.Examined || v.Integrity == SignatureUnknown):
			continue
		case !v.Uploaded && !own && !stamp && !v.Timestamp:
			fault(FaultUnexpectedSignature, v.Field, v.Detail)
			continue
		case own:
			delete(fields, v.Field)
		case stamp:
			delete(serials, v.Serial)
		}
		switch {
		case v.Integrity == SignatureChanged:
			fault(FaultChanged, v.Field, v.Detail)
		case v.Integrity != SignatureIntact:
			fault(FaultBroken, v.Field, v.Detail)
		case v.Uploaded || stamp: // trust is not required
		case v.Trust != TrustPassed:
			fault(FaultNotPassed, v.Field, v.Detail)
		case own && !v.Archived:
			fault(FaultLevel, v.Field, v.Detail)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		fault(FaultMissingSignature, field, "")
	}
	for _, serial := range slices.Sorted(maps.Keys(serials)) {
		fault(FaultMissingSignature, serial, "")
	}
	if n := len(f.Signatures); n == 0 || !f.Signatures[n-1].Timestamp || f.Signatures[n-1].Uploaded || !f.Signatures[n-1].CoversAll {
		fault(FaultNotCovered, "", "")
	}
	return faults
}

// listOwnSignatures returns the fields that were signed and the serials that were affixed by this service.
func (d *Document) listOwnSignatures() (fields, serials map[string]bool) {
	fields, serials = map[string]bool{d.SealField(): true}, map[string]bool{}
	for _, p := range d.Participants {
		if p.MustSign() && !p.SignedAt.IsZero() {
			fields[p.Field] = true
		}
	}
	for _, serial := range d.Serials() {
		serials[serial] = true
	}
	return fields, serials
}

// String returns the code, the field and the detail of the fault.
func (f SealFault) String() string {
	return strings.Join(slices.DeleteFunc([]string{string(f.Code), cleanFieldName(f.Field), f.Detail}, func(s string) bool { return s == "" }), " ")
}
