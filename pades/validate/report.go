package validate

import (
	"time"
)

// Format names the shape of a Report in JSON. It changes when a member changes its meaning or goes away; members that
// are added do not change it.
const Format = "segel-validation-1"

// Report is the judgement of one file. docs/validation.md describes its JSON member by member.
type Report struct {
	Format string `json:"format" enum:"segel-validation-1" doc:"shape of this report"`
	File   File   `json:"file"`
	At     Time   `json:"at" doc:"the moment it is judged for"`

	// The words about the file are never better than those of its worst signature.
	Indication    Indication    `json:"indication" enum:"TOTAL-PASSED,INDETERMINATE,TOTAL-FAILED" doc:"never better than that of the worst signature; INDETERMINATE where there is none"`
	SubIndication SubIndication `json:"sub_indication" doc:"of the worst signature; empty where all passed"`
	Integrity     Integrity     `json:"integrity" doc:"the worst of all signatures: intact; intact, later changes allowed; cannot be judged; changed after signing; or: not signed"`
	Summary       Reason        `json:"summary" doc:"the file in one sentence"`

	Signatures []Signature `json:"signatures" doc:"in the order in which they were added to the file"`
	Revisions  []Revision  `json:"revisions" doc:"what each state of the file changed, from the one behind the first signature on"`
	Warnings   []Reason    `json:"warnings" doc:"of the file: hidden content, scripts and the like"`
	Stamps     []Stamp     `json:"stamps" doc:"duty stamps among the signatures"`
}

// Passed reports whether there is a signature, all are TOTAL-PASSED and none was followed by a change that is not
// allowed.
func (r *Report) Passed() bool {
	return r.Indication == TotalPassed && len(r.Signatures) > 0 && r.Integrity.severityRank() <= IntactLater.severityRank()
}

// File describes what was judged.
type File struct {
	Name      string `json:"name"`
	Size      int64  `json:"size" doc:"bytes"`
	SHA256    string `json:"sha256" doc:"of the whole file, hexadecimal; empty where nobody worked it out"`
	Revisions int    `json:"revisions" doc:"states of the file, each added behind the former"`
	Pages     int    `json:"pages"`
}

// Kinds of a Signature.
const (
	KindSignature     = "signature"
	KindCertification = "certification"
	KindTimestamp     = "timestamp" // a document timestamp
	KindStamp         = "stamp"     // a duty stamp
)

// Signature is the judgement of one signature or document timestamp.
type Signature struct {
	Field    string `json:"field" doc:"fully qualified name of the field"`
	Kind     string `json:"kind" enum:"signature,certification,timestamp,stamp"`
	Form     string `json:"form" doc:"SubFilter, as the file states it"`
	Revision int    `json:"revision" doc:"the state of the file that it closes, from 1; 0 where it closes none"`
	Page     int    `json:"page" doc:"where it is to be seen, from 1; 0: nowhere"`

	Indication    Indication    `json:"indication" enum:"TOTAL-PASSED,INDETERMINATE,TOTAL-FAILED"`
	SubIndication SubIndication `json:"sub_indication"`
	Integrity     Integrity     `json:"integrity" doc:"intact; intact, later changes allowed; cannot be judged; or: changed after signing"`
	Level         Level         `json:"level" doc:"B-B, B-T, B-LT or B-LTA as far as it was proved; the name of an older form; empty where nothing was proved"`
	Summary       Reason        `json:"summary" doc:"the signature in one sentence"`
	Reasons       []Reason      `json:"reasons" doc:"why it has not passed, and what keeps it from the next level"`

	Signer     *Certificate  `json:"signer" doc:"null where the certificate was not found"`
	Identity   *Identity     `json:"identity" doc:"what was verified about the signer, how and by whom; null of a document timestamp"`
	Chain      []Certificate `json:"chain" doc:"from the signer to the trusted root; empty where there is none"`
	Claimed    Claims        `json:"claimed" doc:"what the signature says of itself; nobody proved it"`
	Proven     *Proof        `json:"proven" doc:"the earliest moment for which its existence is proved; null where only the present proves it"`
	Covers     Cover         `json:"covers"`
	Later      []Change      `json:"later" doc:"what was added behind it; those that are not allowed first, where there are too many"`
	Timestamps []Timestamp   `json:"timestamps" doc:"on this signature; of a document timestamp itself"`
	Steps      []Step        `json:"steps,omitempty" doc:"every check with its outcome, where they were asked for"`
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
	Name        string `json:"name" doc:"common name, else the most telling part of the subject"`
	Issuer      string `json:"issuer"`
	Serial      string `json:"serial" doc:"hexadecimal"`
	SHA256      string `json:"sha256" doc:"of the certificate, hexadecimal"`
	NotBefore   Time   `json:"not_before"`
	NotAfter    Time   `json:"not_after"`
	Key         string `json:"key" doc:"kind and bits, such as RSA-2048"`
	Revocation  string `json:"revocation" enum:"good,revoked,unknown,not needed" doc:"at the proven time"`
	RevokedAt   Time   `json:"revoked_at"`
	RevokedFor  string `json:"revoked_for" doc:"reason of the revocation"`
	ProvedBy    string `json:"proved_by" doc:"dss, signature or net: where the proof of good standing stands"`
	ProvedFrom  Time   `json:"proved_from" doc:"when that proof was made"`
	ProvedUntil Time   `json:"proved_until" doc:"until when it speaks"`
	Trusted     bool   `json:"trusted" doc:"it is a trusted root"`
	TrustOrigin string `json:"trust_origin" doc:"where the root came from"`

	Policies []CertificatePolicy `json:"policies" doc:"that the certificate states"`
}

// Proof is a proof of existence.
type Proof struct {
	Time  Time   `json:"time"`
	By    string `json:"by" doc:"the time-stamp authority"`
	Field string `json:"field" doc:"the document timestamp's; empty where the signature carries the timestamp itself"`
}

// Timestamp is the judgement of one timestamp token.
type Timestamp struct {
	Time          Time          `json:"time"`
	Authority     string        `json:"authority"`
	Indication    Indication    `json:"indication" enum:"TOTAL-PASSED,INDETERMINATE,TOTAL-FAILED"`
	SubIndication SubIndication `json:"sub_indication"`
	Reasons       []Reason      `json:"reasons"`
	Chain         []Certificate `json:"chain"`
}

// Cover is what a signature covers.
type Cover struct {
	Whole  bool  `json:"whole" doc:"the file as it stood then, from its first byte to its last"`
	Length int64 `json:"length" doc:"bytes from the beginning of the file"`
	All    bool  `json:"all" doc:"and nothing follows"`
}

// Revision is what one state of the file changed.
type Revision struct {
	Revision int      `json:"revision"`
	What     []Reason `json:"what"`
}

// Change is one later revision as a signature sees it.
type Change struct {
	Revision int      `json:"revision"`
	Allowed  bool     `json:"allowed"`
	What     []Reason `json:"what" doc:"what of it is not allowed, or what an allowed one covers"`
}

// Step is one check.
type Step struct {
	Check  string   `json:"check" doc:"code of the check"`
	Result string   `json:"result" enum:"passed,failed,unknown,noted"`
	Clause string   `json:"clause" doc:"what asks for it"`
	What   Reason   `json:"what"`
	Paths  []string `json:"paths" doc:"of the objects it is about"`
}

// Results of a Step.
const (
	StepPassed  = "passed"
	StepFailed  = "failed"
	StepUnknown = "unknown"
	StepNoted   = "noted"
)

// Stamp is a duty stamp.
type Stamp struct {
	Field    string `json:"field"`
	Serial   string `json:"serial" doc:"empty where the file does not tell"`
	Reason   string `json:"reason" doc:"behind the serial"`
	Office   string `json:"office" doc:"as its certificate says"`
	Specimen bool   `json:"specimen" doc:"of no legal value"`
	Trusted  bool   `json:"trusted" doc:"the signature passed"`
	// Recognised is whether the certificate is one that is trusted for duty stamps; a name in a file proves no office.
	Recognised bool       `json:"recognised" doc:"its chain passes a certificate that is trusted for duty stamps"`
	Page       int        `json:"page"`
	Box        [4]float64 `json:"box" doc:"llx, lly, urx, ury in points from the lower left of the page as displayed"`
	Twice      bool       `json:"twice" doc:"the serial stands twice in this file"`
	// Altered is whether this file is the document that the stamp was affixed to, with other bytes in it: it is told
	// among the reasons.
	Altered bool `json:"-"`
	// Elsewhere is whether the serial stands on another document known here: yes, no, or unknown where nobody
	// looked.
	Elsewhere string   `json:"elsewhere" enum:"yes,no,unknown"`
	Summary   Reason   `json:"summary"`
	Reasons   []Reason `json:"reasons" doc:"what speaks against it"`
}

// Time is a moment in UTC; the zero one is null in JSON.
type Time struct{ time.Time }

// timeLayout is ISO 8601 with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

// MarshalJSON writes ISO 8601 in UTC with milliseconds, or null.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + t.UTC().Format(timeLayout) + `"`), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Time) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*t = Time{}
		return nil
	}
	return t.Time.UnmarshalJSON(b)
}
