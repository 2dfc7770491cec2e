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

// buildSteps puts down every check of a subject with its outcome, in the order in which they are made.
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
		e.addStep("coverage", StepPassed, clauseCoverage, newReason("coverage.whole", "length", formatInt64(f.Coverage.End), "revision", formatInt(f.Revision)))
	}
	switch {
	case s.failure == nil:
		e.addStep("digest", StepPassed, clauseCMS, newReason("digest.ok"))
		e.addStep("signature", StepPassed, clauseCMS, newReason("signature.ok"))
	case s.failure.sub == SignedDataNotFound || s.failure.sub == NoSigningCertificateFound:
		e.addStep("digest", StepUnknown, clauseCMS, s.failure.reason)
	case s.hasIntactDigest():
		e.addStep("digest", StepPassed, clauseCMS, newReason("digest.ok"))
	default:
		e.addStep("signature", StepFailed, clauseCMS, s.failure.reason)
	}
	switch {
	case s.form == formPAdES && len(s.flaws) == 0:
		e.addStep("form", StepPassed, clausePAdES, newReason("format.ok"))
	case s.form == formPAdES:
		e.addStep("form", StepFailed, clausePAdES, newReason("level.no_baseline", "what", strings.Join(s.flaws, ", ")))
	case s.form == formLegacy:
		e.addStep("form", StepNoted, clausePAdES, newReason("level.old_form", "form", string(f.SubFilter)))
	}
	if !f.Claimed.IsZero() {
		e.addStep("claimed_time", StepNoted, "", newReason("claim.time", "time", formatTime(f.Claimed)))
	}
}

func (s *checkedSignature) hasIntactDigest() bool { return s.facts.Integrity == nil }

func (e *stepList) addTimestampSteps(s *checkedSignature) {
	for i, t := range s.tokens {
		if i >= len(s.tokenStatuses) {
			break
		}
		st := s.tokenStatuses[i]
		if st.sub == "" {
			e.addStep("timestamp", StepPassed, clauseTSP, newReason("time.token_ok", "time", t.timeText(), "authority", t.authorityName()))
		} else {
			e.addStep("timestamp", StepFailed, clauseTSP, newReason("time.token_untrusted", "time", t.timeText(), "authority", t.authorityName()))
		}
		e.addChainSteps("timestamp", st)
	}
	switch {
	case s.poe == nil && s.isDocumentTimestamp: // it proves itself
	case s.poe == nil:
		e.addStep("existence", StepUnknown, clausePast, newReason("time.unproven"))
	case s.poe.field != "":
		e.addStep("existence", StepPassed, clausePast, newReason("time.proven_document", "time", formatTime(s.poe.time), "field", s.poe.field, "authority", s.poe.authority))
	default:
		e.addStep("existence", StepPassed, clausePast, newReason("time.proven", "time", formatTime(s.poe.time), "authority", s.poe.authority))
	}
}

// addTrustSteps tells the signer's chain. That of a document timestamp was told with it.
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
		e.addStep("certificate_bound", StepFailed, clausePAdES, newReason("certificate.not_bound"))
	}
}

func (e *stepList) addChainSteps(whose string, st trustStatus) {
	if st.chain != nil {
		root := st.certificates[len(st.certificates)-1]
		e.addStep(whose+"_chain", StepPassed, clausePath, newReason("chain.ok", "subject", st.certificates[0].Name, "root", root.Name, "origin", root.TrustOrigin))
	}
	for _, c := range st.certificates {
		switch c.Revocation {
		case "good":
			e.addStep(whose+"_revocation", StepPassed, clausePath, newReason("revocation.good", "subject", c.Name, "origin", c.ProvedBy, "from", formatTime(c.ProvedFrom.Time), "until", formatTime(c.ProvedUntil.Time)))
		case "not needed":
			if !c.Trusted {
				e.addStep(whose+"_revocation", StepPassed, clausePath, newReason("revocation.exempt", "subject", c.Name))
			}
		case "revoked":
			if st.sub == "" {
				e.addStep(whose+"_revocation", StepNoted, clausePath, newReason("revocation.later", "subject", c.Name, "at", formatTime(c.RevokedAt.Time), "why", c.RevokedFor))
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

// addLaterSteps tells every change of every later revision, with the paths of its objects.
func (e *stepList) addLaterSteps(s *checkedSignature) {
	if len(s.facts.Later) == 0 {
		if s.integrity == Intact {
			e.addStep("later", StepPassed, clauseMDP, newReason("later.none"))
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
			e.addStep("later", changeResult(denied[i]), clauseMDP, newChangeReason(c, l.Revision), changePaths(c)...)
		}
	}
}

// identityResult does not concern the validity of the signature: an unverified holder fails nothing.
func identityResult(i *Identity) string {
	switch i.Status {
	case IdentityAttested:
		return StepPassed
	case IdentityUnverified:
		return StepNoted
	}
	return StepUnknown
}

func changeResult(denied bool) string {
	if denied {
		return StepFailed
	}
	return StepPassed
}

func changePaths(c diff.Change) []string {
	list := make([]string, 0, len(c.Paths)+1)
	if !c.Ref.IsZero() {
		list = append(list, c.Ref.String())
	}
	for _, p := range c.Paths {
		list = append(list, cleanText(p))
	}
	return list
}
