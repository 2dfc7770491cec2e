package validate

import (
	"crypto/x509"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"segel/cms"
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
	return r.Indication == TotalPassed && len(r.Signatures) > 0 && (r.Integrity == Intact || r.Integrity == IntactLater)
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
	// Filled are the form fields, other than signature fields, that it filled in by the rules of form filling, each once, by page
	// and name; at most 10,000 in a report. Whether a signature permits that is in Signature.Later.
	Filled []FilledField
}

// FilledField is a form field that a revision filled in.
type FilledField struct {
	Field string `json:"field" doc:"fully qualified name"`
	Page  int    `json:"page" doc:"on which it shows, from 1; 0 if on none"`
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

// cachedDescription describes a certificate once: the same authorities are above every signature.
func (v *validation) cachedDescription(c *x509.Certificate) Certificate {
	id := v.paths.Hash(c)
	d, known := v.descriptions[id]
	if !known {
		d = describeCertificate(c)
		v.descriptions[id] = d
	}
	return d
}

func describeCertificate(c *x509.Certificate) Certificate {
	return Certificate{
		Subject: c.Subject.String(), Name: holderName(c), Issuer: c.Issuer.String(), Serial: strings.ToLower(c.SerialNumber.Text(16)),
		SHA256: certificateFingerprint(c), NotBefore: Time{c.NotBefore}, NotAfter: Time{c.NotAfter}, Key: keyName(c), Revocation: "unknown",
		Policies: policiesOf(c),
	}
}

// encodingFault is the error of crypto/x509 without prefixes.
func encodingFault(err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "certificate: "), "x509: ")
}

// holderName returns a readable name of a certificate's holder.
func holderName(c *x509.Certificate) string {
	if c == nil {
		return ""
	}
	for _, list := range [][]string{{c.Subject.CommonName}, c.Subject.Organization, c.EmailAddresses} {
		for _, p := range list {
			if p != "" {
				return p
			}
		}
	}
	if p := c.Subject.String(); p != "" {
		return p
	}
	return strings.ToLower(c.SerialNumber.Text(16))
}

// keyName returns the type and size of a certificate's key.
func keyName(c *x509.Certificate) string {
	kind, bits := cms.KeySize(c.PublicKey)
	if kind == "Ed25519" || bits == 0 {
		return kind
	}
	return fmt.Sprintf("%s-%d", kind, bits)
}

// Reason is a statement of a report: a stable code with its arguments. Arguments are clean: one line of bounded length.
type Reason struct {
	Code string
	Args map[string]string
}

// maxArgument bounds the length of an argument in characters.
const maxArgument = 300

// NewReason builds a Reason from pairs of names and values.
func NewReason(code string, pairs ...string) Reason {
	r := Reason{Code: code, Args: map[string]string{}}
	for i := 0; i+1 < len(pairs); i += 2 {
		r.Args[pairs[i]] = CleanText(pairs[i+1])
	}
	return r
}

// distinctBy are the arguments that distinguish reasons with the same code. Changes without an entry are distinguished by
// their location, and other reasons by nothing: they are reported once.
var distinctBy = map[string][]string{
	"change.cross_reference": {}, "change.trailer": {}, "change.store": {}, "change.store_replaced": {}, "change.form": {},
	"change.metadata": {}, "change.extensions": {}, "change.structure": {}, "change.catalog": {}, "change.information": {}, "change.too_much": {},
	"change.annotations": {"page"}, "change.page": {"page"},
	"change.comment": {"page", "where"}, "change.hides_signed": {"page", "where"}, "change.shows": {"page", "where"},
	"change.overlaps_text": {"page", "where"}, "change.overlaps_signature": {"page", "where"},
	"change.overlaps_picture": {"page", "where"}, "change.overlaps_annotation": {"page", "where"},

	"warning.covered_text": {"page"}, "warning.invisible_text": {"page"}, "warning.not_looked": {"page"},
	"warning.overlaps_text": {"page", "where", "revision"}, "warning.overlaps_signature": {"page", "where", "revision"},
	"warning.overlaps_picture": {"page", "where", "revision"}, "warning.overlaps_annotation": {"page", "where", "revision"},
	"warning.value_not_compared": {"where", "revision"},
	"revocation.offline":         {"subject"}, "certificate.irregular": {"subject", "what"},
}

// key returns the same text for reasons that say the same.
func (r Reason) key() string {
	names, known := distinctBy[r.Code]
	if !known && strings.HasPrefix(r.Code, "change.") {
		names = []string{"where"}
	}
	key := r.Code
	for _, n := range names {
		key += "\x00" + r.Args[n]
	}
	return key
}

// CleanText turns text from a file into one line of bounded length, so that it cannot imitate a line of ours, and removes
// characters that change the direction of writing.
func CleanText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	var b strings.Builder
	b.Grow(min(len(s), utf8.UTFMax*maxArgument))
	n := 0
	for _, r := range s {
		if n == maxArgument {
			b.WriteRune('…')
			break
		}
		switch {
		case r < 0x20, r == 0x7f, r >= 0x80 && r < 0xa0, r == 0x2028, r == 0x2029:
			r = ' '
		case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0xfeff:
			continue
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// TimeLayout is the format of times in arguments, in UTC. A missing time is "-".
const TimeLayout = "2006-01-02 15:04:05 UTC"

// formatTime formats a time as an argument.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(TimeLayout)
}
