package peruri

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"segel/internal/emeterai"
)

// sharedFolder is the folder that the adapter sees too. Each try has its own files with random names, so that an
// adapter that answers late writes to a file that is not read.
type sharedFolder struct {
	root      *os.Root
	mount     string
	random    io.Reader
	retention time.Duration

	mu        sync.Mutex // guards all below
	removedAt time.Time
	spares    []string // empty files of finished tries; see recycleFiles
}

// sharedPrefix is the beginning of all names in the shared folder.
const sharedPrefix = "segel-"

func openSharedFolder(o *Options) (*sharedFolder, error) {
	root, err := openFolder(o.Shared)
	if err != nil {
		return nil, fmt.Errorf("shared folder: %w", err)
	}
	s := &sharedFolder{root: root, mount: o.Mount, random: o.Random, retention: max(time.Hour, 4*o.StampTimeout)}
	s.removeOld(o.Clock())
	return s, nil
}

func (s *sharedFolder) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range s.spares {
		_ = s.root.Remove(name)
	}
	s.spares = nil
	return s.root.Close()
}

// removeOld removes files that a crash or a late adapter left behind: those that are older than any try can be.
func (s *sharedFolder) removeOld(now time.Time) {
	s.mu.Lock()
	due := now.Sub(s.removedAt) > s.retention/4
	if due {
		s.removedAt = now
	}
	s.mu.Unlock()
	if due {
		removeOldFiles(s.root, func(name string) bool { return strings.HasPrefix(name, sharedPrefix) }, now.Add(-s.retention))
	}
}

// stampFiles are the files of one try.
type stampFiles struct {
	s    *sharedFolder
	name string
}

func (s *sharedFolder) newStampFiles() (*stampFiles, error) {
	var b [16]byte
	if _, err := io.ReadFull(s.random, b[:]); err != nil {
		return nil, fmt.Errorf("random file name: %w", err)
	}
	return &stampFiles{s, sharedPrefix + hex.EncodeToString(b[:])}, nil
}

func (t *stampFiles) sourceName() string  { return t.name + ".pdf" }
func (t *stampFiles) pictureName() string { return t.name + ".png" }
func (t *stampFiles) stampedName() string { return t.name + "-stamped.pdf" }

// adapterPath returns a file's path as the adapter sees it.
func (t *stampFiles) adapterPath(name string) string { return t.s.mount + "/" + name }

// writeInputs writes source and picture. They need not survive a crash, after which the next try has its own files. A
// closed file is visible to an adapter on another machine too, as network file systems promise.
func (t *stampFiles) writeInputs(r emeterai.Request, picture []byte) error {
	if err := t.writeFile(t.sourceName(), func(w io.Writer) error { return copySource(w, r) }); err != nil {
		return err
	}
	return t.writeFile(t.pictureName(), func(w io.Writer) error { _, err := w.Write(picture); return err })
}

// writeFile writes a file with that name, reusing the file of a finished try if there is one.
func (t *stampFiles) writeFile(name string, fill func(io.Writer) error) error {
	f := t.s.reuseSpare(name)
	if f == nil {
		var err error
		if f, err = t.s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
			return err
		}
	}
	return fillFile(t.s.root, name, f, fill, nil)
}

// reuseSpare opens a spare file under another name; nil if there is none, or it was removed or replaced by something
// that is not a regular file.
func (s *sharedFolder) reuseSpare(name string) *os.File {
	spare := s.popSpare()
	if spare == "" {
		return nil
	}
	f, err := s.openEmpty(spare)
	if err != nil {
		_ = s.root.Remove(spare)
		return nil
	}
	if err := s.root.Rename(spare, name); err != nil {
		_ = f.Close()
		return nil
	}
	return f
}

// popSpare returns the name of a spare file; empty: there is none.
func (s *sharedFolder) popSpare() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.spares) == 0 {
		return ""
	}
	last := len(s.spares) - 1
	name := s.spares[last]
	s.spares = s.spares[:last]
	return name
}

// openEmpty opens a file for writing and truncates it.
func (s *sharedFolder) openEmpty(name string) (*os.File, error) {
	f, err := s.openRegular(name, os.O_WRONLY)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// openRegular opens a regular file. The adapter writes to this folder too and may replace a file by anything: opening
// a pipe must not block, and a link is refused wherever it leads.
func (s *sharedFolder) openRegular(name string, flag int) (*os.File, error) {
	f, err := s.root.OpenFile(name, flag|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	is, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	named, err := s.root.Lstat(name)
	if err == nil && !(is.Mode().IsRegular() && os.SameFile(is, named)) {
		err = fmt.Errorf("%s is not a regular file", name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// removeFiles removes the files of the try. What cannot be removed is removed later.
func (t *stampFiles) removeFiles() {
	for _, name := range []string{t.sourceName(), t.pictureName(), t.stampedName()} {
		_ = t.s.root.Remove(name)
	}
}

// maxSpares bounds the spare files: two for each document that is stamped at a time.
const maxSpares = 64

// recycleFiles ends a try that the adapter has answered: it does not use source and picture any more. They are
// truncated and reused by another try under its own names. Creating a file can take longer than filling it: ext4
// without a journal skips all inodes freed in the last minute one by one, up to a millisecond after some hundred
// stamps.
func (t *stampFiles) recycleFiles() {
	_ = t.s.root.Remove(t.stampedName())
	for _, name := range []string{t.sourceName(), t.pictureName()} {
		f, err := t.s.openEmpty(name)
		if err == nil {
			err = f.Close()
		}
		if err != nil || !t.s.addSpare(name) {
			_ = t.s.root.Remove(name)
		}
	}
}

func (s *sharedFolder) addSpare(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.spares) >= maxSpares {
		return false
	}
	s.spares = append(s.spares, name)
	return true
}
