// Package tsp speaks the Time-Stamp Protocol (RFC 3161, updated by RFC 5816): requests, responses and tokens,
// a client over HTTP, and a responder that answers in process or behind a handler. Imprints are SHA-256.
//
// Everything fails closed: a token that does not fit the request in every respect is an error, never a
// weaker timestamp.
package tsp

import "context"

// Timestamper obtains a timestamp token, a DER ContentInfo, over a SHA-256 digest.
type Timestamper interface {
	Timestamp(ctx context.Context, digest []byte) ([]byte, error)

	// TokenSize returns an upper bound of a token in bytes, for reserving room; 0 when it is not known.
	TokenSize() int
}
