package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"

	"segel/internal/emeterai/sandbox"
)

// openOffice opens the stamp office, which one process at a time may have: it knows from its journal, which it
// reads once, what serials were issued.
func (a *app) openOffice() error {
	o, err := sandbox.Open(filepath.Join(a.conf.DataDir, "office"), sandbox.Options{
		Issuer: a.authority, Timestamper: a.authority.Timestamper(), Revocation: a.authority, Sealer: a.sealer,
		PublicURL: a.conf.BaseURL(), Clock: a.clock, Random: rand.Reader,
	})
	if errors.Is(err, sandbox.ErrInUse) {
		return fmt.Errorf("another process serves %s: %w", a.conf.DataDir, err)
	}
	if err != nil {
		return err
	}
	a.office, a.workflow.Office = o, o
	return nil
}

// closeOffice lets another process have it. Where it was never opened it does nothing.
func (a *app) closeOffice() error {
	if a.office == nil {
		return nil
	}
	return a.office.Close()
}
