// Package credential keeps private keys: sealed at rest under one master key, or read from a PKCS #12 file.
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
	"path/filepath"

	"golang.org/x/crypto/chacha20poly1305"
)

// Sealer seals small secrets under a master key with XChaCha20-Poly1305. The form is docs/formats/sealed-key.md.
type Sealer struct {
	aead   cipher.AEAD
	master [chacha20poly1305.KeySize]byte
}

// version is the first byte of what is sealed, and bound to it.
const version = 1

// ErrSealed is sealed bytes that do not open: another master key, another id, or changed.
var ErrSealed = errors.New("sealed bytes do not open")

// NewSealer returns a sealer for a master key of 32 bytes.
func NewSealer(key []byte) (*Sealer, error) {
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return nil, fmt.Errorf("master key: %w", err)
	}
	return &Sealer{aead, [chacha20poly1305.KeySize]byte(key)}, nil
}

// DeriveKey returns a key of its own for a purpose, always the same: HKDF-SHA256 (RFC 5869) of the master key, without a salt,
// with the purpose as its context.
func (s *Sealer) DeriveKey(purpose string) [32]byte {
	key, err := hkdf.Key(sha256.New, s.master[:], nil, "segel "+purpose, 32)
	if err != nil {
		panic(err) // of a length that no hash yields, which 32 is not
	}
	return [32]byte(key)
}

// Seal encrypts plain. Opening demands the same id, so that sealed keys cannot be swapped between holders.
func (s *Sealer) Seal(id string, plain []byte) ([]byte, error) {
	out := make([]byte, 1+s.aead.NonceSize(), 1+s.aead.NonceSize()+len(plain)+s.aead.Overhead())
	out[0] = version
	nonce := out[1:]
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return s.aead.Seal(out, nonce, plain, buildAAD(id)), nil
}

// Open decrypts what Seal made under the same id.
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

// OpenSealer reads the master key from a file, and makes both when the file is not there. The file is 0600, and
// whole or absent after a crash.
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
		// Another process may make one at the same moment; the one linked first stands, and both read it.
		if err := WriteNew(file, key); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("master key: %w", err)
		}
	}
}

// ReadSealer reads the master key from a file, which must exist: fs.ErrNotExist.
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

// WriteNew makes a file 0600 with that content, durable on return. It never replaces one: fs.ErrExist.
func WriteNew(file string, content []byte) (err error) {
	dir := filepath.Dir(file)
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, os.Remove(f.Name()))
	}()
	_, err = f.Write(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Link(f.Name(), file); err != nil {
		return err
	}
	return SyncDir(dir)
}

// SyncDir makes durable which files a folder has.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
