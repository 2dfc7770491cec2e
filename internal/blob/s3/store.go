// Package s3 keeps blobs as objects of one bucket of an S3 server. Below the prefix of the store are
//
//	installation                the mark
//	blobs/<key>                 a blob
//	aside/<time>/<key>          moved aside by a check of the store
//	aside/<time>/<key>.json     what was moved, as in the manifest of package file
//	probe/<something>           written and removed while the server is checked
//
// An object appears whole or not at all, and every one is created with If-None-Match, so that a name is never overwritten. Some
// servers ignore that condition; [Store.Prepare] refuses them. Each write has a random token in the metadata of its object: where
// the answer to a write is lost, the token says whose object is there.
package s3

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"segel/internal/blob"
)

// Options say where the bucket is, and how it is reached.
type Options struct {
	Endpoint  *url.URL // scheme and host of the server
	Region    string
	Bucket    string // exists already
	Prefix    string // of all names in the bucket; empty, or ends in a slash
	AccessKey string
	SecretKey string

	Transport http.RoundTripper // of all requests
	Timeout   time.Duration     // of one request and its answer; 0 is 30 seconds
}

const defaultTimeout = 30 * time.Second

// Names below the prefix.
const (
	markName  = "installation"
	blobsDir  = "blobs/"
	asideDir  = "aside/"
	probeDir  = "probe/"
	tokenName = "segel-write" // in the metadata of an object
)

// Store is a [blob.Store] in a bucket. Several processes may use the same one.
type Store struct {
	core           minio.Core
	bucket, prefix string
	timeout        time.Duration
	answers        *datedAnswers
	now            func() time.Time
	ranges         rangeCache
	sizes          sizeCache

	mu      sync.Mutex
	written time.Time // when [Store.Check] wrote last; guarded by mu
}

// New returns the store. It makes no request, so an error is one of the options.
func New(o Options) (*Store, error) {
	answers := &datedAnswers{RoundTripper: o.Transport}
	core, err := minio.NewCore(o.Endpoint.Host, &minio.Options{
		Creds: credentials.NewStaticV4(o.AccessKey, o.SecretKey, ""), Secure: o.Endpoint.Scheme == "https", Region: o.Region,
		Transport:  answers,
		MaxRetries: 1, // a repeated write needs to know that it is one: see retryRequest
	})
	if err != nil {
		return nil, fmt.Errorf("S3 server %s: %w", o.Endpoint.Host, err)
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	return &Store{core: *core, bucket: o.Bucket, prefix: o.Prefix, timeout: o.Timeout, answers: answers, now: time.Now}, nil
}

// Prepare requires a server that creates objects only where there are none, and removes what crashed writers left. A store that is
// written to is prepared first.
func (s *Store) Prepare(ctx context.Context) error {
	if err := s.requireConditions(ctx); err != nil {
		return fmt.Errorf("check bucket %s: %w", s.bucket, err)
	}
	if _, err := s.RemoveAbandoned(ctx); err != nil {
		return fmt.Errorf("remove abandoned uploads in bucket %s: %w", s.bucket, err)
	}
	return nil
}

// blobName returns the name of the object of a checked key.
func (s *Store) blobName(key blob.Key) string { return s.prefix + blobsDir + string(key) }

// checkCall checks context and key for every method.
func checkCall(ctx context.Context, key blob.Key) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("blob %s: %w", key, err)
	}
	return key.Check()
}

// newToken returns the token of a write.
func newToken() string { return rand.Text() }

// createNew writes an object in one request. Errors: [blob.ErrExists] if another one has the name. After any other error the object
// may or may not be there.
func (s *Store) createNew(ctx context.Context, name string, content []byte) error {
	token, sum := newToken(), sha256.Sum256(content)
	err := s.retryRequest(ctx, func(ctx context.Context) error {
		o := newObjectOptions(token, "x-amz-checksum-sha256", base64.StdEncoding.EncodeToString(sum[:]))
		o.SetMatchETagExcept("*")
		_, err := s.core.PutObject(ctx, s.bucket, name, bytes.NewReader(content), int64(len(content)), "", hex.EncodeToString(sum[:]), o)
		return err
	})
	return s.settleWrite(ctx, name, token, int64(len(content)), err)
}

// newObjectOptions returns the options of a request that creates an object with a token, and one more header for its checksum.
func newObjectOptions(token, checksum, value string) minio.PutObjectOptions {
	return minio.PutObjectOptions{UserMetadata: map[string]string{tokenName: token, checksum: value}, DisableContentSha256: true}
}

// settleWrite decides what a write with that result came to. A request whose answer was lost may have been carried out: then its
// repetition finds its own object in its way, and the last try may have been carried out as well. The token and the size of the object
// that is there tell. The content needs no comparison: the server has checked it against the sum that the request was signed with.
func (s *Store) settleWrite(ctx context.Context, name, token string, size int64, result error) error {
	if result == nil || ctx.Err() != nil || !isExisting(result) && !mayBeDone(result) {
		return explainError(ctx, result)
	}
	var found minio.ObjectInfo
	err := s.retryRequest(ctx, func(ctx context.Context) (err error) {
		found, err = s.core.StatObject(ctx, s.bucket, name, minio.StatObjectOptions{})
		return err
	})
	switch {
	case err != nil:
		// Not there, or not known: the caller uses another key, and a check of the store finds an object that appears later.
		return explainError(ctx, result)
	case found.UserMetadata[http.CanonicalHeaderKey(tokenName)] == token && found.Size == size:
		return nil
	}
	return fmt.Errorf("%w: %s in bucket %s", blob.ErrExists, name, s.bucket)
}

// Open asks for the size of the blob, unless it is known of the last minute; its bytes are fetched when they are read. See [blob.Store].
func (s *Store) Open(ctx context.Context, key blob.Key) (blob.Blob, error) {
	if err := checkCall(ctx, key); err != nil {
		return nil, err
	}
	if size, known := s.sizes.findSize(key, time.Now()); known {
		return &openedBlob{ctx: ctx, store: s, key: key, size: size}, nil
	}
	var info minio.ObjectInfo
	err := s.retryRequest(ctx, func(ctx context.Context) (err error) {
		info, err = s.core.StatObject(ctx, s.bucket, s.blobName(key), minio.StatObjectOptions{})
		return err
	})
	if isMissing(err) {
		// The answer has no body, so it does not say whether the bucket is missing, in which every blob would seem to be lost.
		if err := s.requireBucket(ctx); err != nil {
			return nil, fmt.Errorf("open blob %s: %w", key, err)
		}
		return nil, fmt.Errorf("%w: %s", blob.ErrNotFound, key)
	}
	if err != nil {
		return nil, fmt.Errorf("open blob %s: %w", key, explainError(ctx, err))
	}
	s.sizes.keepSize(key, info.Size, time.Now())
	return &openedBlob{ctx: ctx, store: s, key: key, size: info.Size}, nil
}

// requireBucket requires that the bucket exists.
func (s *Store) requireBucket(ctx context.Context) error {
	exists := false
	err := s.retryRequest(ctx, func(ctx context.Context) (err error) {
		exists, err = s.core.BucketExists(ctx, s.bucket)
		return err
	})
	if err == nil && !exists {
		err = errNoBucket
	}
	return explainError(ctx, err)
}

// Remove deletes a blob. See [blob.Store].
func (s *Store) Remove(ctx context.Context, key blob.Key) error {
	if err := checkCall(ctx, key); err != nil {
		return err
	}
	err := s.removeObject(ctx, s.blobName(key))
	s.ranges.forgetBlob(key)
	s.sizes.forgetSize(key)
	if err != nil {
		return fmt.Errorf("remove blob %s: %w", key, err)
	}
	return nil
}

// removeObject deletes an object. It does not fail if there is none.
func (s *Store) removeObject(ctx context.Context, name string) error {
	err := s.retryRequest(ctx, func(ctx context.Context) error {
		return s.core.RemoveObject(ctx, s.bucket, name, minio.RemoveObjectOptions{})
	})
	if isMissing(err) {
		return nil
	}
	return explainError(ctx, err)
}

// pageSize is how many objects are listed in one request: the most that S3 answers with.
const pageSize = 1000

// List yields every blob in the order in which S3 lists names, that of their bytes. Objects whose name is not a key are left out. See [blob.Store].
func (s *Store) List(ctx context.Context) iter.Seq2[blob.Info, error] {
	return func(yield func(blob.Info, error) bool) {
		for o, err := range s.listObjects(ctx, s.prefix+blobsDir) {
			if err != nil {
				yield(blob.Info{}, fmt.Errorf("list blobs: %w", err))
				return
			}
			key := blob.Key(strings.TrimPrefix(o.Key, s.prefix+blobsDir))
			if key.Check() == nil && !yield(blob.Info{Key: key, Size: o.Size, Modified: o.LastModified}, nil) {
				return
			}
		}
	}
}

// listObjects yields the objects whose names begin with a prefix, page by page.
func (s *Store) listObjects(ctx context.Context, prefix string) iter.Seq2[minio.ObjectInfo, error] {
	return func(yield func(minio.ObjectInfo, error) bool) {
		for after := ""; ; {
			var page []minio.ObjectInfo
			err := s.retryRequest(ctx, func(ctx context.Context) error {
				page = page[:0]
				o := minio.ListObjectsOptions{Prefix: prefix, Recursive: true, StartAfter: after, MaxKeys: pageSize, FetchOwner: new(bool)}
				for info := range s.core.ListObjectsIter(ctx, s.bucket, o) {
					if info.Err != nil {
						return info.Err
					}
					if page = append(page, info); len(page) == pageSize {
						return nil
					}
				}
				return ctx.Err() // a canceled iterator just ends
			})
			if err != nil {
				yield(minio.ObjectInfo{}, explainError(ctx, err))
				return
			}
			for _, info := range page {
				if !yield(info, nil) {
					return
				}
			}
			if len(page) < pageSize {
				return
			}
			after = page[pageSize-1].Key
		}
	}
}

// Mark reads the mark. See [blob.Store].
func (s *Store) Mark(ctx context.Context) ([]byte, error) {
	var mark []byte
	err := s.retryRequest(ctx, func(ctx context.Context) error {
		body, _, _, err := s.core.GetObject(ctx, s.bucket, s.prefix+markName, minio.GetObjectOptions{})
		if err != nil {
			return err
		}
		defer body.Close()
		mark, err = io.ReadAll(io.LimitReader(body, blob.MaxMark+1))
		return err
	})
	switch {
	case isMissing(err):
		return nil, fmt.Errorf("%w: bucket %s", blob.ErrNoMark, s.bucket)
	case err == nil && len(mark) > blob.MaxMark:
		err = blob.ErrMark
	}
	if err != nil {
		return nil, fmt.Errorf("read mark of bucket %s: %w", s.bucket, explainError(ctx, err))
	}
	return mark, nil
}

// SetMark writes the mark. See [blob.Store].
func (s *Store) SetMark(ctx context.Context, mark []byte) error {
	if len(mark) > blob.MaxMark {
		return blob.ErrMark
	}
	if err := s.createNew(ctx, s.prefix+markName, mark); err != nil {
		return fmt.Errorf("mark bucket %s: %w", s.bucket, err)
	}
	return nil
}

// checkInterval is how often at most [Store.Check] writes. Balancers ask every few seconds, and each write is paid for.
const checkInterval = time.Minute

// Check requires that the bucket is there and takes more.
func (s *Store) Check(ctx context.Context) error {
	s.mu.Lock()
	write := time.Since(s.written) >= checkInterval
	s.mu.Unlock()
	if !write {
		if err := s.requireBucket(ctx); err != nil {
			return fmt.Errorf("check bucket %s: %w", s.bucket, err)
		}
		return nil
	}
	name := s.prefix + probeDir + newToken()
	err := s.createNew(ctx, name, []byte("segel"))
	if err := errors.Join(err, s.removeProbe(ctx, name)); err != nil {
		return fmt.Errorf("check bucket %s: %w", s.bucket, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.written = time.Now()
	return nil
}
