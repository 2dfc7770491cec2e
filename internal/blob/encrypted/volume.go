// Package encrypted encrypts blobs before a store gets them. A blob is a file of age (age-encryption.org/v1, package filippo.io/age) whose file
// key is sealed under a key of the organisation that it belongs to, with the name of the blob as associated data. The format is
// docs/formats/encrypted-blob.md.
//
// A volume reads blobs with and without encryption, so it can be turned on and off while the volume has blobs.
package encrypted

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"filippo.io/age"

	"segel/internal/blob"
	"segel/internal/credential"
)

// Errors of encrypted blobs, besides [*blob.CorruptError] for one that was changed, cut, or stored under another name.
var (
	// ErrNoKey means that the key that the header of a blob names is missing, or cannot be opened.
	ErrNoKey = errors.New("the key of an encrypted blob is not available")
	// ErrNoOrganisation means that a blob was begun without an organisation, under whose key it would be encrypted. See [Volume.Of].
	ErrNoOrganisation = errors.New("an encrypted blob belongs to an organisation")
)

// Key is the key of an organisation.
type Key struct {
	ID     string // stands in the header of blobs: letters and digits
	Sealer *credential.Sealer
}

// Keys finds the keys of organisations.
type Keys interface {
	// NewestKey returns the key under which new blobs of an organisation are encrypted. It makes the first one.
	NewestKey(ctx context.Context, organisation string) (Key, error)

	// FindKey returns a key; [ErrNoKey] if there is none, or it cannot be opened.
	FindKey(ctx context.Context, id string) (Key, error)
}

// The header of a blob: the first line of age, and one stanza with the version of what is in it and the identifier of the key.
const (
	stanzaType    = "segel-blob"
	stanzaVersion = "1"
	prefix        = "age-encryption.org/v1\n-> " + stanzaType + " "
)

// headSize is how many bytes are read when a blob is opened. A header has less than 300; package age reads in pieces of this size.
const headSize = 4 << 10

// Volume is a [blob.Volume] that encrypts what is written. What another volume has is read as it is, with encryption or without.
type Volume struct {
	blob.Volume
	keys Keys
	on   bool
}

// New returns the volume that encrypts the blobs of inner. If on is false, new blobs are not encrypted, and those that are encrypted can be read.
func New(inner blob.Volume, keys Keys, on bool) *Volume {
	return &Volume{Volume: inner, keys: keys, on: on}
}

// Inner returns the volume with the blobs as they are stored. Their names are the same, so they are copied as they are.
func (v *Volume) Inner() blob.Volume { return v.Volume }

// Of returns the store that encrypts under the key of an organisation. It reads the blobs of all.
func (v *Volume) Of(organisation string) blob.Store { return ofOrganisation{v, organisation} }

// ofOrganisation is a volume in which an organisation writes.
type ofOrganisation struct {
	*Volume
	organisation string
}

// Create begins a blob of the organisation. If its key is not there yet, it is made. See [blob.Store].
func (o ofOrganisation) Create(ctx context.Context, key blob.Key) (blob.Writer, error) {
	w, err := o.Volume.Volume.Create(ctx, key)
	if err != nil {
		return nil, err
	}
	e := &writer{ctx: ctx, keys: o.keys, organisation: o.organisation, key: key, to: w}
	if o.on {
		if err := e.encrypt(); err != nil {
			w.Abort()
			return nil, err
		}
	}
	return e, nil
}

// Create fails with [ErrNoOrganisation]. See [Volume.Of].
func (v *Volume) Create(context.Context, blob.Key) (blob.Writer, error) {
	return nil, ErrNoOrganisation
}

// writer writes a blob, encrypted or not.
type writer struct {
	ctx          context.Context
	keys         Keys
	organisation string
	key          blob.Key
	to           blob.Writer
	ended        bool

	encrypting io.WriteCloser // nil: what was written is not encrypted, or not decided yet
	plain      bool           // it was decided that it is not encrypted
	head       []byte         // what was written before that was decided
}

// encrypt begins the encrypted file. The key is durable before the first byte that is encrypted under it.
func (w *writer) encrypt() error {
	key, err := w.keys.NewestKey(w.ctx, w.organisation)
	if err != nil {
		return fmt.Errorf("encrypt blob %s: %w", w.key, err)
	}
	var header bytes.Buffer // age writes it in small pieces
	out := &redirected{to: &header}
	if w.encrypting, err = age.Encrypt(out, recipient{key, w.key}); err != nil {
		return fmt.Errorf("encrypt blob %s: %w", w.key, err)
	}
	out.to = w.to
	_, err = w.to.Write(header.Bytes())
	return err
}

// redirected is a writer whose target changes.
type redirected struct{ to io.Writer }

func (r *redirected) Write(p []byte) (int, error) { return r.to.Write(p) }

// Write appends to the blob. A blob that begins like an encrypted one is encrypted in any case: it would be taken for one.
func (w *writer) Write(p []byte) (int, error) {
	switch {
	case w.ended:
		return 0, blob.ErrClosed
	case w.encrypting != nil:
		return w.encrypting.Write(p)
	case w.plain:
		return w.to.Write(p)
	}
	n := min(len(p), len(prefix)-len(w.head))
	w.head = append(w.head, p[:n]...)
	if string(w.head) == prefix {
		if err := w.encrypt(); err != nil {
			return 0, err
		}
		if _, err := w.encrypting.Write(w.head); err != nil {
			return 0, err
		}
	} else if prefix[:len(w.head)] != string(w.head) {
		if err := w.writePlain(); err != nil {
			return 0, err
		}
	}
	if n == len(p) {
		return n, nil
	}
	more, err := w.Write(p[n:])
	return n + more, err
}

// writePlain decides that the blob is not encrypted.
func (w *writer) writePlain() error {
	w.plain = true
	_, err := w.to.Write(w.head)
	return err
}

// Commit writes what is left and makes the blob final. See [blob.Writer].
func (w *writer) Commit() error {
	if w.ended {
		return blob.ErrClosed
	}
	defer w.Abort()
	var err error
	switch {
	case w.encrypting != nil:
		err = w.encrypting.Close()
	case !w.plain:
		err = w.writePlain()
	}
	if err != nil {
		return fmt.Errorf("commit blob %s: %w", w.key, err)
	}
	return w.to.Commit()
}

// Abort discards the bytes. See [blob.Writer].
func (w *writer) Abort() {
	if !w.ended {
		w.ended = true
		w.to.Abort()
	}
}

// Open opens a blob. Of an encrypted one it reads the header, and the last chunk of up to 64 KiB, which proves the size. Later reads are of whole chunks.
// An open blob holds one chunk in memory. Errors are [ErrNoKey] and [*blob.CorruptError], besides those of the other volume.
func (v *Volume) Open(ctx context.Context, key blob.Key) (blob.Blob, error) {
	stored, err := v.Volume.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	head := make([]byte, min(headSize, stored.Size()))
	if n, err := stored.ReadAt(head, 0); n < len(head) {
		return nil, errors.Join(fmt.Errorf("read the beginning of blob %s: %w", key, err), stored.Close())
	}
	if !bytes.HasPrefix(head, []byte(prefix)) {
		return stored, nil
	}
	source := &source{stored: stored, head: head}
	identity := &identity{ctx: ctx, keys: v.keys, blob: key}
	content, size, err := age.DecryptReaderAt(source, stored.Size(), identity)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("decrypt blob %s: %w", key, explainError(err, key, max(0, stored.Size()-1))), stored.Close())
	}
	source.head = nil
	return &decrypted{key: key, under: identity.under, stored: stored, content: content, size: size}, nil
}

// decrypted is an encrypted blob that is open for reading.
type decrypted struct {
	key     blob.Key
	under   string // identifier of the key
	stored  blob.Blob
	content io.ReaderAt
	size    int64
}

// KeyOf returns the identifier of the key under which a blob that a [Volume] opened is encrypted; empty: it is not encrypted.
func KeyOf(b blob.Blob) string {
	if d, ok := b.(*decrypted); ok {
		return d.under
	}
	return ""
}

// ReadAt decrypts the chunks that have the range. A changed chunk is a [*blob.CorruptError].
func (b *decrypted) ReadAt(p []byte, off int64) (int, error) {
	switch {
	case off < 0:
		return 0, fmt.Errorf("read blob %s at %d: negative offset", b.key, off)
	case off >= b.size:
		return 0, io.EOF
	}
	n, err := b.content.ReadAt(p, off)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("decrypt blob %s at %d: %w", b.key, off+int64(n), explainError(err, b.key, off+int64(n)))
	}
	return n, err
}

// Size returns the number of bytes before they were encrypted.
func (b *decrypted) Size() int64 { return b.size }

// Close ends reading.
func (b *decrypted) Close() error { return b.stored.Close() }

// source reads the stored bytes, and marks errors that are not about what they are.
type source struct {
	stored blob.Blob
	head   []byte // the first bytes, which were read already
}

// readError is an error of the other volume.
type readError struct{ error }

func (e readError) Unwrap() error { return e.error }

func (s *source) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) <= int64(len(s.head)) {
		return copy(p, s.head[off:]), nil
	}
	n, err := s.stored.ReadAt(p, off)
	if err != nil && err != io.EOF {
		err = readError{err}
	}
	return n, err
}

// explainError returns the error of the other volume or of the keys if that is the cause, and that the blob is corrupt at an offset otherwise:
// package age tells in words alone what is wrong.
func explainError(err error, key blob.Key, off int64) error {
	var read readError
	if errors.As(err, &read) {
		return read.error
	}
	if errors.Is(err, errKeys) {
		return err
	}
	return fmt.Errorf("%w: %w", &blob.CorruptError{Key: key, Chunk: int(off / blob.ChunkSize)}, err)
}

// recipient seals the file key of a blob under the key of an organisation.
type recipient struct {
	key  Key
	blob blob.Key
}

// Wrap implements [age.Recipient].
func (r recipient) Wrap(fileKey []byte) ([]*age.Stanza, error) {
	sealed, err := r.key.Sealer.Seal(sealID(r.key.ID, r.blob), fileKey)
	if err != nil {
		return nil, err
	}
	return []*age.Stanza{{Type: stanzaType, Args: []string{stanzaVersion, r.key.ID}, Body: sealed}}, nil
}

// sealID is what a file key is sealed for: a blob under another name, or whose header names another key, does not open.
func sealID(id string, key blob.Key) string { return "blob " + string(key) + " under " + id }

// identity opens the file key of a blob.
type identity struct {
	ctx   context.Context
	keys  Keys
	blob  blob.Key
	under string // identifier of the key that opened the blob
}

var (
	errKeys   = errors.New("look up its key") // marks errors that are not about the bytes of the blob
	errHeader = errors.New("it has another header than Segel writes")
)

// Unwrap implements [age.Identity].
func (i *identity) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	if len(stanzas) != 1 || stanzas[0].Type != stanzaType || len(stanzas[0].Args) != 2 || stanzas[0].Args[0] != stanzaVersion || !isKeyID(stanzas[0].Args[1]) {
		return nil, errHeader
	}
	key, err := i.keys.FindKey(i.ctx, stanzas[0].Args[1])
	if err != nil {
		return nil, fmt.Errorf("%w %s: %w", errKeys, stanzas[0].Args[1], err)
	}
	i.under = key.ID
	return key.Sealer.Open(sealID(key.ID, i.blob), stanzas[0].Body)
}

// isKeyID reports whether an identifier has the form of those that [Keyring] makes.
func isKeyID(id string) bool {
	b, err := hex.DecodeString(id)
	return err == nil && len(b) == 16 && hex.EncodeToString(b) == id
}
