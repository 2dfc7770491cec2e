package validate

import (
	"slices"
	"strings"
)

// Indication is the main result for a signature (ETSI EN 319 102-1 §5.1.3).
type Indication string

// The indications, best first.
const (
	TotalPassed   Indication = "TOTAL-PASSED"
	Indeterminate Indication = "INDETERMINATE"
	TotalFailed   Indication = "TOTAL-FAILED"
)

// severityRank orders indications; worse ones are higher.
func (i Indication) severityRank() int {
	return slices.Index([]Indication{TotalPassed, Indeterminate, TotalFailed}, i)
}

// SubIndication is why a signature has not passed (ETSI EN 319 102-1 §5.1.3); empty if it has.
type SubIndication string

// Sub-indications of TOTAL-FAILED.
const (
	FormatFailure    SubIndication = "FORMAT_FAILURE"
	HashFailure      SubIndication = "HASH_FAILURE"
	SigCryptoFailure SubIndication = "SIG_CRYPTO_FAILURE"
	RevokedBefore    SubIndication = "REVOKED"       // proved to be made after the revocation
	Expired          SubIndication = "EXPIRED"       // proved to be made after the certificate expired
	NotYetValid      SubIndication = "NOT_YET_VALID" // proved to be made before the certificate became valid
)

// Sub-indications of INDETERMINATE.
const (
	SigConstraintsFailure          SubIndication = "SIG_CONSTRAINTS_FAILURE"
	ChainConstraintsFailure        SubIndication = "CHAIN_CONSTRAINTS_FAILURE"
	CertificateChainGeneralFailure SubIndication = "CERTIFICATE_CHAIN_GENERAL_FAILURE"
	CryptoConstraintsFailure       SubIndication = "CRYPTO_CONSTRAINTS_FAILURE"
	CryptoConstraintsFailureNoPOE  SubIndication = "CRYPTO_CONSTRAINTS_FAILURE_NO_POE"
	TimestampOrderFailure          SubIndication = "TIMESTAMP_ORDER_FAILURE"
	NoSigningCertificateFound      SubIndication = "NO_SIGNING_CERTIFICATE_FOUND"
	NoCertificateChainFound        SubIndication = "NO_CERTIFICATE_CHAIN_FOUND"
	RevokedNoPOE                   SubIndication = "REVOKED_NO_POE"
	RevokedCANoPOE                 SubIndication = "REVOKED_CA_NO_POE"
	OutOfBoundsNoPOE               SubIndication = "OUT_OF_BOUNDS_NO_POE"
	NoPOE                          SubIndication = "NO_POE"
	TryLater                       SubIndication = "TRY_LATER"
	SignedDataNotFound             SubIndication = "SIGNED_DATA_NOT_FOUND"
)

// mainIndication returns the indication of a sub-indication.
func (s SubIndication) mainIndication() Indication {
	switch s {
	case "":
		return TotalPassed
	case FormatFailure, HashFailure, SigCryptoFailure, RevokedBefore, Expired, NotYetValid:
		return TotalFailed
	}
	return Indeterminate
}

// Integrity is what became of the content after signing.
type Integrity string

// The values, best first.
const (
	Intact          Integrity = "intact"
	IntactLater     Integrity = "intact, later changes allowed"
	CannotBeJudged  Integrity = "cannot be judged"
	ChangedAfter    Integrity = "changed after signing"
	NothingIsSigned Integrity = "not signed" // a file without signatures
)

// severityRank orders the values; worse ones are higher.
func (i Integrity) severityRank() int {
	return slices.Index([]Integrity{Intact, IntactLater, CannotBeJudged, ChangedAfter, NothingIsSigned}, i)
}

// Level is the proved PAdES level (ETSI EN 319 142-1), or the name of an older form.
type Level string

// The PAdES levels. LevelPAdES is the form of PAdES without its baseline.
const (
	LevelNone  Level = ""
	LevelPAdES Level = "PAdES"
	LevelB     Level = "B-B"
	LevelT     Level = "B-T"
	LevelLT    Level = "B-LT"
	LevelLTA   Level = "B-LTA"
)

// determineLevel returns the proved level of a signature and what it lacks for the next one (ETSI EN 319 142-1 §6).
// B-B: a valid signature of the baseline form. B-T: with a timestamp of a trusted authority. B-LT: the file has
// revocation data for all certificates, those of the timestamp included, in a document security store. B-LTA: a trusted
// document timestamp covers all of that.
func (v *validation) determineLevel(s *checkedSignature) (Level, *Reason) {
	because := func(l Level, code string, pairs ...string) (Level, *Reason) {
		r := NewReason(code, pairs...)
		return l, &r
	}
	switch {
	case s.form == formTimestamp:
		return LevelNone, nil
	case s.failure != nil || s.cert == nil:
		return LevelNone, nil
	case s.form == formLegacy:
		f := string(s.facts.SubFilter)
		return because(Level(CleanText(f)), "level.old_form", "form", f)
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
	if !v.hasStore { // revocation data among the attributes counts, but not for the baseline
		return because(LevelT, "level.no_store")
	}
	for _, p := range v.poes {
		if p.revision > s.revision && p.revision >= last && !s.trust.undated {
			return LevelLTA, nil
		}
	}
	return because(LevelLT, "level.no_archive")
}

// hasTrustedTimestamp reports whether a trusted authority made one of the timestamps, even without revocation data
// about that: this belongs to the next level.
func (s *checkedSignature) hasTrustedTimestamp() bool {
	return slices.ContainsFunc(s.tokenStatuses, func(st trustStatus) bool {
		return st.chain != nil && (st.sub == "" || st.sub.isStatusUnknown())
	})
}

// untrustedTimestampArgs returns the first timestamp that does not count, with the reason; nil if there is none.
func (s *checkedSignature) untrustedTimestampArgs() []string {
	for i, st := range s.tokenStatuses {
		why := st.sub
		if why == "" && s.sub == TimestampOrderFailure {
			why = s.sub
		}
		if why != "" {
			return append(s.tokens[i].reasonArgs(), "why", string(why))
		}
	}
	return nil
}

// embeddedEvidence reports whether the file has all revocation data about a signature and its best timestamp, and the
// first revision whose document timestamp covers it. A document timestamp does not cover the revocation data about its own
// authority.
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
