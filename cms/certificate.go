package cms

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"fmt"
	"math/big"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf16"
	weakly "weak"
)

// certificates holds the certificates that are in use, by their bytes.
var certificates struct {
	mu     sync.RWMutex
	parsed map[string]parsedCertificate
}

type parsedCertificate struct {
	value   weakly.Pointer[x509.Certificate]
	refusal error // of crypto/x509; nil: it accepts the certificate
}

// findCertificate returns a certificate that is in use, or nil, and the reason why crypto/x509 refuses it.
func findCertificate(der []byte) (*x509.Certificate, error) {
	certificates.mu.RLock()
	defer certificates.mu.RUnlock()
	known := certificates.parsed[string(der)]
	return known.value.Value(), known.refusal
}

// ParseCertificate parses a DER certificate. While a certificate is in use, parsing the same bytes again returns the
// same value, which must not be changed: the certificates of authorities occur in every signature and timestamp of a
// file. Unused certificates are garbage-collected.
//
// It also parses certificates that crypto/x509 refuses because of one part, such as a negative serial number or a
// string of an unusual type: see [CheckEncoding]. Keys of types that crypto/x509 does not support are parsed if this
// package can verify with them, and are an [UnsupportedKey] otherwise. Errors: those of crypto/x509.
func ParseCertificate(der []byte) (*x509.Certificate, error) {
	if c, _ := findCertificate(der); c != nil {
		return c, nil
	}
	c, refusal := x509.ParseCertificate(der)
	if refusal != nil {
		var ok bool
		if c, ok = parseLenient(der); !ok {
			return nil, refusal
		}
	}
	if c.PublicKey == nil {
		c.PublicKey, c.PublicKeyAlgorithm = parseKey(c.RawSubjectPublicKeyInfo)
	}
	key, held := string(der), weakly.Make(c)
	certificates.mu.Lock()
	if certificates.parsed == nil {
		certificates.parsed = map[string]parsedCertificate{}
	}
	certificates.parsed[key] = parsedCertificate{held, refusal}
	certificates.mu.Unlock()
	runtime.AddCleanup(c, func(key string) {
		certificates.mu.Lock()
		defer certificates.mu.Unlock()
		if certificates.parsed[key].value == held {
			delete(certificates.parsed, key)
		}
	}, key)
	return c, nil
}

// ParseStrictCertificate is [ParseCertificate] for certificates that have to be correct, such as one's own: it refuses
// what crypto/x509 refuses.
func ParseStrictCertificate(der []byte) (*x509.Certificate, error) {
	c, err := ParseCertificate(der)
	if err == nil {
		err = CheckEncoding(c)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// CheckEncoding returns the reason why crypto/x509 refuses a certificate that [ParseCertificate] accepts, or nil.
func CheckEncoding(c *x509.Certificate) error {
	known, err := findCertificate(c.Raw)
	if known == nil { // parsed by other means
		_, err = x509.ParseCertificate(c.Raw)
	}
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	return nil
}

// Limits for lenient parsing of a certificate.
const (
	maxLenient    = 256 << 10 // bytes
	maxExtensions = 64
	maxNameParts  = 256
)

// parseLenient parses a certificate that crypto/x509 refuses. It identifies the parts by position (RFC 5280 §4.1),
// accepts lengths that are longer than necessary, and leaves unreadable parts empty; an unreadable validity gives two
// zero times. Ok is false if issuer, serial number, subject or public key are not in their positions.
//
// Lenient parsing must not lose restrictions. So if the validity or a restricting extension cannot be read, or such an
// extension occurs twice, it is listed in UnhandledCriticalExtensions, with which crypto/x509 builds no chain. If the
// two signature algorithms differ, the algorithm is unknown.
func parseLenient(der []byte) (c *x509.Certificate, ok bool) {
	if len(der) > maxLenient {
		return nil, false
	}
	outer, rest, ok := parseElement(der)
	if !ok || outer.tag != tagSequence || len(rest) > 0 {
		return nil, false
	}
	tbs, rest, ok := parseElement(outer.content)
	if !ok || tbs.tag != tagSequence {
		return nil, false
	}
	algorithm, rest, ok := parseElement(rest)
	if !ok {
		return nil, false
	}
	signature, _, ok := parseElement(rest)
	if !ok {
		return nil, false
	}

	version := 1
	e, rest, ok := parseElement(tbs.content)
	if ok && e.tag == 0xa0 {
		if v, _, ok := parseElement(e.content); ok && v.tag == asn1.TagInteger && len(v.content) == 1 {
			version = int(v.content[0]) + 1
		}
		if version < 1 || version > 3 {
			version = 3 // version 3 has the strictest rules
		}
		e, rest, ok = parseElement(rest)
	}
	if !ok || e.tag != asn1.TagInteger {
		return nil, false
	}
	serial := parseInteger(e.content)
	var parts [5]element // algorithm, issuer, validity, subject, key
	for i := range parts {
		if parts[i], rest, ok = parseElement(rest); !ok || parts[i].tag != tagSequence {
			return nil, false
		}
	}
	var extensions []element
	for len(rest) > 0 {
		if e, rest, ok = parseElement(rest); !ok {
			extensions = append(extensions, element{}) // there may be extensions in it
			break
		}
		if e.tag == 0xa3 {
			extensions = append(extensions, splitSequence(e.content)...)
		}
	}

	stated := algorithm.full
	if !bytes.Equal(stated, parts[0].full) {
		stated = nil
	}
	c = parseExtensions(stated, extensions)
	c.Raw, c.RawTBSCertificate, c.RawSubjectPublicKeyInfo = der, tbs.full, parts[4].full
	c.RawIssuer, c.RawSubject = parts[1].full, parts[3].full
	c.Version, c.SerialNumber = version, serial
	c.Issuer.FillFromRDNSequence(parseName(parts[1].content))
	c.Subject.FillFromRDNSequence(parseName(parts[3].content))
	if c.NotBefore, c.NotAfter = parseValidity(parts[2].content); c.NotBefore.IsZero() {
		c.UnhandledCriticalExtensions = append(c.UnhandledCriticalExtensions, oidUnreadable)
	}
	c.Signature = nil
	if signature.tag == asn1.TagBitString && len(signature.content) > 1 {
		c.Signature = signature.content[1:]
	}
	c.PublicKey, c.PublicKeyAlgorithm = parseKey(c.RawSubjectPublicKeyInfo)
	return c, true
}

const tagSequence = asn1.TagSequence | 0x20

// element is a value with its tag and length. Only one-byte tags and definite lengths are supported.
type element struct {
	tag           byte
	full, content []byte
}

// parseElement parses the first element of b. Its length may be longer than necessary (ITU-T X.690 §8.1.3.5).
func parseElement(b []byte) (e element, rest []byte, ok bool) {
	if len(b) < 2 || b[0]&0x1f == 0x1f {
		return e, nil, false
	}
	head, length := 2, int(b[1])
	if b[1]&0x80 != 0 {
		size := int(b[1] & 0x7f)
		if size == 0 || size > 8 || len(b) < 2+size {
			return e, nil, false
		}
		head, length = 2+size, 0
		for _, c := range b[2:head] {
			if length = length<<8 | int(c); length > len(b) {
				return e, nil, false
			}
		}
	}
	if length > len(b)-head {
		return e, nil, false
	}
	return element{b[0], b[:head+length], b[head : head+length]}, b[head+length:], true
}

// splitSequence returns the elements of the only sequence in b, as far as they can be read, like splitElements.
func splitSequence(b []byte) []element {
	list, rest, ok := parseElement(b)
	if !ok || list.tag != tagSequence || len(rest) > 0 {
		return []element{{}}
	}
	return splitElements(list.content, maxExtensions+1)
}

// splitElements returns the elements of b, at most that many. The last one is zero if what follows cannot be read.
func splitElements(b []byte, most int) []element {
	var all []element
	for len(b) > 0 && len(all) < most {
		e, rest, ok := parseElement(b)
		if !ok {
			return append(all, element{})
		}
		all, b = append(all, e), rest
	}
	return all
}

// parseInteger parses the content of an INTEGER, which may be negative or longer than necessary.
func parseInteger(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// restrictingExtensions limit what a certificate is for; without them it would be valid for more than its issuer
// allowed. Other extensions may be ignored if they are not critical (RFC 5280 §4.2).
var restrictingExtensions = []asn1.ObjectIdentifier{
	{2, 5, 29, 15}, {2, 5, 29, 19}, {2, 5, 29, 30}, {2, 5, 29, 33}, {2, 5, 29, 36}, {2, 5, 29, 37}, {2, 5, 29, 54},
}

// oidUnreadable stands for an unreadable validity or extension identifier.
var oidUnreadable = asn1.ObjectIdentifier{2, 5, 29}

// parseExtensions returns a certificate with only the extensions and the signature algorithm. It lets crypto/x509 parse
// them in an otherwise correct certificate, each alone and then all together.
func parseExtensions(algorithm []byte, raw []element) *x509.Certificate {
	var usable []pkix.Extension
	var listed []pkix.Extension
	var refused []asn1.ObjectIdentifier
	for i, e := range raw {
		if i == maxExtensions {
			refused = append(refused, oidUnreadable)
			break
		}
		x, ok := parseExtension(e)
		if !ok {
			refused = append(refused, oidUnreadable)
			continue
		}
		same := func(y pkix.Extension) bool { return y.Id.Equal(x.Id) }
		restricts := slices.ContainsFunc(restrictingExtensions, x.Id.Equal)
		listed = append(listed, x)
		switch _, err := parseWithX509(nil, x); {
		case slices.ContainsFunc(usable, same) || err != nil:
			if x.Critical || restricts {
				refused = append(refused, x.Id)
			}
		default:
			usable = append(usable, x)
		}
	}
	c, err := parseWithX509(algorithm, usable...)
	if err != nil { // the algorithm is unreadable
		c, err = parseWithX509(nil, usable...)
		algorithm = nil
	}
	if err != nil { // each is readable, but not all together
		c = &x509.Certificate{}
		refused = append(refused, oidUnreadable)
	}
	if algorithm == nil {
		c.SignatureAlgorithm = x509.UnknownSignatureAlgorithm
	}
	c.Extensions = listed
	c.UnhandledCriticalExtensions = append(c.UnhandledCriticalExtensions, refused...)
	return c
}

func parseExtension(e element) (x pkix.Extension, ok bool) {
	if e.tag != tagSequence {
		return x, false
	}
	id, rest, ok := parseElement(e.content)
	if !ok || id.tag != asn1.TagOID {
		return x, false
	}
	if _, err := asn1.Unmarshal(id.full, &x.Id); err != nil {
		return x, false
	}
	value, rest, ok := parseElement(rest)
	if ok && value.tag == asn1.TagBoolean {
		x.Critical = len(value.content) > 0 && slices.Max(value.content) > 0
		value, rest, ok = parseElement(rest)
	}
	x.Value = value.content
	return x, ok && value.tag == asn1.TagOctetString && len(rest) == 0
}

// parseWithX509 lets crypto/x509 parse extensions in an otherwise correct certificate.
func parseWithX509(algorithm []byte, extensions ...pkix.Extension) (*x509.Certificate, error) {
	if algorithm == nil {
		algorithm = ed25519Identifier
	}
	type validity struct{ From, To time.Time }
	type tbs struct {
		Version    int `asn1:"explicit,tag:0"`
		Serial     int
		Algorithm  asn1.RawValue
		Issuer     pkix.RDNSequence
		Validity   validity
		Subject    pkix.RDNSequence
		Key        asn1.RawValue
		Extensions []pkix.Extension `asn1:"optional,explicit,tag:3"`
	}
	moment := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	id := asn1.RawValue{FullBytes: algorithm}
	der, err := asn1.Marshal(struct {
		TBS       tbs
		Algorithm asn1.RawValue
		Value     asn1.BitString
	}{tbs{2, 1, id, nil, validity{moment, moment}, nil, asn1.RawValue{FullBytes: placeholderKey}, extensions}, id, asn1.BitString{}})
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

var (
	ed25519Identifier = []byte{0x30, 5, 6, 3, 0x2b, 0x65, 0x70}
	// placeholderKey is a well-formed public key.
	placeholderKey = append([]byte{0x30, 42, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 33, 0}, make([]byte, ed25519.PublicKeySize)...)
)

// parseName parses the content of a Name. Attributes with an unreadable type are left out.
func parseName(b []byte) *pkix.RDNSequence {
	var name pkix.RDNSequence
	for _, set := range splitElements(b, maxNameParts) {
		var parts pkix.RelativeDistinguishedNameSET
		for _, pair := range splitElements(set.content, maxNameParts) {
			id, rest, ok := parseElement(pair.content)
			if !ok {
				continue
			}
			var a pkix.AttributeTypeAndValue
			if _, err := asn1.Unmarshal(id.full, &a.Type); err != nil {
				continue
			}
			value, _, ok := parseElement(rest)
			if !ok {
				continue
			}
			a.Value = parseString(value)
			parts = append(parts, a)
		}
		if len(parts) > 0 {
			name = append(name, parts)
		}
	}
	return &name
}

// parseString parses a string of any type. A value of another type becomes hexadecimal digits (RFC 4514 §2.4).
func parseString(e element) string {
	b := e.content
	switch e.tag {
	case asn1.TagUTF8String, asn1.TagPrintableString, asn1.TagIA5String, asn1.TagNumericString, 26: // VisibleString
		return strings.ToValidUTF8(string(b), "\uFFFD")
	case asn1.TagT61String, 21, 25, asn1.TagGeneralString: // VideotexString, GraphicString
		runes := make([]rune, len(b))
		for i, c := range b {
			runes[i] = rune(c)
		}
		return string(runes)
	case asn1.TagBMPString:
		units := make([]uint16, 0, len(b)/2)
		for ; len(b) > 1; b = b[2:] {
			units = append(units, uint16(b[0])<<8|uint16(b[1]))
		}
		return string(utf16.Decode(units))
	case 28: // UniversalString
		var runes []rune
		for ; len(b) > 3; b = b[4:] {
			runes = append(runes, rune(b[0])<<24|rune(b[1])<<16|rune(b[2])<<8|rune(b[3]))
		}
		return string(runes)
	}
	return "#" + hex.EncodeToString(e.full)
}

// parseValidity parses the two times of a validity. If one of them is unreadable, both are zero.
func parseValidity(b []byte) (from, to time.Time) {
	first, rest, ok := parseElement(b)
	if !ok {
		return from, to
	}
	second, _, _ := parseElement(rest)
	if from, to = parseTime(first), parseTime(second); from.IsZero() || to.IsZero() {
		return time.Time{}, time.Time{}
	}
	return from, to
}

// timeFormats are the formats of UTCTime and GeneralizedTime, including parts that DER requires or forbids (RFC 5280
// §4.1.2.5). A time without a zone counts as UTC.
var timeFormats = map[byte][]string{
	asn1.TagUTCTime:         {"060102150405Z0700", "0601021504Z0700", "060102150405", "0601021504"},
	asn1.TagGeneralizedTime: {"20060102150405.999999999Z0700", "200601021504Z0700", "2006010215Z0700", "20060102150405.999999999", "200601021504", "2006010215"},
}

func parseTime(e element) time.Time {
	for _, format := range timeFormats[e.tag] {
		t, err := time.Parse(format, string(e.content))
		if err != nil {
			continue
		}
		if e.tag == asn1.TagUTCTime && t.Year() >= 2050 {
			t = t.AddDate(-100, 0, 0)
		}
		return t.UTC()
	}
	return time.Time{}
}

// EqualNames reports whether two names in DER are equal, or have the same attributes with values that differ only in string
// type, case or white space (RFC 5280 §7.1).
func EqualNames(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, rest, ok := parseElement(a)
	if !ok || len(rest) > 0 || len(a) > maxLenient {
		return false
	}
	y, rest, ok := parseElement(b)
	if !ok || len(rest) > 0 || len(b) > maxLenient {
		return false
	}
	v, w := *parseName(x.content), *parseName(y.content)
	return len(v) > 0 && slices.EqualFunc(v, w, func(p, q pkix.RelativeDistinguishedNameSET) bool {
		return slices.EqualFunc(p, q, func(p, q pkix.AttributeTypeAndValue) bool {
			v, _ := p.Value.(string)
			w, _ := q.Value.(string)
			return p.Type.Equal(q.Type) && strings.EqualFold(strings.Join(strings.Fields(v), " "), strings.Join(strings.Fields(w), " "))
		})
	})
}
