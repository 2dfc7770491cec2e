package pades

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"slices"
	"strings"

	"segel/pdf"
)

// Flags of the certificate seed value dictionary.
const (
	seedSubject   = 1 << 0
	seedIssuer    = 1 << 1
	seedPolicy    = 1 << 2
	seedSubjectDN = 1 << 3
	seedKeyUsage  = 1 << 5
)

// checkCertificate checks /Cert: whose certificate it is to be, and what it is to allow.
func (s seedValues) checkCertificate(o *Options) error {
	dict, err := s.d.Dict(s.dict["Cert"])
	if err != nil || dict == nil {
		return err
	}
	flags, err := s.d.Integer(dict["Ff"])
	if err != nil {
		return err
	}
	signer := o.Chain[0]
	for _, rule := range []struct {
		flag  int64
		key   pdf.Name
		holds func(list pdf.Array) (bool, error)
	}{
		{seedSubject, "Subject", func(list pdf.Array) (bool, error) { return s.hasCertificate(list, o.Chain[:1]) }},
		{seedIssuer, "Issuer", func(list pdf.Array) (bool, error) { return s.hasCertificate(list, o.Chain[1:]) }},
		{seedPolicy, "OID", func(list pdf.Array) (bool, error) { return s.hasPolicies(list, signer) }},
		{seedSubjectDN, "SubjectDN", func(list pdf.Array) (bool, error) { return s.hasSubjectName(list, signer) }},
		{seedKeyUsage, "KeyUsage", func(list pdf.Array) (bool, error) { return s.hasKeyUsage(list, signer) }},
	} {
		list, err := s.d.Array(dict[rule.key])
		if err != nil {
			return err
		}
		if flags&rule.flag == 0 || len(list) == 0 {
			continue
		}
		ok, err := rule.holds(list)
		if err != nil {
			return err
		}
		if !ok {
			return s.newSeedError("the certificate does not meet /%s", rule.key)
		}
	}
	return nil
}

// hasCertificate reports whether one of the certificates is in a list of DER.
func (s seedValues) hasCertificate(list pdf.Array, chain []*x509.Certificate) (bool, error) {
	for _, o := range list {
		der, err := s.d.String(o)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(chain, func(c *x509.Certificate) bool { return bytes.Equal(c.Raw, der.Bytes) }) {
			return true, nil
		}
	}
	return false, nil
}

// hasPolicies reports whether the certificate states all of the policies.
func (s seedValues) hasPolicies(list pdf.Array, c *x509.Certificate) (bool, error) {
	for _, o := range list {
		name, err := s.d.String(o)
		if err != nil {
			return false, err
		}
		if !slices.ContainsFunc(c.PolicyIdentifiers, func(id asn1.ObjectIdentifier) bool { return id.String() == string(name.Bytes) }) {
			return false, nil
		}
	}
	return true, nil
}

// subjectAttributes are the attributes of a name by the keys that /SubjectDN has for them.
var subjectAttributes = map[pdf.Name]asn1.ObjectIdentifier{
	"cn": {2, 5, 4, 3}, "sn": {2, 5, 4, 4}, "serialnumber": {2, 5, 4, 5}, "c": {2, 5, 4, 6}, "l": {2, 5, 4, 7}, "st": {2, 5, 4, 8},
	"o": {2, 5, 4, 10}, "ou": {2, 5, 4, 11}, "title": {2, 5, 4, 12}, "gn": {2, 5, 4, 42}, "email": {1, 2, 840, 113549, 1, 9, 1},
	"e": {1, 2, 840, 113549, 1, 9, 1},
}

// hasSubjectName reports whether the subject has all attributes of one of the names. A key may be an object identifier too.
func (s seedValues) hasSubjectName(list pdf.Array, c *x509.Certificate) (bool, error) {
	for _, o := range list {
		name, err := s.d.Dict(o)
		if err != nil {
			return false, err
		}
		all := true
		for key, o := range name {
			value, err := s.d.String(o)
			if err != nil {
				return false, err
			}
			all = all && hasAttribute(c, key, value.Text())
		}
		if all {
			return true, nil
		}
	}
	return false, nil
}

func hasAttribute(c *x509.Certificate, key pdf.Name, value string) bool {
	for _, a := range c.Subject.Names {
		id, known := subjectAttributes[pdf.Name(strings.ToLower(string(key)))]
		if text, ok := a.Value.(string); ok && text == value && (known && a.Type.Equal(id) || a.Type.String() == string(key)) {
			return true
		}
	}
	return false
}

// hasKeyUsage reports whether the key usage fits one of the patterns: a character for each bit, from that of digital
// signatures on, of which 1 has to be set, 0 must not be, and anything else may be.
func (s seedValues) hasKeyUsage(list pdf.Array, c *x509.Certificate) (bool, error) {
	for _, o := range list {
		pattern, err := s.d.String(o)
		if err != nil {
			return false, err
		}
		fits := true
		for i, want := range pattern.Bytes[:min(9, len(pattern.Bytes))] {
			set := c.KeyUsage&(1<<i) != 0
			fits = fits && (want != '1' || set) && (want != '0' || !set)
		}
		if fits {
			return true, nil
		}
	}
	return false, nil
}
