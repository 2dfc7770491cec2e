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

// Checkpoint is the state of the log at some size.
type Checkpoint struct {
	Origin string // name of the log and of its key
	Size   int64
	Root   tlog.Hash
}

// maxSize bounds the leaves that a checkpoint may claim. The arithmetic of package tlog does not terminate for some
// sizes beyond 1<<62.
const maxSize = 1 << 60

// MaxCheckpoint bounds the size of a checkpoint in bytes; one has about 250, and each further signature 100.
const MaxCheckpoint = 64 << 10

// ErrCheckpoint is the error of [OpenCheckpoint] for a text that is not a checkpoint signed with that key.
var ErrCheckpoint = errors.New("not a checkpoint of this log")

func (c Checkpoint) noteText() string {
	return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, base64.StdEncoding.EncodeToString(c.Root[:]))
}

// Sign returns the checkpoint as a signed note. The key must be an Ed25519 key; the name of the signature is the
// origin.
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

// OpenCheckpoint verifies and parses a signed checkpoint of that origin.
func OpenCheckpoint(b []byte, origin string, key ed25519.PublicKey) (Checkpoint, error) {
	n, err := note.Open(b, note.VerifierList(verifier{origin, key}))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	// A signed note accepts any unused bits at the end of Base64; here a signature has only one encoding.
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
