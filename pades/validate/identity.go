package validate

import (
	"crypto/x509"
	"slices"
	"strings"

	"segel/certpath"
)

// IdentityStatus is how much is known about the holder of a certificate.
type IdentityStatus string

const (
	IdentityAttested    IdentityStatus = "attested"     // something was verified; Verified lists what
	IdentityUnverified  IdentityStatus = "unverified"   // nothing was verified, and the issuer says so
	IdentityNotRecorded IdentityStatus = "not_recorded" // the issuer is known, and what it verified is not
	IdentityUnknown     IdentityStatus = "unknown"      // what the issuer verifies is not known here
)

// Identity is what was verified about a signer, how and by whom. It is a statement of the certificate's issuer,
// independent of the indication: a signature may be valid although its signer was not verified.
type Identity struct {
	Status       IdentityStatus
	Assurance    string   // code of what the issuer's policy stands for; empty if unknown
	Verified     []string // what was verified, in codes
	VerifiedBy   string   // empty if nothing was verified, or it is unknown
	Name         string   // of the signer, as given to the issuer
	NamedBy      string   // who entered the name of an unverified signer
	Organisation string   // of the signer, or of the person who named them
	Statement    Reason   // all of it
}

// isDoubtful reports whether the issuer says that the signer was not verified, or does not say.
func (i *Identity) isDoubtful() bool {
	return i != nil && (i.Status == IdentityUnverified || i.Status == IdentityNotRecorded)
}

// Assurance is what certificates of one policy stand for.
type Assurance struct {
	// Policy is the OID in dotted decimals; empty for certificates without a policy.
	Policy string
	// Identify returns the identity of a holder whose certificate has the issuer and the policy. The result may hold
	// any text of the certificate: it is cleaned.
	Identify func(holder *x509.Certificate) Identity
}

// Declare sets what the policies of certificates below an issuer stand for: of those it signed, and of those below CAs
// that it signed and that state the policy as well. An OID means nothing by itself, so a certificate of another issuer
// with the same OID is not concerned. The issuer may be a trust anchor or below one; declaring adds no trust. If a
// certificate states several of the policies, the first of the list counts: put the weakest first.
func (t *Trust) Declare(issuer *x509.Certificate, list ...Assurance) {
	if t.declared == nil {
		t.declared = map[string][]Assurance{}
	}
	id := certificateFingerprint(issuer)
	t.declared[id] = append(t.declared[id], list...)
}

// identifySigner returns what is known about a signer; nil for a document timestamp.
func (v *validation) identifySigner(s *checkedSignature) *Identity {
	if s.isDocumentTimestamp {
		return nil
	}
	c := s.trust.chain
	if s.failure != nil || c == nil {
		// A certificate says nothing about the signer if the signature value is wrong or no trusted issuer signed it.
		return newUnknownIdentity(holderName(s.cert), NewReason("identity.not_established"))
	}
	if i := v.o.Trust.findIdentity(c); i != nil {
		return i
	}
	issuer := c[min(1, len(c)-1)]
	for _, p := range policiesOf(c[0]) {
		if p.Notice != "" {
			return newUnknownIdentity(holderName(c[0]), NewReason("identity.issuer_says", "issuer", holderName(issuer), "notice", replaceQuotes(p.Notice)))
		}
	}
	return newUnknownIdentity(holderName(c[0]), NewReason("identity.issuer_unknown", "issuer", holderName(issuer)))
}

func newUnknownIdentity(name string, statement Reason) *Identity {
	return &Identity{Status: IdentityUnknown, Verified: []string{}, Name: CleanText(name), Statement: statement}
}

// findIdentity applies the declaration for the nearest issuer; nil if none applies.
func (t *Trust) findIdentity(c certpath.Path) *Identity {
	for above := 1; above < len(c); above++ {
		list := t.declared[certificateFingerprint(c[above])]
		if list == nil {
			continue
		}
		for _, a := range list {
			if !a.appliesTo(c, above) {
				continue
			}
			i := a.Identify(c[0])
			i.cleanFields()
			return &i
		}
		return nil
	}
	return nil
}

// appliesTo reports whether the first certificate of a chain has the policy and every certificate up to the issuer
// permits it (RFC 5280 §6.1.3 d): those between have to state it. The declared issuer must not exclude it by stating
// others; policies of a trust anchor do not count.
func (a Assurance) appliesTo(c certpath.Path, issuer int) bool {
	if a.Policy == "" {
		return issuer == 1 && !hasPolicies(c[0])
	}
	for i := 0; i <= issuer; i++ {
		if i == len(c)-1 || i == issuer && !hasPolicies(c[i]) {
			continue
		}
		states := func(p CertificatePolicy) bool { return p.OID == a.Policy || i > 0 && p.OID == anyPolicy }
		if !slices.ContainsFunc(policiesOf(c[i]), states) {
			return false
		}
	}
	return true
}

func hasPolicies(c *x509.Certificate) bool {
	for _, e := range c.Extensions {
		if e.Id.Equal(oidCertificatePolicies) {
			return true
		}
	}
	return false
}

// cleanFields cleans and bounds texts from a certificate.
func (i *Identity) cleanFields() {
	for _, s := range []*string{&i.Assurance, &i.VerifiedBy, &i.Name, &i.NamedBy, &i.Organisation, &i.Statement.Code} {
		*s = CleanText(*s)
	}
	args := map[string]string{}
	for name, v := range i.Statement.Args {
		args[CleanText(name)] = CleanText(v)
	}
	i.Statement.Args = args
	if i.Verified == nil {
		i.Verified = []string{}
	}
}

// replaceQuotes replaces the quotation marks in a name, so that it cannot end a quotation around it.
func replaceQuotes(s string) string {
	return strings.NewReplacer("“", "'", "”", "'", "„", "'", "‟", "'", `"`, "'").Replace(s)
}
