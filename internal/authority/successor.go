package authority

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"segel/internal/credential"
	"segel/internal/durable"
)

const (
	// minTSARemaining is the validity that a time-stamp authority must have left. It is longer than the notice with
	// which documents are renewed, so that a renewal gains time.
	minTSARemaining = 2 * 365 * 24 * time.Hour
	// minTSAExtension is how much longer a successor must be valid. It cannot outlast the root.
	minTSAExtension = 365 * 24 * time.Hour
)

// renewTSA reads the later time-stamp authorities of a folder, and creates another with a new key when the certificate
// of the current one is about to expire. Existing tokens are not affected.
//
// A successor is durable before it is used. If two processes create one at once, the first wins, and both use it. One
// that was created while the clock was ahead is used once it is valid; until then it is ignored, so that another is
// created beside it if necessary.
func (a *Authority) renewTSA(dir string, o Options) error {
	for {
		if err := a.readSuccessors(dir, o); err != nil {
			return err
		}
		n := len(a.keys.successors) + firstSuccessor
		now := o.Clock()
		end := now.AddDate(tsaYears, 0, 0)
		if root := a.keys.root.cert.NotAfter; end.After(root) {
			end = root
		}
		last := a.keys.tsaAt(now).cert.NotAfter
		if a.keys.root.requireValid(now) != nil || last.Sub(now) > minTSARemaining || end.Sub(last) < minTSAExtension {
			return nil
		}
		if err := a.createSuccessor(filepath.Join(dir, successorName(n)+".json"), successorName(n), o, now, end); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("create time-stamp authority %d: %w", n, err)
		}
	}
}

// firstSuccessor is the number of the first successor.
const firstSuccessor = 2

func successorName(n int) string { return fmt.Sprintf("tsa-%d", n) }

// readSuccessors reads the successors in a folder that have not been read yet.
func (a *Authority) readSuccessors(dir string, o Options) error {
	for {
		n := len(a.keys.successors) + firstSuccessor
		b, err := os.ReadFile(filepath.Join(dir, successorName(n)+".json"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read time-stamp authority %d: %w", n, err)
		}
		if err := a.addSuccessor(b, successorName(n), o.Sealer); err != nil {
			return err
		}
	}
}

func (a *Authority) createSuccessor(file, name string, o Options, now, end time.Time) error {
	next, err := newTSAIdentity(a.keys.tsa.cert.Subject, a.urls, now.Add(-time.Hour), end, &a.keys.root)
	if err != nil {
		return err
	}
	b, err := marshalMembers(o.Sealer, map[string]*identity{name: &next})
	if err != nil {
		return err
	}
	return durable.WriteNew(file, b)
}

func (a *Authority) addSuccessor(b []byte, name string, s *credential.Sealer) error {
	in, err := parseStored(b, "authority's "+name)
	if err != nil {
		return err
	}
	next, err := in.Members[name].openMember(name, s)
	if err != nil {
		return err
	}
	if err := next.cert.CheckSignatureFrom(a.keys.root.cert); err != nil {
		return fmt.Errorf("certificate of the authority's %s: %w", name, err)
	}
	a.keys.successors = append(a.keys.successors, next)
	return nil
}
