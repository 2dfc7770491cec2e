package backup

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"segel/internal/blob"
)

// errList means that a list of files cannot be read.
var errList = errors.New("not a list of files")

// maxListLine bounds a line in bytes.
const maxListLine = 1 << 10

// listReader reads a list of files. At the end it returns io.EOF and is ended.
type listReader struct {
	part  blob.Blob
	lines *bufio.Scanner
	last  blob.Key
	ended bool
}

// openList opens the list of a backup after comparing it with its sum.
func (d Destination) openList(ctx context.Context, p Part) (*listReader, error) {
	b, err := d.OpenPart(ctx, p)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(io.NewSectionReader(b, 0, b.Size()))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", errList, err), b.Close())
	}
	return newListReader(b, z), nil
}

// newListReader returns a reader of lines, which are part of b.
func newListReader(b blob.Blob, from io.Reader) *listReader {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxListLine)
	return &listReader{part: b, lines: lines}
}

// Next returns the next file, or io.EOF.
func (l *listReader) Next() (f File, err error) {
	if l.ended {
		return f, io.EOF
	}
	if !l.lines.Scan() {
		l.ended = true
		if err := l.lines.Err(); err != nil {
			return f, fmt.Errorf("%w: %w", errList, err)
		}
		return f, io.EOF
	}
	if err := json.Unmarshal(l.lines.Bytes(), &f); err != nil {
		return f, fmt.Errorf("%w: %w", errList, err)
	}
	if err := f.Key.Check(); err != nil || f.Key <= l.last {
		return f, fmt.Errorf("%w: %q is after %q", errList, f.Key, l.last)
	}
	l.last = f.Key
	return f, nil
}

// Close releases the list.
func (l *listReader) Close() error { return l.part.Close() }

// writePart writes a part, and reads it back.
func (d Destination) writePart(ctx context.Context, random io.Reader, write func(io.Writer) error) (p Part, err error) {
	if p.Key, err = blob.NewKey(random); err != nil {
		return p, err
	}
	w, err := d.Parts.Create(ctx, p.Key)
	if err != nil {
		return p, err
	}
	defer w.Abort()
	hash, count := sha256.New(), counter(0)
	if err := write(io.MultiWriter(w, hash, &count)); err != nil {
		return p, err
	}
	if err := w.Commit(); err != nil {
		return p, err
	}
	p.Size, p.SHA256 = int64(count), hex.EncodeToString(hash.Sum(nil))
	b, err := d.OpenPart(ctx, p)
	if err != nil {
		return p, err
	}
	return p, b.Close()
}

// Encrypt returns a writer that encrypts what it gets, writes that to a writer, and has to be closed.
type Encrypt func(io.Writer) (io.WriteCloser, error)

// Decrypt reads what [Encrypt] wrote.
type Decrypt func(io.Reader) (io.Reader, error)

// writeSealed is writeCompressed with encryption, unless encrypt is nil.
func (d Destination) writeSealed(ctx context.Context, random io.Reader, encrypt Encrypt, write func(io.Writer) error) (Part, error) {
	if encrypt == nil {
		return d.writeCompressed(ctx, random, write)
	}
	return d.writePart(ctx, random, func(w io.Writer) error {
		sealed, err := encrypt(w)
		if err != nil {
			return err
		}
		z := gzip.NewWriter(sealed)
		if err := write(z); err != nil {
			return err
		}
		return errors.Join(z.Close(), sealed.Close())
	})
}

// writeCompressed is writePart with gzip.
func (d Destination) writeCompressed(ctx context.Context, random io.Reader, write func(io.Writer) error) (Part, error) {
	return d.writePart(ctx, random, func(w io.Writer) error {
		z := gzip.NewWriter(w)
		if err := write(z); err != nil {
			return err
		}
		return z.Close()
	})
}

// counter counts bytes.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// writeManifest writes the manifest. The backup exists from its commit on.
func (d Destination) writeManifest(ctx context.Context, m *Manifest, random io.Reader) error {
	key, err := d.newManifestKey(ctx, m.EndedAt, random)
	if err != nil {
		return err
	}
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	w, err := d.Manifests.Create(ctx, key)
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := io.Copy(w, bytes.NewReader(append(b, '\n'))); err != nil {
		return err
	}
	m.ID = string(key)
	return w.Commit()
}
