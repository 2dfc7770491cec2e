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

// sharedFolder is the folder that the adapter sees too. Each try has files of its own, named by what nobody can guess, so that
// an adapter that answers late writes into nothing that is read.
type sharedFolder struct {
	root      *os.Root
	mount     string
	random    io.Reader
	retention time.Duration

	mu        sync.Mutex // guards all below
	removedAt time.Time
	spares    []string // empty files of tries that are over; see done
}

// sharedPrefix is how names in the shared folder begin.
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

// removeOld removes what a crash, or an adapter that answered late, left behind: whatever is older than any try can be.
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

// stampFiles is the files of one try.
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

// adapterPath returns a file's name as the adapter knows it.
func (t *stampFiles) adapterPath(name string) string { return t.s.mount + "/" + name }

// writeInputs writes source and picture. They need not survive a crash, after which another try has files of its own; and a file
// that was closed is there for an adapter on another machine too, as network file systems promise.
func (t *stampFiles) writeInputs(r emeterai.Request, picture []byte) error {
	if err := t.writeFile(t.sourceName(), func(w io.Writer) error { return copySource(w, r) }); err != nil {
		return err
	}
	return t.writeFile(t.pictureName(), func(w io.Writer) error { _, err := w.Write(picture); return err })
}

// writeFile writes a file of that name, in one that an earlier try is done with if there is one.
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

// reuseSpare opens a spare under another name; nil if there is none, such as one that was swept, or is a file no more.
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

// popSpare returns the name of a file that nobody uses; none: empty.
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

// openEmpty opens a file for writing that is empty by then.
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

// openRegular opens a file that is one. The adapter writes in this folder too, and may put whatever it likes in the place of
// a file: opening a pipe does not wait for its other end, and a link is no file, wherever it leads.
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
		err = fmt.Errorf("%s is no file", name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// openStamped opens what the adapter wrote.
func (t *stampFiles) openStamped() (*os.File, error) {
	return t.s.openRegular(t.stampedName(), os.O_RDONLY)
}

// removeFiles removes all. What cannot be removed is swept later.
func (t *stampFiles) removeFiles() {
	for _, name := range []string{t.sourceName(), t.pictureName(), t.stampedName()} {
		_ = t.s.root.Remove(name)
	}
}

// maxSpares bounds the files that wait for another try: two for each document that is stamped at a time.
const maxSpares = 64

// recycleFiles ends a try that the adapter has answered, so that it is done with source and picture too: they are emptied, and
// another try has them under names of its own. To make a file may cost more than to fill it: ext4 without a journal
// passes over all inodes that were freed in the last minute, one by one, up to a millisecond behind some hundred stamps.
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
