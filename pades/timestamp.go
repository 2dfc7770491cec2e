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
	return withRoom(tokenRoom(t), func(room int) (*Result, error) { return documentTimestamp(ctx, src, t, clock, room) })
}

func documentTimestamp(ctx context.Context, src Source, t tsp.Timestamper, clock Clock, room int) (*Result, error) {
	p, err := prepareTimestamp(src, room)
	if err != nil {
		return nil, err
	}
	digest, err := p.hash(src, crypto.SHA256)
	if err != nil {
		return nil, err
	}
	token, err := timestamp(ctx, t, digest)
	if err != nil {
		return nil, err
	}
	if err := put(p.Tail, p.ContentsAt, p.ContentsLen, token); err != nil {
		return nil, err
	}
	src.State, src.States = p.State, p.states
	if err := Check(src, p.Tail, p.Field, clock); err != nil {
		return nil, err
	}
	return src.result(p.Tail, p.Field)
}

func prepareTimestamp(src Source, room int) (*Prepared, error) {
	d, err := open(src)
	if err != nil {
		return nil, err
	}
	u := d.NewUpdate()
	a, err := newAdder(d, u)
	if err != nil {
		return nil, err
	}
	a.permitted = 0
	h := newHoles(room)
	f, err := a.add(FieldSpec{Name: a.fresh("Timestamp")})
	if err != nil {
		return nil, err
	}
	f.Dict["V"] = u.Add(timestampDictionary(h))
	if err := a.finish(); err != nil {
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
