package audit

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"segel/internal/contract"
)

// Proof shows somebody who has nothing but the log's public key that events of a document are in the log.
type Proof struct {
	Document   contract.DocumentID
	Checkpoint string // a signed checkpoint, as [Checkpoint.Sign] returns it
	Events     []ProvenEvent
}

// ProvenEvent is an event with what shows that it is in the log.
type ProvenEvent struct {
	Number int64            `json:"number"` // of its leaf, from 0
	Leaf   string           `json:"leaf"`   // its bytes, which are UTF-8
	Path   tlog.RecordProof `json:"proof"`  // RFC 6962 §2.1.1
}

// ErrUnproven is what [Proof.Check] answers where an event is not shown to be in the log, or is not of the document.
var ErrUnproven = errors.New("not proven")

// ProveLeaf returns the proof that leaf number leaf, from 0, is in the log of that size (RFC 6962 §2.1.1).
func ProveLeaf(ctx context.Context, size, leaf int64, h HashReader) (tlog.RecordProof, error) {
	if leaf < 0 || leaf >= size {
		return nil, fmt.Errorf("leaf %d is not in a log of %d", leaf, size)
	}
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) { return h.ReadHashes(ctx, indexes) })
	p, err := tlog.ProveRecord(size, leaf, reader)
	if err != nil {
		return nil, fmt.Errorf("prove leaf %d of %d: %w", leaf, size, err)
	}
	return p, nil
}

// AddEvent adds an event to the proof: the number of its leaf, and the hashes that [Prove] gave for it.
func (p *Proof) AddEvent(number int64, e contract.Event, path [][32]byte) {
	proven := ProvenEvent{Number: number, Leaf: string(EncodeLeaf(e)), Path: tlog.RecordProof{}}
	for _, h := range path {
		proven.Path = append(proven.Path, h)
	}
	p.Events = append(p.Events, proven)
}

// Verify verifies the proof by the log's public key, and returns the checkpoint and the events, in the order of the log.
// The error is [ErrCheckpoint] or [ErrUnproven].
//
// That there are no more events of the document between these, or after the checkpoint, no proof can tell.
func (p *Proof) Verify(origin string, key ed25519.PublicKey) (Checkpoint, []contract.Event, error) {
	c, err := OpenCheckpoint([]byte(p.Checkpoint), origin, key)
	if err != nil {
		return Checkpoint{}, nil, err
	}
	if len(p.Events) == 0 {
		return c, nil, fmt.Errorf("%w: there are no events", ErrUnproven)
	}
	events := make([]contract.Event, 0, len(p.Events))
	last := int64(-1)
	for _, proven := range p.Events {
		if proven.Number <= last {
			return c, nil, fmt.Errorf("%w: event %d stands behind event %d", ErrUnproven, proven.Number, last)
		}
		last = proven.Number
		e, err := proven.verifyLeaf(c)
		if err == nil && e.Document != p.Document {
			err = fmt.Errorf("%w: it is of document %d", ErrUnproven, e.Document)
		}
		if err != nil {
			return c, nil, fmt.Errorf("event %d: %w", proven.Number, err)
		}
		events = append(events, e)
	}
	return c, events, nil
}

// verifyLeaf verifies that the leaf is in the log that the checkpoint signs, and reads it.
func (p ProvenEvent) verifyLeaf(c Checkpoint) (contract.Event, error) {
	if err := tlog.CheckRecord(p.Path, c.Size, c.Root, p.Number, tlog.RecordHash([]byte(p.Leaf))); err != nil {
		return contract.Event{}, fmt.Errorf("%w: %w", ErrUnproven, err)
	}
	// The log's key stands for this leaf, and still it may be of a form that came after this program.
	e, err := ParseLeaf([]byte(p.Leaf))
	if err != nil {
		return contract.Event{}, fmt.Errorf("%w: %w", ErrUnproven, err)
	}
	return e, nil
}
