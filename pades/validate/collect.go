package validate

import (
	"crypto"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"slices"
	"time"

	"segel/cms"
	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
	"segel/revocation"
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

// collectFacts collects the certificates and revocation data of the file, and its signatures.
func (v *validation) collectFacts(f *facts.File) {
	for _, s := range f.Signatures {
		v.paths.Add(s.Certificates...)
		if s.Token != nil {
			v.paths.Add(s.Token.Chain...)
		}
		for _, t := range s.Tokens {
			if t.Token != nil {
				v.paths.Add(t.Token.Chain...)
			}
		}
	}
	current := facts.Store{}
	if f.DSS != nil {
		v.hasStore, current = true, *f.DSS
	}
	// The oldest come first: beyond the limits the first ones stay, so that a later writer displaces nothing.
	for _, p := range sortOldestFirst(slices.Concat(current.Certs, f.Earlier.Certs)) {
		// An unreadable certificate has no effect.
		if c, err := cms.ParseCertificate(p.DER); err == nil {
			v.paths.Add(c)
		}
	}
	items := collectFromStore(current, f.Earlier)
	for i, s := range f.Signatures {
		one := newCheckedSignature(s)
		v.signatures = append(v.signatures, one)
		if s.Info != nil {
			v.paths.Add(certificateValues(*s.Info)...)
			items = append(items, collectFromSignature(s, one.revision, i+1)...)
		}
	}
	slices.SortStableFunc(items, func(a, b revocation.Item) int { return compareRevisions(a.Revision, b.Revision) })
	v.revocations.Add(items...)
}

func sortOldestFirst(items []facts.StoreItem) []facts.StoreItem {
	slices.SortStableFunc(items, func(a, b facts.StoreItem) int { return compareRevisions(a.Revision, b.Revision) })
	return items
}

// compareRevisions orders revisions with unknown ones, which are 0, at the end.
func compareRevisions(a, b int) int {
	if (a == 0) != (b == 0) {
		return b - a
	}
	return a - b
}

// collectFromStore returns the revocation data of the newest store and of its earlier states.
func collectFromStore(current, earlier facts.Store) []revocation.Item {
	var items []revocation.Item
	for _, p := range slices.Concat(current.OCSPs, earlier.OCSPs) {
		items = append(items, revocation.Item{Data: revocation.Data{OCSP: p.DER}, Origin: revocation.FromDSS, Revision: p.Revision})
	}
	for _, p := range slices.Concat(current.CRLs, earlier.CRLs) {
		items = append(items, revocation.Item{Data: revocation.Data{CRL: p.DER}, Origin: revocation.FromDSS, Revision: p.Revision})
	}
	// Items of an entry about one signature may have been added later than the entry, so their age is unknown.
	for _, e := range current.VRI {
		items = append(items, revocation.NewItems(e.OCSPs, e.CRLs, revocation.Item{Origin: revocation.FromDSS})...)
	}
	return items
}

// collectFromSignature returns the revocation data in the attributes of older forms, and the CRLs of the container.
func collectFromSignature(s *facts.Signature, revision, number int) []revocation.Item {
	own := revocation.Item{Origin: revocation.FromSignature, Revision: revision}
	signed := own
	signed.SignedBy = number
	crls, responses := revocationAttribute(s.Info.Signed, oidRevocationArchive)
	items := revocation.NewItems(responses, crls, signed)
	crls, responses = revocationValues(*s.Info)
	// CRLs outside the SignerInfo are not signed, so a signature timestamp does not prove their age.
	return append(items, revocation.NewItems(responses, append(crls, s.Container.CRLs...), own)...)
}

func newCheckedSignature(s *facts.Signature) *checkedSignature {
	one := &checkedSignature{facts: s, isDocumentTimestamp: s.Kind == facts.Timestamp, end: s.Coverage.End, cert: s.Signer, hash: s.Digest}
	if s.Coverage.State != facts.Broken {
		one.revision = s.Revision
	}
	switch s.Form {
	case facts.FormCAdES:
		one.form = formPAdES
		one.flaws = findBaselineFlaws(s)
	case facts.FormRFC3161:
		one.form = formTimestamp
	}
	if s.Container != nil && s.Info != nil {
		one.bound = s.Container.NamesCertificate(*s.Info)
	}
	one.failure = findFailure(s)
	one.integrity = evaluateIntegrity(s)
	if one.isDocumentTimestamp {
		one.tokens = []timestampToken{{s.Token, s.TokenErr}}
		if s.Token != nil {
			one.cert = s.Token.Authority
		}
	}
	for _, t := range s.Tokens {
		one.tokens = append(one.tokens, timestampToken{t.Token, t.Err})
	}
	return one
}

// findFailure returns why the mathematics or the form of a signature fail, or nil.
func findFailure(s *facts.Signature) *failure {
	is := func(target error) bool { return errors.Is(s.Integrity, target) }
	what := fmt.Sprint(s.Integrity)
	switch {
	case is(facts.ErrDigest):
		return &failure{HashFailure, NewReason("digest.differs")}
	case (is(facts.ErrContainer) || is(facts.ErrAttributes)) && is(cms.ErrTrailing):
		return &failure{FormatFailure, NewReason("format.trailing")}
	case is(facts.ErrContainer):
		return &failure{FormatFailure, NewReason("format.broken", "what", what)}
	case is(facts.ErrNoSigner) && len(s.Refused) > 0:
		return &failure{NoSigningCertificateFound, NewReason("certificate.unreadable", "what", encodingFault(s.Refused[0]))}
	case is(facts.ErrNoSigner):
		return &failure{NoSigningCertificateFound, NewReason("certificate.missing")}
	case is(facts.ErrAttributes):
		return &failure{FormatFailure, NewReason("format.attributes", "what", what)}
	case is(facts.ErrAlgorithm):
		return &failure{CryptoConstraintsFailure, NewReason("signature.algorithm", "what", what)}
	case is(facts.ErrValue):
		return &failure{SigCryptoFailure, NewReason("signature.differs", "what", what)}
	case s.Coverage.State == facts.Broken:
		why := append(slices.Clip(s.Coverage.Reasons), facts.Reason{Code: facts.ReasonCode(s.Coverage.State)})
		return &failure{FormatFailure, coverageReason(why[0])}
	case is(facts.ErrNotComputed):
		return &failure{SignedDataNotFound, NewReason("digest.unknown", "what", what)}
	case s.Integrity != nil:
		return &failure{FormatFailure, NewReason("format.broken", "what", what)}
	case s.Kind == facts.Timestamp && s.Token == nil:
		return &failure{FormatFailure, NewReason("time.token_broken", "what", fmt.Sprint(s.TokenErr))}
	case s.Kind == facts.Timestamp && s.TokenErr != nil:
		return tokenFailure(s.TokenErr)
	}
	return nil
}

// tokenFailure returns why a timestamp is not valid.
func tokenFailure(err error) *failure {
	f := &failure{SigCryptoFailure, NewReason("time.token_broken", "what", err.Error())}
	switch {
	case errors.Is(err, facts.ErrDigest):
		f.sub = HashFailure
	case errors.Is(err, cms.ErrAlgorithm):
		return &failure{CryptoConstraintsFailure, NewReason("time.token_algorithm", "what", err.Error())}
	case errors.Is(err, cms.ErrNoCertificate):
		return &failure{NoSigningCertificateFound, NewReason("time.token_certificate", "what", err.Error())}
	case errors.Is(err, cms.ErrMalformed), errors.Is(err, tsp.ErrMalformed):
		f.sub = FormatFailure
	}
	return f
}

// evaluateIntegrity returns what became of the content. A signature with a wrong value says nothing about it.
func evaluateIntegrity(s *facts.Signature) Integrity {
	switch {
	case errors.Is(s.Integrity, facts.ErrDigest):
		return ChangedAfter
	case s.Integrity != nil || s.Coverage.State == facts.Broken || s.Coverage.State == "":
		return CannotBeJudged
	case s.Kind == facts.Timestamp && (s.Token == nil || s.TokenErr != nil):
		return CannotBeJudged
	case len(s.Later) == 0:
		if s.Coverage.State == facts.WholeFile {
			return Intact
		}
		return CannotBeJudged // bytes follow that no revision explains
	}
	word := IntactLater
	for _, l := range s.Later {
		for _, i := range l.Denied {
			if l.Changes[i].Code != diff.CodeTooMuch {
				return ChangedAfter
			}
			word = CannotBeJudged
		}
	}
	return word
}

var oidSigningTime = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 5}

// findBaselineFlaws lists what a signature lacks for the PAdES baseline (ETSI EN 319 142-1 §6).
func findBaselineFlaws(s *facts.Signature) []string {
	var list []string
	note := func(bad bool, what string) {
		if bad {
			list = append(list, what)
		}
	}
	note(s.Claimed.IsZero(), "/M")
	if s.Container == nil || s.Info == nil {
		return append(list, "SignerInfo")
	}
	note(slices.ContainsFunc(s.Odd, func(r facts.Reason) bool { return r.Code == facts.BasicEncoding }), "DER")
	note(s.Container.Content != nil, "eContent")
	note(!s.Container.ContentType.Equal(cms.OIDData), "content-type")
	note(!s.Container.NamesCertificate(*s.Info), "signing-certificate")
	for _, a := range s.Info.Signed {
		note(a.Type.Equal(oidSigningTime), "signing-time")
	}
	return list
}

// coverageReason says why a signature does not cover the file as a whole.
func coverageReason(r facts.Reason) Reason {
	return NewReason("coverage.broken", "what", string(r.Code), "why", r.Detail)
}

// Attributes in which CAdES signatures carry validation data: certificate-values and revocation-values (RFC 5126
// §6.3.4).
var (
	oidCertificateValues = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 23}
	oidRevocationValues  = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 24}
	oidRevocationArchive = asn1.ObjectIdentifier{1, 2, 840, 113583, 1, 1, 8}
	oidBasicOCSP         = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 1}
)

// certificateValues returns the certificates among the unsigned attributes, without unreadable ones.
func certificateValues(s cms.Signer) (certs []*x509.Certificate) {
	var values []asn1.RawValue
	if !unmarshalAttribute(s.Unsigned, oidCertificateValues, &values) {
		return nil
	}
	for _, raw := range values[:min(len(values), cms.MaxCertificates)] {
		if c, err := cms.ParseCertificate(raw.FullBytes); err == nil {
			certs = append(certs, c)
		}
	}
	return certs
}

// revocationValues returns the CRLs and OCSP responses among the unsigned attributes, the basic responses wrapped again
// (RFC 5126 §6.3.4). The signature does not prove their age.
func revocationValues(s cms.Signer) (crls, responses [][]byte) {
	crls, basic := revocationAttribute(s.Unsigned, oidRevocationValues)
	for _, b := range basic {
		if der, err := wrapBasicResponse(b); err == nil {
			responses = append(responses, der)
		}
	}
	return crls, responses
}

// revocationAttribute reads the structure of revocation-values and of adbe-revocationInfoArchival (ISO 32000-1
// §12.8.3.3.2), in which older forms hold revocation data.
func revocationAttribute(attributes []cms.Attribute, oid asn1.ObjectIdentifier) (crls, responses [][]byte) {
	var v struct {
		CRLs      []asn1.RawValue `asn1:"optional,explicit,tag:0"`
		Responses []asn1.RawValue `asn1:"optional,explicit,tag:1"`
		Other     asn1.RawValue   `asn1:"optional,explicit,tag:2"`
	}
	if !unmarshalAttribute(attributes, oid, &v) {
		return nil, nil
	}
	for _, c := range v.CRLs {
		crls = append(crls, c.FullBytes)
	}
	for _, r := range v.Responses {
		responses = append(responses, r.FullBytes)
	}
	return crls, responses
}

func unmarshalAttribute(attributes []cms.Attribute, oid asn1.ObjectIdentifier, into any) bool {
	der, ok, err := cms.FindAttributeValue(attributes, oid)
	if err != nil || !ok {
		return false
	}
	_, err = asn1.Unmarshal(der, into)
	return err == nil
}

// wrapBasicResponse wraps a BasicOCSPResponse in an OCSPResponse: the attribute holds only the former.
func wrapBasicResponse(basic []byte) ([]byte, error) {
	type bytes struct {
		Type     asn1.ObjectIdentifier
		Response []byte
	}
	return asn1.Marshal(struct {
		Status asn1.Enumerated
		Bytes  bytes `asn1:"explicit,tag:0"`
	}{0, bytes{oidBasicOCSP, basic}})
}
