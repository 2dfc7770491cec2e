package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/minio/minio-go/v7"

	"segel/internal/blob"
)

// Bounds of uploads. S3 accepts parts of 5 MiB and more, except the last, and 10,000 of them.
const (
	partSize = 5 << 20
	maxParts = 10_000
)

// A writer lives at most writerLife, by its own clock; an upload counts as abandoned after abandonedAfter, by the server's. The difference
// is what the two clocks may differ by, and what a last request may take.
const (
	writerLife     = blob.WriterLife
	abandonedAfter = 36 * time.Hour
)

var errTooLarge = errors.New("blob has more bytes than an S3 server accepts in parts of 5 MiB")

// writer is a blob being written. It holds the bytes of one part in memory. A blob of one part is written with one request, and a larger
// one with a multipart upload, which is invisible until it is completed.
type writer struct {
	ctx    context.Context
	store  *Store
	key    blob.Key
	name   string // of the object
	token  string
	begun  time.Time
	part   []byte // the bytes that were not sent
	upload string // identifier; empty: none was begun
	parts  []minio.CompletePart
	size   int64
	failed error // of a part
	ended  bool
}

// Create begins a blob. It makes no request. See [blob.Store].
func (s *Store) Create(ctx context.Context, key blob.Key) (blob.Writer, error) {
	if err := checkCall(ctx, key); err != nil {
		return nil, err
	}
	return &writer{ctx: ctx, store: s, key: key, name: s.blobName(key), token: newToken(), begun: time.Now()}, nil
}

// Write appends to the blob. It sends a part when more than one was written.
func (w *writer) Write(p []byte) (int, error) {
	if w.ended {
		return 0, blob.ErrClosed
	}
	written := 0
	for {
		if err := w.requireLife(); err != nil {
			return written, fmt.Errorf("write blob %s: %w", w.name, err)
		}
		n := min(len(p), partSize-len(w.part))
		w.part = append(w.part, p[:n]...)
		w.size += int64(n)
		written += n
		if p = p[n:]; len(p) == 0 {
			return written, nil
		}
		if w.failed = w.sendPart(); w.failed != nil {
			return written, fmt.Errorf("write blob %s: %w", w.name, w.failed)
		}
	}
}

// requireLife returns the error of a writer that must not go on.
func (w *writer) requireLife() error {
	if w.failed != nil {
		return w.failed
	}
	if time.Since(w.begun) > writerLife {
		return blob.ErrTooOld
	}
	return w.ctx.Err()
}

// sendPart sends the part in memory, and begins the upload where it is the first. Sending it again replaces it.
func (w *writer) sendPart() error {
	s := w.store
	if len(w.parts) == maxParts {
		return errTooLarge
	}
	if w.upload == "" {
		// If the answer is lost, an empty upload is left, which counts as abandoned later.
		err := s.retryRequest(w.ctx, func(ctx context.Context) (err error) {
			w.upload, err = s.core.NewMultipartUpload(ctx, s.bucket, w.name, newObjectOptions(w.token, "x-amz-checksum-algorithm", "SHA256"))
			return err
		})
		if err != nil {
			return explainError(w.ctx, err)
		}
	}
	number, sum := len(w.parts)+1, sha256.Sum256(w.part)
	checksum := base64.StdEncoding.EncodeToString(sum[:])
	var sent minio.ObjectPart
	tries := 0
	err := s.retryRequest(w.ctx, func(ctx context.Context) (err error) {
		tries++
		o := minio.PutObjectPartOptions{Sha256Hex: hex.EncodeToString(sum[:]), DisableContentSha256: true}
		o.CustomHeader = map[string][]string{"X-Amz-Checksum-Sha256": {checksum}}
		sent, err = s.core.PutObjectPart(ctx, s.bucket, w.name, w.upload, number, bytes.NewReader(w.part), int64(len(w.part)), o)
		return err
	})
	if err != nil {
		return explainError(w.ctx, err)
	}
	w.parts = append(w.parts, minio.CompletePart{PartNumber: number, ETag: sent.ETag, ChecksumSHA256: checksum})
	w.part = w.part[:0]
	if tries > 1 {
		w.part = nil // the connection of an attempt that failed may still be reading the old bytes
	}
	return nil
}

// Commit writes the object. See [blob.Writer].
func (w *writer) Commit() error {
	if w.ended {
		return blob.ErrClosed
	}
	defer w.Abort()
	if err := w.requireLife(); err != nil {
		return fmt.Errorf("commit blob %s: %w", w.name, err)
	}
	if err := w.commitObject(); err != nil {
		return fmt.Errorf("commit blob %s: %w", w.name, err)
	}
	// Durable now: the blob under its key. The server answers when it has stored it.
	w.upload = ""
	w.store.sizes.keepSize(w.key, w.size, time.Now())
	return nil
}

func (w *writer) commitObject() error {
	if w.upload == "" {
		return w.store.createNew(w.ctx, w.name, w.part)
	}
	if err := w.sendPart(); err != nil {
		return err
	}
	return w.completeUpload()
}

// completeUpload makes one object of the parts.
func (w *writer) completeUpload() error {
	var o minio.PutObjectOptions
	o.SetMatchETagExcept("*")
	err := w.store.retryRequest(w.ctx, func(ctx context.Context) error {
		_, err := w.store.core.CompleteMultipartUpload(ctx, w.store.bucket, w.name, w.upload, w.parts, o)
		return err
	})
	return w.store.settleWrite(w.ctx, w.name, w.token, w.size, err)
}

// abortTimeout bounds the request that discards an upload.
const abortTimeout = 5 * time.Second

// Abort discards the upload, also when the context has ended. A failure does no harm: the upload counts as abandoned later.
func (w *writer) Abort() {
	if w.ended {
		return
	}
	w.ended, w.part = true, nil
	if w.upload == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), abortTimeout)
	defer cancel()
	_ = w.store.core.AbortMultipartUpload(ctx, w.store.bucket, w.name, w.upload)
}

// RemoveAbandoned aborts the uploads that were begun more than 36 hours ago, and returns how many. No writer may still commit one of them: it
// ends itself after 12 hours.
func (s *Store) RemoveAbandoned(ctx context.Context) (removed int, err error) {
	return s.abortUploads(ctx, s.abandonedBefore)
}

// abandonedBefore returns the moment before which an abandoned upload was begun. The server records when uploads are begun, so its clock counts: a node whose own
// clock is days ahead must not take live uploads of others for old ones. Where the two clocks differ, the earlier time counts. Zero: the server has not said its time.
func (s *Store) abandonedBefore() time.Time {
	now, known := s.answers.serverTime()
	if !known {
		return time.Time{}
	}
	if local := s.now(); local.Before(now) {
		now = local
	}
	return now.Add(-abandonedAfter)
}

// abortUploads aborts the uploads that were begun before a moment. It asks for the moment after the server has answered.
func (s *Store) abortUploads(ctx context.Context, moment func() time.Time) (removed int, err error) {
	for key, upload := "", ""; ; {
		var page minio.ListMultipartUploadsResult
		err := s.retryRequest(ctx, func(ctx context.Context) (err error) {
			page, err = s.core.ListMultipartUploads(ctx, s.bucket, s.prefix+blobsDir, key, upload, "", pageSize)
			return err
		})
		if err != nil {
			return removed, explainError(ctx, err)
		}
		before := moment()
		for _, u := range page.Uploads {
			if !u.Initiated.Before(before) {
				continue
			}
			err := s.retryRequest(ctx, func(ctx context.Context) error {
				return s.core.AbortMultipartUpload(ctx, s.bucket, u.Key, u.UploadID)
			})
			if err != nil && !isNoUpload(err) {
				return removed, explainError(ctx, err)
			}
			removed++
		}
		if !page.IsTruncated {
			return removed, nil
		}
		key, upload = page.NextKeyMarker, page.NextUploadIDMarker
	}
}

// isNoUpload reports whether an upload was completed or aborted meanwhile.
func isNoUpload(err error) bool {
	var answer minio.ErrorResponse
	return errors.As(err, &answer) && answer.Code == "NoSuchUpload"
}
