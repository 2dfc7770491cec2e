package validate

import "strings"

// level returns how far a signature is made to last, as far as that was proved, and what keeps it from the next
// level (ETSI EN 319 142-1 §6): B-B is a signature of the baseline's form that holds; B-T is one with a
// timestamp of a trusted authority; B-LT one whose certificates, the timestamp's too, are proved good by what the file
// brings along, in a document security store; B-LTA one for which a trusted document timestamp covers all that proof.
func (v *validation) level(s *subject) (Level, *Reason) {
	because := func(l Level, code string, pairs ...string) (Level, *Reason) {
		r := reason(code, pairs...)
		return l, &r
	}
	switch {
	case s.form == formTime:
		return LevelNone, nil
	case s.broken != nil || s.cert == nil:
		return LevelNone, nil
	case s.form == formOld:
		f := string(s.facts.SubFilter)
		return because(Level(clean(f)), "level.old_form", "form", f)
	case len(s.flaws) > 0:
		return because(LevelPAdES, "level.no_baseline", "what", strings.Join(s.flaws, ", "))
	case s.sub == TimestampOrderFailure, s.proof == nil && !s.timestamped():
		if pairs := s.untrustedTime(); pairs != nil {
			return because(LevelB, "level.untrusted_time", pairs...)
		}
		return because(LevelB, "level.no_time")
	case s.proof == nil:
		return because(LevelT, "level.no_proof")
	}
	last, inside := s.evidenceIn()
	if s.standing.sub != "" || s.standing.chain == nil || !inside {
		return because(LevelT, "level.no_proof")
	}
	if !v.store { // proof among the attributes is proof, but of another form than the baseline's
		return because(LevelT, "level.no_store")
	}
	for _, p := range v.proofs {
		if p.revision > s.revision && p.revision >= last && !s.unplaced() {
			return LevelLTA, nil
		}
	}
	return because(LevelLT, "level.no_archive")
}

// timestamped reports whether it has a timestamp of a trusted authority, even if nobody has told whether that was
// revoked: what tells belongs to the next level.
func (s *subject) timestamped() bool {
	for _, st := range s.times {
		if st.chain != nil && (st.sub == "" || st.sub.unknown()) {
			return true
		}
	}
	return false
}

// untrustedTime names the first timestamp that the signature has and that does not count, with why; nil if it has none.
func (s *subject) untrustedTime() []string {
	for i, st := range s.times {
		why := st.sub
		if why == "" && s.sub == TimestampOrderFailure {
			why = s.sub
		}
		if why != "" {
			return []string{"time", s.tokens[i].stamp(), "authority", s.tokens[i].authority(), "why", string(why)}
		}
	}
	return nil
}

// evidenceIn reports whether all proof about a signature and about the timestamp that counts stands in the file, and
// the state of the file that has all of it. Proof about a document timestamp's own authority is no part of what it
// covers.
func (s *subject) evidenceIn() (last int, inside bool) {
	last, inside = s.standing.lastRevision, s.standing.inside
	for i, st := range s.times {
		if st.sub != "" || s.proof == nil || s.proof.field != "" || !s.tokens[i].Time.Equal(s.proof.time) {
			continue
		}
		last, inside = max(last, st.lastRevision), inside && st.inside
	}
	return last, inside
}

func (s *subject) unplaced() bool { return s.standing.unplaced }
