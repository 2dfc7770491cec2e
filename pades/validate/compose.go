package validate

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
)

// ErrUnreadable is a file that cannot be opened as a PDF, whatever its signatures; the cause is wrapped.
var ErrUnreadable = facts.ErrUnreadable

// ErrNoTime is a validation without the moment that it is for.
var ErrNoTime = errors.New("no moment to judge for")

// Validate judges the signatures of a file. It reads r once from end to end. What is wrong with the file is in the
// report; errors are ErrUnreadable, those of r, and ctx's.
func Validate(ctx context.Context, r io.ReaderAt, size int64, o Options) (*Report, error) {
	if o.At.IsZero() {
		return nil, ErrNoTime
	}
	f, err := facts.Read(ctx, r, size, o.Reading())
	if err != nil {
		return nil, err
	}
	return Judge(ctx, f, o)
}

// Reading returns the options with which [facts.Read] reads a file so that [Judge] returns what [Validate] returns.
func (o Options) Reading() facts.Options {
	return facts.Options{Limits: o.Limits, Password: o.Password, MarkArea: cmp.Or(o.MaxMark, DefaultMaxMark), Exempt: isStamp}
}

// Judge judges facts that were read before, see [Options.Reading]. Options.MaxMark has no effect: what the facts were read
// with counts.
func Judge(ctx context.Context, f *facts.File, o Options) (*Report, error) {
	if o.At.IsZero() {
		return nil, ErrNoTime
	}
	v := newValidation(o)
	v.gather(f)
	if err := v.judgeAll(ctx); err != nil {
		return nil, err
	}
	return v.compose(f), nil
}

// compose makes the report of what was found out.
func (v *validation) compose(f *facts.File) *Report {
	r := &Report{
		Format: Format, At: Time{v.o.At},
		File:       File{Name: clean(v.o.Name), Size: f.Size, SHA256: v.o.SHA256, Revisions: len(f.Revisions), Pages: f.Pages},
		Signatures: []Signature{}, Revisions: v.revisions(f), Warnings: v.warnings(f), Indication: Indeterminate, Integrity: NothingIsSigned,
	}
	for _, s := range v.subjects {
		r.Signatures = append(r.Signatures, v.signature(s))
	}
	r.Stamps = v.stamps(r)
	r.sum(v.hidden)
	return r
}

// sum gives the file the worst words of its signatures. Hidden are the pages on which something stands over what was
// signed.
func (r *Report) sum(hidden []int) {
	bad, doubtful, kind := 0, 0, "signatures"
	for i, s := range r.Signatures {
		if i == 0 || s.Indication.rank() > r.Indication.rank() {
			r.Indication, r.SubIndication = s.Indication, s.SubIndication
		}
		if i == 0 || s.Integrity.rank() > r.Integrity.rank() {
			r.Integrity = s.Integrity
		}
		if s.Indication != TotalPassed {
			bad++
		}
		if s.Identity.doubtful() {
			doubtful++
		}
		if s.Kind == KindTimestamp {
			kind = "both"
		}
	}
	count := []string{"count", itoa(len(r.Signatures)), "bad", itoa(bad), "kind", kind}
	switch {
	case len(r.Signatures) == 0:
		r.Summary = reason("file.none")
	case r.Integrity == ChangedAfter:
		r.Summary = reason("file.changed", count...)
	case r.Indication == TotalFailed && len(r.Signatures) == 1:
		r.Summary = r.Integrity.within("file.failed_alone", hidden, count...)
	case r.Indication == TotalFailed:
		r.Summary = r.Integrity.within("file.failed", hidden, count...)
	case r.Indication == Indeterminate && len(r.Signatures) == 1:
		r.Summary = r.Integrity.within("file.indeterminate_alone", hidden, count...)
	case r.Indication == Indeterminate:
		r.Summary = r.Integrity.within("file.indeterminate", hidden, count...)
	case doubtful > 0:
		r.Summary = r.Integrity.within("file.passed_unverified", hidden, append(count, "unverified", itoa(doubtful))...)
	default:
		r.Summary = r.Integrity.within("file.passed", hidden, count...)
	}
}

// laterCovers is IntactLater in a sentence about a file in which something allowed stands over what was signed.
const laterCovers Integrity = "covered"

// within makes a reason whose sentence has the word about integrity in its own language.
func (i Integrity) within(code string, hidden []int, pairs ...string) Reason {
	return i.with(nil, code, hidden, pairs...)
}

// with is within for a sentence that has a statement about an identity in it as well, in its own language.
func (i Integrity) with(identity *Identity, code string, hidden []int, pairs ...string) Reason {
	pairs = append(pairs, "integrity", string(i))
	if i == IntactLater && len(hidden) > 0 {
		i = laterCovers
		pairs = append(pairs, "pages", listed(hidden))
	}
	r := reason(code, pairs...)
	s := sentences[code]
	args := map[string]string{}
	for k, v := range r.Args {
		args[k] = v
	}
	kind := kindSentences[r.Args["kind"]]
	args["integrity"], args["kind"] = fill(integritySentences[i].id, r.Args), kind.id
	if identity != nil {
		args["identity"] = identity.Statement.Indonesian
	}
	r.Indonesian = fill(s.id, args)
	args["integrity"], args["kind"] = fill(integritySentences[i].en, r.Args), kind.en
	if identity != nil {
		args["identity"] = identity.Statement.English
	}
	r.English = fill(s.en, args)
	return r
}

// signature makes the report of one subject.
func (v *validation) signature(s *subject) Signature {
	f := s.facts
	level, missing := v.level(s)
	if missing != nil {
		s.note(*missing)
	}
	v.changed(s)
	if s.integrity == IntactLater {
		var covers []Reason
		covers, s.hidden = hiding(f)
		s.note(covers...)
		v.hidden = union(v.hidden, s.hidden)
	}
	out := Signature{
		Field: clean(f.Field), Kind: kindOf(f), Form: clean(string(f.SubFilter)), Revision: s.revision, Page: pageOf(f),
		Indication: s.sub.indication(), SubIndication: s.sub, Integrity: s.integrity, Level: level,
		Chain:   []Certificate{},
		Claimed: Claims{clean(f.Name), clean(f.Reason), clean(f.Location), clean(f.ContactInfo), Time{f.Claimed}},
		Covers:  Cover{Whole: f.Coverage.State != facts.Broken, Length: f.Coverage.End, All: f.Coverage.State == facts.WholeFile},
		Later:   v.later(f), Timestamps: []Timestamp{}, Reasons: s.reasons,
	}
	if out.Reasons == nil {
		out.Reasons = []Reason{}
	}
	if s.cert != nil {
		d := describe(s.cert)
		out.Signer = &d
	}
	if s.standing.certificates != nil {
		out.Chain = s.standing.certificates
		out.Signer = &out.Chain[0]
	}
	for i, t := range s.tokens {
		if i < len(s.times) {
			out.Timestamps = append(out.Timestamps, timestampOf(t, s.times[i]))
		}
	}
	if s.proof != nil {
		out.Proven = &Proof{Time: Time{s.proof.time}, By: clean(s.proof.authority), Field: clean(s.proof.field)}
	} else if s.document && s.sub == "" {
		out.Proven = &Proof{Time: Time{s.tokens[0].Time}, By: clean(name(s.cert)), Field: clean(f.Field)}
	}
	s.identity = v.identity(s)
	out.Identity, out.Summary = s.identity, s.summary()
	if v.o.Explain {
		out.Steps = v.explain(s)
	}
	return out
}

// changed lets what happened to the content count. A signature that holds for a state of the file which is not the one
// to be seen is not passed; as proof of time it stays what it is.
func (v *validation) changed(s *subject) {
	switch {
	case s.broken != nil:
	case s.integrity == ChangedAfter:
		s.fail(FormatFailure)
		// Whoever reads on is to read this first.
		s.reasons = slices.Insert(s.reasons, 0, reason("later.changed", "revision", itoa(firstDenied(s.facts))))
	case s.integrity == CannotBeJudged:
		s.fail(SigConstraintsFailure, reason("later.unknown"))
	}
}

func firstDenied(f *facts.Signature) int {
	for _, l := range f.Later {
		if len(l.Denied) > 0 {
			return l.Revision
		}
	}
	return 0
}

func (s *subject) summary() Reason {
	kind := "signature"
	if s.document {
		kind = "timestamp"
	}
	word := "passed"
	switch s.sub.indication() {
	case Indeterminate:
		word = "indeterminate"
	case TotalFailed:
		word = "failed"
	}
	signer, at := name(s.cert), "-"
	if signer == "" {
		signer = clean(s.facts.Name)
	}
	if signer == "" {
		signer = "?"
	}
	if s.document && s.tokens[0].Token != nil {
		at = stamp(s.tokens[0].Time)
	}
	if word == "passed" && s.identity.doubtful() {
		// The name is in quotation marks: it was entered, and not verified.
		return s.integrity.with(s.identity, "signature.passed_unverified", s.hidden,
			"signer", quotable(s.identity.Name), "identity", s.identity.Statement.Code, "sub", "", "time", at)
	}
	return s.integrity.within(kind+"."+word, s.hidden, "signer", signer, "sub", string(s.sub), "time", at)
}

// pageOf is the page on which a signature is to be seen.
func pageOf(f *facts.Signature) int {
	if !f.Visible {
		return 0
	}
	return f.Page
}

func kindOf(f *facts.Signature) string {
	switch f.Kind {
	case facts.Timestamp:
		return KindTimestamp
	case facts.Certification:
		return KindCertification
	}
	return KindSignature
}

func timestampOf(t token, st standing) Timestamp {
	out := Timestamp{
		Indication: st.sub.indication(), SubIndication: st.sub, Reasons: append([]Reason{}, append(st.reasons, st.notes...)...),
		Chain: append([]Certificate{}, st.certificates...), Authority: t.authority(),
	}
	if t.Token != nil {
		out.Time = Time{t.Time}
	}
	return out
}

// warnings puts what was noticed about the file into words.
func (v *validation) warnings(f *facts.File) []Reason {
	list, told := []Reason{}, map[string]bool{}
	add := func(r Reason) {
		key := r.Code + r.English
		if !told[key] && len(list) < maxTold {
			told[key] = true
			list = append(list, r)
		}
	}
	if f.Encrypted {
		add(reason("warning.encrypted"))
	}
	for _, w := range f.Warnings {
		add(reason("warning."+string(w.Code), "page", itoa(w.Page), "detail", w.Detail))
	}
	for _, r := range findings(f) {
		add(r)
	}
	for _, r := range f.Revisions {
		for _, c := range r.Changes {
			if c.Has(diff.ValueNotCompared) {
				add(reason("warning.value_not_compared", "page", itoa(c.Page), "where", where(c), "revision", itoa(r.Number)))
			}
			for _, n := range diff.Covering {
				if c.Has(n) {
					add(reason("warning."+string(n), "page", itoa(c.Page), "where", where(c), "revision", itoa(r.Number)))
				}
			}
		}
	}
	for _, who := range v.offline {
		add(reason("revocation.offline", "subject", who))
	}
	if v.pool.full || v.materials.full {
		add(reason("revocation.too_much"))
	}
	return list
}
