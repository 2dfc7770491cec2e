package validate

import (
	"strconv"
	"strings"

	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
)

// Clauses that require the checks.
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

// buildSteps lists every check of a signature with its result, in the order of checking.
func (v *validation) buildSteps(s *checkedSignature) []Step {
	e := &stepList{v: v}
	e.addContentSteps(s)
	e.addTimestampSteps(s)
	e.addTrustSteps(v, s)
	e.addLaterSteps(s)
	return e.steps
}

type stepList struct {
	v     *validation
	steps []Step
}

func (e *stepList) addStep(check, result, clause string, what Reason, paths ...string) {
	if e.v.stepCount++; e.v.stepCount > maxSteps {
		return
	}
	e.steps = append(e.steps, Step{Check: check, Result: result, Clause: clause, What: what, Paths: append([]string{}, paths...)})
}

func (e *stepList) addContentSteps(s *checkedSignature) {
	f := s.facts
	if f.Coverage.State == facts.Broken {
		for _, r := range f.Coverage.Reasons {
			e.addStep("coverage", StepFailed, clauseCoverage, coverageReason(r))
		}
	} else {
		e.addStep("coverage", StepPassed, clauseCoverage, NewReason("coverage.whole", "length", strconv.FormatInt(f.Coverage.End, 10), "revision", strconv.Itoa(f.Revision)))
	}
	switch {
	case s.failure == nil:
		e.addStep("digest", StepPassed, clauseCMS, NewReason("digest.ok"))
		e.addStep("signature", StepPassed, clauseCMS, NewReason("signature.ok"))
	case s.failure.sub == SignedDataNotFound || s.failure.sub == NoSigningCertificateFound:
		e.addStep("digest", StepUnknown, clauseCMS, s.failure.reason)
	case f.Integrity == nil:
		e.addStep("digest", StepPassed, clauseCMS, NewReason("digest.ok"))
	default:
		e.addStep("signature", StepFailed, clauseCMS, s.failure.reason)
	}
	switch {
	case s.form == formPAdES && len(s.flaws) == 0:
		e.addStep("form", StepPassed, clausePAdES, NewReason("format.ok"))
	case s.form == formPAdES:
		e.addStep("form", StepFailed, clausePAdES, NewReason("level.no_baseline", "what", strings.Join(s.flaws, ", ")))
	case s.form == formLegacy:
		e.addStep("form", StepNoted, clausePAdES, NewReason("level.old_form", "form", string(f.SubFilter)))
	}
	if !f.Claimed.IsZero() {
		e.addStep("claimed_time", StepNoted, "", NewReason("claim.time", "time", formatTime(f.Claimed)))
	}
}

func (e *stepList) addTimestampSteps(s *checkedSignature) {
	for i, t := range s.tokens {
		if i >= len(s.tokenStatuses) {
			break
		}
		st := s.tokenStatuses[i]
		if st.sub == "" {
			e.addStep("timestamp", StepPassed, clauseTSP, NewReason("time.token_ok", t.reasonArgs()...))
		} else {
			e.addStep("timestamp", StepFailed, clauseTSP, NewReason("time.token_untrusted", t.reasonArgs()...))
		}
		e.addChainSteps("timestamp", st)
	}
	switch {
	case s.poe == nil && s.isDocumentTimestamp: // it proves its own time
	case s.poe == nil:
		e.addStep("existence", StepUnknown, clausePast, NewReason("time.unproven"))
	case s.poe.field != "":
		e.addStep("existence", StepPassed, clausePast, NewReason("time.proven_document", "time", formatTime(s.poe.time), "field", s.poe.field, "authority", s.poe.authority))
	default:
		e.addStep("existence", StepPassed, clausePast, NewReason("time.proven", "time", formatTime(s.poe.time), "authority", s.poe.authority))
	}
}

// addTrustSteps adds the signer's chain. That of a document timestamp was added with its token.
func (e *stepList) addTrustSteps(v *validation, s *checkedSignature) {
	if s.isDocumentTimestamp || s.cert == nil {
		return
	}
	e.addChainSteps("signer", s.trust)
	if s.identity != nil {
		e.addStep("identity", identityResult(s.identity), clausePolicy, s.identity.Statement)
	}
	for _, l := range v.findWeakHashes(s.cert, s.usedHashes(), s.bestTime) {
		e.addStep("algorithm", StepFailed, clausePast, l.newReason())
	}
	if s.form == formPAdES && !s.bound {
		e.addStep("certificate_bound", StepFailed, clausePAdES, NewReason("certificate.not_bound"))
	}
}

func (e *stepList) addChainSteps(whose string, st trustStatus) {
	if st.chain != nil {
		root := st.certificates[len(st.certificates)-1]
		e.addStep(whose+"_chain", StepPassed, clausePath, NewReason("chain.ok", "subject", st.certificates[0].Name, "root", root.Name, "origin", root.TrustOrigin))
	}
	for _, c := range st.certificates {
		switch c.Revocation {
		case "good":
			e.addStep(whose+"_revocation", StepPassed, clausePath, NewReason("revocation.good", "subject", c.Name, "origin", c.ProvedBy, "from", formatTime(c.ProvedFrom.Time), "until", formatTime(c.ProvedUntil.Time)))
		case "not needed":
			if !c.Trusted {
				e.addStep(whose+"_revocation", StepPassed, clausePath, NewReason("revocation.exempt", "subject", c.Name))
			}
		case "revoked":
			if st.sub == "" {
				e.addStep(whose+"_revocation", StepNoted, clausePath, NewReason("revocation.later", "subject", c.Name, "at", formatTime(c.RevokedAt.Time), "why", c.RevokedFor))
			}
		}
	}
	for _, r := range st.reasons {
		e.addStep(whose+"_certificate", StepFailed, clausePast, r)
	}
	for _, r := range st.notes {
		e.addStep(whose+"_certificate", StepNoted, clausePast, r)
	}
}

// addLaterSteps adds every change of every later revision, with the paths of its objects.
func (e *stepList) addLaterSteps(s *checkedSignature) {
	if len(s.facts.Later) == 0 {
		if s.integrity == Intact {
			e.addStep("later", StepPassed, clauseMDP, NewReason("later.none"))
		}
		return
	}
	for _, l := range s.facts.Later {
		denied := map[int]bool{}
		for _, i := range l.Denied {
			denied[i] = true
		}
		for i, c := range l.Changes {
			if e.v.stepCount >= maxSteps {
				return
			}
			result := StepPassed
			if denied[i] {
				result = StepFailed
			}
			e.addStep("later", result, clauseMDP, newChangeReason(c, l.Revision), changePaths(c)...)
		}
	}
}

// identityResult does not concern validity: an unverified holder fails nothing.
func identityResult(i *Identity) string {
	switch i.Status {
	case IdentityAttested:
		return StepPassed
	case IdentityUnverified:
		return StepNoted
	}
	return StepUnknown
}

func changePaths(c diff.Change) []string {
	list := make([]string, 0, len(c.Paths)+1)
	if !c.Ref.IsZero() {
		list = append(list, c.Ref.String())
	}
	for _, p := range c.Paths {
		list = append(list, CleanText(p))
	}
	return list
}
