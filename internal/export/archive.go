package export

import (
	"archive/zip"
	"fmt"
	"io"
	"time"
)

// ArchiveFile is a file of a ZIP archive.
type ArchiveFile struct {
	Name     string
	Size     int64 // in bytes, exactly
	Modified time.Time
	Open     func() (io.ReadCloser, error) // called once, when the files before it were written
}

// extraSize is the length of the extra field in which [zip.Writer.CreateHeader] records the time of a file.
const extraSize = 9

// ArchiveSize returns how many bytes [WriteArchive] writes. It opens no file.
func ArchiveSize(files []ArchiveFile) (int64, error) {
	var n countingWriter
	z := zip.NewWriter(&n)
	zeros := make([]byte, 1<<20)
	for _, f := range files {
		// A raw file has its size in advance and no checksum is computed; everything else is as long as in WriteArchive.
		w, err := z.CreateRaw(&zip.FileHeader{
			Name: f.Name, Method: zip.Store, Flags: 0x8, Extra: make([]byte, extraSize), CompressedSize64: uint64(f.Size), UncompressedSize64: uint64(f.Size),
		})
		if err != nil {
			return 0, err
		}
		for left := f.Size; left > 0; left -= int64(len(zeros)) {
			if _, err := w.Write(zeros[:min(left, int64(len(zeros)))]); err != nil {
				return 0, err
			}
		}
	}
	err := z.Close()
	return int64(n), err
}

type countingWriter int64

func (n *countingWriter) Write(p []byte) (int, error) {
	*n += countingWriter(len(p))
	return len(p), nil
}

// WriteArchive writes a ZIP archive without compression, one file after another, with buffer for what is copied. One file is open at a
// time. Files and archive may have more than 4 GiB.
func WriteArchive(to io.Writer, files []ArchiveFile, buffer []byte) error {
	z := zip.NewWriter(to)
	for _, f := range files {
		if err := addFile(z, f, buffer); err != nil {
			return fmt.Errorf("add %q to the archive: %w", f.Name, err)
		}
	}
	return z.Close()
}

func addFile(z *zip.Writer, f ArchiveFile, buffer []byte) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Store, Modified: f.Modified})
	if err != nil {
		return err
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	n, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, buffer)
	if err == nil && n != f.Size {
		err = fmt.Errorf("has %d bytes, not %d", n, f.Size)
	}
	return err
}
