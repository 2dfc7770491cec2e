// Package credential stores private keys sealed under one master key, and reads PKCS #12 files.
package credential

import (
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/crypto/chacha20poly1305"

	"segel/internal/durable"
)

// Sealer encrypts small secrets under a master key with XChaCha20-Poly1305. The format is docs/formats/sealed-key.md.
type Sealer struct {
	aead   cipher.AEAD
	master [chacha20poly1305.KeySize]byte
}

// version is the first byte of sealed data, and authenticated with it.
const version = 1

// ErrSealed is sealed data that cannot be opened: another master key, another id, or changed bytes.
var ErrSealed = errors.New("sealed data cannot be opened")

// NewSealer returns a sealer for a master key of 32 bytes.
func NewSealer(key []byte) (*Sealer, error) {
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return nil, fmt.Errorf("master key: %w", err)
	}
	return &Sealer{aead, [chacha20poly1305.KeySize]byte(key)}, nil
}

// DeriveKey derives a key for a purpose, always the same one: HKDF-SHA256 (RFC 5869) of the master key, without salt,
// with the purpose as the context.
func (s *Sealer) DeriveKey(purpose string) [32]byte {
	key, err := hkdf.Key(sha256.New, s.master[:], nil, "segel "+purpose, 32)
	if err != nil {
		panic(err) // hkdf fails only for lengths beyond 255 hashes
	}
	return [32]byte(key)
}

// Seal encrypts plain. Open needs the same id, so sealed keys cannot be swapped between holders.
func (s *Sealer) Seal(id string, plain []byte) ([]byte, error) {
	out := make([]byte, 1+s.aead.NonceSize(), 1+s.aead.NonceSize()+len(plain)+s.aead.Overhead())
	out[0] = version
	nonce := out[1:]
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return s.aead.Seal(out, nonce, plain, buildAAD(id)), nil
}

// Open decrypts what Seal returned for the same id.
func (s *Sealer) Open(id string, sealed []byte) ([]byte, error) {
	n := s.aead.NonceSize()
	if len(sealed) < 1+n+s.aead.Overhead() || sealed[0] != version {
		return nil, ErrSealed
	}
	plain, err := s.aead.Open(nil, sealed[1:1+n], sealed[1+n:], buildAAD(id))
	if err != nil {
		return nil, ErrSealed
	}
	return plain, nil
}

func buildAAD(id string) []byte { return append([]byte{version}, id...) }

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
