package disk

import (
	"fmt"
	"sync"
	"syscall"
	"time"
)

// systemWait bounds how long ReadSpace waits for a file system. A scrape, which usually ends after 10 seconds, asks for three folders one after the other.
const systemWait = 2 * time.Second

// system reads spaces for the whole process, so that all of it together has at most one call per folder that does not end.
var system = spaceReader{read: askSystem, wait: systemWait}

// ReadSpace returns the space of a folder's file system that the operating system reports. A network file system whose server is unreachable may never
// answer; that is an error after two seconds, and at once as long as the same call is still in progress.
func ReadSpace(folder string) (Space, error) { return system.readSpace(folder) }

// spaceReader reads the spaces of folders within a time. A call to the operating system cannot be interrupted, so there is at most one in progress
// for each folder, whose result all callers take that ask meanwhile.
type spaceReader struct {
	read func(folder string) (Space, error)
	wait time.Duration // from the beginning of a call

	mu      sync.Mutex            // guards the field below
	running map[string]*spaceCall // by folder
}

// spaceCall is a call in progress.
type spaceCall struct {
	began time.Time
	done  chan struct{} // closed when the fields below are set
	space Space
	err   error
}

func (r *spaceReader) readSpace(folder string) (Space, error) {
	c := r.joinCall(folder)
	late := time.NewTimer(r.wait - time.Since(c.began))
	defer late.Stop()
	select {
	case <-c.done:
		return c.space, c.err
	case <-late.C:
		return Space{}, fmt.Errorf("%s: the file system has not answered within %v", folder, r.wait)
	}
}

// joinCall returns the call in progress for a folder, or begins one.
func (r *spaceReader) joinCall(folder string) *spaceCall {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.running[folder]; c != nil {
		return c
	}
	c := &spaceCall{began: time.Now(), done: make(chan struct{})}
	if r.running == nil {
		r.running = map[string]*spaceCall{}
	}
	r.running[folder] = c
	go func() {
		c.space, c.err = r.read(folder)
		r.mu.Lock()
		delete(r.running, folder)
		r.mu.Unlock()
		close(c.done)
	}()
	return c
}

// askSystem asks the operating system for the space of a folder's file system.
func askSystem(folder string) (Space, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return Space{}, fmt.Errorf("%s: %w", folder, err)
	}
	return Space{Total: int64(s.Blocks) * int64(s.Bsize), Free: int64(s.Bavail) * int64(s.Bsize)}, nil //nolint:unconvert // the types differ by system
}
