package pades

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"slices"
	"strings"

	"segel/cms"
	"segel/pdf"
)

// Flags of a seed value dictionary: which entries are required rather than preferred.
const (
	seedFilter = 1 << iota
	seedSubFilter
	seedVersion
	seedReasons
	seedLegalAttestation
	seedRevocation
	seedDigest
	seedLockDocument
	seedAppearance
)

// seedCapability is the highest /V whose seed value entries are all known here.
const seedCapability = 3

// seedValues is the seed value dictionary of a field: requirements on a signature in it.
type seedValues struct {
	d     *pdf.Document
	dict  pdf.Dict
	flags int64
}

func (s seedValues) isRequired(flag int64) bool { return s.flags&flag != 0 }

// applySeedValues checks a signature against the seed values of its field. If Options leaves the hash or the reason
// open, it takes the one that the field requires. A requirement that is not met is ErrSeedValue.
func applySeedValues(d *pdf.Document, o Options) (Options, error) {
	if o.Field == "" {
		return o, nil
	}
	field, err := findField(d, o.Field, "Sig")
	if err != nil {
		return o, err
	}
	s := seedValues{d: d}
	if s.dict, err = d.Dict(field.Dict["SV"]); err != nil || s.dict == nil {
		return o, wrapSeedError(o.Field, err)
	}
	if s.flags, err = d.Integer(s.dict["Ff"]); err != nil {
		return o, wrapSeedError(o.Field, err)
	}
	for _, rule := range []func(*Options) error{
		s.checkHandler, s.checkVersion, s.applyReasons, s.applyDigestMethod, s.checkCertification, s.requireTimestamp, s.checkAttestation, s.checkRevocationInfo, s.checkLockDocument, s.checkAppearanceFilter, s.checkCertificate,
	} {
		if err := rule(&o); err != nil {
			return o, wrapSeedError(o.Field, err)
		}
	}
	return o, nil
}

func wrapSeedError(field string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("seed values of field %q: %w", field, err)
}

func (s seedValues) newSeedError(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrSeedValue}, args...)...)
}

// checkHandler checks /Filter and /SubFilter.
func (s seedValues) checkHandler(*Options) error {
	filter, err := s.d.Name(s.dict["Filter"])
	if err != nil {
		return err
	}
	if s.isRequired(seedFilter) && filter != "" && filter != filterName {
		return s.newSeedError("/Filter must be %s", filter)
	}
	kinds, err := s.d.Array(s.dict["SubFilter"])
	if err != nil || !s.isRequired(seedSubFilter) || len(kinds) == 0 {
		return err
	}
	for _, o := range kinds {
		if kind, err := s.d.Name(o); err != nil || kind == subFilterSignature {
			return err
		}
	}
	return s.newSeedError("/SubFilter must be one of %v", kinds)
}

// checkVersion checks /V, the version of the dictionary that a program must understand.
func (s seedValues) checkVersion(*Options) error {
	v, err := s.d.Number(s.dict["V"])
	if err != nil || !s.isRequired(seedVersion) || v <= seedCapability {
		return err
	}
	return s.newSeedError("its version is %g", v)
}

// readStrings reads an array of strings.
func (s seedValues) readStrings(list pdf.Object) (all []pdf.String, err error) {
	array, err := s.d.Array(list)
	if err != nil {
		return nil, err
	}
	for _, o := range array {
		one, err := s.d.String(o)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// readTexts reads an entry that is an array of text strings.
func (s seedValues) readTexts(key pdf.Name) (all []string, err error) {
	list, err := s.readStrings(s.dict[key])
	for _, t := range list {
		all = append(all, t.Text())
	}
	return all, err
}

// applyReasons checks /Reasons, or sets the only reason listed. An empty list, or a single period, forbids a reason.
func (s seedValues) applyReasons(o *Options) error {
	list, err := s.readTexts("Reasons")
	if err != nil || !s.isRequired(seedReasons) {
		return err
	}
	none := len(list) == 0 || len(list) == 1 && list[0] == "."
	switch {
	case none && o.Reason != "":
		return s.newSeedError("no reason may be stated")
	case none || slices.Contains(list, o.Reason):
		return nil
	case o.Reason == "" && len(list) == 1:
		o.Reason = list[0]
		return nil
	}
	return s.newSeedError("the reason must be one of %q", list)
}

// seedHashes are the hashes of /DigestMethod that signatures can use.
var seedHashes = map[string]crypto.Hash{"SHA256": crypto.SHA256, "SHA384": crypto.SHA384, "SHA512": crypto.SHA512}

// applyDigestMethod checks /DigestMethod, or sets the first listed hash that the key can use.
func (s seedValues) applyDigestMethod(o *Options) error {
	list, err := s.readTexts("DigestMethod")
	if err != nil || !s.isRequired(seedDigest) || len(list) == 0 {
		return err
	}
	usual, err := cms.SchemeFor(o.Chain[0].PublicKey)
	if err != nil {
		return err
	}
	want := o.Scheme.Hash
	if want == 0 {
		want = usual.Hash
	}
	first := crypto.Hash(0)
	for _, name := range list {
		switch h := seedHashes[strings.ToUpper(name)]; {
		case h == 0:
		case h == want:
			return nil
		case first == 0 && cms.IsCompatible(cms.Scheme{Hash: h, PSS: o.Scheme.PSS}, o.Chain[0].PublicKey):
			first = h
		}
	}
	if o.Scheme.Hash != 0 || first == 0 {
		return s.newSeedError("the hash must be one of %v", list)
	}
	o.Scheme.Hash = first
	return nil
}

// checkCertification checks /MDP. Options must ask for a certification explicitly.
func (s seedValues) checkCertification(o *Options) error {
	mdp, err := s.d.Dict(s.dict["MDP"])
	if err != nil || mdp["P"] == nil {
		return err
	}
	level, err := s.d.Integer(mdp["P"])
	if err != nil || int64(o.Certify) == level {
		return err
	}
	return s.newSeedError("it must certify at level %d (0: not at all)", level)
}

// requireTimestamp checks /TimeStamp. The authority that it names is only a preference.
func (s seedValues) requireTimestamp(o *Options) error {
	ts, err := s.d.Dict(s.dict["TimeStamp"])
	if err != nil {
		return err
	}
	flags, err := s.d.Integer(ts["Ff"])
	if err != nil || flags&1 == 0 || o.Timestamper != nil {
		return err
	}
	return s.newSeedError("it must have a timestamp")
}

// checkAttestation checks /LegalAttestation, which applies to certifications. Certifications made here have none.
func (s seedValues) checkAttestation(o *Options) error {
	list, err := s.readTexts("LegalAttestation")
	if err != nil || !s.isRequired(seedLegalAttestation) || len(list) == 0 || o.Certify == 0 {
		return err
	}
	return s.newSeedError("the legal attestation must be one of %q", list)
}

// checkRevocationInfo checks /AddRevInfo, which requires revocation data in the container. PAdES puts it in the
// document security store.
func (s seedValues) checkRevocationInfo(*Options) error {
	wanted, err := s.d.Boolean(s.dict["AddRevInfo"])
	if err != nil || !wanted || !s.isRequired(seedRevocation) {
		return err
	}
	return s.newSeedError("revocation data must be within the signature")
}

// checkLockDocument checks /LockDocument: the field's /Lock must permit no changes.
func (s seedValues) checkLockDocument(o *Options) error {
	wanted, err := s.d.Name(s.dict["LockDocument"])
	if err != nil || wanted != "true" || !s.isRequired(seedLockDocument) || o.Certify == pdf.PermitNothing {
		return err
	}
	field, err := findField(s.d, o.Field, "Sig")
	if err != nil {
		return err
	}
	lock, err := s.d.ReadFieldLock(field.Dict["Lock"])
	if err != nil || lock != nil && lock.Permits == pdf.PermitNothing {
		return err
	}
	return s.newSeedError("it must lock the document")
}

// checkAppearanceFilter checks /AppearanceFilter, which names an appearance of another program.
func (s seedValues) checkAppearanceFilter(*Options) error {
	name, err := s.d.String(s.dict["AppearanceFilter"])
	if err != nil || !s.isRequired(seedAppearance) || len(name.Bytes) == 0 {
		return err
	}
	return s.newSeedError("its appearance must be %q", name.Text())
}

// Flags of the certificate seed value dictionary.
const (
	seedSubject   = 1 << 0
	seedIssuer    = 1 << 1
	seedPolicy    = 1 << 2
	seedSubjectDN = 1 << 3
	seedKeyUsage  = 1 << 5
)

// checkCertificate checks /Cert: requirements on the signing certificate.
func (s seedValues) checkCertificate(o *Options) error {
	dict, err := s.d.Dict(s.dict["Cert"])
	if err != nil || dict == nil {
		return err
	}
	flags, err := s.d.Integer(dict["Ff"])
	if err != nil {
		return err
	}
	for _, rule := range []struct {
		flag  int64
		key   pdf.Name
		holds func(list []pdf.String, c *x509.Certificate) bool
	}{{seedSubject, "Subject", isListed}, {seedIssuer, "Issuer", isListed}, {seedPolicy, "OID", hasPolicies}, {seedKeyUsage, "KeyUsage", hasKeyUsage}} {
		array, err := s.d.Array(dict[rule.key])
		if err != nil {
			return err
		}
		if flags&rule.flag == 0 || len(array) == 0 {
			continue
		}
		list, err := s.readStrings(array)
		if err != nil {
			return err
		}
		certs := o.Chain[:1]
		if rule.flag == seedIssuer {
			certs = o.Chain[1:]
		}
		if !slices.ContainsFunc(certs, func(c *x509.Certificate) bool { return rule.holds(list, c) }) {
			return s.newSeedError("the certificate does not meet /%s", rule.key)
		}
	}
	names, err := s.d.Array(dict["SubjectDN"])
	if err != nil || flags&seedSubjectDN == 0 || len(names) == 0 {
		return err
	}
	ok, err := s.hasSubjectName(names, o.Chain[0])
	if err == nil && !ok {
		err = s.newSeedError("the certificate does not meet /SubjectDN")
	}
	return err
}

// isListed reports whether a certificate is in a list of DER certificates.
func isListed(list []pdf.String, c *x509.Certificate) bool {
	return slices.ContainsFunc(list, func(der pdf.String) bool { return bytes.Equal(c.Raw, der.Bytes) })
}

// hasPolicies reports whether the certificate has all of the policies.
func hasPolicies(list []pdf.String, c *x509.Certificate) bool {
	return !slices.ContainsFunc(list, func(name pdf.String) bool {
		return !slices.ContainsFunc(c.PolicyIdentifiers, func(id asn1.ObjectIdentifier) bool { return id.String() == string(name.Bytes) })
	})
}

// hasKeyUsage reports whether the key usage matches one of the patterns: one character per bit, starting with
// digitalSignature; 1 requires the bit, 0 forbids it, and anything else allows both.
func hasKeyUsage(list []pdf.String, c *x509.Certificate) bool {
	return slices.ContainsFunc(list, func(pattern pdf.String) bool {
		fits := true
		for i, want := range pattern.Bytes[:min(9, len(pattern.Bytes))] {
			set := c.KeyUsage&(1<<i) != 0
			fits = fits && (want != '1' || set) && (want != '0' || !set)
		}
		return fits
	})
}

// subjectAttributes maps the keys of /SubjectDN to attribute types.
var subjectAttributes = map[pdf.Name]asn1.ObjectIdentifier{
	"cn": {2, 5, 4, 3}, "sn": {2, 5, 4, 4}, "serialnumber": {2, 5, 4, 5}, "c": {2, 5, 4, 6}, "l": {2, 5, 4, 7}, "st": {2, 5, 4, 8},
	"o": {2, 5, 4, 10}, "ou": {2, 5, 4, 11}, "title": {2, 5, 4, 12}, "gn": {2, 5, 4, 42}, "email": {1, 2, 840, 113549, 1, 9, 1},
	"e": {1, 2, 840, 113549, 1, 9, 1},
}

// hasSubjectName reports whether the subject has all attributes of one of the names. A key may also be an object
// identifier.
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
