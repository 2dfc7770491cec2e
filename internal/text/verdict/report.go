package verdict

import (
	"time"

	"segel/internal/emeterai"
	"segel/pades/validate"
)

// Format names the shape of a Report in JSON. It changes when a member changes its meaning or is removed; new members do
// not change it.
const Format = "segel-validation-1"

// Report is the result for one file as the interface returns it. docs/validation.md describes its members.
type Report struct {
	Format string        `json:"format" enum:"segel-validation-1" doc:"shape of this report"`
	File   validate.File `json:"file"`
	At     validate.Time `json:"at" doc:"time of validation"`

	Indication    validate.Indication    `json:"indication" enum:"TOTAL-PASSED,INDETERMINATE,TOTAL-FAILED" doc:"never better than that of the worst signature; INDETERMINATE if there is none"`
	SubIndication validate.SubIndication `json:"sub_indication" doc:"of the worst signature; empty if all passed"`
	Integrity     validate.Integrity     `json:"integrity" doc:"the worst of all signatures: intact; intact, later changes allowed; cannot be judged; changed after signing; or: not signed"`
	Summary       Reason                 `json:"summary" doc:"the file in one sentence"`

	Signatures []Signature `json:"signatures" doc:"in the order in which they were added to the file"`
	Revisions  []Revision  `json:"revisions" doc:"what each state of the file changed, from the one after the first signature on"`
	Warnings   []Reason    `json:"warnings" doc:"of the file: hidden content, scripts and the like"`
	Stamps     []Stamp     `json:"stamps" doc:"duty stamps among the signatures"`
	Removed    *Reason     `json:"removed,omitempty" doc:"the service had exactly this file, and removed it at the end of its retention; missing: not known"`
}

// KindStamp is the kind of a signature that is a duty stamp. The other kinds are those of package validate.
const KindStamp = "stamp"

// Signature is the result for one signature or document timestamp.
type Signature struct {
	Field    string `json:"field" doc:"fully qualified name of the field"`
	Kind     string `json:"kind" enum:"signature,certification,timestamp,stamp"`
	Form     string `json:"form" doc:"SubFilter in the file"`
	Revision int    `json:"revision" doc:"the state of the file that it closes, from 1; 0 if none"`
	Page     int    `json:"page" doc:"on which it shows, from 1; 0 if on none"`

	Indication    validate.Indication    `json:"indication" enum:"TOTAL-PASSED,INDETERMINATE,TOTAL-FAILED"`
	SubIndication validate.SubIndication `json:"sub_indication"`
	Integrity     validate.Integrity     `json:"integrity" doc:"intact; intact, later changes allowed; cannot be judged; or: changed after signing"`
	Level         validate.Level         `json:"level" doc:"B-B, B-T, B-LT or B-LTA as far as proved; the name of an older form; empty if nothing was proved"`
	Summary       Reason                 `json:"summary" doc:"the signature in one sentence"`
	Reasons       []Reason               `json:"reasons" doc:"why it has not passed, and what it lacks for the next level"`

	Signer     *validate.Certificate  `json:"signer" doc:"null if the certificate was not found"`
	Identity   *Identity              `json:"identity" doc:"what was verified about the signer, how and by whom; null for a document timestamp"`
	Chain      []validate.Certificate `json:"chain" doc:"from the signer to the trusted root; empty if there is none"`
	Claimed    validate.Claims        `json:"claimed" doc:"what the signature claims; not proved"`
	Proven     *validate.Proof        `json:"proven" doc:"the earliest time at which its existence is proved; null if only the present proves it"`
	Covers     validate.Cover         `json:"covers"`
	Later      []Change               `json:"later" doc:"what was added later; denied changes first if there are too many"`
	Timestamps []Timestamp            `json:"timestamps" doc:"on this signature; for a document timestamp itself"`
	Steps      []Step                 `json:"steps,omitempty" doc:"every check with its result, on request"`

	Authentication *Authentication `json:"authentication" doc:"how the signer was authenticated, as the signature states it; null if it states nothing"`
}

// Identity is what was verified about a signer, how and by whom.
type Identity struct {
	Status     validate.IdentityStatus `json:"status" enum:"attested,unverified,not_recorded,unknown"`
	Assurance  string                  `json:"assurance" doc:"code of what the issuer's policy stands for; empty if unknown"`
	Verified   []string                `json:"verified" doc:"what was verified, in codes"`
	VerifiedBy string                  `json:"verified_by" doc:"who verified it; empty if nothing was verified, or it is unknown"`
	Name       string                  `json:"name" doc:"of the signer, as given to the issuer"`
	NamedBy    string                  `json:"named_by" doc:"who entered the name of an unverified signer"`

	Organisation string `json:"organisation" doc:"of the signer, or of the person who named them"`
	Statement    Reason `json:"statement" doc:"all of it, to follow the word identity"`
}

// Authentication is how a signer was authenticated, as a signed attribute of the signature states it.
type Authentication struct {
	Factor       string `json:"factor" doc:"how, as in the events of signatures; empty if the statement cannot be read"`
	ForSignature bool   `json:"for_signature" doc:"they proved it for this signature; else at the login"`
	Key          string `json:"key" doc:"name of the API key, as its holder chose it; empty for other factors"`
	StatedBy     string `json:"stated_by" enum:"service,signature" doc:"service: by the service that issued the certificate and holds its key; signature: a claim of the signature alone, which nothing confirms"`
	Statement    Reason `json:"statement" doc:"all of it"`
}

// Who states how a signer was authenticated.
const (
	StatedByService   = "service"
	StatedBySignature = "signature"
)

// Timestamp is the result for one timestamp token.
type Timestamp struct {
	Time          validate.Time          `json:"time"`
	Authority     string                 `json:"authority"`
	Indication    validate.Indication    `json:"indication" enum:"TOTAL-PASSED,INDETERMINATE,TOTAL-FAILED"`
	SubIndication validate.SubIndication `json:"sub_indication"`
	Reasons       []Reason               `json:"reasons"`
	Chain         []validate.Certificate `json:"chain"`
}

// Revision is what one state of the file changed.
type Revision struct {
	Revision int                    `json:"revision"`
	What     []Reason               `json:"what"`
	Filled   []validate.FilledField `json:"filled" doc:"form fields, other than signature fields, that it filled in, by page and name; whether a signature permits that is in its later"`
}

// Change is one later revision from the point of view of a signature.
type Change struct {
	Revision int      `json:"revision"`
	Allowed  bool     `json:"allowed"`
	What     []Reason `json:"what" doc:"the denied changes, or what an allowed revision covers"`
}

// Step is one check.
type Step struct {
	Check  string   `json:"check" doc:"code of the check"`
	Result string   `json:"result" enum:"passed,failed,unknown,noted"`
	Clause string   `json:"clause" doc:"that requires it"`
	What   Reason   `json:"what"`
	Paths  []string `json:"paths" doc:"of the objects concerned"`
}

// Stamp is a duty stamp.
type Stamp struct {
	Field      string     `json:"field"`
	Serial     string     `json:"serial" doc:"empty if unknown"`
	Reason     string     `json:"reason" doc:"after the serial"`
	Office     string     `json:"office" doc:"as its certificate says"`
	Specimen   bool       `json:"specimen" doc:"without legal value"`
	Trusted    bool       `json:"trusted" doc:"the signature passed"`
	Recognised bool       `json:"recognised" doc:"its chain contains a certificate trusted for duty stamps"`
	Page       int        `json:"page"`
	Box        [4]float64 `json:"box" doc:"llx, lly, urx, ury in points from the lower left of the page as displayed"`
	Twice      bool       `json:"twice" doc:"the serial occurs twice in this file"`
	Elsewhere  string     `json:"elsewhere" enum:"yes,no,unknown"`
	Summary    Reason     `json:"summary"`
	Reasons    []Reason   `json:"reasons" doc:"what speaks against it"`
}

// New renders the result of a validation, and the duty stamps found in it.
func New(r *validate.Report, stamps []emeterai.Stamp) *Report {
	out := &Report{
		Format: Format, File: r.File, At: r.At, Indication: r.Indication, SubIndication: r.SubIndication, Integrity: r.Integrity,
		Summary: renderReason(r.Summary), Signatures: []Signature{}, Revisions: []Revision{}, Warnings: renderReasons(r.Warnings), Stamps: []Stamp{},
	}
	for i := range r.Signatures {
		out.Signatures = append(out.Signatures, newSignature(&r.Signatures[i]))
	}
	for i := range stamps {
		s := &stamps[i]
		out.Signatures[s.Signature].Kind = KindStamp
		out.Stamps = append(out.Stamps, Stamp{
			Field: s.Field, Serial: s.Serial, Reason: s.Reason, Office: s.Office, Specimen: s.Specimen, Trusted: s.Trusted, Recognised: s.Recognised,
			Page: s.Page, Box: s.Box, Twice: s.Twice, Elsewhere: s.Elsewhere, Summary: renderReason(s.Summary()), Reasons: renderReasons(s.Problems()),
		})
	}
	for _, v := range r.Revisions {
		out.Revisions = append(out.Revisions, Revision{v.Revision, renderReasons(v.What), append([]validate.FilledField{}, v.Filled...)})
	}
	return out
}

// removedCode is the code of [Report.Removed].
const removedCode = "file.removed"

// AddRemoval adds that the service had this file and removed it.
func (r *Report) AddRemoval(at time.Time) {
	reason := renderReason(validate.NewReason(removedCode, "at", at.UTC().Format(validate.TimeLayout)))
	r.Removed = &reason
}

// Passed reports whether there is a signature, all are TOTAL-PASSED and no later change was denied.
func (r *Report) Passed() bool {
	return r.Indication == validate.TotalPassed && len(r.Signatures) > 0 && (r.Integrity == validate.Intact || r.Integrity == validate.IntactLater)
}

// Tone is how a report looks.
type Tone uint8

// The tones.
const (
	Unsure Tone = iota
	Good
	Bad
)

// Tone returns the tone of the worst part of a report: of its own result and of each signature. A valid signature of a signer whom
// its issuer did not verify is not good.
func (r *Report) Tone() Tone {
	tone := toneOf(r.Indication, r.Integrity, nil)
	if len(r.Signatures) == 0 && tone == Good {
		tone = Unsure
	}
	for i := range r.Signatures {
		switch s := &r.Signatures[i]; toneOf(s.Indication, s.Integrity, s.Identity) {
		case Bad:
			return Bad
		case Unsure:
			if tone == Good {
				tone = Unsure
			}
		}
	}
	return tone
}

func toneOf(i validate.Indication, content validate.Integrity, who *Identity) Tone {
	switch {
	case i == validate.TotalFailed || content == validate.ChangedAfter:
		return Bad
	case i == validate.TotalPassed && (content == validate.Intact || content == validate.IntactLater) && (who == nil || who.Status != validate.IdentityUnverified && who.Status != validate.IdentityNotRecorded):
		return Good
	}
	return Unsure
}

func newSignature(s *validate.Signature) Signature {
	out := Signature{
		Field: s.Field, Kind: s.Kind, Form: s.Form, Revision: s.Revision, Page: s.Page,
		Indication: s.Indication, SubIndication: s.SubIndication, Integrity: s.Integrity, Level: s.Level,
		Summary: renderWith(s.Summary, s.Identity), Reasons: renderReasons(s.Reasons),
		Signer: s.Signer, Chain: s.Chain, Claimed: s.Claimed, Proven: s.Proven, Covers: s.Covers, Later: []Change{}, Timestamps: []Timestamp{},
	}
	if i := s.Identity; i != nil {
		out.Identity = &Identity{
			Status: i.Status, Assurance: i.Assurance, Verified: i.Verified, VerifiedBy: i.VerifiedBy, Name: i.Name, NamedBy: i.NamedBy,
			Organisation: i.Organisation, Statement: renderReason(i.Statement),
		}
	}
	out.Authentication = newAuthentication(s)
	for _, c := range s.Later {
		out.Later = append(out.Later, Change{c.Revision, c.Allowed, renderReasons(c.What)})
	}
	for _, t := range s.Timestamps {
		out.Timestamps = append(out.Timestamps, Timestamp{t.Time, t.Authority, t.Indication, t.SubIndication, renderReasons(t.Reasons), t.Chain})
	}
	for _, x := range s.Steps {
		out.Steps = append(out.Steps, Step{x.Check, x.Result, x.Clause, renderReason(x.What), x.Paths})
	}
	return out
}
