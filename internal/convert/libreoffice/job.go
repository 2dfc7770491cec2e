package libreoffice

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"segel/internal/convert"
)

// job is the folder of one process: what it reads, and the one folder it can write to that outlives it, which contains
// its socket and the PDF.
type job struct {
	folder     string
	in, run    string // below folder
	sandboxed  bool
	profileURL string
	pipeFolder string
}

const (
	outName   = "out" // folder below run
	warmName  = "warm.docx"
	plainName = "plain.docx"
)

func newJob(base string, sandboxed bool, user int) (*job, error) {
	folder, err := os.MkdirTemp(base, "job-")
	if err != nil {
		return nil, fmt.Errorf("make folder to convert in: %w", err)
	}
	j := &job{folder: folder, in: "in", run: "run", sandboxed: sandboxed}
	j.profileURL, j.pipeFolder = "file:///home/profile", filepath.Join(folder, j.run)
	if !sandboxed {
		j.profileURL, j.pipeFolder = "file://"+filepath.Join(folder, "profile"), "/tmp"
	}
	if err := j.prepareFolder(user); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return j, nil
}

func (j *job) prepareFolder(user int) error {
	for _, name := range []string{j.in, j.run} {
		if err := os.Mkdir(filepath.Join(j.folder, name), 0o700); err != nil {
			return fmt.Errorf("make folder to convert in: %w", err)
		}
	}
	if user >= 0 {
		for _, name := range []string{".", j.in, j.run} {
			if err := os.Chown(filepath.Join(j.folder, name), user, user); err != nil {
				return fmt.Errorf("give folder to the converter: %w", err)
			}
		}
	}
	for name, content := range map[string][]byte{warmName: warmDocument(), plainName: plainDocument()} {
		if _, err := j.writeInput(name, bytes.NewReader(content)); err != nil {
			return err
		}
	}
	return nil
}

// processPath returns the path of a file of the job as the process sees it.
func (j *job) processPath(folder, name string) string {
	switch {
	case !j.sandboxed:
		return filepath.Join(j.folder, folder, name)
	case folder == j.in:
		return "/in/" + name
	}
	return "/tmp/" + name
}

// writeInput writes a file for the process to read.
func (j *job) writeInput(name string, content io.Reader) (int64, error) {
	f, err := os.OpenFile(filepath.Join(j.folder, j.in, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return 0, fmt.Errorf("hand over document: %w", err)
	}
	n, err := io.Copy(f, content)
	// The umask may be narrower, and the process may be another user.
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return 0, fmt.Errorf("hand over document: %w", err)
	}
	return n, nil
}

// copyPDF copies the PDF to out. The file was written by a process that has parsed a file of unknown origin: a link, a
// device or a pipe in its place is not followed, and at most limit bytes are read.
func (j *job) copyPDF(name string, out io.Writer, limit int64) error {
	root, err := os.OpenRoot(filepath.Join(j.folder, j.run))
	if err != nil {
		return fmt.Errorf("open folder of the converter: %w", err)
	}
	defer root.Close()
	f, err := root.OpenFile(filepath.Join(outName, name), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("%w: %w", convert.ErrUnreadable, err) // LibreOffice reports that by writing nothing
	}
	defer f.Close()
	s, err := f.Stat()
	if err != nil {
		return fmt.Errorf("examine converted document: %w", err)
	}
	switch {
	case !s.Mode().IsRegular():
		return fmt.Errorf("%w: instead of the PDF there is %s", convert.ErrUnreadable, s.Mode())
	case s.Size() > limit:
		return convert.ErrTooLarge
	}
	if _, err := io.Copy(out, io.LimitReader(f, limit)); err != nil {
		return fmt.Errorf("copy converted document: %w", err)
	}
	return nil
}

// measureInterval is how often the folder that a process can write to is measured.
const measureInterval = 100 * time.Millisecond

// watchOutput returns a context that ends with ErrTooLarge when the process has written more than limit. Each file is
// bounded by a limit of the process; this bounds their sum.
func (j *job) watchOutput(ctx context.Context, limit int64) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(measureInterval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if j.measureOutput() > limit {
				cancel(convert.ErrTooLarge)
				return
			}
		}
	}()
	return ctx, func() { cancel(nil); <-ended }
}

// measureOutput sums up what the process has written, each entry counted as at least one block. Entries that cannot be
// examined, such as a folder without permissions or names that are too long, count as too much.
func (j *job) measureOutput() int64 {
	var sum int64
	err := filepath.WalkDir(filepath.Join(j.folder, j.run), func(_ string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // entries may disappear meanwhile
		}
		if err != nil {
			return err
		}
		sum += 4 << 10
		if s, err := e.Info(); err == nil && s.Mode().IsRegular() {
			sum += s.Size()
		}
		return nil
	})
	if err != nil {
		return math.MaxInt64
	}
	return sum
}

// removeFolder removes the folder, even if the process removed our permissions or was still writing while it died.
func (j *job) removeFolder() error {
	var err error
	for range 3 {
		if err = os.RemoveAll(j.folder); err == nil {
			return nil
		}
		j.restorePermissions()
	}
	return err
}

// restorePermissions restores our permissions on folders of the process, and on nothing else: links are not followed.
// Failures show when the folder is removed.
func (j *job) restorePermissions() {
	root, err := os.OpenRoot(j.folder)
	if err != nil {
		return
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), ".", func(path string, e fs.DirEntry, _ error) error {
		if e != nil && e.IsDir() {
			_ = root.Chmod(path, 0o700)
		}
		return nil
	})
}
