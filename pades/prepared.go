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

// Prepared is a signature whose value is still missing: its tail, and what the key has to sign. Its exported
// members are all that matters of it. It can be kept and finished later, by another process, as long as nothing else
// is appended to the file.
type Prepared struct {
	Size  int64  // bytes of the source
	State []byte // Source.State
	Tail  []byte // complete but for the container
	// ContentsAt and ContentsLen are where in Tail the container goes, angle brackets included.
	ContentsAt, ContentsLen int
	Field                   string // fully qualified name
	Signature               *cms.Signature

	states map[crypto.Hash][]byte // Source.States; not kept, since the file has them
}

// Digest returns what the key signs: the hash of the signed attributes, or for Ed25519 the attributes themselves.
func (p *Prepared) Digest() ([]byte, error) { return p.Signature.Digest() }

// Timestamp obtains the token for a signature value. The error is ErrTimestamp, whatever the cause.
func (p *Prepared) Timestamp(ctx context.Context, t tsp.Timestamper, value []byte) ([]byte, error) {
	digest := sha256.Sum256(value)
	return fetchTimestamp(ctx, t, digest[:])
}

// fetchTimestamp obtains a token and makes sure that it is about the digest.
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
		return nil, fmt.Errorf("%w: the token is about something else", ErrTimestamp)
	}
	return der, nil
}

// Finish puts the signature value, and the token unless it is nil, into the tail. The signature of what comes out
// has been verified. A container that is too large is a RoomError: prepare again with that much room.
func (p *Prepared) Finish(value, token []byte) (*Result, error) {
	tail, err := p.fillTail(value, token)
	if err != nil {
		return nil, err
	}
	return Source{Size: p.Size, State: p.State, States: p.states}.buildResult(tail, p.Field)
}

func (p *Prepared) fillTail(value, token []byte) ([]byte, error) {
	var unsigned []cms.Attribute
	if token != nil {
		unsigned = append(unsigned, cms.NewAttribute(cms.OIDSignatureTimestamp, token))
	}
	der, err := p.Signature.Finish(value, unsigned...)
	if err != nil {
		return nil, err
	}
	if err := p.verifyNewContainer(der); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCheck, err)
	}
	tail := bytes.Clone(p.Tail)
	return tail, fillContents(tail, p.ContentsAt, p.ContentsLen, der)
}

// verifyNewContainer checks the new container against the attributes that were prepared. The digest they name was computed by
// Prepare; Check computes it again.
func (p *Prepared) verifyNewContainer(der []byte) error {
	sd, err := cms.Parse(der)
	if err != nil {
		return err
	}
	_, err = verifyContainer(sd, nil)
	return err
}

// fillContents writes the container into the gap of a tail.
func fillContents(tail []byte, at, length int, der []byte) error {
	room := tail[at+1 : at+length-1]
	if need := hex.EncodedLen(len(der)); need > len(room) {
		return &ContainerSizeError{Need: len(der), Have: len(room) / 2}
	}
	hex.Encode(room, der)
	return nil
}
