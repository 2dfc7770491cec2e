package s3

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"

	"segel/internal/outage"
)

// attempts is how often a request is made that may succeed when it is repeated, and firstPause how long the first pause between two is
// at most. Each further pause is twice as long.
const (
	attempts   = 4
	firstPause = 100 * time.Millisecond
)

var (
	errNoBucket  = errors.New("the bucket does not exist")
	errTruncated = errors.New("the answer of the S3 server ends early")
	errRange     = errors.New("the S3 server returned other bytes than those asked for")
)

// datedAnswers is a transport that remembers the time that the server states in its last answer.
type datedAnswers struct {
	http.RoundTripper
	seconds atomic.Int64 // since 1970; 0: not known
}

// RoundTrip implements [http.RoundTripper].
func (d *datedAnswers) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := d.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if at, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		d.seconds.Store(at.Unix())
	}
	return answer, nil
}

// serverTime returns the time of the server at its last answer that stated one, to a second.
func (d *datedAnswers) serverTime() (at time.Time, known bool) {
	seconds := d.seconds.Load()
	return time.Unix(seconds, 0), seconds != 0
}

// retryRequest makes a request until it succeeds, or until repeating it does not help. Every attempt has the time limit of the store.
// It returns the error of the last attempt as it is: explainError says what it means.
func (s *Store) retryRequest(ctx context.Context, request func(ctx context.Context) error) error {
	var err error
	for n := range attempts {
		if n > 0 {
			pause := time.NewTimer(rand.N(firstPause << (n - 1)))
			select {
			case <-pause.C:
			case <-ctx.Done():
				pause.Stop()
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		attempt, cancel := context.WithTimeout(ctx, s.timeout)
		err = request(attempt)
		cancel()
		if err == nil || !mayPass(err) {
			return err
		}
	}
	return err
}

// passing are codes of refusals that the same request may not meet again: of a body that was damaged on its way, and of a server that is busy.
var passing = []string{
	"BadDigest", "IncompleteBody", "XAmzContentSHA256Mismatch", "RequestTimeout", "SlowDown", "Throttling", "ThrottlingException",
	"TooManyRequests", "InternalError", "ServiceUnavailable", "OperationAborted", "ConditionalRequestConflict",
}

// mayPass reports whether the same request may succeed when it is made again. Every error that is not an answer counts.
func mayPass(err error) bool {
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) {
		return true
	}
	switch answer.StatusCode {
	case http.StatusNotImplemented, http.StatusInsufficientStorage:
		return false
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	}
	return answer.StatusCode >= http.StatusInternalServerError || slices.Contains(passing, answer.Code)
}

// mayBeDone reports whether a request that failed with err may have been carried out: there was no answer, or one that does not say. An upload
// that is not there may be completed.
func mayBeDone(err error) bool {
	var answer minio.ErrorResponse
	return mayPass(err) || errors.As(err, &answer) && answer.Code == "NoSuchUpload"
}

// isExisting reports whether a request was refused because there is an object with its name.
func isExisting(err error) bool {
	var answer minio.ErrorResponse
	return errors.As(err, &answer) && answer.StatusCode == http.StatusPreconditionFailed
}

// isMissing reports whether a request was refused because no object has its name.
func isMissing(err error) bool {
	var answer minio.ErrorResponse
	return errors.As(err, &answer) && answer.Code == minio.NoSuchKey
}

// explainError marks an error of a request as an outage where the server does not answer, refuses our key, or has lost the bucket, and where
// the time of the caller ends meanwhile. The error of a caller who gave up is that of their context.
func explainError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if outage.TimedOut(ctx) {
		return &outage.Error{Part: outage.Blobs, Err: ctx.Err()}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var answer minio.ErrorResponse
	switch {
	case !errors.As(err, &answer), mayPass(err):
	case answer.StatusCode == http.StatusInsufficientStorage || answer.Code == "QuotaExceeded":
		return &outage.Error{Part: outage.Disk, Err: err}
	case answer.StatusCode == http.StatusForbidden, answer.StatusCode == http.StatusUnauthorized, answer.Code == minio.NoSuchBucket:
	default:
		return err
	}
	return &outage.Error{Part: outage.Blobs, Err: err}
}
