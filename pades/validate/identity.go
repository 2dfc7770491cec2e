package validate

import (
	"crypto/x509"
	"slices"
	"strings"
)

// IdentityStatus is how much is known about who holds a certificate.
type IdentityStatus string

// The statuses.
const (
	IdentityAttested    IdentityStatus = "attested"     // something was verified; Verified lists what
	IdentityUnverified  IdentityStatus = "unverified"   // nothing was verified, and the issuer says so
	IdentityNotRecorded IdentityStatus = "not_recorded" // the issuer is known, and what it verified is not
	IdentityUnknown     IdentityStatus = "unknown"      // what the issuer verifies is not known here
)

// Identity is what was verified about a signer, how and by whom. It is a statement of the certificate's issuer, and
// stands beside the indication: a signature may be valid although its signer was not verified.
type Identity struct {
	Status     IdentityStatus `json:"status" enum:"attested,unverified,not_recorded,unknown"`
	Assurance  string         `json:"assurance" doc:"code of what the issuer's policy stands for; empty where that is not known here"`
	Verified   []string       `json:"verified" doc:"what was verified, in codes"`
	VerifiedBy string         `json:"verified_by" doc:"who verified it; empty where nothing was verified, or it is not known"`
	Name       string         `json:"name" doc:"of the signer, as the issuer was given it"`
	NamedBy    string         `json:"named_by" doc:"who entered the name of a signer who was not verified"`

	Organisation string `json:"organisation" doc:"that the signer, or the person who named them, belongs to"`
	Statement    Reason `json:"statement" doc:"all of it, as it stands behind the word identity"`
}

// isDoubtful reports whether the issuer says that the signer was not verified, or leaves it open.
func (i *Identity) isDoubtful() bool {
	return i != nil && (i.Status == IdentityUnverified || i.Status == IdentityNotRecorded)
}

// Assurance is what certificates of one policy stand for.
type Assurance struct {
	// Policy is the OID in dotted decimals. Empty stands for certificates that state no policy.
	Policy string
	// Identify says it about the holder of one certificate, which is of the issuer and the policy. What it returns may
	// hold anything from the certificate: it is cleaned before it is told.
	Identify func(holder *x509.Certificate) Identity
}

// Declare says what the policies of certificates below an issuer stand for: those that it signed, and those below issuers
// that it signed and that state the policy as well. An OID means nothing by itself, so a certificate of another issuer
// that states the same one is not concerned. The issuer may be a root, or stand below one; declaring adds no trust. Where
// a certificate states several, the first of the list counts: put the weakest first.
func (t *Trust) Declare(issuer *x509.Certificate, list ...Assurance) {
	if t.declared == nil {
		t.declared = map[string][]Assurance{}
	}
	id := certificateFingerprint(issuer)
	t.declared[id] = append(t.declared[id], list...)
}

// identifySigner says what is known about a signer; nil for a document timestamp.
func (v *validation) identifySigner(s *checkedSignature) *Identity {
	if s.isDocumentTimestamp {
		return nil
	}
	c := s.trust.chain
	if s.failure != nil || c == nil {
		// A certificate says nothing about the signer if its key did not make the signature, or no trusted issuer signed it.
		return newUnknownIdentity(holderName(s.cert), newReason("identity.not_established"))
	}
	if i := v.trustAnchors().findIdentity(c); i != nil {
		return i
	}
	issuer := c[min(1, len(c)-1)]
	for _, p := range policiesOf(c[0]) {
		if p.Notice != "" {
			return newUnknownIdentity(holderName(c[0]), newReason("identity.issuer_says", "issuer", holderName(issuer), "notice", replaceQuotes(p.Notice)))
		}
	}
	return newUnknownIdentity(holderName(c[0]), newReason("identity.issuer_unknown", "issuer", holderName(issuer)))
}

func newUnknownIdentity(name string, statement Reason) *Identity {
	return &Identity{Status: IdentityUnknown, Verified: []string{}, Name: cleanText(name), Statement: statement}
}

// findIdentity applies what was declared for the issuer nearest to the holder; nil where nothing was that fits.
func (t *Trust) findIdentity(c chain) *Identity {
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

// appliesTo reports whether the first certificate of a chain is of the policy, and every one up to the issuer leaves it valid
// (RFC 5280 §6.1.3 d): those between have to state it. The issuer itself, for which it was declared, must not exclude it
// by stating others; what a root states of itself does not count.
func (a Assurance) appliesTo(c chain, issuer int) bool {
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

// cleanFields bounds and cleans what came from a certificate.
func (i *Identity) cleanFields() {
	for _, s := range []*string{&i.Assurance, &i.VerifiedBy, &i.Name, &i.NamedBy, &i.Organisation, &i.Statement.Code} {
		*s = cleanText(*s)
	}
	i.Statement.Indonesian, i.Statement.English = cleanSentence(i.Statement.Indonesian), cleanSentence(i.Statement.English)
	args := map[string]string{}
	for name, v := range i.Statement.Args {
		args[cleanText(name)] = cleanText(v)
	}
	i.Statement.Args = args
	if i.Verified == nil {
		i.Verified = []string{}
	}
}

// cleanSentence cleans a sentence of a caller's, which holds several arguments.
func cleanSentence(s string) string {
	parts := strings.Fields(s)
	for i, p := range parts {
		parts[i] = cleanText(p)
	}
	return strings.Join(parts, " ")
}

// replaceQuotes replaces the quotation marks of a name, so that it cannot end the ones it stands in.
func replaceQuotes(s string) string {
	return strings.NewReplacer("“", "'", "”", "'", "„", "'", "‟", "'", `"`, "'").Replace(s)
}
