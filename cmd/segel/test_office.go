package main

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"segel/internal/emeterai"
	"segel/internal/emeterai/sandbox"
)

// testOfficeDir is the folder of the sandbox for test documents in the data folder.
const testOfficeDir = "office-test"

// Waiting for another process that uses the sandbox for test documents: how often it is tried, and for how long.
const (
	testOfficePause = 50 * time.Millisecond
	testOfficeWait  = 5 * time.Second
)

// testOffice is the stamp office of test documents, whatever office all others have: a sandbox in a separate folder, so that no serial of it is ever
// mistaken for one that was paid for. Only one process at a time can have the folder open, and several processes may serve an installation. So it is
// opened for each call and closed after it. In the database it is opened once.
type testOffice struct {
	a      *app
	mu     sync.Mutex      // guards shared; held while the folder is open
	shared *sandbox.Office // nil until the first call; and if it is in a folder
}

// withOffice opens the sandbox for a call. If another process keeps it open, nothing was done, and the caller tries again later.
func (o *testOffice) withOffice(ctx context.Context, call func(*sandbox.Office) error) error {
	if o.a.sharesOffice() {
		office, err := o.openShared(ctx)
		if err != nil {
			return &emeterai.Problem{Class: emeterai.Transient, Code: emeterai.CodeDown, Text: "the sandbox for test documents cannot be opened", Err: err}
		}
		return call(office)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for begin := time.Now(); ; {
		office, err := sandbox.Open(filepath.Join(o.a.conf.DataDir, testOfficeDir), o.a.sandboxOptions(0))
		switch {
		case err == nil:
			return errors.Join(call(office), office.Close())
		case !errors.Is(err, sandbox.ErrInUse) || time.Since(begin) > testOfficeWait:
			return &emeterai.Problem{Class: emeterai.Transient, Code: emeterai.CodeDown, Text: "the sandbox for test documents cannot be opened", Err: err}
		}
		wait := time.NewTimer(testOfficePause)
		select {
		case <-ctx.Done():
			wait.Stop()
			return ctx.Err()
		case <-wait.C:
		}
	}
}

func (o *testOffice) openShared(ctx context.Context) (*sandbox.Office, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.shared == nil {
		office, err := sandbox.OpenRows(ctx, officeRows{o.a.store, testOfficeDir}, o.a.sandboxOptions(0))
		if err != nil {
			return nil, err
		}
		o.shared = office
	}
	return o.shared, nil
}

// BuySerial implements [emeterai.Stamper].
func (o *testOffice) BuySerial(ctx context.Context, order emeterai.Order) (serial string, err error) {
	err = o.withOffice(ctx, func(s *sandbox.Office) (err error) { serial, err = s.BuySerial(ctx, order); return err })
	return serial, err
}

// Stamp implements [emeterai.Stamper].
func (o *testOffice) Stamp(ctx context.Context, r emeterai.Request) (tail []byte, err error) {
	err = o.withOffice(ctx, func(s *sandbox.Office) (err error) { tail, err = s.Stamp(ctx, r); return err })
	return tail, err
}

// SerialStatus implements [emeterai.Stamper].
func (o *testOffice) SerialStatus(ctx context.Context, serial string) (status emeterai.Status, err error) {
	err = o.withOffice(ctx, func(s *sandbox.Office) (err error) { status, err = s.SerialStatus(ctx, serial); return err })
	return status, err
}

// CheckAffixable implements [emeterai.Stamper].
func (o *testOffice) CheckAffixable(ctx context.Context, serial string) error {
	return o.withOffice(ctx, func(s *sandbox.Office) error { return s.CheckAffixable(ctx, serial) })
}

// ListSerials implements [emeterai.Stamper].
func (o *testOffice) ListSerials(ctx context.Context) (all []emeterai.Serial, err error) {
	err = o.withOffice(ctx, func(s *sandbox.Office) (err error) { all, err = s.ListSerials(ctx); return err })
	return all, err
}

// Balance implements [emeterai.Stamper].
func (o *testOffice) Balance(ctx context.Context) (b emeterai.Balance, err error) {
	err = o.withOffice(ctx, func(s *sandbox.Office) (err error) { b, err = s.Balance(ctx); return err })
	return b, err
}

// Availability implements [emeterai.Stamper].
func (*testOffice) Availability() emeterai.Availability { return emeterai.Availability{} }

// IsSpecimen implements [emeterai.Stamper].
func (*testOffice) IsSpecimen() bool { return true }

var _ emeterai.Stamper = (*testOffice)(nil)
