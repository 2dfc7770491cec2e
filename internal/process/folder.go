package process

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"segel/internal/durable"
)

// Folder is the current process among those that share a data folder.
//
// The process has a name while it lives: that of a file which it keeps locked (flock(2)). The kernel releases the
// lock when the process ends for any reason, so a name without a lock belongs to a process that has ended. Processes on
// machines with another data folder are unknown here. There is one term.
type Folder struct {
	dir  string
	term *Term
	file *os.File
}

var _ Process = (*Folder)(nil)

// JoinFolder takes the first free name in a folder, or a new one. It creates the folder if it is missing. Work recorded
// under the name belongs to a process that has ended. There are at most as many names as there ever were concurrent
// processes.
func JoinFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder of processes: %w", err)
	}
	all, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("folder of processes: %w", err)
	}
	for _, e := range all {
		if p, err := lockName(dir, e.Name(), 0); p != nil || err != nil {
			return p, err
		}
	}
	for {
		// Another process that looks for a free name may lock the new file first.
		if p, err := lockName(dir, rand.Text(), os.O_CREATE); p != nil || err != nil {
			return p, err
		}
	}
}

// lockName returns nil if another process has the name, or if the file is missing and flags do not create it.
func lockName(dir, name string, flags int) (*Folder, error) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|flags, 0o600)
	// If a file to be created is missing, the folder is gone: retrying would never end.
	if errors.Is(err, fs.ErrNotExist) && flags&os.O_CREATE == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("file of a process: %w", err)
	}
	locked, err := durable.Lock(f)
	if !locked {
		return nil, errors.Join(err, f.Close())
	}
	return &Folder{dir, newTerm(name, time.Time{}, nil), f}, nil
}

// Name implements [Process].
func (p *Folder) Name() string { return p.term.name }

// Term implements [Process].
func (p *Folder) Term() *Term { return p.term }

// NextTerm implements [Process]. There is none after the first.
func (p *Folder) NextTerm(ctx context.Context, former *Term) (*Term, error) {
	if former != p.term {
		return p.term, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// CheckClock implements [Process]. A folder has no clock.
func (p *Folder) CheckClock() error { return nil }

// IfEnded implements [Process].
func (p *Folder) IfEnded(_ context.Context, name string, do func() error) (ended bool, err error) {
	if filepath.Base(name) != name {
		return false, nil // names come from a database, and none of ours is a path
	}
	other, err := lockName(p.dir, name, 0)
	if other == nil || err != nil {
		return false, err
	}
	err = do()
	return true, errors.Join(err, other.Leave())
}

// maxNote bounds a note, in bytes.
const maxNote = 100

// readNote returns what an earlier process with this name noted; empty: nothing.
func (p *Folder) readNote() (string, error) {
	b, err := io.ReadAll(io.NewSectionReader(p.file, 0, maxNote))
	if err != nil {
		return "", fmt.Errorf("read the file of a process: %w", err)
	}
	return string(b), nil
}

// storeNote replaces the note. It survives the end of the process, but not that of the machine.
func (p *Folder) storeNote(note string) error {
	if err := p.file.Truncate(0); err != nil {
		return fmt.Errorf("write the file of a process: %w", err)
	}
	if _, err := p.file.WriteAt([]byte(note), 0); err != nil {
		return fmt.Errorf("write the file of a process: %w", err)
	}
	return nil
}

// Leave implements [Process]. It releases the name, as the end of the process would.
func (p *Folder) Leave() error {
	p.term.close()
	// Unlock explicitly: closing alone would leave the lock with a forked child that has not yet executed its program
	// and still has the file open.
	unlocked := durable.Unlock(p.file)
	err := p.file.Close()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return errors.Join(unlocked, err)
}
