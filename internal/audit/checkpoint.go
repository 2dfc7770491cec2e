package audit

import (
	"crypto"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
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

// ErrCheckpoint is what [OpenCheckpoint] answers for a text that is no checkpoint signed by that key.
var ErrCheckpoint = errors.New("not a checkpoint of this log")

func (c Checkpoint) text() string {
	return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, base64.StdEncoding.EncodeToString(c.Root[:]))
}

// Sign returns the checkpoint as a signed note. The key is an Ed25519 key and signs under the name of the origin.
func (c Checkpoint) Sign(key crypto.Signer) ([]byte, error) {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("sign checkpoint: the key is %T, not an Ed25519 key", key.Public())
	}
	b, err := note.Sign(&note.Note{Text: c.text()}, signer{verifier{c.Origin, public}, key})
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
	lines := strings.Split(n.Text, "\n")
	if len(lines) != 4 || lines[0] != origin {
		return Checkpoint{}, fmt.Errorf("%w: %d lines for %q", ErrCheckpoint, len(lines)-1, lines[0])
	}
	c := Checkpoint{Origin: origin}
	if c.Size, err = strconv.ParseInt(lines[1], 10, 64); err != nil || c.Size < 0 {
		return Checkpoint{}, fmt.Errorf("%w: size %q", ErrCheckpoint, lines[1])
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || copy(c.Root[:], root) != len(root) || len(root) != len(c.Root) {
		return Checkpoint{}, fmt.Errorf("%w: root %q", ErrCheckpoint, lines[2])
	}
	if c.text() != n.Text {
		return Checkpoint{}, fmt.Errorf("%w: not canonical", ErrCheckpoint)
	}
	return c, nil
}

// Origin returns the name of the log whose checkpoints that key signs: no two services have the same.
func Origin(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return fmt.Sprintf("segel/%x", sum[:8])
}

// VerifierKey returns the key in the form in which signed notes take it: name, hash and key, with plus signs in between.
func VerifierKey(origin string, key ed25519.PublicKey) string {
	v := verifier{origin, key}
	return fmt.Sprintf("%s+%08x+%s", origin, v.KeyHash(), base64.StdEncoding.EncodeToString(append([]byte{algEd25519}, key...)))
}

// algEd25519 is the number of Ed25519 in signed notes.
const algEd25519 = 1

// verifier is a named Ed25519 key as signed notes want it.
type verifier struct {
	name string
	key  ed25519.PublicKey
}

func (v verifier) Name() string { return v.name }

// KeyHash returns the first four bytes of SHA-256 over the name, a line feed, the algorithm and the key.
func (v verifier) KeyHash() uint32 {
	sum := sha256.Sum256(append([]byte(v.name+"\n"), append([]byte{algEd25519}, v.key...)...))
	return binary.BigEndian.Uint32(sum[:])
}

func (v verifier) Verify(msg, sig []byte) bool { return ed25519.Verify(v.key, msg, sig) }

type signer struct {
	verifier
	key crypto.Signer
}

// Sign signs with Ed25519, which is deterministic: no randomness is drawn.
func (s signer) Sign(msg []byte) ([]byte, error) {
	return s.key.Sign(nil, msg, crypto.Hash(0))
}
