// Package tsp implements the Time-Stamp Protocol (RFC 3161, updated by RFC 5816): requests, responses and tokens, a
// client over HTTP, and a responder that answers in process or as an HTTP handler.
//
// Digests are SHA-256, 32 bytes; tokens are DER ContentInfo of a SignedData with a TSTInfo; times are UTC. [Client]
// queries one authority, [Failover] several, and [Responder] is one. A token
// from a file is parsed by [Parse], which verifies it mathematically, or by [ParseLenient], which also accepts BER;
// [Token.Validate] validates it against trust anchors.
//
// Everything fails closed: a token that does not match the request in every respect is an error, never a weaker
// timestamp. Errors are [ErrMalformed] for bytes that violate the protocol, [*Refusal] for an answer without a token,
// [*ClockError] and [*LocalClockError] for clocks that disagree, those of package cms for invalid signatures, and
// network errors.
package tsp

import "context"

// Timestamper issues or fetches a timestamp token, a DER ContentInfo, over a SHA-256 digest.
type Timestamper interface {
	Timestamp(ctx context.Context, digest []byte) ([]byte, error)

	// TokenSize returns an upper bound of a token in bytes, used to reserve space; 0 if unknown.
	TokenSize() int
}
