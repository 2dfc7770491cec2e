package pades

import (
	"context"
	"crypto"
	"fmt"
	"slices"
	"time"

	"segel/tsp"
)

// DocumentTimestamp adds a document timestamp over the whole file, in a new invisible field. After a complete document
// security store it makes level B-LTA. A certification never forbids it (ISO 32000-2 §12.8.2.2). The result has passed
// VerifyTail. Errors: ErrTimestamp, ErrEncrypted.
func DocumentTimestamp(ctx context.Context, src Source, t tsp.Timestamper, clock Clock) (*Result, error) {
	return retryWithSize(estimateTokenSize(t), func(size int) (*Result, error) { return timestampOnce(ctx, src, t, clock, size) })
}

func timestampOnce(ctx context.Context, src Source, t tsp.Timestamper, clock Clock, size int) (*Result, error) {
	var err error
	if src.Opened, err = openSource(src); err != nil {
		return nil, err
	}
	p, err := prepareTimestamp(src, size)
	if err != nil {
		return nil, err
	}
	digest, err := p.hashSigned(src, crypto.SHA256)
	if err != nil {
		return nil, err
	}
	token, err := fetchTimestamp(ctx, t, digest)
	if err != nil {
		return nil, err
	}
	if err := fillContents(p.Tail, p.ContentsAt, p.ContentsLen, token); err != nil {
		return nil, err
	}
	src.Midstate, src.Midstates = p.Midstate, p.midstates
	opened, err := openVerified(src, p.Tail, p.Field, clock)
	if err != nil {
		return nil, err
	}
	r, err := src.buildResult(p.Tail, p.Field)
	if err != nil {
		return nil, err
	}
	r.Opened = opened
	return r, nil
}

func prepareTimestamp(src Source, size int) (*Prepared, error) {
	d, err := openSource(src)
	if err != nil {
		return nil, err
	}
	u := d.NewUpdate()
	a, err := newFieldAdder(d, u)
	if err != nil {
		return nil, err
	}
	a.permitted = permitted{}
	h := newPlaceholders(size)
	f, err := a.addField(FieldSpec{Name: a.findUnusedName("Timestamp")})
	if err != nil {
		return nil, err
	}
	f.Dict["V"] = u.Add(buildTimestampDictionary(h))
	if err := a.writeFields(); err != nil {
		return nil, err
	}
	if err := raiseExtension(d, u, levelValidation); err != nil {
		return nil, err
	}
	tail, err := u.Build()
	if err != nil {
		return nil, err
	}
	p := &Prepared{Size: src.Size, Tail: tail.Bytes, Field: f.Name}
	p.ContentsAt, p.ContentsLen, err = h.fillByteRange(tail)
	return p, err
}

// LatestTimestamp returns the latest time of the timestamps of those fields: of the signature in a field, or of a
// document timestamp field itself. It is zero if none of them has a timestamp. Nothing is verified; the caller does
// that, see [VerifyTail]. A field that is not signed is ErrNoField.
func LatestTimestamp(src Source, fields ...string) (time.Time, error) {
	var latest time.Time
	d, err := openSource(src)
	if err != nil {
		return latest, err
	}
	signatures, err := d.Signatures()
	if err != nil {
		return latest, err
	}
	found := 0
	for _, s := range signatures {
		if !slices.Contains(fields, s.Field.Name) {
			continue
		}
		found++
		_, token, err := parseContainer(s.Contents)
		if err != nil {
			return latest, fmt.Errorf("field %q: %w", s.Field.Name, err)
		}
		if token != nil && token.Time.After(latest) {
			latest = token.Time
		}
	}
	if found < len(fields) {
		return latest, fmt.Errorf("%w: of %q only %d are signed", ErrNoField, fields, found)
	}
	return latest, nil
}
