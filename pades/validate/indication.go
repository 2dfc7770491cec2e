package validate

// Indication is the main word about a signature (ETSI EN 319 102-1 §5.1.3).
type Indication string

// The indications, best first.
const (
	TotalPassed   Indication = "TOTAL-PASSED"
	Indeterminate Indication = "INDETERMINATE"
	TotalFailed   Indication = "TOTAL-FAILED"
)

// severityRank orders indications: the higher, the worse.
func (i Indication) severityRank() int {
	switch i {
	case TotalPassed:
		return 0
	case Indeterminate:
		return 1
	}
	return 2
}

// SubIndication says why a signature has not passed (ETSI EN 319 102-1 §5.1.3). Empty where it has.
type SubIndication string

// Those that go with TOTAL-FAILED.
const (
	FormatFailure    SubIndication = "FORMAT_FAILURE"
	HashFailure      SubIndication = "HASH_FAILURE"
	SigCryptoFailure SubIndication = "SIG_CRYPTO_FAILURE"
	RevokedBefore    SubIndication = "REVOKED"       // proved to be made after the revocation
	Expired          SubIndication = "EXPIRED"       // proved to be made after the certificate ended
	NotYetValid      SubIndication = "NOT_YET_VALID" // proved to be made before it began
)

// Those that go with INDETERMINATE.
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

// mainIndication returns the main word that a sub-indication goes with.
func (s SubIndication) mainIndication() Indication {
	switch s {
	case "":
		return TotalPassed
	case FormatFailure, HashFailure, SigCryptoFailure, RevokedBefore, Expired, NotYetValid:
		return TotalFailed
	}
	return Indeterminate
}

// Integrity is what became of the content since a signature was made.
type Integrity string

// The words about integrity, best first.
const (
	Intact          Integrity = "intact"
	IntactLater     Integrity = "intact, later changes allowed"
	CannotBeJudged  Integrity = "cannot be judged"
	ChangedAfter    Integrity = "changed after signing"
	NothingIsSigned Integrity = "not signed" // of a file without signatures
)

// severityRank orders them: the higher, the worse.
func (i Integrity) severityRank() int {
	switch i {
	case Intact:
		return 0
	case IntactLater:
		return 1
	case CannotBeJudged:
		return 2
	}
	return 3
}

// Level is how far a signature is made to last (ETSI EN 319 142-1), as far as that was proved; of an older form its
// name.
type Level string

// The levels of PAdES. A signature that has the form of PAdES but breaks its baseline has LevelPAdES.
const (
	LevelNone  Level = ""
	LevelPAdES Level = "PAdES"
	LevelB     Level = "B-B"
	LevelT     Level = "B-T"
	LevelLT    Level = "B-LT"
	LevelLTA   Level = "B-LTA"
)
