package libreoffice

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"segel/internal/convert"
	"segel/internal/convert/converttest"
	"segel/internal/isolation"
)

// endlessDocument is a document that LibreOffice lays out for minutes.
func endlessDocument() []byte {
	return converttest.Document{Body: strings.Repeat(converttest.Paragraphs("Pasal"), 400_000)}.Bytes()
}

func TestWhatIsTooMuchIsKilled(t *testing.T) {
	t.Parallel()
	file := endlessDocument()
	for name, c := range map[string]struct {
		limits Limits
		file   []byte
		want   error
	}{
		"time":   {Limits{Time: time.Second}, file, convert.ErrTooLong},
		"memory": {Limits{Memory: 600 << 20, Time: 5 * time.Minute}, file, convert.ErrUnreadable},
		"output": {Limits{Output: 450 << 10}, converttest.Document{Body: strings.Repeat(converttest.Paragraphs(strings.Repeat("Pasal satu dua tiga. ", 50)), 8000)}.Bytes(), convert.ErrUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openConverter(t, Options{Spare: 1, Limits: c.limits})
			start := time.Now()
			err := o.Convert(t.Context(), convert.DOCX, bytes.NewReader(c.file), &bytes.Buffer{})
			t.Log(err)
			if !errors.Is(err, c.want) {
				t.Errorf("%v, not %v", err, c.want)
			}
			t.Log(name, time.Since(start))
			// The next conversion gets another process.
			if err := o.Convert(t.Context(), convert.DOCX, bytes.NewReader(plainDocument()), &bytes.Buffer{}); err != nil {
				t.Errorf("the next document: %v", err)
			}
		})
	}
}

func TestWhatAProcessLeftIsNotTrusted(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("rahasia"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, leave := range map[string]func(path string) error{
		"link":      func(path string) error { return os.Symlink(secret, path) },
		"way up":    func(path string) error { return os.Symlink("../../in/"+warmName, path) },
		"pipe":      func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"folder":    func(path string) error { return os.Mkdir(path, 0o700) },
		"much":      func(path string) error { return os.WriteFile(path, make([]byte, 1025), 0o600) },
		"nothing":   func(string) error { return nil },
		"other way": func(path string) error { return os.Remove(filepath.Dir(path)) },
	} {
		j, err := newJob(t.TempDir(), true, -1)
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(j.folder, j.run, outName)
		if err := errors.Join(os.Mkdir(out, 0o700), leave(filepath.Join(out, "document.pdf"))); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := j.copyPDF("document.pdf", &b, 1024); err == nil || b.Len() > 0 {
			t.Errorf("%s: %v, %q", name, err, b.Bytes())
		}
	}
}

func TestManySmallFilesAreTooMuchToo(t *testing.T) {
	t.Parallel()
	j, err := newJob(t.TempDir(), true, -1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, done := j.watchOutput(t.Context(), 64<<10)
	defer done()
	for i := range 20 {
		if err := os.WriteFile(filepath.Join(j.folder, j.run, string(rune('a'+i))), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	<-ctx.Done() // or the test never ends
}

func TestFoldersOfTheKilledAreRemoved(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	var alive Converter
	if err := alive.claimFolder(parent); err != nil {
		t.Fatal(err)
	}
	defer alive.lock.Close()
	dead := filepath.Join(parent, folderPrefix+"dead")
	if err := os.MkdirAll(filepath.Join(dead, "job-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	hour := time.Now().Add(-time.Hour)
	if err := errors.Join(os.Chtimes(dead, hour, hour), os.Chtimes(alive.folder, hour, hour)); err != nil {
		t.Fatal(err)
	}
	var next Converter
	if err := next.claimFolder(parent); err != nil {
		t.Fatal(err)
	}
	defer next.lock.Close()
	if _, err := os.Stat(dead); !os.IsNotExist(err) {
		t.Errorf("the folder of a service that was killed stays: %v", err)
	}
	if _, err := os.Stat(alive.folder); err != nil {
		t.Errorf("the folder of one that lives goes: %v", err)
	}
}

// makeNested makes folders in folders whose whole name is longer than any call takes.
func makeNested(t *testing.T, folder string) {
	t.Helper()
	root, err := os.OpenRoot(folder)
	for range 25 {
		if err != nil {
			t.Fatal(err)
		}
		name := strings.Repeat("n", 200)
		err = root.Mkdir(name, 0o700)
		next, openErr := root.OpenRoot(name)
		err = errors.Join(err, openErr, root.Close())
		root = next
	}
	if err = errors.Join(err, root.WriteFile("much", make([]byte, 1<<20), 0o600), root.Close()); err != nil {
		t.Fatal(err)
	}
}

// asUnprivilegedUser calls a function as a user who is not root.
func asUnprivilegedUser(t *testing.T, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlock: the thread, and who it is, end with this
		if os.Geteuid() == 0 {
			_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, uintptr(isolation.User()), 0, 0)
		}
		do()
	}()
	<-done
}

func TestWhatCannotBeLookedAtIsTooMuchAndIsRemovedAllTheSame(t *testing.T) {
	t.Parallel()
	for name, hide := range map[string]func(folder string) error{
		"long names":     func(folder string) error { makeNested(t, folder); return nil },
		"no permissions": func(folder string) error { return os.Chmod(folder, 0) },
	} {
		base := t.TempDir()
		if err := errors.Join(os.Chmod(base, 0o777), os.Chmod(filepath.Dir(base), 0o755)); err != nil {
			t.Fatal(err)
		}
		asUnprivilegedUser(t, func() {
			j, err := newJob(base, true, -1)
			if err != nil {
				t.Error(err)
				return
			}
			folder := filepath.Join(j.folder, j.run, "folder")
			if err := errors.Join(os.MkdirAll(filepath.Join(folder, "below"), 0o700), hide(folder)); err != nil {
				t.Error(err)
			}
			if n := j.measureOutput(); n < 1<<20 {
				t.Errorf("%s: %d bytes are seen", name, n)
			}
			if err := j.removeFolder(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if left, err := os.ReadDir(base); err != nil || len(left) > 0 {
				t.Errorf("%s: %v are left, %v", name, left, err)
			}
		})
	}
}
