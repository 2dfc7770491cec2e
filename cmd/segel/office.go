package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"segel/internal/emeterai/sandbox"
)

// office is the stamp office of a data folder while it is open.
type office struct {
	*sandbox.Office
	folder *os.File // locked
}

// openOffice opens the stamp office, which one process at a time may have: it knows from its journal, which it
// reads once, what serials were issued. The lock ends with the process, however that ends.
func (a *app) openOffice() error {
	dir := filepath.Join(a.conf.DataDir, "office")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("folder of the stamp office: %w", err)
	}
	folder, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("folder of the stamp office: %w", err)
	}
	err = syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errors.Join(fmt.Errorf("another process serves %s", a.conf.DataDir), folder.Close())
	}
	if err != nil {
		return errors.Join(fmt.Errorf("lock %s: %w", dir, err), folder.Close())
	}
	o, err := sandbox.Open(dir, sandbox.Options{
		Issuer: a.authority, Timestamper: a.authority.Timestamper(), Revocation: a.authority, Sealer: a.sealer,
		PublicURL: a.conf.BaseURL(), Clock: a.clock, Random: rand.Reader,
	})
	if err != nil {
		return errors.Join(err, folder.Close())
	}
	a.office, a.workflow.Office = office{o, folder}, o
	return nil
}

// closeOffice lets another process have it. Where it was never opened it does nothing.
func (a *app) closeOffice() error {
	if a.office.Office == nil {
		return nil
	}
	return errors.Join(a.office.Close(), a.office.folder.Close())
}
