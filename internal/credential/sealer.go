// Package credential stores private keys sealed under a master key, and reads PKCS #12 files.
package credential

import (
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/crypto/chacha20poly1305"

	"segel/internal/durable"
)

// Sealer encrypts small secrets under a master key with XChaCha20-Poly1305. The format is docs/formats/sealed-key.md. While a master key
// is exchanged it has several keys: one seals, and each opens what it sealed. A sealer never changes.
type Sealer struct {
	keys  []sealingKey // the first one seals
	named bool         // sealed data names the key
}

type sealingKey struct {
	id     KeyID
	aead   cipher.AEAD
	secret [chacha20poly1305.KeySize]byte
}

// KeyID identifies a master key. It is derived from the key and not secret.
type KeyID [8]byte

// String returns 16 hexadecimal digits.
func (id KeyID) String() string { return hex.EncodeToString(id[:]) }

// ParseKeyID parses what [KeyID.String] returns.
func ParseKeyID(text string) (id KeyID, err error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(id) || strings.ToLower(text) != text {
		return id, fmt.Errorf("%q is not the identifier of a master key", text)
	}
	return KeyID(b), nil
}

// Versions of sealed data. The first byte is the version, and authenticated with it.
const (
	unnamedVersion = 1 // nonce and ciphertext
	namedVersion   = 2 // the identifier of the key before them
)

// ErrSealed is sealed data that cannot be opened: another master key, another id, or changed bytes.
var ErrSealed = errors.New("sealed data cannot be opened")

// ErrOtherKey is sealed data that names a key which the sealer does not have. It is an [ErrSealed].
var ErrOtherKey = fmt.Errorf("%w: it names another master key", ErrSealed)

// NewSealer returns a sealer for a master key of 32 bytes. What it seals does not name the key.
func NewSealer(key []byte) (*Sealer, error) {
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return nil, fmt.Errorf("master key: %w", err)
	}
	k := sealingKey{aead: aead, secret: [chacha20poly1305.KeySize]byte(key)}
	derived := k.derive("master key identifier")
	copy(k.id[:], derived[:])
	return &Sealer{keys: []sealingKey{k}}, nil
}

// WithFormer returns a sealer that seals like s, and also opens what a former key sealed.
func (s *Sealer) WithFormer(former *Sealer) *Sealer {
	with := &Sealer{keys: slices.Clone(s.keys), named: s.named}
	for _, k := range former.keys {
		if !with.Has(k.id) {
			with.keys = append(with.keys, k)
		}
	}
	return with
}

// SealingWith returns a sealer with the same keys of which that one seals.
func (s *Sealer) SealingWith(id KeyID) (*Sealer, error) {
	i := s.findKey(id)
	if i < 0 {
		return nil, fmt.Errorf("master key %s: %w", id, ErrOtherKey)
	}
	keys := append([]sealingKey{s.keys[i]}, slices.Delete(slices.Clone(s.keys), i, i+1)...)
	return &Sealer{keys: keys, named: s.named}, nil
}

// Naming returns a sealer that names the key in what it seals. Releases that have one master key only do not open that.
func (s *Sealer) Naming() *Sealer { return &Sealer{keys: s.keys, named: true} }

// Alone returns a sealer with the key that seals, and no other.
func (s *Sealer) Alone() *Sealer { return &Sealer{keys: s.keys[:1:1], named: s.named} }

// ID identifies the key that seals.
func (s *Sealer) ID() KeyID { return s.keys[0].id }

// IDs identifies all keys, that which seals first.
func (s *Sealer) IDs() []KeyID {
	all := make([]KeyID, len(s.keys))
	for i, k := range s.keys {
		all[i] = k.id
	}
	return all
}

// Has reports whether the sealer opens what a key sealed.
func (s *Sealer) Has(id KeyID) bool { return s.findKey(id) >= 0 }

func (s *Sealer) findKey(id KeyID) int {
	return slices.IndexFunc(s.keys, func(k sealingKey) bool { return k.id == id })
}

// ExportKey returns the 32 bytes of a key, for a backup of it; nil if the sealer does not have it. The caller owns them.
func (s *Sealer) ExportKey(id KeyID) []byte {
	i := s.findKey(id)
	if i < 0 {
		return nil
	}
	return slices.Clone(s.keys[i].secret[:])
}

// DeriveKey derives a key for a purpose from the key that seals, always the same one: HKDF-SHA256 (RFC 5869) of the master key, without salt,
// with the purpose as the context.
func (s *Sealer) DeriveKey(purpose string) [32]byte { return s.keys[0].derive(purpose) }

func (k sealingKey) derive(purpose string) [32]byte {
	key, err := hkdf.Key(sha256.New, k.secret[:], nil, "segel "+purpose, 32)
	if err != nil {
		panic(err) // hkdf fails only for lengths beyond 255 hashes
	}
	return [32]byte(key)
}

// Seal encrypts plain. Open needs the same id, so sealed keys cannot be swapped between holders.
func (s *Sealer) Seal(id string, plain []byte) ([]byte, error) {
	k, head := s.keys[0], []byte{unnamedVersion}
	if s.named {
		head = append([]byte{namedVersion}, k.id[:]...)
	}
	out := make([]byte, len(head)+k.aead.NonceSize(), len(head)+k.aead.NonceSize()+len(plain)+k.aead.Overhead())
	nonce := out[copy(out, head):]
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return k.aead.Seal(out, nonce, plain, append(head, id...)), nil
}

// Open decrypts what Seal returned for the same id, under any of the keys.
func (s *Sealer) Open(id string, sealed []byte) ([]byte, error) {
	plain, _, err := s.OpenWithKey(id, sealed)
	return plain, err
}

// OpenWithKey is Open, and returns which key opened it. Data that names no key is tried under each.
func (s *Sealer) OpenWithKey(id string, sealed []byte) (plain []byte, under KeyID, err error) {
	keys, headLength := s.keys, 1
	if len(sealed) > 0 && sealed[0] == namedVersion {
		headLength += len(under)
	}
	if len(sealed) < headLength || sealed[0] != unnamedVersion && sealed[0] != namedVersion {
		return nil, under, ErrSealed
	}
	if sealed[0] == namedVersion {
		i := s.findKey(KeyID(sealed[1:headLength]))
		if i < 0 {
			return nil, under, ErrOtherKey
		}
		keys = s.keys[i : i+1]
	}
	aad := append(slices.Clone(sealed[:headLength]), id...)
	for _, k := range keys {
		n := headLength + k.aead.NonceSize()
		if len(sealed) < n+k.aead.Overhead() {
			break
		}
		if plain, err = k.aead.Open(nil, sealed[headLength:n], sealed[n:], aad); err == nil {
			return plain, k.id, nil
		}
	}
	return nil, under, ErrSealed
}

// OpenSealer reads the master key from a file, or creates both if the file does not exist. The file has mode 0600.
// After a crash it is complete or absent.
func OpenSealer(file string) (*Sealer, error) {
	for {
		s, err := ReadSealer(file)
		if !errors.Is(err, fs.ErrNotExist) {
			return s, err
		}
		key := make([]byte, chacha20poly1305.KeySize)
		if _, err := rand.Read(key); err != nil {
			return nil, err
		}
		// Another process may create one at the same time; the first to link its file wins, and both read that file.
		if err := durable.WriteNew(file, key); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("master key: %w", err)
		}
	}
}

// ReadSealer reads the master key from an existing file; otherwise the error is fs.ErrNotExist.
func ReadSealer(file string) (*Sealer, error) {
	key, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("master key: %w", err)
	}
	if info, err := os.Stat(file); err == nil && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("master key %s can be read by others; chmod 600 it", file)
	}
	return NewSealer(key)
}
