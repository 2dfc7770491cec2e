package contract

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Bounds of an address (RFC 5321 §4.5.3.1): a path has at most 256 octets with its brackets.
const (
	maxEmail  = 254
	maxLocal  = 64 // octets before the @
	maxDomain = 253
	maxLabel  = 63
)

// The codes with which [ParseEmail] refuses.
const (
	EmailMalformed = "email.malformed"
	EmailLocal     = "email.local_not_ascii" // letters beyond ASCII before the @
)

// idnaProfile turns internationalised names into those that mail servers know. Letters are mapped as a person means them: to
// lower case, and composed (UTS 46). What IDNA 2008 forbids is refused.
var idnaProfile = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.Transitional(false), idna.StrictDomainName(true), idna.VerifyDNSLength(true))

// ParseEmail reads an address as it is written for one mailbox, without a name, comment or quotes: a dot-atom (RFC 5322
// §3.2.3) of at most 64 octets, @, and a domain of letters, digits and hyphens (RFC 5321 §4.1.2), of at most 254 octets in all.
// White space around it is not part of it.
//
// A domain in other letters is returned in ASCII (RFC 5891), so that one mailbox has one address here. Letters beyond ASCII
// before the @ are refused (RFC 6531 would allow them): not every mail server on the way could carry them.
//
// Code is empty, or says why the address is refused.
func ParseEmail(s string) (address, code string) {
	s = strings.TrimSpace(s)
	local, domain, ok := strings.Cut(s, "@")
	if !ok || !utf8.ValidString(s) {
		return "", EmailMalformed
	}
	for i := range len(local) {
		if local[i] >= 0x80 {
			return "", EmailLocal
		}
	}
	if !isDotAtom(local) || len(local) > maxLocal {
		return "", EmailMalformed
	}
	if domain, ok = parseDomain(domain); !ok || len(local)+1+len(domain) > maxEmail {
		return "", EmailMalformed
	}
	return local + "@" + domain, ""
}

// isDotAtom reports atoms with single dots between them (RFC 5322 §3.2.3).
func isDotAtom(s string) bool {
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" {
			return false
		}
		for i := range len(atom) {
			if c := atom[i]; !isLetterOrDigit(c) && strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) < 0 {
				return false
			}
		}
	}
	return true
}

// parseDomain returns a domain in ASCII. One that is ASCII already comes back as it is, in its own case.
func parseDomain(s string) (string, bool) {
	if len(s) > 4*maxDomain { // in other letters it is at most so much longer
		return "", false
	}
	ascii, encoded := true, false
	for i := range len(s) {
		ascii = ascii && s[i] < 0x80
	}
	for label := range strings.SplitSeq(s, ".") {
		encoded = encoded || len(label) >= 4 && strings.EqualFold(label[:4], "xn--")
	}
	if !ascii || encoded {
		made, err := idnaProfile.ToASCII(s)
		if err != nil {
			return "", false
		}
		if !ascii {
			s = made
		}
	}
	if len(s) > maxDomain {
		return "", false
	}
	number := true
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' {
			return "", false
		}
		number = true
		for i := range len(label) {
			if !isLetterOrDigit(label[i]) && label[i] != '-' {
				return "", false
			}
			number = number && label[i] >= '0' && label[i] <= '9'
		}
	}
	return s, !number // no top-level domain is a number; 192.0.2.1 is an address of the network
}

func isLetterOrDigit(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
