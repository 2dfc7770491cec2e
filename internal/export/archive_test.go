package export

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

func fileOf(name, content string) ArchiveFile {
	return ArchiveFile{Name: name, Size: int64(len(content)), Modified: time.Date(2026, 11, 23, 5, 0, 0, 0, time.UTC), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	}}
}

func TestAnArchiveHasTheAnnouncedSizeAndItsFilesUnchanged(t *testing.T) {
	t.Parallel()
	for _, files := range [][]ArchiveFile{nil, {fileOf("a.pdf", "")}, {fileOf("a.pdf", "abc"), fileOf("Perjanjian é.pdf", strings.Repeat("x", 70_000))}} {
		var b bytes.Buffer
		if err := WriteArchive(&b, files, make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		size, err := ArchiveSize(files)
		if err != nil || size != int64(b.Len()) {
			t.Errorf("%d files: %d bytes announced, %d written, %v", len(files), size, b.Len(), err)
		}
		z, err := zip.NewReader(bytes.NewReader(b.Bytes()), size)
		if err != nil || len(z.File) != len(files) {
			t.Fatalf("%d files of %d: %v", len(z.File), len(files), err)
		}
		for i, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r) // checks the checksum
			want, _ := files[i].Open()
			content, _ := io.ReadAll(want)
			if err != nil || !bytes.Equal(got, content) || f.Name != files[i].Name || f.Method != zip.Store || !f.Modified.Equal(files[i].Modified) {
				t.Errorf("%s: %d bytes, method %d, of %v, %v", f.Name, len(got), f.Method, f.Modified, err)
			}
		}
	}
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestAnArchiveAbove4GiBHasTheAnnouncedSize writes a file whose size, and one whose offset, needs 64 bits.
func TestAnArchiveAbove4GiBHasTheAnnouncedSize(t *testing.T) {
	t.Parallel()
	const huge = 1<<32 + 5
	files := []ArchiveFile{
		{Name: "huge.pdf", Size: huge, Modified: time.Now(), Open: func() (io.ReadCloser, error) { return io.NopCloser(io.LimitReader(zeroReader{}, huge)), nil }},
		fileOf("last.pdf", "abc"),
	}
	var n countingWriter
	if err := WriteArchive(&n, files, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	size, err := ArchiveSize(files)
	if err != nil || size != int64(n) || size < huge {
		t.Errorf("%d bytes announced, %d written, %v", size, n, err)
	}
}

func TestAFileOfAnotherSizeOrThatCannotBeReadEndsTheArchive(t *testing.T) {
	t.Parallel()
	short := fileOf("a.pdf", "abc")
	short.Size = 4
	if err := WriteArchive(io.Discard, []ArchiveFile{short}, make([]byte, 10)); err == nil || !strings.Contains(err.Error(), "has 3 bytes, not 4") {
		t.Error(err)
	}
	broken, missing := short, errors.New("missing")
	broken.Open = func() (io.ReadCloser, error) { return nil, missing }
	if err := WriteArchive(io.Discard, []ArchiveFile{broken}, nil); !errors.Is(err, missing) {
		t.Error(err)
	}
}
