package authority

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Assurance is what was verified about a holder before a certificate was made out to them. Each has a certificate
// policy of its own, so that a certificate says it for good.
type Assurance string

// The assurances. Values stand in the ledger; new ones are added, none is renamed.
const (
	Guest    Assurance = "guest_unverified"  // a name that the owner of a document entered; nothing was verified
	Account  Assurance = "account_password"  // an account that an administrator of the organisation gave; its password
	Seal     Assurance = "organisation_seal" // an organisation, as the operator of the service entered it
	Specimen Assurance = "specimen"          // the service's own sandbox of a stamp office
)

// ErrHolder is a holder who lacks what their assurance needs, or has what it excludes.
var ErrHolder = errors.New("holder does not fit the assurance")

// Holder is the subject of a certificate, and what was verified about them.
type Holder struct {
	ID           string // our identifier, in the subject's serialNumber
	Name         string
	Organisation string // whose account, or whose seal it is; of a guest the organisation that NamedBy belongs to
	Assurance    Assurance
	NamedBy      string // who entered a guest's name; empty for all others

	// Email is kept in the ledger, where certificates are found by it. It is in no certificate: a CA has to verify every
	// part of a subject alternative name (RFC 5280 §4.2.1.6), and mailboxes are not verified.
	Email string
}

// policyArc is where the certificate policies are, beside the policy of the time-stamp authority.
const policyArc = "2.25.1879048192.2."

// policies are the assurances, the weakest first, with the last arc of their certificate policy and its text, which is what a reader of the
// certificate gets to see who knows nothing of this service: at most 200 characters (RFC 5280 §4.2.1.4).
var policies = []struct {
	assurance Assurance
	arc       string
	notice    string
}{
	{Guest, "1", "Guest, identity not verified: the sender of the document entered this name. Tamu, identitas tidak diverifikasi: nama dicantumkan oleh pengirim dokumen."},
	{Account, "2", "Verified: an account given by an administrator of the organisation; password. Terverifikasi: akun yang diberikan oleh administrator organisasi; kata sandi."},
	{Seal, "3", "Seal of an organisation, as the operator of the service entered it. Segel organisasi, sebagaimana dicatat oleh operator layanan."},
	{Specimen, "4", "SPECIMEN without legal value, by the sandbox of this service. SPESIMEN tanpa nilai hukum, dari sandbox layanan ini."},
}

// Policy returns the OID of the assurance's certificate policy in dotted decimals; empty for one that is not known.
func (a Assurance) Policy() string {
	for _, p := range policies {
		if p.assurance == a {
			return policyArc + p.arc
		}
	}
	return ""
}

// Assurances lists all of them, the weakest first.
func Assurances() []Assurance {
	var all []Assurance
	for _, p := range policies {
		all = append(all, p.assurance)
	}
	return all
}

// What stands before the parts of a guest's subject. The owner of a document writes what follows, so the words come
// first: no name is long enough to push them out, and none can take their place.
const (
	guestMark      = "Guest (identity not verified): "
	namedByMark    = "Named by: "
	namedByOrgMark = "Sender's organisation: "
)

// Upper bounds of RFC 5280 appendix A in characters: ub-common-name, ub-organization-name, ub-organizational-unit-name
// and ub-serial-number are alike. ub-name is 32,768; a full name has 255 here.
const (
	maxName     = 64
	maxFullName = 255
)

var (
	oidName               = asn1.ObjectIdentifier{2, 5, 4, 41}
	oidOrganizationalUnit = asn1.ObjectIdentifier{2, 5, 4, 11}
	oidPolicies           = asn1.ObjectIdentifier{2, 5, 29, 32}
	oidCPS                = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 2, 1}
	oidUserNotice         = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 2, 2}
)

// buildSubject returns the name that a certificate is made out to. An organisation (O) stands only in those of accounts and
// seals: it says that the holder belongs to it.
func (h Holder) buildSubject() (pkix.Name, error) {
	if h.ID == "" || utf8.RuneCountInString(h.ID) > maxName || !isPrintable(h.ID) {
		return pkix.Name{}, fmt.Errorf("%w: identifier %q", ErrHolder, h.ID)
	}
	name, organisation, by := cleanName(h.Name), cleanName(h.Organisation), cleanName(h.NamedBy)
	if name == "" {
		return pkix.Name{}, fmt.Errorf("%w: %s without a name", ErrHolder, h.Assurance)
	}
	n := pkix.Name{CommonName: clipName(name), SerialNumber: h.ID}
	complete := false
	switch h.Assurance {
	case Guest:
		complete = organisation != "" && by != ""
		n.CommonName = clipName(guestMark + name)
		n.ExtraNames = []pkix.AttributeTypeAndValue{
			{Type: oidOrganizationalUnit, Value: clipName(namedByMark + by)},
			{Type: oidOrganizationalUnit, Value: clipName(namedByOrgMark + organisation)},
		}
		if n.CommonName != guestMark+name {
			n.ExtraNames = append(n.ExtraNames, pkix.AttributeTypeAndValue{Type: oidName, Value: guestMark + clipTo(name, maxFullName)})
		}
	case Account, Seal:
		complete = organisation != "" && by == ""
		n.Organization = []string{clipName(organisation)}
	case Specimen:
		complete = organisation == "" && by == ""
	}
	if !complete {
		return pkix.Name{}, fmt.Errorf("%w: %q of organisation %q, named by %q, as %q", ErrHolder, h.ID, h.Organisation, h.NamedBy, h.Assurance)
	}
	return n, nil
}

// Statement is what a certificate says about its holder. It is worth what its issuer is: ask only about certificates
// that one of [Issuer] signed.
type Statement struct {
	Assurance    Assurance // empty: made before certificates said it
	Name         string    // of a guest without the words before it
	Organisation string
	NamedBy      string
}

// ReadStatement reads what subject of a certificate made by [Authority.Certify] with that assurance; empty for one made
// before certificates said it.
func ReadStatement(c *x509.Certificate, a Assurance) Statement {
	s := Statement{Assurance: a, Name: c.Subject.CommonName}
	if len(c.Subject.Organization) > 0 {
		s.Organisation = c.Subject.Organization[0]
	}
	if a != Guest {
		return s
	}
	s.Name = strings.TrimPrefix(s.Name, guestMark)
	for _, v := range c.Subject.Names {
		text, ok := v.Value.(string)
		switch {
		case !ok:
		case v.Type.Equal(oidName):
			s.Name = strings.TrimPrefix(text, guestMark)
		case v.Type.Equal(oidOrganizationalUnit) && strings.HasPrefix(text, namedByMark):
			s.NamedBy = strings.TrimPrefix(text, namedByMark)
		case v.Type.Equal(oidOrganizationalUnit) && strings.HasPrefix(text, namedByOrgMark):
			s.Organisation = strings.TrimPrefix(text, namedByOrgMark)
		}
	}
	return s
}

// Issuer is a certificate that issues, and the assurances of what it issues.
type Issuer struct {
	Certificate *x509.Certificate
	Assurances  []Assurance
	Earlier     bool // it issued certificates before they said what was verified
}

// certificatePolicies is the extension of RFC 5280 §4.2.1.4 for these assurances. A certificate of a holder has the
// text; one that issues states the policies alone, so that no other is valid below it.
func certificatePolicies(texts string, list ...Assurance) (pkix.Extension, error) {
	type qualifier struct {
		ID    asn1.ObjectIdentifier
		Value asn1.RawValue
	}
	type information struct {
		Policy     asn1.RawValue
		Qualifiers []qualifier `asn1:"optional,omitempty"`
	}
	type notice struct {
		Text string `asn1:"utf8"`
	}
	var all []information
	for _, p := range policies {
		if !slices.Contains(list, p.assurance) {
			continue
		}
		oid, err := x509.ParseOID(policyArc + p.arc)
		if err != nil {
			return pkix.Extension{}, err
		}
		der, err := oid.MarshalBinary()
		if err != nil {
			return pkix.Extension{}, err
		}
		i := information{Policy: asn1.RawValue{Tag: asn1.TagOID, Bytes: der}}
		if texts != "" {
			text, err := asn1.Marshal(notice{p.notice})
			if err != nil {
				return pkix.Extension{}, err
			}
			i.Qualifiers = []qualifier{
				{oidCPS, asn1.RawValue{Tag: asn1.TagIA5String, Bytes: []byte(texts)}},
				{oidUserNotice, asn1.RawValue{FullBytes: text}},
			}
		}
		all = append(all, i)
	}
	der, err := asn1.Marshal(all)
	return pkix.Extension{Id: oidPolicies, Value: der}, err
}

// hasOnlyPolicy reports whether a certificate has the policy of an assurance and no other.
func hasOnlyPolicy(c *x509.Certificate, a Assurance) bool {
	return len(c.Policies) == 1 && c.Policies[0].String() == a.Policy()
}

// policyText is what the address in certificates answers: every policy with its text.
func policyText() string {
	var b strings.Builder
	b.WriteString("Certificate policies of this authority: what was verified about a holder.\nKebijakan sertifikat otoritas ini: apa yang diverifikasi tentang pemegang sertifikat.\n")
	for _, p := range policies {
		fmt.Fprintf(&b, "\n%s\n%s\n", policyArc+p.arc, p.notice)
	}
	return b.String()
}

// clipName bounds an attribute of a subject.
func clipName(s string) string { return clipTo(s, maxName) }

// clipTo returns s with at most n characters; an ellipsis is the last one where some were cut off.
func clipTo(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return strings.TrimRight(string(r[:n-1]), " ") + "…"
}

// cleanName returns a name on one line without what is not seen or changes how its neighbours are seen: control and
// format characters (which turn the direction of writing, or have no width), private ones, and marks at the beginning,
// which would be drawn over what stands before it.
func cleanName(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError, !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	return strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsMark(r) || r == ' ' })
}

// isPrintable reports whether s fits the PrintableString that a serialNumber is, as far as identifiers use it.
func isPrintable(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != ' ' {
			return false
		}
	}
	return true
}
