package pades

import (
	"bytes"
	"context"
	"crypto"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"segel/cms"
	"segel/tsp"
)

// Prepared is a signature whose value is still missing: its tail, and what the key has to sign. The exported fields are
// its complete state. It can be stored and finished later, by another process, as long as nothing else is appended to
// the file.
type Prepared struct {
	Size  int64  // bytes of the source
	State []byte // Source.State
	Tail  []byte // complete except for the container
	// ContentsAt and ContentsLen are the position of the container in Tail, angle brackets included.
	ContentsAt, ContentsLen int
	Field                   string // fully qualified name
	Signature               *cms.Signature

	states map[crypto.Hash][]byte // Source.States; not stored, because they can be computed from the file
}

// Digest returns what the key signs: the hash of the signed attributes, or the attributes themselves for Ed25519.
func (p *Prepared) Digest() ([]byte, error) { return p.Signature.Digest() }

// Timestamp fetches the token for a signature value. Every error is ErrTimestamp.
func (p *Prepared) Timestamp(ctx context.Context, t tsp.Timestamper, value []byte) ([]byte, error) {
	digest := sha256.Sum256(value)
	return fetchTimestamp(ctx, t, digest[:])
}

// fetchTimestamp fetches a token and checks that it covers the digest.
func fetchTimestamp(ctx context.Context, t tsp.Timestamper, digest []byte) ([]byte, error) {
	der, err := t.Timestamp(ctx, digest)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTimestamp, err)
	}
	token, err := tsp.Parse(der)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTimestamp, err)
	}
	if !token.Covers(digest) {
		return nil, fmt.Errorf("%w: the token covers something else", ErrTimestamp)
	}
	return der, nil
}

// Finish puts the signature value, and the token unless it is nil, into the tail. The new signature has been verified.
// If the container is too large the error is a ContainerSizeError: prepare again with that size.
func (p *Prepared) Finish(value, token []byte) (*Result, error) {
	var unsigned []cms.Attribute
	if token != nil {
		unsigned = append(unsigned, cms.NewAttribute(cms.OIDSignatureTimestamp, token))
	}
	der, err := p.Signature.Finish(value, unsigned...)
	if err != nil {
		return nil, err
	}
	// Verify the container with the prepared attributes. Prepare computed the digest in them; Check computes it again.
	sd, err := cms.Parse(der)
	if err == nil {
		_, err = verifyContainer(sd, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCheck, err)
	}
	tail := bytes.Clone(p.Tail)
	if err := fillContents(tail, p.ContentsAt, p.ContentsLen, der); err != nil {
		return nil, err
	}
	return Source{Size: p.Size, State: p.State, States: p.states}.buildResult(tail, p.Field)
}

// fillContents writes the container into the gap of a tail.
func fillContents(tail []byte, at, length int, der []byte) error {
	digits := tail[at+1 : at+length-1]
	if need := hex.EncodedLen(len(der)); need > len(digits) {
		return &ContainerSizeError{Need: len(der), Have: len(digits) / 2}
	}
	hex.Encode(digits, der)
	return nil
}
