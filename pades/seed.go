package pades

import (
	"crypto"
	"fmt"
	"slices"
	"strings"

	"segel/cms"
	"segel/pdf"
)

// Flags of a seed value dictionary: what of it is not only a wish.
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

// seedCapability is the /V up to which all entries of a seed value dictionary are known here.
const seedCapability = 3

// seedValues is the seed value dictionary of a field: what its maker wants of a signature in it.
type seedValues struct {
	d     *pdf.Document
	dict  pdf.Dict
	flags int64
}

func (s seedValues) isRequired(flag int64) bool { return s.flags&flag != 0 }

// applySeedValues holds a signature against the seed values of its field. What the field requires and Options leave open is
// filled in: the hash, and the only reason there is. What it requires otherwise is refused.
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
		return s.newSeedError("/Filter is to be %s", filter)
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
	return s.newSeedError("/SubFilter is to be one of %v", kinds)
}

// checkVersion checks /V, which is what a program must be able to read to understand the rest.
func (s seedValues) checkVersion(*Options) error {
	v, err := s.d.Number(s.dict["V"])
	if err != nil || !s.isRequired(seedVersion) || v <= seedCapability {
		return err
	}
	return s.newSeedError("its version is %g", v)
}

// readTexts reads an array of text strings.
func (s seedValues) readTexts(key pdf.Name) ([]string, error) {
	list, err := s.d.Array(s.dict[key])
	if err != nil {
		return nil, err
	}
	var all []string
	for _, o := range list {
		t, err := s.d.String(o)
		if err != nil {
			return nil, err
		}
		all = append(all, t.Text())
	}
	return all, nil
}

// applyReasons checks /Reasons. An empty list, or a period alone, forbids to state one.
func (s seedValues) applyReasons(o *Options) error {
	list, err := s.readTexts("Reasons")
	if err != nil || !s.isRequired(seedReasons) {
		return err
	}
	none := len(list) == 0 || len(list) == 1 && list[0] == "."
	switch {
	case none && o.Reason != "":
		return s.newSeedError("no reason is to be stated")
	case none || slices.Contains(list, o.Reason):
		return nil
	case o.Reason == "" && len(list) == 1:
		o.Reason = list[0]
		return nil
	}
	return s.newSeedError("the reason is to be one of %q", list)
}

// seedHashes are the hashes of /DigestMethod that signatures are made with.
var seedHashes = map[string]crypto.Hash{"SHA256": crypto.SHA256, "SHA384": crypto.SHA384, "SHA512": crypto.SHA512}

// applyDigestMethod checks /DigestMethod, or chooses the first hash of it that the key can use.
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
		return s.newSeedError("the hash is to be one of %v", list)
	}
	o.Scheme.Hash = first
	return nil
}

// checkCertification checks /MDP. Nobody certifies by accident: Options have to ask for it.
func (s seedValues) checkCertification(o *Options) error {
	mdp, err := s.d.Dict(s.dict["MDP"])
	if err != nil || mdp["P"] == nil {
		return err
	}
	level, err := s.d.Integer(mdp["P"])
	if err != nil || int64(o.Certify) == level {
		return err
	}
	return s.newSeedError("it is to certify at level %d, 0 being not at all", level)
}

// requireTimestamp checks /TimeStamp. Which authority it names is a wish.
func (s seedValues) requireTimestamp(o *Options) error {
	ts, err := s.d.Dict(s.dict["TimeStamp"])
	if err != nil {
		return err
	}
	flags, err := s.d.Integer(ts["Ff"])
	if err != nil || flags&1 == 0 || o.Timestamper != nil {
		return err
	}
	return s.newSeedError("it is to have a timestamp")
}

// checkAttestation checks /LegalAttestation, which is about certifications; none states any here.
func (s seedValues) checkAttestation(o *Options) error {
	list, err := s.readTexts("LegalAttestation")
	if err != nil || !s.isRequired(seedLegalAttestation) || len(list) == 0 || o.Certify == 0 {
		return err
	}
	return s.newSeedError("the legal attestation is to be one of %q", list)
}

// checkRevocationInfo checks /AddRevInfo, which wants proof within the container. PAdES keeps it in the document security store.
func (s seedValues) checkRevocationInfo(*Options) error {
	wanted, err := s.d.Boolean(s.dict["AddRevInfo"])
	if err != nil || !wanted || !s.isRequired(seedRevocation) {
		return err
	}
	return s.newSeedError("proof of revocation is to be within the signature")
}

// checkLockDocument checks /LockDocument: the field has to say how, by its /Lock.
func (s seedValues) checkLockDocument(o *Options) error {
	wanted, err := s.d.Name(s.dict["LockDocument"])
	if err != nil || wanted != "true" || !s.isRequired(seedLockDocument) || o.Certify == 1 {
		return err
	}
	field, err := findField(s.d, o.Field, "Sig")
	if err != nil {
		return err
	}
	lock, err := s.d.Dict(field.Dict["Lock"])
	if err != nil {
		return err
	}
	if level, err := s.d.Integer(lock["P"]); err != nil || level == 1 {
		return err
	}
	return s.newSeedError("it is to lock the document")
}

// checkAppearanceFilter checks /AppearanceFilter, which names a look that only its maker's program has.
func (s seedValues) checkAppearanceFilter(*Options) error {
	name, err := s.d.String(s.dict["AppearanceFilter"])
	if err != nil || !s.isRequired(seedAppearance) || len(name.Bytes) == 0 {
		return err
	}
	return s.newSeedError("it is to look like %q", name.Text())
}
