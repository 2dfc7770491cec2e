package validate

import (
	"crypto"
	"crypto/x509"
	"slices"
	"time"

	"segel/pades/validate/facts"
	"segel/tsp"
)

// subject is one signature on its way through the judgement: what the facts say of it, without policy, and what is
// found out.
type subject struct {
	facts *facts.Signature

	document bool  // a document timestamp
	revision int   // that it closes, from 1; 0 where it covers no whole revision
	end      int64 // bytes from the beginning of the file to where it ends covering

	// broken is what the mathematics have against it; nil where they hold.
	broken    *failure
	integrity Integrity

	cert   *x509.Certificate // the signer's; nil if it was not found
	hash   crypto.Hash       // of the content
	bound  bool              // a signed attribute names the certificate
	form   form
	flaws  []string // what keeps it from the baseline of PAdES
	tokens []token  // timestamps on the signature value; of a document timestamp itself alone

	// What is found out.
	proof    *existence // the best one; nil where only the present proves it
	exists   time.Time
	after    time.Time // it is younger than this
	standing standing
	times    []standing // of the tokens
	sub      SubIndication
	reasons  []Reason
	hidden   []int // pages on which something allowed stands over what it covers
	identity *Identity
}

// form is how a signature is made up.
type form uint8

const (
	formOld   form = iota // an older one
	formPAdES             // ETSI.CAdES.detached
	formTime              // ETSI.RFC3161
)

// token is a timestamp and whether it fits what it stands on.
type token struct {
	*tsp.Token
	err error // it does not fit, or cannot be read
}

// existence is a proof that everything in a file up to a revision existed at a moment.
type existence struct {
	time      time.Time
	revision  int
	authority string
	field     string
	last      int // the newest revision that the proof about its own certificates stands in
}

// hashes are those that the signature rests on: over the file, and over its signed attributes.
func (s *subject) hashes() []crypto.Hash {
	if s.facts.Info == nil || s.cert == nil {
		return []crypto.Hash{s.hash}
	}
	return append(s.facts.Info.Hashes(s.cert), s.hash)
}

// note adds a reason.
func (s *subject) note(r ...Reason) { s.reasons = append(s.reasons, r...) }

// fail takes the worst that was found, and tells it before all else.
func (s *subject) fail(sub SubIndication, r ...Reason) {
	if s.sub == "" || sub.indication().rank() > s.sub.indication().rank() {
		s.sub, s.reasons = sub, slices.Concat(r, s.reasons)
		return
	}
	s.note(r...)
}
