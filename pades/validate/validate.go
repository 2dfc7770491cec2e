// Package validate validates the signatures of a PDF file: whether each can be relied on, when it provably existed,
// with whose certificate it was made, and what became of the content since.
//
// Package facts finds what each signature covers, whether its mathematics are right and what later revisions changed,
// without any policy. [ValidateFacts] adds trust, time and policy, and returns the indications of ETSI EN 319 102-1:
// TOTAL-PASSED, INDETERMINATE and TOTAL-FAILED with a sub-indication. Besides, a report has the state of the content
// ([Integrity]) and the proved PAdES level. The results for a file are never better than those of its worst signature.
//
// Time is proved from the newest to the oldest revision. The newest document timestamp is validated at the time of
// validation; each valid one proves the existence (POE) of everything in the revisions before it, so that the next
// older timestamp, the validation data and the signatures are validated at that time. A certificate that expired or was
// revoked later does no harm.
//
// Claims of a file are not believed, and a file cannot make its validation cost more than the limits: the certificates,
// revocation data, chains and signatures examined are bounded.
package validate

import (
	"cmp"
	"context"
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"

	"segel/certpath"
	"segel/cms"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/revocation"
)

// Options of a validation. Set at least At and Trust.
type Options struct {
	// At is the time of validation: now or earlier.
	At time.Time
	// Trust is the set of trust anchors; nil trusts none.
	Trust *Trust
	// Online fetches revocation data that the file lacks, and missing issuers if it is a [revocation.IssuerSource]; nil
	// fetches nothing.
	Online revocation.Source
	// OnlineTimeout bounds all queries to Online together, from the start of the validation. What was not answered by then is missing
	// in the report, as if Online had failed. Zero: as long as the context lasts, with which the validation ends.
	OnlineTimeout time.Duration
	// Policy states until when algorithms are relied on; zero is DefaultPolicy.
	Policy Policy
	// MaxMark is the share of a page, from 0 to 1, that later filled or signed fields may cover before it counts as a change
	// if they make signed content unreadable. Fields of one revision count together, those of all later ones up to twice as
	// much. Zero is [DefaultMaxMark].
	MaxMark float64
	// Exempt reports whether a signature shown in that box, in points as displayed, is exempt from MaxMark; nil exempts none.
	Exempt func(s *facts.Signature, shown pdf.Rect) bool
	// Explain adds every check with its result.
	Explain bool
	// Limits bound what a hostile file can cost.
	Limits facts.Limits
	// SHA256 of the file in hexadecimal, for the report; or empty.
	SHA256 string
	// Name of the file, for the report.
	Name string
	// Password opens an encrypted file.
	Password string
}

// DefaultMaxMark is a quarter of the page.
const DefaultMaxMark = 0.25

// ErrUnreadable is a file that cannot be opened as a PDF; it wraps the cause.
var ErrUnreadable = facts.ErrUnreadable

// ErrNoTime is a validation without Options.At.
var ErrNoTime = errors.New("no time of validation")

// Validate validates the signatures of a file. It reads r once from end to end. Defects of the file are in the report.
// Errors: ErrUnreadable, those of r, and ctx's.
func Validate(ctx context.Context, r io.ReaderAt, size int64, o Options) (*Report, error) {
	if o.At.IsZero() {
		return nil, ErrNoTime
	}
	f, err := facts.Read(ctx, r, size, o.FactsOptions())
	if err != nil {
		return nil, err
	}
	return ValidateFacts(ctx, f, o)
}

// FactsOptions returns the options for [facts.Read], so that [ValidateFacts] returns what [Validate] does.
func (o Options) FactsOptions() facts.Options {
	return facts.Options{Limits: o.Limits, Password: o.Password, MarkArea: cmp.Or(o.MaxMark, DefaultMaxMark), Exempt: o.Exempt}
}

// ValidateFacts validates facts that were read before with [Options.FactsOptions]. Options.MaxMark and Options.Exempt
// have no effect here.
func ValidateFacts(ctx context.Context, f *facts.File, o Options) (*Report, error) {
	if o.At.IsZero() {
		return nil, ErrNoTime
	}
	v := newValidation(o)
	v.collectFacts(f)
	if err := v.validateSignatures(ctx); err != nil {
		return nil, err
	}
	return v.buildReport(f), nil
}

// validation is the validation of one file.
type validation struct {
	o             Options
	paths         *certpath.Builder
	revocations   revocation.Store
	statusFetches int // certificates whose revocation data was fetched
	descriptions  map[[sha256.Size]byte]Certificate
	unreachable   []string  // holders without an answer from the network
	onlineUntil   time.Time // when Online is not queried any more; zero: never
	signatures    []*checkedSignature
	poes          []proofOfExistence // of trusted document timestamps, newest first
	reasonCount   int                // for changes
	stepCount     int
	hasStore      bool  // the file has a document security store
	coveredPages  []int // on which something allowed covers signed content
}

func newValidation(o Options) *validation {
	o.Policy = o.Policy.withDefaults(DefaultPolicy())
	if o.Trust == nil {
		o.Trust = &Trust{}
	}
	limits := certpath.Limits{Candidates: maxCandidates, RSABits: maxRSABits, Checks: maxChecks, Fetches: maxFetches}
	v := &validation{o: o, paths: certpath.NewBuilder(&o.Trust.anchors, limits), descriptions: map[[sha256.Size]byte]Certificate{}}
	if o.OnlineTimeout > 0 {
		v.onlineUntil = time.Now().Add(o.OnlineTimeout)
	}
	return v
}

// validateSignatures validates the document timestamps from the newest to the oldest, since each proves the existence
// of all before it, and then the signatures.
func (v *validation) validateSignatures(ctx context.Context) error {
	newestFirst := slices.Clone(v.signatures)
	slices.SortStableFunc(newestFirst, func(a, b *checkedSignature) int { return b.revision - a.revision })
	for _, documents := range []bool{true, false} {
		for _, s := range newestFirst {
			if s.isDocumentTimestamp != documents {
				continue
			}
			if err := v.validateItem(ctx, s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *validation) validateItem(ctx context.Context, s *checkedSignature) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.bestTime, s.poe = v.findPOE(s.revision)
	s.madeAfter = v.latestEarlierTime(s.revision)
	if s.isDocumentTimestamp {
		return v.validateDocumentTimestamp(ctx, s)
	}
	return v.validateSignature(ctx, s)
}

// findPOE returns the earliest time at which a trusted later document timestamp proves the existence of a revision, or
// the time of validation.
func (v *validation) findPOE(revision int) (time.Time, *proofOfExistence) {
	at, best := v.o.At, (*proofOfExistence)(nil)
	for i, p := range v.poes {
		if revision > 0 && p.revision > revision && p.time.Before(at) {
			at, best = p.time, &v.poes[i]
		}
	}
	return at, best
}

// earliestExistence returns the earliest time at which an item of revocation data is proved to exist.
func (v *validation) earliestExistence(m *revocation.Item) time.Time {
	at := v.o.At
	if m.SignedBy > 0 {
		// A signature timestamp also covers the signed attributes, as far as the signature value does.
		if s := v.signatures[m.SignedBy-1]; s.failure == nil && !s.bestTime.IsZero() && s.bestTime.Before(at) {
			at = s.bestTime
		}
	}
	for _, p := range v.poes {
		// A document timestamp covers the store of its revision, but not its own container.
		covered := p.revision > m.Revision || p.revision == m.Revision && m.Origin == revocation.FromDSS
		if m.Revision > 0 && covered && p.time.Before(at) {
			at = p.time
		}
	}
	return at
}

// latestEarlierTime returns the latest time that a signature of a revision is proved to follow: it covers a timestamp
// of that time.
func (v *validation) latestEarlierTime(revision int) time.Time {
	var after time.Time
	for _, p := range v.poes {
		if p.revision < revision && p.time.After(after) {
			after = p.time
		}
	}
	return after
}

// validateDocumentTimestamp validates a document timestamp. If it is valid it becomes a proof of existence for all
// before it.
func (v *validation) validateDocumentTimestamp(ctx context.Context, s *checkedSignature) error {
	if s.failure != nil {
		s.addFailure(s.failure.sub, s.failure.reason)
		return nil
	}
	if err := v.validateToken(ctx, s, s.tokens[0]); err != nil {
		return err
	}
	s.trust = s.tokenStatuses[0]
	if s.trust.sub != "" {
		s.addFailure(s.trust.sub, s.trust.reasons...)
		return nil
	}
	s.addReasons(s.trust.notes...)
	// A later timestamp covers this one and cannot be older.
	t := s.tokens[0].Time
	if s.poe != nil && t.After(s.poe.time.Add(cms.ClockSkew)) {
		s.addFailure(TimestampOrderFailure, NewReason("time.order", "first", formatTime(t), "second", formatTime(s.poe.time)))
		return nil
	}
	v.poes = append(v.poes, proofOfExistence{
		time: t, revision: s.revision, authority: holderName(s.tokens[0].Authority), field: s.facts.Field, last: s.trust.lastRevision,
	})
	return nil
}

// validateToken validates one timestamp token of a signature and stores the result.
func (v *validation) validateToken(ctx context.Context, s *checkedSignature, t timestampToken) error {
	if t.err != nil {
		f := tokenFailure(t.err)
		s.tokenStatuses = append(s.tokenStatuses, trustStatus{sub: f.sub, reasons: []Reason{f.reason}})
		return nil
	}
	if t.Time.After(v.o.At.Add(cms.ClockSkew)) {
		s.tokenStatuses = append(s.tokenStatuses, trustStatus{sub: TimestampOrderFailure, reasons: []Reason{NewReason("time.future", "time", formatTime(t.Time))}})
		return nil
	}
	if from := t.Authority.NotBefore; t.Time.Before(from) {
		// Its key was not certified at that time, so an authority, or an attacker who has its key, cannot go back before it.
		why := NewReason("time.before_certificate", append(t.reasonArgs(), "from", formatTime(from))...)
		s.tokenStatuses = append(s.tokenStatuses, trustStatus{sub: NotYetValid, reasons: []Reason{why}})
		return nil
	}
	exists, _ := v.findPOE(s.revision)
	st, err := v.validateCertificate(ctx, certificateUse{cert: t.Authority, purpose: ForTime, bestTime: exists, claimed: t.Time})
	if err != nil {
		return err
	}
	for _, a := range v.findWeakHashes(t.Authority, append(t.Signed, t.Hash), exists) {
		if st.sub == "" || st.sub.mainIndication() == Indeterminate {
			st.sub = a.sub
		}
		st.reasons = append(st.reasons, a.newReason())
	}
	s.tokenStatuses = append(s.tokenStatuses, st)
	return nil
}

// findWeakHashes returns the hashes that the policy no longer accepts at that time. Keys are checked with the chain.
func (v *validation) findWeakHashes(c *x509.Certificate, hashes []crypto.Hash, at time.Time) []trustLimit {
	var list []trustLimit
	for i, h := range hashes {
		if h == 0 || slices.Contains(hashes[:i], h) { // 0: of a signature that could not be read
			continue
		}
		if l := v.o.Policy.findHashRule(h).limitFor(c, "algorithm.signature"); l != nil && l.until.Before(at) {
			list = append(list, *l)
		}
	}
	return list
}

// validateSignature validates a signature at its best time.
func (v *validation) validateSignature(ctx context.Context, s *checkedSignature) error {
	if err := v.validateSignatureTimestamps(ctx, s); err != nil {
		return err
	}
	if s.failure != nil {
		s.addFailure(s.failure.sub, s.failure.reason)
	}
	if s.cert == nil {
		if s.failure == nil {
			s.addFailure(NoSigningCertificateFound, NewReason("certificate.missing"))
		}
		return nil
	}
	var err error
	s.trust, err = v.validateCertificate(ctx, certificateUse{cert: s.cert, purpose: ForSigning, bestTime: s.bestTime, madeAfter: s.madeAfter})
	if err != nil {
		return err
	}
	if s.trust.sub != "" {
		s.addFailure(s.trust.sub, s.trust.reasons...)
	}
	for _, l := range v.findWeakHashes(s.cert, s.usedHashes(), s.bestTime) {
		s.addFailure(l.sub, l.newReason())
	}
	s.addReasons(v.findIrregularEncodings(s)...)
	if s.form == formPAdES && !s.bound {
		s.addFailure(SigConstraintsFailure, NewReason("certificate.not_bound"))
	}
	if c := s.facts.Container; c != nil && len(c.Signers) > 1 {
		// Only one was verified, and readers differ in which.
		s.addFailure(SigConstraintsFailure, NewReason("format.signers", "count", strconv.Itoa(len(c.Signers))))
	}
	if c := s.facts.Container; c != nil && c.Content != nil && s.facts.Form != facts.FormSHA1 {
		// Readers do not show it, and differ in what was signed.
		s.addFailure(SigConstraintsFailure, NewReason("format.content", "form", string(s.facts.SubFilter)))
	}
	return nil
}

// validateSignatureTimestamps validates the timestamps on a signature value. The earliest valid one may prove an
// earlier time than the document timestamps.
func (v *validation) validateSignatureTimestamps(ctx context.Context, s *checkedSignature) error {
	for i, t := range s.tokens {
		if err := v.validateToken(ctx, s, t); err != nil {
			return err
		}
		st := s.tokenStatuses[i]
		if st.sub != "" {
			s.addReasons(NewReason("time.token_untrusted", t.reasonArgs()...))
			s.addReasons(st.reasons...)
			continue
		}
		s.addReasons(st.notes...)
		if s.poe != nil && t.Time.After(s.poe.time.Add(cms.ClockSkew)) {
			s.addFailure(TimestampOrderFailure, NewReason("time.order", "first", formatTime(t.Time), "second", formatTime(s.poe.time)))
			continue
		}
		if t.Time.Before(s.bestTime) {
			s.bestTime = t.Time
			s.poe = &proofOfExistence{time: t.Time, revision: s.revision, authority: holderName(t.Authority), last: st.lastRevision}
		}
	}
	if s.poe == nil {
		s.addReasons(NewReason("time.unproven"))
	}
	return nil
}

// findIrregularEncodings returns the certificates of a signature's chain, or the signer's without one, that crypto/x509
// does not parse.
func (v *validation) findIrregularEncodings(s *checkedSignature) []Reason {
	certs := s.trust.chain
	if certs == nil {
		certs = certpath.Path{s.cert}
	}
	var list []Reason
	for _, c := range certs {
		if err := cms.CheckEncoding(c); err != nil {
			r := NewReason("certificate.irregular", "subject", holderName(c), "what", encodingFault(err))
			if !slices.ContainsFunc(s.reasons, func(have Reason) bool { return have.key() == r.key() }) {
				list = append(list, r)
			}
		}
	}
	return list
}

// reasonArgs returns the arguments of a reason that name the timestamp; "-" for what could not be read.
func (t timestampToken) reasonArgs() []string {
	if t.Token == nil {
		return []string{"time", "-", "authority", "-"}
	}
	return []string{"time", formatTime(t.Time), "authority", holderName(t.Authority)}
}
