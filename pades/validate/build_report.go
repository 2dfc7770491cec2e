package validate

import (
	"slices"
	"strconv"

	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
	"segel/pdf/inspect"
)

// buildReport builds the report from the results.
func (v *validation) buildReport(f *facts.File) *Report {
	r := &Report{
		At:         Time{v.o.At},
		File:       File{Name: CleanText(v.o.Name), Size: f.Size, SHA256: v.o.SHA256, Revisions: len(f.Revisions), Pages: f.Pages},
		Signatures: []Signature{}, Revisions: v.describeRevisions(f), Warnings: v.buildWarnings(f), Indication: Indeterminate, Integrity: NothingIsSigned,
	}
	for _, s := range v.signatures {
		r.Signatures = append(r.Signatures, v.buildSignature(s))
	}
	r.summarize(v.coveredPages)
	return r
}

// summarize gives the file the worst results of its signatures. Hidden are the pages on which something allowed covers
// signed content.
func (r *Report) summarize(hidden []int) {
	bad, doubtful, kind := 0, 0, "signatures"
	for i, s := range r.Signatures {
		if i == 0 || s.Indication.severityRank() > r.Indication.severityRank() {
			r.Indication, r.SubIndication = s.Indication, s.SubIndication
		}
		if i == 0 || s.Integrity.severityRank() > r.Integrity.severityRank() {
			r.Integrity = s.Integrity
		}
		if s.Indication != TotalPassed {
			bad++
		}
		if s.Identity.isDoubtful() {
			doubtful++
		}
		if s.Kind == KindTimestamp {
			kind = "both"
		}
	}
	count := []string{"count", strconv.Itoa(len(r.Signatures)), "bad", strconv.Itoa(bad), "kind", kind}
	switch {
	case len(r.Signatures) == 0:
		r.Summary = NewReason("file.none")
	case r.Integrity == ChangedAfter:
		r.Summary = NewReason("file.changed", count...)
	case r.Indication == TotalFailed && len(r.Signatures) == 1:
		r.Summary = r.Integrity.newReason("file.failed_alone", hidden, count...)
	case r.Indication == TotalFailed:
		r.Summary = r.Integrity.newReason("file.failed", hidden, count...)
	case r.Indication == Indeterminate && len(r.Signatures) == 1:
		r.Summary = r.Integrity.newReason("file.indeterminate_alone", hidden, count...)
	case r.Indication == Indeterminate:
		r.Summary = r.Integrity.newReason("file.indeterminate", hidden, count...)
	case doubtful > 0:
		r.Summary = r.Integrity.newReason("file.passed_unverified", hidden, append(count, "unverified", strconv.Itoa(doubtful))...)
	default:
		r.Summary = r.Integrity.newReason("file.passed", hidden, count...)
	}
}

// newReason returns a reason with the integrity, and the pages on which something allowed covers signed content.
func (i Integrity) newReason(code string, hidden []int, pairs ...string) Reason {
	pairs = append(pairs, "integrity", string(i))
	if i == IntactLater && len(hidden) > 0 {
		pairs = append(pairs, "pages", formatPages(hidden))
	}
	return NewReason(code, pairs...)
}

// buildSignature builds the report of one signature.
func (v *validation) buildSignature(s *checkedSignature) Signature {
	f := s.facts
	level, missing := v.determineLevel(s)
	if missing != nil {
		s.addReasons(*missing)
	}
	v.applyIntegrity(s)
	if s.integrity == IntactLater {
		var covers []Reason
		covers, s.coveredPages = findCovering(f)
		s.addReasons(covers...)
		v.coveredPages = addMissingPages(v.coveredPages, s.coveredPages)
	}
	out := Signature{
		Facts: f, Field: CleanText(f.Field), Kind: signatureKind(f), Form: CleanText(string(f.SubFilter)), Revision: s.revision,
		Indication: s.sub.mainIndication(), SubIndication: s.sub, Integrity: s.integrity, Level: level,
		Chain:   []Certificate{},
		Claimed: Claims{CleanText(f.Name), CleanText(f.Reason), CleanText(f.Location), CleanText(f.ContactInfo), Time{f.Claimed}},
		Covers:  Cover{Whole: f.Coverage.State != facts.Broken, Length: f.Coverage.End, All: f.Coverage.State == facts.WholeFile},
		Later:   v.describeLater(f), Timestamps: []Timestamp{}, Reasons: append([]Reason{}, s.reasons...),
	}
	if f.Visible {
		out.Page = f.Page
	}
	switch {
	case s.trust.certificates != nil:
		out.Chain = s.trust.certificates
		out.Signer = &out.Chain[0]
	case s.cert != nil:
		d := v.cachedDescription(s.cert)
		out.Signer = &d
	}
	for i, t := range s.tokens {
		if i < len(s.tokenStatuses) {
			out.Timestamps = append(out.Timestamps, newTimestamp(t, s.tokenStatuses[i]))
		}
	}
	if s.poe != nil {
		out.Proven = &Proof{Time: Time{s.poe.time}, By: CleanText(s.poe.authority), Field: CleanText(s.poe.field)}
	} else if s.isDocumentTimestamp && s.sub == "" {
		out.Proven = &Proof{Time: Time{s.tokens[0].Time}, By: CleanText(holderName(s.cert)), Field: CleanText(f.Field)}
	}
	s.identity = v.identifySigner(s)
	out.Identity, out.Summary = s.identity, s.summarize()
	if v.o.Explain {
		out.Steps = v.buildSteps(s)
	}
	return out
}

// applyIntegrity makes integrity count. A signature does not pass if it is valid for an earlier state of the file but
// not for what is shown now; it remains proof of time.
func (v *validation) applyIntegrity(s *checkedSignature) {
	switch {
	case s.failure != nil:
	case s.integrity == ChangedAfter:
		s.addFailure(FormatFailure)
		// This is the most important reason.
		s.reasons = slices.Insert(s.reasons, 0, NewReason("later.changed", "revision", strconv.Itoa(firstDeniedRevision(s.facts))))
	case s.integrity == CannotBeJudged:
		s.addFailure(SigConstraintsFailure, NewReason("later.unknown"))
	}
}

func firstDeniedRevision(f *facts.Signature) int {
	for _, l := range f.Later {
		if len(l.Denied) > 0 {
			return l.Revision
		}
	}
	return 0
}

func (s *checkedSignature) summarize() Reason {
	kind := "signature"
	if s.isDocumentTimestamp {
		kind = "timestamp"
	}
	word := "passed"
	switch s.sub.mainIndication() {
	case Indeterminate:
		word = "indeterminate"
	case TotalFailed:
		word = "failed"
	}
	signer, at := holderName(s.cert), "-"
	if signer == "" {
		signer = CleanText(s.facts.Name)
	}
	if signer == "" {
		signer = "?"
	}
	if s.isDocumentTimestamp && s.tokens[0].Token != nil {
		at = formatTime(s.tokens[0].Time)
	}
	if word == "passed" && s.identity.isDoubtful() {
		// Sentences quote the name: it was entered and not verified.
		return s.integrity.newReason("signature.passed_unverified", s.coveredPages,
			"signer", ReplaceQuotes(s.identity.Name), "identity", s.identity.Statement.Code, "sub", "", "time", at)
	}
	return s.integrity.newReason(kind+"."+word, s.coveredPages, "signer", signer, "sub", string(s.sub), "time", at)
}

func signatureKind(f *facts.Signature) string {
	switch f.Kind {
	case facts.Timestamp:
		return KindTimestamp
	case facts.Certification:
		return KindCertification
	}
	return KindSignature
}

func newTimestamp(t timestampToken, st trustStatus) Timestamp {
	out := Timestamp{
		Indication: st.sub.mainIndication(), SubIndication: st.sub, Reasons: append([]Reason{}, append(st.reasons, st.notes...)...),
		Chain: append([]Certificate{}, st.certificates...), Authority: "-",
	}
	if t.Token != nil {
		out.Time, out.Authority = Time{t.Time}, holderName(t.Authority)
	}
	return out
}

// buildWarnings returns the warnings about the file.
func (v *validation) buildWarnings(f *facts.File) []Reason {
	list, told := []Reason{}, map[string]bool{}
	add := func(r Reason) {
		if key := r.key(); !told[key] && len(list) < maxToldChanges {
			told[key] = true
			list = append(list, r)
		}
	}
	if f.Encrypted {
		add(NewReason("warning.encrypted"))
	}
	for _, w := range f.Warnings {
		add(NewReason("warning."+string(w.Code), "page", strconv.Itoa(w.Page), "detail", w.Detail))
	}
	for _, r := range describeFindings(f) {
		add(r)
	}
	for _, r := range f.Revisions {
		for _, c := range r.Changes {
			if c.Has(diff.ValueNotCompared) {
				add(NewReason("warning.value_not_compared", "page", strconv.Itoa(c.Page), "where", changeLocation(c), "revision", strconv.Itoa(r.Number)))
			}
			for _, n := range diff.Covering {
				if c.Has(n) {
					add(NewReason("warning."+string(n), "page", strconv.Itoa(c.Page), "where", changeLocation(c), "revision", strconv.Itoa(r.Number)))
				}
			}
		}
	}
	for _, who := range v.unreachable {
		add(NewReason("revocation.offline", "subject", who))
	}
	if v.paths.Truncated || v.revocations.Truncated {
		add(NewReason("revocation.too_much"))
	}
	return list
}

// warnedByFacts are the kinds of findings that have warnings of package facts.
var warnedByFacts = []inspect.Kind{inspect.CoveredText, inspect.InvisibleText, inspect.HiddenLayer, inspect.NotExamined}

// activeKinds are the kinds of actions and scripts.
var activeKinds = []inspect.Kind{inspect.JavaScript, inspect.Actions, inspect.Launch, inspect.SubmitForm, inspect.ImportData}

// quotedKinds are the kinds whose detail, a text or name from the file, is an argument.
var quotedKinds = []inspect.Kind{
	inspect.PrintDiffers, inspect.ViewVaries, inspect.Launch, inspect.OutsidePage, inspect.SubmitForm, inspect.ImportData, inspect.OtherDocument, inspect.FileURI,
	inspect.EmbeddedFile,
}

// describeFindings returns what readers may not see or expect, each kind once with all its pages.
func describeFindings(f *facts.File) []Reason {
	var order []inspect.Kind
	byKind := map[inspect.Kind][]inspect.Finding{}
	for _, x := range f.Findings {
		if slices.Contains(warnedByFacts, x.Kind) {
			continue
		}
		if byKind[x.Kind] == nil {
			order = append(order, x.Kind)
		}
		byKind[x.Kind] = append(byKind[x.Kind], x)
	}
	var all []Reason
	if slices.ContainsFunc(order, func(k inspect.Kind) bool { return slices.Contains(activeKinds, k) }) {
		all = append(all, NewReason("warning.active_content"))
	}
	for _, k := range order {
		all = append(all, newFindingReason(k, byKind[k]))
	}
	return all
}

// newFindingReason returns the reason for findings of one kind, with their pages and an example.
func newFindingReason(kind inspect.Kind, found []inspect.Finding) Reason {
	var pairs []string
	if pages := inspect.PageRanges(found); pages != "" {
		pairs = append(pairs, "pages", pages)
	}
	example := found[max(0, slices.IndexFunc(found, func(x inspect.Finding) bool { return x.Detail != "" }))]
	if example.Detail != "" && slices.Contains(quotedKinds, kind) {
		pairs = append(pairs, "what", shortenText(example.Detail))
	}
	if kind == inspect.Unreliable {
		pairs = append(pairs, "says", shortenText(example.Detail), "shown", shortenText(example.Shown))
	}
	return NewReason("finding."+string(kind), pairs...)
}

// shortenText is the beginning of a text of the file.
func shortenText(s string) string {
	const most = 60
	if letters := []rune(CleanText(s)); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return CleanText(s)
}
