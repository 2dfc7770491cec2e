package contract

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"
)

// Problem is why a document, a stamp or a message waits or failed. Its text, see [Problem.String], is stored in [Document.Reason], [Stamp.Problem],
// [Notice.Problem] and in events, and records with digests contain it.
type Problem struct {
	Code   ProblemCode // has a sentence in every language; empty: Detail is in the words of a person or of another service
	Detail string      // what the sentence includes, if it does; may be empty
}

// ProblemCode names a problem. Values are stored permanently, so none is renamed.
type ProblemCode string

// Why a stamp waits or was refused.
const (
	ProblemOfficeDown        ProblemCode = "stamp.office_down"        // the office does not answer, and is not called for now
	ProblemOfficeUnreachable ProblemCode = "stamp.office_unreachable" // a call was not answered
	ProblemOfficeAccount     ProblemCode = "stamp.office_account"     // the office does not accept the account of the service
	ProblemOfficeQuota       ProblemCode = "stamp.office_quota"       // the account at the office is used up
	ProblemOfficeConfig      ProblemCode = "stamp.office_config"      // the office does not accept the form of the requests; with its words
	ProblemOfficeBusy        ProblemCode = "stamp.office_busy"        // the office cannot process it yet; with its words
	ProblemOfficeRefused     ProblemCode = "stamp.office_refused"     // the office refused the document; with its words
	ProblemReturnRefused     ProblemCode = "stamp.return_refused"     // the returned file is not what was ordered
	ProblemReturnIncomplete  ProblemCode = "stamp.return_incomplete"  // the returned file did not arrive complete
	ProblemSerialElsewhere   ProblemCode = "stamp.serial_elsewhere"   // another document has the serial
	ProblemSerialUncertain   ProblemCode = "stamp.serial_uncertain"   // the serial of an order whose answer was lost cannot be determined
	ProblemPictureLost       ProblemCode = "stamp.picture_lost"       // the picture was lost with the office's answer
	ProblemNoPlace           ProblemCode = "stamp.no_place"           // the place of the stamp does not exist any more
	ProblemStampFileMissing  ProblemCode = "stamp.file_missing"       // bytes of the document are missing in the store
	ProblemStampFileChanged  ProblemCode = "stamp.file_changed"       // bytes of the document are not those that were recorded
)

// Why a document is not completed yet, or cannot be. Stamps too wait for a clock.
const (
	ProblemTimestamp          ProblemCode = "closing.timestamp"      // no time-stamp authority answers
	ProblemRevocationData     ProblemCode = "closing.proof"          // no revocation data of a certificate can be fetched
	ProblemClosingFileMissing ProblemCode = "closing.file_missing"   // bytes of the document are missing in the store
	ProblemClosingFileChanged ProblemCode = "closing.file_changed"   // bytes of the document are not those that were recorded
	ProblemInvalid            ProblemCode = "closing.invalid"        // the sealed file did not pass validation; with the faults
	ProblemUnexpected         ProblemCode = "closing.unexpected"     // another problem, which the log states
	ProblemRevoked            ProblemCode = "closing.revoked"        // a certificate was revoked before it signed; see [Problem.Revocation]
	ProblemClockInDoubt       ProblemCode = "closing.clock_in_doubt" // the service's clock is in doubt
	ProblemSignedAhead        ProblemCode = "closing.clock"          // a signature lies in the future; the document waits until [Problem.Until]
	ProblemSignedFarAhead     ProblemCode = "closing.clock_far"      // a signature lies further in the future than ClosingWait; see [Problem.Until]
)

// Why a message was not delivered.
const (
	ProblemNoAddress      ProblemCode = "notice.no_address"     // the person has no e-mail address
	ProblemNoNumber       ProblemCode = "notice.no_number"      // the person has no phone number
	ProblemNotNeeded      ProblemCode = "notice.pointless"      // it was not needed any more
	ProblemSuspended      ProblemCode = "notice.suspended"      // the organisation is suspended
	ProblemLinkRevoked    ProblemCode = "notice.link_revoked"   // the owner of the document revoked the person's link
	ProblemNoServer       ProblemCode = "notice.no_server"      // no mail server accepted it yet; with their words
	ProblemNoProvider     ProblemCode = "notice.no_provider"    // the provider of text messages did not accept it yet
	ProblemServerGaveUp   ProblemCode = "notice.too_long"       // no mail server accepted it for three days; with their words
	ProblemProviderGaveUp ProblemCode = "notice.too_long_phone" // the provider of text messages did not accept it for three days
)

// problemKinds are the words before the point of problem codes: those of stamps, of Word documents that cannot be converted, of completion, of messages and
// of deliveries to webhooks.
var problemKinds = []string{"stamp", "file", "closing", noticeKind, "webhook"}

const noticeKind = "notice"

// kind returns the word before the point of a code.
func (c ProblemCode) kind() string {
	kind, _, _ := strings.Cut(string(c), ".")
	return kind
}

// ConcernsNotice reports whether it is the code of a message that was not delivered. The words of a mail server may follow it, which are for operators.
func (c ProblemCode) ConcernsNotice() bool { return c.kind() == noticeKind }

const problemSeparator = ": "

// String returns the code and the detail, as they are stored.
func (p Problem) String() string {
	if p.Code == "" || p.Detail == "" {
		return string(p.Code) + p.Detail
	}
	return string(p.Code) + problemSeparator + p.Detail
}

// ParseProblem is the inverse of [Problem.String]. A text that does not begin with a code is the words of a person or of another service.
func ParseProblem(text string) Problem {
	code, detail, _ := strings.Cut(text, problemSeparator)
	if p := (Problem{ProblemCode(code), detail}); p.Code.kind() != code && slices.Contains(problemKinds, p.Code.kind()) {
		return p
	}
	return Problem{Detail: text}
}

// newTimeProblem returns a problem because of a signature of that time.
func newTimeProblem(code ProblemCode, signed time.Time) Problem {
	return Problem{code, signed.UTC().Format(time.RFC3339)}
}

// Until returns the time of the signature that lies in the future; false if the problem names none.
func (p Problem) Until() (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, p.Detail)
	return at, err == nil
}

// NewRevokedProblem returns the problem of a document that was signed with a revoked certificate. The reason has a name of RFC 5280 §5.3.1.
func NewRevokedProblem(serial *big.Int, at time.Time, reason string) Problem {
	return Problem{ProblemRevoked, fmt.Sprintf("%x, %s, %s", serial, at.Format(time.RFC3339), reason)}
}

// Revocation returns the parts of [NewRevokedProblem], the serial in hexadecimal; false if the problem does not name them.
func (p Problem) Revocation() (serial string, at time.Time, reason string, ok bool) {
	part := strings.SplitN(p.Detail, ", ", 3)
	if len(part) < 3 {
		return "", time.Time{}, "", false
	}
	at, err := time.Parse(time.RFC3339, part[1])
	return part[0], at, part[2], err == nil
}

// maxFaultsInProblem bounds the faults in a problem. The log has all of them.
const maxFaultsInProblem = 5

// NewInvalidProblem returns the problem of a document whose sealed file has these faults.
func NewInvalidProblem(faults []SealFault) Problem {
	var said []string
	for i, f := range faults {
		if i == maxFaultsInProblem {
			said = append(said, fmt.Sprintf("+%d", len(faults)-i))
			break
		}
		said = append(said, f.String())
	}
	return Problem{ProblemInvalid, strings.Join(said, ", ")}
}
