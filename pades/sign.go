package pades

import (
	"context"
	"errors"
	"fmt"
)

// Sign signs a field: level B-B, or B-T with a Timestamper. The result has passed Check.
//
// The key signs, then the timestamp is asked for. If that fails there is no signature, but a remote key has been
// used. A timestamp that is larger than its Timestamper said makes the key sign once more, with more room.
func Sign(ctx context.Context, src Source, o Options) (*Result, error) {
	if o.Key == nil {
		return nil, errors.New("no key to sign with")
	}
	return retryWithSize(o.ReservedSize, func(room int) (*Result, error) {
		o.ReservedSize = room
		return signOnce(ctx, src, o)
	})
}

// maxAttempts bounds how often a signature is made again because its timestamps keep growing.
const maxAttempts = 3

// retryWithSize makes a signature, and again with more room when its container turns out too large: the next timestamp may
// differ by a few bytes.
func retryWithSize(room int, make func(room int) (*Result, error)) (*Result, error) {
	for attempt := 1; ; attempt++ {
		r, err := make(room)
		var small *ContainerSizeError
		if err == nil || attempt == maxAttempts || !errors.As(err, &small) {
			return r, err
		}
		room = small.Need + small.Need/8
	}
}

func signOnce(ctx context.Context, src Source, o Options) (*Result, error) {
	p, err := Prepare(src, o)
	if err != nil {
		return nil, err
	}
	value, err := p.Signature.Sign(o.randomReader(), o.Key)
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
	src.State, src.States = p.State, p.states
	if err := Check(src, r.Tail, r.Field, o.Clock); err != nil {
		return nil, err
	}
	return r, nil
}
