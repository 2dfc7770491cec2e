// Package installation checks whether a database, keys and a blob store belong together. Each names the same
// installation: the database in a row, the others in a mark (docs/formats/installation.md). Keys are in a folder or in the database.
package installation

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"segel/internal/store"
)

// ID names an installation: 128 random bits in 32 lower-case hexadecimal digits.
type ID string

// NewID generates an identifier.
func NewID(random io.Reader) (ID, error) {
	b := make([]byte, 16)
	if _, err := io.ReadFull(random, b); err != nil {
		return "", fmt.Errorf("generate installation identifier: %w", err)
	}
	return ID(hex.EncodeToString(b)), nil
}

// ErrMark reports an invalid mark.
var ErrMark = errors.New("not an installation mark")

const (
	markVersion = "segel-installation-1\n"
	idDigits    = 32
)

// Mark returns the mark of an installation.
func (id ID) Mark() []byte { return []byte(markVersion + string(id) + "\n") }

// ParseMark reads a mark. Errors: ErrMark.
func ParseMark(mark []byte) (ID, error) {
	rest, ok := strings.CutPrefix(string(mark), markVersion)
	if !ok {
		return "", fmt.Errorf("%w: it does not begin with %q", ErrMark, strings.TrimSpace(markVersion))
	}
	digits, ok := strings.CutSuffix(rest, "\n")
	if !ok || len(digits) != idDigits || strings.Trim(digits, "0123456789abcdef") != "" {
		return "", fmt.Errorf("%w: its second line is not %d hexadecimal digits", ErrMark, idDigits)
	}
	return ID(digits), nil
}

// NewFolderMark generates the content of a file that identifies the folder that is used. The database has the same content.
func NewFolderMark(random io.Reader) ([]byte, error) {
	id, err := NewID(random)
	if err != nil {
		return nil, err
	}
	return []byte("segel-folder-1\n" + string(id) + "\n"), nil
}

// MarkFile is the name of the file beside the keys that contains the mark.
const MarkFile = store.KeyMarkFile

// KeyFiles holds the mark beside the keys: [segel/internal/authority.Files].
type KeyFiles interface {
	ReadFile(ctx context.Context, name string) ([]byte, error)
	CreateFile(ctx context.Context, name string, content []byte) error
}

// ReadMark reads the mark beside the keys, which messages call by that place. It returns an empty ID if there is none.
func ReadMark(ctx context.Context, keys KeyFiles, place string) (ID, error) {
	b, err := keys.ReadFile(ctx, MarkFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read mark of the keys: %w", err)
	}
	id, err := ParseMark(b)
	if err != nil {
		return "", fmt.Errorf("%s in %s: %w", MarkFile, place, err)
	}
	return id, nil
}

// WriteMark writes the mark beside the keys. If the same mark is there already, it does nothing; another mark is an error. The
// mark is durable on return. If the process dies, the mark is complete or absent.
func WriteMark(ctx context.Context, keys KeyFiles, place string, id ID) error {
	err := keys.CreateFile(ctx, MarkFile, id.Mark())
	if err == nil || !errors.Is(err, fs.ErrExist) {
		return err
	}
	found, err := ReadMark(ctx, keys, place)
	if err == nil && found != id {
		err = &Error{Problem: KeysOfAnother, Installation: id, Found: found, Path: place}
	}
	return err
}
