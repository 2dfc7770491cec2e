package validate

import (
	"crypto"
	"crypto/x509"
	"slices"
	"time"

	"segel/pades/validate/facts"
	"segel/tsp"
)

// checkedSignature is one signature during the validation: the facts about it, and the results so far.
type checkedSignature struct {
	facts *facts.Signature

	isDocumentTimestamp bool
	revision            int   // that it closes, from 1; 0 if it does not cover a whole revision
	end                 int64 // where the covered bytes end

	// failure is why the mathematics or the form fail; nil if they do not.
	failure   *failure
	integrity Integrity

	cert   *x509.Certificate // the signer's; nil if not found
	hash   crypto.Hash       // of the content
	bound  bool              // a signed attribute names the certificate
	form   signatureForm
	flaws  []string         // what it lacks for the PAdES baseline
	tokens []timestampToken // signature timestamps; for a document timestamp only itself

	// Results.
	poe           *proofOfExistence // the best one; nil if only the present proves it
	bestTime      time.Time
	madeAfter     time.Time // its existence begins after this
	trust         trustStatus
	tokenStatuses []trustStatus // parallel to tokens
	sub           SubIndication
	reasons       []Reason
	coveredPages  []int // on which something allowed covers signed content
	identity      *Identity
}

// signatureForm is the format of a signature.
type signatureForm uint8

const (
	formLegacy    signatureForm = iota // older ones
	formPAdES                          // ETSI.CAdES.detached
	formTimestamp                      // ETSI.RFC3161
)

// timestampToken is a timestamp token and why it is not valid.
type timestampToken struct {
	*tsp.Token
	err error // it does not match, or cannot be read
}

// proofOfExistence proves that everything in a file up to a revision existed at a time.
type proofOfExistence struct {
	time      time.Time
	revision  int
	authority string
	field     string
	last      int // newest revision with revocation data about its own certificates
}

// usedHashes returns the hashes of a signature: over the file, and over its signed attributes.
func (s *checkedSignature) usedHashes() []crypto.Hash {
	if s.facts.Info == nil || s.cert == nil {
		return []crypto.Hash{s.hash}
	}
	return append(s.facts.Info.Hashes(s.cert), s.hash)
}

// addReasons appends reasons.
func (s *checkedSignature) addReasons(r ...Reason) { s.reasons = append(s.reasons, r...) }

// addFailure keeps the worst sub-indication and puts its reasons first.
func (s *checkedSignature) addFailure(sub SubIndication, r ...Reason) {
	if s.sub == "" || sub.mainIndication().severityRank() > s.sub.mainIndication().severityRank() {
		s.sub, s.reasons = sub, slices.Concat(r, s.reasons)
		return
	}
	s.addReasons(r...)
}
