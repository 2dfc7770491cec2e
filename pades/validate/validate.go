package validate

import (
	"context"
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"slices"
	"time"

	"segel/cms"
	"segel/pades/validate/facts"
	"segel/revocation"
)

// Options of a validation. At and Trust are what it rests on.
type Options struct {
	// At is the moment that the file is judged for: now, or an earlier one.
	At time.Time
	// Trust is the roots; nil trusts nobody.
	Trust *Trust
	// Online asks for proof about certificates that the file brings none about, and for issuers that it lacks if it is a
	// [revocation.IssuerSource]; nil asks nobody.
	Online revocation.Source
	// OnlineWithin is how long Online may be asked in all, from the beginning of the judgement. What it has not told by then is missing
	// in the report, as if it had refused to tell. Zero: as long as the context lasts, with which the judgement ends.
	OnlineWithin time.Duration
	// Policy says which algorithms are relied on until when; zero is DefaultPolicy.
	Policy Policy
	// MaxMark is the share of a page, from 0 to 1, that what fields show which were signed or filled later may take up
	// before it counts as a change if it makes signed content unreadable. Fields of one revision count together, those of
	// all later ones up to twice as much. Zero is [DefaultMaxMark]. Duty stamps of the usual size are exempt.
	MaxMark float64
	// Explain has every check put down with its outcome.
	Explain bool
	// Limits bound what a hostile file can make it do.
	Limits facts.Limits
	// SHA256 of the file in hexadecimal, if it is known; it goes into the report.
	SHA256 string
	// Name is what the file is called in the report.
	Name string
	// Password opens an encrypted file.
	Password string
}

// DefaultMaxMark is a quarter of the page.
const DefaultMaxMark = 0.25

// validation is one file being judged. It lives as long as one call.
type validation struct {
	o              Options
	certificates   *certificatePool
	revocationData revocationData
	chainCache     map[chainKey]chainResult
	boundsByIssuer map[string]*validityBounds // by the name of an issuer
	statusFetched  map[[sha256.Size]byte]bool // proof about whom
	issuerFetched  map[[sha256.Size]byte]bool // the issuer of whom
	issuersFromNet map[[sha256.Size]byte]bool // certificates that came from the net, and that the file lacks
	fingerprints   map[*x509.Certificate][sha256.Size]byte
	descriptions   map[[sha256.Size]byte]Certificate
	unreachable    []string  // whom the net could not tell about
	askUntil       time.Time // when Online is asked no more; zero: never
	signatures     []*checkedSignature
	poes           []proofOfExistence // by trusted document timestamps, newest first
	chainChecks    int                // signatures of certificates that were checked, at most
	reasonCount    int                // changes that were put into words
	stepCount      int                // checks that were put down
	hasStore       bool               // the file has a document security store
	coveredPages   []int              // pages on which something allowed stands over what was signed
}

func newValidation(o Options) *validation {
	o.Policy = o.Policy.withDefaults(DefaultPolicy())
	if o.Trust == nil {
		o.Trust = &Trust{}
	}
	v := &validation{o: o, certificates: newCertificatePool(), chainCache: map[chainKey]chainResult{}, boundsByIssuer: map[string]*validityBounds{}, statusFetched: map[[sha256.Size]byte]bool{}, issuerFetched: map[[sha256.Size]byte]bool{}, issuersFromNet: map[[sha256.Size]byte]bool{},
		fingerprints: map[*x509.Certificate][sha256.Size]byte{}, descriptions: map[[sha256.Size]byte]Certificate{}}
	if o.OnlineWithin > 0 {
		v.askUntil = time.Now().Add(o.OnlineWithin)
	}
	return v
}

func (v *validation) trustAnchors() *Trust { return v.o.Trust }

// validateSignatures judges document timestamps from the newest to the oldest, since each is proof for all before it, and then
// the signatures.
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

// findPOE returns the earliest moment for which a trusted document timestamp behind a revision proves it, or the
// moment of validation.
func (v *validation) findPOE(revision int) (time.Time, *proofOfExistence) {
	at, best := v.o.At, (*proofOfExistence)(nil)
	for i, p := range v.poes {
		if revision > 0 && p.revision > revision && p.time.Before(at) {
			at, best = p.time, &v.poes[i]
		}
	}
	return at, best
}

// earliestExistence returns the earliest moment for which a piece of proof is proved to exist.
func (v *validation) earliestExistence(m *revocationItem) time.Time {
	at := v.o.At
	if m.attributeOf != nil && !m.attributeOf.bestTime.IsZero() && m.attributeOf.bestTime.Before(at) {
		at = m.attributeOf.bestTime // the timestamp on a signature is one on its signed attributes
	}
	for _, p := range v.poes {
		if m.revision > 0 && p.revision >= m.revision && p.time.Before(at) {
			at = p.time
		}
	}
	return at
}

// latestEarlierTime returns the latest moment that a signature of a revision is proved to come after: it covers a timestamp
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

// validateDocumentTimestamp judges a document timestamp and, if it holds, makes it a proof for all before it.
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
	// What it covers cannot be older by a later timestamp than this one by its own.
	t := s.tokens[0].Time
	if s.poe != nil && t.After(s.poe.time.Add(skew)) {
		s.addFailure(TimestampOrderFailure, newReason("time.order", "first", formatTime(t), "second", formatTime(s.poe.time)))
		return nil
	}
	v.poes = append(v.poes, proofOfExistence{
		time: t, revision: s.revision, authority: holderName(s.tokens[0].Authority), field: s.facts.Field, last: s.trust.lastRevision,
	})
	return nil
}

// validateToken judges one timestamp token of a subject and keeps what came out.
func (v *validation) validateToken(ctx context.Context, s *checkedSignature, t timestampToken) error {
	if t.err != nil {
		f := tokenFailure(t.err)
		s.tokenStatuses = append(s.tokenStatuses, trustStatus{sub: f.sub, reasons: []Reason{f.reason}})
		return nil
	}
	if t.Time.After(v.o.At.Add(skew)) {
		s.tokenStatuses = append(s.tokenStatuses, trustStatus{sub: TimestampOrderFailure, reasons: []Reason{newReason("time.future", "time", formatTime(t.Time))}})
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

// findWeakHashes returns what the policy has against the hashes that a certificate's holder signed with at a moment. Keys are a
// matter of the chain.
func (v *validation) findWeakHashes(c *x509.Certificate, hashes []crypto.Hash, at time.Time) []trustLimit {
	var list []trustLimit
	for i, h := range hashes {
		if h == 0 || slices.Contains(hashes[:i], h) { // 0: of a signature that could not be read so far
			continue
		}
		if l := v.o.Policy.findHashRule(h).limitFor(c, "algorithm.signature"); l != nil && l.until.Before(at) {
			list = append(list, *l)
		}
	}
	return list
}

// validateSignature judges a signature at the moment for which it is proved to exist.
func (v *validation) validateSignature(ctx context.Context, s *checkedSignature) error {
	if err := v.validateSignatureTimestamps(ctx, s); err != nil {
		return err
	}
	if s.failure != nil {
		s.addFailure(s.failure.sub, s.failure.reason)
	}
	if s.cert == nil {
		if s.failure == nil {
			s.addFailure(NoSigningCertificateFound, newReason("certificate.missing"))
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
		s.addFailure(SigConstraintsFailure, newReason("certificate.not_bound"))
	}
	if c := s.facts.Container; c != nil && len(c.Signers) > 1 {
		// Only one of them was looked at, and readers differ on which.
		s.addFailure(SigConstraintsFailure, newReason("format.signers", "count", formatInt(len(c.Signers))))
	}
	if c := s.facts.Container; c != nil && c.Content != nil && s.facts.Form != facts.FormSHA1 {
		// What it carries is shown by nobody, and readers differ on what was signed.
		s.addFailure(SigConstraintsFailure, newReason("format.content", "form", string(s.facts.SubFilter)))
	}
	return nil
}

// validateSignatureTimestamps judges the timestamps on a signature value. The earliest that holds may prove it to be older than the
// document timestamps behind it do.
func (v *validation) validateSignatureTimestamps(ctx context.Context, s *checkedSignature) error {
	for i, t := range s.tokens {
		if err := v.validateToken(ctx, s, t); err != nil {
			return err
		}
		st := s.tokenStatuses[i]
		if st.sub != "" {
			s.addReasons(newReason("time.token_untrusted", "time", t.timeText(), "authority", t.authorityName()))
			s.addReasons(st.reasons...)
			continue
		}
		s.addReasons(st.notes...)
		if s.poe != nil && t.Time.After(s.poe.time.Add(skew)) {
			s.addFailure(TimestampOrderFailure, newReason("time.order", "first", formatTime(t.Time), "second", formatTime(s.poe.time)))
			continue
		}
		if t.Time.Before(s.bestTime) {
			s.bestTime = t.Time
			s.poe = &proofOfExistence{time: t.Time, revision: s.revision, authority: holderName(t.Authority), last: st.lastRevision}
		}
	}
	if s.poe == nil {
		s.addReasons(newReason("time.unproven"))
	}
	return nil
}

// findIrregularEncodings tells which certificates of a signature's chain, or only the signer's if there is none, crypto/x509 does
// not read.
func (v *validation) findIrregularEncodings(s *checkedSignature) []Reason {
	certs := s.trust.chain
	if certs == nil {
		certs = chain{s.cert}
	}
	var list []Reason
	for _, c := range certs {
		if err := cms.CheckEncoding(c); err != nil {
			r := newReason("certificate.irregular", "subject", holderName(c), "what", encodingFault(err))
			if !slices.ContainsFunc(s.reasons, func(have Reason) bool { return have.English == r.English }) {
				list = append(list, r)
			}
		}
	}
	return list
}

func (t timestampToken) timeText() string {
	if t.Token == nil {
		return "-"
	}
	return formatTime(t.Time)
}

func (t timestampToken) authorityName() string {
	if t.Token == nil {
		return "-"
	}
	return holderName(t.Authority)
}
