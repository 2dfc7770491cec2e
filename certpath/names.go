package certpath

import (
	"crypto/x509"
	"encoding/asn1"
	"slices"

	"segel/cms"
	"segel/der"
)

// crypto/x509 does not support name constraints of directory names: it refuses a certificate in which they are critical, and
// ignores others. Issuers have to mark them critical (RFC 5280 §4.2.1.10), and not all do.

var oidSubjectAltName = asn1.ObjectIdentifier{2, 5, 29, 17}

// checkDirectoryNames requires that the directory names below each issuer are among those that it may certify.
func (p Path) checkDirectoryNames() error {
	for above := 1; above < len(p); above++ {
		permitted, excluded := listDirectoryConstraints(p[above])
		if len(permitted)+len(excluded) == 0 {
			continue
		}
		for below, c := range p[:above] {
			if below > 0 && IsSelfIssued(c) { // RFC 5280 §6.1.3 (b)
				continue
			}
			outside := func(name []byte) bool {
				return len(permitted) > 0 && !isWithinAny(name, permitted) || isWithinAny(name, excluded)
			}
			if slices.ContainsFunc(listDirectoryNames(c), outside) {
				return x509.CertificateInvalidError{Cert: p[above], Reason: x509.CANotAuthorizedForThisName, Detail: c.Subject.String()}
			}
		}
	}
	return nil
}

// listDirectoryConstraints returns the names in DER below which an issuer may certify, and those below which it may not.
// Without either, it is not constrained.
func listDirectoryConstraints(c *x509.Certificate) (permitted, excluded [][]byte) {
	whole := der.NewReader(findExtension(c, oidNameConstraints))
	both := whole.ReadSequence() // crypto/x509 has read it
	return listSubtrees(both.ReadContext(0)), listSubtrees(both.ReadContext(1))
}

func listSubtrees(v asn1.RawValue) (names [][]byte) {
	for all := der.NewReader(v.Bytes); all.More(); {
		subtree := all.ReadSequence()
		if base := subtree.ReadValue(); isDirectoryName(base) {
			names = append(names, base.Bytes)
		}
	}
	return names
}

// isDirectoryName reports whether a GeneralName has the form directoryName.
func isDirectoryName(v asn1.RawValue) bool { return v.Class == asn1.ClassContextSpecific && v.Tag == 4 }

// listDirectoryNames returns the names of a certificate in DER: its subject, unless that is empty, and alternative ones.
func listDirectoryNames(c *x509.Certificate) (names [][]byte) {
	if len(splitName(c.RawSubject)) > 0 {
		names = append(names, c.RawSubject)
	}
	whole := der.NewReader(findExtension(c, oidSubjectAltName))
	for all := whole.ReadSequence(); all.More(); {
		if name := all.ReadValue(); isDirectoryName(name) {
			names = append(names, name.Bytes)
		}
	}
	return names
}

func findExtension(c *x509.Certificate, id asn1.ObjectIdentifier) []byte {
	for _, e := range c.Extensions {
		if e.Id.Equal(id) {
			return e.Value
		}
	}
	return nil
}

// isWithinAny reports whether a name begins with one of the others.
func isWithinAny(name []byte, bases [][]byte) bool {
	parts := splitName(name)
	return slices.ContainsFunc(bases, func(base []byte) bool {
		n := len(splitName(base))
		return n <= len(parts) && cms.EqualNames(der.EncodeElement(der.TagSequence, parts[:n]...), base)
	})
}

// splitName returns the relative names of a name.
func splitName(name []byte) (parts [][]byte) {
	whole := der.NewReader(name)
	for all := whole.ReadSequence(); all.More(); {
		parts = append(parts, all.ReadValue().FullBytes)
	}
	return parts
}
