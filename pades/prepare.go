package pades

import (
	"crypto"
	"errors"
	"fmt"
	"hash"
	"maps"
	"slices"

	"segel/cms"
	"segel/pdf"
	"segel/tsp"
)

// defaultTokenSize is how much room a timestamp gets whose size nobody knows. Tokens with a long chain have 7 KB.
const defaultTokenSize = 8 << 10

// Prepare makes the tail of a new signature, all but the signature itself. It reads of the file what the
// cross-reference leads to, and hashes the tail.
//
// Errors: ErrNoField, ErrFieldExists, ErrFieldSigned, ErrFieldLocked, ErrCertified, ErrNotFirst, ErrSeedValue,
// ErrEncrypted, and those of package pdf.
func Prepare(src Source, o Options) (*Prepared, error) {
	if err := o.checkOptions(); err != nil {
		return nil, err
	}
	src = src.withRandom(o.Random)
	d, err := openSource(src)
	if err != nil {
		return nil, err
	}
	if o, err = applySeedValues(d, o); err != nil {
		return nil, err
	}
	scheme, estimate, err := o.estimateContainer()
	if err != nil {
		return nil, err
	}
	h := newPlaceholders(max(o.ReservedSize, estimate))
	tail, field, err := buildSignatureTail(d, o, h)
	if err != nil {
		return nil, err
	}
	p := &Prepared{Size: src.Size, Field: field, Tail: tail.Bytes}
	if p.ContentsAt, p.ContentsLen, err = h.fillByteRange(tail); err != nil {
		return nil, err
	}
	digest, err := p.hashSigned(src, scheme.Hash)
	if err != nil {
		return nil, err
	}
	p.Signature, err = cms.NewSignature(digest, o.Chain, cms.Options{Scheme: scheme})
	return p, err
}

func (o Options) checkOptions() error {
	switch {
	case len(o.Chain) == 0:
		return errors.New("no certificate to sign with")
	case o.Time.IsZero():
		return errors.New("no time of signing")
	case (o.Field == "") == (o.NewField == nil):
		return errors.New("either a field or a new field is to be signed")
	case o.NewField != nil && o.NewField.Mark:
		return fmt.Errorf("%w: %q is a mark", ErrNoField, o.NewField.Name)
	case o.ReservedSize < 0 || o.ReservedSize > cms.MaxSize:
		return fmt.Errorf("room for %d bytes", o.ReservedSize)
	case o.Certify < 0 || o.Certify > 3:
		return fmt.Errorf("certification of level %d", o.Certify)
	}
	return nil
}

// estimateContainer settles the scheme and tells how large the container can get.
func (o Options) estimateContainer() (cms.Scheme, int, error) {
	scheme := o.Scheme
	if scheme.Hash == 0 {
		usual, err := cms.SchemeFor(o.Chain[0].PublicKey)
		if err != nil {
			return scheme, 0, err
		}
		scheme.Hash = usual.Hash
	}
	if !scheme.Hash.Available() {
		return scheme, 0, fmt.Errorf("hash %v is not available", scheme.Hash)
	}
	mock, err := cms.NewSignature(make([]byte, scheme.Hash.Size()), o.Chain, cms.Options{Scheme: scheme})
	if err != nil {
		return scheme, 0, err
	}
	token := 0
	if o.Timestamper != nil {
		token = estimateTokenSize(o.Timestamper)
	}
	size, err := mock.Size(token)
	return scheme, size, err
}

func estimateTokenSize(t tsp.Timestamper) int {
	if n := t.TokenSize(); n > 0 {
		return n
	}
	return defaultTokenSize
}

// buildSignatureTail builds the update that gives the field its value. The page is not touched unless the field is new.
func buildSignatureTail(d *pdf.Document, o Options, h placeholders) (*pdf.Tail, string, error) {
	u := d.NewUpdate()
	field, err := findOrAddField(d, u, o)
	if err != nil {
		return nil, "", err
	}
	if err := requireSigningPermitted(d, field.Name, o.Certify, slices.Sorted(maps.Keys(o.Marks))); err != nil {
		return nil, "", fmt.Errorf("field %q: %w", field.Name, err)
	}
	refs, err := buildReferences(d, u, field, o)
	if err != nil {
		return nil, "", fmt.Errorf("field %q: %w", field.Name, err)
	}
	if err := rewriteAppearances(d, u, o.LockFields); err != nil {
		return nil, "", fmt.Errorf("appearances of locked fields: %w", err)
	}
	value := u.Add(buildSignatureDictionary(o, h, refs))
	dict, err := u.Edit(field.Ref)
	if err != nil {
		return nil, "", fmt.Errorf("field %q: %w", field.Name, err)
	}
	dict["V"] = value
	if o.Certify != 0 {
		if err := setCertification(d, u, value); err != nil {
			return nil, "", err
		}
	}
	if err := drawAppearances(d, u, field, o); err != nil {
		return nil, "", err
	}
	if err := raiseExtension(d, u, levelSignature); err != nil {
		return nil, "", err
	}
	tail, err := u.Build()
	return tail, field.Name, err
}

// findOrAddField finds the field, or adds it.
func findOrAddField(d *pdf.Document, u *pdf.Update, o Options) (*pdf.Field, error) {
	if o.NewField != nil {
		a, err := newFieldAdder(d, u)
		if err != nil {
			return nil, err
		}
		if err := a.openStructure(); err != nil {
			return nil, err
		}
		f, err := a.addField(*o.NewField)
		if err != nil {
			return nil, fmt.Errorf("add field %q: %w", o.NewField.Name, err)
		}
		return f, a.writeFields()
	}
	f, err := findField(d, o.Field, "Sig")
	if err != nil {
		return nil, err
	}
	value, err := d.Resolve(f.Value)
	if err != nil {
		return nil, err
	}
	if value != pdf.Object(pdf.Null{}) {
		return nil, fmt.Errorf("%w: %q", ErrFieldSigned, o.Field)
	}
	return f, addToForm(d, u, nil, false)
}

// findField returns a field of that name and type that an update can change.
func findField(d *pdf.Document, name string, kind pdf.Name) (*pdf.Field, error) {
	fields, err := d.Fields()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(fields, func(f *pdf.Field) bool { return f.Name == name })
	if i < 0 || fields[i].Type != kind || fields[i].Ref.IsZero() {
		return nil, fmt.Errorf("%w: %q", ErrNoField, name)
	}
	return fields[i], nil
}

// setCertification makes the catalog name the certification.
func setCertification(d *pdf.Document, u *pdf.Update, value pdf.Ref) error {
	root, _, err := d.Root()
	if err != nil {
		return err
	}
	perms, err := u.EditIn(root, "Perms")
	if err != nil {
		return err
	}
	perms["DocMDP"] = value
	return nil
}

// hashSigned finishes the digest of what is signed, and keeps the midstate of the file.
func (p *Prepared) hashSigned(src Source, algorithm crypto.Hash) ([]byte, error) {
	src, h, err := src.hashFile(algorithm)
	if err != nil {
		return nil, err
	}
	p.State, p.states = src.State, src.States
	p.hashTail(h)
	return h.Sum(nil), nil
}

// hashTail hashes the tail but for the gap.
func (p *Prepared) hashTail(h hash.Hash) {
	h.Write(p.Tail[:p.ContentsAt])
	h.Write(p.Tail[p.ContentsAt+p.ContentsLen:])
}
