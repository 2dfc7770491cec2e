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

// Assurance is what was verified about a holder before their certificate was issued. Each has its own certificate
// policy, so that the certificate states it permanently.
type Assurance string

// The assurances. The values are stored in the ledger; values may be added but never renamed.
const (
	Guest Assurance = "guest_unverified" // a name that the owner of a document entered; not verified
	// GuestMailbox and GuestPhone are guests who entered a code that was sent to a mailbox or a phone. Their identity is not verified.
	GuestMailbox Assurance = "guest_mailbox_code"
	GuestPhone   Assurance = "guest_phone_code"
	Account      Assurance = "account_password"  // an account created by an administrator of the organisation; password
	Seal         Assurance = "organisation_seal" // an organisation as the operator of the service entered it
	Specimen     Assurance = "specimen"          // the sandbox of the stamp office
)

// ErrHolder is a holder that lacks what their assurance requires, or has what it excludes.
var ErrHolder = errors.New("holder does not fit the assurance")

// Holder is the subject of a certificate, and what was verified about them.
type Holder struct {
	ID           string // our identifier, in the subject's serialNumber
	Name         string
	Organisation string // of an account or seal; for a guest the organisation of NamedBy
	Assurance    Assurance
	NamedBy      string // who entered a guest's name; empty for others

	// Contact is the address of the mailbox, or the phone number (E.164), of which a guest verified that they read what is sent
	// there. The certificate states it. Empty for all but GuestMailbox and GuestPhone.
	Contact string

	// Email is stored in the ledger, to find certificates. It is not in the certificate: a CA must verify every part of
	// a subject alternative name (RFC 5280 §4.2.1.6), and this address is not verified.
	Email string
}

// policyArc is the parent of the certificate policies; the time-stamp policy is beside it.
const policyArc = "2.25.1879048192.2."

// policies lists the assurances, the weakest first, with the last arc of their certificate policy and its text. The
// text is shown to readers of the certificate: at most 200 characters (RFC 5280 §4.2.1.4).
var policies = []struct {
	assurance Assurance
	arc       string
	notice    string
}{
	{Guest, "1", "Guest, identity not verified: the sender of the document entered this name. Tamu, identitas tidak diverifikasi: nama dicantumkan oleh pengirim dokumen."},
	{GuestPhone, "6", "Guest, identity not verified. Verified: a phone number, by a code sent to it. Tamu, identitas tidak diverifikasi. Terverifikasi: nomor telepon, dengan kode yang dikirim ke sana."},
	{GuestMailbox, "5", "Guest, identity not verified. Verified: a mailbox, by a code sent to it. Tamu, identitas tidak diverifikasi. Terverifikasi: kotak surat, dengan kode yang dikirim ke sana."},
	{Account, "2", "Verified: an account given by an administrator of the organisation; password. Terverifikasi: akun yang diberikan oleh administrator organisasi; kata sandi."},
	{Seal, "3", "Seal of an organisation, as the operator of the service entered it. Segel organisasi, sebagaimana dicatat oleh operator layanan."},
	{Specimen, "4", "SPECIMEN without legal value, by the sandbox of this service. SPESIMEN tanpa nilai hukum, dari sandbox layanan ini."},
}

// Policy returns the OID of the assurance's certificate policy in dotted decimals; empty for an unknown assurance.
func (a Assurance) Policy() string {
	for _, p := range policies {
		if p.assurance == a {
			return policyArc + p.arc
		}
	}
	return ""
}

// Assurances returns all assurances, the weakest first.
func Assurances() []Assurance {
	var all []Assurance
	for _, p := range policies {
		all = append(all, p.assurance)
	}
	return all
}

// Prefixes of the parts of a guest's subject. The owner of a document writes what follows, so the prefix comes first: a
// long name cannot push it out, and no name can replace it.
const (
	guestMark      = "Guest (identity not verified): "
	namedByMark    = "Named by: "
	namedByOrgMark = "Sender's organisation: "
)

// Upper bounds of RFC 5280 appendix A in characters: ub-common-name, ub-organization-name, ub-organizational-unit-name
// and ub-serial-number are equal. ub-name is 32,768; full names are limited to 255 here.
const (
	maxName     = 64
	maxFullName = 255
	maxMailbox  = 254 // RFC 5321 §4.5.3.1.3, without the angle brackets
	maxPhone    = 15  // digits (E.164 §6.2.1)
)

var (
	oidTelephoneNumber    = asn1.ObjectIdentifier{2, 5, 4, 20}
	oidName               = asn1.ObjectIdentifier{2, 5, 4, 41}
	oidOrganizationalUnit = asn1.ObjectIdentifier{2, 5, 4, 11}
	oidPolicies           = asn1.ObjectIdentifier{2, 5, 29, 32}
	oidCPS                = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 2, 1}
	oidUserNotice         = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 2, 2}
)

// buildSubject returns the subject of the holder's certificate. Only accounts and seals have an organisation (O): it
// says that the holder belongs to it.
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
	case Guest, GuestMailbox, GuestPhone:
		complete = organisation != "" && by != ""
		n.CommonName = clipName(guestMark + name)
		n.ExtraNames = []pkix.AttributeTypeAndValue{
			{Type: oidOrganizationalUnit, Value: clipName(namedByMark + by)},
			{Type: oidOrganizationalUnit, Value: clipName(namedByOrgMark + organisation)},
		}
		if n.CommonName != guestMark+name {
			n.ExtraNames = append(n.ExtraNames, pkix.AttributeTypeAndValue{Type: oidName, Value: guestMark + clipTo(name, maxFullName)})
		}
		if h.Assurance == GuestPhone {
			n.ExtraNames = append(n.ExtraNames, pkix.AttributeTypeAndValue{Type: oidTelephoneNumber, Value: h.Contact})
		}
	case Account, Seal:
		complete = organisation != "" && by == ""
		n.Organization = []string{clipName(organisation)}
	case Specimen:
		complete = organisation == "" && by == ""
	}
	if !complete || !h.hasContact() {
		return pkix.Name{}, fmt.Errorf("%w: %q of organisation %q, named by %q, as %q", ErrHolder, h.ID, h.Organisation, h.NamedBy, h.Assurance)
	}
	return n, nil
}

// hasContact reports whether the holder has the contact that the assurance requires, in the form that a certificate can state, and
// no other.
func (h Holder) hasContact() bool {
	switch h.Assurance {
	case GuestMailbox:
		at := strings.LastIndexByte(h.Contact, '@')
		return at > 0 && at < len(h.Contact)-1 && len(h.Contact) <= maxMailbox && !strings.ContainsFunc(h.Contact, func(r rune) bool { return r <= ' ' || r > '~' })
	case GuestPhone:
		digits, plus := strings.CutPrefix(h.Contact, "+")
		return plus && digits != "" && len(digits) <= maxPhone && strings.Trim(digits, "0123456789") == ""
	}
	return h.Contact == ""
}

// listMailboxes returns the mailboxes of the certificate's subject alternative name: the verified one, if there is one.
func (h Holder) listMailboxes() []string {
	if h.Assurance != GuestMailbox {
		return nil
	}
	return []string{h.Contact}
}

// Statement is what a certificate says about its holder. Use it only for certificates that one of [Issuer] signed.
type Statement struct {
	Assurance    Assurance // empty: issued before certificates stated it
	Name         string    // for a guest without the prefix
	Organisation string
	NamedBy      string
	Contact      string // the verified mailbox or phone number of a guest; empty: none
}

// ReadStatement reads the subject of a certificate that [Authority.Certify] issued with that assurance; empty for
// certificates issued before they stated one.
func ReadStatement(c *x509.Certificate, a Assurance) Statement {
	s := Statement{Assurance: a, Name: c.Subject.CommonName}
	if len(c.Subject.Organization) > 0 {
		s.Organisation = c.Subject.Organization[0]
	}
	switch a {
	case Guest, GuestPhone:
	case GuestMailbox:
		if len(c.EmailAddresses) == 1 {
			s.Contact = c.EmailAddresses[0]
		}
	default:
		return s
	}
	s.Name = strings.TrimPrefix(s.Name, guestMark)
	for _, v := range c.Subject.Names {
		text, ok := v.Value.(string)
		switch {
		case !ok:
		case v.Type.Equal(oidName):
			s.Name = strings.TrimPrefix(text, guestMark)
		case v.Type.Equal(oidTelephoneNumber) && a == GuestPhone:
			s.Contact = text
		case v.Type.Equal(oidOrganizationalUnit) && strings.HasPrefix(text, namedByMark):
			s.NamedBy = strings.TrimPrefix(text, namedByMark)
		case v.Type.Equal(oidOrganizationalUnit) && strings.HasPrefix(text, namedByOrgMark):
			s.Organisation = strings.TrimPrefix(text, namedByOrgMark)
		}
	}
	return s
}

// Issuer is an issuing certificate and the assurances of the certificates that it issues.
type Issuer struct {
	Certificate *x509.Certificate
	Assurances  []Assurance
	Earlier     bool // it has issued certificates that do not state an assurance
}

// certificatePolicies builds the extension of RFC 5280 §4.2.1.4 for these assurances. A holder's certificate includes
// the texts; an issuing certificate has only the policies, so that no other policy is valid below it.
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

// hasOnlyPolicies reports whether a certificate has the policies of these assurances and no other.
func hasOnlyPolicies(c *x509.Certificate, list ...Assurance) bool {
	return len(c.Policies) == len(list) && !slices.ContainsFunc(list, func(a Assurance) bool {
		return !slices.ContainsFunc(c.Policies, func(p x509.OID) bool { return p.String() == a.Policy() })
	})
}

// policyText is the page at the address in the certificates: every policy with its text.
func policyText() string {
	var b strings.Builder
	b.WriteString("Certificate policies of this authority: what was verified about a holder.\nKebijakan sertifikat otoritas ini: apa yang diverifikasi tentang pemegang sertifikat.\n")
	for _, p := range policies {
		fmt.Fprintf(&b, "\n%s\n%s\n", policyArc+p.arc, p.notice)
	}
	return b.String()
}

// clipName limits an attribute of a subject.
func clipName(s string) string { return clipTo(s, maxName) }

// clipTo returns at most n characters of s, the last one an ellipsis if s was longer.
func clipTo(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return strings.TrimRight(string(r[:n-1]), " ") + "…"
}

// cleanName returns a name on one line without invisible characters and without characters that change how others are
// displayed: control and format characters (writing direction, zero width), private-use characters, and leading marks,
// which would be drawn over the preceding text.
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

// isPrintable reports whether s fits the PrintableString of a serialNumber, as far as identifiers use it.
func isPrintable(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != ' ' {
			return false
		}
	}
	return true
}
