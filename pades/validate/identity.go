package validate

import (
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"slices"
	"strings"
	"unicode/utf16"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"

	"segel/certpath"
)

// IdentityStatus is how much is known about the holder of a certificate.
type IdentityStatus string

const (
	IdentityAttested    IdentityStatus = "attested"     // something was verified; Verified lists what
	IdentityUnverified  IdentityStatus = "unverified"   // the identity was not verified, and the issuer says so; Verified lists what else was, such as a mailbox
	IdentityNotRecorded IdentityStatus = "not_recorded" // the issuer is known, and what it verified is not
	IdentityUnknown     IdentityStatus = "unknown"      // what the issuer verifies is not known here
)

// Identity is what was verified about a signer, how and by whom. It is a statement of the certificate's issuer,
// independent of the indication: a signature may be valid although its signer was not verified.
type Identity struct {
	Status       IdentityStatus
	Assurance    string   // code of what the issuer's policy stands for; empty if unknown
	Verified     []string // what was verified, in codes
	VerifiedBy   string   // empty if the identity was not verified, or it is unknown
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
			return newUnknownIdentity(holderName(c[0]), NewReason("identity.issuer_says", "issuer", holderName(issuer), "notice", ReplaceQuotes(p.Notice)))
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

func hasPolicies(c *x509.Certificate) bool { return hasExtension(c, oidCertificatePolicies) }

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

// ReplaceQuotes replaces the quotation marks in a text from a file, so that it cannot end a quotation around it.
func ReplaceQuotes(s string) string {
	return strings.NewReplacer("“", "'", "”", "'", "„", "'", "‟", "'", `"`, "'").Replace(s)
}

// CertificatePolicy is a policy that a certificate states (RFC 5280 §4.2.1.4). It is a statement of the certificate's
// issuer, and as reliable as that issuer.
type CertificatePolicy struct {
	OID    string `json:"oid" doc:"in dotted decimals"`
	CPS    string `json:"cps" doc:"address of the issuer's practice statement; empty if the certificate has none"`
	Notice string `json:"notice" doc:"the text for relying parties; empty if there is none"`
}

// Limits for the policies of one certificate; more are left out.
const (
	maxPolicies   = 20
	maxQualifiers = 10
)

// anyPolicy in a CA certificate permits all policies (RFC 5280 §4.2.1.4).
const anyPolicy = "2.5.29.32.0"

var (
	oidCertificatePolicies = asn1.ObjectIdentifier{2, 5, 29, 32}
	oidCPS                 = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 2, 1}
	oidUserNotice          = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 2, 2}
)

var errPolicies = errors.New("certificate policies cannot be read")

// policiesOf returns the policies of a certificate; empty if they cannot be read.
func policiesOf(c *x509.Certificate) []CertificatePolicy {
	for _, e := range c.Extensions {
		if e.Id.Equal(oidCertificatePolicies) {
			if list, err := parsePolicies(e.Value); err == nil {
				return list
			}
		}
	}
	return []CertificatePolicy{}
}

// parsePolicies parses the value of the extension.
func parsePolicies(der []byte) ([]CertificatePolicy, error) {
	list := []CertificatePolicy{}
	whole, in := cryptobyte.String(der), cryptobyte.String(nil)
	if !whole.ReadASN1(&in, cbasn1.SEQUENCE) || !whole.Empty() {
		return nil, errPolicies
	}
	for !in.Empty() && len(list) < maxPolicies {
		var information, oid cryptobyte.String
		if !in.ReadASN1(&information, cbasn1.SEQUENCE) || !information.ReadASN1(&oid, cbasn1.OBJECT_IDENTIFIER) {
			return nil, errPolicies
		}
		var id x509.OID
		if err := id.UnmarshalBinary(oid); err != nil {
			return nil, errPolicies
		}
		p := CertificatePolicy{OID: id.String()}
		if !information.Empty() && !p.readQualifiers(&information) {
			return nil, errPolicies
		}
		list = append(list, p)
	}
	return list, nil
}

// readQualifiers reads the first CPS address and the first notice of a policy.
func (p *CertificatePolicy) readQualifiers(information *cryptobyte.String) bool {
	var all cryptobyte.String
	if !information.ReadASN1(&all, cbasn1.SEQUENCE) || !information.Empty() {
		return false
	}
	for n := 0; !all.Empty() && n < maxQualifiers; n++ {
		var one, value cryptobyte.String
		var id asn1.ObjectIdentifier
		var tag cbasn1.Tag
		if !all.ReadASN1(&one, cbasn1.SEQUENCE) || !one.ReadASN1ObjectIdentifier(&id) {
			return false
		}
		switch {
		case id.Equal(oidCPS):
			if !one.ReadASN1(&value, cbasn1.IA5String) {
				return false
			}
			if p.CPS == "" {
				p.CPS = CleanText(string(value))
			}
		case id.Equal(oidUserNotice):
			if !one.ReadASN1(&value, cbasn1.SEQUENCE) {
				return false
			}
			// A noticeRef may precede the text.
			if value.PeekASN1Tag(cbasn1.SEQUENCE) && !value.SkipASN1(cbasn1.SEQUENCE) {
				return false
			}
			var text cryptobyte.String
			if !value.Empty() && !value.ReadAnyASN1(&text, &tag) {
				return false
			}
			if p.Notice == "" {
				p.Notice = CleanText(displayText(text, tag))
			}
		}
	}
	return true
}

// bmpString is the only DisplayText type that is neither UTF-8 nor ASCII.
const bmpString = cbasn1.Tag(30)

// displayText decodes a DisplayText with that tag.
func displayText(b []byte, tag cbasn1.Tag) string {
	if tag != bmpString {
		return string(b)
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = uint16(b[2*i])<<8 | uint16(b[2*i+1])
	}
	return string(utf16.Decode(units))
}
