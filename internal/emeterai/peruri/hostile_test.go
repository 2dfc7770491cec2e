package peruri

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"segel/internal/emeterai"
	"segel/internal/emeterai/sandbox"
	"segel/pades"
)

// meddling lets something happen in the shared folder behind each answer of the adapter, as it may that writes there.
type meddling struct {
	http.RoundTripper
	behind func()
}

func (m meddling) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := m.RoundTripper.RoundTrip(r)
	if strings.HasSuffix(r.URL.Path, "docSigningZ") {
		m.behind()
	}
	return answer, err
}

// TestNothingThatAnAdapterPutsInThePlaceOfAFileHoldsUpAStamp has it do so while a try is under way, and behind it. A
// pipe that nobody reads is never done opening.
func TestNothingThatAnAdapterPutsInThePlaceOfAFileHoldsUpAStamp(t *testing.T) {
	t.Parallel()
	for what, put := range map[string]func(string) error{
		"pipe":      func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"folder":    func(path string) error { return os.MkdirAll(filepath.Join(path, "full"), 0o700) },
		"link":      func(path string) error { return os.Symlink("elsewhere", path) },
		"link away": func(path string) error { return os.Symlink("/etc/hostname", path) },
		"nothing":   func(string) error { return nil },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{})
			shared := filepath.Join(b.dir, "shared")
			replace := func() {
				files, err := os.ReadDir(shared)
				requireNoError(t, err)
				for _, f := range files {
					if strings.HasSuffix(f.Name(), "-stamped.pdf") {
						continue
					}
					requireNoError(t, os.RemoveAll(filepath.Join(shared, f.Name())))
					requireNoError(t, put(filepath.Join(shared, f.Name())))
				}
			}
			o := b.driverOptions(Adapter)
			client := *o.Client
			answered := replace
			client.Transport = meddling{client.Transport, func() { answered() }}
			o.Client = &client
			d := b.openDriver(o)
			stamp := func(id string) {
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					if problems, done := b.runOrder(d, id, false); !done || len(problems) > 0 {
						t.Errorf("%s: done %v, %v", id, done, problems)
					}
				}()
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				select {
				case <-ended:
				case <-ctx.Done():
					t.Fatalf("%s goes on for ever", id)
				}
			}
			stamp("while")
			answered = func() {}
			stamp("between") // leaves files for the next
			replace()
			stamp("behind")
		})
	}
}

// cutting is a source during whose reading something happens.
type cutting struct {
	io.ReaderAt
	cut func()
}

func (c cutting) ReadAt(p []byte, at int64) (int, error) {
	c.cut()
	return c.ReaderAt.ReadAt(p, at)
}

// TestFileThatIsCutWhileItIsReadIsAskedForAgain has an adapter write its file anew behind its answer: what is missing was
// never there as zeros, and is no other stamp than ordered.
func TestFileThatIsCutWhileItIsReadIsAskedForAgain(t *testing.T) {
	t.Parallel()
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{})
	d := b.openDriver(b.driverOptions(Adapter))
	source := []byte("source")
	f, err := os.CreateTemp(t.TempDir(), "")
	requireNoError(t, err)
	defer f.Close()
	_, err = f.Write(append(source, "a tail"...))
	requireNoError(t, err)
	cut := func() { requireNoError(t, f.Truncate(int64(len(source))+2)) }
	r := emeterai.Request{Serial: "SPESIMEN-X", Source: pades.Source{R: cutting{bytes.NewReader(source), cut}, Size: int64(len(source))}}
	tail, err := d.extractTail(t.Context(), r, f)
	if emeterai.ClassOf(err) != emeterai.Unknown || err == nil {
		t.Errorf("%q, %v", tail, err)
	}
}
