// Package installation checks whether a database, a key folder and a blob store belong together. Each names the same
// installation: the database in a row, the others in a mark (docs/formats/installation.md).
package installation

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"segel/internal/durable"
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

// markFile is the file in a key folder that contains the mark.
const markFile = "installation"

// maxMark bounds how much of a mark is read. A longer mark is invalid.
const maxMark = 1 << 10

// ReadMark reads the mark of a key folder. It returns an empty ID if the mark or the folder is missing.
func ReadMark(dir string) (ID, error) {
	file := filepath.Join(dir, markFile)
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read mark of key folder: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxMark+1))
	if err != nil {
		return "", fmt.Errorf("read mark of key folder: %w", err)
	}
	id, err := ParseMark(b)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return id, nil
}

// WriteMark marks a key folder. If the folder has the same mark already, it does nothing; another mark is an error. The
// mark is durable on return. If the process dies, the mark is complete or absent.
func WriteMark(dir string, id ID) error {
	err := durable.WriteNew(filepath.Join(dir, markFile), id.Mark())
	if err == nil || !errors.Is(err, fs.ErrExist) {
		return err
	}
	found, err := ReadMark(dir)
	if err == nil && found != id {
		err = &Error{Problem: KeysOfAnother, Installation: id, Found: found, Path: dir}
	}
	return err
}
