package validate

import (
	"strings"

	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
)

// Clauses that ask for the checks.
const (
	clauseCoverage = "ISO 32000-2 §12.8.1"
	clauseCMS      = "RFC 5652 §5.4, §5.6"
	clausePAdES    = "ETSI EN 319 142-1 §6"
	clausePath     = "RFC 5280 §6.1"
	clausePast     = "ETSI EN 319 102-1 §5.6"
	clauseTSP      = "RFC 3161 §2.4"
	clauseMDP      = "ISO 32000-2 §12.8.2"
	clausePolicy   = "RFC 5280 §4.2.1.4"
)

// explain puts down every check of a subject with its outcome, in the order in which they are made.
func (v *validation) explain(s *subject) []Step {
	e := &explanation{v: v}
	e.content(s)
	e.timestamps(s)
	e.trust(v, s)
	e.laterChanges(s)
	return e.steps
}

type explanation struct {
	v     *validation
	steps []Step
}

func (e *explanation) add(check, result, clause string, what Reason, paths ...string) {
	if e.v.steps++; e.v.steps > maxSteps {
		return
	}
	e.steps = append(e.steps, Step{Check: check, Result: result, Clause: clause, What: what, Paths: append([]string{}, paths...)})
}

func (e *explanation) content(s *subject) {
	f := s.facts
	if f.Coverage.State == facts.Broken {
		for _, r := range f.Coverage.Reasons {
			e.add("coverage", StepFailed, clauseCoverage, coverageReason(r))
		}
	} else {
		e.add("coverage", StepPassed, clauseCoverage, reason("coverage.whole", "length", itoa64(f.Coverage.End), "revision", itoa(f.Revision)))
	}
	switch {
	case s.broken == nil:
		e.add("digest", StepPassed, clauseCMS, reason("digest.ok"))
		e.add("signature", StepPassed, clauseCMS, reason("signature.ok"))
	case s.broken.sub == SignedDataNotFound || s.broken.sub == NoSigningCertificateFound:
		e.add("digest", StepUnknown, clauseCMS, s.broken.reason)
	case s.integrityHolds():
		e.add("digest", StepPassed, clauseCMS, reason("digest.ok"))
	default:
		e.add("signature", StepFailed, clauseCMS, s.broken.reason)
	}
	switch {
	case s.form == formPAdES && len(s.flaws) == 0:
		e.add("form", StepPassed, clausePAdES, reason("format.ok"))
	case s.form == formPAdES:
		e.add("form", StepFailed, clausePAdES, reason("level.no_baseline", "what", strings.Join(s.flaws, ", ")))
	case s.form == formOld:
		e.add("form", StepNoted, clausePAdES, reason("level.old_form", "form", string(f.SubFilter)))
	}
	if !f.Claimed.IsZero() {
		e.add("claimed_time", StepNoted, "", reason("claim.time", "time", stamp(f.Claimed)))
	}
}

func (s *subject) integrityHolds() bool { return s.facts.Integrity == nil }

func (e *explanation) timestamps(s *subject) {
	for i, t := range s.tokens {
		if i >= len(s.times) {
			break
		}
		st := s.times[i]
		if st.sub == "" {
			e.add("timestamp", StepPassed, clauseTSP, reason("time.token_ok", "time", t.stamp(), "authority", t.authority()))
		} else {
			e.add("timestamp", StepFailed, clauseTSP, reason("time.token_untrusted", "time", t.stamp(), "authority", t.authority()))
		}
		e.chain("timestamp", st)
	}
	switch {
	case s.proof == nil && s.document: // it proves itself
	case s.proof == nil:
		e.add("existence", StepUnknown, clausePast, reason("time.unproven"))
	case s.proof.field != "":
		e.add("existence", StepPassed, clausePast, reason("time.proven_document", "time", stamp(s.proof.time), "field", s.proof.field, "authority", s.proof.authority))
	default:
		e.add("existence", StepPassed, clausePast, reason("time.proven", "time", stamp(s.proof.time), "authority", s.proof.authority))
	}
}

// trust tells the signer's chain. That of a document timestamp was told with it.
func (e *explanation) trust(v *validation, s *subject) {
	if s.document || s.cert == nil {
		return
	}
	e.chain("signer", s.standing)
	if s.identity != nil {
		e.add("identity", resultOfIdentity(s.identity), clausePolicy, s.identity.Statement)
	}
	for _, l := range v.weak(s.cert, s.hashes(), s.exists) {
		e.add("algorithm", StepFailed, clausePast, l.reason())
	}
	if s.form == formPAdES && !s.bound {
		e.add("certificate_bound", StepFailed, clausePAdES, reason("certificate.not_bound"))
	}
}

func (e *explanation) chain(whose string, st standing) {
	if st.chain != nil {
		root := st.certificates[len(st.certificates)-1]
		e.add(whose+"_chain", StepPassed, clausePath, reason("chain.ok", "subject", st.certificates[0].Name, "root", root.Name, "origin", root.TrustOrigin))
	}
	for _, c := range st.certificates {
		switch c.Revocation {
		case "good":
			e.add(whose+"_revocation", StepPassed, clausePath, reason("revocation.good", "subject", c.Name, "origin", c.ProvedBy, "from", stamp(c.ProvedFrom.Time), "until", stamp(c.ProvedUntil.Time)))
		case "not needed":
			if !c.Trusted {
				e.add(whose+"_revocation", StepPassed, clausePath, reason("revocation.exempt", "subject", c.Name))
			}
		case "revoked":
			if st.sub == "" {
				e.add(whose+"_revocation", StepNoted, clausePath, reason("revocation.later", "subject", c.Name, "at", stamp(c.RevokedAt.Time), "why", c.RevokedFor))
			}
		}
	}
	for _, r := range st.reasons {
		e.add(whose+"_certificate", StepFailed, clausePast, r)
	}
	for _, r := range st.notes {
		e.add(whose+"_certificate", StepNoted, clausePast, r)
	}
}

// laterChanges tells every change of every later revision, with the paths of its objects.
func (e *explanation) laterChanges(s *subject) {
	if len(s.facts.Later) == 0 {
		if s.integrity == Intact {
			e.add("later", StepPassed, clauseMDP, reason("later.none"))
		}
		return
	}
	for _, l := range s.facts.Later {
		denied := map[int]bool{}
		for _, i := range l.Denied {
			denied[i] = true
		}
		for i, c := range l.Changes {
			if e.v.steps >= maxSteps {
				return
			}
			e.add("later", resultOf(denied[i]), clauseMDP, changeReason(c, l.Revision), pathsOf(c)...)
		}
	}
}

// resultOfIdentity does not concern the validity of the signature: an unverified holder fails nothing.
func resultOfIdentity(i *Identity) string {
	switch i.Status {
	case IdentityAttested:
		return StepPassed
	case IdentityUnverified:
		return StepNoted
	}
	return StepUnknown
}

func resultOf(denied bool) string {
	if denied {
		return StepFailed
	}
	return StepPassed
}

func pathsOf(c diff.Change) []string {
	list := make([]string, 0, len(c.Paths)+1)
	if !c.Ref.IsZero() {
		list = append(list, c.Ref.String())
	}
	for _, p := range c.Paths {
		list = append(list, clean(p))
	}
	return list
}
