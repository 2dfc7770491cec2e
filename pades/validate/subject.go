package validate

import (
	"crypto"
	"crypto/x509"
	"slices"
	"time"

	"segel/pades/validate/facts"
	"segel/tsp"
)

// checkedSignature is one signature on its way through the judgement: what the facts say of it, without policy, and what is
// found out.
type checkedSignature struct {
	facts *facts.Signature

	isDocumentTimestamp bool  // a document timestamp
	revision            int   // that it closes, from 1; 0 where it covers no whole revision
	end                 int64 // bytes from the beginning of the file to where it ends covering

	// failure is what the mathematics have against it; nil where they hold.
	failure   *failure
	integrity Integrity

	cert   *x509.Certificate // the signer's; nil if it was not found
	hash   crypto.Hash       // of the content
	bound  bool              // a signed attribute names the certificate
	form   signatureForm
	flaws  []string         // what keeps it from the baseline of PAdES
	tokens []timestampToken // timestamps on the signature value; of a document timestamp itself alone

	// What is found out.
	poe           *proofOfExistence // the best one; nil where only the present proves it
	bestTime      time.Time
	madeAfter     time.Time // it is younger than this
	trust         trustStatus
	tokenStatuses []trustStatus // of the tokens
	sub           SubIndication
	reasons       []Reason
	coveredPages  []int // pages on which something allowed stands over what it covers
	identity      *Identity
}

// signatureForm is how a signature is made up.
type signatureForm uint8

const (
	formLegacy    signatureForm = iota // an older one
	formPAdES                          // ETSI.CAdES.detached
	formTimestamp                      // ETSI.RFC3161
)

// timestampToken is a timestamp and whether it fits what it stands on.
type timestampToken struct {
	*tsp.Token
	err error // it does not fit, or cannot be read
}

// proofOfExistence is a proof that everything in a file up to a revision existed at a moment.
type proofOfExistence struct {
	time      time.Time
	revision  int
	authority string
	field     string
	last      int // the newest revision that the proof about its own certificates stands in
}

// usedHashes are those that the signature rests on: over the file, and over its signed attributes.
func (s *checkedSignature) usedHashes() []crypto.Hash {
	if s.facts.Info == nil || s.cert == nil {
		return []crypto.Hash{s.hash}
	}
	return append(s.facts.Info.Hashes(s.cert), s.hash)
}

// addReasons adds a reason.
func (s *checkedSignature) addReasons(r ...Reason) { s.reasons = append(s.reasons, r...) }

// addFailure takes the worst that was found, and tells it before all else.
func (s *checkedSignature) addFailure(sub SubIndication, r ...Reason) {
	if s.sub == "" || sub.mainIndication().severityRank() > s.sub.mainIndication().severityRank() {
		s.sub, s.reasons = sub, slices.Concat(r, s.reasons)
		return
	}
	s.addReasons(r...)
}
