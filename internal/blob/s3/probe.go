package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/minio/minio-go/v7"

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

// Probe writes an object, reads it and deletes it. The error says which of these failed.
func (s *Store) Probe(ctx context.Context) error {
	name, written := s.prefix+probeDir+newToken(), []byte("segel")
	if err := s.createNew(ctx, name, written); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", name, err), s.removeProbe(ctx, name))
	}
	var read []byte
	err := s.retryRequest(ctx, func(ctx context.Context) error {
		body, _, _, err := s.core.GetObject(ctx, s.bucket, name, minio.GetObjectOptions{})
		if err != nil {
			return err
		}
		defer body.Close()
		read, err = io.ReadAll(io.LimitReader(body, int64(len(written))+1))
		return err
	})
	switch {
	case err != nil:
		err = fmt.Errorf("read %s: %w", name, explainError(ctx, err))
	case !bytes.Equal(read, written):
		err = fmt.Errorf("read %s: %w", name, errRange)
	}
	if removed := s.removeProbe(ctx, name); removed != nil {
		err = errors.Join(err, fmt.Errorf("delete %s: %w", name, removed))
	}
	return err
}

// removeProbe removes an object that a check wrote, also when the context has ended. What a crash leaves is a few bytes under a name of their own.
func (s *Store) removeProbe(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTimeout)
	defer cancel()
	return s.removeObject(ctx, name)
}
