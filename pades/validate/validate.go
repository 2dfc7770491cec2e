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
	o         Options
	pool      *pool
	materials materials
	built     map[chainKey]built
	bounds    map[string]*bounds         // by the name of an issuer
	fetched   map[[sha256.Size]byte]bool // proof about whom
	climbed   map[[sha256.Size]byte]bool // the issuer of whom
	borrowed  map[[sha256.Size]byte]bool // certificates that came from the net, and that the file lacks
	sums      map[*x509.Certificate][sha256.Size]byte
	described map[[sha256.Size]byte]Certificate
	offline   []string  // whom the net could not tell about
	askUntil  time.Time // when Online is asked no more; zero: never
	subjects  []*subject
	proofs    []existence // by trusted document timestamps, newest first
	checks    int         // signatures of certificates that were checked, at most
	told      int         // changes that were put into words
	steps     int         // checks that were put down
	store     bool        // the file has a document security store
	hidden    []int       // pages on which something allowed stands over what was signed
}

func newValidation(o Options) *validation {
	o.Policy = o.Policy.or(DefaultPolicy())
	if o.Trust == nil {
		o.Trust = &Trust{}
	}
	v := &validation{o: o, pool: newPool(), built: map[chainKey]built{}, bounds: map[string]*bounds{}, fetched: map[[sha256.Size]byte]bool{}, climbed: map[[sha256.Size]byte]bool{}, borrowed: map[[sha256.Size]byte]bool{},
		sums: map[*x509.Certificate][sha256.Size]byte{}, described: map[[sha256.Size]byte]Certificate{}}
	if o.OnlineWithin > 0 {
		v.askUntil = time.Now().Add(o.OnlineWithin)
	}
	return v
}

func (v *validation) trust() *Trust { return v.o.Trust }

// judgeAll judges document timestamps from the newest to the oldest, since each is proof for all before it, and then
// the signatures.
func (v *validation) judgeAll(ctx context.Context) error {
	newestFirst := slices.Clone(v.subjects)
	slices.SortStableFunc(newestFirst, func(a, b *subject) int { return b.revision - a.revision })
	for _, documents := range []bool{true, false} {
		for _, s := range newestFirst {
			if s.document != documents {
				continue
			}
			if err := v.judgeOne(ctx, s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *validation) judgeOne(ctx context.Context, s *subject) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.exists, s.proof = v.proven(s.revision)
	s.after = v.youngerThan(s.revision)
	if s.document {
		return v.judgeDocumentTimestamp(ctx, s)
	}
	return v.judgeSignature(ctx, s)
}

// proven returns the earliest moment for which a trusted document timestamp behind a revision proves it, or the
// moment of validation.
func (v *validation) proven(revision int) (time.Time, *existence) {
	at, best := v.o.At, (*existence)(nil)
	for i, p := range v.proofs {
		if revision > 0 && p.revision > revision && p.time.Before(at) {
			at, best = p.time, &v.proofs[i]
		}
	}
	return at, best
}

// existed returns the earliest moment for which a piece of proof is proved to exist.
func (v *validation) existed(m *material) time.Time {
	at := v.o.At
	if m.within != nil && !m.within.exists.IsZero() && m.within.exists.Before(at) {
		at = m.within.exists // the timestamp on a signature is one on its signed attributes
	}
	for _, p := range v.proofs {
		if m.revision > 0 && p.revision >= m.revision && p.time.Before(at) {
			at = p.time
		}
	}
	return at
}

// youngerThan returns the latest moment that a signature of a revision is proved to come after: it covers a timestamp
// of that time.
func (v *validation) youngerThan(revision int) time.Time {
	var after time.Time
	for _, p := range v.proofs {
		if p.revision < revision && p.time.After(after) {
			after = p.time
		}
	}
	return after
}

// judgeDocumentTimestamp judges a document timestamp and, if it holds, makes it a proof for all before it.
func (v *validation) judgeDocumentTimestamp(ctx context.Context, s *subject) error {
	if s.broken != nil {
		s.fail(s.broken.sub, s.broken.reason)
		return nil
	}
	if err := v.judgeToken(ctx, s, s.tokens[0]); err != nil {
		return err
	}
	s.standing = s.times[0]
	if s.standing.sub != "" {
		s.fail(s.standing.sub, s.standing.reasons...)
		return nil
	}
	s.note(s.standing.notes...)
	// What it covers cannot be older by a later timestamp than this one by its own.
	t := s.tokens[0].Time
	if s.proof != nil && t.After(s.proof.time.Add(skew)) {
		s.fail(TimestampOrderFailure, reason("time.order", "first", stamp(t), "second", stamp(s.proof.time)))
		return nil
	}
	v.proofs = append(v.proofs, existence{
		time: t, revision: s.revision, authority: name(s.tokens[0].Authority), field: s.facts.Field, last: s.standing.lastRevision,
	})
	return nil
}

// judgeToken judges one timestamp token of a subject and keeps what came out.
func (v *validation) judgeToken(ctx context.Context, s *subject, t token) error {
	if t.err != nil {
		f := tokenFailure(t.err)
		s.times = append(s.times, standing{sub: f.sub, reasons: []Reason{f.reason}})
		return nil
	}
	if t.Time.After(v.o.At.Add(skew)) {
		s.times = append(s.times, standing{sub: TimestampOrderFailure, reasons: []Reason{reason("time.future", "time", stamp(t.Time))}})
		return nil
	}
	exists, _ := v.proven(s.revision)
	st, err := v.judge(ctx, question{cert: t.Authority, purpose: ForTime, exists: exists, claimed: t.Time})
	if err != nil {
		return err
	}
	for _, a := range v.weak(t.Authority, append(t.Signed, t.Hash), exists) {
		if st.sub == "" || st.sub.indication() == Indeterminate {
			st.sub = a.sub
		}
		st.reasons = append(st.reasons, a.reason())
	}
	s.times = append(s.times, st)
	return nil
}

// weak returns what the policy has against the hashes that a certificate's holder signed with at a moment. Keys are a
// matter of the chain.
func (v *validation) weak(c *x509.Certificate, hashes []crypto.Hash, at time.Time) []limit {
	var list []limit
	for i, h := range hashes {
		if h == 0 || slices.Contains(hashes[:i], h) { // 0: of a signature that could not be read so far
			continue
		}
		if l := v.o.Policy.hash(h).limit(c, "algorithm.signature"); l != nil && l.until.Before(at) {
			list = append(list, *l)
		}
	}
	return list
}

// judgeSignature judges a signature at the moment for which it is proved to exist.
func (v *validation) judgeSignature(ctx context.Context, s *subject) error {
	if err := v.bestTime(ctx, s); err != nil {
		return err
	}
	if s.broken != nil {
		s.fail(s.broken.sub, s.broken.reason)
	}
	if s.cert == nil {
		if s.broken == nil {
			s.fail(NoSigningCertificateFound, reason("certificate.missing"))
		}
		return nil
	}
	var err error
	s.standing, err = v.judge(ctx, question{cert: s.cert, purpose: ForSigning, exists: s.exists, after: s.after})
	if err != nil {
		return err
	}
	if s.standing.sub != "" {
		s.fail(s.standing.sub, s.standing.reasons...)
	}
	for _, l := range v.weak(s.cert, s.hashes(), s.exists) {
		s.fail(l.sub, l.reason())
	}
	s.note(v.irregularities(s)...)
	if s.form == formPAdES && !s.bound {
		s.fail(SigConstraintsFailure, reason("certificate.not_bound"))
	}
	if c := s.facts.Container; c != nil && len(c.Signers) > 1 {
		// Only one of them was looked at, and readers differ on which.
		s.fail(SigConstraintsFailure, reason("format.signers", "count", itoa(len(c.Signers))))
	}
	if c := s.facts.Container; c != nil && c.Content != nil && s.facts.Form != facts.FormSHA1 {
		// What it carries is shown by nobody, and readers differ on what was signed.
		s.fail(SigConstraintsFailure, reason("format.content", "form", string(s.facts.SubFilter)))
	}
	return nil
}

// bestTime judges the timestamps on a signature value. The earliest that holds may prove it to be older than the
// document timestamps behind it do.
func (v *validation) bestTime(ctx context.Context, s *subject) error {
	for i, t := range s.tokens {
		if err := v.judgeToken(ctx, s, t); err != nil {
			return err
		}
		st := s.times[i]
		if st.sub != "" {
			s.note(reason("time.token_untrusted", "time", t.stamp(), "authority", t.authority()))
			s.note(st.reasons...)
			continue
		}
		s.note(st.notes...)
		if s.proof != nil && t.Time.After(s.proof.time.Add(skew)) {
			s.fail(TimestampOrderFailure, reason("time.order", "first", stamp(t.Time), "second", stamp(s.proof.time)))
			continue
		}
		if t.Time.Before(s.exists) {
			s.exists = t.Time
			s.proof = &existence{time: t.Time, revision: s.revision, authority: name(t.Authority), last: st.lastRevision}
		}
	}
	if s.proof == nil {
		s.note(reason("time.unproven"))
	}
	return nil
}

// irregularities tells which certificates of a signature's chain, or only the signer's if there is none, crypto/x509 does
// not read.
func (v *validation) irregularities(s *subject) []Reason {
	certs := s.standing.chain
	if certs == nil {
		certs = chain{s.cert}
	}
	var list []Reason
	for _, c := range certs {
		if err := cms.CheckEncoding(c); err != nil {
			r := reason("certificate.irregular", "subject", name(c), "what", encodingFault(err))
			if !slices.ContainsFunc(s.reasons, func(have Reason) bool { return have.English == r.English }) {
				list = append(list, r)
			}
		}
	}
	return list
}

func (t token) stamp() string {
	if t.Token == nil {
		return "-"
	}
	return stamp(t.Time)
}

func (t token) authority() string {
	if t.Token == nil {
		return "-"
	}
	return name(t.Authority)
}
