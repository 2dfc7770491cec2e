package pades

import (
	"bytes"
	"context"
	"crypto"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"maps"
	"slices"

	"segel/cms"
	"segel/pdf"
	"segel/tsp"
)

// defaultTokenSize is reserved for a timestamp of unknown size. Tokens with a long chain have 7 KB.
const defaultTokenSize = 8 << 10

// Prepare builds the tail of a new signature, complete except for the container. It reads only the objects it needs,
// and hashes the tail.
//
// Errors: ErrNoField, ErrFieldExists, ErrFieldSigned, ErrFieldLocked, ErrCertified, ErrNotFirst, ErrSeedValue,
// ErrEncrypted, and those of package pdf.
func Prepare(src Source, o Options) (*Prepared, error) {
	p, _, err := prepare(src, o)
	return p, err
}

// prepare is Prepare, and returns the opened source too.
func prepare(src Source, o Options) (*Prepared, *pdf.Document, error) {
	if err := o.checkOptions(); err != nil {
		return nil, nil, err
	}
	if src.OpenOptions.Random == nil {
		src.OpenOptions.Random = o.Random
	}
	d, err := openSource(src)
	if err != nil {
		return nil, nil, err
	}
	if o, err = applySeedValues(d, o); err != nil {
		return nil, nil, err
	}
	scheme, estimate, err := o.estimateContainer()
	if err != nil {
		return nil, nil, err
	}
	h := newPlaceholders(max(o.ReservedSize, estimate))
	tail, field, err := buildSignatureTail(d, o, h)
	if err != nil {
		return nil, nil, err
	}
	p := &Prepared{Size: src.Size, Field: field, Tail: tail.Bytes}
	if p.ContentsAt, p.ContentsLen, err = h.fillByteRange(tail); err != nil {
		return nil, nil, err
	}
	digest, err := p.hashSigned(src, scheme.Hash)
	if err != nil {
		return nil, nil, err
	}
	p.Signature, err = cms.NewSignature(digest, o.Chain, cms.Options{Scheme: scheme, Attributes: o.Attributes})
	return p, d, err
}

func (o Options) checkOptions() error {
	switch {
	case len(o.Chain) == 0:
		return errors.New("no certificate to sign with")
	case o.Time.IsZero():
		return errors.New("no signing time")
	case (o.Field == "") == (o.NewField == nil):
		return errors.New("exactly one of Field and NewField must be set")
	case o.NewField != nil && o.NewField.Mark:
		return fmt.Errorf("%w: %q is a mark", ErrNoField, o.NewField.Name)
	case o.ReservedSize < 0 || o.ReservedSize > cms.MaxSize:
		return fmt.Errorf("reserved size of %d bytes", o.ReservedSize)
	case o.Certify < 0 || o.Certify > pdf.PermitComments:
		return fmt.Errorf("certification of level %d", o.Certify)
	}
	return nil
}

// estimateContainer returns the signature scheme and the maximum size of the container.
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
	mock, err := cms.NewSignature(make([]byte, scheme.Hash.Size()), o.Chain, cms.Options{Scheme: scheme, Attributes: o.Attributes})
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

// buildSignatureTail builds the update that gives the field its value. It changes the page only if the field is new.
func buildSignatureTail(d *pdf.Document, o Options, h placeholders) (*pdf.Tail, string, error) {
	u := d.NewUpdate()
	field, err := openSignatureField(d, u, o)
	if err != nil {
		return nil, "", err
	}
	if o.NewField == nil {
		if err := addToForm(d, u, nil, false); err != nil { // for its signature flags
			return nil, "", err
		}
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

// openSignatureField returns the empty field to sign. A new field is added to the form.
func openSignatureField(d *pdf.Document, u *pdf.Update, o Options) (*pdf.Field, error) {
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
	return f, nil
}

// findField returns the field with that name and type. The field must be an indirect object.
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

// setCertification makes the catalog reference the certification.
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

// hashSigned returns the digest of the signed bytes and stores the midstates of the file.
func (p *Prepared) hashSigned(src Source, algorithm crypto.Hash) ([]byte, error) {
	src, h, err := src.hashFile(algorithm)
	if err != nil {
		return nil, err
	}
	p.Midstate, p.midstates = src.Midstate, src.Midstates
	p.hashTail(h)
	return h.Sum(nil), nil
}

// hashTail hashes the tail except for the gap.
func (p *Prepared) hashTail(h hash.Hash) {
	h.Write(p.Tail[:p.ContentsAt])
	h.Write(p.Tail[p.ContentsAt+p.ContentsLen:])
}

// Prepared is a signature whose value is still missing: its tail, and what the key has to sign. The exported fields are
// its complete state. It can be stored and finished later, by another process, as long as nothing else is appended to
// the file.
type Prepared struct {
	Size     int64  // bytes of the source
	Midstate []byte // Source.Midstate
	Tail     []byte // complete except for the container
	// ContentsAt and ContentsLen are the position of the container in Tail, angle brackets included.
	ContentsAt, ContentsLen int
	Field                   string // fully qualified name
	Signature               *cms.Signature

	midstates map[crypto.Hash][]byte // Source.Midstates; not stored, because they can be computed from the file
}

// Timestamp fetches the token for a signature value. Every error is ErrTimestamp.
func (p *Prepared) Timestamp(ctx context.Context, t tsp.Timestamper, value []byte) ([]byte, error) {
	digest := sha256.Sum256(value)
	return fetchTimestamp(ctx, t, digest[:])
}

// fetchTimestamp fetches a token and checks that it covers the digest.
func fetchTimestamp(ctx context.Context, t tsp.Timestamper, digest []byte) ([]byte, error) {
	der, err := t.Timestamp(ctx, digest)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTimestamp, err)
	}
	token, err := tsp.Parse(der)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTimestamp, err)
	}
	if !token.Covers(digest) {
		return nil, fmt.Errorf("%w: the token covers something else", ErrTimestamp)
	}
	return der, nil
}

// Finish puts the signature value, and the token unless it is nil, into the tail. The new signature has been verified.
// If the container is too large the error is a ContainerSizeError: prepare again with that size.
func (p *Prepared) Finish(value, token []byte) (*Result, error) {
	r, der, err := p.fillIn(value, token)
	if err != nil {
		return nil, err
	}
	// Verify the container with the prepared attributes. Prepare computed the digest in them; VerifyTail computes it again.
	sd, err := cms.Parse(der)
	if err == nil {
		err = verifyOverOwnDigest(sd)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCheck, err)
	}
	return r, nil
}

// fillIn is Finish without verification. It also returns the container.
func (p *Prepared) fillIn(value, token []byte) (*Result, []byte, error) {
	var unsigned []cms.Attribute
	if token != nil {
		unsigned = append(unsigned, cms.NewAttribute(cms.OIDSignatureTimestamp, token))
	}
	der, err := p.Signature.Finish(value, unsigned...)
	if err != nil {
		return nil, nil, err
	}
	tail := bytes.Clone(p.Tail)
	if err := fillContents(tail, p.ContentsAt, p.ContentsLen, der); err != nil {
		return nil, nil, err
	}
	r, err := Source{Size: p.Size, Midstate: p.Midstate, Midstates: p.midstates}.buildResult(tail, p.Field)
	return r, der, err
}

// fillContents writes the container into the gap of a tail.
func fillContents(tail []byte, at, length int, der []byte) error {
	digits := tail[at+1 : at+length-1]
	if need := hex.EncodedLen(len(der)); need > len(digits) {
		return &ContainerSizeError{Need: len(der), Have: len(digits) / 2}
	}
	hex.Encode(digits, der)
	return nil
}

// preparedFormat is the first member of an encoded Prepared; docs/formats/prepared.md.
const preparedFormat = "segel prepared signature 1"

// preparedJSON is the stored form of a Prepared.
type preparedJSON struct {
	Format      string   `json:"format"`
	Size        int64    `json:"size"`
	State       []byte   `json:"state"`
	Field       string   `json:"field"`
	ContentsAt  int      `json:"contents_at"`
	ContentsLen int      `json:"contents_len"`
	Hash        string   `json:"hash"`
	PSS         bool     `json:"pss,omitempty"`
	Chain       [][]byte `json:"chain"`
	Attributes  []byte   `json:"attributes"`
	Tail        []byte   `json:"tail"`
}

// preparedHashes are the supported hashes by name.
var preparedHashes = map[string]crypto.Hash{"SHA-256": crypto.SHA256, "SHA-384": crypto.SHA384, "SHA-512": crypto.SHA512}

// MarshalBinary encodes the prepared signature.
func (p *Prepared) MarshalBinary() ([]byte, error) {
	s := p.Signature
	if s == nil || preparedHashes[s.Scheme.Hash.String()] != s.Scheme.Hash {
		return nil, errors.New("prepared signature without a scheme that can be stored")
	}
	return json.Marshal(preparedJSON{
		Format: preparedFormat, Size: p.Size, State: p.Midstate, Field: p.Field, ContentsAt: p.ContentsAt, ContentsLen: p.ContentsLen,
		Hash: s.Scheme.Hash.String(), PSS: s.Scheme.PSS, Chain: s.Chain, Attributes: s.Attributes, Tail: p.Tail,
	})
}

// UnmarshalBinary decodes what MarshalBinary returned. It checks that the parts are consistent, not that they are
// authentic: an attacker who can change the stored bytes can have another file signed.
func (p *Prepared) UnmarshalBinary(b []byte) error {
	var v preparedJSON
	if err := json.Unmarshal(b, &v); err != nil {
		return fmt.Errorf("prepared signature: %w", err)
	}
	if v.Format != preparedFormat {
		return fmt.Errorf("prepared signature of format %q", v.Format)
	}
	hash, known := preparedHashes[v.Hash]
	if !known {
		return fmt.Errorf("prepared signature: hash %q", v.Hash)
	}
	at, length, all := v.ContentsAt, v.ContentsLen, len(v.Tail)
	if v.Size <= 0 || at < 0 || at > all || length < len("<>") || length > all-at || v.Tail[at] != '<' || v.Tail[at+length-1] != '>' ||
		len(v.Attributes) == 0 || len(v.Chain) == 0 {
		return errors.New("prepared signature: its parts are inconsistent")
	}
	*p = Prepared{
		Size: v.Size, Midstate: v.State, Tail: v.Tail, ContentsAt: at, ContentsLen: length, Field: v.Field,
		Signature: &cms.Signature{
			ContentType: cms.OIDData, Chain: v.Chain, Scheme: cms.Scheme{Hash: hash, PSS: v.PSS}, Attributes: v.Attributes,
		},
	}
	return nil
}
