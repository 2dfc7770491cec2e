package pades

import (
	"context"
	"crypto"

	"segel/tsp"
)

// DocumentTimestamp adds a document timestamp over the whole file, in a field of its own that is not to be seen.
// Behind a document security store that has all proof it makes level B-LTA. A certification never forbids it (ISO
// 32000-2 §12.8.2.2). The result has passed Check. Errors: ErrTimestamp, ErrEncrypted.
func DocumentTimestamp(ctx context.Context, src Source, t tsp.Timestamper, clock Clock) (*Result, error) {
	return retryWithSize(estimateTokenSize(t), func(room int) (*Result, error) { return timestampOnce(ctx, src, t, clock, room) })
}

func timestampOnce(ctx context.Context, src Source, t tsp.Timestamper, clock Clock, room int) (*Result, error) {
	p, err := prepareTimestamp(src, room)
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
	src.State, src.States = p.State, p.states
	if err := Check(src, p.Tail, p.Field, clock); err != nil {
		return nil, err
	}
	return src.buildResult(p.Tail, p.Field)
}

func prepareTimestamp(src Source, room int) (*Prepared, error) {
	d, err := openSource(src)
	if err != nil {
		return nil, err
	}
	u := d.NewUpdate()
	a, err := newFieldAdder(d, u)
	if err != nil {
		return nil, err
	}
	a.permitted = 0
	h := newPlaceholders(room)
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
