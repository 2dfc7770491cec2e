package s3

import (
	"context"
	"errors"
	"fmt"
	"time"

	"segel/internal/blob"
)

// ErrUnconditional reports a server that overwrites objects although it was told not to.
var ErrUnconditional = errors.New("the S3 server ignores If-None-Match, so it would overwrite files: use a server that supports conditional writes")

// requireConditions tries to overwrite an object, with one request and with a multipart upload. A server that ignores the condition
// answers that it did.
func (s *Store) requireConditions(ctx context.Context) error {
	name := s.prefix + probeDir + newToken()
	err := s.createNew(ctx, name, []byte("first"))
	defer func() { _ = s.removeProbe(ctx, name) }()
	if err != nil {
		return err
	}
	switch err := s.createNew(ctx, name, []byte("second")); {
	case err == nil:
		return ErrUnconditional
	case !errors.Is(err, blob.ErrExists):
		return err
	}
	w := &writer{ctx: ctx, store: s, token: newToken(), begun: time.Now(), name: name, part: []byte("second"), size: 6}
	defer w.Abort()
	if err := w.sendPart(); err != nil {
		return err
	}
	switch err := w.completeUpload(); {
	case err == nil:
		return fmt.Errorf("%w when a multipart upload is completed", ErrUnconditional)
	case !errors.Is(err, blob.ErrExists):
		return err
	}
	return nil
}

// removeProbe removes an object that a check wrote, also when the context has ended. What a crash leaves is a few bytes under a name of their own.
func (s *Store) removeProbe(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTimeout)
	defer cancel()
	return s.removeObject(ctx, name)
}
