package validate

import "strings"

// determineLevel returns how far a signature is made to last, as far as that was proved, and what keeps it from the next
// level (ETSI EN 319 142-1 §6): B-B is a signature of the baseline's form that holds; B-T is one with a
// timestamp of a trusted authority; B-LT one whose certificates, the timestamp's too, are proved good by what the file
// brings along, in a document security store; B-LTA one for which a trusted document timestamp covers all that proof.
func (v *validation) determineLevel(s *checkedSignature) (Level, *Reason) {
	because := func(l Level, code string, pairs ...string) (Level, *Reason) {
		r := newReason(code, pairs...)
		return l, &r
	}
	switch {
	case s.form == formTimestamp:
		return LevelNone, nil
	case s.failure != nil || s.cert == nil:
		return LevelNone, nil
	case s.form == formLegacy:
		f := string(s.facts.SubFilter)
		return because(Level(cleanText(f)), "level.old_form", "form", f)
	case len(s.flaws) > 0:
		return because(LevelPAdES, "level.no_baseline", "what", strings.Join(s.flaws, ", "))
	case s.sub == TimestampOrderFailure, s.poe == nil && !s.hasTrustedTimestamp():
		if pairs := s.untrustedTimestampArgs(); pairs != nil {
			return because(LevelB, "level.untrusted_time", pairs...)
		}
		return because(LevelB, "level.no_time")
	case s.poe == nil:
		return because(LevelT, "level.no_proof")
	}
	last, inside := s.embeddedEvidence()
	if s.trust.sub != "" || s.trust.chain == nil || !inside {
		return because(LevelT, "level.no_proof")
	}
	if !v.hasStore { // proof among the attributes is proof, but of another form than the baseline's
		return because(LevelT, "level.no_store")
	}
	for _, p := range v.poes {
		if p.revision > s.revision && p.revision >= last && !s.hasUndatedEvidence() {
			return LevelLTA, nil
		}
	}
	return because(LevelLT, "level.no_archive")
}

// hasTrustedTimestamp reports whether it has a timestamp of a trusted authority, even if nobody has told whether that was
// revoked: what tells belongs to the next level.
func (s *checkedSignature) hasTrustedTimestamp() bool {
	for _, st := range s.tokenStatuses {
		if st.chain != nil && (st.sub == "" || st.sub.isStatusUnknown()) {
			return true
		}
	}
	return false
}

// untrustedTimestampArgs names the first timestamp that the signature has and that does not count, with why; nil if it has none.
func (s *checkedSignature) untrustedTimestampArgs() []string {
	for i, st := range s.tokenStatuses {
		why := st.sub
		if why == "" && s.sub == TimestampOrderFailure {
			why = s.sub
		}
		if why != "" {
			return []string{"time", s.tokens[i].timeText(), "authority", s.tokens[i].authorityName(), "why", string(why)}
		}
	}
	return nil
}

// embeddedEvidence reports whether all proof about a signature and about the timestamp that counts stands in the file, and
// the state of the file that has all of it. Proof about a document timestamp's own authority is no part of what it
// covers.
func (s *checkedSignature) embeddedEvidence() (last int, inside bool) {
	last, inside = s.trust.lastRevision, s.trust.embedded
	for i, st := range s.tokenStatuses {
		if st.sub != "" || s.poe == nil || s.poe.field != "" || !s.tokens[i].Time.Equal(s.poe.time) {
			continue
		}
		last, inside = max(last, st.lastRevision), inside && st.embedded
	}
	return last, inside
}

func (s *checkedSignature) hasUndatedEvidence() bool { return s.trust.undated }
