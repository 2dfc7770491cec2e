// Package tsp speaks the Time-Stamp Protocol (RFC 3161, updated by RFC 5816): requests, responses and tokens,
// a client over HTTP, and a responder that answers in process or behind a handler.
//
// Digests are SHA-256, 32 bytes, of whatever is to be timestamped; tokens are DER ContentInfo of a SignedData with a
// TSTInfo; times are UTC. [Client] asks one authority, [InOrder] several, and [Responder] is one. What was obtained is
// checked by [Request.Accept]; a token that is in a file is read by [Parse], which checks its mathematics, or by [Read],
// which takes the basic encoding rules too, and held against roots by [Token.Validate].
//
// Everything fails closed: a token that does not fit the request in every respect is an error, never a
// weaker timestamp. Errors are [ErrMalformed] for bytes that are not what the protocol says, [*Refusal] where the
// authority answers that it will not, [*ClockError] and [*LocalClockError] where clocks disagree, those of package cms for a signature
// that does not hold, and the network's.
package tsp

import "context"

// Timestamper obtains a timestamp token, a DER ContentInfo, over a SHA-256 digest.
type Timestamper interface {
	Timestamp(ctx context.Context, digest []byte) ([]byte, error)

	// TokenSize returns an upper bound of a token in bytes, for reserving room; 0 when it is not known.
	TokenSize() int
}
