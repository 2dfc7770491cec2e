package main

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"segel/internal/config"
	"segel/internal/credential"
	"segel/internal/durable"
)

// writeKeys writes the sealed keys of a folder, and the master key if that is wanted, as a tar. While the master key is exchanged, the former one is
// needed, too.
func (a *app) writeKeys(w io.Writer, masterKey credential.KeyFile, withMasterKey bool) error {
	t := tar.NewWriter(w)
	if withMasterKey {
		if err := addToTar(t, string(masterKey), masterKeyFile); err != nil {
			return err
		}
		if former, isFile := formerMasterKeyOf(a.conf).(credential.KeyFile); isFile {
			if err := addToTar(t, string(former), formerKeyFile); err != nil {
				return err
			}
		}
	}
	if a.conf.State == config.StateFolder {
		if err := addFolder(t, a.conf.DataDir, authorityDir); err != nil {
			return err
		}
	}
	return t.Close()
}

// officeToCopy returns what writes the folders of the stamp office as a tar; nil: they are in the database.
func (a *app) officeToCopy() func(io.Writer) error {
	if a.sharesOffice() {
		return nil
	}
	return func(w io.Writer) error {
		t := tar.NewWriter(w)
		for _, dir := range []string{officeDir, testOfficeDir} {
			if err := addFolder(t, a.conf.DataDir, dir); err != nil {
				return err
			}
		}
		return t.Close()
	}
}

// addFolder adds the files below a folder under their names relative to root. A folder that does not exist has none.
func addFolder(t *tar.Writer, root, dir string) error {
	return filepath.WalkDir(filepath.Join(root, dir), func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // removed since it was listed
			return nil
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		err = addToTar(t, path, filepath.ToSlash(name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// addToTar adds a file as far as it has been written: journals grow by whole lines.
func addToTar(t *tar.Writer, path, name string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: info.Size(), Mode: 0o600, ModTime: info.ModTime(), Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err = io.CopyN(t, f, info.Size())
	return err
}

// maxTarFile bounds a file in a tar of keys or records, in bytes.
const maxTarFile = 1 << 34

// extractTar writes each file of a tar to the path that place gives for its name. It replaces nothing.
func extractTar(r io.Reader, place func(name string) string) error {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg || !filepath.IsLocal(h.Name) || strings.Contains(h.Name, "\\") || h.Size > maxTarFile {
			return fmt.Errorf("a file %.100q in the backup is not one of ours", h.Name)
		}
		if err := writeNewFile(place(h.Name), t); err != nil {
			return err
		}
	}
}

// writeNewFile makes a private file and the folders to it, durably.
func writeNewFile(path string, content io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(path))
}
