package pades

import (
	"context"
	"errors"
	"fmt"
)

// Sign signs a field: level B-B, or B-T with a Timestamper. The result has passed Check.
//
// The key signs, then the timestamp is asked for. If that fails there is no signature, but a remote key has been
// used.
func Sign(ctx context.Context, src Source, o Options) (*Result, error) {
	if o.Key == nil {
		return nil, errors.New("no key to sign with")
	}
	r, err := sign(ctx, src, o, 0)
	var small *noRoom
	if errors.As(err, &small) {
		// Only a token of unknown size can be larger than estimated. The next one may differ by a few bytes.
		r, err = sign(ctx, src, o, small.need+small.need/8)
	}
	return r, err
}

func sign(ctx context.Context, src Source, o Options, room int) (*Result, error) {
	p, err := prepare(src, o, room)
	if err != nil {
		return nil, err
	}
	value, err := p.Signature.Sign(o.random(), o.Key)
	if err != nil {
		return nil, fmt.Errorf("sign with the key: %w", err)
	}
	var token []byte
	if o.Timestamper != nil {
		if token, err = p.Timestamp(ctx, o.Timestamper, value); err != nil {
			return nil, err
		}
	}
	r, err := p.Finish(value, token)
	if err != nil {
		return nil, err
	}
	src.State = p.State
	if err := check(src, r.Tail, r.Field, o.file()); err != nil {
		return nil, err
	}
	return r, nil
}
