package audit

import (
	"crypto"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// LogOrigin returns the name of the log whose checkpoints that key signs: no two services have the same.
func LogOrigin(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return fmt.Sprintf("segel/%x", sum[:8])
}

// VerifierKey returns the key in the form in which signed notes take it: name, hash and key, with plus signs in between.
func VerifierKey(origin string, key ed25519.PublicKey) string {
	v := verifier{origin, key}
	return fmt.Sprintf("%s+%08x+%s", origin, v.KeyHash(), base64.StdEncoding.EncodeToString(append([]byte{algEd25519}, key...)))
}

// ErrKey is what [ParseVerifierKey] answers for a text that is no key.
var ErrKey = errors.New("not a key of checkpoints")

// ParseVerifierKey reads what [VerifierKey] writes, with or without white space around it.
func ParseVerifierKey(s string) (origin string, key ed25519.PublicKey, err error) {
	s = strings.TrimSpace(s)
	v, err := note.NewVerifier(s)
	if err != nil {
		return "", nil, fmt.Errorf("%w: %w", ErrKey, err)
	}
	// Origins and hashes have no plus sign; base64 may have some.
	fields := strings.SplitN(s, "+", 3)
	b, err := base64.StdEncoding.DecodeString(fields[2])
	if err != nil || VerifierKey(v.Name(), b[1:]) != s {
		return "", nil, fmt.Errorf("%w: not canonical", ErrKey)
	}
	return v.Name(), b[1:], nil
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
