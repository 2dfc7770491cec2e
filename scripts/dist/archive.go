package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// archiveFolder writes the files of a folder as a tar archive, ordered by name, without owners, each name after a prefix. change, if there is one,
// returns what a file contains in the archive.
func archiveFolder(to io.Writer, folder, prefix string, at time.Time, change func(name string, content []byte) []byte) error {
	w := tar.NewWriter(to)
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		h := &tar.Header{Typeflag: tar.TypeReg, Name: prefix + name, Mode: 0o644, ModTime: at, Format: tar.FormatPAX}
		if d.IsDir() {
			h.Typeflag, h.Name, h.Mode = tar.TypeDir, prefix+name+"/", 0o755
			return writeEntry(w, h, nil)
		}
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		if change != nil {
			content = change(name, content)
		}
		h.Size = int64(len(content))
		return writeEntry(w, h, content)
	})
	if err != nil {
		return err
	}
	return w.Close()
}

func writeEntry(w *tar.Writer, h *tar.Header, content []byte) error {
	if err := w.WriteHeader(h); err != nil {
		return fmt.Errorf("%s: %w", h.Name, err)
	}
	if _, err := w.Write(content); err != nil {
		return fmt.Errorf("%s: %w", h.Name, err)
	}
	return nil
}

// writeChart writes the Helm chart with the version of the release, as helm package does.
func (r *release) writeChart(file string) error {
	placeholder := []byte("ersion: 0.0.0\n") // of version and appVersion
	found := 0
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	err := archiveFolder(z, filepath.Join(r.source, "deploy/helm/segel"), "segel/", r.time, func(name string, content []byte) []byte {
		if name != "Chart.yaml" {
			return content
		}
		found = bytes.Count(content, placeholder)
		return bytes.ReplaceAll(content, placeholder, []byte("ersion: "+r.version+"\n"))
	})
	if err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	if found != 2 {
		return fmt.Errorf("Chart.yaml has %d versions to replace, not 2", found)
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}
