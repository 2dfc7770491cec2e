package validate

import (
	"errors"
	"fmt"
	"slices"

	"segel/cms"
	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
	"segel/tsp"
)

// collectFacts takes over the facts: certificates and proof of the whole file, and each signature as a subject.
func (v *validation) collectFacts(f *facts.File) {
	for _, s := range f.Signatures {
		v.certificates.addCertificates(s.Certificates...)
		if s.Token != nil {
			v.certificates.addCertificates(s.Token.Chain...)
		}
		for _, t := range s.Tokens {
			if t.Token != nil {
				v.certificates.addCertificates(t.Token.Chain...)
			}
		}
	}
	if f.DSS != nil {
		v.hasStore = true
		v.collectStore(f.DSS)
	}
	v.collectStore(&f.Earlier)
	for _, s := range f.Signatures {
		one := newCheckedSignature(s)
		v.signatures = append(v.signatures, one)
		v.collectFromSignature(s, one)
	}
}

func (v *validation) collectStore(d *facts.Store) {
	for _, p := range d.Certs {
		// A certificate that cannot be read is of no use; nothing follows from it being there.
		if c, err := cms.ParseCertificate(p.DER); err == nil {
			v.certificates.addCertificates(c)
		}
	}
	for _, p := range d.OCSPs {
		v.revocationData.addItem(revocationItem{der: p.DER, origin: fromStore, revision: p.Revision})
	}
	for _, p := range d.CRLs {
		v.revocationData.addItem(revocationItem{der: p.DER, crl: true, origin: fromStore, revision: p.Revision})
	}
	// What an entry about one signature has beside the lists may have come later than the entry, so nothing proves
	// how old it is.
	for _, e := range d.VRI {
		for _, der := range e.OCSPs {
			v.revocationData.addItem(revocationItem{der: der, origin: fromStore})
		}
		for _, der := range e.CRLs {
			v.revocationData.addItem(revocationItem{der: der, crl: true, origin: fromStore})
		}
	}
}

// collectFromSignature takes up the proof that older forms keep among their signed attributes, and lists in the container.
func (v *validation) collectFromSignature(s *facts.Signature, one *checkedSignature) {
	if s.Info == nil {
		return
	}
	crls, responses := parseRevocationArchive(*s.Info)
	for _, der := range responses {
		v.revocationData.addItem(revocationItem{der: der, origin: fromSignature, revision: one.revision, attributeOf: one})
	}
	for _, der := range crls {
		v.revocationData.addItem(revocationItem{der: der, crl: true, origin: fromSignature, revision: one.revision, attributeOf: one})
	}
	v.certificates.addCertificates(certificateValues(*s.Info)...)
	crls, responses = revocationValues(*s.Info)
	for _, der := range responses {
		v.revocationData.addItem(revocationItem{der: der, origin: fromSignature, revision: one.revision})
	}
	for _, der := range crls {
		v.revocationData.addItem(revocationItem{der: der, crl: true, origin: fromSignature, revision: one.revision})
	}
	// Lists beside the signer info are not signed, so a timestamp on the signature says nothing of them.
	for _, der := range s.Container.CRLs {
		v.revocationData.addItem(revocationItem{der: der, crl: true, origin: fromSignature, revision: one.revision})
	}
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

// findFailure names what the mathematics and the form have against a signature.
func findFailure(s *facts.Signature) *failure {
	for _, c := range []struct {
		err error
		sub SubIndication
	}{
		{facts.ErrDigest, HashFailure}, {facts.ErrContainer, FormatFailure}, {facts.ErrNoSigner, NoSigningCertificateFound},
		{facts.ErrAttributes, FormatFailure}, {facts.ErrAlgorithm, CryptoConstraintsFailure}, {facts.ErrValue, SigCryptoFailure},
	} {
		if errors.Is(s.Integrity, c.err) {
			return &failure{c.sub, integrityReason(s, c.sub)}
		}
	}
	switch {
	case s.Coverage.State == facts.Broken:
		return &failure{FormatFailure, brokenCoverageReason(s.Coverage)}
	case errors.Is(s.Integrity, facts.ErrNotComputed):
		return &failure{SignedDataNotFound, newReason("digest.unknown", "what", s.Integrity.Error())}
	case s.Integrity != nil:
		return &failure{FormatFailure, newReason("format.broken", "what", s.Integrity.Error())}
	case s.Kind == facts.Timestamp && s.Token == nil:
		return &failure{FormatFailure, newReason("time.token_broken", "what", fmt.Sprint(s.TokenErr))}
	case s.Kind == facts.Timestamp && s.TokenErr != nil:
		return tokenFailure(s.TokenErr)
	}
	return nil
}

func integrityReason(s *facts.Signature, sub SubIndication) Reason {
	what := s.Integrity.Error()
	switch {
	case sub == HashFailure:
		return newReason("digest.differs")
	case sub == NoSigningCertificateFound && len(s.Refused) > 0:
		return newReason("certificate.unreadable", "what", encodingFault(s.Refused[0]))
	case sub == NoSigningCertificateFound:
		return newReason("certificate.missing")
	case sub == SigCryptoFailure:
		return newReason("signature.differs", "what", what)
	case sub == CryptoConstraintsFailure:
		return newReason("signature.algorithm", "what", what)
	case errors.Is(s.Integrity, cms.ErrTrailing):
		return newReason("format.trailing")
	case errors.Is(s.Integrity, facts.ErrAttributes):
		return newReason("format.attributes", "what", what)
	}
	return newReason("format.broken", "what", what)
}

// tokenFailure says what is wrong with a timestamp that does not hold.
func tokenFailure(err error) *failure {
	f := &failure{SigCryptoFailure, newReason("time.token_broken", "what", err.Error())}
	switch {
	case errors.Is(err, facts.ErrDigest):
		f.sub = HashFailure
	case errors.Is(err, cms.ErrAlgorithm):
		return &failure{CryptoConstraintsFailure, newReason("time.token_algorithm", "what", err.Error())}
	case errors.Is(err, cms.ErrNoCertificate):
		return &failure{NoSigningCertificateFound, newReason("time.token_certificate", "what", err.Error())}
	case errors.Is(err, cms.ErrMalformed), errors.Is(err, tsp.ErrMalformed):
		f.sub = FormatFailure
	}
	return f
}

func brokenCoverageReason(c facts.Coverage) Reason {
	if len(c.Reasons) == 0 {
		return coverageReason(facts.Reason{Code: facts.ReasonCode(c.State)})
	}
	return coverageReason(c.Reasons[0])
}

// evaluateIntegrity says what became of the content. Where the signature value does not hold, it speaks for no content.
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
		return CannotBeJudged // something follows, and nobody says what
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

// findBaselineFlaws lists what keeps a signature of the form of PAdES from its baseline (ETSI EN 319 142-1 §6).
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
