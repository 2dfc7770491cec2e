package audit

import (
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Checkpoint says what the log was at some size.
type Checkpoint struct {
	Origin string // names the log; the name of its key
	Size   int64
	Root   tlog.Hash
}

// maxSize bounds how many leaves a checkpoint may claim. The arithmetic of package tlog does not end for some beyond
// 1<<62.
const maxSize = 1 << 60

// MaxCheckpoint bounds what is read as a checkpoint, in bytes; one has some 250, and each further signature 100.
const MaxCheckpoint = 64 << 10

// ErrCheckpoint is what [OpenCheckpoint] answers for a text that is no checkpoint signed by that key.
var ErrCheckpoint = errors.New("not a checkpoint of this log")

func (c Checkpoint) noteText() string {
	return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, base64.StdEncoding.EncodeToString(c.Root[:]))
}

// Sign returns the checkpoint as a signed note. The key is an Ed25519 key and signs under the name of the origin.
func (c Checkpoint) Sign(key crypto.Signer) ([]byte, error) {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("sign checkpoint: the key is %T, not an Ed25519 key", key.Public())
	}
	b, err := note.Sign(&note.Note{Text: c.noteText()}, signer{verifier{c.Origin, public}, key})
	if err != nil {
		return nil, fmt.Errorf("sign checkpoint: %w", err)
	}
	return b, nil
}

// OpenCheckpoint verifies a signed checkpoint of that origin and reads it.
func OpenCheckpoint(b []byte, origin string, key ed25519.PublicKey) (Checkpoint, error) {
	n, err := note.Open(b, note.VerifierList(verifier{origin, key}))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	// A note takes any bits at the end of base64 that stand for nothing; one signature has one spelling here.
	if _, err := base64.StdEncoding.Strict().DecodeString(n.Sigs[0].Base64); err != nil {
		return Checkpoint{}, fmt.Errorf("%w: signature: %w", ErrCheckpoint, err)
	}
	lines := strings.Split(n.Text, "\n")
	if len(lines) != 4 || lines[0] != origin {
		return Checkpoint{}, fmt.Errorf("%w: %d lines for %q", ErrCheckpoint, len(lines)-1, lines[0])
	}
	c := Checkpoint{Origin: origin}
	if c.Size, err = strconv.ParseInt(lines[1], 10, 64); err != nil || c.Size < 0 || c.Size > maxSize {
		return Checkpoint{}, fmt.Errorf("%w: size %q", ErrCheckpoint, lines[1])
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || copy(c.Root[:], root) != len(root) || len(root) != len(c.Root) {
		return Checkpoint{}, fmt.Errorf("%w: root %q", ErrCheckpoint, lines[2])
	}
	if c.noteText() != n.Text {
		return Checkpoint{}, fmt.Errorf("%w: not canonical", ErrCheckpoint)
	}
	return c, nil
}
