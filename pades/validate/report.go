package validate

import (
	"time"

	"segel/pades/validate/facts"
)

// Report is the validation of one file, in codes and arguments. Callers render it: package internal/text/verdict has the
// sentences and the JSON.
type Report struct {
	File File
	At   Time // the time of validation

	// Those of the worst signature.
	Indication    Indication
	SubIndication SubIndication // empty if all passed
	Integrity     Integrity
	Summary       Reason

	Signatures []Signature // in the order in which they were added to the file
	Revisions  []Revision  // what each state of the file changed, from the one after the first signature on
	Warnings   []Reason    // hidden content, scripts and the like
}

// Passed reports whether there is a signature, all are TOTAL-PASSED and no later change was denied.
func (r *Report) Passed() bool {
	return r.Indication == TotalPassed && len(r.Signatures) > 0 && r.Integrity.severityRank() <= IntactLater.severityRank()
}

// File describes the validated file.
type File struct {
	Name      string `json:"name"`
	Size      int64  `json:"size" doc:"bytes"`
	SHA256    string `json:"sha256" doc:"of the whole file, hexadecimal; empty if not computed"`
	Revisions int    `json:"revisions" doc:"states of the file, each appended to the former"`
	Pages     int    `json:"pages"`
}

// Kinds of a Signature.
const (
	KindSignature     = "signature"
	KindCertification = "certification"
	KindTimestamp     = "timestamp" // a document timestamp
)

// Signature is the validation of one signature or document timestamp. Texts from the file are cleaned, except those in
// Facts.
type Signature struct {
	Facts *facts.Signature

	Field    string
	Kind     string
	Form     string // SubFilter
	Revision int    // that it closes, from 1; 0 if none
	Page     int    // on which it shows, from 1; 0 if on none

	Indication    Indication
	SubIndication SubIndication
	Integrity     Integrity
	Level         Level
	Summary       Reason
	Reasons       []Reason // why it has not passed, and what it lacks for the next level

	Signer     *Certificate  // nil if not found
	Identity   *Identity     // nil for a document timestamp
	Chain      []Certificate // from the signer to the trust anchor; empty if there is none
	Claimed    Claims
	Proven     *Proof // the earliest proof of existence; nil if only the present proves it
	Covers     Cover
	Later      []Change    // those that are denied first, if there are too many
	Timestamps []Timestamp // on this signature; for a document timestamp itself
	Steps      []Step      // with Options.Explain
}

// Claims is what a signature says of itself.
type Claims struct {
	Name     string `json:"name"`
	Reason   string `json:"reason"`
	Location string `json:"location"`
	Contact  string `json:"contact"`
	Time     Time   `json:"time"`
}

// Certificate is one certificate of a chain.
type Certificate struct {
	Subject     string `json:"subject" doc:"distinguished name"`
	Name        string `json:"name" doc:"common name, or another part of the subject"`
	Issuer      string `json:"issuer"`
	Serial      string `json:"serial" doc:"hexadecimal"`
	SHA256      string `json:"sha256" doc:"of the certificate, hexadecimal"`
	NotBefore   Time   `json:"not_before"`
	NotAfter    Time   `json:"not_after"`
	Key         string `json:"key" doc:"kind and bits, such as RSA-2048"`
	Revocation  string `json:"revocation" enum:"good,revoked,unknown,not needed" doc:"at the proven time"`
	RevokedAt   Time   `json:"revoked_at"`
	RevokedFor  string `json:"revoked_for" doc:"reason of the revocation"`
	ProvedBy    string `json:"proved_by" doc:"dss, signature or net: source of the proof of good status"`
	ProvedFrom  Time   `json:"proved_from" doc:"when that was issued"`
	ProvedUntil Time   `json:"proved_until" doc:"until when that is valid"`
	Trusted     bool   `json:"trusted" doc:"it is a trusted root"`
	TrustOrigin string `json:"trust_origin" doc:"origin of the root"`

	Policies []CertificatePolicy `json:"policies" doc:"policies of the certificate"`

	// Purposes are those for which this certificate itself was added to Trust.
	Purposes Purpose `json:"-"`
}

// Proof is a proof of existence.
type Proof struct {
	Time  Time   `json:"time"`
	By    string `json:"by" doc:"the time-stamp authority"`
	Field string `json:"field" doc:"the document timestamp's; empty for a signature timestamp"`
}

// Timestamp is the validation of one timestamp token.
type Timestamp struct {
	Time          Time
	Authority     string
	Indication    Indication
	SubIndication SubIndication
	Reasons       []Reason
	Chain         []Certificate
}

// Cover is what a signature covers.
type Cover struct {
	Whole  bool  `json:"whole" doc:"the whole file at that time"`
	Length int64 `json:"length" doc:"bytes from the beginning of the file"`
	All    bool  `json:"all" doc:"and nothing follows"`
}

// Revision is what one state of the file changed.
type Revision struct {
	Revision int
	What     []Reason
}

// Change is one later revision from the point of view of a signature.
type Change struct {
	Revision int
	Allowed  bool
	What     []Reason // the denied changes, or what an allowed revision shows and covers
}

// Step is one check.
type Step struct {
	Check  string // code of the check
	Result string
	Clause string // that requires it
	What   Reason
	Paths  []string // of the objects concerned
}

// Results of a Step.
const (
	StepPassed  = "passed"
	StepFailed  = "failed"
	StepUnknown = "unknown"
	StepNoted   = "noted"
)

// Time is a time in UTC; zero is null in JSON.
type Time struct{ time.Time }

// jsonTimeLayout is ISO 8601 with milliseconds.
const jsonTimeLayout = "2006-01-02T15:04:05.000Z"

// MarshalJSON encodes the time as ISO 8601 in UTC with milliseconds, or null.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + t.UTC().Format(jsonTimeLayout) + `"`), nil
}

// UnmarshalJSON decodes what MarshalJSON encodes.
func (t *Time) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*t = Time{}
		return nil
	}
	return t.Time.UnmarshalJSON(b)
}
