package https

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Files is a certificate with its chain and its key in two PEM files, which are read again when they change.
type Files struct {
	Served
	o FilesOptions

	mu     sync.Mutex     // guards the fields below
	read   [2]fs.FileInfo // the files that current was read from
	failed string         // the last error, which is logged once
}

// FilesOptions are the options of Files.
type FilesOptions struct {
	Certificate, Key string // paths
	Host             string // that the certificate has to name; another one is logged. Empty: any
	Clock            func() time.Time
	Log              *slog.Logger
}

// Times of Run.
const (
	lookEvery = 5 * time.Second
	warnEvery = 12 * time.Hour
)

// OpenFiles reads the files. Run follows their changes.
func OpenFiles(o FilesOptions) (*Files, error) {
	f := &Files{o: o}
	if err := f.load(); err != nil {
		return nil, err
	}
	return f, nil
}

// TLSConfig returns the configuration of a listener that uses the certificate.
func (f *Files) TLSConfig() *tls.Config { return newTLSConfig(f.currentCertificate) }

// Run reads the files again when they change, and warns of the expiry, until ctx ends. Files that cannot be used are logged, and the
// certificate before is served on. The order in which the two files are replaced does not matter.
func (f *Files) Run(ctx context.Context) {
	look, warn := time.NewTicker(lookEvery), time.NewTicker(warnEvery)
	defer look.Stop()
	defer warn.Stop()
	f.warnOfExpiry(ctx, f.o.Log, f.o.Clock())
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			f.follow(ctx, false)
		case <-warn.C:
			f.warnOfExpiry(ctx, f.o.Log, f.o.Clock())
		}
	}
}

// Reload reads the files now, whether they have changed or not.
func (f *Files) Reload(ctx context.Context) { f.follow(ctx, true) }

// follow reads the files again if they have changed, if they could not be used before, or if always.
func (f *Files) follow(ctx context.Context, always bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !always && f.failed == "" && f.unchanged() {
		return
	}
	err := f.load()
	switch {
	case err != nil && (always || err.Error() != f.failed):
		f.o.Log.ErrorContext(ctx, "the new TLS certificate cannot be used; the one before is served", "error", err, "not_after", f.NotAfter())
		f.failed = err.Error()
	case err == nil:
		f.failed = ""
		f.o.Log.InfoContext(ctx, "TLS certificate read", "not_after", f.NotAfter())
		f.warnOfExpiry(ctx, f.o.Log, f.o.Clock())
	}
}

// unchanged reports whether the files are those that were read. A file that is missing has changed.
func (f *Files) unchanged() bool {
	now, err := f.stat()
	if err != nil {
		return false
	}
	for i, n := range now {
		if !os.SameFile(n, f.read[i]) || n.Size() != f.read[i].Size() || !n.ModTime().Equal(f.read[i].ModTime()) {
			return false
		}
	}
	return true
}

func (f *Files) stat() (found [2]fs.FileInfo, err error) {
	for i, name := range []string{f.o.Certificate, f.o.Key} {
		if found[i], err = os.Stat(name); err != nil {
			return found, err
		}
	}
	return found, nil
}

// load reads the files and replaces the certificate.
func (f *Files) load() error {
	found, err := f.stat() // before they are read: a change in between is seen next time
	if err != nil {
		return err
	}
	c, err := tls.LoadX509KeyPair(f.o.Certificate, f.o.Key)
	if err != nil {
		return fmt.Errorf("%s, %s: %w", f.o.Certificate, f.o.Key, err)
	}
	now := f.o.Clock()
	if now.After(c.Leaf.NotAfter) && now.Before(f.NotAfter()) {
		return errors.New(f.o.Certificate + " has expired, and the certificate before has not")
	}
	if f.o.Host != "" {
		if err := c.Leaf.VerifyHostname(f.o.Host); err != nil {
			f.o.Log.Warn("the TLS certificate is not one of the public address", "error", err)
		}
	}
	f.read = found
	f.current.Store(&c)
	return nil
}
