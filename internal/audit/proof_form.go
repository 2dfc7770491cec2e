package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"segel/internal/contract"
)

// proofV1 names the first form of a proof.
const proofV1 = "segel-proof-1"

// Limits of what [ParseProof] accepts and [Proof.Marshal] writes. An event takes some 1,500 bytes.
const (
	MaxProof       = 32 << 20 // bytes
	maxProofEvents = 20_000
	maxPath        = 60 // as many as maxSize leaves need
)

// ErrProofForm is what [ParseProof] answers for bytes that are no proof, whatever it may say.
var ErrProofForm = errors.New("not a proof")

// proofFile is a proof as JSON, in the order of its members.
type proofFile struct {
	Format     string       `json:"format"`
	Document   int64        `json:"document"`
	Checkpoint string       `json:"checkpoint"`
	Events     provenEvents `json:"events"`
}

// provenEvents is read one by one, so that a file within its size cannot ask for many times that of memory.
type provenEvents []ProvenEvent

// UnmarshalJSON implements [json.Unmarshaler].
func (l *provenEvents) UnmarshalJSON(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	if open, err := dec.Token(); err != nil || open != json.Delim('[') {
		return errors.New("events are no list")
	}
	for dec.More() {
		if len(*l) == maxProofEvents {
			return fmt.Errorf("more than %d events", maxProofEvents)
		}
		var p ProvenEvent
		if err := dec.Decode(&p); err != nil {
			return fmt.Errorf("event at index %d: %w", len(*l), err)
		}
		if p.Path == nil || len(p.Path) > maxPath {
			return fmt.Errorf("event at index %d: %d hashes", len(*l), len(p.Path))
		}
		*l = append(*l, p)
	}
	return nil
}

// Marshal returns the proof as JSON (docs/formats/audit-leaf.md), or an error for what [ParseProof] would not read.
func (p *Proof) Marshal() ([]byte, error) {
	switch {
	case len(p.Events) == 0, len(p.Events) > maxProofEvents:
		return nil, fmt.Errorf("write proof: %d events, and it takes 1 to %d", len(p.Events), maxProofEvents)
	case len(p.Checkpoint) > MaxCheckpoint:
		return nil, fmt.Errorf("write proof: a checkpoint of %d bytes", len(p.Checkpoint))
	}
	for _, e := range p.Events {
		if !utf8.ValidString(e.Leaf) { // JSON would hold another text
			return nil, fmt.Errorf("write proof: event %d is not UTF-8", e.Number)
		}
	}
	b, err := p.encodeJSON("\t")
	if err == nil && len(b) > MaxProof {
		err = fmt.Errorf("%d bytes are more than %d", len(b), MaxProof)
	}
	if err != nil {
		return nil, fmt.Errorf("write proof: %w", err)
	}
	return b, nil
}

func (p *Proof) encodeJSON(indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err := enc.Encode(proofFile{proofV1, int64(p.Document), p.Checkpoint, p.Events})
	return b.Bytes(), err
}

// ParseProof reads a proof and verifies nothing of it: that is [Proof.Check]. Besides white space between values there is
// one spelling of a proof, so that no two readers take one file for different ones.
func ParseProof(b []byte) (*Proof, error) {
	if len(b) > MaxProof {
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrProofForm, MaxProof)
	}
	var f proofFile
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProofForm, err)
	}
	switch {
	case f.Format != proofV1:
		return nil, fmt.Errorf("%w: format %q", ErrProofForm, f.Format)
	case f.Document < 1:
		return nil, fmt.Errorf("%w: document %d", ErrProofForm, f.Document)
	case len(f.Checkpoint) > MaxCheckpoint:
		return nil, fmt.Errorf("%w: a checkpoint of %d bytes", ErrProofForm, len(f.Checkpoint))
	}
	p := &Proof{Document: contract.DocumentID(f.Document), Checkpoint: f.Checkpoint, Events: f.Events}
	canonical, err := p.encodeJSON("")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProofForm, err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, b); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProofForm, err)
	}
	if !bytes.Equal(compact.Bytes(), bytes.TrimSuffix(canonical, []byte("\n"))) {
		return nil, fmt.Errorf("%w: not canonical", ErrProofForm) // members unknown, twice or out of order, escapes, spare bits
	}
	return p, nil
}
